//! Exploration without global states: what each local state can do, as rules.
//!
//! Each variable has a set of values: its first value and whatever some rule writes. A local state
//! is run once for every combination of values of the variables that it asks for, and for no
//! others. Combinations that never occur together give rules that never apply: harmless, and far
//! fewer than the valuations that do occur.
//!
//! A variable that counts down and up has no end of values that way, because a step that counts
//! down is run for every value, whether it can occur there or not. In a program with such a
//! variable, all are followed only within the range of the numbers that the program mentions; a
//! rule that leads out of it is kept, and recognised by [`RuleSystem::leaves`].
//!
//! An opaque variable has no values to list: whoever reads it gets an opaque value. A variable that
//! is given an opaque value has to be opaque itself; then everything is done again.

use super::code::{Code, Handler, Instr};
use super::explore::ExploreError;
use super::liveness::Liveness;
use super::machine::{Continuation, Outcome, Runner, StepError};
use super::states::States;
use super::value::{Value, Veiled};
use crate::rules::Opaque;
use crate::{Footprint, LocalId, Precision, Rule, RuleSystem, SystemBuilder, Variable, VariableId};
use rustc_hash::FxHashSet;
use ser_base::LineIndex;
use ser_base::{Limits, Stop};
use std::collections::BTreeSet;

/// A variable with so many values more than there are between the smallest and the largest number
/// in the program is taken to grow without end.
const MORE_VALUES: usize = 16;

/// And so is one with more values than this.
const MAX_VALUES: usize = 1_000;

/// A variable or a parameter with more values than this has many.
const FEW_VALUES: usize = 8;

/// The most runs of big steps.
const MAX_RUNS: usize = 200_000;

/// The most instructions in one big step, where something is opaque. A loop whose end depends on
/// an opaque value may have no end.
const MAX_OPAQUE_INSTRUCTIONS: usize = 200_000;

/// The most rules.
const MAX_RULES: usize = 100_000;

/// All rules of the code.
pub(super) fn explore_rules(
    code: &Code,
    liveness: &Liveness,
    lines: &LineIndex,
    opaque: &BTreeSet<String>,
    limits: &Limits,
) -> Result<RuleSystem, ExploreError> {
    let mut plan = Plan { code, liveness, lines, opaque: opaque.clone(), max_values: MAX_VALUES };
    let anywhere = (i64::MIN, i64::MAX);
    let found = match plan.explore(anywhere, limits) {
        Err(Failure::Endless(_)) => plan.explore(number_range(code), limits),
        found => found,
    };
    found.map_err(Failure::explain)
}

/// All rules of the code, where variables with many values are opaque.
pub(super) fn explore_coarse_rules(
    code: &Code,
    liveness: &Liveness,
    lines: &LineIndex,
    limits: &Limits,
) -> Result<RuleSystem, ExploreError> {
    let mut opaque = BTreeSet::new();
    for handler in &code.handlers {
        for (name, (low, high)) in handler.slots.iter().zip(&handler.parameters) {
            if high.saturating_sub(*low) >= FEW_VALUES as i64 {
                opaque.insert(parameter(handler, name));
            }
        }
    }
    let mut plan = Plan { code, liveness, lines, opaque, max_values: FEW_VALUES };
    loop {
        match plan.explore((i64::MIN, i64::MAX), limits) {
            Err(Failure::Endless(v)) if plan.insert(v) => {}
            found => return found.map_err(Failure::explain),
        }
    }
}

/// The name of a parameter among all opaque variables.
fn parameter(handler: &Handler, name: &str) -> String {
    format!("{}.{name}", handler.name)
}

/// From the smallest to the largest number in the program.
pub(super) fn number_range(code: &Code) -> (i64, i64) {
    let mentioned = code.instrs.iter().flat_map(|instr| match instr {
        Instr::Push(value) => vec![*value],
        Instr::Choose(low, high) => vec![*low, *high],
        _ => Vec::new(),
    });
    let parameters = code.handlers.iter().flat_map(|h| &h.parameters);
    let bounds = parameters.flat_map(|(low, high)| [*low, *high]);
    let all = mentioned.chain(bounds).chain(code.initial.iter().copied());
    all.fold((0, 0), |(low, high), value| (low.min(value), high.max(value)))
}

/// Why there are no rules.
enum Failure {
    /// A variable has no end of values.
    Endless(VariableId),
    /// A variable is given an opaque value.
    Taints(VariableId),
    /// Something else.
    Other(ExploreError),
}

impl Failure {
    fn explain(self) -> ExploreError {
        match self {
            Failure::Other(error) => error,
            Failure::Endless(_) | Failure::Taints(_) => {
                let stop = Stop::States { limit: MAX_VALUES };
                ExploreError::TooManyStates { stop, growing: None }
            }
        }
    }
}

/// What to explore, and what of it is opaque.
struct Plan<'a> {
    code: &'a Code,
    liveness: &'a Liveness,
    lines: &'a LineIndex,
    opaque: BTreeSet<String>,
    /// The most values of a variable.
    max_values: usize,
}

impl Plan<'_> {
    /// Makes a variable opaque; whether it was not.
    fn insert(&mut self, variable: VariableId) -> bool {
        self.opaque.insert(self.code.globals[variable.index()].clone())
    }

    /// All rules, with variables followed within a range only. What is given an opaque value
    /// becomes opaque, too.
    fn explore(&mut self, range: (i64, i64), limits: &Limits) -> Result<RuleSystem, Failure> {
        loop {
            match self.explore_once(range, limits) {
                Err(Failure::Taints(variable)) if self.insert(variable) => {}
                found => return found,
            }
        }
    }

    fn explore_once(&self, range: (i64, i64), limits: &Limits) -> Result<RuleSystem, Failure> {
        let code = self.code;
        let globals: Vec<bool> = code.globals.iter().map(|v| self.opaque.contains(v)).collect();
        let variables = code.globals.iter().zip(&globals).map(|(name, is_opaque)| Variable {
            name: name.clone(),
            symbols: is_opaque.then(|| vec!["?".to_owned()]),
        });
        let known = |(value, is_opaque): (&i64, &bool)| if *is_opaque { 0 } else { *value };
        let initial: Vec<i64> = code.initial.iter().zip(&globals).map(known).collect();
        let builder = SystemBuilder::new(variables.collect(), &initial);
        let mut runner = Runner::new(code, self.liveness, limits);
        if !self.opaque.is_empty() {
            runner.max_instructions = MAX_OPAQUE_INSTRUCTIONS;
        }
        let mut states: States<'_, Veiled> = States::over(builder, runner, self.lines);
        // Names of nothing are left out.
        let parameters = code
            .handlers
            .iter()
            .flat_map(|h| h.slots.iter().take(h.parameters.len()).map(|name| parameter(h, name)));
        let all: BTreeSet<String> = code.globals.iter().cloned().chain(parameters).collect();
        let names = all.intersection(&self.opaque).cloned().collect();
        let opaque = Opaque { names, globals, locals: Vec::new() };
        states.spawn_all(None, &|handler, i| {
            let name = parameter(handler, handler.slots.get(i)?);
            self.opaque.contains(&name).then_some(Veiled::Opaque)
        });
        let (low, high) = number_range(code);
        let between = usize::try_from(high.saturating_sub(low)).unwrap_or(usize::MAX);
        let mut exploration = Exploration {
            range,
            max_values: between.saturating_add(1 + MORE_VALUES).min(self.max_values),
            failure: None,
            values: initial.iter().map(|value| vec![*value]).collect(),
            askers: vec![BTreeSet::new(); initial.len()],
            rules: FxHashSet::default(),
            open: Vec::new(),
            is_open: Vec::new(),
            runs: 0,
            states,
            opaque,
        };
        exploration.open_new_locals();
        while let Some(local) = exploration.open.pop() {
            exploration.is_open[local.index()] = false;
            if let Err(trouble) = exploration.run(local, limits) {
                let states = &exploration.states;
                let other = || Failure::Other(states.explain(trouble));
                return Err(exploration.failure.unwrap_or_else(other));
            }
        }
        let Exploration { values, rules, states, opaque, .. } = exploration;
        let frame = states.builder.finish();
        Ok(RuleSystem::new(frame, rules.into_iter().collect(), values, opaque))
    }
}

struct Exploration<'a> {
    states: States<'a, Veiled>,
    range: (i64, i64),
    max_values: usize,
    /// What is wrong with some variable, if that is why it ended.
    failure: Option<Failure>,
    /// The values of each variable, in the order in which they turned up.
    values: Vec<Vec<i64>>,
    /// The local states that ask for each variable.
    askers: Vec<BTreeSet<LocalId>>,
    rules: FxHashSet<Rule>,
    open: Vec<LocalId>,
    is_open: Vec<bool>,
    runs: usize,
    opaque: Opaque,
}

impl Exploration<'_> {
    /// Local states that nobody has run yet.
    fn open_new_locals(&mut self) {
        while self.is_open.len() < self.states.continuations.len() {
            let local = LocalId::from_index(self.is_open.len());
            let done = self.states.is_done(local);
            self.is_open.push(!done);
            self.opaque.locals.push(has_opaque_values(&self.states.continuations[local.index()]));
            if !done {
                self.open.push(local);
            }
        }
    }

    /// Runs a local state for every combination of values that it asks for.
    fn run(&mut self, local: LocalId, limits: &Limits) -> Result<(), StepError> {
        let start = marked(&self.states.continuations[local.index()]);
        // The values chosen so far, in the order in which they were asked for: which value of
        // the variable, by its position.
        let mut chosen: Vec<(VariableId, usize)> = Vec::new();
        loop {
            self.runs += 1;
            let too_many = self.runs > MAX_RUNS || self.rules.len() > MAX_RULES;
            if too_many {
                return Err(StepError::Stop(Stop::States { limit: MAX_RULES }));
            }
            if self.runs.is_multiple_of(64) {
                self.states.check(limits, self.rules.len() * 200)?;
            }
            let (values, opaque) = (&self.values, &self.opaque.globals);
            let outcomes = self.states.runner.big_step(&start, |variable| {
                if opaque[variable.index()] {
                    return Veiled::Opaque;
                }
                let at = match chosen.iter().find(|(v, _)| *v == variable) {
                    Some((_, at)) => *at,
                    None => {
                        chosen.push((variable, 0));
                        0
                    }
                };
                Veiled::Number(values[variable.index()][at])
            })?;
            for (variable, _) in &chosen {
                self.askers[variable.index()].insert(local);
            }
            for outcome in outcomes {
                self.add_rule(local, outcome)?;
            }
            self.open_new_locals();
            // The next combination: the last choice fastest.
            while let Some((variable, at)) = chosen.pop() {
                if at + 1 < self.values[variable.index()].len() {
                    chosen.push((variable, at + 1));
                    break;
                }
            }
            if chosen.is_empty() {
                return Ok(());
            }
        }
    }

    /// What one path does, as a rule.
    fn add_rule(&mut self, from: LocalId, outcome: Outcome<Veiled>) -> Result<(), StepError> {
        let waits = is_as_before(&outcome.to);
        let to = self.states.local(settled(outcome.to), outcome.resume);
        let reads = self.known(outcome.reads)?;
        let mut writes = self.known(outcome.writes)?;
        // Nobody knows whether an opaque variable is written back unchanged.
        writes.retain(|w| self.opaque.globals[w.0.index()] || !reads.contains(w));
        for (variable, value) in &writes {
            self.add_value(*variable, *value)?;
        }
        let has_opaque_values = has_opaque_values(&self.states.continuations[from.index()]);
        let touches = reads.iter().chain(&writes).any(|(v, _)| self.opaque.globals[v.index()]);
        let precision = match has_opaque_values || touches {
            false => Precision::Exact,
            true if waits && from == to => Precision::Waits,
            true => Precision::Opaque,
        };
        self.rules.insert(Rule { from, footprint: Footprint { reads, writes }, to, precision });
        Ok(())
    }

    /// What is known of some values: 0 for those of opaque variables.
    fn known(
        &mut self,
        touched: Vec<(VariableId, Veiled)>,
    ) -> Result<Vec<(VariableId, i64)>, StepError> {
        let mut known = Vec::with_capacity(touched.len());
        for (variable, value) in touched {
            match value.number() {
                _ if self.opaque.globals[variable.index()] => known.push((variable, 0)),
                Some(number) => known.push((variable, number)),
                None => {
                    self.failure = Some(Failure::Taints(variable));
                    return Err(StepError::Stop(Stop::States { limit: self.max_values }));
                }
            }
        }
        Ok(known)
    }

    /// A variable may take this value; whoever asks for it has to be run again.
    fn add_value(&mut self, variable: VariableId, value: i64) -> Result<(), StepError> {
        let values = &mut self.values[variable.index()];
        if values.contains(&value) {
            return Ok(());
        }
        if value < self.range.0 || value > self.range.1 {
            return Ok(());
        }
        values.push(value);
        if values.len() > self.max_values {
            self.failure = Some(Failure::Endless(variable));
            return Err(StepError::Stop(Stop::States { limit: self.max_values }));
        }
        for local in &self.askers[variable.index()] {
            if !std::mem::replace(&mut self.is_open[local.index()], true) {
                self.open.push(*local);
            }
        }
        Ok(())
    }
}

/// Whether a request has opaque values.
fn has_opaque_values(continuation: &Continuation<Veiled>) -> bool {
    match continuation {
        Continuation::Yielded { locals, stack, .. } => {
            locals.iter().chain(stack).any(Veiled::is_opaque)
        }
        Continuation::Done { values, .. } => values.iter().any(Veiled::is_opaque),
        Continuation::Aborted | Continuation::Failed(_) => false,
    }
}

/// The same, where every value of the request is given by `change`, from its place and its value.
fn mapped(
    continuation: &Continuation<Veiled>,
    change: impl Fn(u32, Veiled) -> Veiled,
) -> Continuation<Veiled> {
    let mut places = 0..;
    let mut all = |list: &[Veiled]| {
        let changed = list.iter().zip(&mut places).map(|(value, at)| change(at, *value));
        changed.collect()
    };
    match continuation {
        Continuation::Yielded { pc, locals, stack } => {
            Continuation::Yielded { pc: *pc, locals: all(locals), stack: all(stack) }
        }
        Continuation::Done { shape, values } => {
            Continuation::Done { shape: *shape, values: all(values) }
        }
        Continuation::Aborted => Continuation::Aborted,
        Continuation::Failed(fault) => Continuation::Failed(*fault),
    }
}

/// Before a step: opaque values know where they are.
fn marked(continuation: &Continuation<Veiled>) -> Continuation<Veiled> {
    mapped(continuation, |at, value| if value.is_opaque() { Veiled::Kept(at) } else { value })
}

/// After a step: they forget it.
fn settled(continuation: Continuation<Veiled>) -> Continuation<Veiled> {
    mapped(&continuation, |_, value| value.settled())
}

/// Whether every opaque value is where it was before the step.
fn is_as_before(continuation: &Continuation<Veiled>) -> bool {
    *continuation == marked(continuation)
}
