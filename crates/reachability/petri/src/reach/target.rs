//! The markings that are looked for, as a list of alternatives: each is a set of bounds on sums.
//!
//! A formula is brought into disjunctive normal form. Bounds on the same sum are joined into one
//! interval, sums are divided by their common factor, contradictions and alternatives that
//! another one covers are dropped on the way, so that the list stays short where it can.

use super::TranslationError;
use crate::{Formula, PlaceId, Relation, Sum};
use std::collections::BTreeMap;

/// The most alternatives.
pub(super) const MAX_ALTERNATIVES: usize = 500;

/// Larger coefficients are refused, so that no arithmetic here overflows.
const MAX_COEFFICIENT: u128 = 1 << 100;

/// Token counts, each so many times: sorted by place, not empty, no common factor, the first one
/// positive.
pub(super) type Form = Vec<(PlaceId, i128)>;

/// From, to; nothing if there is no bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Interval {
    pub low: Option<i128>,
    pub high: Option<i128>,
}

impl Interval {
    fn intersection(self, other: Interval) -> Interval {
        let either = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        Interval {
            low: either(self.low, other.low, i128::max),
            high: either(self.high, other.high, i128::min),
        }
    }

    fn is_empty(self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if low > high)
    }

    fn contains(self, other: Interval) -> bool {
        self.low.is_none_or(|a| other.low.is_some_and(|b| a <= b))
            && self.high.is_none_or(|a| other.high.is_some_and(|b| a >= b))
    }
}

/// All of these bounds hold.
pub(super) type Bounds = BTreeMap<Form, Interval>;

/// What is known of the tokens on a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tokens {
    /// This number.
    Exactly(i128),
    /// This many times a number that is looked at instead.
    Times(i128),
}

/// The alternatives that make a formula true, or false if `wanted` is false, where `tokens` tells
/// what is known of each place.
pub(super) fn alternatives(
    formula: &Formula,
    wanted: bool,
    tokens: &dyn Fn(PlaceId) -> Tokens,
) -> Result<Vec<Bounds>, TranslationError> {
    match (formula, wanted) {
        (Formula::Not(inner), _) => alternatives(inner, !wanted, tokens),
        (Formula::Or(parts), true) | (Formula::And(parts), false) => {
            let mut all = Vec::new();
            for part in parts {
                for bounds in alternatives(part, wanted, tokens)? {
                    insert(&mut all, bounds)?;
                }
            }
            Ok(all)
        }
        (Formula::And(parts), true) | (Formula::Or(parts), false) => {
            let mut all = vec![Bounds::new()];
            for part in parts {
                let more = alternatives(part, wanted, tokens)?;
                let mut joined = Vec::new();
                for a in &all {
                    for b in &more {
                        if let Some(both) = conjunction(a, b) {
                            insert(&mut joined, both)?;
                        }
                    }
                }
                all = joined;
            }
            Ok(all)
        }
        (Formula::Compare(left, relation, right), _) => {
            let relation = if wanted { *relation } else { relation.opposite() };
            comparison(left, relation, right, tokens)
        }
    }
}

/// Adds an alternative unless another covers it, and drops those that it covers.
fn insert(all: &mut Vec<Bounds>, bounds: Bounds) -> Result<(), TranslationError> {
    if all.iter().any(|known| covers(known, &bounds)) {
        return Ok(());
    }
    all.retain(|known| !covers(&bounds, known));
    all.push(bounds);
    if all.len() > MAX_ALTERNATIVES {
        return Err(TranslationError::TooManyAlternatives { limit: MAX_ALTERNATIVES });
    }
    Ok(())
}

/// Whether every marking within `small` is within `large`, as far as single bounds tell.
fn covers(large: &Bounds, small: &Bounds) -> bool {
    large.iter().all(|(form, interval)| small.get(form).is_some_and(|s| interval.contains(*s)))
}

fn conjunction(a: &Bounds, b: &Bounds) -> Option<Bounds> {
    let mut both = a.clone();
    for (form, interval) in b {
        let joined = match both.get(form) {
            Some(known) => known.intersection(*interval),
            None => *interval,
        };
        if joined.is_empty() {
            return None;
        }
        both.insert(form.clone(), joined);
    }
    Some(both)
}

fn comparison(
    left: &Sum,
    relation: Relation,
    right: &Sum,
    tokens: &dyn Fn(PlaceId) -> Tokens,
) -> Result<Vec<Bounds>, TranslationError> {
    // left - right = form + constant.
    let mut constant = i128::from(left.constant) - i128::from(right.constant);
    let mut form: BTreeMap<PlaceId, i128> = BTreeMap::new();
    let signed = left.terms.iter().map(|t| (t, 1)).chain(right.terms.iter().map(|t| (t, -1)));
    for ((place, a), sign) in signed {
        let a = i128::from(*a) * sign;
        let overflow = TranslationError::Numbers;
        match tokens(*place) {
            Tokens::Exactly(n) => {
                let value = a.checked_mul(n).ok_or(overflow.clone())?;
                constant = constant.checked_add(value).ok_or(overflow)?;
            }
            Tokens::Times(n) => {
                let entry = form.entry(*place).or_insert(0);
                let value = a.checked_mul(n).ok_or(overflow.clone())?;
                *entry = entry.checked_add(value).ok_or(overflow)?;
            }
        }
    }
    if form.values().any(|a| a.unsigned_abs() > MAX_COEFFICIENT) {
        return Err(TranslationError::Numbers);
    }
    form.retain(|_, a| *a != 0);
    let Some((_, first)) = form.first_key_value() else {
        let holds = relation.holds(constant, 0);
        return Ok(if holds { vec![Bounds::new()] } else { Vec::new() });
    };
    let sign = first.signum();
    let factor = form.values().fold(0, |g, a| greatest_common_divisor(g, a.abs()));
    let form: Form = form.into_iter().map(|(p, a)| (p, sign * a / factor)).collect();
    // sign * factor * form relates to -constant.
    let (bound, relation) = match (sign, relation) {
        (1, relation) => (-constant, relation),
        (_, Relation::Less) => (constant, Relation::Greater),
        (_, Relation::AtMost) => (constant, Relation::AtLeast),
        (_, Relation::Greater) => (constant, Relation::Less),
        (_, Relation::AtLeast) => (constant, Relation::AtMost),
        (_, relation) => (constant, relation),
    };
    let floor = |n: i128| n.div_euclid(factor);
    let ceil = |n: i128| -(-n).div_euclid(factor);
    let at_least = |n: i128| Interval { low: Some(ceil(n)), high: None };
    let at_most = |n: i128| Interval { low: None, high: Some(floor(n)) };
    let intervals = match relation {
        Relation::Equal => vec![at_least(bound).intersection(at_most(bound))],
        Relation::Different => vec![at_most(bound - 1), at_least(bound + 1)],
        Relation::Less => vec![at_most(bound - 1)],
        Relation::AtMost => vec![at_most(bound)],
        Relation::Greater => vec![at_least(bound + 1)],
        Relation::AtLeast => vec![at_least(bound)],
    };
    Ok(intervals.into_iter().filter_map(|interval| bounds(form.clone(), interval)).collect())
}

/// One bound, in its simplest form; nothing if it is impossible.
fn bounds(form: Form, mut interval: Interval) -> Option<Bounds> {
    if form.iter().all(|(_, a)| *a > 0) {
        // Sums of tokens are not negative.
        interval.low = interval.low.map(|low| low.max(0)).or(Some(0));
        if interval.high == Some(0) && !interval.is_empty() {
            let nothing = Interval { low: Some(0), high: Some(0) };
            return Some(form.into_iter().map(|(p, _)| (vec![(p, 1)], nothing)).collect());
        }
        if interval == (Interval { low: Some(0), high: None }) {
            return Some(Bounds::new());
        }
    }
    (!interval.is_empty()).then(|| Bounds::from([(form, interval)]))
}

/// The greatest common divisor of numbers that are not negative.
pub(super) fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
