//! What may be the case while a request is in flight.
//!
//! For each place p the values S(p, v) of each variable v while a request is in p, the pairs of
//! places that two requests may be in at the same time, and the values S(v) of each variable at
//! any time. The least sets such that S(v) has the first value of v, and that for every transition
//! t from x to e with reads R and writes W, *possible* in the sense that R is in S(x) (in S, if it
//! takes nothing):
//!
//! - W is in S;
//! - for every q that a request may be in together with x (any q with a request at some time, if t
//!   takes nothing), and that allows R too (R is in S(q)): W is in S(q);
//! - if t puts the request into y, each such q and y go together, and S(y) has W, and R where W
//!   says nothing, and S(x) (S, if t takes nothing) for all other variables.
//!
//! *Theorem.* In every run, while requests are in p and in q, the values are in S(p) and S(q), and
//! p and q are a pair. *Proof.* By induction over the run. Before t fires, its request is in x, and
//! the valuation has R; so R is in S(x) and t is possible; for every other request, in q, x and q
//! are a pair, and R is in S(q). After t, variables that t writes have W, which is in all these sets;
//! others are unchanged; and a variable that t reads and does not write has the value that t read. ∎

use super::{RuleNet, Transition, Values};
use crate::Reason;
use crate::meter::Meter;
use crate::names::Place;
use crate::net::Effect;
use rustc_hash::{FxHashMap, FxHashSet};
use ser_model::VariableId;
use std::collections::BTreeSet;

/// The values that variables may have, by variable; each list is sorted.
type Possible = Vec<BTreeSet<i64>>;

/// What may be the case while requests are in flight.
pub(crate) struct Facts {
    /// Nothing, as long as nobody has worked it out: then everything may be the case.
    known: Option<Known>,
}

struct Known {
    numbers: FxHashMap<Place, usize>,
    anywhere: Possible,
    /// For each place; nothing if no request ever is in it.
    at: Vec<Option<Possible>>,
    /// For each place, whether another request may be in each place.
    pairs: Vec<Vec<bool>>,
}

impl Facts {
    /// Everything may be the case.
    pub(crate) fn nothing_known() -> Facts {
        Facts { known: None }
    }

    /// The least sets.
    pub(crate) fn of(net: &RuleNet<'_>, meter: &mut Meter<'_>) -> Result<Facts, Reason> {
        let mentioned = net.transitions.iter().flat_map(|t| t.take.into_iter().chain(t.put()));
        let places: BTreeSet<Place> = mentioned.collect();
        let frame = net.system.frame();
        let first = frame.valuation(frame.initial_global());
        let count = places.len();
        for _ in 0..count {
            meter.row(count / 8 + 1)?;
        }
        let mut known = Known {
            numbers: places.into_iter().enumerate().map(|(i, place)| (place, i)).collect(),
            anywhere: first.iter().map(|value| BTreeSet::from([*value])).collect(),
            at: vec![None; count],
            pairs: vec![vec![false; count]; count],
        };
        loop {
            let mut grown = false;
            for t in &net.transitions {
                grown |= known.fire(t, meter)?;
            }
            if !grown {
                return Ok(Facts { known: Some(known) });
            }
        }
    }

    /// Whether a request may be in `place` (or, for nothing, arrive) while these are the values.
    pub(crate) fn allow(&self, values: &Values, place: Option<Place>) -> bool {
        self.known.as_ref().is_none_or(|known| known.allows(values, place))
    }

    /// Whether two requests may be in these places at the same time, where nothing is a request
    /// that has not arrived.
    pub(crate) fn pair(&self, x: Option<Place>, y: Option<Place>) -> bool {
        let (Some(known), Some(x), Some(y)) = (&self.known, x, y) else {
            return true;
        };
        match (known.numbers.get(&x), known.numbers.get(&y)) {
            (Some(x), Some(y)) => known.pairs[*x][*y],
            _ => false,
        }
    }

    /// The values of a variable while requests are in these places, out of all that it may take.
    pub(crate) fn choices(
        &self,
        variable: VariableId,
        all: &[i64],
        places: [Option<Place>; 2],
    ) -> Vec<i64> {
        let fits = |value: &i64| {
            let values = Values::from([(variable, *value)]);
            places.iter().all(|place| self.allow(&values, *place))
        };
        all.iter().copied().filter(fits).collect()
    }
}

impl Known {
    fn set(&self, place: Option<Place>) -> Option<&Possible> {
        match place {
            None => Some(&self.anywhere),
            Some(place) => self.numbers.get(&place).and_then(|i| self.at[*i].as_ref()),
        }
    }

    fn allows(&self, values: &Values, place: Option<Place>) -> bool {
        self.set(place).is_some_and(|set| agree(set, values))
    }

    /// Adds what a transition brings about; whether that was new.
    fn fire(&mut self, t: &Transition, meter: &mut Meter<'_>) -> Result<bool, Reason> {
        let Some(before) = self.set(t.take).filter(|set| agree(set, &t.reads)) else {
            return Ok(false);
        };
        // At y, after t.
        let mut after = before.clone();
        for (variable, value) in t.reads.iter().chain(&t.writes) {
            after[variable.index()] = BTreeSet::from([*value]);
        }
        let x = t.take.and_then(|place| self.numbers.get(&place).copied());
        let others: Vec<usize> = (0..self.at.len())
            .filter(|q| x.is_none_or(|x| self.pairs[x][*q]))
            .filter(|q| self.at[*q].as_ref().is_some_and(|set| agree(set, &t.reads)))
            .collect();
        meter.work(self.at.len() + others.len() * t.writes.len() + 1)?;
        let mut grown = false;
        for (variable, value) in &t.writes {
            grown |= self.anywhere[variable.index()].insert(*value);
            for q in &others {
                if let Some(set) = &mut self.at[*q]
                    && set[variable.index()].insert(*value)
                {
                    meter.entry()?;
                    grown = true;
                }
            }
        }
        let Some(y) = t.put().and_then(|place| self.numbers.get(&place).copied()) else {
            return Ok(grown);
        };
        for q in others {
            grown |= !std::mem::replace(&mut self.pairs[q][y], true);
            grown |= !std::mem::replace(&mut self.pairs[y][q], true);
        }
        let here = self.at[y].get_or_insert_with(|| {
            grown = true;
            vec![BTreeSet::new(); after.len()]
        });
        meter.work(after.len())?;
        for (set, more) in here.iter_mut().zip(after) {
            for value in more {
                if set.insert(value) {
                    meter.entry()?;
                    grown = true;
                }
            }
        }
        Ok(grown)
    }
}

fn agree(set: &Possible, values: &Values) -> bool {
    values.iter().all(|(variable, value)| set[variable.index()].contains(value))
}

/// Drops transitions that never fire.
pub(crate) fn drop_impossible(net: &mut RuleNet<'_>, facts: &Facts) {
    net.transitions.retain(|t| facts.allow(&t.reads, t.take));
}

/// Drops transitions into places from which no sequence of transitions leads to a response: a
/// request that gets there never completes.
pub(crate) fn drop_hopeless(net: &mut RuleNet<'_>, meter: &mut Meter<'_>) -> Result<(), Reason> {
    let mut hopeful: FxHashSet<Place> = FxHashSet::default();
    loop {
        let found = hopeful.len();
        for t in &net.transitions {
            meter.work(1)?;
            let completes = match t.effect {
                Effect::Outcome(_) => true,
                Effect::Place(place) => hopeful.contains(&place),
            };
            if completes {
                hopeful.extend(t.take);
            }
        }
        if hopeful.len() == found {
            break;
        }
    }
    net.transitions.retain(|t| t.put().is_none_or(|place| hopeful.contains(&place)));
    Ok(())
}
