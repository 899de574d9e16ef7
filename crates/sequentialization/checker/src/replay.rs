//! Replays of derivations.

use crate::code::{Code, Item};
use crate::derivation::{Slot, Step};
use crate::kernel::{Frame, FrameKind, Kernel};
use crate::rejection::{Reason, Rejection};
use crate::rules::end::end;
use crate::sequential::Sequential;
use crate::state::State;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{MessageId, ProcessId, SetId, StmtId};
use std::collections::BTreeSet;

/// What a complete derivation shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The sequential program.
    pub sequential: Vec<Sequential>,
    /// Statements that are not known to hold, ascending: assertions, `fail`s, and, if a server is active, also
    /// receives of servers that may get another constructor than they expect.
    pub open: Vec<StmtId>,
    /// Those of them that may be reached after the end of the sequential program, in the code of servers: only if
    /// some server is active. Nothing that is shown about the sequential program says that these hold.
    pub beyond: Vec<StmtId>,
    /// Servers that go on without being asked: nothing is said about what they do then.
    pub active: Vec<ProcessId>,
    /// Servers that nobody ever talked to: nothing is said about them at all.
    pub unvisited: Vec<ProcessId>,
}

/// What a derivation that has not come to its end has done, and what is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// The sequential program so far.
    pub sequential: Vec<Sequential>,
    /// The code that single processes and unfolded members have before them.
    pub slots: Vec<(Slot, Vec<Left>)>,
    /// The code that all other members of a set have before them.
    pub sets: Vec<(SetId, Vec<Left>)>,
    /// Messages that are under way, oldest first for each pair and type.
    pub under_way: Vec<UnderWay>,
}

/// Something that is still to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// A statement.
    Statement(StmtId),
    /// A send that is to become known.
    Postponed(StmtId),
}

/// A message that is under way, or one for each member of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnderWay {
    /// The send.
    pub tag: StmtId,
    /// Who sent it: a single process, or a member of the set of this process.
    pub from: ProcessId,
    /// To whom.
    pub to: Slot,
    /// Its type.
    pub message: MessageId,
    /// If there are several: one for each member of this set.
    pub count: Option<SetId>,
}

/// Replays a derivation from the start of the protocol to its end.
///
/// If it is accepted, then no process that is no server waits for ever in any run of the protocol in which no open
/// statement fails, for any sizes of its sets (that respect what is declared), and all other assertions hold.
pub fn replay(protocol: &Protocol, steps: &[Step]) -> Result<Outcome, Rejection> {
    let (kernel, state) = states(protocol, steps)?;
    Ok(end(kernel, state)?)
}

/// Replays a derivation that need not come to an end.
pub fn replay_prefix(protocol: &Protocol, steps: &[Step]) -> Result<Prefix, Rejection> {
    let (_, state) = states(protocol, steps)?;
    let slots = state.actors.iter().map(|(slot, actor)| (*slot, left(&actor.code))).collect();
    let sets = state.sets.iter().map(|(set, members)| (*set, left(&members.code))).collect();
    let queued = state.queues.iter().flat_map(|((from, to, message), queue)| {
        let from = state.actors.get(from).map(|actor| actor.process);
        let one = move |tag| {
            from.map(|from| UnderWay { tag, from, to: *to, message: *message, count: None })
        };
        queue.iter().filter_map(move |it| one(it.tag))
    });
    let bags = state.bags.values().map(|bag| {
        let (to, count) = (Slot::Process(bag.receiver.0), Some(bag.count));
        UnderWay { tag: bag.tag, from: bag.sender, to, message: bag.message, count }
    });
    let under_way = queued.chain(bags).collect();
    Ok(Prefix { slots, sets, under_way, sequential: state.program })
}

fn left(code: &Code<'_>) -> Vec<Left> {
    let items = code.items().filter_map(|item| match item {
        Item::Statement(statement) => Some(Left::Statement(statement.id)),
        Item::Postponed(send) => Some(Left::Postponed(send.tag)),
        Item::Stop => None,
    });
    items.collect()
}

fn states<'p>(
    protocol: &'p Protocol,
    steps: &[Step],
) -> Result<(Kernel<'p>, State<'p>), Rejection> {
    let mut kernel = Kernel::new(protocol)?;
    let mut state = State::new(protocol);
    let frame = Frame { outer: None, number: 0, kind: FrameKind::Whole, frozen: BTreeSet::new() };
    match kernel.steps(&frame, &mut state, steps) {
        Ok(()) => Ok((kernel, state)),
        Err(mut rejection) => {
            rejection.who = rejection.slot.map(|slot| kernel.name(&state, slot));
            if *rejection.reason == Reason::Budget {
                rejection.path.0.clear();
            }
            Err(rejection)
        }
    }
}
