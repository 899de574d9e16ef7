//! In which order a transition takes and gives its tokens, one at a time.
//!
//! A step may take one token and give another. Every token that is taken from a place must be taken
//! before, or at the same time as, the first that is given to it: otherwise the transition
//! could feed on what it has just given, and would fire with too few tokens.
//!
//! Places that are only taken from, or only given to, are no trouble. The others come first among
//! what is taken and last among what is given, in the same order, and what is given is pushed to
//! the end far enough. With weights of one that costs no steps at all: there are as many as
//! there are arcs on the larger side.

use crate::PlaceId;

/// One step: what it takes and what it gives.
pub(super) type Move = (Option<PlaceId>, Option<PlaceId>);

/// The steps of a transition.
pub(super) fn schedule(takes: &[(PlaceId, u64)], gives: &[(PlaceId, u64)]) -> Vec<Move> {
    let weight = |arcs: &[(PlaceId, u64)], p: PlaceId| {
        arcs.iter().find(|(q, _)| *q == p).map_or(0, |(_, n)| *n as usize)
    };
    let shared: Vec<PlaceId> =
        takes.iter().map(|(p, _)| *p).filter(|p| weight(gives, *p) > 0).collect();
    let is_shared = |arc: &&(PlaceId, u64)| shared.contains(&arc.0);
    let spread = |(p, n): &(PlaceId, u64)| std::iter::repeat_n(*p, *n as usize);

    let first = takes.iter().filter(is_shared);
    let taken: Vec<PlaceId> =
        first.chain(takes.iter().filter(|a| !is_shared(a))).flat_map(spread).collect();
    let last = gives.iter().filter(is_shared);
    let given: Vec<PlaceId> =
        gives.iter().filter(|a| !is_shared(a)).chain(last).flat_map(spread).collect();

    // The last of s to be taken is not after the first of s to be given.
    let mut length = taken.len().max(given.len());
    let mut taken_so_far = 0;
    let mut given_from_here: usize = shared.iter().map(|p| weight(gives, *p)).sum();
    for p in &shared {
        taken_so_far += weight(takes, *p);
        length = length.max((taken_so_far + given_from_here).saturating_sub(1));
        given_from_here -= weight(gives, *p);
    }
    let delay = length - given.len();
    (0..length)
        .map(|i| {
            let gives = i.checked_sub(delay).and_then(|i| given.get(i));
            (taken.get(i).copied(), gives.copied())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs(list: &[(u32, u64)]) -> Vec<(PlaceId, u64)> {
        list.iter().map(|(p, n)| (PlaceId(*p), *n)).collect()
    }

    #[test]
    fn nothing_is_taken_after_it_was_given() {
        let weights = [0, 1, 2, 3];
        for a in weights {
            for b in weights {
                for c in weights {
                    for d in weights {
                        for e in [0, 1] {
                            let only = |list: [(u32, u64); 3]| {
                                arcs(&list).into_iter().filter(|(_, n)| *n > 0).collect::<Vec<_>>()
                            };
                            let takes = only([(0, a), (1, b), (2, e)]);
                            let gives = only([(0, c), (1, d), (3, e)]);
                            let moves = schedule(&takes, &gives);
                            let count = |p: &PlaceId, given: bool| {
                                let side = |m: &Move| if given { m.1 } else { m.0 };
                                moves.iter().filter(|m| side(m) == Some(*p)).count() as u64
                            };
                            assert!(takes.iter().all(|(p, n)| count(p, false) == *n));
                            assert!(gives.iter().all(|(p, n)| count(p, true) == *n));
                            for p in (0..4).map(PlaceId) {
                                let last = moves.iter().rposition(|m| m.0 == Some(p));
                                let first = moves.iter().position(|m| m.1 == Some(p));
                                if let (Some(last), Some(first)) = (last, first) {
                                    assert!(last <= first, "{takes:?} {gives:?} {moves:?}");
                                }
                            }
                            assert!(moves.iter().all(|m| *m != (None, None)));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn loops_of_weight_one_cost_no_steps() {
        let moves = schedule(&arcs(&[(0, 1), (1, 1)]), &arcs(&[(0, 1), (2, 1)]));
        assert_eq!(moves.len(), 2);
    }
}
