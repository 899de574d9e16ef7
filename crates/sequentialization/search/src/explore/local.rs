//! What one process can do next, computed once for each of its local states.
//!
//! A local state is a place in the code, the progress of its `for` loops and the values of its
//! variables. It is *settled*: steps that are the process's own business and leave no choice have
//! been taken (at most [`SETTLE`] of them, should they never end). Every step is counted, so that
//! runs can list them all.

use super::code::{Code, END, Operation, Pc};
use super::value::{Domain, Scope, Unclear, address, evaluate, truth, type_of};
use rustc_hash::FxHashMap;
use ser_sequentialization_checker::run::{Actor, Choice, Value};
use ser_syntax::icet::ast::{
    MessageId, Pattern, Process, ProcessId, SetId, SetKind, Source, StmtId, VarId,
};
use std::rc::Rc;

/// How many steps without choice are taken at once at most.
const SETTLE: u32 = 512;

/// A local state: its number among those of one actor.
pub(crate) type LocalId = u32;

/// The state of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Local {
    pc: Pc,
    failed: bool,
    /// For each `for`: over processes the set of those visited, over indices the next one.
    progress: Box<[u32]>,
    /// The values of the variables.
    pub(crate) values: Box<[Option<Value>]>,
}

/// How a process goes on.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    /// It has ended.
    Ended,
    /// It has failed.
    Failed,
    /// It waits forever: `pick` from an empty set.
    Stuck,
    /// Nobody knows: see [`Unclear`].
    Unclear,
    /// It does something of its own.
    Local(Vec<Outcome>),
    /// It sends.
    Send { to: Actor, message: MessageId, value: Value, outcome: Outcome },
    /// It waits for a message.
    Receive { message: MessageId, from: Senders },
}

/// From whom a message is taken.
#[derive(Clone, Debug)]
pub(crate) enum Senders {
    One(Actor),
    /// From any member of the process.
    Set(ProcessId),
    Anyone,
}

/// What one step, and those without choice that follow it, lead to.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// What was chosen in the first step.
    pub(crate) choice: Option<Choice>,
    /// How many steps there are, with the first.
    pub(crate) steps: u32,
    /// The state afterwards.
    pub(crate) to: LocalId,
    /// The statement that failed in the last of the steps, if it did.
    pub(crate) failed: Option<StmtId>,
}

/// All local states of one actor that were met, and how each goes on.
pub(crate) struct Locals<'p> {
    process: &'p Process,
    code: Rc<Code<'p>>,
    domain: Rc<Domain<'p>>,
    actor: Actor,
    states: Vec<Local>,
    numbers: FxHashMap<Local, LocalId>,
    nexts: Vec<Option<Rc<Next>>>,
    received: FxHashMap<(LocalId, u32), Outcome>,
}

impl Local {
    /// Whether the process has failed.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Whether nothing is left of its code, and it has not failed.
    pub(crate) fn ended(&self) -> bool {
        self.pc == END && !self.failed
    }
}

impl Scope for (&Local, Actor) {
    fn variable(&self, variable: VarId) -> Option<&Value> {
        self.0.values.get(variable.0 as usize).and_then(Option::as_ref)
    }
    fn me(&self) -> Actor {
        self.1
    }
}

/// What happens to the local state in one step.
enum Moved {
    /// It leaves no choice and concerns nobody else.
    On,
    /// The process failed, at this statement.
    Failed(Option<StmtId>),
    /// Something else: the state has not changed.
    No,
}

impl<'p> Locals<'p> {
    /// The states of an actor, none met yet.
    pub(crate) fn new(
        process: &'p Process,
        code: Rc<Code<'p>>,
        domain: Rc<Domain<'p>>,
        actor: Actor,
    ) -> Locals<'p> {
        Locals {
            process,
            code,
            domain,
            actor,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            nexts: Vec::new(),
            received: FxHashMap::default(),
        }
    }

    /// The state at the start, settled (`steps` counts only what settling took).
    pub(crate) fn start(&mut self) -> Outcome {
        let local = Local {
            pc: self.code.start,
            failed: false,
            progress: vec![0; self.code.loops].into(),
            values: vec![None; self.process.variables.len()].into(),
        };
        self.settle(local, None, 0, None)
    }

    /// A state by its number.
    pub(crate) fn state(&self, id: LocalId) -> &Local {
        &self.states[id as usize]
    }

    /// How a state goes on.
    pub(crate) fn next(&mut self, id: LocalId) -> Rc<Next> {
        if let Some(next) = &self.nexts[id as usize] {
            return Rc::clone(next);
        }
        let local = self.states[id as usize].clone();
        let next = Rc::new(self.compute(local).unwrap_or(Next::Unclear));
        self.nexts[id as usize] = Some(Rc::clone(&next));
        next
    }

    /// What a message leads to in a state that waits for it (the choice is left to the caller).
    pub(crate) fn receive(&mut self, id: LocalId, number: u32, value: &Value) -> Outcome {
        if let Some(outcome) = self.received.get(&(id, number)) {
            return outcome.clone();
        }
        let mut local = self.states[id as usize].clone();
        let code = Rc::clone(&self.code);
        let instruction = code.at(local.pc);
        let mut fails = None;
        if let Operation::Receive { pattern, .. } = &instruction.operation {
            match pattern {
                Pattern::Ignore => {}
                Pattern::Variable(variable) => set(&mut local, *variable, Some(value.clone())),
                Pattern::Constructor { constructor, fields } => match value {
                    Value::Message(it, values) if *it == constructor.0 => {
                        assign_fields(&mut local, fields, values);
                    }
                    _ => fails = instruction.stmt,
                },
            }
        }
        local.pc = instruction.next;
        if fails.is_some() {
            fail(&mut local);
        }
        let outcome = self.settle(local, None, 1, fails);
        self.received.insert((id, number), outcome.clone());
        outcome
    }

    fn compute(&mut self, local: Local) -> Result<Next, Unclear> {
        if local.failed {
            return Ok(Next::Failed);
        }
        let code = Rc::clone(&self.code);
        let instruction = code.at(local.pc);
        let scope = (&local, self.actor);
        match &instruction.operation {
            Operation::End => Ok(Next::Ended),
            Operation::Send { payload, message, to } => {
                let (value, to) = (evaluate(payload, &scope)?, address(to, &scope)?);
                let mut after = local;
                after.pc = instruction.next;
                let outcome = self.settle(after, None, 1, None);
                Ok(Next::Send { to, message: *message, value, outcome })
            }
            Operation::Receive { message, from, .. } => {
                let from = match from {
                    Source::Pid(expr) => Senders::One(address(expr, &scope)?),
                    Source::Set(set) => {
                        Senders::Set(self.domain.process_of(*set).ok_or(Unclear::Undefined)?)
                    }
                    Source::Anyone => Senders::Anyone,
                };
                Ok(Next::Receive { message: *message, from })
            }
            Operation::Any { variable } => {
                let ty = type_of(self.process, *variable).ok_or(Unclear::Undefined)?;
                let values = self.domain.values(ty);
                let chosen = values.into_iter().map(|it| (Choice::Value(it.clone()), it)).collect();
                Ok(self.choose(&local, *variable, instruction.next, chosen))
            }
            Operation::Pick { variable, set } => {
                let chosen = self.members(*set, 0);
                Ok(self.choose(&local, *variable, instruction.next, chosen))
            }
            Operation::If { condition: None, then, otherwise } => {
                let outcomes = [(true, *then), (false, *otherwise)].map(|(branch, pc)| {
                    let after = Local { pc, ..local.clone() };
                    self.settle(after, Some(Choice::Branch(branch)), 1, None)
                });
                Ok(Next::Local(outcomes.into()))
            }
            Operation::For { variable, set: over, body, progress }
                if self.domain.kind(*over) == SetKind::Processes =>
            {
                let visited = local.progress[*progress];
                let mut outcomes = Vec::new();
                for (choice, value) in self.members(*over, visited) {
                    let mut after = local.clone();
                    if let Choice::Member(member) = choice {
                        after.progress[*progress] |= 1 << member;
                    }
                    set(&mut after, *variable, Some(value));
                    after.pc = *body;
                    outcomes.push(self.settle(after, Some(choice), 1, None));
                }
                Ok(Next::Local(outcomes))
            }
            // Steps without choice: settling stopped here because there are very many of them, or
            // because the next one has no value.
            _ => {
                let mut after = local;
                match self.advance(&mut after)? {
                    Moved::On => Ok(Next::Local(vec![self.settle(after, None, 1, None)])),
                    Moved::Failed(stmt) => Ok(Next::Local(vec![self.settle(after, None, 1, stmt)])),
                    Moved::No => Err(Unclear::Undefined),
                }
            }
        }
    }

    /// One outcome for each value; none: stuck.
    fn choose(
        &mut self,
        local: &Local,
        variable: VarId,
        next: Pc,
        chosen: Vec<(Choice, Value)>,
    ) -> Next {
        let mut outcomes = Vec::new();
        for (choice, value) in chosen {
            let mut after = local.clone();
            set(&mut after, variable, Some(value));
            after.pc = next;
            outcomes.push(self.settle(after, Some(choice), 1, None));
        }
        if outcomes.is_empty() { Next::Stuck } else { Next::Local(outcomes) }
    }

    /// The members of a set that are not among those visited.
    fn members(&self, set: SetId, visited: u32) -> Vec<(Choice, Value)> {
        (0..self.domain.size(set))
            .filter(|member| visited & (1 << member) == 0)
            .map(|member| (Choice::Member(member), self.domain.member(set, member)))
            .collect()
    }

    /// Takes steps without choice as long as there are any.
    fn settle(
        &mut self,
        mut local: Local,
        choice: Option<Choice>,
        mut steps: u32,
        mut failed: Option<StmtId>,
    ) -> Outcome {
        let limit = steps + SETTLE;
        while failed.is_none() && steps < limit {
            match self.advance(&mut local) {
                Ok(Moved::On) => steps += 1,
                Ok(Moved::Failed(stmt)) => {
                    steps += 1;
                    failed = stmt;
                }
                Ok(Moved::No) | Err(_) => break,
            }
        }
        Outcome { choice, steps, to: self.number(local), failed }
    }

    /// One step, if it leaves no choice and concerns nobody else.
    fn advance(&self, local: &mut Local) -> Result<Moved, Unclear> {
        if local.failed {
            return Ok(Moved::No);
        }
        let instruction = self.code.at(local.pc);
        let mut next = instruction.next;
        match &instruction.operation {
            Operation::Assign { variable, value } => {
                let value = evaluate(value, &(&*local, self.actor))?;
                set(local, *variable, Some(value));
            }
            Operation::If { condition: Some(condition), then, otherwise } => {
                next = if truth(condition, &(&*local, self.actor))? { *then } else { *otherwise };
            }
            Operation::Match { variable, arms } => {
                let value = local.values.get(variable.0 as usize).cloned().flatten();
                let Some(Value::Message(constructor, values)) = value else {
                    return Err(Unclear::Undefined);
                };
                let arm = arms
                    .iter()
                    .find(|arm| arm.constructors.iter().any(|it| it.0 == constructor))
                    .ok_or(Unclear::Undefined)?;
                assign_fields(local, arm.fields, &values);
                next = arm.body;
            }
            Operation::While { condition, body } => {
                if truth(condition, &(&*local, self.actor))? {
                    next = *body;
                }
            }
            Operation::Loop { body } => next = *body,
            Operation::Break { to } => next = *to,
            Operation::For { variable, set: over, body, progress } => {
                let done = local.progress[*progress];
                let size = self.domain.size(*over);
                let indices = self.domain.kind(*over) == SetKind::Indices;
                let over_yet = if indices { done >= size } else { done.count_ones() >= size };
                if over_yet {
                    local.progress[*progress] = 0;
                    set(local, *variable, None);
                } else if indices {
                    set(local, *variable, Some(Value::Int(i64::from(done))));
                    local.progress[*progress] = done + 1;
                    next = *body;
                } else {
                    return Ok(Moved::No);
                }
            }
            Operation::Assert { condition } => {
                if !truth(condition, &(&*local, self.actor))? {
                    fail(local);
                    return Ok(Moved::Failed(instruction.stmt));
                }
            }
            Operation::Fail => {
                fail(local);
                return Ok(Moved::Failed(instruction.stmt));
            }
            Operation::Skip => {}
            Operation::If { condition: None, .. }
            | Operation::End
            | Operation::Send { .. }
            | Operation::Receive { .. }
            | Operation::Any { .. }
            | Operation::Pick { .. } => return Ok(Moved::No),
        }
        local.pc = next;
        Ok(Moved::On)
    }

    fn number(&mut self, local: Local) -> LocalId {
        if let Some(&number) = self.numbers.get(&local) {
            return number;
        }
        let number = self.states.len() as LocalId;
        self.states.push(local.clone());
        self.nexts.push(None);
        self.numbers.insert(local, number);
        number
    }
}

fn set(local: &mut Local, variable: VarId, value: Option<Value>) {
    if let Some(place) = local.values.get_mut(variable.0 as usize) {
        *place = value;
    }
}

fn assign_fields(local: &mut Local, fields: &[Option<VarId>], values: &[Value]) {
    for (field, value) in fields.iter().zip(values) {
        if let Some(variable) = field {
            set(local, *variable, Some(value.clone()));
        }
    }
}

/// The rest of the code is dropped; what the variables hold does not matter any more.
fn fail(local: &mut Local) {
    local.failed = true;
    local.pc = END;
    local.progress.fill(0);
    local.values.fill(None);
}
