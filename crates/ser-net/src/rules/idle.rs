//! Idle steps among rules: waiting is the same as coming later.
//!
//! A transition that writes nothing and moves a request from x to p (x may be "not yet arrived")
//! is idle if everything that p can do, x can do too: for every transition that takes p there
//! is one that takes x, with the same writes and the same effect, that reads no more. The argument
//! is that of [`remove_idle_steps`](crate::remove_idle_steps): leave the idle transition out and
//! let the request do the same thing from x.

use super::{RuleNet, RuleTransition};
use crate::{Effect, PlaceId};
use rustc_hash::FxHashMap;

/// The net without its idle transitions.
pub(super) fn without_idle_steps(net: &RuleNet) -> RuleNet {
    let mut taking: FxHashMap<Option<PlaceId>, Vec<&RuleTransition>> = FxHashMap::default();
    for t in &net.transitions {
        taking.entry(t.takes).or_default().push(t);
    }
    let from = |x: Option<PlaceId>| taking.get(&x).map_or(&[][..], Vec::as_slice);
    let mut known: FxHashMap<(Option<PlaceId>, PlaceId), bool> = FxHashMap::default();
    let mut is_idle = |t: &RuleTransition| match t.gives() {
        Some(p) if t.footprint.writes.is_empty() => {
            *known.entry((t.takes, p)).or_insert_with(|| {
                let now: FxHashMap<Effect, Vec<&RuleTransition>> = by_effect(from(t.takes));
                from(Some(p)).iter().all(|later| {
                    let same = now.get(&later.effect).map_or(&[][..], Vec::as_slice);
                    same.iter().any(|now| does_as_well(now, later))
                })
            })
        }
        _ => false,
    };
    let transitions = net.transitions.iter().filter(|t| !is_idle(t)).cloned().collect();
    RuleNet { transitions, ..net.clone() }
}

fn by_effect<'a>(list: &[&'a RuleTransition]) -> FxHashMap<Effect, Vec<&'a RuleTransition>> {
    let mut found: FxHashMap<Effect, Vec<&RuleTransition>> = FxHashMap::default();
    for t in list {
        found.entry(t.effect).or_default().push(t);
    }
    found
}

/// Whether the first does what the second does wherever the second is possible.
fn does_as_well(first: &RuleTransition, second: &RuleTransition) -> bool {
    first.footprint.writes == second.footprint.writes
        && first.footprint.reads.iter().all(|read| second.footprint.reads.contains(read))
}
