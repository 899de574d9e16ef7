//! `Take`: a receive from a set gets the message of one particular member.
//!
//! Allowed if it cannot be anybody else's message (*reply*), or if the member was chosen as the one
//! whose message it is (*pivot*). A pivot is looked for first.
//!
//! A reply: let `e1, e2, ...` be the messages of this tag to this receiver in the order in which
//! they are received. When `ek` is taken as a reply, the earlier ones have been received; the later
//! ones are sent later in the derivation, by somebody who then knew of the receiver (else the tag
//! is *told*), and as nobody knows of it right after the reply, these sends are caused by something
//! that the receiver does later. So in no order of the steps are they in flight together with `ek`.

use crate::derivation::{Slot, Symbol};
use crate::kernel::{Frame, FrameKind, Kernel};
use crate::rejection::Reason;
use crate::rules::run::{advance, keep, receive};
use crate::sequential::{Place, Term};
use crate::sources::Origin;
use crate::state::State;
use ser_syntax::icet::ast::StmtKind;

/// [`Step::Take`](crate::Step::Take).
pub fn take<'p>(
    kernel: &mut Kernel<'p>,
    frame: &Frame<'_>,
    state: &mut State<'p>,
    slot: Slot,
    from: Symbol,
) -> Result<(), Reason> {
    let statement = state.actor(slot)?.code.statement().ok_or(Reason::NothingLeft)?;
    let StmtKind::Receive { pattern, message, .. } = &statement.kind else {
        return Err(Reason::WrongStatement { found: "which is not a receive".to_owned() });
    };
    let Some(Origin::Members(set, tag)) = kernel.sources.origin(statement.id) else {
        return Err(Reason::WrongStatement { found: "a receive from one process".to_owned() });
    };
    let sender = Slot::Member(from);
    let member = state.actor(sender)?.member.as_ref().ok_or(Reason::NoSlot)?;
    if member.set != set {
        return Err(Reason::OtherSet);
    }
    let is_bag = |receiver: u32| Slot::Process(receiver) == slot;
    if state.bags.values().any(|bag| is_bag(bag.receiver.0) && bag.message == *message) {
        return Err(Reason::BagInTheWay);
    }
    let its_turn = matches!(frame.kind, FrameKind::Each { member: of, .. } if of == from)
        && member.pivots.is_empty();
    let chosen = member.sender_to == Some(slot) && !member.sent && member.frame == frame.number;
    let (values, ghost, knows) = receive(kernel, frame, state, sender, slot, statement)?;
    if its_turn || chosen {
        if let Some(member) = &mut state.actor_mut(sender)?.member {
            member.pivots.insert(tag);
            member.sent = true;
        }
        state.actor_mut(slot)?.knows.extend(knows.into_iter().filter(|it| *it != slot));
    } else {
        if !knows.contains(&slot) {
            return Err(Reason::NotTheSender);
        }
        if state.queues.keys().any(|(_, to, ty)| *to == slot && ty == message) {
            return Err(Reason::SecondReply);
        }
        state.history.replies.insert(tag);
        state.actor_mut(slot)?.knows.extend(knows);
        state.forget(slot);
    }
    let term = Term::Place(Place::Ghost(sender, ghost));
    keep(state, slot, pattern, values, term, statement.id)?;
    advance(state, slot)
}
