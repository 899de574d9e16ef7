//! Slicing by mutual exclusion: drop what could only fire if two requests were together that
//! never are.
//!
//! A transition fires only if the place that it takes from may be occupied at that moment, by the
//! pairwise over-approximation of
//! [`MayHappenInParallel`](crate::may_happen_in_parallel::MayHappenInParallel). Sharper than the
//! forward half of [`slice`](crate::slice()), which does not know that a lock keeps the second
//! request out, and more expensive.

use crate::Net;
use crate::may_happen_in_parallel::MayHappenInParallel;
use ser_base::{Limits, Stop};

/// Removes transitions that never fire; the net itself if it is too large to tell.
pub fn exclude(net: &Net, limits: &Limits) -> Result<Net, Stop> {
    let Some(sets) = MayHappenInParallel::new(net, limits)? else { return Ok(net.clone()) };
    Ok(net.retain(|t| {
        let g = t.before.index();
        sets.reached(g) && t.takes.is_none_or(|p| sets.single(g, p.index()))
    }))
}
