//! What the same requests could have responded serially: the closest serial runs.

use rustc_hash::{FxHashMap, FxHashSet};
use ser_model::{GlobalId, Limits, RequestId};
use ser_net::{Outcome, SerialAutomaton};
use std::collections::BTreeMap;

/// The most (global state, outcome) pairs to look at.
const MAX_STATES: usize = 50_000;

/// What serial runs of some requests look like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SerialRuns {
    /// Serial runs of exactly these requests, in the order in which the requests run; the ones
    /// that share most responses with the given outcome first. At most a handful.
    Closest(Vec<Vec<Outcome>>),
    /// No serial run completes all of these requests.
    Impossible,
    /// There are too many to look at.
    TooMany,
}

/// Finds serial runs of the same requests as in `outcome` that come closest to it. What cannot be
/// found within the limits is too many.
pub fn closest_serial_runs(
    automaton: &SerialAutomaton,
    outcome: &[(Outcome, u32)],
    limits: &Limits,
) -> SerialRuns {
    type Key = (GlobalId, BTreeMap<Outcome, u32>);
    let mut wanted: BTreeMap<RequestId, u32> = BTreeMap::new();
    for (o, n) in outcome {
        *wanted.entry(o.request).or_default() += n;
    }
    let total: u32 = wanted.values().sum();
    let start: Key = (automaton.initial, BTreeMap::new());
    let mut parents: FxHashMap<Key, Option<(Key, Outcome)>> =
        FxHashMap::from_iter([(start.clone(), None)]);
    let mut layer = vec![start];
    let mut pace = limits.pace();
    for _ in 0..total {
        let mut next = Vec::new();
        for key in &layer {
            for edge in automaton.edges_from(key.0) {
                if pace.steps(16).is_err() {
                    return SerialRuns::TooMany;
                }
                let used: u32 = key
                    .1
                    .iter()
                    .filter(|(o, _)| o.request == edge.outcome.request)
                    .map(|(_, n)| n)
                    .sum();
                if used >= wanted.get(&edge.outcome.request).copied().unwrap_or(0) {
                    continue;
                }
                let mut so_far = key.1.clone();
                *so_far.entry(edge.outcome).or_default() += 1;
                let to: Key = (edge.after, so_far);
                if !parents.contains_key(&to) {
                    parents.insert(to.clone(), Some((key.clone(), edge.outcome)));
                    next.push(to);
                }
            }
            if parents.len() > MAX_STATES {
                return SerialRuns::TooMany;
            }
        }
        layer = next;
    }
    let overlap = |found: &BTreeMap<Outcome, u32>| -> u32 {
        outcome.iter().map(|(o, n)| found.get(o).map_or(0, |m| *m.min(n))).sum()
    };
    layer.sort_by_key(|(global, found)| (u32::MAX - overlap(found), found.clone(), *global));
    let mut seen: FxHashSet<BTreeMap<Outcome, u32>> = FxHashSet::default();
    let mut runs = Vec::new();
    for key in layer {
        if !seen.insert(key.1.clone()) || runs.len() == 5 {
            continue;
        }
        let mut run = Vec::new();
        let mut at = key;
        while let Some(Some((before, outcome))) = parents.get(&at) {
            run.push(*outcome);
            at = before.clone();
        }
        run.reverse();
        runs.push(run);
    }
    if runs.is_empty() { SerialRuns::Impossible } else { SerialRuns::Closest(runs) }
}
