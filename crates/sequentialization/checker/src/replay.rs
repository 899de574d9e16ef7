//! Replays of derivations.

use crate::code::{Code, Item};
use crate::derivation::{Slot, Step};
use crate::kernel::{Frame, Kernel};
use crate::rejection::{Reason, Rejection};
use crate::rules::end::end;
use crate::sequential::Sequential;
use crate::state::State;
use ser_base::Limits;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{MessageId, ProcessId, SetId, StmtId};

/// How much work a replay may be.
const BUDGET: usize = 5_000_000;

/// What a complete derivation shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub sequential: Vec<Sequential>,
    /// Statements that are not known to hold, ascending: assertions, `fail`s, and, if a server is
    /// active, also receives of servers that may get another constructor than they expect.
    pub open: Vec<StmtId>,
    /// Those of them that may be reached after the end of the sequential program, in the code of
    /// servers: only if some server is active. Nothing that is shown about the sequential program
    /// says that these hold.
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
    /// Messages that are in flight, oldest first for each pair and type.
    pub in_flight: Vec<InFlight>,
}

/// Something that is still to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    Statement(StmtId),
    /// A send that is to become known.
    Postponed(StmtId),
}

/// A message that is in flight, or one for each member of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InFlight {
    pub tag: StmtId,
    /// Who sent it: a single process, or a member of the set of this process.
    pub from: ProcessId,
    pub to: Slot,
    pub message: MessageId,
    /// If there are several: one for each member of this set.
    pub count: Option<SetId>,
}

/// Replays a derivation from the start of the protocol to its end.
///
/// If it is accepted, then no process other than a server waits forever in any run of the protocol
/// in which no open statement fails, for any sizes of its sets (that respect what is declared), and
/// all other assertions hold.
pub fn replay(protocol: &Protocol, steps: &[Step], limits: &Limits) -> Result<Outcome, Rejection> {
    let (kernel, state) = states(protocol, steps, limits)?;
    Ok(end(&kernel, state)?)
}

/// Replays a derivation that need not come to an end.
pub fn replay_prefix(
    protocol: &Protocol,
    steps: &[Step],
    limits: &Limits,
) -> Result<Prefix, Rejection> {
    let (_, state) = states(protocol, steps, limits)?;
    let slots = state.actors.iter().map(|(slot, actor)| (*slot, left(&actor.code))).collect();
    let sets = state.sets.iter().map(|(set, members)| (*set, left(&members.code))).collect();
    let queued = state.queues.iter().flat_map(|((from, to, message), queue)| {
        let from = state.actors.get(from).map(|actor| actor.process);
        let one = move |tag| {
            from.map(|from| InFlight { tag, from, to: *to, message: *message, count: None })
        };
        queue.iter().filter_map(move |it| one(it.tag))
    });
    let bags = state.bags.values().map(|bag| {
        let (to, count) = (Slot::Process(bag.receiver.0), Some(bag.count));
        InFlight { tag: bag.tag, from: bag.sender, to, message: bag.message, count }
    });
    let in_flight = queued.chain(bags).collect();
    Ok(Prefix { slots, sets, in_flight, sequential: state.program })
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
    limits: &'p Limits,
) -> Result<(Kernel<'p>, State<'p>), Rejection> {
    let mut kernel = Kernel::new(protocol, limits, BUDGET)?;
    let mut state = State::new(protocol);
    match kernel.steps(&Frame::whole(), &mut state, steps) {
        Ok(()) => Ok((kernel, state)),
        Err(mut rejection) => {
            rejection.who = rejection.slot.map(|slot| kernel.name(&state, slot));
            if matches!(*rejection.reason, Reason::Budget | Reason::Stopped(_)) {
                rejection.path.0.clear();
            }
            Err(rejection)
        }
    }
}
