//! Who can be in flight together: pairs of places that may hold a request each, at the same time.
//!
//! For each global state g the set of places that may be occupied at g, and the set of pairs
//! (p, q), p = q included, that two different requests may occupy at g. The least sets closed
//! under: when a request goes from x (or arrives) to y while the global state goes from g to g',
//!
//! - y may be occupied at g', and so may every q that may be occupied together with x at g;
//! - (y, q) may be occupied together at g' if (x, q) may at g (if the request arrives: if q may);
//! - (p, q) stay possible at g' if p, q and x are pairwise possible at g.
//!
//! A transition can fire only if its place may be occupied. An over-approximation that sees
//! mutual exclusion: two requests are never in the same critical section.

use crate::Net;
use ser_base::{Limits, Stop};

/// A matrix of bits for each global state.
pub(crate) struct MayHappenInParallel {
    /// Places.
    count: usize,
    /// Words in one row.
    width: usize,
    /// For each global state: a row of single places, then a row for each place.
    words: Vec<u64>,
    reached: Vec<bool>,
    /// For each global state the rows that have grown since its transitions were looked at: a bit
    /// for the single places, then one for each place.
    grown: Vec<Vec<u64>>,
}

/// Above this many bits the sets are not worth their memory.
const MAX_BITS: usize = 1 << 25;

/// And above this many words looked at, not worth their time.
const MAX_WORK: usize = 1 << 27;

impl MayHappenInParallel {
    /// The least fixpoint; `None` if it would be too large.
    pub fn new(net: &Net, limits: &Limits) -> Result<Option<MayHappenInParallel>, Stop> {
        let count = net.places.len();
        let width = count.div_ceil(64);
        let block = (count + 1).checked_mul(width);
        let Some(total) = block.and_then(|block| block.checked_mul(net.global_count)) else {
            return Ok(None);
        };
        if total > MAX_BITS / 64 {
            return Ok(None);
        }
        let mut pace = limits.pace();
        let mut sets = MayHappenInParallel {
            count,
            width,
            words: vec![0; total],
            reached: vec![false; net.global_count],
            grown: vec![vec![0; (count + 1).div_ceil(64)]; net.global_count],
        };
        let starts = net.starts_by_global();
        let mut queued = vec![false; net.global_count];
        let mut open = std::collections::VecDeque::from([net.initial.index()]);
        sets.reached[net.initial.index()] = true;
        let (mut work, mut others) = (0, Vec::new());
        let mut fired = vec![false; net.transitions.len()];
        while let Some(g) = open.pop_front() {
            queued[g] = false;
            if work > MAX_WORK {
                return Ok(None);
            }
            let rows = sets.grown[g].len();
            let grown = std::mem::replace(&mut sets.grown[g], vec![0; rows]);
            let here = starts[g] as usize..starts[g + 1] as usize;
            for (t, fired) in net.transitions[here.clone()].iter().zip(&mut fired[here]) {
                pace.steps(width)?;
                let x = t.takes.map(|p| p.index());
                if x.is_some_and(|x| !sets.single(g, x)) {
                    continue;
                }
                let is_new = !std::mem::replace(fired, true);
                let to = t.after.index();
                let y = t.gives().map(|p| p.index());
                let mut changed = !std::mem::replace(&mut sets.reached[to], true);
                let done = work;
                changed |= sets.step((g, x), (to, y), is_new, &grown, &mut others, &mut work);
                pace.steps(work - done)?;
                if changed && !std::mem::replace(&mut queued[to], true) {
                    open.push_back(to);
                }
            }
        }
        Ok(Some(sets))
    }

    /// Carries what is possible at `g` over to `to` when a request goes from `x` to `y`. Only what
    /// rows of `g` that have grown add to it, unless the transition `is_new`.
    fn step(
        &mut self,
        (g, x): (usize, Option<usize>),
        (to, y): (usize, Option<usize>),
        is_new: bool,
        grown: &[u64],
        others: &mut Vec<u64>,
        work: &mut usize,
    ) -> bool {
        // Who may be in flight besides the one that moves.
        let row = x.map_or(0, |x| x + 1);
        let from = self.row(g, row);
        others.clear();
        others.extend_from_slice(&self.words[from..from + self.width]);
        let others = others.as_slice();
        let all = is_new || is_set(grown, row);
        let mut changed = false;
        if g != to {
            for p in bits(others).filter(|p| all || is_set(grown, p + 1)) {
                *work += self.width;
                // p stays; its partners are those that may be together with p and with x.
                let from = self.row(g, p + 1);
                for (i, other) in others.iter().enumerate() {
                    changed |= self.add_word(to, p + 1, i, self.words[from + i] & other);
                }
            }
        }
        if all {
            for (i, other) in others.iter().enumerate() {
                changed |= self.add_word(to, 0, i, *other);
            }
            if let Some(y) = y {
                changed |= self.add_word(to, 0, y / 64, 1 << (y % 64));
                for (i, other) in others.iter().enumerate() {
                    changed |= self.add_word(to, y + 1, i, *other);
                }
                for p in bits(others) {
                    changed |= self.add_word(to, p + 1, y / 64, 1 << (y % 64));
                }
            }
        }
        changed
    }

    fn row(&self, global: usize, row: usize) -> usize {
        (global * (self.count + 1) + row) * self.width
    }

    /// Adds bits to a word of a row.
    fn add_word(&mut self, global: usize, row: usize, word: usize, bits: u64) -> bool {
        let at = self.row(global, row) + word;
        let missing = bits & !self.words[at];
        if missing == 0 {
            return false;
        }
        self.words[at] |= missing;
        self.grown[global][row / 64] |= 1 << (row % 64);
        true
    }

    fn get(&self, at: usize, bit: usize) -> bool {
        is_set(&self.words[at..], bit)
    }

    /// Whether the global state may occur.
    pub fn reached(&self, global: usize) -> bool {
        self.reached[global]
    }

    /// Whether a request may be in `place` at `global`.
    pub fn single(&self, global: usize, place: usize) -> bool {
        self.get(self.row(global, 0), place)
    }

    /// Whether two requests may be in `p` and `q` at `global`.
    pub fn pair(&self, global: usize, p: usize, q: usize) -> bool {
        self.get(self.row(global, p + 1), q)
    }
}

fn is_set(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}

/// The positions of the bits that are set.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(i, word)| {
        let mut word = *word;
        std::iter::from_fn(move || {
            if word == 0 {
                return None;
            }
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            Some(i * 64 + bit)
        })
    })
}
