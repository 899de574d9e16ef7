//! Merging components.
//!
//! One rule makes sets much smaller, and needs a record of its own, because its result has no
//! single base word that visits all cycles:
//!
//! ```text
//! (b, P) u (b + q, P u {q}) = (b, P u {q})
//! ```
//!
//! A merged component points at the two it is made of ([`Origin::Merge`]). The rule also applies
//! where the two do not have the same periods: a component without some of its periods is contained
//! in the one with them, so what is shared counts, and `(b, P)` and `(b + q, Q u {q})` together
//! contain `(b, (P n Q) u {q})`. And any vector of a component can take the place of its base. Such
//! a step need not make anything smaller by itself, but it may be on the way to something large:
//! `{0}`, `(1, 0) + N^2` and `(0, 1) + N^2` together are `N^2`, in two steps. So components are
//! derived for a while, and in the end as few as possible are chosen that contain all that were
//! there at the start.

use crate::cone::{GaveUp, quick_lambda};
use crate::semilinear::{Component, Limits, Origin, Semilinear, TooLarge, difference, find};
use std::collections::{BTreeMap, VecDeque};

/// The letter counts of all words of an automaton, as a list that a certificate can replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcomes {
    /// All components, each after those it is merged from.
    pub components: Vec<Component>,
    /// The components that together are the whole set; the others are contained in them.
    pub maximal: Vec<usize>,
}

/// How many components may be derived for each one at the start.
const DERIVED_FOR_EACH: usize = 8;

/// More components than this are only looked at in a simple way.
const MANY: usize = 100;

impl Outcomes {
    /// Applies the merge rule, unless it is switched off.
    pub fn new(set: &Semilinear, limits: &Limits) -> Result<Outcomes, TooLarge> {
        let components = set.components().to_vec();
        let given = 0..components.len();
        let active = given.clone().collect();
        let (good, other) = (VecDeque::new(), VecDeque::new());
        let mut merging = Merging { components, active, good, other };
        let maximal = if set.options.merge {
            merging.saturate(limits)?;
            merging.fewest(given.end, limits)?
        } else {
            given.collect()
        };
        Ok(Outcomes { components: merging.components, maximal })
    }

    /// A component that contains the vector, by its index, and the lambdas.
    #[allow(clippy::type_complexity)]
    pub fn contains(&self, vector: &[i64]) -> Result<Option<(usize, Vec<i64>)>, GaveUp> {
        find(self.maximal.iter().map(|&at| (at, &self.components[at])), vector)
    }

    /// The part of the list that the given components need, in the same order, and where each
    /// component of the list went.
    pub fn only(&self, wanted: &[usize]) -> (Vec<Component>, BTreeMap<usize, usize>) {
        let mut needed = vec![false; self.components.len()];
        for &at in wanted {
            if let Some(flag) = needed.get_mut(at) {
                *flag = true;
            }
        }
        for at in (0..self.components.len()).rev() {
            if needed[at]
                && let Origin::Merge(i, j, _) = self.components[at].origin
            {
                needed[i] = true;
                needed[j] = true;
            }
        }
        let mut list = Vec::new();
        let mut places = BTreeMap::new();
        for (at, component) in self.components.iter().enumerate().filter(|(at, _)| needed[*at]) {
            let mut component = component.clone();
            if let Origin::Merge(i, j, q) = component.origin {
                // Both are earlier, so both have a place.
                component.origin = Origin::Merge(places[&i], places[&j], q);
            }
            places.insert(at, list.len());
            list.push(component);
        }
        (list, places)
    }
}

/// A step `(i, j, q)`: component `i` contains the base of `j` without its period `q`.
type Step = (usize, usize, usize);

/// A step, and how often component `i` uses its periods.
type Found = (Step, Vec<i64>);

struct Merging {
    components: Vec<Component>,
    /// Those that no other one contains.
    active: Vec<usize>,
    /// Steps whose result contains both components.
    good: VecDeque<Found>,
    /// Other steps.
    other: VecDeque<Found>,
}

impl Merging {
    /// Derives components until nothing new comes, or it becomes tedious.
    fn saturate(&mut self, limits: &Limits) -> Result<(), TooLarge> {
        let mut budget = DERIVED_FOR_EACH * self.active.len();
        for j in self.active.clone() {
            for i in self.active.clone() {
                limits.check_clock()?;
                self.find(i, j);
            }
        }
        while budget > 0
            && let Some((step, lambda)) = self.good.pop_front().or_else(|| self.other.pop_front())
        {
            limits.check_clock()?;
            // What took the place of a component has steps of its own.
            let merged = self.result(step);
            let is_known = |at: &usize| merged.is_within(&self.components[*at]);
            if ![step.0, step.1].iter().all(|at| self.active.contains(at))
                || self.active.iter().any(is_known)
            {
                continue;
            }
            budget -= 1;
            let origin = self.origin(step, &lambda, &merged.periods);
            self.active.retain(|at| !self.components[*at].is_within(&merged));
            let new = self.components.len();
            self.components.push(Component { origin, ..merged });
            for at in self.active.clone() {
                self.find(at, new);
                self.find(new, at);
            }
            self.active.push(new);
        }
        Ok(())
    }

    /// The steps of two components.
    fn find(&mut self, i: usize, j: usize) {
        // Many components are many pairs: then only those with the right bases.
        let exact = self.active.len() > MANY;
        let (smaller, larger) = (&self.components[i], &self.components[j]);
        for (q, period) in larger.periods.iter().enumerate() {
            let Some(base) = difference(&larger.base, period) else { continue };
            let Some(rest) = difference(&base, &smaller.base) else { continue };
            let lambda = if rest.iter().all(|n| *n == 0) {
                Some(vec![0; smaller.periods.len()])
            } else if exact {
                None
            } else {
                quick_lambda(&smaller.periods, &rest)
            };
            if let Some(lambda) = lambda {
                let merged = self.result((i, j, q));
                let both = smaller.is_within(&merged) && larger.is_within(&merged);
                let steps = if both { &mut self.good } else { &mut self.other };
                steps.push_back(((i, j, q), lambda));
            }
        }
    }

    /// What a step gives: the base of `j` without `q`; the period `q`, and those of `j` that `i`
    /// has too, in the order of `j`.
    fn result(&self, (i, j, q): Step) -> Component {
        let (smaller, larger) = (&self.components[i], &self.components[j]);
        let base = larger.base.iter().zip(&larger.periods[q]).map(|(b, p)| b - p).collect();
        let periods = larger.periods.iter().enumerate();
        let kept = periods.filter(|(at, p)| *at == q || smaller.periods.contains(p));
        let periods = kept.map(|(_, p)| p.clone()).collect();
        Component { base, periods, ..Component::epsilon(larger.base.len()) }
    }

    /// The record of a step: components that have just the base and the periods that it needs take
    /// the places of `i` and `j`.
    fn origin(&mut self, (i, j, q): Step, lambda: &[i64], periods: &[Vec<i64>]) -> Origin {
        let period = self.components[j].periods[q].clone();
        let smaller = self.shift(i, lambda);
        let larger = self.restrict(j, periods);
        Origin::Merge(smaller, larger, position(&self.components[larger].periods, &period))
    }

    /// The component with the base at another one of its vectors, and the same periods.
    fn shift(&mut self, at: usize, lambda: &[i64]) -> usize {
        let component = &self.components[at];
        if lambda.iter().all(|n| *n == 0) {
            return at;
        }
        let mut moved = component.clone();
        match component.origin {
            Origin::Word => moved.insert_cycles(lambda),
            Origin::Merge(i, j, q) => {
                let larger = self.components[j].periods.clone();
                if lambda.get(q).is_some_and(|n| *n > 0) {
                    // Once q is the difference of the bases.
                    let mut rest = lambda.to_vec();
                    rest[q] -= 1;
                    return self.shift(j, &rest);
                }
                let smaller = &self.components[i].periods;
                let mut less = vec![0; smaller.len()];
                for (period, n) in larger.iter().zip(lambda).filter(|(_, n)| **n > 0) {
                    less[position(smaller, period)] += n;
                }
                let (i, j) = (self.shift(i, &less), self.shift(j, lambda));
                moved.base.clone_from(&self.components[i].base);
                moved.origin = Origin::Merge(i, j, q);
            }
        }
        self.components.push(moved);
        self.components.len() - 1
    }

    /// The component with only these of its periods, in the same order.
    fn restrict(&mut self, at: usize, periods: &[Vec<i64>]) -> usize {
        let component = &self.components[at];
        if component.periods == periods {
            return at;
        }
        let mut narrow = component.clone();
        match component.origin {
            Origin::Word => {
                let cycles = component.periods.iter().zip(&component.cycles);
                let kept = cycles.filter(|(p, _)| periods.contains(p));
                let kept = kept.map(|(p, c)| (p.clone(), c.clone()));
                (narrow.periods, narrow.cycles) = kept.unzip();
            }
            Origin::Merge(i, j, q) => {
                let period = self.components[j].periods[q].clone();
                if !periods.contains(&period) {
                    // Without q, all of it is in the smaller one.
                    return self.restrict(i, periods);
                }
                let j = self.restrict(j, periods);
                narrow.periods.clone_from(&self.components[j].periods);
                narrow.origin = Origin::Merge(i, j, position(&narrow.periods, &period));
            }
        }
        self.components.push(narrow);
        self.components.len() - 1
    }

    /// As few of the active components as possible that contain the first `given` ones: again and
    /// again the one that contains most of what is left.
    fn fewest(&self, given: usize, limits: &Limits) -> Result<Vec<usize>, TooLarge> {
        let contains = |at: usize, inner: usize| {
            at == inner || self.components[inner].is_within(&self.components[at])
        };
        let mut chosen = Vec::new();
        let mut left: Vec<usize> = (0..given).collect();
        while !left.is_empty() {
            limits.check_clock()?;
            let covered = |at: &usize| left.iter().filter(|inner| contains(*at, **inner)).count();
            // The first one with the largest number.
            let best = self.active.iter().copied().rev().max_by_key(covered);
            let Some(best) = best.filter(|at| covered(at) > 0) else { break };
            left.retain(|inner| !contains(best, *inner));
            chosen.push(best);
        }
        // What the quick test of containment did not see twice is kept as it was.
        chosen.extend(left);
        chosen.sort_unstable();
        Ok(chosen)
    }
}

fn position(periods: &[Vec<i64>], period: &[i64]) -> usize {
    periods.iter().position(|p| p == period).unwrap_or(0)
}
