//! From code to a network system: all global and local states that can occur.
//!
//! Pairs of global and local states first ([`thread_modular`](super::thread_modular)): cheap, and
//! enough for almost every program. If those seem to have no end because a variable takes more and
//! more values, the configurations that runs really reach ([`covering`](super::covering)). If that
//! does not end either, pairs again, up to the limit. Which of them succeeds depends on the program
//! alone, so that everybody who explores it gets the same system.

use super::code::Code;
use super::counting::{RunBound, count};
use super::covering::cover;
use super::liveness::Liveness;
use super::machine::{Continuation, Runner, StepError};
use super::states::States;
use super::thread_modular::thread_modular;
use crate::SystemBuilder;
use ser_base::{Limits, LineIndex, Span, Stop, grouped};
use std::collections::BTreeSet;
use std::fmt;

/// States for the first exploration by pairs.
const FIRST_STATES: usize = 1_000;

/// States for the last exploration by pairs, if a run has shown that a variable grows.
const HOPELESS_STATES: usize = 20_000;

/// Configurations for the exploration by covering.
const MAX_CONFIGURATIONS: usize = 20_000;

/// Configurations of a part for each state that the limits allow.
const CONFIGURATIONS_PER_STATE: usize = 10;

/// Why a program has no network system that we could build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExploreError {
    /// A limit was reached, probably because a variable takes more and more values.
    TooManyStates { stop: Stop, growing: Option<Growing> },
    /// One step executes too many instructions without a `yield`.
    EndlessStep { span: Span, growing: Option<Growing> },
    /// A value left the range of 64-bit integers.
    Overflow { span: Span },
    /// Clients may choose any number for an argument, or any value of a type.
    AnyArguments { span: Span },
}

/// A variable that takes more and more values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growing {
    /// Its name.
    pub variable: String,
    /// Some of its values, in the order in which they turned up.
    pub values: Vec<i64>,
    /// Where it is assigned.
    pub span: Option<Span>,
    /// What is known about it.
    pub trend: Trend,
}

/// What is known about a variable that takes more and more values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trend {
    /// It grows again and again.
    Grows,
    /// It falls again and again.
    Falls,
    /// It has taken so many values; perhaps there is an end to it.
    Many(usize),
}

impl Growing {
    /// Whether a run was seen in which it grows or falls again and again.
    pub fn is_shown(&self) -> bool {
        !matches!(self.trend, Trend::Many(_))
    }
}

impl fmt::Display for Growing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(i64::to_string).collect();
        let (name, values) = (&self.variable, values.join(", "));
        match self.trend {
            Trend::Grows => write!(f, "`{name}` keeps growing: {values}, ..."),
            Trend::Falls => write!(f, "`{name}` keeps falling: {values}, ..."),
            Trend::Many(count) => {
                write!(f, "`{name}` has taken {} values so far", grouped(count))
            }
        }
    }
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::TooManyStates { stop, growing: Some(growing) } if growing.is_shown() => {
                write!(f, "{growing}; ser can list only finitely many states ({stop})")
            }
            ExploreError::TooManyStates { stop, growing } => {
                match stop {
                    Stop::States { .. } => write!(f, "the program has too many states: {stop}")?,
                    Stop::Time { .. } => {
                        write!(f, "the states of the program could not be listed in time: {stop}")?;
                    }
                    _ => write!(f, "the states of the program could not be listed: {stop}")?,
                }
                growing.as_ref().map_or(Ok(()), |growing| write!(f, "; {growing}"))
            }
            ExploreError::EndlessStep { growing, .. } => {
                f.write_str("one step runs for too long without reaching a `yield`")?;
                match growing {
                    Some(growing) => write!(f, "; {growing}"),
                    None => Ok(()),
                }
            }
            ExploreError::AnyArguments { .. } => {
                f.write_str("arguments may be anything, so there is no list of all states")
            }
            ExploreError::Overflow { .. } => {
                f.write_str("a value leaves the range of 64-bit integers")
            }
        }
    }
}

impl std::error::Error for ExploreError {}

/// What the exploration found.
pub(super) struct Explored {
    pub builder: SystemBuilder,
    pub continuations: Vec<Continuation>,
    pub yields_reached: Vec<bool>,
}

/// Explores everything that the code may do, if that is little and pairs are enough to see it.
pub(super) fn explore_small(
    code: &Code,
    liveness: &Liveness,
    lines: &LineIndex,
    limits: &Limits,
) -> Option<Explored> {
    let mut states = States::new(Runner::new(code, liveness, limits), lines, None);
    let few = limits.max_states.min(FIRST_STATES);
    let limits = Limits { max_states: few, ..limits.clone() };
    thread_modular(&mut states, &limits).and_then(|()| states.check(&limits, 0)).ok()?;
    Some(states.into())
}

/// Explores everything that runs of the code really do, however long that takes.
pub(super) fn explore_exact(
    code: &Code,
    liveness: &Liveness,
    lines: &LineIndex,
    limits: &Limits,
) -> Result<Explored, ExploreError> {
    let mut states = States::new(Runner::new(code, liveness, limits), lines, None);
    let max = limits.max_states.saturating_mul(CONFIGURATIONS_PER_STATE);
    let covered = cover(&mut states, max, limits);
    covered.map_err(|(trouble, growing)| states.explain_with(trouble, growing))?;
    Ok(states.into())
}

/// Explores all runs within a bound, with these labels.
pub(super) fn explore_part(
    code: &Code,
    liveness: &Liveness,
    lines: &LineIndex,
    labels: &BTreeSet<String>,
    bound: RunBound,
    limits: &Limits,
) -> Result<Explored, ExploreError> {
    let mut states = States::new(Runner::new(code, liveness, limits), lines, Some(labels));
    let max = limits.max_states.saturating_mul(CONFIGURATIONS_PER_STATE);
    let result = count(&mut states, bound, max, limits);
    result.map_err(|trouble| states.explain(trouble))?;
    Ok(states.into())
}

/// Explores everything that the code may do.
pub(super) fn explore(
    code: &Code,
    liveness: &Liveness,
    lines: &LineIndex,
    limits: &Limits,
) -> Result<Explored, ExploreError> {
    // Which exploration is used, and so which system comes out, must not depend on how many
    // states the user allows: that is compared at the end.
    let fresh = || States::new(Runner::new(code, liveness, limits), lines, None);
    let first = Limits { max_states: FIRST_STATES, ..limits.clone() };
    let unlimited = Limits { max_states: usize::MAX, ..limits.clone() };
    let mut states = fresh();
    let mut result = thread_modular(&mut states, &first);
    let suspicious = match &result {
        Err(StepError::Stop(Stop::States { .. })) => states.is_suspicious(),
        Err(_) => true,
        Ok(()) => false,
    };
    let mut growing = None;
    if suspicious && result.as_ref().is_err_and(may_be_spurious) {
        states = fresh();
        let covered = cover(&mut states, MAX_CONFIGURATIONS, &unlimited);
        result = covered.map_err(|(trouble, trend)| {
            growing = trend;
            trouble
        });
    }
    if result.as_ref().is_err_and(may_be_spurious) {
        states = fresh();
        // Little hope is left for what was seen to grow.
        let most = if growing.is_some() { HOPELESS_STATES } else { usize::MAX };
        let limits = Limits { max_states: limits.max_states.min(most), ..limits.clone() };
        result = thread_modular(&mut states, &limits);
    }
    let result = result.and_then(|()| states.check(limits, 0));
    result.map_err(|trouble| states.explain_with(trouble, growing))?;
    Ok(states.into())
}

impl From<States<'_>> for Explored {
    fn from(states: States<'_>) -> Explored {
        Explored {
            builder: states.builder,
            continuations: states.continuations,
            yields_reached: states.runner.yields_reached,
        }
    }
}

/// Whether a sharper exploration might not run into this.
fn may_be_spurious(trouble: &StepError) -> bool {
    match trouble {
        StepError::Overflow { .. } | StepError::Endless { .. } => true,
        StepError::Stop(stop) => matches!(stop, Stop::States { .. }),
    }
}
