//! `stuttering` among rules: drop steps that change nothing but could as well have waited.
//!
//! A transition from x (a place or nothing) to p that writes nothing is stuttering if for every
//! transition from p to e with reads R and writes W there is one from x to e with the same writes
//! and with reads among R.
//!
//! *Theorem.* Dropping all stuttering transitions keeps the outcomes. *Proof.* In a complete run
//! the request leaves p some day. Leave the stuttering transition out, and let the request take,
//! from x, the transition that its next one is matched with. Nothing else changes, because nothing
//! was written, and the run is shorter. Repeat until no stuttering transition is left. ∎

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
    let mut verdicts: FxHashMap<(Option<Place>, Place), bool> = FxHashMap::default();
    for t in &net.transitions {
        let Some(p) = t.put().filter(|_| t.writes.is_empty()) else { continue };
        if verdicts.contains_key(&(t.take, p)) {
            continue;
        }
        let mut stuttering = true;
        for later in by_take.get(&Some(p)).into_iter().flatten() {
            let mut matched = false;
            for now in by_take.get(&t.take).into_iter().flatten() {
                meter.work(1)?;
                matched = now.effect == later.effect
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
        verdicts.insert((t.take, p), stuttering);
    }
    net.transitions.retain(|t| match t.put() {
        Some(p) if t.writes.is_empty() => !verdicts.get(&(t.take, p)).copied().unwrap_or(false),
        _ => true,
    });
    Ok(())
}
