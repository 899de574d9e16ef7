//! The definition, executed: all complete runs of few requests, interleaved and serial.

use rustc_hash::FxHashSet;
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId};

/// A multiset of completed requests, sorted.
pub type Outcome = Vec<(RequestId, ResponseId)>;

/// What brute force found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Oracle {
    /// Some outcome of this many requests, and of no fewer, is not serial.
    Broken {
        /// The fewest requests.
        requests: usize,
        /// Such an outcome.
        outcome: Outcome,
    },
    /// Every outcome of at most this many requests is serial.
    Unbroken {
        /// The most requests looked at.
        requests: usize,
    },
}

/// Requests in flight with their labels, sorted; and the outcome so far.
type State = (GlobalId, Vec<(RequestId, LocalId)>, Outcome);

/// Compares interleaved with serial outcomes of at most `most` requests, as long as there are
/// fewer than `max_states` states.
pub fn brute_force(system: &NetworkSystem, most: usize, max_states: usize) -> Oracle {
    let start: State = (system.initial_global(), Vec::new(), Vec::new());
    // States in which so many requests have arrived, interleaved and serial.
    let mut all: FxHashSet<State> = FxHashSet::from_iter([start.clone()]);
    let mut serial: FxHashSet<State> = FxHashSet::from_iter([start]);
    for requests in 0..=most {
        if requests > 0 {
            all = arrive(system, &all, usize::MAX);
            serial = arrive(system, &serial, 1);
        }
        if !close(system, &mut all, max_states) || !close(system, &mut serial, max_states) {
            return Oracle::Unbroken { requests: requests.saturating_sub(1) };
        }
        let explained: FxHashSet<&Outcome> =
            serial.iter().filter(|s| s.1.is_empty()).map(|s| &s.2).collect();
        let mut broken: Vec<&Outcome> = all
            .iter()
            .filter(|s| s.1.is_empty() && !explained.contains(&s.2))
            .map(|s| &s.2)
            .collect();
        broken.sort();
        if let Some(outcome) = broken.first() {
            return Oracle::Broken { requests, outcome: (*outcome).clone() };
        }
    }
    Oracle::Unbroken { requests: most }
}

/// One more request arrives, if fewer than `room` are in flight.
fn arrive(system: &NetworkSystem, states: &FxHashSet<State>, room: usize) -> FxHashSet<State> {
    let mut next = FxHashSet::default();
    for (global, flying, outcome) in states {
        if flying.len() >= room {
            continue;
        }
        for spawn in system.spawns() {
            let mut flying = flying.clone();
            flying.push(*spawn);
            flying.sort_unstable();
            next.insert((*global, flying, outcome.clone()));
        }
    }
    next
}

/// Adds everything that requests in flight can do. False if it gets too much.
fn close(system: &NetworkSystem, states: &mut FxHashSet<State>, max: usize) -> bool {
    let mut open: Vec<State> = states.iter().cloned().collect();
    while let Some((global, flying, outcome)) = open.pop() {
        if states.len() > max {
            return false;
        }
        let mut add = |state: State| {
            if states.insert(state.clone()) {
                open.push(state);
            }
        };
        for (i, (request, local)) in flying.iter().enumerate() {
            let mut rest = flying.clone();
            rest.remove(i);
            for response in system.replies_of(*local) {
                let mut outcome = outcome.clone();
                outcome.push((*request, response));
                outcome.sort_unstable();
                add((global, rest.clone(), outcome));
            }
            for step in system.steps_at(*local, global) {
                let mut flying = rest.clone();
                flying.push((*request, step.to));
                flying.sort_unstable();
                add((step.after, flying, outcome.clone()));
            }
        }
    }
    true
}
