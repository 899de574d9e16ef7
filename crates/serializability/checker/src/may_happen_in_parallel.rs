//! Which places are occupied, and which are occupied together.
//!
//! R is the least set of global states, S1 the least set of pairs (g, p) and S2 the least
//! symmetric set of triples (g, p, q) such that the initial global state is in R, and for every
//! transition `g + x -> g' + e` with g in R and (g, x) in S1 (or no x): g' is in R; and with
//! O = {q : (g, x, q) in S2}, or O = {q : (g, q) in S1} if there is no x,
//! - (g', q) is in S1 for q in O, and (g', p, q) in S2 for p and q in O with (g, p, q) in S2;
//! - if e is a place y: (g', y) is in S1, and (g', y, q) and (g', q, y) in S2 for q in O.
//!
//! *Theorem.* If a run leads to g with a request in p, then g is in R and (g, p) in S1; if it
//! leads there with two different requests in p and q (which may be the same place), (g, p, q) is
//! in S2. *Proof.* By induction over the run. The requests that the transition does not move
//! were in flight before, beside the one that it takes, so their places are in O; two of them were
//! in flight together. The request that it moves is in y afterwards, beside those. ∎

use crate::Reason;
use crate::meter::Meter;
use crate::names::Place;
use crate::net::Net;
use crate::slice::grouped;
use rustc_hash::{FxHashMap, FxHashSet};
use ser_model::GlobalId;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;

/// R, S1 and S2.
pub(crate) struct MayHappenInParallel {
    numbers: FxHashMap<Place, usize>,
    words: usize,
    /// For each global state of R: the bits of S1, then for each place a row of S2.
    rows: FxHashMap<GlobalId, Vec<u64>>,
}

impl MayHappenInParallel {
    pub(crate) fn new(net: &Net, meter: &mut Meter<'_>) -> Result<MayHappenInParallel, Reason> {
        let places = net.places();
        let count = places.len();
        let mut sets = MayHappenInParallel {
            words: count.div_ceil(64),
            numbers: places.into_iter().zip(0..).collect(),
            rows: FxHashMap::default(),
        };
        let size = sets.words.saturating_mul(count.saturating_add(1));
        let by_before = grouped(net, |t| t.before);
        meter.row(size)?;
        sets.rows.insert(net.initial, vec![0; size]);
        let mut todo = VecDeque::from([net.initial]);
        let mut queued = FxHashSet::from_iter([net.initial]);
        while let Some(global) = todo.pop_front() {
            queued.remove(&global);
            let here = sets.rows.get(&global).cloned().unwrap_or_default();
            for t in by_before.get(&global).into_iter().flatten() {
                let take = t.take.and_then(|p| sets.numbers.get(&p).copied());
                if take.is_some_and(|p| !bit(sets.single_row(&here), p)) {
                    continue;
                }
                let mut changed = false;
                if let Entry::Vacant(entry) = sets.rows.entry(t.after) {
                    meter.row(size)?;
                    entry.insert(vec![0; size]);
                    changed = true;
                }
                let others = match take {
                    None => sets.single_row(&here),
                    Some(p) => sets.pair_row(&here, p),
                };
                let count = ones(others).count().saturating_add(1);
                meter.work(count.saturating_mul(sets.words.saturating_add(1)))?;
                let put = t.put().and_then(|p| sets.numbers.get(&p).copied());
                changed |= sets.carry_over(&here, others, t.after, put);
                if changed && queued.insert(t.after) {
                    todo.push_back(t.after);
                }
            }
        }
        Ok(sets)
    }

    /// Adds to the sets of `to` what a transition carries over, where `others` may be in flight
    /// besides the request that it moves. Whether they grow.
    fn carry_over(
        &mut self,
        here: &[u64],
        others: &[u64],
        to: GlobalId,
        put: Option<usize>,
    ) -> bool {
        let words = self.words;
        let range = |row: usize| row * words..(row + 1) * words;
        let Some(next) = self.rows.get_mut(&to) else { return false };
        let mut changed = merge(next.get_mut(range(0)), others.iter().copied());
        for p in ones(others) {
            let row = here.get(range(p + 1)).unwrap_or_default();
            let beside = row.iter().zip(others).map(|(a, b)| a & b);
            changed |= merge(next.get_mut(range(p + 1)), beside);
        }
        if let Some(y) = put {
            changed |= insert(next.get_mut(range(0)), y);
            changed |= merge(next.get_mut(range(y + 1)), others.iter().copied());
            for q in ones(others) {
                changed |= insert(next.get_mut(range(q + 1)), y);
            }
        }
        changed
    }

    /// Whether a run may lead to `global`.
    pub(crate) fn reached(&self, global: GlobalId) -> bool {
        self.rows.contains_key(&global)
    }

    /// Whether a request may be in `place` at `global`.
    pub(crate) fn single(&self, global: GlobalId, place: Place) -> bool {
        let row = self.rows.get(&global).map_or(&[][..], |row| self.single_row(row));
        self.numbers.get(&place).is_some_and(|p| bit(row, *p))
    }

    /// Whether two different requests may be in `first` and `second` at `global`.
    pub(crate) fn pair(&self, global: GlobalId, first: Place, second: Place) -> bool {
        let (Some(p), Some(q)) = (self.numbers.get(&first), self.numbers.get(&second)) else {
            return false;
        };
        self.rows.get(&global).is_some_and(|row| bit(self.pair_row(row, *p), *q))
    }

    fn pair_range(&self, place: usize) -> std::ops::Range<usize> {
        (place + 1) * self.words..(place + 2) * self.words
    }

    fn single_row<'a>(&self, row: &'a [u64]) -> &'a [u64] {
        row.get(..self.words).unwrap_or_default()
    }

    fn pair_row<'a>(&self, row: &'a [u64], place: usize) -> &'a [u64] {
        row.get(self.pair_range(place)).unwrap_or_default()
    }
}

fn bit(row: &[u64], number: usize) -> bool {
    row.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}

/// Adds a number to a row; whether it was missing.
fn insert(row: Option<&mut [u64]>, number: usize) -> bool {
    let word = row.and_then(|row| row.get_mut(number / 64));
    let (bit, before) = (1 << (number % 64), word.as_deref().copied());
    word.into_iter().for_each(|word| *word |= bit);
    before.is_some_and(|before| before & bit == 0)
}

/// Adds `more` to a row; whether something was missing.
fn merge(row: Option<&mut [u64]>, more: impl Iterator<Item = u64>) -> bool {
    let mut changed = false;
    for (word, more) in row.into_iter().flatten().zip(more) {
        changed |= more & !*word != 0;
        *word |= more;
    }
    changed
}

/// The numbers in a row.
fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(i, word)| {
        let rest = std::iter::successors(Some(*word), |word| Some(word & word.wrapping_sub(1)));
        let rest = rest.take_while(|word| *word != 0);
        rest.map(move |word| i * 64 + word.trailing_zeros() as usize)
    })
}
