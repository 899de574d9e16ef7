//! What the same requests could have responded serially: the closest serial runs.

use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::Limits;
use ser_model::{GlobalId, NetworkSystem, RequestId};
use ser_net::{Outcome, SerialAutomaton};
use std::collections::BTreeMap;

/// The most (global state, outcome) pairs to look at.
const MAX_STATES: usize = 50_000;

/// Outcomes with more different responses, or with more requests, are not taken apart.
const MAX_LETTERS: usize = 8;
const MAX_REQUESTS: u32 = 12;

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

type Counts = BTreeMap<Outcome, u32>;
type Part = [(Outcome, u32)];
type Key = (GlobalId, Counts);

/// Serial runs of given requests.
struct Serial {
    /// From where, and with which response, each was reached.
    parents: FxHashMap<Key, Option<(Key, Outcome)>>,
    /// The runs in which all requests have responded.
    complete: Vec<Key>,
}

/// All serial runs of the same requests as in `outcome`, as far as they end differently; nothing
/// if they are too many. Whoever has given up there may do nothing here; nobody else may.
fn serial(system: &NetworkSystem, outcome: &[(Outcome, u32)], limits: &Limits) -> Option<Serial> {
    let automaton = SerialAutomaton::alone(system, limits).ok()?;
    let given_up: Vec<(Outcome, u32)> =
        outcome.iter().filter(|(o, _)| !system.counts(o.response)).copied().collect();
    let mut wanted: BTreeMap<RequestId, u32> = BTreeMap::new();
    for (o, n) in outcome {
        *wanted.entry(o.request).or_default() += n;
    }
    let total: u32 = wanted.values().sum();
    let start: Key = (automaton.initial, Counts::new());
    let mut parents: FxHashMap<Key, Option<(Key, Outcome)>> =
        FxHashMap::from_iter([(start.clone(), None)]);
    let mut complete = vec![start];
    let mut pace = limits.pace();
    for _ in 0..total {
        let mut next = Vec::new();
        for key in &complete {
            let alone = automaton.edges_from(key.0).iter().map(|edge| (edge.outcome, edge.after));
            let idle = given_up.iter().filter(|(o, n)| key.1.get(o).is_none_or(|m| m < n));
            for (outcome, after) in alone.chain(idle.map(|(o, _)| (*o, key.0))) {
                pace.steps(16).ok()?;
                let used: u32 = key
                    .1
                    .iter()
                    .filter(|(o, _)| o.request == outcome.request)
                    .map(|(_, n)| n)
                    .sum();
                if used >= wanted.get(&outcome.request).copied().unwrap_or(0) {
                    continue;
                }
                let mut so_far = key.1.clone();
                *so_far.entry(outcome).or_default() += 1;
                let to: Key = (after, so_far);
                if !parents.contains_key(&to) {
                    parents.insert(to.clone(), Some((key.clone(), outcome)));
                    next.push(to);
                }
            }
            if parents.len() > MAX_STATES {
                return None;
            }
        }
        complete = next;
    }
    Some(Serial { parents, complete })
}

/// How many responses two outcomes share.
fn overlap(outcome: &[(Outcome, u32)], found: &Counts) -> u32 {
    outcome.iter().map(|(o, n)| found.get(o).map_or(0, |m| *m.min(n))).sum()
}

/// Finds serial runs of the same requests as in `outcome` that come closest to it. What cannot be
/// found within the limits is too many. The system has to have all serial runs of these requests.
pub fn closest_serial_runs(
    system: &NetworkSystem,
    outcome: &[(Outcome, u32)],
    limits: &Limits,
) -> SerialRuns {
    let Some(Serial { parents, mut complete }) = serial(system, outcome, limits) else {
        return SerialRuns::TooMany;
    };
    complete.sort_by_key(|(global, found)| {
        (u32::MAX - overlap(outcome, found), found.clone(), *global)
    });
    let mut seen: FxHashSet<Counts> = FxHashSet::default();
    let mut runs = Vec::new();
    for key in complete {
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

/// The smallest part of `outcome` that no serial run of the same requests contains, whatever the
/// other requests respond: these responses contradict each other. Nothing if serial runs are too
/// many to tell, or if the outcome is serial after all.
///
/// Empty if no serial run completes all of these requests.
pub fn contradiction(
    system: &NetworkSystem,
    outcome: &[(Outcome, u32)],
    limits: &Limits,
) -> Option<Vec<(Outcome, u32)>> {
    let Serial { complete, .. } = serial(system, outcome, limits)?;
    let total: u32 = outcome.iter().map(|(_, n)| n).sum();
    if outcome.len() > MAX_LETTERS || total > MAX_REQUESTS {
        return None;
    }
    for size in 0..=total {
        let mut part = Vec::new();
        if let Some(found) = parts(outcome, size, &mut part, &|part| {
            complete.iter().all(|(_, found)| overlap(part, found) < size)
        }) {
            return Some(found);
        }
    }
    None
}

/// The first part of `rest`, of the given size, that `is_wanted`.
fn parts(
    rest: &Part,
    size: u32,
    chosen: &mut Vec<(Outcome, u32)>,
    is_wanted: &dyn Fn(&Part) -> bool,
) -> Option<Vec<(Outcome, u32)>> {
    let Some(((outcome, most), rest)) = rest.split_first() else {
        return (size == 0 && is_wanted(chosen)).then(|| chosen.clone());
    };
    for count in (0..=size.min(*most)).rev() {
        if count > 0 {
            chosen.push((*outcome, count));
        }
        let found = parts(rest, size - count, chosen, is_wanted);
        if count > 0 {
            chosen.pop();
        }
        if found.is_some() {
            return found;
        }
    }
    None
}
