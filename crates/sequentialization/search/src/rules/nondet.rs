//! R-Nondet-Recv: a receive gets any message of a bag.
//!
//! A bag is what the iterations of a loop leave behind for somebody else: one message each. A loop over the same set that
//! receives one message in each iteration empties it, in any order. If the senders are a set, they must have sent all that
//! they ever will: otherwise a later message could overtake those of the bag.

use super::receive::assign;
use super::unfold::renumber;
use crate::failure::Why;
use crate::sources::Origin;
use crate::state::{Context, State, cell_of};
use crate::value::Value;
use ser_sequentialization_checker::{Bag, Cell, Slot, Step};
use ser_syntax::icet::ast::{Pattern, StmtId};

/// The bag that this receive of `slot` can draw from.
pub fn bag_for<'p>(
    state: &State<'p>,
    context: &Context<'p>,
    slot: Slot,
    receive: StmtId,
) -> Option<Bag> {
    let from = match context.sources.origin(receive) {
        Origin::Process(process) => Cell::Process(process.0),
        Origin::Set(set, _) => Cell::Set(set.0),
        _ => return None,
    };
    let fits = |bag: &&Bag| {
        state
            .bags
            .get(bag)
            .is_some_and(|sack| sack.from == from && cell_of(slot) == Cell::Process(sack.to.0))
    };
    state.draws.iter().find(fits).copied()
}

/// Receives any message of the bag.
pub fn draw<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    bag: Bag,
    pattern: &Pattern,
) -> Result<(), Why> {
    let Some(sack) = state.bags.get(&bag).cloned() else { return Err(Why::NoRule) };
    if let Cell::Set(_) = sack.from {
        let codes = state.singles.values().chain(state.sets.values());
        let mut codes = codes.chain(state.members.values().map(|member| &member.code));
        if codes.any(|code| code.sends(sack.tag)) {
            return Err(Why::NoRule);
        }
    }
    let value = sack.value.map(&mut |inner| match inner {
        Value::Top => Some(Value::Unknown(context.fresh())),
        _ => None,
    });
    let value = renumber(context, &value);
    assign(state, context, slot, pattern, sack.message, &value)?;
    state.draws.remove(&bag);
    if let Some(code) = state.code_mut(slot) {
        code.pop();
    }
    state.script.push(Step::Draw { slot, bag });
    Ok(())
}
