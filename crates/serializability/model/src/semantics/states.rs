//! The states found so far, and what each local state can do.
//!
//! Big steps are memoised by what they read: the values that a local state asks for form a
//! decision tree, so a step is executed once for each combination of values that it looks at,
//! however many global states there are.

use super::code::{Code, Handler, Pc};
use super::follow::{Move, Standing};
use super::machine::{Continuation, Outcome, Runner, StepError};
use crate::{Footprint, GlobalId, LocalId, LocalState, SystemBuilder, Variable, VariableId};
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_base::LineIndex;
use std::collections::BTreeSet;

/// The only request labels that arrive; all of them, if nothing is said.
pub(super) type Only<'a> = Option<&'a BTreeSet<String>>;

/// What a local state does, as far as known: a tree of the values it reads.
#[derive(Default)]
enum Memo {
    /// Never executed with these values.
    #[default]
    Unknown,
    /// It reads this variable next.
    Read(VariableId, FxHashMap<i64, Memo>),
    /// It has read enough.
    Steps(Vec<(Footprint, LocalId)>),
}

/// Global states, local states and steps, as far as they are known.
pub(super) struct States<'a> {
    pub code: &'a Code,
    lines: &'a LineIndex,
    pub runner: Runner<'a>,
    pub builder: SystemBuilder,
    pub continuations: Vec<Continuation>,
    ids: FxHashMap<Continuation, LocalId>,
    memo: Vec<Memo>,
    /// Where requests start, each once.
    pub initial_locals: Vec<LocalId>,
    /// The same, by local state.
    is_initial: Vec<bool>,
    /// The same, by label.
    spawned: FxHashMap<String, LocalId>,
}

impl<'a> States<'a> {
    /// The initial states.
    pub fn new(runner: Runner<'a>, lines: &'a LineIndex, only: Only<'_>) -> States<'a> {
        let code = runner.code;
        let variables = code.globals.iter();
        let variables = variables.map(|name| Variable { name: name.clone(), symbols: None });
        let mut states = States {
            code,
            lines,
            runner,
            builder: SystemBuilder::new(variables.collect(), &code.initial),
            continuations: Vec::new(),
            ids: FxHashMap::default(),
            memo: Vec::new(),
            initial_locals: Vec::new(),
            is_initial: Vec::new(),
            spawned: FxHashMap::default(),
        };
        states.spawn_all(only);
        states
    }

    /// Registers the request labels: one for each combination of parameter values.
    fn spawn_all(&mut self, only: Only<'_>) {
        for handler in &self.code.handlers {
            let mut arguments: Vec<i64> = handler.parameters.iter().map(|(low, _)| *low).collect();
            loop {
                let label = if arguments.is_empty() {
                    handler.name.clone()
                } else {
                    let values: Vec<String> = arguments.iter().map(i64::to_string).collect();
                    format!("{}({})", handler.name, values.join(","))
                };
                if only.is_none_or(|labels| labels.contains(&label)) {
                    self.spawn(&label, handler, &arguments);
                }
                // The next combination, the last parameter fastest.
                let Some(at) =
                    (0..arguments.len()).rev().find(|i| arguments[*i] < handler.parameters[*i].1)
                else {
                    break;
                };
                arguments[at] += 1;
                for (i, argument) in arguments.iter_mut().enumerate().skip(at + 1) {
                    *argument = handler.parameters[i].0;
                }
            }
        }
    }

    fn spawn(&mut self, label: &str, handler: &Handler, arguments: &[i64]) {
        let mut locals = arguments.to_vec();
        locals.resize(handler.slots.len(), 0);
        let start = self.runner.yielded(handler.entry, locals, Vec::new());
        let local = self.local(start, self.runner.resume(handler.entry));
        self.builder.spawn(label, local);
        self.spawned.insert(label.to_owned(), local);
        if self.is_initial.len() <= local.index() {
            self.is_initial.resize(local.index() + 1, false);
        }
        if !std::mem::replace(&mut self.is_initial[local.index()], true) {
            self.initial_locals.push(local);
        }
    }

    /// The labels with the local states in which they start, in the order of the source.
    pub fn starts(&self) -> Vec<(String, LocalId)> {
        let mut starts: Vec<(String, LocalId)> =
            self.spawned.iter().map(|(label, local)| (label.clone(), *local)).collect();
        starts.sort_unstable_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
        starts
    }

    /// Where requests with this label start, if there are any.
    pub fn spawned(&self, label: &str) -> Option<LocalId> {
        self.spawned.get(label).copied()
    }

    /// Whether requests may start in this local state.
    pub fn is_initial(&self, local: LocalId) -> bool {
        self.is_initial.get(local.index()).copied().unwrap_or(false)
    }

    /// Whether a request in this local state is complete.
    pub fn is_done(&self, local: LocalId) -> bool {
        matches!(self.continuations[local.index()], Continuation::Done(_))
    }

    /// Stops if there are too many states; `more` are the bytes that the caller needs himself.
    pub fn check(&self, limits: &Limits, more: usize) -> Result<(), StepError> {
        let width = self.code.globals.len();
        let bytes = self.builder.step_count() * 40
            + self.builder.global_count() * (width * 16 + 150)
            + self.continuations.len() * 250
            + more;
        let states = self.builder.global_count() + self.continuations.len();
        limits.check(states, bytes).map_err(StepError::Stop)
    }

    /// Everything that a request in `local` can do at `global`: the local and global states after
    /// it. They are recorded as steps if that is wanted.
    pub fn fire(
        &mut self,
        global: GlobalId,
        local: LocalId,
        record: bool,
    ) -> Result<Vec<(LocalId, GlobalId)>, StepError> {
        let steps = self.steps(global, local)?;
        let mut targets = Vec::with_capacity(steps.len());
        for (footprint, to) in steps {
            let after = self.after(global, &footprint);
            if record {
                self.builder.step(local, global, to, after, footprint);
            }
            targets.push((to, after));
        }
        Ok(targets)
    }

    fn after(&mut self, global: GlobalId, footprint: &Footprint) -> GlobalId {
        let mut values = self.builder.valuation(global).to_vec();
        for (variable, value) in &footprint.writes {
            values[variable.index()] = *value;
        }
        self.builder.global(&values)
    }

    fn steps(
        &mut self,
        global: GlobalId,
        local: LocalId,
    ) -> Result<Vec<(Footprint, LocalId)>, StepError> {
        let values = self.builder.valuation(global).to_vec();
        let mut memo = &self.memo[local.index()];
        loop {
            match memo {
                Memo::Unknown => break,
                Memo::Steps(steps) => return Ok(steps.clone()),
                Memo::Read(variable, children) => match children.get(&values[variable.index()]) {
                    Some(child) => memo = child,
                    None => break,
                },
            }
        }
        let mut asked: Vec<(VariableId, i64)> = Vec::new();
        let start = self.continuations[local.index()].clone();
        let outcomes = self.runner.big_step(&start, |variable| {
            let value = values[variable.index()];
            if !asked.iter().any(|(v, _)| *v == variable) {
                asked.push((variable, value));
            }
            value
        })?;
        let steps: Vec<(Footprint, LocalId)> = outcomes
            .into_iter()
            .map(|Outcome { footprint, to, resume, .. }| (footprint, self.local(to, resume)))
            .collect();
        let mut memo = &mut self.memo[local.index()];
        for (variable, value) in asked {
            if matches!(memo, Memo::Unknown) {
                *memo = Memo::Read(variable, FxHashMap::default());
            }
            let Memo::Read(_, children) = memo else {
                return Ok(steps);
            };
            memo = children.entry(value).or_default();
        }
        *memo = Memo::Steps(steps.clone());
        Ok(steps)
    }

    /// The local state of a request that goes on at `resume`.
    pub fn local(&mut self, continuation: Continuation, resume: Pc) -> LocalId {
        if let Some(id) = self.ids.get(&continuation) {
            return *id;
        }
        let state = self.describe(&continuation, resume);
        let id = self.builder.add_local(state);
        if let Continuation::Done(value) = continuation {
            self.builder.reply(id, &value.to_string());
        }
        self.ids.insert(continuation.clone(), id);
        self.continuations.push(continuation);
        self.memo.push(Memo::Unknown);
        id
    }

    /// Whether a request in this local state stands where it is said to stand, and no local
    /// variable that still matters has another value than it is said to have.
    pub(super) fn agrees(&self, local: LocalId, said: &Move) -> bool {
        let (pc, locals) = match &self.continuations[local.index()] {
            Continuation::Done(_) => {
                return said.stands_at.is_none_or(|at| at == Standing::Complete);
            }
            Continuation::Yielded { pc, locals, .. } => (*pc, locals),
        };
        if said.stands_at.is_some_and(|at| at != Standing::At(pc)) {
            return false;
        }
        let slots = &self.code.handlers[self.code.handler_of(pc)].slots;
        let mut live = slots.iter().zip(locals).enumerate();
        live.all(|(slot, (name, value))| {
            let other = said.locals.iter().any(|(n, v)| n == name && v != value);
            !other || !self.runner.liveness.is_live(pc, slot)
        })
    }

    /// A name for people: `main@4:5[y=0]`.
    fn describe(&self, continuation: &Continuation, resume: Pc) -> LocalState {
        let (pc, locals, stack) = match continuation {
            Continuation::Done(value) => {
                let name = format!("done({value})");
                return LocalState { name, span: None, variables: Vec::new() };
            }
            Continuation::Yielded { pc, locals, stack } => (*pc, locals, stack),
        };
        let handler = &self.code.handlers[self.code.handler_of(pc)];
        let span = self.code.spans[pc as usize];
        let at = self.lines.position(span.start);
        let variables: Vec<(String, i64)> = handler
            .slots
            .iter()
            .zip(locals)
            .enumerate()
            .filter(|(slot, _)| self.runner.liveness.is_live(pc, *slot))
            .map(|(_, (name, value))| (name.clone(), *value))
            .collect();
        let mut inside: Vec<String> = variables.iter().map(|(n, v)| format!("{n}={v}")).collect();
        inside.extend(stack.iter().map(i64::to_string));
        let inside =
            if inside.is_empty() { String::new() } else { format!("[{}]", inside.join(",")) };
        let name = format!("{}@{}:{}{inside}", handler.name, at.line, at.column);
        LocalState { name, span: Some(self.code.spans[resume as usize]), variables }
    }
}
