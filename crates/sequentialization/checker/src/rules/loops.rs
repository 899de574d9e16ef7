//! `Loop`: `for` loops of one or more slots over one set, iteration by iteration together.
//!
//! The loops run equally often, so the first iterations of all of them may be derived together,
//! then the second ones, and so on: one derivation holds for each. Members that move on do so once
//! each: the one that the loop variable names, or the one that sends the message that is received
//! (who cannot have moved on before, as those who have cannot send such a message again).
//!
//! A message that every iteration leaves behind is in flight in all later ones. Nobody there may
//! receive messages of its kind, or an older one would come first.

use crate::code::Item;
use crate::derivation::{Advance, Bag, Leave, Loop, Slot, Symbol};
use crate::kernel::{Context, Frame, FrameKind, Kernel};
use crate::rejection::{Reason, Rejection};
use crate::rules::frame::{Round, enter, leave, moved, unchanged};
use crate::sequential::{Place, Sequential, Term};
use crate::state::{BagState, State};
use crate::value::{ToMany, Value};
use ser_syntax::icet::ast::{SetId, SetKind, Stmt, StmtId, StmtKind, VarId};
use std::collections::BTreeSet;

/// A slot's `for`.
struct For<'p> {
    slot: Slot,
    statement: StmtId,
    variable: VarId,
    body: &'p [Stmt],
}

impl Context<'_, '_> {
    /// [`Step::Loop`](crate::Step::Loop).
    pub(crate) fn run_loop(&mut self, it: &Loop) -> Result<(), Rejection> {
        let iteration = enter_loop(self.kernel, self.frame, self.state, it)?;
        let mut end = iteration.round.first.clone();
        self.kernel.steps(&iteration.round.frame, &mut end, &it.steps)?;
        *self.state = leave_loop(self.kernel, self.state, &iteration, end, it)?;
        Ok(())
    }
}

/// One iteration.
pub struct Iteration<'p, 'f> {
    loops: Vec<For<'p>>,
    lead: Symbol,
    pub round: Round<'p, 'f>,
}

/// The start of an iteration.
pub fn enter_loop<'p, 'f>(
    kernel: &mut Kernel<'p>,
    outer: &'f Frame<'f>,
    state: &State<'p>,
    it: &Loop,
) -> Result<Iteration<'p, 'f>, Reason> {
    let (set, loops) = shape(kernel, outer, state, it)?;
    let named = *it.symbols.first().ok_or(Reason::LoopShape)?;
    let (slots, draws) = (it.slots.clone(), it.draws.clone());
    let kind = FrameKind::Loop { set, slots, first: named, advance: it.advance, draws };
    let symbols = it.symbols.iter().copied().collect();
    let mut round = enter(kernel, outer, state, (set, kind), symbols, &it.havoc)?;
    let first = &mut round.first;
    let lead = match it.advance {
        Advance::Sender(symbol) => symbol,
        Advance::Named | Advance::Nobody => named,
    };
    let is_processes = kernel.protocol.set(set).kind == SetKind::Processes;
    if is_processes {
        let others = it.symbols.iter().filter(|symbol| **symbol != lead);
        first.program.extend(others.map(|symbol| Sequential::Pick { symbol: *symbol, set }));
    }
    for (own, symbol) in loops.iter().zip(&it.symbols) {
        let code = &mut first.actor_mut(own.slot)?.code;
        code.push(Item::Stop);
        code.enter(own.body);
        let (value, term) = (Value::Member(*symbol), Term::Symbol(*symbol));
        first.assign_term(own.slot, own.variable, value, term, own.statement)?;
    }
    Ok(Iteration { loops, lead, round })
}

/// The state after all iterations, each of which ends in `end`.
pub fn leave_loop<'p>(
    kernel: &mut Kernel<'p>,
    state: &State<'p>,
    iteration: &Iteration<'p, '_>,
    mut end: State<'p>,
    it: &Loop,
) -> Result<State<'p>, Reason> {
    let Iteration { loops, lead, round } = iteration;
    for own in loops {
        let name = kernel.name(&end, own.slot);
        let code = &mut end.actor_mut(own.slot)?.code;
        if !matches!(code.first(), Some(Item::Stop)) {
            return Err(Reason::Iteration { who: name });
        }
        code.advance();
    }
    let mover = round.frame.moves_on();
    let moving = mover.map(|it| moved(kernel, state, &mut end, round, it)).transpose()?;
    let bags = leaves(kernel, round, state, &mut end, it)?;
    unchanged(kernel, &round.start, &end, &it.havoc)?;
    if end.drawn != it.draws.iter().copied().collect() {
        return Err(Reason::Drawn);
    }
    let body = std::mem::take(&mut end.program);
    let mut after = leave(kernel, state, end, &it.havoc, moving)?;
    for own in loops {
        let actor = after.actor_mut(own.slot)?;
        actor.code.advance();
        actor.store.variables.remove(&own.variable);
    }
    for bag in &it.draws {
        after.bags.remove(bag);
    }
    after.bags.extend(bags);
    after.program.push(Sequential::For { symbol: *lead, set: round.set, body });
    Ok(after)
}

/// Whether the loop is well formed: its set and the loops of its slots.
fn shape<'p>(
    kernel: &Kernel<'p>,
    frame: &Frame<'_>,
    state: &State<'p>,
    it: &Loop,
) -> Result<(SetId, Vec<For<'p>>), Reason> {
    let mut loops = Vec::new();
    let mut sets = BTreeSet::new();
    for slot in &it.slots {
        let statement = state.actor(*slot)?.code.statement().ok_or(Reason::NothingLeft)?;
        let StmtKind::For { variable, set, body } = &statement.kind else {
            return Err(Reason::WrongStatement { found: "which is not a `for`".to_owned() });
        };
        sets.insert(*set);
        let (slot, statement, variable) = (*slot, statement.id, *variable);
        loops.push(For { slot, statement, variable, body });
    }
    let mut over = sets.into_iter();
    let (Some(set), None) = (over.next(), over.next()) else { return Err(Reason::LoopSets) };
    let slots: BTreeSet<_> = it.slots.iter().collect();
    let symbols: BTreeSet<_> = it.symbols.iter().collect();
    let is_processes = kernel.protocol.set(set).kind == SetKind::Processes;
    let different = if is_processes { it.slots.len() } else { 1 };
    if slots.len() != it.slots.len()
        || it.symbols.len() != it.slots.len()
        || symbols.len() != different
    {
        return Err(Reason::LoopShape);
    }
    if it.advance != Advance::Nobody {
        if !is_processes {
            return Err(Reason::AdvanceOfIndices);
        }
        state.is_whole(set)?;
    }
    if matches!(it.advance, Advance::Sender(symbol) if symbols.contains(&symbol)) {
        return Err(Reason::LoopShape);
    }
    for bag in &it.draws {
        if state.bags.get(bag).is_none_or(|bag| bag.count != set) {
            return Err(Reason::NoBag);
        }
    }
    if !it.leaves.is_empty() && frame.outer.is_some() {
        return Err(Reason::LeavesInside);
    }
    Ok((set, loops))
}

/// Messages that every iteration leaves behind: they are taken out of their queues, and are in bags
/// afterwards.
fn leaves<'p>(
    kernel: &mut Kernel<'p>,
    round: &Round<'p, '_>,
    before: &State<'p>,
    end: &mut State<'p>,
    it: &Loop,
) -> Result<Vec<(Bag, BagState)>, Reason> {
    let mut bags: Vec<(Bag, BagState)> = Vec::new();
    for leave in &it.leaves {
        let bag = one_leave(kernel, round, before, end, leave)?;
        let same = |other: &BagState| {
            other.sender == bag.sender
                && other.receiver == bag.receiver
                && other.message == bag.message
        };
        if end.bags.values().any(same) || bags.iter().any(|(_, other)| same(other)) {
            return Err(Reason::BagInTheWay);
        }
        if !end.used_bags.insert(leave.bag) {
            return Err(Reason::UsedBag { bag: leave.bag.0 });
        }
        bags.push((leave.bag, bag));
    }
    for leave in &it.leaves {
        let Slot::Member(symbol) = leave.from else { continue };
        if !it.slots.contains(&leave.from) && end.actors.contains_key(&leave.from) {
            Context { kernel, frame: &round.frame, state: end }.fold(symbol)?;
        }
    }
    Ok(bags)
}

fn one_leave<'p>(
    kernel: &mut Kernel<'p>,
    round: &Round<'p, '_>,
    before: &State<'p>,
    end: &mut State<'p>,
    leave: &Leave,
) -> Result<BagState, Reason> {
    let message = ser_syntax::icet::ast::MessageId(leave.message);
    let channel = (leave.from, Slot::Process(leave.to), message);
    let sender = end.actor(leave.from)?.process;
    let receiver = end.actor(Slot::Process(leave.to))?.process;
    if before.queues.contains_key(&channel) {
        return Err(Reason::Frozen);
    }
    if end.received.contains(&(Slot::Process(leave.to), sender, message)) {
        return Err(Reason::LeavesReceived);
    }
    let mut queue = end.queues.remove(&channel).ok_or(Reason::LeavesCount)?;
    let (Some(left), true) = (queue.pop(), queue.is_empty()) else {
        return Err(Reason::LeavesCount);
    };
    let known = |symbol| before.symbols.contains_key(&symbol);
    let mut many = ToMany::new(&mut kernel.numbers, None, round.since, &known);
    let value = left.value.rewrite(&mut many);
    let put = Term::Place(Place::Ghost(leave.from, left.ghost));
    end.program.push(Sequential::Put { bag: leave.bag, value: put });
    Ok(BagState { tag: left.tag, sender, receiver, message, count: round.set, value })
}
