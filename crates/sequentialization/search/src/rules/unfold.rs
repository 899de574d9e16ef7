//! R-Send-Unfold and R-Recv-Unfold: one member of a set gets a slot of its own; and the way back.
//!
//! ```text
//! prod q:S.[A]_q   -->   [A]_u || prod q:S\{u}.[A]_q
//! ```
//!
//! *By name*: `u` is the member that somebody addresses. That is allowed if all members of `S` are alike, so that
//! whichever it is has the code of the set; or if `u` is the variable of the loop over `S` whose iteration this is: loops
//! visit every member once, so its turn has not been.
//!
//! *As a sender*: somebody receives from `S`, and `u` names the member whose message that will be. The sender is one of
//! those that have the send still before them, and these are all alike. There must be one: otherwise the receive waits
//! for ever.
//!
//! At most one member of each set is unfolded at a time: whether two names are the same member is not known.

use super::local::inhabited;
use super::{Need, frame};
use crate::failure::{Stuck, Why};
use crate::state::{Context, Key, Member, Mover, Origin, State, cell_of};
use crate::value::Value;
use ser_sequentialization_checker::{Cell, Slot, Step, Symbol};
use ser_syntax::icet::ast::{MessageId, SetId, StmtId};

/// Unfolds a member by its name.
pub fn unfold_named<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    symbol: Symbol,
) -> Result<(), Why> {
    let set = state.set_of(symbol);
    if state.unfolded(set).is_some() {
        return Err(Why::SecondMember { set });
    }
    let moving = state.moving == Some((set, Mover::Named(symbol)));
    if !state.whole.contains(&set) && !moving {
        return Err(Why::SecondMember { set });
    }
    add(state, context, set, symbol, Origin::Named);
    state.script.push(Step::Unfold { set: set.0, symbol, sender_to: None });
    Ok(())
}

/// Unfolds the member of `set` that sends the next message of this type to `receiver`.
pub fn unfold_sender<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    receiver: Slot,
    statement: StmtId,
    set: SetId,
    message: MessageId,
) -> Result<Symbol, Need> {
    let owner = context.process_of(cell_of(receiver), state);
    let never = |why: Why| Need::Never(Stuck::at(why, owner, statement));
    if state.unfolded(set).is_some() {
        return Err(never(Why::SecondMember { set }));
    }
    if state.bags.values().any(|bag| {
        Slot::Process(bag.to.0) == receiver
            && bag.message == message
            && bag.from == Cell::Set(set.0)
    }) {
        return Err(never(Why::OutOfTurn { set }));
    }
    let symbol = match state.moving {
        Some((moving, Mover::Sender(symbol))) if moving == set => symbol,
        _ if !state.whole.contains(&set) => return Err(never(Why::OutOfTurn { set })),
        _ if !inhabited(state, context, set) => return Err(never(Why::MaybeEmpty { set })),
        _ => Symbol(context.fresh()),
    };
    state.symbols.insert(symbol, set);
    add(state, context, set, symbol, Origin::Sender { to: receiver, pivot: None });
    state.script.push(Step::Unfold { set: set.0, symbol, sender_to: Some(receiver) });
    Ok(symbol)
}

/// Gives a member a slot, with the code and the values of its set.
pub fn add<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    set: SetId,
    symbol: Symbol,
    origin: Origin,
) {
    let code = state.sets.get(&set).cloned().unwrap_or_default();
    let values = state.cells.get(&Cell::Set(set.0)).cloned().unwrap_or_default();
    let own = values.into_iter().map(|(key, value)| (key, instantiate(context, &value, symbol)));
    let own = own.collect();
    state.cells.insert(Cell::Member(symbol), own);
    state.members.insert(symbol, Member { set, code, origin, depth: state.depth });
    state.knows.remove(&Slot::Member(symbol));
}

/// A value of a set as that of one member.
pub fn instantiate(context: &Context<'_>, value: &Value, symbol: Symbol) -> Value {
    let renumbered = value.map(&mut |inner| match inner {
        Value::Itself => Some(Value::Member(symbol)),
        Value::Top => Some(Value::Unknown(context.fresh())),
        _ => None,
    });
    renumber(context, &renumbered)
}

/// The same value with new numbers for its choices.
pub fn renumber(context: &Context<'_>, value: &Value) -> Value {
    match value {
        Value::Choice(_, cases) => {
            let cases = cases.iter().map(|(constructor, fields)| {
                (*constructor, fields.iter().map(|field| renumber(context, field)).collect())
            });
            Value::Choice(context.fresh(), cases.collect())
        }
        Value::Message(constructor, fields) => Value::Message(
            *constructor,
            fields.iter().map(|field| renumber(context, field)).collect(),
        ),
        other => other.clone(),
    }
}

/// Puts a member back that is again like the others of its set.
pub fn fold<'p>(state: &mut State<'p>, context: &Context<'p>, symbol: Symbol) -> Result<(), Why> {
    let process = context.process_of(Cell::Member(symbol), state);
    let Some(member) = state.members.get(&symbol) else { return Err(Why::NoRule) };
    if state.sets.get(&member.set) != Some(&member.code) || member.depth != state.depth {
        return Err(Why::NotBack { process });
    }
    let slot = Slot::Member(symbol);
    let pending = state
        .queues
        .iter()
        .find(|((from, to, _), queue)| (*from == slot || *to == slot) && !queue.is_empty());
    if let Some(((from, to, message), queue)) = pending {
        let send = queue.front().map(|letter| letter.tag).unwrap_or(StmtId(0));
        let from = context.process_of(cell_of(*from), state);
        let to = context.process_of(cell_of(*to), state);
        return Err(Why::Superfluous { send, message: *message, from, to });
    }
    settle_values(state, context, symbol);
    state.script.push(Step::Fold(symbol));
    Ok(())
}

/// Joins the values of a member with those of its set, and takes its slot away.
pub fn settle_values<'p>(state: &mut State<'p>, context: &Context<'p>, symbol: Symbol) {
    let Some(member) = state.members.remove(&symbol) else { return };
    let own = state.cells.remove(&Cell::Member(symbol)).unwrap_or_default();
    state.knows.remove(&Slot::Member(symbol));
    // Another name may mean this member, too, and get a reply under it.
    let slot = Slot::Member(symbol);
    state.outdated.insert(slot);
    for known in state.knows.values_mut() {
        known.remove(&slot);
    }
    for letter in state.queues.values_mut().flatten() {
        letter.knows.remove(&slot);
    }
    state.assigned.retain(|(cell, _)| *cell != Cell::Member(symbol));
    let cell = Cell::Set(member.set.0);
    for (key, value) in own {
        if let Key::Ghost(_) = key {
            continue;
        }
        let general = frame::generalise(&value, symbol, &|_| true, &|_| true);
        match state.get(cell, key).cloned() {
            Some(before) if before == general => {}
            Some(before) => {
                let joined = frame::join_general(context, &before, &general);
                if joined != before {
                    state.set(cell, key, joined);
                }
            }
            None => state.set(cell, key, Value::Top),
        }
    }
}
