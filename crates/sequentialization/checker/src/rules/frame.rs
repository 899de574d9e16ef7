//! What loops and turns have in common: something is derived once, for a state that stands for the
//! start of every iteration, and must lead back to it.

use crate::code::{Code, Item, Postponed};
use crate::derivation::{Cell, Slot, Symbol};
use crate::kernel::{Frame, FrameKind, Kernel};
use crate::rejection::Reason;
use crate::state::{State, Store};
use crate::value::{Number, ToMany, Value};
use ser_syntax::icet::ast::{ProcessId, SetId, VarId};
use std::collections::BTreeSet;

/// What is said to change.
pub type Havoc = [(Cell, u32)];

/// An iteration of a loop, or the turn of a member.
pub struct Round<'p, 'f> {
    pub(super) set: SetId,
    /// Unknowns after this one are new in the round.
    pub(super) since: Number,
    pub frame: Frame<'f>,
    /// The state at the start of every round.
    pub start: State<'p>,
    /// The same, when the round has begun.
    pub first: State<'p>,
}

/// The start of a round over the set, for which these names are new.
pub fn enter<'p, 'f>(
    kernel: &mut Kernel<'p>,
    outer: &'f Frame<'f>,
    before: &State<'p>,
    (set, kind): (SetId, FrameKind),
    symbols: BTreeSet<Symbol>,
    havoc: &Havoc,
) -> Result<Round<'p, 'f>, Reason> {
    let since = kernel.numbers.now();
    kernel.spend(before.weight().saturating_add(havoc.len()))?;
    let mut state = before.clone();
    state.program = Vec::new();
    state.assigned.clear();
    state.drawn.clear();
    state.received.clear();
    state.forgotten.clear();
    state.block = kernel.block();
    for actor in state.actors.values_mut() {
        actor.knows.clear();
    }
    for message in state.queues.values_mut().flatten() {
        message.knows.clear();
    }
    change(kernel, &mut state, havoc, None)?;
    let frame = Frame { outer: Some(outer), number: state.block, kind, frozen: BTreeSet::new() };
    let frozen = state.queues.keys().copied().collect();
    let moves = frame.moves_on().map(|_| set);
    let unfolded: BTreeSet<SetId> =
        state.actors.values().filter_map(|it| Some(it.member.as_ref()?.set)).collect();
    for (set, members) in &mut state.sets {
        if unfolded.contains(set) || moves == Some(*set) {
            members.whole = false;
        }
    }
    for symbol in symbols {
        state.bind(symbol, set)?;
    }
    let frame = Frame { frozen, ..frame };
    Ok(Round { set, since, frame, first: state.clone(), start: state })
}

/// The variables in `havoc` may have any value, but for those of the set `but`.
fn change<'p>(
    kernel: &mut Kernel<'p>,
    state: &mut State<'p>,
    havoc: &Havoc,
    but: Option<SetId>,
) -> Result<(), Reason> {
    for (cell, variable) in havoc {
        let variable = VarId(*variable);
        let (process, store, value) = cell_mut(kernel, state, *cell)?;
        let count = kernel.protocol.process(process).variables.len();
        if variable.0 as usize >= count {
            return Err(Reason::NoVariable);
        }
        if but.is_none_or(|set| *cell != Cell::Set(set.0)) {
            store.variables.insert(variable, value);
        }
        state.assigned.insert((*cell, variable));
    }
    Ok(())
}

fn cell_mut<'s>(
    kernel: &mut Kernel<'_>,
    state: &'s mut State<'_>,
    cell: Cell,
) -> Result<(ProcessId, &'s mut Store, Value), Reason> {
    match cell.slot() {
        Ok(slot) => {
            let actor = state.actor_mut(slot)?;
            Ok((actor.process, &mut actor.store, kernel.numbers.unknown()))
        }
        Err(set) => {
            let members = state.sets.get_mut(&set).ok_or(Reason::NoSet)?;
            Ok((members.process, &mut members.store, Value::Top))
        }
    }
}

/// The member that has moved on, as all members are after the loop. It is gone from `end`, with the
/// messages that it has still in flight: they become postponed sends.
pub fn moved<'p>(
    kernel: &mut Kernel<'p>,
    before: &State<'p>,
    end: &mut State<'p>,
    round: &Round<'p, '_>,
    symbol: Symbol,
) -> Result<(SetId, Code<'p>, Store), Reason> {
    let Round { set, since, frame, .. } = round;
    let slot = Slot::Member(symbol);
    let actor = end.actors.remove(&slot).ok_or(Reason::NobodyMovesOn)?;
    let member = actor.member.ok_or(Reason::NobodyMovesOn)?;
    if member.frame != frame.number || member.set != *set {
        return Err(Reason::NobodyMovesOn);
    }
    if member.sender_to.is_some() && !member.sent {
        return Err(Reason::PivotMissing);
    }
    let mut sends = Vec::new();
    let channels: Vec<_> =
        end.queues.keys().filter(|(from, _, _)| *from == slot).copied().collect();
    let mut store = actor.store;
    store.ghosts.retain(|ghost, _| {
        actor.code.items().any(|item| matches!(item, Item::Postponed(it) if it.ghost == *ghost))
    });
    for channel in channels {
        let (_, Slot::Process(to), message) = channel else {
            return Err(Reason::MessagesChanged);
        };
        for it in end.queues.remove(&channel).unwrap_or_default() {
            sends.push(Postponed { tag: it.tag, message, to: ProcessId(to), ghost: it.ghost });
            store.ghosts.insert(it.ghost, it.value);
        }
    }
    let mut code = actor.code;
    sends.into_iter().rev().for_each(|send| code.push(Item::Postponed(send)));
    let old = &before.sets.get(set).ok_or(Reason::NoSet)?.code;
    let (new, old) = (code.size(), old.size());
    kernel.spend(new.saturating_add(old))?;
    if new >= old {
        return Err(Reason::NoProgress);
    }
    if let Some(tag) = member.pivots.iter().find(|tag| code.contains(**tag)) {
        return Err(Reason::PivotAgain { tag: tag.0 });
    }
    let known = |symbol| before.symbols.contains_key(&symbol);
    let mut many = ToMany::new(&mut kernel.numbers, Some(symbol), *since, &known);
    Ok((*set, code, store.rewrite(&mut many)))
}

/// Everybody is where they were at the start of the frame, and nothing has changed that was not
/// said to.
pub fn unchanged<'p>(
    kernel: &mut Kernel<'p>,
    start: &State<'p>,
    end: &State<'p>,
    havoc: &Havoc,
) -> Result<(), Reason> {
    if !start.actors.keys().eq(end.actors.keys()) {
        return Err(Reason::MembersChanged);
    }
    for ((slot, before), after) in start.actors.iter().zip(end.actors.values()) {
        if before.code != after.code {
            return Err(Reason::CodeChanged { who: kernel.name(end, *slot) });
        }
        // Whether it was received that it was unfolded for is nothing that an iteration may change.
        if before.member != after.member {
            return Err(Reason::MembersChanged);
        }
    }
    for ((set, before), after) in start.sets.iter().zip(end.sets.values()) {
        if before.code != after.code {
            return Err(Reason::CodeChanged { who: kernel.set_name(*set) });
        }
    }
    let lengths = |state: &State<'p>| -> Vec<_> {
        state.queues.iter().map(|(channel, queue)| (*channel, queue.len())).collect()
    };
    if lengths(start) != lengths(end) || !start.bags.keys().eq(end.bags.keys()) {
        return Err(Reason::MessagesChanged);
    }
    keeps_values(kernel, start, end, havoc)
}

/// No variable has another value than at the start of the frame, but for those in `havoc`.
pub fn keeps_values<'p>(
    kernel: &mut Kernel<'p>,
    start: &State<'p>,
    end: &State<'p>,
    havoc: &Havoc,
) -> Result<(), Reason> {
    kernel.spend(end.assigned.len().saturating_mul(2))?;
    let havoc: BTreeSet<(Cell, u32)> = havoc.iter().copied().collect();
    let mut all = Vec::new();
    let mut first = None;
    for (cell, variable) in &end.assigned {
        // Cells of members that were unfolded in the frame are not in the start.
        let (Some((process, before)), Some((_, after))) = (start.cell(*cell), end.cell(*cell))
        else {
            continue;
        };
        let variables = &kernel.protocol.process(process).variables;
        let declared = variables.get(variable.0 as usize).ok_or(Reason::NoVariable)?;
        let changed = before.variables.get(variable) != after.variables.get(variable);
        if changed && !declared.of_loop && !havoc.contains(&(*cell, variable.0)) {
            all.push((*cell, variable.0));
            first.get_or_insert((*cell, declared.name.text.clone()));
        }
    }
    let Some((cell, variable)) = first else { return Ok(()) };
    let who = cell.slot().map_or_else(|set| kernel.set_name(set), |it| kernel.name(end, it));
    Err(Reason::Havoc { who, variable, all })
}

/// The state after all iterations.
pub fn leave<'p>(
    kernel: &mut Kernel<'p>,
    before: &State<'p>,
    end: State<'p>,
    havoc: &Havoc,
    moved: Option<(SetId, Code<'p>, Store)>,
) -> Result<State<'p>, Reason> {
    let mut after = before.clone();
    let but = moved.as_ref().map(|(set, _, _)| *set);
    change(kernel, &mut after, havoc, but)?;
    if let Some((set, code, store)) = moved {
        let members = after.sets.get_mut(&set).ok_or(Reason::NoSet)?;
        for variable in store.variables.keys().chain(members.store.variables.keys()) {
            after.assigned.insert((Cell::Set(set.0), *variable));
        }
        members.code = code;
        members.store = store;
    }
    for slot in &end.forgotten {
        after.forget(*slot);
    }
    after.assigned.extend(end.assigned);
    after.received.extend(end.received);
    after.used_symbols = end.used_symbols;
    after.used_bags = end.used_bags;
    after.history = end.history;
    Ok(after)
}
