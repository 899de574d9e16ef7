//! One step of a process, symbolically: from where it stands to its next yield point.
//!
//! The code is run on terms instead of numbers. Where a condition is not known both ways are
//! followed, each with its *path condition*; where they meet again they become one, with choices
//! between the values, so that a sequence of `if`s costs its length and not two to its length.
//! States are taken up in the order of their locations, which makes sure that what can meet does.
//!
//! Two rules keep steps useful for partial orders. Ways that write different variables stay apart:
//! one transition for both would have to write back what it never changed, and so depend on
//! everybody else who uses it. And a `yield` before anything shared was touched is passed: a step
//! of local work commutes with everything, so it may as well happen together with what follows.
//!
//! A loop whose condition is decided by what is known about local variables that it computes ends
//! by itself (a counter does). Any other is *open*: only a bound ends it, and then the step is
//! *cut*.

use super::location::{Location, Loops};
use crate::term::{Interval, Node, Term, Terms};
use ser_base::{Limits, Stop};
use ser_model::{Code, Instr, Liveness, Pc, VariableId};
use ser_syntax::core::{BinaryOp, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};

/// What a step may do: one way through the code, or several that have met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// When this way is taken.
    pub condition: Term,
    /// Where it leads.
    pub to: Location,
    /// The local variables after it.
    pub locals: Vec<Term>,
    /// Half-evaluated expressions after it; the response, if it is complete.
    pub stack: Vec<Term>,
    /// The globals that it looks at.
    pub reads: BTreeSet<VariableId>,
    pub writes: BTreeMap<VariableId, Term>,
}

/// The values that a step starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// Where.
    pub location: Location,
    /// The local variables.
    pub locals: Vec<Term>,
    /// Half-evaluated expressions.
    pub stack: Vec<Term>,
}

/// Where variables come from, and the terms.
pub trait Supply {
    fn terms(&mut self) -> &mut Terms;
    /// The value of a global variable before the step: the same for all ways.
    fn global(&mut self, variable: VariableId) -> Term;
    /// A variable for the choice at this location.
    fn choice(&mut self, location: &Location, interval: Interval) -> Term;
}

/// Why a step cannot be run symbolically.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepError {
    /// A limit.
    Stop(Stop),
    /// Values could become very large here.
    TooLarge(Pc),
    /// Here a request aborts; those that do are not followed.
    Beyond(Pc, &'static str),
}

/// At most so many ways that write different things wait at one location.
const MAX_APART: usize = 8;

/// Loops that seem to end by themselves go round at most so often.
const MAX_CLOSED: u32 = 4096;

/// At most so many pieces of straight code in one step.
const MAX_PIECES: usize = 100_000;

/// What is waiting: where, whether something shared was touched, and what was written.
type Key = (Location, bool, Vec<VariableId>);

/// A state on the way through a step.
#[derive(Clone, Debug)]
struct State {
    condition: Term,
    locals: Vec<Term>,
    /// For each entry, whether it depends on local variables that the loop around it computes.
    stack: Vec<(Term, bool)>,
    reads: BTreeSet<VariableId>,
    writes: BTreeMap<VariableId, Term>,
}

impl State {
    fn touched(&self) -> bool {
        !self.reads.is_empty() || !self.writes.is_empty()
    }

    fn key(&self, location: Location) -> Key {
        (location, self.touched(), self.writes.keys().copied().collect())
    }
}

/// Runs steps of one program.
#[derive(Clone, Copy)]
pub struct Stepper<'a> {
    /// The program.
    pub code: &'a Code,
    pub loops: &'a Loops,
    /// What still matters where.
    pub liveness: &'a Liveness,
    /// When to stop.
    pub limits: &'a Limits,
    /// Open loops go round at most so often.
    pub max_rounds: u32,
    /// Whether processes run on at a `yield`, to their end.
    pub runs_on: bool,
}

impl<'a> Stepper<'a> {
    /// With processes that stop at a `yield`.
    pub fn new(
        code: &'a Code,
        loops: &'a Loops,
        liveness: &'a Liveness,
        limits: &'a Limits,
        max_rounds: u32,
    ) -> Stepper<'a> {
        Stepper { code, loops, liveness, limits, max_rounds, runs_on: false }
    }
}

/// The ways through a step, and whether some were cut because they go round a loop too often.
pub struct Ways {
    /// The ways, sorted by where they lead.
    pub ways: Vec<Way>,
    /// Whether some were not followed to their end.
    pub is_cut: bool,
}

impl Stepper<'_> {
    /// All ways from `start` to the next yield point.
    pub fn step(&self, start: Start, supply: &mut dyn Supply) -> Result<Ways, StepError> {
        let condition = supply.terms().number(1);
        let first = State {
            condition,
            locals: start.locals,
            stack: start.stack.into_iter().map(|term| (term, false)).collect(),
            reads: BTreeSet::new(),
            writes: BTreeMap::new(),
        };
        let mut run = Run {
            stepper: self,
            supply,
            waiting: BTreeMap::new(),
            ended: BTreeMap::new(),
            is_cut: false,
        };
        run.waiting.insert(first.key(start.location), first);
        let mut pieces = 0;
        while let Some(((location, ..), state)) = run.waiting.pop_first() {
            pieces += 1;
            if pieces > MAX_PIECES {
                return Err(StepError::Stop(Stop::States { limit: MAX_PIECES }));
            }
            self.limits.check_clock().map_err(StepError::Stop)?;
            run.piece(location, state)?;
        }
        let way = |((to, ..), state): (Key, State)| Way {
            condition: state.condition,
            to,
            locals: state.locals,
            stack: state.stack.into_iter().map(|(term, _)| term).collect(),
            reads: state.reads,
            writes: state.writes,
        };
        Ok(Ways { ways: run.ended.into_iter().map(way).collect(), is_cut: run.is_cut })
    }

    /// Where a process is that yields before `location`: moves over instructions that only shuffle
    /// constants, as the machine does, so that the end of a loop's body and its head are one place.
    fn settle(
        &self,
        mut location: Location,
        stack: &mut Vec<(Term, bool)>,
        terms: &mut Terms,
    ) -> Location {
        for _ in 0..self.code.instrs.len() {
            let Some(pc) = location.pc else { break };
            location = match self.code.instrs[pc as usize] {
                Instr::Push(value) => {
                    stack.push((terms.number(value), false));
                    self.loops.at(pc + 1, &location, false)
                }
                Instr::Pop => {
                    stack.pop();
                    self.loops.at(pc + 1, &location, false)
                }
                Instr::Jump(target) => self.loops.at(target, &location, target <= pc),
                _ => break,
            };
        }
        location
    }
}

/// One step under way.
struct Run<'a, 's> {
    stepper: &'a Stepper<'a>,
    supply: &'s mut dyn Supply,
    waiting: BTreeMap<Key, State>,
    ended: BTreeMap<Key, State>,
    is_cut: bool,
}

impl Run<'_, '_> {
    /// Straight code from a location to the next one where ways may meet or part.
    fn piece(&mut self, mut location: Location, mut state: State) -> Result<(), StepError> {
        let (code, loops) = (self.stepper.code, self.stepper.loops);
        loop {
            let Some(pc) = location.pc else { return Ok(()) };
            let pop = |state: &mut State, terms: &mut Terms| {
                // The code keeps its stack balanced.
                state.stack.pop().unwrap_or_else(|| (terms.number(0), false))
            };
            match code.instrs[pc as usize] {
                Instr::Push(value) => {
                    let term = self.supply.terms().number(value);
                    state.stack.push((term, false));
                }
                Instr::Pop => {
                    state.stack.pop();
                }
                Instr::LoadLocal(slot) => {
                    let counts = loops.computes(pc, slot);
                    state.stack.push((state.locals[slot as usize], counts));
                }
                Instr::StoreLocal(slot) => {
                    if let Some((top, _)) = state.stack.last() {
                        state.locals[slot as usize] = *top;
                    }
                }
                Instr::LoadGlobal(variable) => {
                    let term = self.read(&mut state, variable);
                    state.stack.push((term, false));
                }
                Instr::StoreGlobal(variable) => {
                    if let Some((top, _)) = state.stack.last() {
                        state.writes.insert(variable, *top);
                    }
                }
                Instr::Unary(op) => {
                    let terms = self.supply.terms();
                    let (operand, known) = pop(&mut state, terms);
                    state.stack.push((terms.unary(op, operand), known));
                }
                Instr::Binary(op) => {
                    let terms = self.supply.terms();
                    let (right, knows_right) = pop(&mut state, terms);
                    let (left, knows_left) = pop(&mut state, terms);
                    state.stack.push((terms.binary(op, left, right), knows_left || knows_right));
                }
                Instr::Choose(low, high) => {
                    let term = self.supply.choice(&location, Interval::new(low, high));
                    state.stack.push((term, false));
                }
                Instr::Jump(target) => {
                    self.wait(loops.at(target, &location, target <= pc), state);
                    return Ok(());
                }
                Instr::JumpIfZero(target) => {
                    let (term, known) = pop(&mut state, self.supply.terms());
                    self.part(location, target, (term, known), state);
                    return Ok(());
                }
                Instr::Assume => {
                    let terms = self.supply.terms();
                    let (term, _) = pop(&mut state, terms);
                    state.condition = terms.and(state.condition, term);
                    if terms.constant(state.condition) == Some(0) {
                        return Ok(());
                    }
                    state.stack.push((terms.number(0), false));
                }
                Instr::Yield => {
                    let terms = self.supply.terms();
                    state.stack.push((terms.number(0), false));
                    let next = loops.at(pc + 1, &location, false);
                    if state.touched() && !self.stepper.runs_on {
                        let to = self.stepper.settle(next, &mut state.stack, terms);
                        self.forget(&to, &mut state);
                        let key = state.key(to);
                        self.arrive(key, state, true);
                    } else {
                        self.wait(next, state);
                    }
                    return Ok(());
                }
                Instr::Abort => return Err(StepError::Beyond(pc, "`abort`")),
                Instr::Fail(_) => return Ok(()),
                Instr::Drop(count) => {
                    let top = pop(&mut state, self.supply.terms());
                    let left = state.stack.len().saturating_sub(count as usize);
                    state.stack.truncate(left);
                    state.stack.push(top);
                }
                Instr::Return(shape) if code.shapes[shape as usize].width() != 1 => {
                    return Err(StepError::Beyond(pc, "a response of several values"));
                }
                Instr::Return(_) => {
                    let (response, _) = pop(&mut state, self.supply.terms());
                    state.locals.clear();
                    state.stack = vec![(response, false)];
                    let key = state.key(Location::END);
                    self.arrive(key, state, true);
                    return Ok(());
                }
            }
            if self.supply.terms().too_large() {
                return Err(StepError::TooLarge(pc));
            }
            location = loops.at(pc + 1, &location, false);
            if location.pc.is_some_and(|pc| code.is_join[pc as usize]) {
                self.wait(location, state);
                return Ok(());
            }
        }
    }

    /// The value of a global variable at this point of the step.
    fn read(&mut self, state: &mut State, variable: VariableId) -> Term {
        if let Some(term) = state.writes.get(&variable) {
            return *term;
        }
        state.reads.insert(variable);
        self.supply.global(variable)
    }

    /// Both ways of a conditional jump, as far as they are possible.
    fn part(&mut self, location: Location, target: Pc, condition: (Term, bool), state: State) {
        let (condition, known) = condition;
        let loops = self.stepper.loops;
        let Some(pc) = location.pc else { return };
        let terms = self.supply.terms();
        let decided = terms.constant(condition);
        let not = terms.not(condition);
        if decided.is_none_or(|value| value == 0) {
            let mut jumps = state.clone();
            jumps.condition = terms.and(state.condition, not);
            self.wait(loops.at(target, &location, target <= pc), jumps);
        }
        if decided.is_none_or(|value| value != 0) {
            if let Some(last) = loops.left_by(pc, target) {
                let round = location.rounds.iter().find(|r| r.last == last).map_or(0, |r| r.round);
                let ends_by_itself = decided.is_some() && known;
                let max = if ends_by_itself { MAX_CLOSED } else { self.stepper.max_rounds };
                if round >= max {
                    self.is_cut = true;
                    return;
                }
            }
            let mut goes_on = state;
            goes_on.condition = self.supply.terms().and(goes_on.condition, condition);
            self.wait(loops.at(pc + 1, &location, false), goes_on);
        }
    }

    fn wait(&mut self, location: Location, state: State) {
        if self.supply.terms().constant(state.condition) != Some(0) {
            let key = state.key(location);
            self.arrive(key, state, false);
        }
    }

    /// Variables that do not matter any more are 0.
    fn forget(&mut self, location: &Location, state: &mut State) {
        let Some(pc) = location.pc else { return };
        let zero = self.supply.terms().number(0);
        for (slot, value) in state.locals.iter_mut().enumerate() {
            if !self.stepper.liveness.is_live(pc, slot) {
                *value = zero;
            }
        }
    }

    /// Adds a state to those at the same location.
    fn arrive(&mut self, mut key: Key, mut state: State, ends: bool) {
        let table =
            |run: &mut Self| std::mem::take(if ends { &mut run.ended } else { &mut run.waiting });
        let mut all = table(self);
        if !all.contains_key(&key) {
            let here: Vec<Key> =
                all.keys().filter(|k| k.0 == key.0 && k.1 == key.1).cloned().collect();
            if here.len() >= MAX_APART {
                // Too many: from here on they write everything that one of them writes.
                for other in here {
                    if let Some(other) = all.remove(&other) {
                        state = self.meet(other, state);
                    }
                }
                key = state.key(key.0);
            }
        }
        let state = match all.remove(&key) {
            Some(other) => self.meet(other, state),
            None => state,
        };
        all.insert(key, state);
        *(if ends { &mut self.ended } else { &mut self.waiting }) = all;
    }

    /// Two states at one location become one.
    fn meet(&mut self, mut first: State, mut second: State) -> State {
        let written: BTreeSet<VariableId> =
            first.writes.keys().chain(second.writes.keys()).copied().collect();
        for variable in written {
            for state in [&mut first, &mut second] {
                if !state.writes.contains_key(&variable) {
                    let old = self.read(state, variable);
                    state.writes.insert(variable, old);
                }
            }
        }
        let terms = self.supply.terms();
        let (condition, is_first) = common(first.condition, second.condition, terms);
        let mut choose = |a: Term, b: Term| terms.choice(is_first, a, b);
        let locals = first.locals.iter().zip(&second.locals).map(|(a, b)| choose(*a, *b)).collect();
        let stack = first.stack.iter().zip(&second.stack);
        let stack =
            stack.map(|((a, known), (b, knows))| (choose(*a, *b), *known || *knows)).collect();
        let writes = first.writes.iter().zip(second.writes.values());
        let writes = writes.map(|((variable, a), b)| (*variable, choose(*a, *b))).collect();
        let reads = first.reads.union(&second.reads).copied().collect();
        State { condition, locals, stack, reads, writes }
    }
}

/// The condition of either way, and one that tells the first from the second. Most ways part at one
/// condition and meet again: then what is left is what held before.
fn common(first: Term, second: Term, terms: &mut Terms) -> (Term, Term) {
    let sides = |term: Term, terms: &Terms| match terms.node(term) {
        Node::Binary(BinaryOp::And, left, right) => vec![(left, right), (right, left)],
        _ => Vec::new(),
    };
    let yes = terms.number(1);
    let mut pairs = vec![(yes, first)];
    pairs.extend(sides(first, terms));
    let mut others = vec![(yes, second)];
    others.extend(sides(second, terms));
    for (rest, condition) in &pairs {
        for (other_rest, other) in &others {
            let not = terms.unary(UnaryOp::Not, *condition);
            if rest == other_rest && not == *other {
                return (*rest, *condition);
            }
            let not = terms.unary(UnaryOp::Not, *other);
            if rest == other_rest && not == *condition {
                return (*rest, *condition);
            }
        }
    }
    (terms.binary(BinaryOp::Or, first, second), first)
}
