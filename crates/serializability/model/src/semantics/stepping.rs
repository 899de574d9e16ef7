//! A program, step by step: what one request does next is worked out when somebody asks.
//!
//! Nothing is listed in advance, so the program may have any number of states; whoever walks
//! through them decides how far to go.

use super::lowered;
use super::machine::{Continuation, Runner, StepError};
use super::states::States;
use crate::{ExploreError, GlobalId, LocalId};
use ser_base::{Limits, LineIndex, Stop};
use ser_syntax::core::Program;

/// A program to walk through. The initial global state has the number 0.
pub struct Stepping<'a> {
    states: States<'a>,
    /// The request labels, each with the local state in which it starts.
    starts: Vec<(String, LocalId)>,
    limits: &'a Limits,
}

/// Gives `walk` a program to walk through.
///
/// ```
/// use ser_base::Limits;
/// use ser_model::{GlobalId, step_through};
/// let text = "request count { n := N; yield; N := n + 1; n }";
/// let program = ser_syntax::parse(text).program;
/// let response = step_through(&program, text, &Limits::default(), |steps| {
///     let mut at = (steps.starts()[0].1, GlobalId(0));
///     while steps.response(at.0).is_none() {
///         at = steps.next(at.1, at.0).unwrap()[0];
///     }
///     steps.response(at.0)
/// });
/// assert_eq!(response.unwrap(), Some("0".to_owned()));
/// ```
pub fn step_through<R>(
    program: &Program,
    text: &str,
    limits: &Limits,
    walk: impl FnOnce(&mut Stepping<'_>) -> R,
) -> Result<R, ExploreError> {
    let (code, liveness) = lowered(program, limits)?;
    let lines = LineIndex::new(text);
    let states = States::new(Runner::new(&code, &liveness, limits), &lines, None);
    let starts = states.starts();
    Ok(walk(&mut Stepping { states, starts, limits }))
}

impl Stepping<'_> {
    /// The request labels, each with the local state in which it starts.
    pub fn starts(&self) -> &[(String, LocalId)] {
        &self.starts
    }

    /// Where a request in `local` may get to at `global` with one step, and the global state then.
    /// A step that leaves the numbers that there are, or that never ends, leads nowhere.
    pub fn next(
        &mut self,
        global: GlobalId,
        local: LocalId,
    ) -> Result<Vec<(LocalId, GlobalId)>, Stop> {
        let stop = |trouble| match trouble {
            StepError::Stop(stop) => Some(stop),
            StepError::Overflow { .. } | StepError::Endless { .. } => None,
        };
        if let Some(stop) = self.states.check(self.limits, 0).err().and_then(stop) {
            return Err(stop);
        }
        match self.states.fire(global, local, false) {
            Ok(targets) => Ok(targets),
            Err(trouble) => stop(trouble).map_or(Ok(Vec::new()), Err),
        }
    }

    /// The response of a request in `local`, if it is complete.
    pub fn response(&self, local: LocalId) -> Option<String> {
        match self.states.continuations[local.index()] {
            Continuation::Yielded { .. } => None,
            _ => self.states.response(local),
        }
    }

    /// Where in the program a request in `local` stands, whatever its variables are.
    pub fn position(&self, local: LocalId) -> u32 {
        match self.states.continuations[local.index()] {
            Continuation::Done { .. } | Continuation::Aborted | Continuation::Failed(_) => u32::MAX,
            Continuation::Yielded { pc, .. } => pc,
        }
    }
}
