//! What may be the case while a request is in flight: values of variables, and other requests.
//!
//! For each place p the values that each variable may have while a request is in p, and the
//! places that other requests may be in at the same time. The least sets closed under: when a
//! request goes from x (or arrives) to y by a transition that is possible, given the values at x,
//!
//! - at y, variables have the values that they may have at x, or that the transition leaves behind;
//! - whoever may be in flight together with x, and agrees with what is read, is now together with
//!   y, and may see what is written.
//!
//! A request in a critical section sees its lock taken; so no other request can take the lock; so
//! nobody else is in the critical section and nobody else gives the lock back: all this comes out
//! of one fixpoint, one variable at a time. Variables that count requests ([`Count`]) say more
//! about two requests at once: what they rule out never enters the sets.

use super::{Count, RuleNet, RuleTransition, value_of};
use crate::PlaceId;
use ser_base::{Limits, Stop};
use ser_model::VariableId;

/// Sets of values and of places, as bits.
pub struct Facts {
    /// Where the values of each variable begin.
    base: Vec<usize>,
    values: Vec<Vec<i64>>,
    /// Values that a variable may have at some time.
    anywhere: Vec<u64>,
    /// Values that a variable may have while a request is in a place; empty if none ever is.
    at: Vec<Vec<u64>>,
    /// Places that may be occupied by another request at the same time.
    parallel: Vec<Vec<u64>>,
    /// What is taken for granted about variables that count.
    counts: Vec<Count>,
}

/// Work between two looks at the clock.
const LOOK_EVERY: usize = 1 << 16;

impl Facts {
    /// The least fixpoint, if these counts hold; see [`Facts::keep`].
    pub fn new(net: &RuleNet, counts: &[Count], limits: &Limits) -> Result<Facts, Stop> {
        let mut base = Vec::with_capacity(net.values.len());
        let mut total = 0;
        for values in &net.values {
            base.push(total);
            total += values.len();
        }
        let words = net.places.len().div_ceil(64);
        // At least one word, so that a place where somebody has been is never an empty list.
        let width = total.div_ceil(64).max(1);
        limits.check(0, net.places.len() * (words + width) * 8)?;
        let mut facts = Facts {
            base,
            values: net.values.clone(),
            anywhere: vec![0; width],
            at: vec![Vec::new(); net.places.len()],
            parallel: vec![vec![0; words]; net.places.len()],
            counts: counts.to_vec(),
        };
        for (variable, value) in net.initial.iter().enumerate() {
            if let Some(bit) = facts.bit(VariableId::from_index(variable), *value) {
                facts.anywhere[bit / 64] |= 1 << (bit % 64);
            }
        }
        let mut work = 0;
        loop {
            let mut changed = false;
            for t in &net.transitions {
                changed |= facts.fire(t, &mut work);
                if work > LOOK_EVERY {
                    limits.check_clock()?;
                    work = 0;
                }
            }
            if !changed {
                return Ok(facts);
            }
        }
    }

    fn fire(&mut self, t: &RuleTransition, work: &mut usize) -> bool {
        if !self.possible(t) {
            return false;
        }
        let mut changed = false;
        let writes: Vec<usize> = self.bits(&t.footprint.writes);
        for bit in &writes {
            changed |= set(&mut self.anywhere, *bit);
        }
        // Whoever else is in flight and agrees with what is read.
        let partners: Vec<usize> = match t.takes {
            Some(x) => ones(&self.parallel[x.index()]).collect(),
            None => (0..self.at.len()).filter(|p| !self.at[*p].is_empty()).collect(),
        };
        let touched = 1 + t.footprint.reads.len() + t.footprint.writes.len();
        *work += self.anywhere.len() + (1 + partners.len()) * touched;
        let partners: Vec<usize> = partners.into_iter().filter(|q| self.meets(t, *q)).collect();
        for q in &partners {
            for bit in &writes {
                changed |= set(&mut self.at[*q], *bit);
            }
        }
        let Some(y) = t.gives().map(PlaceId::index) else {
            return changed;
        };
        for q in partners {
            changed |= set(&mut self.parallel[q], y);
            changed |= set(&mut self.parallel[y], q);
        }
        let mut after = match t.takes {
            Some(x) => self.at[x.index()].clone(),
            None => self.anywhere.clone(),
        };
        for &(variable, value) in t.footprint.reads.iter().chain(&t.footprint.writes) {
            self.fix(&mut after, variable, value);
        }
        let here = &mut self.at[y];
        // Without variables, that somebody is here is all there is to know.
        changed |= here.is_empty();
        here.resize(after.len(), 0);
        for (word, more) in here.iter_mut().zip(after) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }

    /// Whether a transition can fire at all.
    pub fn possible(&self, t: &RuleTransition) -> bool {
        let x = t.takes.map(PlaceId::index);
        self.agrees(&t.footprint.reads, x) && self.counted(&t.footprint.reads, [x, None])
    }

    /// Whether a transition can fire while another request is in `q`.
    fn meets(&self, t: &RuleTransition, q: usize) -> bool {
        let x = t.takes.map(PlaceId::index);
        self.agrees(&t.footprint.reads, Some(q)) && self.counted(&t.footprint.reads, [x, Some(q)])
    }

    /// Whether a count holds: whatever can happen keeps it.
    pub fn keep(&self, net: &RuleNet, count: &Count) -> bool {
        net.transitions.iter().all(|t| count.keeps(t) || !self.possible(t))
    }

    /// Whether the counts allow these values while requests are in these places.
    fn counted(&self, values: &[(VariableId, i64)], places: [Option<usize>; 2]) -> bool {
        self.counts.iter().all(|count| {
            value_of(values, count.variable).is_none_or(|value| count.allows(value, places))
        })
    }

    /// Whether the variables may have these values while requests are in these places; nothing is
    /// a request that has not arrived or is gone.
    pub(super) fn agree(&self, values: &[(VariableId, i64)], places: [Option<PlaceId>; 2]) -> bool {
        let places = places.map(|p| p.map(PlaceId::index));
        places.iter().all(|p| self.agrees(values, *p)) && self.counted(values, places)
    }

    /// Whether the variables may have these values while a request is in the place, or at all.
    fn agrees(&self, values: &[(VariableId, i64)], place: Option<usize>) -> bool {
        let set = match place {
            Some(place) => &self.at[place],
            None => &self.anywhere,
        };
        !set.is_empty() && values.iter().all(|(v, x)| self.bit(*v, *x).is_some_and(|b| get(set, b)))
    }

    /// Whether two requests may be in these places at the same time; nothing is a request that
    /// has not arrived.
    pub(super) fn may_meet(&self, x: Option<PlaceId>, y: Option<PlaceId>) -> bool {
        match (x, y) {
            (Some(x), Some(y)) => get(&self.parallel[x.index()], y.index()),
            (Some(p), None) | (None, Some(p)) => !self.at[p.index()].is_empty(),
            (None, None) => true,
        }
    }

    /// The values that a variable may have while requests are in these places.
    pub(super) fn choices(&self, variable: VariableId, places: [Option<PlaceId>; 2]) -> Vec<i64> {
        let all = &self.values[variable.index()];
        let fits = |value: &i64| self.agree(&[(variable, *value)], places);
        all.iter().copied().filter(fits).collect()
    }

    fn bit(&self, variable: VariableId, value: i64) -> Option<usize> {
        let at = self.values[variable.index()].binary_search(&value).ok()?;
        Some(self.base[variable.index()] + at)
    }

    fn bits(&self, list: &[(VariableId, i64)]) -> Vec<usize> {
        list.iter().filter_map(|(v, x)| self.bit(*v, *x)).collect()
    }

    /// The variable has exactly this value.
    fn fix(&self, set: &mut [u64], variable: VariableId, value: i64) {
        let base = self.base[variable.index()];
        for bit in base..base + self.values[variable.index()].len() {
            set[bit / 64] &= !(1 << (bit % 64));
        }
        if let Some(bit) = self.bit(variable, value) {
            set[bit / 64] |= 1 << (bit % 64);
        }
    }
}

fn set(words: &mut [u64], bit: usize) -> bool {
    let old = words[bit / 64];
    words[bit / 64] |= 1 << (bit % 64);
    words[bit / 64] != old
}

fn get(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}

fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(i, word)| {
        let mut word = *word;
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                i * 64 + bit
            })
        })
    })
}
