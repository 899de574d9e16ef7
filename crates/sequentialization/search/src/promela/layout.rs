//! Which channels there are: for each type, the processes that send it times those that it may be
//! sent to.

use crate::explore::Domain;
use ser_syntax::icet::ast::{
    Expr, ExprKind, MessageId, Process, ProcessId, Protocol, StmtKind, Type,
};

/// All copies of one process among the addresses, and where they are in a list of some processes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) process: ProcessId,
    /// The address of the first copy.
    pub(super) base: u32,
    /// How many copies there are.
    pub(super) count: u32,
    /// The place of the first copy in the list.
    pub(super) place: u32,
}

/// A list of processes, with all their copies.
#[derive(Clone, Default, Debug)]
pub(super) struct Ranges(pub(super) Vec<Range>);

impl Ranges {
    fn push(&mut self, all: &Ranges, process: ProcessId) {
        let Some(range) = all.0.iter().find(|it| it.process == process) else { return };
        let place = self.count();
        self.0.push(Range { place, ..*range });
    }

    /// How many copies there are in all.
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|it| it.count).sum()
    }

    /// The copies of one process.
    pub(super) fn of(&self, process: ProcessId) -> Option<Range> {
        self.0.iter().copied().find(|it| it.process == process)
    }

    /// The place of an address, as an expression; one behind the last if it is not among them.
    /// `only` is the process whose address it is, if that is known.
    pub(super) fn place_of(&self, address: &str, only: Option<ProcessId>) -> String {
        let nowhere = self.count().to_string();
        if let Some(process) = only {
            let shift = self.of(process).map(|it| i64::from(it.place) - i64::from(it.base));
            return shift.map_or(nowhere, |shift| shifted(address, shift));
        }
        self.0.iter().rev().filter(|it| it.count > 0).fold(nowhere, |otherwise, it| {
            let (base, end) = (it.base, it.base + it.count);
            let place = shifted(address, i64::from(it.place) - i64::from(base));
            format!("(({address} >= {base} && {address} < {end}) -> {place} : {otherwise})")
        })
    }
}

/// The channels of one type.
#[derive(Clone, Default, Debug)]
pub(super) struct Channels {
    pub(super) senders: Ranges,
    pub(super) receivers: Ranges,
}

impl Channels {
    /// How many channels there are: one row for each sender, with one more of each for addresses
    /// that are not in the lists.
    pub(super) fn count(&self) -> u32 {
        (self.senders.count() + 1) * self.width()
    }

    /// How many channels a sender has.
    pub(super) fn width(&self) -> u32 {
        self.receivers.count() + 1
    }
}

/// Addresses and channels of an instance.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) all: Ranges,
    pub(super) channels: Vec<Channels>,
}

impl Layout {
    pub(super) fn new(protocol: &Protocol, domain: &Domain<'_>) -> Layout {
        let mut all = Ranges::default();
        let mut base = 0;
        for (process, it) in protocol.each_process() {
            let count = it.set.map_or(1, |set| domain.instance.size(set));
            all.0.push(Range { process, base, count, place: base });
            base += count;
        }
        let channels = (0..protocol.messages.len() as u32)
            .map(|message| channels_of(protocol, &all, MessageId(message)))
            .collect();
        Layout { all, channels }
    }
}

fn channels_of(protocol: &Protocol, all: &Ranges, wanted: MessageId) -> Channels {
    let mut channels = Channels::default();
    let mut receivers = vec![false; protocol.processes.len()];
    for (id, process) in protocol.each_process() {
        let mut sends = false;
        for stmt in &process.body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::Send { message, to, .. } = &stmt.kind
                    && *message == wanted
                {
                    sends = true;
                    let targets = targets(protocol, process, id, to);
                    receivers.iter_mut().zip(targets).for_each(|(it, target)| *it |= target);
                }
            });
        }
        if sends {
            channels.senders.push(all, id);
        }
    }
    for (number, receives) in receivers.into_iter().enumerate() {
        if receives {
            channels.receivers.push(all, ProcessId(number as u32));
        }
    }
    channels
}

/// An address or a number, and so much more.
pub(super) fn shifted(address: &str, shift: i64) -> String {
    match (address.parse::<i64>(), shift) {
        (Ok(number), _) => (number + shift).to_string(),
        (_, 0) => address.to_owned(),
        (_, ..0) => format!("({address} - {})", -shift),
        _ => format!("({address} + {shift})"),
    }
}

/// The process whose address an expression is, if its type says so.
pub(super) fn owner(
    protocol: &Protocol,
    process: &Process,
    me: ProcessId,
    expr: &Expr,
) -> Option<ProcessId> {
    match &expr.kind {
        ExprKind::Process(id) => Some(*id),
        ExprKind::Me => Some(me),
        ExprKind::Variable(variable) => {
            match process.variables.get(variable.0 as usize).map(|it| it.ty) {
                Some(Type::Member(set)) => protocol.members_of(set),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Which processes an address may be of.
fn targets(protocol: &Protocol, process: &Process, me: ProcessId, to: &Expr) -> Vec<bool> {
    let only = owner(protocol, process, me, to);
    let all = 0..protocol.processes.len() as u32;
    all.map(|it| only.is_none_or(|only| only == ProcessId(it))).collect()
}
