//! Stuttering steps: waiting is the same as coming later.
//!
//! A transition that leaves the global state alone and moves a request from x to p (x may be
//! "not yet arrived") is stuttering if everything that p can do, x can do too: for every transition
//! that takes p, the same one takes x.
//!
//! *Why it is exact.* In a complete run, the request goes on from p at some point. Leave the
//! stuttering transition out and let the request do the same thing from x: the run has the same
//! outcome and is shorter by one. Repeat; it ends because runs get shorter, and no stuttering
//! transition is left.
//!
//! A spin-wait at the start of a handler goes away like this, and often every request in flight
//! with it: then nothing can interleave.

use crate::{Effect, Net, PlaceId, Transition};
use rustc_hash::FxHashSet;
use ser_base::{Limits, Stop};

/// Removes all stuttering transitions at once.
pub fn remove_stuttering_steps(net: &Net, limits: &Limits) -> Result<Net, Stop> {
    let mut pace = limits.pace();
    let mut all: FxHashSet<Transition> = FxHashSet::default();
    let mut taking: Vec<Vec<Transition>> = vec![Vec::new(); net.places.len()];
    for t in &net.transitions {
        pace.steps(1)?;
        all.insert(*t);
        if let Some(p) = t.takes {
            taking[p.index()].push(*t);
        }
    }
    let mut known: rustc_hash::FxHashMap<(Option<PlaceId>, PlaceId), bool> = Default::default();
    for t in &net.transitions {
        if let Effect::InFlight(p) = t.effect
            && t.before == t.after
            && !known.contains_key(&(t.takes, p))
        {
            let mut stuttering = true;
            for next in &taking[p.index()] {
                pace.steps(1)?;
                if !all.contains(&Transition { takes: t.takes, ..*next }) {
                    stuttering = false;
                    break;
                }
            }
            known.insert((t.takes, p), stuttering);
        }
    }
    Ok(net.retain(|t| match t.effect {
        Effect::InFlight(p) if t.before == t.after => known.get(&(t.takes, p)) != Some(&true),
        _ => true,
    }))
}
