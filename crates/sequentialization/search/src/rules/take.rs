//! Receiving from a set: whose message may it be?
//!
//! All messages that the receive can get are sent by one statement `t` of the members of `S`. The message of `u` may be
//! taken
//!
//! - as *pivot*: `u` is by definition the one whose message this is. That is so for the sender that was unfolded for this very
//!   receive, and for the first such receive in the turn of a member: the turns come in the order in which their messages
//!   are received. A second receive of this kind in one turn, by somebody else, could see the members in another order.
//! - as *reply*: the message was sent because of something that the receiver itself did after its last reply. If that holds
//!   for every message of this statement then there is never more than one that it could take.

use super::receive::accept;
use crate::failure::Why;
use crate::state::{Context, Origin, State, cell_of};
use ser_sequentialization_checker::{Cell, Slot, Step, Symbol};
use ser_syntax::icet::ast::{MessageId, Pattern, SetId, StmtId};

/// Receives the oldest message of the unfolded member `from`.
pub fn take<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    from: Symbol,
    (set, tag, message): (SetId, StmtId, MessageId),
    pattern: &Pattern,
) -> Result<(), Why> {
    let sender = Slot::Member(from);
    let channel = (sender, slot, message);
    let bagged = state.bags.values().any(|bag| {
        bag.message == message
            && bag.from == Cell::Set(set.0)
            && cell_of(slot) == Cell::Process(bag.to.0)
    });
    let depth = state.depth;
    let Some(letter) = state.queues.get(&channel).and_then(|queue| queue.front()) else {
        return Err(Why::NoRule);
    };
    if bagged || state.frozen.contains(&channel) {
        return Err(Why::NoRule);
    }
    let knows = letter.knows.contains(&slot);
    let Some(member) = state.members.get_mut(&from) else { return Err(Why::NoRule) };
    let pivot = match &mut member.origin {
        Origin::Turn { pivot } if pivot.is_none() && member.depth == depth => {
            *pivot = Some(tag);
            true
        }
        Origin::Sender { to, pivot } if pivot.is_none() && *to == slot && member.depth == depth => {
            *pivot = Some(tag);
            true
        }
        _ => false,
    };
    if !pivot {
        let others = state.queues.iter().any(|((other, to, ty), queue)| {
            *to == slot && *ty == message && *other != sender && !queue.is_empty()
        });
        if !knows || others || state.told.contains(&tag) {
            return Err(Why::OutOfTurn { set });
        }
        state.replies.insert(tag);
    }
    accept(state, context, slot, sender, pattern, message)?;
    if !pivot {
        // Whatever others have heard of the receiver was before this reply.
        state.outdated.insert(slot);
        for known in state.knows.values_mut() {
            known.remove(&slot);
        }
        for letter in state.queues.values_mut().flatten() {
            letter.knows.remove(&slot);
        }
    }
    if let Some(code) = state.code_mut(slot) {
        code.pop();
    }
    state.script.push(Step::Take { slot, from });
    Ok(())
}
