//! Big steps: what one request may do from its start or a `yield` to the next `yield` or its end.
//!
//! A depth-first search through every nondeterministic choice. Paths that meet in the same
//! machine state are followed once, which also ends loops that come back to where they were: a
//! big step that runs forever without yielding contributes nothing.
//!
//! The values of global variables are asked for only when the code reads them, and each path
//! remembers what it asked and what it wrote: that is the footprint of the step.

use super::code::{Code, Instr, Pc};
use super::liveness::Liveness;
use super::value::Value;
use crate::{Footprint, VariableId};
use rustc_hash::FxHashSet;
use ser_base::{Limits, Stop};

/// The most instructions in one big step, if nothing else is said.
const MAX_INSTRUCTIONS: usize = 5_000_000;

/// Where a request stands between two steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Continuation<V = i64> {
    /// At a `yield`, or before its first step.
    Yielded { pc: Pc, locals: Box<[V]>, stack: Box<[V]> },
    /// Complete, with a response of these values, written in this shape.
    Done { shape: u32, values: Box<[V]> },
    /// Complete, without a response that counts.
    Aborted,
    /// This one of [`Code::faults`] has come true; only where that is asked.
    Failed(u32),
}

/// What a path read first and wrote last, by variable.
type Touched<V> = Vec<(VariableId, V)>;

/// One way through a big step.
#[derive(Clone, Debug)]
pub(crate) struct Outcome<V = i64> {
    pub reads: Touched<V>,
    pub writes: Touched<V>,
    pub to: Continuation<V>,
    /// Where the source goes on, for people: `to` may have gone over constants already.
    pub resume: Pc,
    /// Every instruction executed, with the top of the stack after it; only if asked for.
    pub trail: Vec<(Pc, V)>,
}

impl Outcome {
    /// What the path read and wrote.
    pub fn footprint(self) -> Footprint {
        Footprint { reads: self.reads, writes: self.writes }
    }
}

/// Why a big step has no meaning here.
#[derive(Clone, Debug)]
pub(crate) enum StepError {
    /// A value outside of 64 bits.
    Overflow { pc: Pc },
    /// Too many instructions without a `yield`; the first of the states passed.
    Endless { pc: Pc, seen: Vec<Machine> },
    /// A limit.
    Stop(Stop),
}

/// The state of one path.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Machine<V = i64> {
    pub pc: Pc,
    pub locals: Vec<V>,
    pub stack: Vec<V>,
    /// Sorted by variable.
    pub reads: Touched<V>,
    /// Sorted by variable.
    pub writes: Touched<V>,
}

impl<V: Value> Machine<V> {
    fn pop(&mut self) -> V {
        // The code keeps its stack balanced, so 0 is never seen.
        self.stack.pop().unwrap_or(V::of(0))
    }

    fn top(&self) -> V {
        self.stack.last().copied().unwrap_or(V::of(0))
    }

    /// The same with 0 where the number is not known: for messages.
    fn numbers(&self) -> Machine {
        let number = |value: &V| value.number().unwrap_or(0);
        let touched = |list: &Touched<V>| list.iter().map(|(v, x)| (*v, number(x))).collect();
        Machine {
            pc: self.pc,
            locals: self.locals.iter().map(number).collect(),
            stack: self.stack.iter().map(number).collect(),
            reads: touched(&self.reads),
            writes: touched(&self.writes),
        }
    }
}

fn lookup<V: Value>(list: &[(VariableId, V)], variable: VariableId) -> Result<V, usize> {
    list.binary_search_by_key(&variable, |(v, _)| *v).map(|at| list[at].1)
}

/// Runs big steps of one program.
pub(crate) struct Runner<'a> {
    pub code: &'a Code,
    pub liveness: &'a Liveness,
    pub limits: &'a Limits,
    /// Whether outcomes carry their trail.
    pub with_trail: bool,
    /// The most instructions in one big step.
    pub max_instructions: usize,
    /// For each place with a `yield`: has it been executed?
    pub yields_reached: Vec<bool>,
}

impl<'a> Runner<'a> {
    pub fn new(code: &'a Code, liveness: &'a Liveness, limits: &'a Limits) -> Runner<'a> {
        Runner {
            code,
            liveness,
            limits,
            with_trail: false,
            max_instructions: MAX_INSTRUCTIONS,
            yields_reached: vec![false; code.instrs.len()],
        }
    }

    /// All outcomes of one big step from `start`. `global` gives the values of the globals.
    pub fn big_step<V: Value>(
        &mut self,
        start: &Continuation<V>,
        mut global: impl FnMut(VariableId) -> V,
    ) -> Result<Vec<Outcome<V>>, StepError> {
        let Continuation::Yielded { pc, locals, stack } = start else {
            return Ok(Vec::new());
        };
        let first = Machine {
            pc: *pc,
            locals: locals.to_vec(),
            stack: stack.to_vec(),
            reads: Vec::new(),
            writes: Vec::new(),
        };
        let mut open = vec![(first, Vec::new())];
        let mut seen: FxHashSet<Machine<V>> = FxHashSet::default();
        let mut first_seen: Vec<Machine<V>> = Vec::new();
        let mut outcomes = Vec::new();
        let mut executed = 0usize;
        let size = size_of::<Machine<V>>() + (locals.len() + stack.len()) * size_of::<V>() + 64;

        'paths: while let Some((mut m, mut trail)) = open.pop() {
            loop {
                if self.code.is_join[m.pc as usize] {
                    if seen.len() == seen.capacity() {
                        // The table is about to be copied into one of twice the size.
                        let bytes = 2 * seen.capacity() * size_of::<Machine<V>>();
                        self.limits.check_room(bytes).map_err(StepError::Stop)?;
                    }
                    if !seen.insert(m.clone()) {
                        continue 'paths;
                    }
                    if first_seen.len() < 1000 {
                        first_seen.push(m.clone());
                    }
                }
                executed += 1;
                if executed.is_multiple_of(1 << 12) {
                    let bytes = (seen.len() + open.len()) * size;
                    self.limits.check(0, bytes).map_err(StepError::Stop)?;
                }
                if executed > self.max_instructions {
                    let seen = first_seen.iter().map(Machine::numbers).collect();
                    return Err(StepError::Endless { pc: m.pc, seen });
                }
                let pc = m.pc;
                m.pc += 1;
                match self.code.instrs[pc as usize] {
                    Instr::Push(value) => m.stack.push(V::of(value)),
                    Instr::Pop => {
                        m.pop();
                    }
                    Instr::LoadLocal(slot) => {
                        let value = m.locals[slot as usize];
                        m.stack.push(value);
                    }
                    Instr::StoreLocal(slot) => m.locals[slot as usize] = m.top(),
                    Instr::LoadGlobal(variable) => {
                        let value = match lookup(&m.writes, variable) {
                            Ok(value) => value,
                            Err(_) => match lookup(&m.reads, variable) {
                                Ok(value) => value,
                                Err(at) => {
                                    let value = global(variable);
                                    m.reads.insert(at, (variable, value));
                                    value
                                }
                            },
                        };
                        m.stack.push(value);
                    }
                    Instr::StoreGlobal(variable) => {
                        let value = m.top();
                        match m.writes.binary_search_by_key(&variable, |(v, _)| *v) {
                            Ok(at) => m.writes[at].1 = value,
                            Err(at) => m.writes.insert(at, (variable, value)),
                        }
                    }
                    Instr::Unary(op) => {
                        let operand = m.pop();
                        let value = operand.unary(op).ok_or(StepError::Overflow { pc })?;
                        m.stack.push(value);
                    }
                    Instr::Binary(op) => {
                        let (right, left) = (m.pop(), m.pop());
                        let value = left.binary(op, right).ok_or(StepError::Overflow { pc })?;
                        m.stack.push(value);
                    }
                    Instr::Choose(low, high) => {
                        // The last choice goes on here; the others wait, smallest on top.
                        for value in (low..high).rev() {
                            let (mut other, mut trail) = (m.clone(), trail.clone());
                            other.stack.push(V::of(value));
                            self.record(&mut trail, pc, &other);
                            open.push((other, trail));
                        }
                        m.stack.push(V::of(high));
                    }
                    Instr::Jump(target) => m.pc = target,
                    Instr::JumpIfZero(target) => match m.pop().number() {
                        Some(0) => m.pc = target,
                        Some(_) => {}
                        None => {
                            let (mut other, mut trail) = (m.clone(), trail.clone());
                            other.pc = target;
                            self.record(&mut trail, pc, &other);
                            open.push((other, trail));
                        }
                    },
                    Instr::Assume => {
                        if m.pop().number() == Some(0) {
                            continue 'paths;
                        }
                        m.stack.push(V::of(0));
                    }
                    // As if nobody could have got here, unless that is what is asked.
                    Instr::Fail(fault) => {
                        if self.code.keeps_failures {
                            let (reads, to) = (m.reads, Continuation::Failed(fault));
                            let writes = Vec::new();
                            outcomes.push(Outcome { reads, writes, to, resume: pc, trail });
                        }
                        continue 'paths;
                    }
                    Instr::Drop(count) => {
                        let top = m.pop();
                        m.stack.truncate(m.stack.len().saturating_sub(count as usize));
                        m.stack.push(top);
                    }
                    Instr::Yield => {
                        self.record(&mut trail, pc, &m);
                        self.yields_reached[pc as usize] = true;
                        m.stack.push(V::of(0));
                        let (reads, writes) = (m.reads, m.writes);
                        let resume = self.resume(m.pc);
                        let to = self.yielded(m.pc, m.locals, m.stack);
                        outcomes.push(Outcome { reads, writes, to, resume, trail });
                        continue 'paths;
                    }
                    Instr::Return(_) | Instr::Abort => {
                        self.record(&mut trail, pc, &m);
                        let to = match self.code.instrs[pc as usize] {
                            Instr::Return(shape) => {
                                let width = self.code.shapes[shape as usize].width();
                                let values = m.stack.split_off(m.stack.len().saturating_sub(width));
                                Continuation::Done { shape, values: values.into() }
                            }
                            _ => Continuation::Aborted,
                        };
                        let (reads, writes) = (m.reads, m.writes);
                        outcomes.push(Outcome { reads, writes, to, resume: pc, trail });
                        continue 'paths;
                    }
                }
                self.record(&mut trail, pc, &m);
            }
        }
        Ok(outcomes)
    }

    fn record<V: Value>(&self, trail: &mut Vec<(Pc, V)>, pc: Pc, m: &Machine<V>) {
        if self.with_trail {
            trail.push((pc, m.top()));
        }
    }

    /// The first instruction from `pc` on that a person would call the next one.
    pub fn resume(&self, mut pc: Pc) -> Pc {
        for _ in 0..self.code.instrs.len() {
            match self.code.instrs[pc as usize] {
                Instr::Pop => pc += 1,
                Instr::Jump(target) => pc = target,
                _ => break,
            }
        }
        pc
    }

    /// The canonical form of a request that yields before `pc`: moves over instructions that
    /// only shuffle constants, so that for example the end of a loop's body and the loop's head
    /// are one place, and forgets dead variables.
    pub fn yielded<V: Value>(
        &self,
        mut pc: Pc,
        mut locals: Vec<V>,
        mut stack: Vec<V>,
    ) -> Continuation<V> {
        for _ in 0..self.code.instrs.len() {
            match self.code.instrs[pc as usize] {
                Instr::Push(value) => stack.push(V::of(value)),
                Instr::Pop => {
                    stack.pop();
                }
                Instr::Jump(target) => {
                    pc = target;
                    continue;
                }
                _ => break,
            }
            pc += 1;
        }
        for (slot, value) in locals.iter_mut().enumerate() {
            if !self.liveness.is_live(pc, slot) {
                *value = V::of(0);
            }
        }
        Continuation::Yielded { pc, locals: locals.into(), stack: stack.into() }
    }
}
