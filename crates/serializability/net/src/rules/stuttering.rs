//! Stuttering steps among rules: waiting is the same as coming later.
//!
//! A transition that writes nothing and moves a request from x to p (x may be "not yet arrived") is
//! stuttering if everything that p can do, x can do too: for every transition that takes p there is
//! one that takes x, with the same writes and the same effect, that reads no more. The argument is
//! that of [`remove_stuttering_steps`](crate::remove_stuttering_steps): leave the stuttering
//! transition out and let the request do the same thing from x. Transitions that touch opaque
//! values do the same thing only if they come from the same rule; and where that depends on values
//! of the request, only if those have not changed in between.

use super::{RuleNet, RuleTransition};
use crate::{Effect, PlaceId};
use rustc_hash::FxHashMap;
use ser_base::{Limits, Pace, Stop};
use std::collections::hash_map::Entry;

/// The net without its stuttering transitions.
pub(super) fn without_stuttering_steps(net: &RuleNet, limits: &Limits) -> Result<RuleNet, Stop> {
    let mut taking: FxHashMap<Option<PlaceId>, Vec<&RuleTransition>> = FxHashMap::default();
    for t in &net.transitions {
        taking.entry(t.takes).or_default().push(t);
    }
    let from = |x: Option<PlaceId>| taking.get(&x).map_or(&[][..], Vec::as_slice);
    let mut known: FxHashMap<(Option<PlaceId>, PlaceId, bool), bool> = FxHashMap::default();
    let mut pace = limits.pace();
    let mut transitions = Vec::new();
    for t in &net.transitions {
        let waits = t.opaque.is_some_and(|rule| rule.waits);
        let is_stuttering = match t.gives() {
            Some(p) if t.footprint.writes.is_empty() => match known.entry((t.takes, p, waits)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(vacant) => {
                    let later = from(Some(p));
                    let changes = |t: &&RuleTransition| {
                        t.opaque.is_some_and(|rule| rule.depends_on_request) && !waits
                    };
                    let stuttering =
                        !later.iter().any(changes) && is_covered(later, from(t.takes), &mut pace)?;
                    *vacant.insert(stuttering)
                }
            },
            _ => false,
        };
        if !is_stuttering {
            pace.steps(1 + t.footprint.reads.len() + t.footprint.writes.len())?;
            transitions.push(t.clone());
        }
    }
    Ok(RuleNet { transitions, ..net.clone() })
}

/// Whether everything that can happen later can happen now.
fn is_covered(
    later: &[&RuleTransition],
    now: &[&RuleTransition],
    pace: &mut Pace<'_>,
) -> Result<bool, Stop> {
    pace.steps(now.len())?;
    let now = by_effect(now);
    for later in later {
        let mut covered = false;
        for now in now.get(&later.effect).map_or(&[][..], Vec::as_slice) {
            pace.steps(1 + now.footprint.reads.len() * later.footprint.reads.len())?;
            covered = does_as_well(now, later);
            if covered {
                break;
            }
        }
        if !covered {
            return Ok(false);
        }
    }
    Ok(true)
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
    first.opaque == second.opaque
        && first.footprint.writes == second.footprint.writes
        && first.footprint.reads.iter().all(|read| second.footprint.reads.contains(read))
}
