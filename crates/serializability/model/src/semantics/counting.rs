//! Exploration by counting: global states together with how many requests are in which local
//! state, where only so many requests arrive at all. This gives all runs with that many requests.

use super::machine::StepError;
use super::states::States;
use crate::{GlobalId, LocalId};
use rustc_hash::FxHashSet;
use ser_base::{Limits, Stop};

/// Which runs of a program to look at.
///
/// A *preemption* is a step of one request while another one, which took the step before, is still
/// in flight. Serial runs have none. Most violations need one or two, however long the handlers
/// are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RunBound {
    /// At most so many requests.
    pub requests: u32,
    /// At most so many preemptions, if that matters.
    pub preemptions: Option<u32>,
}

/// A global state, the requests in flight, and what the bound still allows.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration {
    global: GlobalId,
    crowd: Crowd,
    left: RunBound,
    /// Who took the last step, if it is still in flight; only where preemptions matter.
    active: Option<LocalId>,
}

/// Requests in flight: local state and number, sorted.
type Crowd = Vec<(LocalId, u32)>;

/// Explores all configurations within the bound, at most `max` of them.
pub(super) fn count(
    states: &mut States<'_>,
    bound: RunBound,
    max: usize,
    limits: &Limits,
) -> Result<(), StepError> {
    let mut seen: FxHashSet<Configuration> = FxHashSet::default();
    let mut fired: FxHashSet<(GlobalId, LocalId)> = FxHashSet::default();
    let start = Configuration { global: GlobalId(0), crowd: Vec::new(), left: bound, active: None };
    seen.insert(start.clone());
    let mut open: Vec<Configuration> = vec![start];
    let mut bytes = 0;
    let mut rounds = 0usize;
    let arriving: Vec<LocalId> = states.initial_locals.clone();
    while let Some(Configuration { global, crowd, left, active }) = open.pop() {
        rounds += 1;
        if rounds.is_multiple_of(64) {
            states.check(limits, bytes)?;
        }
        let flying = crowd.iter().enumerate().map(|(i, (l, _))| (*l, Some(i)));
        let movers = arriving.iter().map(|l| (*l, None)).chain(flying);
        for (local, place) in movers {
            let Some(left) = spend(left, active, local, place.is_none()) else { continue };
            // A step is recorded once, however many configurations it occurs in.
            let targets = states.fire(global, local, fired.insert((global, local)))?;
            for (to, after) in targets {
                let mut rest = without(&crowd, place);
                if !states.is_done(to) {
                    add(&mut rest, to);
                }
                let matters = bound.preemptions.is_some();
                let active = (matters && !states.is_done(to)).then_some(to);
                let configuration = Configuration { global: after, crowd: rest, left, active };
                if seen.contains(&configuration) {
                    continue;
                }
                bytes += 250 + configuration.crowd.len() * 24;
                if seen.len() >= max {
                    return Err(StepError::Stop(Stop::States { limit: max }));
                }
                seen.insert(configuration.clone());
                open.push(configuration);
            }
        }
    }
    Ok(())
}

/// What is left of the bound when a request in `local` takes a step; nothing if it may not.
fn spend(
    RunBound { requests, preemptions }: RunBound,
    active: Option<LocalId>,
    local: LocalId,
    arrives: bool,
) -> Option<RunBound> {
    let requests = if arrives { requests.checked_sub(1)? } else { requests };
    let preempts = active.is_some_and(|active| arrives || active != local);
    let preemptions = match preemptions {
        Some(left) if preempts => Some(left.checked_sub(1)?),
        other => other,
    };
    Some(RunBound { requests, preemptions })
}

/// The crowd without one request of an entry.
fn without(crowd: &Crowd, entry: Option<usize>) -> Crowd {
    let mut less = crowd.clone();
    match entry {
        Some(at) if less[at].1 == 1 => {
            less.remove(at);
        }
        Some(at) => less[at].1 -= 1,
        None => {}
    }
    less
}

fn add(crowd: &mut Crowd, local: LocalId) {
    match crowd.binary_search_by_key(&local, |(l, _)| *l) {
        Ok(at) => crowd[at].1 += 1,
        Err(at) => crowd.insert(at, (local, 1)),
    }
}
