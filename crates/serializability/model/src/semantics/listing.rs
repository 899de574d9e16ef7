//! All states of a few requests, each of which runs once.
//!
//! Where loops have no end but variables do, this is how one sees that something never happens:
//! there are only so many states. Requests of the same label are interchangeable, but not here:
//! whoever asks may tell them apart.

use super::follow::{Accept, FollowError};
use super::machine::{Runner, StepError};
use super::states::States;
use super::{ProgramModel, lowered};
use crate::{GlobalId, LocalId};
use rustc_hash::FxHashSet;
use ser_base::LineIndex;
use ser_base::{Limits, Stop};
use ser_syntax::core::Program;
use std::collections::BTreeSet;

/// What a list of all states tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listing {
    /// How many states there are, or how many there were when one was accepted.
    pub states: usize,
    /// Whether one was accepted.
    pub found: bool,
}

impl ProgramModel {
    /// Lists the states of requests that all run once, at most `most`, until `accept` likes one. It
    /// is given the values of the globals (by index of the variable) and the responses so far.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::ProgramModel;
    /// let text = "request main { while (1) { X := 1; yield; X := 0; yield } }";
    /// let program = ser_syntax::parse(text).program;
    /// let once = ["main".to_owned()];
    /// let limits = Limits::default();
    /// let listing = ProgramModel::list(&program, text, &once, 100, &limits, |x, _| x[0] == 2).unwrap();
    /// assert!(!listing.found && listing.states < 5);
    /// ```
    pub fn list(
        program: &Program,
        text: &str,
        requests: &[String],
        most: usize,
        limits: &Limits,
        accept: impl Fn(&[i64], &[Option<i64>]) -> bool,
    ) -> Result<Listing, FollowError> {
        let (code, liveness) = lowered(program, limits)?;
        let lines = LineIndex::new(text);
        let labels: BTreeSet<String> = requests.iter().cloned().collect();
        let mut states = States::new(Runner::new(&code, &liveness, limits), &lines, Some(&labels));
        let mut locals = Vec::new();
        for label in requests {
            let local = states.spawned(label);
            locals.push(local.ok_or_else(|| FollowError::Unknown(label.clone()))?);
        }
        all(&mut states, locals, most, limits, &accept)
            .map_err(|trouble| states.explain(trouble).into())
    }
}

fn all(
    states: &mut States<'_>,
    locals: Vec<LocalId>,
    most: usize,
    limits: &Limits,
    accept: Accept<'_>,
) -> Result<Listing, StepError> {
    let start = (GlobalId(0), locals);
    let mut seen: FxHashSet<(GlobalId, Vec<LocalId>)> = FxHashSet::default();
    seen.insert(start.clone());
    let mut open = vec![start];
    let mut asked: FxHashSet<(GlobalId, Vec<Option<i64>>)> = FxHashSet::default();
    while let Some((global, locals)) = open.pop() {
        let response = |local: &LocalId| states.number(*local);
        let responses: Vec<Option<i64>> = locals.iter().map(response).collect();
        if asked.insert((global, responses.clone()))
            && accept(states.builder.valuation(global), &responses)
        {
            return Ok(Listing { states: seen.len(), found: true });
        }
        states.check(limits, seen.len() * (64 + 4 * locals.len()))?;
        for at in 0..locals.len() {
            for (to, after) in states.fire(global, locals[at], false)? {
                let mut locals = locals.clone();
                locals[at] = to;
                let next = (after, locals);
                if seen.len() >= most && !seen.contains(&next) {
                    return Err(StepError::Stop(Stop::States { limit: most }));
                }
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    Ok(Listing { states: seen.len(), found: false })
}
