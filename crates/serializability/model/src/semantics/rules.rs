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

use super::code::{Code, Instr};
use super::explore::ExploreError;
use super::liveness::Liveness;
use super::machine::{Runner, StepError};
use super::states::States;
use crate::{Footprint, LocalId, Rule, RuleSystem, VariableId};
use rustc_hash::FxHashSet;
use ser_base::LineIndex;
use ser_base::{Limits, Stop};
use std::collections::BTreeSet;

/// A variable with so many values more than there are between the smallest and the largest number
/// in the program is taken to grow without end.
const MORE_VALUES: usize = 16;

/// And so is one with more values than this.
const MAX_VALUES: usize = 1_000;

/// The most runs of big steps.
const MAX_RUNS: usize = 200_000;

/// The most rules.
const MAX_RULES: usize = 100_000;

/// All rules of the code.
pub(super) fn explore_rules(
    code: &Code,
    liveness: &Liveness,
    lines: &LineIndex,
    limits: &Limits,
) -> Result<RuleSystem, ExploreError> {
    let anywhere = (i64::MIN, i64::MAX);
    let found = match explore_within(code, liveness, lines, anywhere, limits) {
        Err(Failure::Endless) => explore_within(code, liveness, lines, number_range(code), limits),
        found => found,
    };
    found.map_err(|failure| match failure {
        Failure::Other(error) => error,
        Failure::Endless => {
            let stop = Stop::States { limit: MAX_VALUES };
            ExploreError::TooManyStates { stop, growing: None }
        }
    })
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
    Endless,
    /// Something else.
    Other(ExploreError),
}

/// All rules, with variables followed within a range only.
fn explore_within(
    code: &Code,
    liveness: &Liveness,
    lines: &LineIndex,
    range: (i64, i64),
    limits: &Limits,
) -> Result<RuleSystem, Failure> {
    let states = States::new(Runner::new(code, liveness, limits), lines, None);
    let (low, high) = number_range(code);
    let between = usize::try_from(high.saturating_sub(low)).unwrap_or(usize::MAX);
    let mut exploration = Exploration {
        range,
        max_values: between.saturating_add(1 + MORE_VALUES).min(MAX_VALUES),
        endless: false,
        values: code.initial.iter().map(|value| vec![*value]).collect(),
        askers: vec![BTreeSet::new(); code.initial.len()],
        rules: FxHashSet::default(),
        open: Vec::new(),
        is_open: Vec::new(),
        runs: 0,
        states,
    };
    exploration.open_new_locals();
    while let Some(local) = exploration.open.pop() {
        exploration.is_open[local.index()] = false;
        if let Err(trouble) = exploration.run(local, limits) {
            return Err(match exploration.endless {
                true => Failure::Endless,
                false => Failure::Other(exploration.states.explain(trouble)),
            });
        }
    }
    let Exploration { values, rules, states, .. } = exploration;
    let frame = states.builder.finish();
    Ok(RuleSystem::new(frame, rules.into_iter().collect(), values))
}

struct Exploration<'a> {
    states: States<'a>,
    range: (i64, i64),
    max_values: usize,
    /// Whether some variable has too many values.
    endless: bool,
    /// The values of each variable, in the order in which they turned up.
    values: Vec<Vec<i64>>,
    /// The local states that ask for each variable.
    askers: Vec<BTreeSet<LocalId>>,
    rules: FxHashSet<Rule>,
    open: Vec<LocalId>,
    is_open: Vec<bool>,
    runs: usize,
}

impl Exploration<'_> {
    /// Local states that nobody has run yet.
    fn open_new_locals(&mut self) {
        while self.is_open.len() < self.states.continuations.len() {
            let local = LocalId::from_index(self.is_open.len());
            let done = self.states.is_done(local);
            self.is_open.push(!done);
            if !done {
                self.open.push(local);
            }
        }
    }

    /// Runs a local state for every combination of values that it asks for.
    fn run(&mut self, local: LocalId, limits: &Limits) -> Result<(), StepError> {
        let start = self.states.continuations[local.index()].clone();
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
            let values = &self.values;
            let outcomes = self.states.runner.big_step(&start, |variable| {
                let at = match chosen.iter().find(|(v, _)| *v == variable) {
                    Some((_, at)) => *at,
                    None => {
                        chosen.push((variable, 0));
                        0
                    }
                };
                values[variable.index()][at]
            })?;
            for (variable, _) in &chosen {
                self.askers[variable.index()].insert(local);
            }
            for outcome in outcomes {
                let to = self.states.local(outcome.to, outcome.resume);
                let Footprint { reads, writes } = outcome.footprint;
                let writes: Vec<_> = writes.into_iter().filter(|w| !reads.contains(w)).collect();
                for (variable, value) in &writes {
                    self.add_value(*variable, *value)?;
                }
                self.rules.insert(Rule { from: local, footprint: Footprint { reads, writes }, to });
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
            self.endless = true;
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
