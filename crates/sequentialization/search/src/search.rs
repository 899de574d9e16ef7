//! The search for a derivation: who moves when.
//!
//! The search is driven by demand. Somebody has a goal (to finish an iteration, a turn, everything); where it waits for a message,
//! whoever has to send it moves until it does, and so on; a circle of such demands is a deadlock of what is looked at. What is under way
//! at the end is delivered if its receiver can come back to where it was.
//!
//! A decision that is not known splits the search: first both cases run just to the end of the statement, in the hope that
//! they agree there; otherwise each runs until the goal is reached.
//!
//! Every rule only ever takes what must happen anyway, so an order of steps that leads nowhere is rarely a dead end; what is tried one
//! after the other are the forms of the loop rule, and how much of a member's code belongs to its turn.

use crate::code::{Code, Item};
use crate::failure::{Stuck, Why};
use crate::rules::{self, Entry, Need, Shape, loops::Moves, loops::heads};
use crate::state::{Context, State, cell_of};
use ser_sequentialization_checker::{Slot, Symbol};
use ser_syntax::icet::ast::{MessageId, ProcessId, SetId, StmtId, StmtKind};
use std::collections::BTreeSet;

/// A copy of a state costs as much as so many steps.
const COPY: u64 = 20;

/// What is to be reached in a frame.
pub enum Goal<'g, 'p> {
    /// The end of an iteration of the loops of `slots`.
    Iteration {
        /// Whose loops.
        slots: &'g [Slot],
        /// The member that moves on.
        mover: Option<Symbol>,
        /// How the frame began.
        entry: &'g Entry<'p>,
    },
    /// The member has only `rest` to do.
    Turn {
        /// The member.
        symbol: Symbol,
        /// What is left for later.
        rest: &'g Code<'p>,
        /// How the frame began.
        entry: &'g Entry<'p>,
    },
    /// The slot has only `rest` to do.
    Reach {
        /// The slot.
        slot: Slot,
        /// What is left.
        rest: &'g Code<'p>,
    },
    /// Everything is done.
    End,
}

/// Reaches the goal, through all decisions.
pub fn complete<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    goal: &Goal<'_, 'p>,
) -> Result<(), Stuck> {
    context.deeper(|| {
        loop {
            let slot = match pursue(state, context, goal) {
                Err(Stuck { why: Why::Undecided(slot), .. }) => slot,
                other => return other,
            };
            if decide(state, context, goal, slot)? {
                return Ok(());
            }
        }
    })
}

/// Splits the search; true if the goal is reached in all cases, false if the cases agree earlier.
fn decide<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    goal: &Goal<'_, 'p>,
    slot: Slot,
) -> Result<bool, Stuck> {
    let owner = context.process_of(cell_of(slot), state);
    let Some(Item::Statement(stmt)) = state.head(slot) else {
        return Err(Stuck::new(Why::NoRule));
    };
    context.charge(COPY)?;
    let mark = context.fresh();
    let cases = rules::cases(state, context, slot);
    if cases.is_empty() {
        return Err(Stuck::at(Why::Apart, owner, stmt.id));
    }
    if let StmtKind::While { .. } = stmt.kind {
        return Err(Stuck::at(Why::Stateful, owner, stmt.id));
    }
    let mut rest = state.code(slot).cloned().unwrap_or_default();
    rest.pop();
    let soon = Goal::Reach { slot, rest: &rest };
    let mut alike = true;
    let mut arms = Vec::new();
    for case in cases {
        context.charge(COPY)?;
        let mut arm = case.clone();
        match complete(&mut arm, context, &soon) {
            Ok(()) => arms.push(arm),
            Err(_) => {
                alike = false;
                arms.push(case);
            }
        }
    }
    if alike && let Some(joined) = rules::join(state, context, slot, arms.clone(), mark) {
        *state = joined;
        return Ok(false);
    }
    for arm in &mut arms {
        complete(arm, context, goal)?;
    }
    match rules::join(state, context, slot, arms, mark) {
        Some(joined) => *state = joined,
        None => return Err(Stuck::at(Why::Apart, owner, stmt.id)),
    }
    Ok(true)
}

fn pursue<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    goal: &Goal<'_, 'p>,
) -> Result<(), Stuck> {
    match goal {
        Goal::Reach { slot, rest } => reach(state, context, *slot, rest),
        Goal::Turn { symbol, rest, entry } => {
            reach(state, context, Slot::Member(*symbol), rest)?;
            settle(state, context, entry, &[], Some(*symbol))
        }
        Goal::Iteration { slots, mover, entry } => {
            for slot in *slots {
                while state.head(*slot) != Some(Item::Stop) {
                    step(state, context, *slot, &mut Vec::new())?;
                }
            }
            settle(state, context, entry, slots, *mover)
        }
        Goal::End => crate::top::finish(state, context),
    }
}

fn reach<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    rest: &Code<'p>,
) -> Result<(), Stuck> {
    while state.code(slot) != Some(rest) {
        step(state, context, slot, &mut Vec::new())?;
    }
    Ok(())
}

/// One step of a slot, with whatever others have to do before it.
pub fn step<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    waiting: &mut Vec<(Slot, StmtId)>,
) -> Result<(), Stuck> {
    loop {
        let need = match rules::run(state, context, slot) {
            Ok(()) => return Ok(()),
            Err(need) => need,
        };
        let owner = context.process_of(cell_of(slot), state);
        let Some(Item::Statement(stmt)) = state.head(slot) else {
            return Err(match need {
                Need::Never(stuck) => stuck,
                _ => Stuck::new(Why::NoRule),
            });
        };
        let pattern = match &stmt.kind {
            StmtKind::Receive { pattern, .. } => Some(pattern),
            _ => None,
        };
        let stuck = |why: Why| Stuck::at(why, owner, stmt.id);
        if let Some(pattern) = pattern
            && let Some(bag) = rules::bag_for(state, context, slot, stmt.id)
        {
            return rules::draw(state, context, slot, bag, pattern).map_err(stuck);
        }
        match need {
            Need::Never(reason) => return Err(reason),
            Need::Decision => return Err(stuck(Why::Undecided(slot))),
            Need::Unfolded(symbol) => {
                rules::unfold_named(state, context, symbol).map_err(stuck)?;
            }
            Need::Loop => {
                *state = any_loop(state, context, slot)?;
                return Ok(());
            }
            Need::Letter(sender, message) => {
                waiting.push((slot, stmt.id));
                provide(state, context, sender, slot, message, waiting)?;
                waiting.pop();
            }
            Need::Race(set, tag, message) => {
                if state.unfolded(set).is_none() {
                    waiting.push((slot, stmt.id));
                    hurry(state, context, set, waiting)?;
                    waiting.pop();
                }
                let sender = match state.unfolded(set) {
                    Some(symbol) => symbol,
                    None => match rules::unfold_sender(state, context, slot, stmt.id, set, message)
                    {
                        Ok(symbol) => symbol,
                        Err(Need::Never(reason)) => return Err(reason),
                        Err(_) => return Err(stuck(Why::NoRule)),
                    },
                };
                waiting.push((slot, stmt.id));
                provide(state, context, Slot::Member(sender), slot, message, waiting)?;
                waiting.pop();
                let Some(pattern) = pattern else { return Err(stuck(Why::NoRule)) };
                return rules::take(state, context, slot, sender, (set, tag, message), pattern)
                    .map_err(stuck);
            }
        }
    }
}

/// Lets those move for whom messages wait, until a member of `set` is talked to: it may be the one whose message is
/// awaited. Otherwise it could be any.
fn hurry<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    set: SetId,
    waiting: &mut Vec<(Slot, StmtId)>,
) -> Result<(), Stuck> {
    while state.unfolded(set).is_none() {
        let busy = |slot: &Slot| waiting.iter().any(|(other, _)| other == slot);
        let next = state.slots().into_iter().find(|slot| !busy(slot) && inbox(state, *slot));
        let Some(slot) = next else { return Ok(()) };
        let mut attempt = state.clone();
        match step(&mut attempt, context, slot, waiting) {
            Ok(()) => *state = attempt,
            Err(reason) if matches!(reason.why, Why::Undecided(_)) => {
                *state = attempt;
                return Err(reason);
            }
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

/// Lets `sender` move until it has sent what `receiver` waits for.
fn provide<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    sender: Slot,
    receiver: Slot,
    message: MessageId,
    waiting: &mut Vec<(Slot, StmtId)>,
) -> Result<(), Stuck> {
    let channel = (sender, receiver, message);
    let waits = |state: &State<'p>, (slot, stmt): &(Slot, StmtId)| {
        (context.process_of(cell_of(*slot), state), *stmt)
    };
    while !state.has_letter(&channel) {
        if let Some(start) = waiting.iter().position(|(slot, _)| *slot == sender) {
            let circle: Vec<_> = waiting.iter().skip(start).map(|it| waits(state, it)).collect();
            let first = circle.first().copied();
            let (owner, statement) = first.unwrap_or((ProcessId(0), StmtId(0)));
            return Err(Stuck::at(Why::Cycle(circle), owner, statement));
        }
        step(state, context, sender, waiting).map_err(|reason| match reason.why {
            Why::Ended => {
                let (owner, statement) =
                    waiting.last().map(|it| waits(state, it)).unwrap_or((ProcessId(0), StmtId(0)));
                Stuck::at(Why::Blocked { message }, owner, statement)
            }
            _ => reason,
        })?;
    }
    Ok(())
}

/// The loop rule in any of its forms.
pub fn any_loop<'p>(
    state: &State<'p>,
    context: &Context<'p>,
    slot: Slot,
) -> Result<State<'p>, Stuck> {
    let Some((stmt, _, set, _)) = heads(state, slot) else {
        return Err(Stuck::new(Why::NoRule));
    };
    let owner = context.process_of(cell_of(slot), state);
    let draws: BTreeSet<_> = match slot {
        Slot::Process(id) => {
            let mine = state.bags.iter().filter(|(_, sack)| sack.to.0 == id && sack.count == set);
            mine.map(|(bag, _)| *bag).collect()
        }
        Slot::Member(_) => BTreeSet::new(),
    };
    // Loops of others over the same set that might go together with this one.
    let partners: Vec<Slot> = state
        .slots()
        .into_iter()
        .filter(|other| *other != slot)
        .filter(|other| heads(state, *other).is_some_and(|(_, _, their, _)| their == set))
        .collect();
    let mut reasons: Vec<Stuck> = Vec::new();
    let mut spare = None;
    let mut groups = vec![vec![slot]];
    groups.extend(partners.iter().map(|partner| vec![slot, *partner]));
    for slots in groups {
        for moves in [Moves::Nobody, Moves::Named, Moves::Sender] {
            for draws in [draws.clone(), BTreeSet::new()] {
                context.charge(COPY)?;
                let again = draws.is_empty();
                let shape = Shape { slots: slots.clone(), moves, draws };
                match rules::loops(state, context, &shape) {
                    // Leaving messages behind is the last resort.
                    Ok(next) if next.bags.len() > state.bags.len() => {
                        spare.get_or_insert(next);
                    }
                    Ok(next) => return Ok(next),
                    Err(reason) => reasons.push(reason),
                }
                if !context.has_budget() {
                    return Err(Stuck::new(Why::Budget));
                }
                if again {
                    break;
                }
            }
        }
    }
    match spare {
        Some(next) => Ok(next),
        None => {
            Err(crate::top::telling(reasons)
                .unwrap_or_else(|| Stuck::at(Why::NoRule, owner, stmt.id)))
        }
    }
}

/// Brings everybody back to where he was when the frame began, and delivers what can be delivered.
fn settle<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    entry: &Entry<'p>,
    slots: &[Slot],
    mover: Option<Symbol>,
) -> Result<(), Stuck> {
    let is_mover = |slot: Slot| mover.is_some_and(|mover| slot == Slot::Member(mover));
    // Single processes, and members of frames around this one.
    for slot in state.slots() {
        let Some(home) = home(entry, slot) else { continue };
        if slots.contains(&slot) || is_mover(slot) {
            continue;
        }
        while state.code(slot) != Some(&home) {
            back(state, context, slot)?;
        }
    }
    // Members that were unfolded here get their messages; all but the mover come back.
    for symbol in state.members.keys().copied().collect::<Vec<_>>() {
        let slot = Slot::Member(symbol);
        if entry.members.contains_key(&symbol) {
            continue;
        }
        while inbox(state, slot) {
            back(state, context, slot)?;
        }
        if is_mover(slot) {
            while rules::is_local(state, slot) && rules::run(state, context, slot).is_ok() {}
        } else {
            let set = state.set_of(symbol);
            while state.code(slot) != state.sets.get(&set) {
                back(state, context, slot)?;
            }
        }
    }
    // Messages that somebody takes who is at home.
    for slot in state.slots() {
        let Some(home) = home(entry, slot) else { continue };
        if slots.contains(&slot) || !inbox(state, slot) {
            continue;
        }
        let mut attempt = state.clone();
        match deliver(&mut attempt, context, slot, &home) {
            Ok(()) => *state = attempt,
            Err(reason) if matches!(reason.why, Why::Undecided(_)) => {
                *state = attempt;
                return Err(reason);
            }
            Err(reason) => context.not_delivered(reason),
        }
    }
    // Delivering may have moved others.
    let away = |slot: &Slot| {
        !slots.contains(slot)
            && !is_mover(*slot)
            && home(entry, *slot).is_some_and(|home| state.code(*slot) != Some(&home))
    };
    let busy = |slot: &Slot| home(entry, *slot).is_none() && inbox(state, *slot);
    if state.slots().iter().any(|slot| away(slot) || busy(slot)) {
        return context.deeper(|| settle(state, context, entry, slots, mover));
    }
    for symbol in state.members.keys().copied().collect::<Vec<_>>() {
        let slot = Slot::Member(symbol);
        if entry.members.contains_key(&symbol) || is_mover(slot) {
            continue;
        }
        let leaves =
            state.queues.iter().any(|((from, _, _), queue)| *from == slot && !queue.is_empty());
        if !leaves {
            rules::fold(state, context, symbol).map_err(Stuck::new)?;
        }
    }
    Ok(())
}

fn deliver<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    home: &Code<'p>,
) -> Result<(), Stuck> {
    back(state, context, slot)?;
    while inbox(state, slot) || state.code(slot) != Some(home) {
        back(state, context, slot)?;
    }
    Ok(())
}

/// A step on the way back, or the complaint that there is none.
fn back<'p>(state: &mut State<'p>, context: &Context<'p>, slot: Slot) -> Result<(), Stuck> {
    step(state, context, slot, &mut Vec::new()).map_err(|reason| match reason.why {
        Why::Ended => {
            let process = context.process_of(cell_of(slot), state);
            let pending =
                state.queues.iter().find(|((_, to, _), queue)| *to == slot && !queue.is_empty());
            match pending.and_then(|(channel, queue)| Some((channel, queue.front()?))) {
                Some(((from, _, message), letter)) => {
                    let from = context.process_of(cell_of(*from), state);
                    let why =
                        Why::Superfluous { send: letter.tag, message: *message, from, to: process };
                    Stuck::at(why, from, letter.tag)
                }
                None => Stuck::new(Why::NotBack { process }),
            }
        }
        _ => reason,
    })
}

/// Whether messages of this frame wait for the slot.
fn inbox(state: &State<'_>, slot: Slot) -> bool {
    state.queues.iter().any(|(channel, queue)| {
        channel.1 == slot && !queue.is_empty() && !state.frozen.contains(channel)
    })
}

/// The code of a slot when the frame began.
fn home<'p>(entry: &Entry<'p>, slot: Slot) -> Option<Code<'p>> {
    match slot {
        Slot::Process(id) => entry.singles.get(&id).cloned(),
        Slot::Member(symbol) => entry.members.get(&symbol).cloned(),
    }
}
