//! Idle steps: waiting is the same as coming later.
//!
//! A transition that leaves the global state alone and moves a request from x to p (x may be
//! "not yet arrived") is idle if everything that p can do, x can do too: for every transition
//! that takes p, the same one takes x.
//!
//! *Why it is exact.* In a complete run, the request goes on from p at some point. Leave the idle
//! transition out and let the request do the same thing from x: the run has the same outcome and
//! is shorter by one. Repeat; it ends because runs get shorter, and no idle transition is left.
//!
//! A spin-wait at the start of a handler goes away like this, and often every request in flight
//! with it: then nothing can interleave.

use crate::{Effect, Net, PlaceId, Transition};
use rustc_hash::FxHashSet;

/// Removes all idle transitions at once.
pub fn remove_idle_steps(net: &Net) -> Net {
    let all: FxHashSet<Transition> = net.transitions.iter().copied().collect();
    let mut taking: Vec<Vec<Transition>> = vec![Vec::new(); net.places.len()];
    for t in &net.transitions {
        if let Some(p) = t.takes {
            taking[p.index()].push(*t);
        }
    }
    let mut known: rustc_hash::FxHashMap<(Option<PlaceId>, PlaceId), bool> = Default::default();
    net.retain(|t| match t.effect {
        Effect::InFlight(p) if t.before == t.after => {
            let idle = *known.entry((t.takes, p)).or_insert_with(|| {
                taking[p.index()]
                    .iter()
                    .all(|next| all.contains(&Transition { takes: t.takes, ..*next }))
            });
            !idle
        }
        _ => true,
    })
}
