//! Linear arithmetic over the integers: are the comparisons of a solution possible?

use super::ground::Ground;
use crate::logic::{Atom, F, T};
use rustc_hash::FxHashMap;
use ser_arith::{Check, Int, Linear, Multipliers, Ratio, Simplex, Var};
use ser_premises::Lemma;
use std::collections::BTreeMap;

/// What comes out.
pub enum Numbers {
    /// They are possible, with these values of the terms that are no sums.
    Possible(BTreeMap<T, i64>),
    /// They are not, by each of these laws.
    Impossible(Vec<Lemma>),
    /// They are, but not with whole numbers: whether this holds must be known.
    Unclear(F),
    /// Too hard, or numbers too large.
    GaveUp,
}

/// How many laws are collected at a time.
const LAWS: usize = 40;

/// Checks the comparisons.
pub fn numbers(ground: &mut Ground<'_>) -> Numbers {
    let mut variables: Vec<T> = Vec::new();
    let mut places: FxHashMap<T, u32> = FxHashMap::default();
    let mut forms: Vec<(T, Linear)> = Vec::new();
    let chosen: Vec<(T, bool)> = ground
        .atoms
        .iter()
        .filter_map(|id| match ground.logic.atom(*id) {
            Atom::Ge(form) => ground.value(*id).map(|value| (*form, value)),
            _ => None,
        })
        .collect();
    for (form, value) in chosen {
        // Not `f >= 0` is `-f - 1 >= 0`.
        let form = if value {
            form
        } else {
            let less = ground.logic.int(-1);
            ground.logic.add_scaled(less, -1, form)
        };
        let (constant, parts) = ground.logic.linear(form);
        let mut linear = Linear::constant(Int::from(constant));
        for (coefficient, part) in parts {
            let place = *places.entry(part).or_insert_with(|| {
                variables.push(part);
                variables.len() as u32 - 1
            });
            linear = linear + Linear::term(Int::from(coefficient), Var(place));
        }
        forms.push((form, linear));
    }
    let mut simplex = Simplex::new();
    for (place, (_, linear)) in forms.iter().enumerate() {
        simplex.assert_ge(place, linear);
    }
    match simplex.check() {
        Check::Limit => Numbers::GaveUp,
        Check::Infeasible(multipliers) => match farkas(&forms, multipliers) {
            Some(lemma) => {
                let mut lemmas = more_conflicts(&forms);
                lemmas.push(lemma);
                Numbers::Impossible(lemmas)
            }
            None => Numbers::GaveUp,
        },
        Check::Feasible(point) => {
            let mut values = BTreeMap::new();
            for (place, variable) in variables.iter().enumerate() {
                let value = point.get(&Var(place as u32)).cloned().unwrap_or(Ratio::ZERO);
                if !value.is_integer() {
                    // At least the next number, or at most the one before.
                    let Some(above) = value.ceil().to_i64().and_then(i64::checked_neg) else {
                        return Numbers::GaveUp;
                    };
                    let above = ground.logic.int(above);
                    let form = ground.logic.add_scaled(*variable, 1, above);
                    return Numbers::Unclear(ground.logic.not_negative(form));
                }
                let Some(value) = value.to_i64() else { return Numbers::GaveUp };
                values.insert(*variable, value);
            }
            Numbers::Possible(values)
        }
    }
}

/// The forms that cannot all be at least 0.
fn farkas(forms: &[(T, Linear)], multipliers: Multipliers) -> Option<Lemma> {
    let denominators = multipliers.iter().map(|(_, m)| m.denominator().clone());
    let common = denominators.fold(Int::from(1), |a, b| a.lcm(&b));
    let common = Ratio::from(common);
    let mut uses = Vec::new();
    for (place, multiplier) in multipliers {
        let scaled = multiplier * common.clone();
        let scaled = scaled.to_i64().and_then(|m| u64::try_from(m).ok())?;
        uses.push((forms[place].0.0, scaled));
    }
    uses.sort_unstable();
    Some(Lemma::Farkas(uses))
}

/// Adds one comparison after the other, leaving out those that are impossible with the ones before: each of them is a
/// reason of its own, and many reasons at once save many rounds.
fn more_conflicts(forms: &[(T, Linear)]) -> Vec<Lemma> {
    let mut simplex = Simplex::new();
    let mut lemmas = Vec::new();
    for (place, (_, linear)) in forms.iter().enumerate() {
        simplex.push();
        simplex.assert_ge(place, linear);
        match simplex.check() {
            Check::Feasible(_) => {}
            Check::Infeasible(multipliers) => {
                lemmas.extend(farkas(forms, multipliers));
                simplex.pop();
            }
            Check::Limit => break,
        }
        if lemmas.len() >= LAWS {
            break;
        }
    }
    lemmas
}

/// The value of a sum; terms that nothing is known about are 0.
pub fn sum(ground: &Ground<'_>, values: &BTreeMap<T, i64>, t: T) -> Option<i64> {
    let (constant, parts) = ground.logic.linear(t);
    parts.into_iter().try_fold(constant, |sum, (coefficient, part)| {
        let value = values.get(&part).copied().unwrap_or(0);
        sum.checked_add(coefficient.checked_mul(value)?)
    })
}

/// Numbers that are equal in the solution, one of which is in a set and the other is not.
pub fn torn(ground: &Ground<'_>, values: &BTreeMap<T, i64>) -> Vec<Lemma> {
    let members: Vec<(T, T, bool, i64)> = ground
        .atoms
        .iter()
        .filter_map(|id| match ground.logic.atom(*id) {
            Atom::In(u, s) if ground.logic.element(*s) == ser_lang::inv::ast::Scalar::Int => {
                Some((*s, *u, ground.value(*id)?, sum(ground, values, *u)?))
            }
            _ => None,
        })
        .collect();
    let mut lemmas = Vec::new();
    for (s, u, inside, value) in &members {
        for (t, v, other, another) in &members {
            if s == t && *inside && !other && value == another {
                lemmas.push(Lemma::Member(u.0, v.0, s.0));
            }
        }
    }
    lemmas
}
