//! `stuttering`: drop steps that change nothing but could as well have waited.
//!
//! Removes, all at once, every transition `t: g + x -> g + p` (the same global state before and
//! after, the request in flight in p afterwards, x a place or nothing) such that for every
//! transition `h + p -> h' + e` also `h + x -> h' + e` is in the net.
//!
//! *Theorem.* The outcomes stay the same. *Proof.* In a complete run that fires t, the request is
//! later taken out of p by some `h + p -> h' + e`. Leave t out and fire `h + x -> h' + e` there
//! instead: until then the request just stays in x (or has not arrived yet), the global states
//! are the same, and so is the outcome. The run is shorter by one, so this ends, in a run of the
//! same net that fires no transition that is removed. Removal adds no runs. ∎
//!
//! The request stays the same because places and letters carry it.

use crate::Reason;
use crate::meter::Meter;
use crate::names::Place;
use crate::net::{Net, Transition};
use rustc_hash::FxHashMap;

/// Drops the stuttering transitions.
pub(crate) fn without_stuttering(net: &Net, meter: &mut Meter<'_>) -> Result<Net, Reason> {
    let mut takers: FxHashMap<Place, Vec<Transition>> = FxHashMap::default();
    for t in net.transitions() {
        if let Some(place) = t.take {
            takers.entry(place).or_default().push(*t);
        }
    }
    // The condition depends on x and p only.
    let mut known: FxHashMap<(Option<Place>, Place), bool> = FxHashMap::default();
    let mut kept = Vec::new();
    for t in net.transitions() {
        meter.work(1)?;
        let Some(place) = t.put().filter(|_| t.before == t.after) else {
            kept.push(*t);
            continue;
        };
        let can_wait = match known.get(&(t.take, place)) {
            Some(answer) => *answer,
            None => {
                let after = takers.get(&place).map_or(&[][..], Vec::as_slice);
                meter.work(after.len())?;
                let answer = after.iter().all(|u| net.contains(&Transition { take: t.take, ..*u }));
                known.insert((t.take, place), answer);
                answer
            }
        };
        if !can_wait {
            kept.push(*t);
        }
    }
    Ok(Net::new(net.initial, kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tests::leaves;

    #[test]
    fn only_steps_that_could_as_well_have_waited_are_dropped() {
        // (transitions, what is left)
        let table: [(&str, &[&str]); 6] = [
            // Waiting at the start for 1 is the same as arriving later.
            (
                r#"["s", "0", "s", "0"], ["s", "1", "d", "0"]"#,
                &["1 + q@s -> 0 + q/ok", "1 -> 0 + q/ok"],
            ),
            // The start changes the global state: not stuttering.
            (
                r#"["s", "0", "m", "1"], ["m", "1", "d", "0"]"#,
                &["0 -> 1 + q@m", "1 + q@m -> 0 + q/ok"],
            ),
            // A request in `m` can do what no arriving request can: not stuttering.
            (
                r#"["s", "0", "m", "0"], ["m", "1", "d", "0"]"#,
                &["0 -> 0 + q@m", "1 + q@m -> 0 + q/ok"],
            ),
            // Spinning in the middle.
            (
                r#"["s", "0", "m", "1"], ["m", "1", "m", "1"], ["m", "0", "d", "0"]"#,
                &["0 + q@m -> 0 + q/ok", "0 -> 1 + q@m"],
            ),
            // Two places that wait for each other and can do the same: both ways go.
            (
                r#"["s", "0", "m", "1"], ["m", "1", "n", "1"], ["n", "1", "m", "1"],
                   ["m", "1", "m", "1"], ["n", "1", "n", "1"], ["m", "0", "d", "0"], ["n", "0", "d", "0"]"#,
                &["0 + q@m -> 0 + q/ok", "0 + q@n -> 0 + q/ok", "0 -> 1 + q@m"],
            ),
            // `n` can do less than `m`, so going there can wait, but the way back cannot.
            (
                r#"["s", "0", "m", "1"], ["m", "1", "n", "1"], ["m", "0", "d", "0"],
                   ["m", "2", "d", "2"], ["n", "0", "d", "0"], ["n", "2", "m", "2"], ["m", "2", "m", "2"]"#,
                &[
                    "0 + q@m -> 0 + q/ok",
                    "0 + q@n -> 0 + q/ok",
                    "0 -> 1 + q@m",
                    "2 + q@m -> 2 + q/ok",
                    "2 + q@n -> 2 + q@m",
                ],
            ),
        ];
        leaves(&table, without_stuttering);
    }
}
