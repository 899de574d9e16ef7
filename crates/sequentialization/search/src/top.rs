//! The derivation as a whole: which rule next, when nobody in particular demands anything.

use crate::code::{Code, Item};
use crate::failure::{Stuck, Why};
use crate::rules::{self, Need};
use crate::search::{Goal, any_loop, step};
use crate::state::{Channel, Context, State};
use ser_sequentialization_checker::Slot;
use ser_syntax::icet::ast::{Protocol, SetId, StmtKind};

/// Takes everything off; or stops where nothing helps, with the state as far as it came.
pub fn finish<'p>(state: &mut State<'p>, context: &Context<'p>) -> Result<(), Stuck> {
    let mut reasons;
    loop {
        reasons = Vec::new();
        come_back(state, context)?;
        while simple(state, context, &mut reasons)? {}
        if done(state, context.protocol) {
            return Ok(());
        }
        if compound(state, context, &mut reasons)? {
            continue;
        }
        break;
    }
    if let Some(slot) = undecided(state, context) {
        return Err(Stuck::new(Why::Undecided(slot)));
    }
    Err(verdict(state, context, reasons))
}

/// Steps that are possible now, of single processes.
fn simple<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    reasons: &mut Vec<Stuck>,
) -> Result<bool, Stuck> {
    let mut moved = false;
    for id in state.singles.keys().copied().collect::<Vec<_>>() {
        let slot = Slot::Process(id);
        let server = context.protocol.processes.get(id as usize).is_some_and(|it| it.server);
        while !(server && rests(state, slot)) {
            match rules::run(state, context, slot) {
                Ok(()) => moved = true,
                Err(Need::Never(stuck)) if stuck.why == Why::Budget => return Err(stuck),
                Err(Need::Never(stuck)) => {
                    if stuck.why != Why::Ended {
                        reasons.push(stuck);
                    }
                    break;
                }
                Err(_) => break,
            }
        }
    }
    Ok(moved)
}

fn rests(state: &State<'_>, slot: Slot) -> bool {
    state.code(slot).is_some_and(Code::rests)
}

/// Loops, turns, and steps that need others to move.
fn compound<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    reasons: &mut Vec<Stuck>,
) -> Result<bool, Stuck> {
    let singles: Vec<Slot> = state.singles.keys().map(|id| Slot::Process(*id)).collect();
    for slot in &singles {
        if matches!(rules::run(&mut state.clone(), context, *slot), Err(Need::Loop)) {
            match any_loop(state, context, *slot) {
                Ok(next) => return Ok(replace(state, next)),
                Err(reason) => reasons.push(reason),
            }
        }
    }
    // Servers first: what they do before they wait is in nobody's way, and a turn of others should find them waiting.
    let mut sets: Vec<SetId> = state.sets.keys().copied().collect();
    sets.sort_by_key(|set| !serves(context, *set));
    for set in sets {
        match turn(state, context, set) {
            Ok(Some(next)) => return Ok(replace(state, next)),
            Ok(None) => {}
            Err(reason) => reasons.push(reason),
        }
    }
    let mut undecided = None;
    for slot in &singles {
        let server = matches!(slot, Slot::Process(id) if context.protocol.processes.get(*id as usize).is_some_and(|it| it.server));
        let quiet = server && rests(state, *slot) && !waited_for(state, *slot);
        if quiet || state.code(*slot).is_none_or(Code::is_empty) {
            continue;
        }
        let mut attempt = state.clone();
        match demand(&mut attempt, context, *slot) {
            Ok(()) => return Ok(replace(state, attempt)),
            Err(reason) if matches!(reason.why, Why::Undecided(_)) => {
                undecided.get_or_insert((attempt, reason));
            }
            Err(reason) => reasons.push(reason),
        }
    }
    if !context.has_budget() {
        return Err(Stuck::new(Why::Budget));
    }
    match undecided {
        Some((attempt, reason)) => {
            *state = attempt;
            Err(reason)
        }
        None => Ok(false),
    }
}

fn replace<'p>(state: &mut State<'p>, next: State<'p>) -> bool {
    *state = next;
    true
}

/// Whether messages wait for this slot.
fn waited_for(state: &State<'_>, slot: Slot) -> bool {
    state.queues.iter().any(|((_, to, _), queue)| *to == slot && !queue.is_empty())
}

/// A step of a single process that unfolds members, which come back at once.
fn demand<'p>(state: &mut State<'p>, context: &Context<'p>, slot: Slot) -> Result<(), Stuck> {
    step(state, context, slot, &mut Vec::new())?;
    come_back(state, context)
}

/// Lets unfolded members, and those that they talk to, run until all are folded.
fn come_back<'p>(state: &mut State<'p>, context: &Context<'p>) -> Result<(), Stuck> {
    while let Some(symbol) = state.members.keys().next().copied() {
        let slot = Slot::Member(symbol);
        let home = state.code(slot) == state.sets.get(&state.set_of(symbol));
        let full = |channel: &&Channel| state.has_letter(channel);
        let to_it = state.queues.keys().filter(full).any(|(_, to, _)| *to == slot);
        let from_it = state.queues.keys().filter(full).find(|(from, _, _)| *from == slot);
        match from_it.map(|(_, to, _)| *to) {
            // The member first; where it has nothing to do, whoever its messages are for.
            _ if !home || to_it => step(state, context, slot, &mut Vec::new())?,
            Some(receiver) => step(state, context, receiver, &mut Vec::new())?,
            None => rules::fold(state, context, symbol).map_err(Stuck::new)?,
        }
    }
    Ok(())
}

/// A turn of every member of the set: as much of its code as possible.
fn turn<'p>(
    state: &State<'p>,
    context: &Context<'p>,
    set: SetId,
) -> Result<Option<State<'p>>, Stuck> {
    let Some(code) = state.sets.get(&set) else { return Ok(None) };
    let server = serves(context, set);
    if code.is_empty() || server && code.rests() {
        return Ok(None);
    }
    let mut reasons = Vec::new();
    for rest in 0..code.len() {
        let rest = code.suffix(rest);
        if server && !rest.rests() {
            continue;
        }
        match rules::each(state, context, set, &rest) {
            Ok(next) => return Ok(Some(next)),
            Err(reason) => reasons.push(reason),
        }
        if !context.has_budget() {
            return Err(Stuck::new(Why::Budget));
        }
    }
    Err(telling(reasons).unwrap_or_else(|| Stuck::new(Why::NoRule)))
}

/// Whether the members of a set are servers.
fn serves(context: &Context<'_>, set: SetId) -> bool {
    let runs = context.protocol.members_of(set);
    runs.is_some_and(|id| context.protocol.process(id).server)
}

/// A single process that has to decide something.
fn undecided<'p>(state: &State<'p>, context: &Context<'p>) -> Option<Slot> {
    let singles = state.singles.keys().map(|id| Slot::Process(*id));
    singles
        .filter(|slot| matches!(state.head(*slot), Some(Item::Statement(stmt)) if !matches!(stmt.kind, StmtKind::While { .. })))
        .find(|slot| {
            matches!(rules::run(&mut state.clone(), context, *slot), Err(Need::Decision))
        })
}

/// Whether nothing is left but servers that wait.
pub fn done(state: &State<'_>, protocol: &Protocol) -> bool {
    let ended = |code: &Code<'_>, server: bool| code.is_empty() || server && code.rests();
    let singles = state.singles.iter().all(|(id, code)| {
        ended(code, protocol.processes.get(*id as usize).is_some_and(|it| it.server))
    });
    let sets = state.sets.iter().all(|(set, code)| {
        ended(code, protocol.members_of(*set).is_some_and(|id| protocol.process(id).server))
    });
    let quiet = state.queues.values().all(|queue| queue.is_empty()) && state.bags.is_empty();
    singles && sets && quiet && state.members.is_empty()
}

/// The reason that tells most.
pub fn telling(reasons: Vec<Stuck>) -> Option<Stuck> {
    let rank = |stuck: &Stuck| match stuck.why {
        Why::Budget => 0,
        Why::Stateful => 1,
        Why::MaybeEmpty { .. } => 2,
        Why::Cycle(_) => 3,
        Why::Superfluous { .. } => 4,
        Why::Blocked { .. } => 5,
        Why::OutOfTurn { .. } | Why::SecondMember { .. } => 6,
        Why::Mismatch => 7,
        Why::Address => 8,
        Why::Apart => 9,
        Why::NotBack { .. } => 10,
        Why::NoProgress => 11,
        Why::NoRule | Why::Rejected | Why::Undecided(_) | Why::Ended => 12,
    };
    reasons.into_iter().min_by_key(rank)
}

/// Why nothing helps any more.
fn verdict<'p>(state: &State<'p>, context: &Context<'p>, mut reasons: Vec<Stuck>) -> Stuck {
    let all_ended = state
        .singles
        .values()
        .chain(state.sets.values())
        .all(|code| code.is_empty() || code.rests());
    if all_ended {
        let left = rules::leftovers(state);
        if let Some((channel, letters)) = left.first()
            && let Some(letter) = letters.first()
        {
            return rules::superfluous(state, context, *channel, letter);
        }
    }
    if let Some(sack) = state.bags.values().next() {
        let from = match sack.from {
            ser_sequentialization_checker::Cell::Process(id) => {
                ser_syntax::icet::ast::ProcessId(id)
            }
            other => context.process_of(other, state),
        };
        let why = Why::Superfluous { send: sack.tag, message: sack.message, from, to: sack.to };
        reasons.push(Stuck::at(why, from, sack.tag));
    }
    match telling(reasons) {
        Some(reason) if !matches!(reason.why, Why::NoProgress | Why::NoRule) => reason,
        reason => context.undelivered().or(reason).unwrap_or_else(|| Stuck::new(Why::NoRule)),
    }
}

/// Searches a derivation of the whole protocol.
pub fn derive<'p>(state: &mut State<'p>, context: &Context<'p>) -> Result<(), Stuck> {
    crate::search::complete(state, context, &Goal::End)?;
    let active = state.singles.values().chain(state.sets.values()).any(Code::is_active);
    let doubtful = state.replies.iter().find(|tag| active || state.told.contains(tag));
    if let Some(tag) = doubtful {
        return Err(Stuck { why: Why::NoRule, owner: None, statement: Some(*tag) });
    }
    Ok(())
}
