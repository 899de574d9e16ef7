//! R-Recv: the oldest message of a known sender is received.
//!
//! ```text
//! [y <- recv T from x]_q      x = p is known, queue(p, q, T) = g . rest
//! ---------------------------------------------------------------------
//! y := g;  queue(p, q, T) := rest
//! ```
//!
//! Nobody else takes from this queue, and whoever adds to it adds at its other end: the receive may happen now.

use super::{Need, slot_at};
use crate::failure::{Stuck, Why};
use crate::sources::Origin;
use crate::state::{Context, Key, State, cell_of};
use crate::value::Value;
use ser_sequentialization_checker::{Cell, Slot};
use ser_syntax::icet::ast::{MessageId, Pattern, Source, StmtId};

/// Receives from a sender that is named or the only one.
pub fn receive<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    id: StmtId,
    pattern: &Pattern,
    message: MessageId,
    from: &Source,
) -> Result<(), Need> {
    let owner = context.process_of(cell_of(slot), state);
    let never = |why: Why| Need::Never(Stuck::at(why, owner, id));
    let sender = match (context.sources.origin(id), from) {
        (Origin::Nobody, _) => return Err(never(Why::Blocked { message })),
        (Origin::Process(process), _) => Slot::Process(process.0),
        (Origin::Set(set, tag), _) => return Err(Need::Race(set, tag, message)),
        (Origin::Named, Source::Pid(expr)) => {
            let address = state.evaluate(context, slot, expr);
            slot_at(&address).ok_or_else(|| never(Why::Address))?
        }
        (Origin::Named, _) => return Err(never(Why::Address)),
    };
    if let Slot::Member(symbol) = sender
        && !state.members.contains_key(&symbol)
    {
        return Err(Need::Unfolded(symbol));
    }
    let channel = (sender, slot, message);
    let bagged = state.bags.values().any(|bag| {
        bag.from == cell_of(sender)
            && cell_of(slot) == Cell::Process(bag.to.0)
            && bag.message == message
    });
    if bagged || state.frozen.contains(&channel) {
        return Err(never(Why::NoRule));
    }
    if !state.has_letter(&channel) {
        return Err(Need::Letter(sender, message));
    }
    accept(state, context, slot, sender, pattern, message).map_err(never)
}

/// Takes the oldest message of `sender` and assigns the variables of the pattern.
pub fn accept<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    sender: Slot,
    pattern: &Pattern,
    message: MessageId,
) -> Result<(), Why> {
    let queue = state.queues.get_mut(&(sender, slot, message));
    let letter = queue.and_then(|queue| queue.pop_front()).ok_or(Why::NoRule)?;
    state.knows.entry(slot).or_default().extend(letter.knows.iter().copied());
    assign(state, context, slot, pattern, message, &letter.value)
}

/// Assigns the variables of a pattern.
pub fn assign<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    pattern: &Pattern,
    message: MessageId,
    value: &Value,
) -> Result<(), Why> {
    let cell = cell_of(slot);
    match pattern {
        Pattern::Ignore => {}
        Pattern::Variable(variable) => state.set(cell, Key::Variable(*variable), value.clone()),
        Pattern::Constructor { constructor, fields } => {
            let only = context.protocol.message(message).constructors.len() == 1;
            let values = match value {
                Value::Message(other, values) if other == constructor => values.clone(),
                Value::Choice(_, cases) if cases.len() == 1 && cases[0].0 == *constructor => {
                    cases[0].1.clone()
                }
                Value::Unknown(_) if only => {
                    fields.iter().map(|_| Value::Unknown(context.fresh())).collect()
                }
                _ => return Err(Why::Mismatch),
            };
            for (field, value) in fields.iter().zip(values) {
                if let Some(variable) = field {
                    state.set(cell, Key::Variable(*variable), value);
                }
            }
        }
    }
    Ok(())
}
