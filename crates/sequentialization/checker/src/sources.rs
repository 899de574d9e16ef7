//! Where the messages of each receive can come from, and races.
//!
//! Every `send` is a *tag*. A receive of a type `T` can get the messages of those tags that send
//! `T`, to somebody who may be its owner, from somebody who fits the source that is written. If
//! this leaves a choice between senders that are not alike (two processes, or two places in the
//! code of a set), then the protocol is not *symmetrically non-deterministic*, and no derivation of
//! it is accepted.
//!
//! Whom an address may name is told by its type alone: `S` is a member of `S`, a `pid` that
//! is no name is anybody. Only a literal send to oneself is left out;
//! [`Step::Run`](crate::Step::Run) refuses to execute such a send, so nothing is lost. Sends
//! between members of one set are counted.

use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{
    Expr, ExprKind, MessageId, Process, ProcessId, SetId, Source, Stmt, StmtId, StmtKind, Type,
};
use std::collections::BTreeMap;

/// A `send`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tag {
    pub statement: StmtId,
    /// Whose statement it is.
    pub owner: ProcessId,
    /// The type of what it sends.
    pub message: MessageId,
    pub receivers: Receivers,
}

/// Whom a send may reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receivers {
    One(ProcessId),
    /// A member of a set.
    Members(SetId),
    /// Anybody.
    Anyone,
    /// The sender itself, literally.
    Oneself,
}

/// Whom a receive reads from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The process that its expression names.
    Written,
    Process(ProcessId),
    /// Members of a set, who send with this tag.
    Members(SetId, StmtId),
    /// Nobody sends anything like this: it never ends.
    Nobody,
}

/// A receive that can get messages from senders that are not alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    pub receive: StmtId,
    /// Whose statement it is.
    pub owner: ProcessId,
    /// The type of message that is wanted.
    pub message: MessageId,
    /// All sends whose messages it can get, in the order of the file.
    pub sends: Vec<Tag>,
    /// Two of them that conflict: they have different owners, or stand at different places in the
    /// code of a set.
    pub conflict: (StmtId, StmtId),
}

/// Tags, sources of receives, and races of a protocol.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    tags: Vec<Tag>,
    origins: BTreeMap<StmtId, Origin>,
    races: Vec<Race>,
}

impl Sources {
    /// Looks at every send and every receive of the protocol.
    pub fn new(protocol: &Protocol) -> Sources {
        let mut sources = Sources::default();
        for (owner, process) in protocol.each_process() {
            each_statement(process, &mut |statement| {
                if let StmtKind::Send { message, to, .. } = &statement.kind {
                    let receivers = receivers(owner, process, to);
                    let message = *message;
                    sources.tags.push(Tag { statement: statement.id, owner, message, receivers });
                }
            });
        }
        for (owner, process) in protocol.each_process() {
            each_statement(process, &mut |statement| {
                if let StmtKind::Receive { message, from, .. } = &statement.kind {
                    sources.receive(protocol, owner, statement.id, *message, from);
                }
            });
        }
        sources
    }

    /// All sends, process by process.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Whom this receive reads from; nothing if it is no receive, or one with a race.
    pub fn origin(&self, receive: StmtId) -> Option<Origin> {
        self.origins.get(&receive).copied()
    }

    /// All receives with a race.
    pub fn races(&self) -> &[Race] {
        &self.races
    }

    fn receive(
        &mut self,
        protocol: &Protocol,
        owner: ProcessId,
        receive: StmtId,
        message: MessageId,
        from: &Source,
    ) {
        let set_of = |process: ProcessId| protocol.process(process).set;
        let written = match from {
            Source::Pid(_) => {
                self.origins.insert(receive, Origin::Written);
                return;
            }
            Source::Set(set) => Some(*set),
            Source::Anyone => None,
        };
        let fits = |tag: &&Tag| {
            tag.message == message
                && reaches(tag, owner, set_of(owner))
                && (written.is_none() || set_of(tag.owner) == written)
        };
        let sends: Vec<Tag> = self.tags.iter().filter(fits).copied().collect();
        let Some(first) = sends.first() else {
            self.origins.insert(receive, Origin::Nobody);
            return;
        };
        let other = match set_of(first.owner) {
            None => sends.iter().find(|tag| tag.owner != first.owner),
            Some(_) => sends.get(1),
        };
        let origin = match (other, set_of(first.owner)) {
            (Some(other), _) => {
                let conflict = (first.statement, other.statement);
                self.races.push(Race { receive, owner, message, sends, conflict });
                return;
            }
            (None, None) => Origin::Process(first.owner),
            (None, Some(set)) => Origin::Members(set, first.statement),
        };
        self.origins.insert(receive, origin);
    }
}

fn each_statement<'p>(process: &'p Process, visit: &mut dyn FnMut(&'p Stmt)) {
    for statement in &process.body {
        statement.walk(visit);
    }
}

fn receivers(owner: ProcessId, process: &Process, to: &Expr) -> Receivers {
    match &to.kind {
        ExprKind::Me => Receivers::Oneself,
        ExprKind::Process(it) if *it == owner && process.set.is_none() => Receivers::Oneself,
        ExprKind::Process(it) => Receivers::One(*it),
        ExprKind::Variable(variable) => {
            match process.variables.get(variable.0 as usize).map(|it| it.ty) {
                Some(Type::Member(set)) => Receivers::Members(set),
                _ => Receivers::Anyone,
            }
        }
        _ => Receivers::Anyone,
    }
}

fn reaches(tag: &Tag, receiver: ProcessId, set: Option<SetId>) -> bool {
    match tag.receivers {
        Receivers::One(process) => process == receiver,
        Receivers::Members(members) => Some(members) == set,
        Receivers::Anyone => true,
        Receivers::Oneself => false,
    }
}
