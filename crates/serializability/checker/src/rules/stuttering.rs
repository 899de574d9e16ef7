//! `stuttering` among rules: drop steps that change nothing but could as well have waited.
//!
//! A transition from x (a place or nothing) to p that writes nothing is stuttering if for every
//! transition from p to e with reads R and writes W there is one from x to e with the same writes
//! and with reads among R. Either both are exact, or they have the same rule r; and if `r.from` has
//! opaque values the stuttering transition *waits*: it leaves the request in the state it was in.
//!
//! *Theorem.* Dropping all stuttering transitions keeps the outcomes. *Proof.* In a complete run
//! the request leaves p some day. Leave the stuttering transition out, and let the request take,
//! from x, the transition that its next one is matched with. Nothing else changes, because nothing
//! was written, and the run is shorter. Repeat until no stuttering transition is left.
//!
//! In the full net of `opaque`, what the request takes is the same in both places: if it is exact
//! because then x and p look like themselves only, and if it is opaque because it depends on r
//! alone or on values that have not changed. A transition that depends on them takes its request
//! from `r.from`; so p is this local state, and the one that waits leads from it to it. ∎

use super::opaque::{depends_on_request, waits};
use super::{RuleNet, Transition};
use crate::Reason;
use crate::meter::Meter;
use crate::names::Place;
use rustc_hash::FxHashMap;

/// Drops all stuttering transitions.
pub(crate) fn drop_stuttering(net: &mut RuleNet<'_>, meter: &mut Meter<'_>) -> Result<(), Reason> {
    let mut by_take: FxHashMap<Option<Place>, Vec<&Transition>> = FxHashMap::default();
    for t in &net.transitions {
        by_take.entry(t.take).or_default().push(t);
    }
    let mut verdicts: FxHashMap<(Option<Place>, Place, bool), bool> = FxHashMap::default();
    for t in &net.transitions {
        let Some(p) = t.put().filter(|_| t.writes.is_empty()) else { continue };
        let waits = waits(net, t);
        if verdicts.contains_key(&(t.take, p, waits)) {
            continue;
        }
        let mut stuttering = true;
        for later in by_take.get(&Some(p)).into_iter().flatten() {
            let mut matched = false;
            let is_known = waits || !depends_on_request(net, later);
            for now in by_take.get(&t.take).into_iter().flatten() {
                meter.work(1)?;
                matched = is_known
                    && now.opaque == later.opaque
                    && now.effect == later.effect
                    && now.writes == later.writes
                    && now.reads.iter().all(|(v, value)| later.reads.get(v) == Some(value));
                if matched {
                    break;
                }
            }
            if !matched {
                stuttering = false;
                break;
            }
        }
        verdicts.insert((t.take, p, waits), stuttering);
    }
    let is_dropped = |t: &Transition| match t.put() {
        Some(p) if t.writes.is_empty() => {
            verdicts.get(&(t.take, p, waits(net, t))).copied().unwrap_or(false)
        }
        _ => false,
    };
    let kept = net.transitions.iter().filter(|t| !is_dropped(t)).cloned().collect();
    net.transitions = kept;
    Ok(())
}
