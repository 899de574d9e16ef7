//! The states found so far, and what each local state can do.
//!
//! Big steps are memoised by what they read: the values that a local state asks for form a
//! decision tree, so a step is executed once for each combination of values that it looks at,
//! however many global states there are.

use super::code::{Code, Handler, Pc};
use super::follow::{Move, Standing};
use super::machine::{Continuation, Runner, StepError};
use super::value::Value;
use crate::{Footprint, GlobalId, LocalId, LocalState, SystemBuilder, Variable, VariableId};
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_base::LineIndex;
use ser_syntax::core::Shape;
use std::collections::BTreeSet;

/// The only request labels that arrive; all of them, if nothing is said.
pub(super) type Only<'a> = Option<&'a BTreeSet<String>>;

/// The response of a request that says `abort`. All others are numbers.
pub const ABORT: &str = "abort";

/// A value in words.
pub(super) fn written<V: Value>(shape: &Shape, values: &[V]) -> String {
    shape.write(values, &|value| value.number())
}

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
pub(super) struct States<'a, V = i64> {
    pub code: &'a Code,
    lines: &'a LineIndex,
    pub runner: Runner<'a>,
    pub builder: SystemBuilder,
    pub continuations: Vec<Continuation<V>>,
    ids: FxHashMap<Continuation<V>, LocalId>,
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
        let variables = code.globals.iter().zip(&code.symbols);
        let variable = |(name, symbols): (&String, &Option<Vec<String>>)| Variable {
            name: name.clone(),
            symbols: symbols.clone(),
        };
        let variables = variables.map(variable).collect();
        let builder = SystemBuilder::new(variables, &code.initial);
        let mut states = States::over(builder, runner, lines);
        states.spawn_all(only, &|_, _| None);
        states
    }
}

impl<'a, V: Value> States<'a, V> {
    /// No states yet, but those that the builder has.
    pub fn over(builder: SystemBuilder, runner: Runner<'a>, lines: &'a LineIndex) -> States<'a, V> {
        States {
            code: runner.code,
            lines,
            runner,
            builder,
            continuations: Vec::new(),
            ids: FxHashMap::default(),
            memo: Vec::new(),
            initial_locals: Vec::new(),
            is_initial: Vec::new(),
            spawned: FxHashMap::default(),
        }
    }

    /// Registers the request labels: one for each combination of parameter values. `any` may give
    /// a value that stands for all values of a parameter.
    pub fn spawn_all(&mut self, only: Only<'_>, any: &dyn Fn(&Handler, usize) -> Option<V>) {
        for handler in &self.code.handlers {
            let anything: Vec<Option<V>> =
                (0..handler.parameters.len()).map(|i| any(handler, i)).collect();
            let range = |i: usize| match anything[i] {
                Some(_) => (0, 0),
                None => handler.parameters[i],
            };
            let mut arguments: Vec<i64> = (0..anything.len()).map(|i| range(i).0).collect();
            loop {
                let values: Vec<V> =
                    anything.iter().zip(&arguments).map(|(v, x)| v.unwrap_or(V::of(*x))).collect();
                let label = if values.is_empty() {
                    handler.name.clone()
                } else {
                    let values = values.iter().zip(&handler.shapes);
                    let values = values.map(|(value, shape)| written(shape, &[*value]));
                    format!("{}({})", handler.name, values.collect::<Vec<String>>().join(","))
                };
                if only.is_none_or(|labels| labels.contains(&label)) {
                    self.spawn(&label, handler, &values);
                }
                // The next combination, the last parameter fastest.
                let Some(at) = (0..arguments.len()).rev().find(|i| arguments[*i] < range(*i).1)
                else {
                    break;
                };
                arguments[at] += 1;
                for (i, argument) in arguments.iter_mut().enumerate().skip(at + 1) {
                    *argument = range(i).0;
                }
            }
        }
    }

    fn spawn(&mut self, label: &str, handler: &Handler, arguments: &[V]) {
        let mut locals = arguments.to_vec();
        locals.resize(handler.slots.len(), V::of(0));
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
        matches!(
            self.continuations[local.index()],
            Continuation::Done { .. } | Continuation::Aborted | Continuation::Failed(_)
        )
    }

    /// The response of a request in this local state, if it is complete.
    pub fn response(&self, local: LocalId) -> Option<String> {
        match &self.continuations[local.index()] {
            Continuation::Done { shape, values } => {
                Some(written(&self.code.shapes[*shape as usize], values))
            }
            Continuation::Aborted => Some(ABORT.to_owned()),
            Continuation::Yielded { .. } | Continuation::Failed(_) => None,
        }
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
}

impl States<'_> {
    /// The response of a request in this local state, if it is complete and responds with one
    /// number.
    pub fn number(&self, local: LocalId) -> Option<i64> {
        match &self.continuations[local.index()] {
            Continuation::Done { values, .. } => match **values {
                [only] => Some(only),
                _ => None,
            },
            Continuation::Yielded { .. } | Continuation::Aborted | Continuation::Failed(_) => None,
        }
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
            .map(|outcome| {
                let to = self.local(outcome.to.clone(), outcome.resume);
                (outcome.footprint(), to)
            })
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
}

impl<V: Value> States<'_, V> {
    /// The local state of a request that goes on at `resume`.
    pub fn local(&mut self, continuation: Continuation<V>, resume: Pc) -> LocalId {
        if let Some(id) = self.ids.get(&continuation) {
            return *id;
        }
        let state = self.describe(&continuation, resume);
        let id = self.builder.add_local(state);
        match &continuation {
            Continuation::Done { shape, values } => {
                self.builder.reply(id, &written(&self.code.shapes[*shape as usize], values));
            }
            Continuation::Aborted => {
                self.builder.reply(id, ABORT);
                self.builder.uncounted(ABORT);
            }
            Continuation::Yielded { .. } | Continuation::Failed(_) => {}
        }
        self.ids.insert(continuation.clone(), id);
        self.continuations.push(continuation);
        self.memo.push(Memo::Unknown);
        id
    }
}

impl States<'_> {
    /// Whether a request in this local state stands where it is said to stand, and no local
    /// variable that still matters has another value than it is said to have.
    pub(super) fn agrees(&self, local: LocalId, said: &Move) -> bool {
        let (pc, locals) = match &self.continuations[local.index()] {
            Continuation::Done { .. } | Continuation::Aborted | Continuation::Failed(_) => {
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
}

impl<V: Value> States<'_, V> {
    /// A name for people: `main@4:5[y=0]`.
    fn describe(&self, continuation: &Continuation<V>, resume: Pc) -> LocalState {
        let (pc, locals, stack) = match continuation {
            Continuation::Done { shape, values } => {
                let response = written(&self.code.shapes[*shape as usize], values);
                let name = format!("done({response})");
                return LocalState { name, span: None, variables: Vec::new() };
            }
            Continuation::Aborted | Continuation::Failed(_) => {
                let failed = matches!(continuation, Continuation::Failed(_));
                let name = if failed { "failed" } else { "aborted" }.to_owned();
                return LocalState { name, span: None, variables: Vec::new() };
            }
            Continuation::Yielded { pc, locals, stack } => (*pc, locals, stack),
        };
        let handler = &self.code.handlers[self.code.handler_of(pc)];
        let span = self.code.spans[pc as usize];
        let at = self.lines.position(span.start);
        let live: Vec<(&String, V)> = handler
            .slots
            .iter()
            .zip(locals)
            .enumerate()
            .filter(|(slot, _)| self.runner.liveness.is_live(pc, *slot))
            .map(|(_, (name, value))| (name, *value))
            .collect();
        let shown = |(name, value): &(&String, V)| {
            let number = value.number()?;
            let slot = handler.slots.iter().position(|slot| slot == *name)?;
            let symbols = handler.symbols[slot].as_ref();
            let symbol = symbols.and_then(|all| all.get(usize::try_from(number).ok()?));
            Some(((*name).clone(), symbol.map_or_else(|| number.to_string(), String::clone)))
        };
        // Nobody wrote the hidden ones.
        let written = live.iter().filter(|(name, _)| !name.starts_with('.'));
        let variables = written.filter_map(shown).collect();
        let mut inside: Vec<String> = live.iter().map(|(n, v)| format!("{n}={v}")).collect();
        inside.extend(stack.iter().map(V::to_string));
        let inside =
            if inside.is_empty() { String::new() } else { format!("[{}]", inside.join(",")) };
        let name = format!("{}@{}:{}{inside}", handler.name, at.line, at.column);
        LocalState { name, span: Some(self.code.spans[resume as usize]), variables }
    }
}
