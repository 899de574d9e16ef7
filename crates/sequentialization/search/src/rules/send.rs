//! R-Send: a message goes to the end of its queue.
//!
//! ```text
//! [send T(n) to x]_p      x = q is known, q has a slot
//! ----------------------------------------------------
//! g := n (new ghost of p);  queue(p, q, T) := queue(p, q, T) . g
//! ```
//!
//! A send never waits and concerns nobody but the end of its queue, so it may happen now. The value is that
//! of now: later assignments must not change what was sent.
//!
//! A *postponed* send stands for a message that is under way already; see [`frame`](super::frame).

use super::{Need, slot_at};
use crate::failure::{Stuck, Why};
use crate::state::{Context, Key, Letter, State, cell_of};
use crate::value::Value;
use ser_sequentialization_checker::{Cell, Slot};
use ser_syntax::icet::ast::{Expr, MessageId, ProcessId, StmtId};

/// Sends the value of `payload`.
pub fn send<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    tag: StmtId,
    payload: &Expr,
    message: MessageId,
    to: &Expr,
) -> Result<(), Need> {
    let owner = context.process_of(cell_of(slot), state);
    let never = |why: Why| Need::Never(Stuck::at(why, owner, tag));
    let address = state.evaluate(context, slot, to);
    let receiver = slot_at(&address).ok_or_else(|| never(Why::Address))?;
    if let Slot::Member(symbol) = receiver
        && !state.members.contains_key(&symbol)
    {
        return Err(Need::Unfolded(symbol));
    }
    let value = state.evaluate(context, slot, payload);
    let ghost = context.fresh();
    state.cells.entry(cell_of(slot)).or_default().insert(Key::Ghost(ghost), value.clone());
    put(state, slot, receiver, tag, message, value, ghost).map_err(never)
}

/// Sends a message whose value was fixed before.
pub fn postponed(
    state: &mut State<'_>,
    slot: Slot,
    tag: StmtId,
    message: MessageId,
    to: ProcessId,
    ghost: u32,
) -> Result<(), Why> {
    let value = state.get(cell_of(slot), Key::Ghost(ghost)).cloned().ok_or(Why::Address)?;
    let receiver = Slot::Process(to.0);
    put(state, slot, receiver, tag, message, value, ghost)?;
    // It was sent before this frame: nothing that its owner did since is its cause.
    let queue = state.queues.get_mut(&(slot, receiver, message));
    if let Some(letter) = queue.and_then(|queue| queue.back_mut()) {
        letter.knows.clear();
    }
    if state.replies.contains(&tag) {
        return Err(Why::NoRule);
    }
    state.told.insert(tag);
    Ok(())
}

fn put(
    state: &mut State<'_>,
    slot: Slot,
    receiver: Slot,
    tag: StmtId,
    message: MessageId,
    value: Value,
    ghost: u32,
) -> Result<(), Why> {
    let channel = (slot, receiver, message);
    let from = cell_of(slot);
    let bagged = state.bags.values().any(|bag| {
        bag.from == from && cell_of(receiver) == Cell::Process(bag.to.0) && bag.message == message
    });
    if bagged || state.frozen.contains(&channel) {
        return Err(Why::NoRule);
    }
    let mut knows = state.knows.get(&slot).cloned().unwrap_or_default();
    if !knows.contains(&receiver) {
        if state.replies.contains(&tag) {
            return Err(Why::NoRule);
        }
        state.told.insert(tag);
    }
    knows.insert(slot);
    state.queues.entry(channel).or_default().push_back(Letter { tag, value, ghost, knows });
    Ok(())
}
