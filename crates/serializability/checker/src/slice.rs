//! `slice`: drop what cannot happen and what cannot complete, until nothing changes.
//!
//! *Forward.* C is the least set of global states and P the least set of pairs (global state,
//! place) such that the initial global state is in C, and for every transition
//! `g + x -> g' + e` with g in C and (g, x) in P (or no x): g' is in C; (g', p) is in P for
//! every (g, p) in P; and (g', p) is in P if e is a place p. By induction over a run: where the
//! control is in g and p is marked, g is in C and (g, p) in P. So only such transitions fire.
//!
//! *Backward.* H is the least set of pairs such that (g, p) is in H if a transition takes p from
//! g to g' and completes, or puts p' with (g', p') in H; or if any transition leads from g to g'
//! with (g', p) in H. By induction from the end of a complete run: a request in p while the
//! control is in g has (g, p) in H, because the rest of the run completes it. So a transition
//! that puts p' in g' with (g', p') not in H is in no complete run.
//!
//! *Theorem.* A slice has the same complete runs. ∎

use crate::Reason;
use crate::meter::Meter;
use crate::names::Place;
use crate::net::{Net, Transition};
use rustc_hash::FxHashMap;
use ser_model::GlobalId;
use std::collections::BTreeSet;

/// Slices forward and backward until nothing changes.
pub(crate) fn slice(net: &Net, meter: &mut Meter<'_>) -> Result<Net, Reason> {
    let mut now = net.clone();
    loop {
        let size = now.transitions().len();
        now = backward(&forward(&now, meter)?, meter)?;
        if now.transitions().len() == size {
            return Ok(now);
        }
    }
}

/// A set of pairs (global state, place), as one set of place numbers for each global state.
pub(crate) struct Pairs {
    numbers: FxHashMap<Place, usize>,
    words: usize,
    rows: FxHashMap<GlobalId, Vec<u64>>,
}

impl Pairs {
    fn new(net: &Net) -> Pairs {
        let places = net.places();
        Pairs {
            words: places.len().div_ceil(64),
            numbers: places.into_iter().zip(0..).collect(),
            rows: FxHashMap::default(),
        }
    }

    /// The row of a global state, and whether it is new.
    fn row(
        &mut self,
        global: GlobalId,
        meter: &mut Meter<'_>,
    ) -> Result<(&mut Vec<u64>, bool), Reason> {
        meter.work(self.words)?;
        let new = !self.rows.contains_key(&global);
        if new {
            meter.row(self.words)?;
        }
        let words = self.words;
        Ok((self.rows.entry(global).or_insert_with(|| vec![0; words]), new))
    }

    pub(crate) fn contains(&self, global: GlobalId, place: Place) -> bool {
        let Some(number) = self.numbers.get(&place) else {
            return false;
        };
        let word = self.rows.get(&global).and_then(|row| row.get(number / 64));
        word.is_some_and(|w| w >> (number % 64) & 1 == 1)
    }

    /// Adds a place to a row; whether it was missing.
    fn insert(
        &mut self,
        global: GlobalId,
        place: Place,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Reason> {
        let Some(number) = self.numbers.get(&place).copied() else {
            return Ok(false);
        };
        let (row, _) = self.row(global, meter)?;
        let Some(word) = row.get_mut(number / 64) else {
            return Ok(false);
        };
        let missing = *word >> (number % 64) & 1 == 0;
        *word |= 1 << (number % 64);
        Ok(missing)
    }

    /// Adds every place of `more` to a row; whether one was missing or the row is new.
    fn extend(
        &mut self,
        global: GlobalId,
        more: &[u64],
        meter: &mut Meter<'_>,
    ) -> Result<bool, Reason> {
        let (row, mut changed) = self.row(global, meter)?;
        for (word, more) in row.iter_mut().zip(more) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        Ok(changed)
    }
}

/// The transitions, grouped by one of their ends.
pub(crate) fn grouped<K: Eq + std::hash::Hash>(
    net: &Net,
    end: impl Fn(&Transition) -> K,
) -> FxHashMap<K, Vec<Transition>> {
    let mut groups: FxHashMap<K, Vec<Transition>> = FxHashMap::default();
    for t in net.transitions() {
        groups.entry(end(t)).or_default().push(*t);
    }
    groups
}

/// Keeps what can happen. A row of `marked` exists for each global state in C.
fn forward(net: &Net, meter: &mut Meter<'_>) -> Result<Net, Reason> {
    let mut marked = Pairs::new(net);
    let by_before = grouped(net, |t| t.before);
    marked.row(net.initial, meter)?;
    let mut todo = BTreeSet::from([net.initial]);
    while let Some(global) = todo.pop_first() {
        let here = marked.row(global, meter)?.0.clone();
        for t in by_before.get(&global).into_iter().flatten() {
            if t.take.is_some_and(|p| !marked.contains(global, p)) {
                continue;
            }
            let mut changed = marked.extend(t.after, &here, meter)?;
            if let Some(place) = t.put() {
                changed |= marked.insert(t.after, place, meter)?;
            }
            if changed {
                todo.insert(t.after);
            }
        }
    }
    Ok(keep(net, |t| {
        marked.rows.contains_key(&t.before) && t.take.is_none_or(|p| marked.contains(t.before, p))
    }))
}

/// H: where a request may still complete.
pub(crate) fn co_reachable(net: &Net, meter: &mut Meter<'_>) -> Result<Pairs, Reason> {
    let mut co_reachable = Pairs::new(net);
    let by_after = grouped(net, |t| t.after);
    let mut todo: BTreeSet<GlobalId> = by_after.keys().copied().collect();
    while let Some(global) = todo.pop_first() {
        let here = co_reachable.row(global, meter)?.0.clone();
        for t in by_after.get(&global).into_iter().flatten() {
            let mut changed = co_reachable.extend(t.before, &here, meter)?;
            if let Some(place) = t.take
                && t.put().is_none_or(|p| co_reachable.contains(global, p))
            {
                changed |= co_reachable.insert(t.before, place, meter)?;
            }
            if changed {
                todo.insert(t.before);
            }
        }
    }
    Ok(co_reachable)
}

/// Keeps what can complete.
fn backward(net: &Net, meter: &mut Meter<'_>) -> Result<Net, Reason> {
    let co_reachable = co_reachable(net, meter)?;
    Ok(keep(net, |t| t.put().is_none_or(|p| co_reachable.contains(t.after, p))))
}

/// The net with only the transitions that are wanted.
pub(crate) fn keep(net: &Net, wanted: impl Fn(&Transition) -> bool) -> Net {
    let kept = net.transitions().iter().filter(|t| wanted(t)).copied();
    Net::new(net.initial, kept.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tests::leaves;

    #[test]
    fn slices_keep_exactly_what_can_happen_and_complete() {
        // (transitions, what is left)
        let table: [(&str, &[&str]); 7] = [
            // All of it is needed.
            (
                r#"["s", "0", "m", "1"], ["m", "1", "d", "0"]"#,
                &["0 -> 1 + q@m", "1 + q@m -> 0 + q/ok"],
            ),
            // Global state 2 is never reached.
            (r#"["s", "0", "d", "1"], ["s", "2", "d", "1"]"#, &["0 -> 1 + q/ok"]),
            // Nobody is in flight in `m` when the global state is 0.
            (
                r#"["s", "0", "m", "1"], ["m", "0", "d", "1"], ["m", "1", "d", "2"]"#,
                &["0 -> 1 + q@m", "1 + q@m -> 2 + q/ok"],
            ),
            // Global state 2 is not reached either: nobody is in flight in `m`.
            (
                r#"["s", "0", "d", "0"], ["s", "1", "m", "1"], ["m", "0", "d", "2"], ["s", "2", "d", "2"]"#,
                &["0 -> 0 + q/ok"],
            ),
            // A request in `m` is stuck forever; so nothing completes at all.
            (r#"["s", "0", "m", "1"], ["m", "0", "d", "0"]"#, &[]),
            // Not stuck: another request leads back to 0.
            (
                r#"["s", "0", "m", "1"], ["m", "0", "d", "0"], ["s", "1", "d", "0"]"#,
                &["0 + q@m -> 0 + q/ok", "0 -> 1 + q@m", "1 -> 0 + q/ok"],
            ),
            // Backward removes the only way to 1, then forward removes what happens in 1.
            (
                r#"["s", "0", "m", "1"], ["m", "2", "d", "2"], ["s", "1", "d", "1"], ["s", "0", "d", "0"]"#,
                &["0 -> 0 + q/ok"],
            ),
        ];
        leaves(&table, slice);
    }
}
