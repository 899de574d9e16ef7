//! Whether every variable has a value wherever it is read.
//!
//! A walk over the statements with the set of variables that certainly have a value. Branches
//! intersect; bodies of `for` and `while` may run zero times, so that nothing they assign counts
//! behind them; behind a `loop` counts what has a value at every `break`. A place that is never
//! reached ([`None`]) is the neutral element: nothing is wrong there, and it does not count where
//! ways meet. Later rounds of a loop start with at least the variables of the first one, so one
//! walk through its body is enough.

use super::ast::{Arm, Expr, ExprKind, Pattern, Process, Protocol, Source, Stmt, StmtKind, VarId};
use crate::ast::Name;
use crate::report::error;
use ser_base::{Diagnostic, Sink, Span};

/// The variables that certainly have a value; nothing where no way leads.
type State = Option<Vec<u64>>;

/// Reports all reads of variables that may have no value yet. The protocol has no other errors.
pub(super) fn check(protocol: &Protocol, sink: &mut Sink) {
    for process in &protocol.processes {
        let words = process.variables.len().div_ceil(64);
        let mut walk = Walk { process, sink, breaks: Vec::new(), reported: vec![0; words] };
        walk.block(&process.body, Some(vec![0; words]));
    }
}

struct Walk<'p, 's> {
    process: &'p Process,
    sink: &'s mut Sink,
    /// For each `loop` and `while` around, what holds at its `break`s so far.
    breaks: Vec<State>,
    /// Variables that were complained about.
    reported: Vec<u64>,
}

fn contains(set: &[u64], VarId(id): VarId) -> bool {
    set.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
}

fn insert(set: &mut [u64], VarId(id): VarId) {
    if let Some(word) = set.get_mut(id as usize / 64) {
        *word |= 1 << (id % 64);
    }
}

/// Where two ways meet.
fn meet(left: State, right: State) -> State {
    match (left, right) {
        (Some(mut left), Some(right)) => {
            left.iter_mut().zip(&right).for_each(|(left, right)| *left &= right);
            Some(left)
        }
        (left, right) => left.or(right),
    }
}

impl Walk<'_, '_> {
    fn block(&mut self, statements: &[Stmt], mut state: State) -> State {
        for statement in statements {
            state = self.statement(statement, state);
        }
        state
    }

    fn statement(&mut self, statement: &Stmt, mut state: State) -> State {
        match &statement.kind {
            StmtKind::Send { payload, to, .. } => {
                self.read(payload, &state);
                self.read(to, &state);
                state
            }
            StmtKind::Receive { pattern, from, .. } => {
                if let Source::Pid(from) = from {
                    self.read(from, &state);
                }
                match pattern {
                    Pattern::Ignore => {}
                    Pattern::Variable(variable) => assign(&mut state, *variable),
                    Pattern::Constructor { fields, .. } => {
                        fields.iter().flatten().for_each(|field| assign(&mut state, *field));
                    }
                }
                state
            }
            StmtKind::Assign { variable, value } => {
                self.read(value, &state);
                assign(&mut state, *variable);
                state
            }
            StmtKind::Any { variable } | StmtKind::Pick { variable, .. } => {
                assign(&mut state, *variable);
                state
            }
            StmtKind::If { condition, then, otherwise } => {
                if let Some(condition) = condition {
                    self.read(condition, &state);
                }
                let left = self.block(then, state.clone());
                let right = self.block(otherwise, state);
                meet(left, right)
            }
            StmtKind::Match { variable, arms } => {
                let keyword = Span::new(statement.span.start, statement.span.start + 5);
                self.variable(*variable, keyword, &state);
                arms.iter().fold(None, |joined, arm| {
                    let end = self.arm(arm, state.clone());
                    meet(joined, end)
                })
            }
            StmtKind::While { condition, body } => {
                self.read(condition, &state);
                self.breaks.push(None);
                self.block(body, state.clone());
                let broken = self.breaks.pop().flatten();
                meet(state, broken)
            }
            StmtKind::Loop { body } => {
                self.breaks.push(None);
                self.block(body, state);
                self.breaks.pop().flatten()
            }
            StmtKind::Break { .. } => {
                if let Some(joined) = self.breaks.last_mut() {
                    *joined = meet(joined.take(), state);
                }
                None
            }
            StmtKind::For { variable, body, .. } => {
                let mut inside = state.clone();
                assign(&mut inside, *variable);
                self.block(body, inside);
                state
            }
            StmtKind::Assert { condition } => {
                self.read(condition, &state);
                state
            }
            StmtKind::Fail => None,
            StmtKind::Skip => state,
        }
    }

    fn arm(&mut self, arm: &Arm, mut state: State) -> State {
        arm.fields.iter().flatten().for_each(|field| assign(&mut state, *field));
        self.block(&arm.body, state)
    }

    fn read(&mut self, expr: &Expr, state: &State) {
        match &expr.kind {
            ExprKind::Variable(id) => self.variable(*id, expr.span, state),
            ExprKind::Message(_, _, fields) => {
                fields.iter().for_each(|field| self.read(field, state));
            }
            ExprKind::Not(inside) | ExprKind::Negate(inside) => self.read(inside, state),
            ExprKind::Binary(_, left, right) => {
                self.read(left, state);
                self.read(right, state);
            }
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Enum(..)
            | ExprKind::Me
            | ExprKind::Process(_) => {}
        }
    }

    /// A variable is read there; the first complaint about each is enough.
    fn variable(&mut self, id: VarId, span: Span, state: &State) {
        let Some(assigned) = state else { return };
        if contains(assigned, id) || contains(&self.reported, id) {
            return;
        }
        insert(&mut self.reported, id);
        let Some(variable) = self.process.variables.get(id.0 as usize) else { return };
        self.sink.push(unassigned(&variable.name, span));
    }
}

fn assign(state: &mut State, variable: VarId) {
    if let Some(assigned) = state {
        insert(assigned, variable);
    }
}

fn unassigned(name: &Name, span: Span) -> Diagnostic {
    let text = &name.text;
    error("unassigned", format!("`{text}` may have no value here"), span, "read here")
        .with_secondary(name.span, "gets a value here, but not on every way that leads there")
        .with_help(format!("give `{text}` a value before, for example at the start of the process"))
        .with_help("the bodies of `for` and `while` may run zero times")
}
