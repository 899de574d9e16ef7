//! Replays concrete runs.
//!
//! Nothing is symbolic here: variables have values, the heap has cells. A run is accepted if it
//! starts in a state in which everything holds that the file says about the start, each step takes
//! a path all of whose conditions hold, with choices that are allowed, and if what it shows is
//! there at its end.

use crate::cases::anchors;
use crate::control::{Control, Path, Piece};
use crate::evaluate::{NoValue, View, has_type};
use crate::rejection::{Place, Reason, Rejection};
use crate::run::{Cell, Fault, FaultKind, Run, RunStep, Shows, State, ThreadState, Value};
use ser_base::Limits;
use ser_base::{Line, LineIndex, Span};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Action, ActionKind, Expr, Field, Place as Target, Scalar, Type};
use std::collections::BTreeMap;

/// A run may have so many threads.
const MAX_THREADS: u32 = 1000;

/// What sees a run while it is replayed: the first state, and then the state after each step or the
/// fault that it is.
pub(crate) type Observer<'o> = &'o mut dyn FnMut(Result<&State, Fault>);

/// Replays a run, and checks that it shows what it says.
pub(crate) fn replay(
    system: &System,
    control: &Control<'_>,
    lines: &LineIndex,
    run: &Run,
    limits: &Limits,
    observe: Observer<'_>,
) -> Result<(), Rejection> {
    let at = |place: Place| move |reason: Reason| Rejection::from(reason).at(|| place);
    let mut machine = Machine::start(system, control, lines, run).map_err(at(Place::Start))?;
    observe(Ok(&machine.state));
    let mut error = None;
    let mut pace = limits.pace();
    for (number, step) in run.steps.iter().enumerate() {
        if let Some((number, line)) = error {
            return Err(at(Place::Step(number))(Reason::UnexpectedError { line }));
        }
        pace.steps(256 + machine.state.cells.len()).map_err(Reason::from)?;
        match machine.step(step).map_err(at(Place::Step(number)))? {
            Done::Moved => observe(Ok(&machine.state)),
            Done::Error(fault) => {
                observe(Err(fault));
                error = Some((number, machine.line(fault.span)));
            }
        }
    }
    machine.shows(&run.shows, error).map_err(|(place, reason)| at(place)(reason))
}

/// How a step ends.
enum Done {
    Moved,
    Error(Fault),
}

/// Why a path stops before its end.
enum Stopped {
    Error(Fault),
    Wrong(Reason),
}

impl From<Reason> for Stopped {
    fn from(reason: Reason) -> Stopped {
        Stopped::Wrong(reason)
    }
}

impl From<NoValue> for Stopped {
    fn from(why: NoValue) -> Stopped {
        Stopped::Wrong(why.into())
    }
}

impl From<NoValue> for Reason {
    fn from(why: NoValue) -> Reason {
        match why {
            NoValue::Overflow => Reason::Overflow,
            NoValue::Empty => Reason::Source { what: "the minimum of an empty set".into() },
            NoValue::Type => Reason::Source { what: "an expression that is not typed".into() },
        }
    }
}

struct Machine<'s> {
    system: &'s System,
    control: &'s Control<'s>,
    lines: &'s LineIndex,
    state: State,
}

impl<'s> Machine<'s> {
    fn start(
        system: &'s System,
        control: &'s Control<'s>,
        lines: &'s LineIndex,
        run: &Run,
    ) -> Result<Machine<'s>, Reason> {
        let given = run.threads;
        let wanted = match system.threads {
            Some(wanted) if wanted != given => Some(format!("the file says {wanted}")),
            _ if given == 0 => Some("there is at least 1".into()),
            _ if given > MAX_THREADS => Some(format!("{MAX_THREADS} is the most")),
            _ => None,
        };
        if let Some(wanted) = wanted {
            return Err(Reason::RunThreads { given, wanted });
        }
        let count = |given: usize, wanted: usize, of| match given == wanted {
            true => Ok(()),
            false => Err(Reason::Values { given, wanted, of }),
        };
        count(run.globals.len(), system.globals.len(), "globals")?;
        count(run.locals.len(), given as usize, "threads")?;
        for (global, value) in system.globals.iter().zip(&run.globals) {
            if !has_type(value, global.ty, given) {
                return Err(Reason::ValueType { variable: global.name.text.clone() });
            }
        }
        for locals in &run.locals {
            count(locals.len(), system.locals.len(), "locals")?;
            for (local, value) in system.locals.iter().zip(locals) {
                if !has_type(value, local.ty, given) {
                    return Err(Reason::ValueType { variable: local.name.text.clone() });
                }
            }
        }
        for (address, cell) in &run.cells {
            if *address == 0 {
                return Err(Reason::NullCell);
            }
            if cell.lockid.is_some_and(|thread| thread >= given) {
                return Err(Reason::CellOwner { cell: *address });
            }
        }
        let threads = run.locals.iter().map(|locals| ThreadState {
            location: control.start,
            locals: locals.clone(),
            sites: BTreeMap::new(),
        });
        let state = State {
            globals: run.globals.clone(),
            threads: threads.collect(),
            cells: run.cells.clone(),
        };
        let machine = Machine { system, control, lines, state };
        machine.check_start()?;
        Ok(machine)
    }

    fn line(&self, span: Span) -> Line {
        self.lines.line(span.start)
    }

    /// Initial values and assumptions.
    fn check_start(&self) -> Result<(), Reason> {
        let nobody = View { state: &self.state, me: None, parameters: &[] };
        for (global, value) in self.system.globals.iter().zip(&self.state.globals) {
            if let Some(initial) = &global.initial
                && !is_initial(nobody, value, initial)?
            {
                return Err(Reason::Initial { variable: global.name.text.clone() });
            }
        }
        for anchor in anchors(self.system) {
            let value = self.state.globals.get(anchor.0 as usize);
            if !matches!(value, Some(Value::Tid(Some(_)))) {
                let global = self.system.globals.get(anchor.0 as usize);
                let variable = global.map(|it| it.name.text.clone()).unwrap_or_default();
                return Err(Reason::Anchor { variable });
            }
        }
        for assumption in &self.system.assumptions {
            if !nobody.holds(assumption)? {
                return Err(Reason::Assumption { line: self.line(assumption.span) });
            }
        }
        for (number, thread) in self.state.threads.iter().enumerate() {
            let view = View { state: &self.state, me: Some(number as u32), parameters: &[] };
            for (local, value) in self.system.locals.iter().zip(&thread.locals) {
                if let Some(initial) = &local.initial
                    && !is_initial(view, value, initial)?
                {
                    return Err(Reason::Initial { variable: local.name.text.clone() });
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &RunStep) -> Result<Done, Reason> {
        let thread = self.state.threads.get(step.thread as usize).ok_or(Reason::NoActor)?;
        let paths = self.control.paths_of(thread.location);
        let path = paths.get(step.path as usize).ok_or(Reason::NoPath { path: step.path })?;
        let line = self
            .system
            .locations
            .get(thread.location.0 as usize)
            .map(|it| self.line(it.span))
            .unwrap_or_default();
        let mut chosen = step.chosen.iter();
        let mut walk = Walk { machine: self, me: step.thread, chosen: &mut chosen, lacks: false };
        let done = match walk.path(path) {
            Ok(()) => Done::Moved,
            Err(Stopped::Error(fault)) => Done::Error(fault),
            Err(Stopped::Wrong(reason)) => return Err(reason),
        };
        if chosen.next().is_some() {
            return Err(Reason::Choice { line });
        }
        Ok(done)
    }

    /// Whether what the run is said to show is there.
    fn shows(&self, shows: &Shows, error: Option<(usize, Line)>) -> Result<(), (Place, Reason)> {
        let wrong = |what: &str| Err((Place::End, Reason::Shows { what: what.into() }));
        let (name, threads) = match (shows, error) {
            (Shows::Error, Some(_)) => return Ok(()),
            (Shows::Error, None) => return wrong("the last step is no error"),
            (Shows::Violated { .. } | Shows::Waits { .. }, Some((number, line))) => {
                return Err((Place::Step(number), Reason::UnexpectedError { line }));
            }
            (Shows::Waits { thread }, None) => {
                return match (*thread as usize) < self.state.threads.len() {
                    true => Ok(()),
                    false => wrong("there is no such thread"),
                };
            }
            (Shows::Violated { invariant, threads }, None) => (invariant, threads),
        };
        let Some(invariant) = self.system.invariants.iter().find(|it| it.name.text == *name) else {
            return wrong("there is no such invariant");
        };
        if threads.len() != invariant.parameters.len() {
            return wrong("the invariant has another number of parameters");
        }
        if threads.iter().any(|thread| *thread as usize >= self.state.threads.len()) {
            return wrong("there is no such thread");
        }
        let view = View { state: &self.state, me: None, parameters: threads };
        for conjunct in &invariant.conjuncts {
            if !view.holds(&conjunct.formula).map_err(|why| (Place::End, why.into()))? {
                return Ok(());
            }
        }
        wrong("the invariant holds")
    }
}

/// Whether `x == e` holds at the start.
fn is_initial(view: View<'_>, value: &Value, initial: &Expr) -> Result<bool, Reason> {
    match view.value(initial) {
        Ok(wanted) => Ok(*value == wanted),
        Err(NoValue::Empty) => Ok(false),
        Err(why) => Err(why.into()),
    }
}

/// A step in the making.
struct Walk<'m, 's, 'c, 'v> {
    machine: &'m mut Machine<'s>,
    me: u32,
    chosen: &'c mut std::slice::Iter<'v, Value>,
    /// Whether there was something to choose, and no value left.
    lacks: bool,
}

/// What becomes of a step that a thread may take.
pub(crate) enum Attempt {
    Moved(State),
    Error(Fault),
    /// There is something to choose that is not among what was chosen.
    Lacks,
    /// It cannot be taken in this way.
    Blocked,
}

/// Takes a step of one thread, with some of what is chosen.
pub(crate) fn attempt<'s>(
    system: &'s System,
    control: &'s Control<'s>,
    lines: &'s LineIndex,
    state: State,
    (me, path): (u32, &Path<'s>),
    chosen: &[Value],
) -> Result<Attempt, Reason> {
    let mut machine = Machine { system, control, lines, state };
    let mut chosen = chosen.iter();
    let mut walk = Walk { machine: &mut machine, me, chosen: &mut chosen, lacks: false };
    let done = walk.path(path);
    let lacks = walk.lacks;
    match done {
        Ok(()) => Ok(Attempt::Moved(machine.state)),
        Err(Stopped::Error(fault)) => Ok(Attempt::Error(fault)),
        Err(Stopped::Wrong(_)) if lacks => Ok(Attempt::Lacks),
        Err(Stopped::Wrong(Reason::Blocked { .. } | Reason::OtherCall | Reason::Choice { .. })) => {
            Ok(Attempt::Blocked)
        }
        Err(Stopped::Wrong(reason)) => Err(reason),
    }
}

/// Whether everything holds in a state that the file says about the start.
pub(crate) fn may_start<'s>(
    system: &'s System,
    control: &'s Control<'s>,
    lines: &'s LineIndex,
    state: State,
) -> Result<bool, Reason> {
    match (Machine { system, control, lines, state }).check_start() {
        Ok(()) => Ok(true),
        Err(Reason::Initial { .. } | Reason::Anchor { .. } | Reason::Assumption { .. }) => {
            Ok(false)
        }
        Err(reason) => Err(reason),
    }
}

impl<'s> Walk<'_, 's, '_, '_> {
    fn view(&self) -> View<'_> {
        View { state: &self.machine.state, me: Some(self.me), parameters: &[] }
    }

    /// The value of an expression, unless evaluating it is an error.
    fn value(&self, expr: &Expr) -> Result<Value, Stopped> {
        let view = self.view();
        match view.fault(expr)? {
            Some(fault) => Err(Stopped::Error(fault)),
            None => Ok(view.value(expr)?),
        }
    }

    /// A condition that has to have a value.
    fn test(&self, condition: &Expr, outcome: bool) -> Result<(), Stopped> {
        match self.value(condition)? == Value::Bool(outcome) {
            true => Ok(()),
            false => Err(Reason::Blocked { line: self.machine.line(condition.span) }.into()),
        }
    }

    fn path(&mut self, path: &Path<'s>) -> Result<(), Stopped> {
        let mut result = None;
        for piece in &path.pieces {
            match piece {
                Piece::Test(condition, outcome) => self.test(condition, *outcome)?,
                Piece::SiteIs(procedure, call) => {
                    if self.me()?.sites.get(procedure) != Some(call) {
                        return Err(Reason::OtherCall.into());
                    }
                }
                Piece::Act(action) => self.act(action)?,
                Piece::Call(procedure, arguments, call) => {
                    let values = arguments.iter().map(|it| self.value(it));
                    let values = values.collect::<Result<Vec<_>, _>>()?;
                    let called = self.machine.system.procedures.get(procedure.0 as usize);
                    let parameters = called.map_or(&[][..], |it| &it.parameters);
                    for (parameter, value) in parameters.iter().zip(values) {
                        self.assign(&Target::Local(*parameter), value, None)?;
                    }
                    self.me()?.sites.insert(*procedure, *call);
                }
                Piece::Result(expr) => result = Some(self.value(expr)?),
                Piece::Deliver(target) => {
                    let value = result.take().ok_or(NoValue::Type)?;
                    self.assign(target, value, None)?;
                }
            }
        }
        self.me()?.location = path.target;
        Ok(())
    }

    fn me(&mut self) -> Result<&mut ThreadState, NoValue> {
        self.machine.state.threads.get_mut(self.me as usize).ok_or(NoValue::Type)
    }

    /// The next value that is chosen.
    fn choose(&mut self, ty: Type, line: &Line) -> Result<Value, Stopped> {
        let threads = self.machine.state.threads.len() as u32;
        match self.chosen.next() {
            Some(value) if has_type(value, ty, threads) => Ok(value.clone()),
            None => {
                self.lacks = true;
                Err(Reason::Choice { line: line.clone() }.into())
            }
            _ => Err(Reason::Choice { line: line.clone() }.into()),
        }
    }

    fn act(&mut self, action: &Action) -> Result<(), Stopped> {
        let line = self.machine.line(action.span);
        let fault = |kind| Err(Stopped::Error(Fault { kind, span: action.span }));
        match &action.kind {
            ActionKind::Assign { target, value } => {
                // What is wrong with the address comes before what is wrong with the value.
                if let Target::Field(address, _) = target {
                    self.value(address)?;
                }
                let value = self.value(value)?;
                self.assign(target, value, Some(action.span))
            }
            ActionKind::Havoc { target, condition } => {
                let system = self.machine.system;
                let ty = match target {
                    Target::Global(global) => system.globals.get(global.0 as usize).map(|it| it.ty),
                    Target::Local(local) => system.locals.get(local.0 as usize).map(|it| it.ty),
                    Target::Field(..) => None,
                };
                let value = self.choose(ty.ok_or(NoValue::Type)?, &line)?;
                self.assign(target, value, Some(action.span))?;
                match condition {
                    Some(condition) if !self.view().holds(condition)? => {
                        Err(Reason::Choice { line }.into())
                    }
                    _ => Ok(()),
                }
            }
            ActionKind::Malloc { target, data, next } => {
                let (data, next) = (self.value(data)?, self.value(next)?);
                let new = self.choose(Type::Scalar(Scalar::Addr), &line)?;
                let (Value::Addr(new), Value::Elem(data), Value::Addr(next)) = (new, data, next)
                else {
                    return Err(NoValue::Type.into());
                };
                if new == 0 || self.machine.state.is_known(self.machine.system, new) {
                    return Err(Reason::Choice { line }.into());
                }
                self.machine.state.cells.insert(new, Cell { next, data, lockid: None });
                self.assign(target, Value::Addr(new), Some(action.span))
            }
            ActionKind::Lock(address) => {
                let address = self.address(address, FaultKind::NullLock, action.span)?;
                let mut cell = self.machine.state.cell(address);
                if cell.lockid.is_some() {
                    return Err(Reason::Blocked { line }.into());
                }
                cell.lockid = Some(self.me);
                self.machine.state.cells.insert(address, cell);
                Ok(())
            }
            ActionKind::Unlock(address) => {
                let address = self.address(address, FaultKind::NullUnlock, action.span)?;
                let mut cell = self.machine.state.cell(address);
                if cell.lockid != Some(self.me) {
                    return fault(FaultKind::ForeignUnlock);
                }
                cell.lockid = None;
                self.machine.state.cells.insert(address, cell);
                Ok(())
            }
            ActionKind::Await(condition) => self.test(condition, true),
            ActionKind::Assert(condition) => match self.value(condition)? {
                Value::Bool(true) => Ok(()),
                _ => fault(FaultKind::Assertion),
            },
            ActionKind::If { .. } => Err(NoValue::Type.into()),
        }
    }

    /// An address that is not `null`.
    fn address(&self, expr: &Expr, kind: FaultKind, span: Span) -> Result<u32, Stopped> {
        match self.value(expr)? {
            Value::Addr(0) => Err(Stopped::Error(Fault { kind, span })),
            Value::Addr(address) => Ok(address),
            _ => Err(NoValue::Type.into()),
        }
    }

    /// Assigns a value; `span` is that of the action, if there is one.
    fn assign(&mut self, target: &Target, value: Value, span: Option<Span>) -> Result<(), Stopped> {
        match target {
            Target::Global(global) => {
                let place = self.machine.state.globals.get_mut(global.0 as usize);
                *place.ok_or(NoValue::Type)? = value;
            }
            Target::Local(local) => {
                let place = self.me()?.locals.get_mut(local.0 as usize);
                *place.ok_or(NoValue::Type)? = value;
            }
            Target::Field(address, field) => {
                let span = span.unwrap_or(address.span);
                let address = self.address(address, FaultKind::NullWrite, span)?;
                let mut cell = self.machine.state.cell(address);
                match (field, value) {
                    (Field::Next, Value::Addr(next)) => cell.next = next,
                    (Field::Data, Value::Elem(data)) => cell.data = data,
                    _ => return Err(NoValue::Type.into()),
                }
                self.machine.state.cells.insert(address, cell);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
