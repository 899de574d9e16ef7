//! Smallest sets of yield points whose removal repairs a program.
//!
//! A counterexample of the program without some yield points is disturbed at others; unless one of
//! those is removed as well, it remains. So every repair hits the disturbed yield points of every
//! counterexample found so far, and the smallest set that does is the next to try: either it
//! repairs the program, or it gives one more counterexample to hit.
//!
//! Programs in which many yield points must be removed have too many such sets. There, all yield
//! points are removed and put back as far as possible.

use super::harm::{Doing, Harm};
use crate::serializability::causes::disturbed;
use crate::serializability::decision::{Decision, Verdict};
use crate::serializability::trials::{Answer, Trials};
use std::collections::BTreeSet;

/// A set of yield points, by their numbers in the outline.
pub(super) type Pauses = BTreeSet<usize>;

/// So many sets are looked for.
const MAX_SETS: usize = 3;

/// So many programs are checked.
const MAX_TRIALS: usize = 60;

/// What came out.
#[derive(Default)]
pub(super) struct Removals {
    /// Sets of yield points whose removal repairs the program, the smallest first.
    pub sets: Vec<Pauses>,
    /// How many sets were tried.
    pub tried: usize,
    /// Whether some sets would repair the program, but at the price of a request that waits without
    /// letting others in.
    pub would_spin: bool,
    /// Whether some sets would repair the program, but keep requests from completing.
    pub would_block: bool,
    /// How many of the sets could not be decided.
    pub unknown: usize,
    /// Whether all smallest sets were tried; otherwise the search ended early.
    pub complete: bool,
}

/// Looks for sets of yield points to remove.
pub(super) fn search(trials: &mut Trials<'_>, harm: &Harm, first: &Decision) -> Removals {
    let mut removals = Removals::default();
    let mut conflicts = vec![disturbed_pauses(trials, first)];
    // Sets that do not help, or do harm. A larger one may do better.
    let mut useless: Vec<Pauses> = Vec::new();
    while removals.sets.len() < MAX_SETS && removals.tried < MAX_TRIALS {
        let excluded = |set: &Pauses| {
            useless.contains(set) || removals.sets.iter().any(|known| known.is_subset(set))
        };
        let set = match smallest_hitting_set(&conflicts, &excluded) {
            Hitting::Found(set) => set,
            Hitting::None => {
                removals.complete = true;
                break;
            }
            Hitting::OutOfWork => break,
        };
        removals.tried += 1;
        match trials.without(&set) {
            Answer::Serializable(_) => match harm.of_removal(trials, &set) {
                Some(Doing::Spins) => {
                    removals.would_spin = true;
                    useless.push(set);
                }
                Some(Doing::Blocks) => {
                    removals.would_block = true;
                    useless.push(set);
                }
                None => removals.sets.push(set),
            },
            Answer::NotSerializable(report) => {
                let conflict: Pauses =
                    disturbed_pauses(trials, &report).difference(&set).copied().collect();
                useless.push(set);
                conflicts.push(conflict);
            }
            Answer::Unknown => {
                removals.unknown += 1;
                if trials.is_out_of_time() {
                    break;
                }
                useless.push(set);
            }
        }
    }
    if removals.sets.is_empty() && !removals.complete {
        removals.sets.extend(thinned(trials, harm, &mut removals.tried));
    }
    removals
}

/// Where the smallest sets are out of reach: all yield points but those that wait, without the ones
/// that may as well stay.
fn thinned(trials: &mut Trials<'_>, harm: &Harm, tried: &mut usize) -> Option<Pauses> {
    let end = *tried + MAX_TRIALS;
    let mut helps = |set: &Pauses, trials: &mut Trials<'_>| {
        *tried += 1;
        *tried <= end
            && matches!(trials.without(set), Answer::Serializable(_))
            && harm.of_removal(trials, set).is_none()
    };
    let pauses = trials.outline().pauses.iter().enumerate();
    let mut set: Pauses = pauses.filter(|(_, p)| !p.waits).map(|(i, _)| i).collect();
    if !helps(&set, trials) {
        return None;
    }
    // Half of them at once, then a quarter, and so on.
    let mut size = set.len().div_ceil(2);
    while size > 0 && !trials.is_out_of_time() {
        let order: Vec<usize> = set.iter().copied().collect();
        for some in order.chunks(size) {
            let fewer: Pauses = set.iter().copied().filter(|p| !some.contains(p)).collect();
            if helps(&fewer, trials) {
                set = fewer;
            }
        }
        size /= 2;
    }
    Some(set)
}

/// The yield points at which the counterexample of a report is disturbed.
fn disturbed_pauses(trials: &Trials<'_>, report: &Decision) -> Pauses {
    let Verdict::NotSerializable { steps, .. } = &report.verdict else { return Pauses::new() };
    disturbed(steps).iter().filter_map(|d| trials.outline().pause_at(d.span)).collect()
}

/// What the search for a set came to.
enum Hitting {
    Found(Pauses),
    /// There is none.
    None,
    /// There are too many to examine.
    OutOfWork,
}

/// The smallest set that has something in common with each conflict and is not excluded.
fn smallest_hitting_set(conflicts: &[Pauses], excluded: &dyn Fn(&Pauses) -> bool) -> Hitting {
    let all: Pauses = conflicts.iter().flatten().copied().collect();
    let mut search = Search { conflicts, all: &all, excluded, work: MAX_WORK };
    for size in 1..=all.len() {
        let found = search.hit(size, &mut Pauses::new(), &Pauses::new());
        match found {
            Some(set) => return Hitting::Found(set),
            None if search.work == 0 => return Hitting::OutOfWork,
            None => {}
        }
    }
    Hitting::None
}

/// How many steps the search for one set may take.
const MAX_WORK: usize = 100_000;

struct Search<'a> {
    conflicts: &'a [Pauses],
    all: &'a Pauses,
    excluded: &'a dyn Fn(&Pauses) -> bool,
    work: usize,
}

impl Search<'_> {
    /// A set of exactly this many more yield points, none of them in `banned`: every set is tried
    /// once.
    fn hit(&mut self, size: usize, chosen: &mut Pauses, banned: &Pauses) -> Option<Pauses> {
        self.work = self.work.saturating_sub(1);
        if self.work == 0 {
            return None;
        }
        let open = self.conflicts.iter().find(|c| c.is_disjoint(chosen));
        if size == 0 {
            let is_wanted = open.is_none() && !(self.excluded)(chosen);
            return is_wanted.then(|| chosen.clone());
        }
        // Where all are hit, but not in a way that helps, any other yield point may.
        let candidates = open.unwrap_or(self.all);
        let mut banned = banned.clone();
        for pause in candidates.iter().filter(|p| !chosen.contains(p)).copied().collect::<Vec<_>>()
        {
            if !banned.insert(pause) {
                continue;
            }
            chosen.insert(pause);
            let found = self.hit(size - 1, chosen, &banned);
            chosen.remove(&pause);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smallest_sets_come_first_and_excluded_ones_never() {
        let conflicts = [Pauses::from([1, 2]), Pauses::from([2, 3]), Pauses::from([1, 3])];
        let mut seen: Vec<Pauses> = Vec::new();
        let known = |seen: &[Pauses], s: &Pauses| seen.iter().any(|k| k.is_subset(s));
        while let Hitting::Found(set) = smallest_hitting_set(&conflicts, &|s| known(&seen, s)) {
            seen.push(set);
        }
        let expected = [Pauses::from([1, 2]), Pauses::from([1, 3]), Pauses::from([2, 3])];
        assert_eq!(seen, expected);
    }
}
