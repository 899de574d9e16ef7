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
//! A variable v may *count*: it comes with an amount a(p) >= 0 for each place p. If t reads v = n,
//! it is possible only if n >= v0 + a(x), and q counts among those above only if n >= v0 + a(x) +
//! a(q), where v0 is the first value of v. Every possible transition must change v by a(y) - a(x),
//! with 0 for no place. Or all amounts are <= 0, and `at least` becomes `at most`.
//!
//! *Theorem.* In every run, a variable that counts has the value v0 plus the amounts of all
//! requests in flight; and while requests are in p and in q, the values are in S(p) and S(q), and p
//! and q are a pair. *Proof.* By induction over the run. Before t fires, its request is in x, and
//! the valuation has R; so R is in S(x); a variable that counts is at least v0 + a(x), and at least
//! v0 + a(x) + a(q) if another request is in q; so t is possible. For every other request, in q, x
//! and q are a pair, and R is in S(q). After t, variables that t writes have W, which is in all
//! these sets; others are unchanged; and a variable that t reads and does not write has the value
//! that t read. And a variable that counts has changed by what the request of t now adds more. ∎

use super::{RuleNet, Transition, Values};
use crate::Reason;
use crate::format::Count;
use crate::meter::Meter;
use crate::names::{Names, Place};
use crate::net::Effect;
use rustc_hash::{FxHashMap, FxHashSet};
use ser_model::VariableId;
use std::collections::BTreeSet;

/// The values that variables may have: one bit for each value of each variable.
#[derive(Clone)]
struct Possible(Vec<u64>);

impl Possible {
    fn insert(&mut self, bit: usize) -> bool {
        let old = self.0[bit / 64];
        self.0[bit / 64] |= 1 << (bit % 64);
        self.0[bit / 64] != old
    }

    fn contains(&self, bit: usize) -> bool {
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Adds another set; whether it had something new.
    fn extend(&mut self, other: &Possible) -> bool {
        let mut grown = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            grown |= more & !*word != 0;
            *word |= more;
        }
        grown
    }
}

/// The bits of the values of all variables.
struct Bits {
    /// The values of each variable, sorted, and the bit of the first.
    values: Vec<(Vec<i64>, usize)>,
    count: usize,
}

impl Bits {
    /// For the values that the system's rules mention.
    fn new(net: &RuleNet<'_>, first: &[i64]) -> Bits {
        let mut mentioned: Vec<BTreeSet<i64>> =
            first.iter().map(|value| BTreeSet::from([*value])).collect();
        for t in &net.transitions {
            for (variable, value) in t.reads.iter().chain(&t.writes) {
                mentioned[variable.index()].insert(*value);
            }
        }
        let mut count = 0;
        let mut values = Vec::with_capacity(mentioned.len());
        for list in mentioned {
            let start = count;
            count += list.len();
            values.push((list.into_iter().collect(), start));
        }
        Bits { values, count }
    }

    /// The bit of a value; nothing if no transition ever reads or writes it.
    fn of(&self, variable: VariableId, value: i64) -> Option<usize> {
        let (values, start) = &self.values[variable.index()];
        values.binary_search(&value).ok().map(|at| start + at)
    }

    /// Makes a variable have exactly one value.
    fn fix(&self, set: &mut Possible, variable: VariableId, value: i64) {
        let (values, start) = &self.values[variable.index()];
        for bit in *start..start + values.len() {
            set.0[bit / 64] &= !(1 << (bit % 64));
        }
        if let Some(bit) = self.of(variable, value) {
            set.insert(bit);
        }
    }

    fn agree(&self, set: &Possible, values: &Values) -> bool {
        values.iter().all(|(v, x)| self.of(*v, *x).is_some_and(|bit| set.contains(bit)))
    }
}

/// What may be the case while requests are in flight.
pub(crate) struct Facts {
    /// Nothing, as long as nobody has worked it out: then everything may be the case.
    known: Option<Known>,
}

struct Known {
    bits: Bits,
    places: Vec<Place>,
    numbers: FxHashMap<Place, usize>,
    anywhere: Possible,
    /// For each place; nothing if no request ever is in it.
    at: Vec<Option<Possible>>,
    /// For each place, whether another request may be in each place.
    pairs: Vec<Vec<bool>>,
    counting: Vec<Counting>,
}

/// A variable that counts.
struct Counting {
    variable: VariableId,
    first: i64,
    amounts: FxHashMap<Place, i64>,
    /// Whether amounts are positive; otherwise they are negative.
    rises: bool,
}

impl Counting {
    fn new(count: &Count, first: &[i64], names: &Names<'_>) -> Result<Counting, Reason> {
        let variable = names.variable(&count.variable)?;
        let mut amounts = FxHashMap::default();
        let rises = count.amounts.first().is_some_and(|entry| entry.amount > 0);
        for entry in &count.amounts {
            let place = names.place(&entry.request, &entry.local)?;
            if entry.amount == 0 || (entry.amount > 0) != rises {
                return Err(Reason::MixedAmounts { amount: entry.amount });
            }
            if amounts.insert(place, entry.amount).is_some() {
                return Err(Reason::Repeated { what: names.show_place(place) });
            }
        }
        Ok(Counting { variable, first: first[variable.index()], amounts, rises })
    }

    fn amount(&self, place: Option<Place>) -> i128 {
        let amount = place.and_then(|place| self.amounts.get(&place));
        amount.copied().map_or(0, i128::from)
    }

    /// Whether the value is large enough (or small enough) for requests in these places.
    fn allows(&self, values: &Values, places: [Option<Place>; 2]) -> bool {
        let bound = i128::from(self.first) + self.amount(places[0]) + self.amount(places[1]);
        values.get(&self.variable).is_none_or(|value| {
            if self.rises { i128::from(*value) >= bound } else { i128::from(*value) <= bound }
        })
    }

    /// Whether a transition changes the variable as it changes the amounts.
    fn is_kept_by(&self, t: &Transition) -> bool {
        let change = match (t.reads.get(&self.variable), t.writes.get(&self.variable)) {
            (_, None) => 0,
            (Some(before), Some(after)) => i128::from(*after) - i128::from(*before),
            (None, Some(_)) => return false,
        };
        change == self.amount(t.put()) - self.amount(t.take)
    }
}

impl Facts {
    /// Everything may be the case.
    pub(crate) fn nothing_known() -> Facts {
        Facts { known: None }
    }

    /// The least sets.
    pub(crate) fn of(
        net: &RuleNet<'_>,
        counts: &[Count],
        names: &Names<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Facts, Reason> {
        let places: BTreeSet<Place> = net.places();
        let frame = net.system.frame();
        let first = frame.valuation(frame.initial_global());
        let counting: Vec<Counting> =
            counts.iter().map(|c| Counting::new(c, first, names)).collect::<Result<_, _>>()?;
        let count = places.len();
        let bits = Bits::new(net, first);
        meter.work(net.transitions.len())?;
        for _ in 0..count {
            meter.row(count / 8 + bits.count / 64 + 2)?;
        }
        let mut anywhere = Possible(vec![0; bits.count / 64 + 1]);
        for (variable, value) in first.iter().enumerate() {
            if let Some(bit) = bits.of(VariableId::from_index(variable), *value) {
                anywhere.insert(bit);
            }
        }
        let mut known = Known {
            numbers: places.iter().enumerate().map(|(i, place)| (*place, i)).collect(),
            places: places.into_iter().collect(),
            bits,
            anywhere,
            at: vec![None; count],
            pairs: vec![vec![false; count]; count],
            counting,
        };
        loop {
            let mut grown = false;
            for t in &net.transitions {
                grown |= known.fire(t, meter)?;
            }
            if !grown {
                break;
            }
        }
        for (count, counting) in counts.iter().zip(&known.counting) {
            let breaks =
                |t: &&Transition| !counting.is_kept_by(t) && known.allows(&t.reads, [t.take, None]);
            if let Some(t) = net.transitions.iter().find(breaks) {
                let (variable, transition) = (count.variable.clone(), names.show_rule(t));
                return Err(Reason::CountNotKept { variable, transition });
            }
        }
        Ok(Facts { known: Some(known) })
    }

    /// Whether two requests may be in these places while these are the values. Nothing is a request
    /// that has not arrived or is gone.
    pub(crate) fn allow(&self, values: &Values, places: [Option<Place>; 2]) -> bool {
        self.known.as_ref().is_none_or(|known| known.allows(values, places))
    }

    /// Whether a transition may fire.
    pub(crate) fn possible(&self, t: &Transition) -> bool {
        self.allow(&t.reads, [t.take, None])
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
        let fits = |value: &i64| self.allow(&Values::from([(variable, *value)]), places);
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

    fn allows(&self, values: &Values, places: [Option<Place>; 2]) -> bool {
        let inside = |place: &Option<Place>| {
            self.set(*place).is_some_and(|set| self.bits.agree(set, values))
        };
        places.iter().all(inside) && self.counting.iter().all(|c| c.allows(values, places))
    }

    /// Adds what a transition brings about; whether that was new.
    fn fire(&mut self, t: &Transition, meter: &mut Meter<'_>) -> Result<bool, Reason> {
        let Some(before) = self.set(t.take).filter(|_| self.allows(&t.reads, [t.take, None]))
        else {
            return Ok(false);
        };
        // At y, after t.
        let mut after = before.clone();
        for (variable, value) in t.reads.iter().chain(&t.writes) {
            self.bits.fix(&mut after, *variable, *value);
        }
        let x = t.take.and_then(|place| self.numbers.get(&place).copied());
        let others: Vec<usize> = (0..self.at.len())
            .filter(|q| x.is_none_or(|x| self.pairs[x][*q]))
            .filter(|q| self.allows(&t.reads, [t.take, Some(self.places[*q])]))
            .collect();
        meter.work(self.at.len() + others.len() * t.writes.len() + 1)?;
        let mut grown = false;
        for (variable, value) in &t.writes {
            let Some(bit) = self.bits.of(*variable, *value) else { continue };
            grown |= self.anywhere.insert(bit);
            for q in &others {
                if let Some(set) = &mut self.at[*q] {
                    grown |= set.insert(bit);
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
        meter.work(after.0.len())?;
        match &mut self.at[y] {
            Some(here) => grown |= here.extend(&after),
            none => {
                *none = Some(after);
                grown = true;
            }
        }
        Ok(grown)
    }
}

/// Drops transitions into places from which no sequence of transitions leads to a response: a
/// request that gets there never completes.
pub(crate) fn keep_co_reachable(
    net: &mut RuleNet<'_>,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let mut co_reachable: FxHashSet<Place> = FxHashSet::default();
    loop {
        let found = co_reachable.len();
        for t in &net.transitions {
            meter.work(1)?;
            let completes = match t.effect {
                Effect::Outcome(_) => true,
                Effect::Place(place) => co_reachable.contains(&place),
            };
            if completes {
                co_reachable.extend(t.take);
            }
        }
        if co_reachable.len() == found {
            break;
        }
    }
    net.transitions.retain(|t| t.put().is_none_or(|place| co_reachable.contains(&place)));
    Ok(())
}
