//! Linear arithmetic over the integers: are the comparisons of a solution possible?

use super::ground::Ground;
use crate::logic::{Atom, Formula, TermRef};
use ser_arith::{Check, Int, Linear, Ratio, Simplex, Var};
use ser_invariance_checker::Lemma;
use std::collections::BTreeMap;

pub enum Numbers {
    /// They are possible, with these values of the terms that are no sums.
    Possible(BTreeMap<TermRef, i64>),
    /// They are not, by this axiom.
    Impossible(Lemma),
    /// They are, but not with whole numbers: whether this holds must be known.
    Unclear(Formula),
    /// Too hard, or numbers too large.
    GaveUp,
}

/// Checks the comparisons.
pub fn numbers(ground: &mut Ground<'_>) -> Numbers {
    let mut simplex = Simplex::new();
    let mut variables: Vec<TermRef> = Vec::new();
    let mut forms: Vec<TermRef> = Vec::new();
    let chosen: Vec<(TermRef, bool)> = ground
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
            let place = variables.iter().position(|t| *t == part).unwrap_or_else(|| {
                variables.push(part);
                variables.len() - 1
            });
            linear = linear + Linear::term(Int::from(coefficient), Var(place as u32));
        }
        simplex.assert_ge(forms.len(), &linear);
        forms.push(form);
    }
    match simplex.check() {
        Check::Limit => Numbers::GaveUp,
        Check::Infeasible(multipliers) => {
            let denominators = multipliers.iter().map(|(_, m)| m.denominator().clone());
            let common = denominators.fold(Int::from(1), |a, b| a.lcm(&b));
            let common = Ratio::from(common);
            let mut uses = Vec::new();
            for (place, multiplier) in multipliers {
                let scaled = multiplier * common.clone();
                let Some(scaled) = scaled.to_i64().and_then(|m| u64::try_from(m).ok()) else {
                    return Numbers::GaveUp;
                };
                uses.push((forms[place], scaled));
            }
            uses.sort_unstable();
            Numbers::Impossible(Lemma::Farkas(uses))
        }
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

/// The value of a sum; terms that nothing is known about are 0.
pub fn sum(ground: &Ground<'_>, values: &BTreeMap<TermRef, i64>, t: TermRef) -> Option<i64> {
    let (constant, parts) = ground.logic.linear(t);
    parts.into_iter().try_fold(constant, |sum, (coefficient, part)| {
        let value = values.get(&part).copied().unwrap_or(0);
        sum.checked_add(coefficient.checked_mul(value)?)
    })
}

/// Numbers that are equal in the solution, one of which is in a set and the other is not.
pub fn torn(ground: &Ground<'_>, values: &BTreeMap<TermRef, i64>) -> Vec<Lemma> {
    let members: Vec<(TermRef, TermRef, bool, i64)> = ground
        .atoms
        .iter()
        .filter_map(|id| match ground.logic.atom(*id) {
            Atom::In(u, s)
                if ground.logic.element(*s) == Some(ser_syntax::inv::ast::Scalar::Int) =>
            {
                Some((*s, *u, ground.value(*id)?, sum(ground, values, *u)?))
            }
            _ => None,
        })
        .collect();
    let mut lemmas = Vec::new();
    for (s, u, inside, value) in &members {
        for (t, v, other, another) in &members {
            if s == t && *inside && !other && value == another {
                lemmas.push(Lemma::Member(*u, *v, *s));
            }
        }
    }
    lemmas
}
