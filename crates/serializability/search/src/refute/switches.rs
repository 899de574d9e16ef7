//! Among the shortest runs with one outcome, one with the fewest context switches.
//!
//! A person reads the run, and every change from one request to another costs attention. With
//! the outcome fixed, few states are left: only requests of that outcome arrive. Runs of exactly
//! the given length are built step by step, and for each (global state, requests in flight,
//! outcome so far, place of the request that moved last) the fewest switches are kept.

use super::multiset::{EMPTY, MultisetId};
use super::problem::{ARRIVES, Move};
use super::search::{Shared, State};
use rustc_hash::FxHashMap;
use ser_base::Limits;

/// The most states to look at before giving up.
const MAX_STATES: usize = 100_000;

/// The request that moved last is complete, or nobody has moved.
const NOBODY: u32 = u32::MAX;

type Key = (u32, MultisetId, MultisetId, u32);

/// How a key was reached: fewest switches, the key before, and the move.
#[derive(Clone, Copy)]
struct Best {
    switches: u32,
    before: Key,
    via: u32,
}

/// A run of `length` moves to `goal` with the fewest context switches, if it can be found.
pub(crate) fn fewest_switches(
    shared: &mut Shared<'_>,
    goal: State,
    length: u32,
    bound: u32,
    limits: &Limits,
) -> Option<Vec<u32>> {
    let mut pace = limits.pace();
    let problem = shared.problem;
    let mut budget: FxHashMap<u32, u32> = FxHashMap::default();
    for (letter, count) in shared.outcomes.elements(goal.outcome) {
        *budget.entry(problem.outcome_request[*letter as usize]).or_default() += count;
    }
    let start: Key = (problem.initial, EMPTY, EMPTY, NOBODY);
    let first = Best { switches: 0, before: start, via: 0 };
    let mut layers: Vec<FxHashMap<Key, Best>> = vec![FxHashMap::from_iter([(start, first)])];
    let mut made = 0;
    for _ in 0..length {
        let mut next: FxHashMap<Key, Best> = FxHashMap::default();
        let mut keys: Vec<(Key, u32)> =
            layers.last()?.iter().map(|(key, best)| (*key, best.switches)).collect();
        keys.sort_unstable();
        for (key, switches) in keys {
            for index in problem.moves_from(key.0) {
                pace.steps(8).ok()?;
                let m = problem.moves[index];
                let Some(to) = step(shared, key, m, goal, bound, &budget) else { continue };
                let same = m.takes != ARRIVES && m.takes == key.3;
                let switches = switches + u32::from(!same);
                let best = Best { switches, before: key, via: index as u32 };
                next.entry(to)
                    .and_modify(|old| {
                        if switches < old.switches {
                            *old = best;
                        }
                    })
                    .or_insert(best);
            }
        }
        made += next.len();
        if made > MAX_STATES {
            return None;
        }
        layers.push(next);
    }
    // Back from the goal; the last mover has completed, so it is nobody.
    let mut key = layers
        .last()?
        .iter()
        .filter(|(key, _)| key.1 == EMPTY && key.2 == goal.outcome)
        .map(|(key, best)| (best.switches, *key))
        .min()?
        .1;
    let mut path = Vec::new();
    for layer in layers[1..].iter().rev() {
        let best = layer.get(&key)?;
        path.push(best.via);
        key = best.before;
    }
    path.reverse();
    Some(path)
}

fn step(
    shared: &mut Shared<'_>,
    key: Key,
    m: Move,
    goal: State,
    bound: u32,
    budget: &FxHashMap<u32, u32>,
) -> Option<Key> {
    let problem = shared.problem;
    let (_, mut in_flight, mut outcome, _) = key;
    if m.takes == ARRIVES {
        let request = if m.responds {
            problem.outcome_request[m.gives as usize]
        } else {
            problem.place_request[m.gives as usize]
        };
        let count = |elements: &[(u32, u32)], requests: &[u32]| -> u32 {
            let own = elements.iter().filter(|(it, _)| requests[*it as usize] == request);
            own.map(|(_, n)| n).sum()
        };
        let flying = count(shared.in_flight.elements(in_flight), &problem.place_request);
        let done = count(shared.outcomes.elements(outcome), &problem.outcome_request);
        if flying + done >= budget.get(&request).copied().unwrap_or(0) {
            return None;
        }
        if !m.responds && shared.in_flight.size(in_flight) >= bound {
            return None;
        }
    } else {
        in_flight = shared.in_flight.remove(in_flight, m.takes)?;
    }
    let last = if m.responds {
        outcome = shared.outcomes.add(outcome, m.gives);
        if shared.outcomes.count(outcome, m.gives) > shared.outcomes.count(goal.outcome, m.gives) {
            return None;
        }
        NOBODY
    } else {
        in_flight = shared.in_flight.add(in_flight, m.gives);
        m.gives
    };
    Some((m.after, in_flight, outcome, last))
}
