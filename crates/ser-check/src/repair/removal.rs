//! Smallest sets of pauses whose removal repairs a program.
//!
//! A counterexample of the program without some pauses is disturbed at others; unless one of
//! those goes as well, it remains. So every repair hits the disturbed pauses of every counterexample
//! found so far, and the smallest set that does is the next to try: either it repairs the program, or
//! it gives one more counterexample to hit.

use super::harm::Harm;
use crate::cause::disturbed;
use crate::check::{Report, Verdict};
use crate::trials::{Answer, Trials};
use std::collections::BTreeSet;

/// A set of pauses, by their numbers in the outline.
pub(super) type Pauses = BTreeSet<usize>;

/// So many sets are looked for.
const MAX_SETS: usize = 3;

/// So many programs are checked.
const MAX_TRIALS: usize = 60;

/// What came out.
#[derive(Default)]
pub(super) struct Removals {
    /// Sets of pauses whose removal repairs the program, the smallest first.
    pub sets: Vec<Pauses>,
    /// How many sets were tried.
    pub tried: usize,
    /// Whether some sets would repair the program, but at the price of a request that waits without
    /// letting others in.
    pub would_spin: bool,
    /// Whether some sets would repair the program, but keep requests from completing.
    pub would_block: bool,
    /// Whether all smallest sets were found; otherwise the search ended early.
    pub complete: bool,
}

/// Looks for sets of pauses to remove.
pub(super) fn search(trials: &mut Trials<'_>, harm: &Harm, first: &Report) -> Removals {
    let mut removals = Removals::default();
    let mut conflicts = vec![disturbed_pauses(trials, first)];
    // Sets that do not help; and sets that do harm, as larger ones would.
    let mut useless: Vec<Pauses> = Vec::new();
    let mut harmful: Vec<Pauses> = Vec::new();
    while removals.sets.len() < MAX_SETS && removals.tried < MAX_TRIALS {
        let excluded = |set: &Pauses| {
            useless.contains(set)
                || harmful.iter().chain(&removals.sets).any(|known| known.is_subset(set))
        };
        let Some(set) = smallest_hitting_set(&conflicts, &excluded) else {
            removals.complete = true;
            break;
        };
        removals.tried += 1;
        match trials.without(&set) {
            Answer::Serializable(_) => {
                let text = trials.text_without(&set);
                if harm.spins(trials.outline(), &set, &text) {
                    removals.would_spin = true;
                    harmful.push(set);
                } else if harm.is_harmless(&text) == Some(false) {
                    removals.would_block = true;
                    harmful.push(set);
                } else {
                    removals.sets.push(set);
                }
            }
            Answer::NotSerializable(report) => {
                let conflict: Pauses =
                    disturbed_pauses(trials, &report).difference(&set).copied().collect();
                useless.push(set);
                conflicts.push(conflict);
            }
            Answer::Unknown => {
                if trials.is_out_of_time() {
                    break;
                }
                useless.push(set);
            }
        }
    }
    removals
}

/// The pauses at which the counterexample of a report is disturbed.
fn disturbed_pauses(trials: &Trials<'_>, report: &Report) -> Pauses {
    let Verdict::NotSerializable { steps, .. } = &report.verdict else { return Pauses::new() };
    disturbed(steps).iter().filter_map(|d| trials.outline().pause_at(d.span)).collect()
}

/// The smallest set that has something in common with each conflict and is not excluded.
fn smallest_hitting_set(
    conflicts: &[Pauses],
    excluded: &dyn Fn(&Pauses) -> bool,
) -> Option<Pauses> {
    let all: Pauses = conflicts.iter().flatten().copied().collect();
    let mut work = MAX_WORK;
    (1..=all.len()).find_map(|size| hit(conflicts, size, &mut Pauses::new(), excluded, &mut work))
}

/// How many steps the search for one set may take.
const MAX_WORK: usize = 100_000;

fn hit(
    conflicts: &[Pauses],
    size: usize,
    chosen: &mut Pauses,
    excluded: &dyn Fn(&Pauses) -> bool,
    work: &mut usize,
) -> Option<Pauses> {
    *work = work.checked_sub(1)?;
    let open = conflicts.iter().find(|c| c.is_disjoint(chosen));
    let candidates: Pauses = match open {
        None if !excluded(chosen) => return Some(chosen.clone()),
        // All are hit, but not in a way that helps: add any other pause.
        None => conflicts.iter().flatten().copied().filter(|p| !chosen.contains(p)).collect(),
        Some(conflict) => conflict.clone(),
    };
    if size == 0 {
        return None;
    }
    candidates.into_iter().find_map(|pause| {
        chosen.insert(pause);
        let found = hit(conflicts, size - 1, chosen, excluded, work);
        chosen.remove(&pause);
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_sets_come_first_and_excluded_ones_never() {
        let conflicts = [Pauses::from([1, 2]), Pauses::from([2, 3]), Pauses::from([1, 3])];
        let mut seen: Vec<Pauses> = Vec::new();
        while let Some(set) =
            smallest_hitting_set(&conflicts, &|s| seen.iter().any(|k| k.is_subset(s)))
        {
            seen.push(set);
        }
        let expected = [Pauses::from([1, 2]), Pauses::from([1, 3]), Pauses::from([2, 3])];
        assert_eq!(seen, expected);
    }
}
