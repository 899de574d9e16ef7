//! Leaves: what ends a branch of a tree.
//!
//! In each of them the hypotheses h are supposed to hold of integers, those of inequalities have
//! multipliers that are not negative, and v are variables that are known not to be negative.
//!
//! *Theorem (farkas).* If -1 = (sum of multiples of h) + (sum of c v, c >= 0) + d with d >= 0, the
//! case is impossible: the right side is not negative. ∎
//!
//! *Theorem (lattice).* If a combination of equalities has integer coefficients and a constant
//! that is not an integer, the case is impossible: integers would add up to that. ∎
//!
//! *Theorem (member).* Let (b, P) be a component, and for each p in P let lambda(p) be a form with
//! integer coefficients such that lambda(p) = (sum of multiples of h) + (sum of c v, c >= 0) + d
//! with d > -1. If for each letter z, Z(z) - b(z) - (sum of p(z) lambda(p)) is a combination of
//! equalities, where Z(z) counts the transitions that respond with z, then the outcome is in the
//! component. *Proof.* lambda(p) is an integer above -1, so at least 0, and the outcome is
//! b + sum of lambda(p) p. Letters that are neither in the net nor in the component occur on
//! neither side. ∎

use super::component::Component;
use super::counts::Counts;
use super::linear::Linear;
use super::numbered::{Numbered, letter_name};
use super::rational::Rational;
use super::scope::{Relation, Scope};
use crate::format::{LetterName, Member, Terms};
use crate::meter::Meter;
use crate::names::{Letter, Names};
use crate::reject::At;
use crate::{Reason, Rejection};
use std::collections::BTreeMap;

/// The hypotheses give -1 >= 0.
pub(crate) fn farkas(
    multipliers: &Terms,
    scope: &Scope,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let rest = scope.reduce(Linear::constant(-1), multipliers, Relation::NonNegative, meter)?;
    check_sign(&rest, !rest.constant.is_negative(), scope)
}

/// Coefficients are not negative where variables are not, zero elsewhere, and the constant is good.
fn check_sign(rest: &Linear, constant: bool, scope: &Scope) -> Result<(), Reason> {
    let mut terms = rest.terms.iter();
    let good = |(v, c): (&usize, &Rational)| scope.is_nonnegative(*v) && !c.is_negative();
    if constant && terms.all(good) {
        return Ok(());
    }
    Err(Reason::MayBeNegative { rest: scope.show(rest) })
}

/// The equalities have no integer solution.
pub(crate) fn lattice(
    multipliers: &Terms,
    scope: &Scope,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let sum = scope.reduce(Linear::constant(0), multipliers, Relation::Zero, meter)?;
    if !sum.constant.is_integer() && sum.terms.values().all(Rational::is_integer) {
        return Ok(());
    }
    Err(Reason::MayBeZero { rest: scope.show(&sum) })
}

/// What a member leaf is checked against.
pub(crate) struct Outcomes<'a> {
    pub(crate) net: &'a Numbered,
    pub(crate) counts: &'a Counts,
    pub(crate) components: &'a [Component],
    pub(crate) names: &'a Names<'a>,
}

/// The outcome is in a component.
pub(crate) fn member(
    member: &Member,
    outcomes: &Outcomes<'_>,
    scope: &Scope,
    meter: &mut Meter<'_>,
    at: &str,
) -> Result<(), Rejection> {
    let (index, count) = (member.component, outcomes.components.len());
    let out_of_range = Reason::OutOfRange { kind: "component", index, count };
    let component = outcomes.components.get(index).ok_or(out_of_range);
    let component = component.at(|| format!("{at}.component"))?;
    let periods = component.periods.len();
    let letters = letters(component, outcomes);
    for (field, expected, found) in [
        ("lambda", periods, member.lambda.len()),
        ("nonneg", periods, member.nonneg.len()),
        ("equal", letters.len(), member.equal.len()),
    ] {
        if expected != found {
            return Err(Reason::Length { expected, found }.at(format!("{at}.{field}")));
        }
    }
    let mut lambda = Vec::new();
    for (i, (form, multipliers)) in member.lambda.iter().zip(&member.nonneg).enumerate() {
        let form = scope.form(form, meter).at(|| format!("{at}.lambda[{i}]"))?;
        let proved = not_negative(&form, multipliers, scope, meter);
        proved.at(|| format!("{at}.nonneg[{i}]"))?;
        lambda.push(form);
    }
    for (i, (((_, letter), fired), multipliers)) in letters.iter().zip(&member.equal).enumerate() {
        let difference = outcomes
            .counts
            .sum(*fired, meter)
            .and_then(|counted| minus_explained(counted, *letter, component, &lambda, meter));
        let proved = difference.and_then(|form| zero(form, multipliers, scope, meter));
        proved.at(|| format!("{at}.equal[{i}]"))?;
    }
    Ok(())
}

/// What is counted of a letter, minus what the base and the periods have of it.
fn minus_explained(
    mut counted: Linear,
    letter: Letter,
    component: &Component,
    lambda: &[Linear],
    meter: &mut Meter<'_>,
) -> Result<Linear, Reason> {
    let minus = |n: u64| Rational::from(n).negated();
    let base = component.base.get(&letter).copied().unwrap_or(0);
    counted.add(&minus(base), &Linear::constant(1), meter)?;
    for (period, times) in component.periods.iter().zip(lambda) {
        meter.work(1)?;
        if let Some(n) = period.get(&letter) {
            counted.add(&minus(*n), times, meter)?;
        }
    }
    Ok(counted)
}

/// A form is a combination of equalities.
fn zero(
    form: Linear,
    multipliers: &Terms,
    scope: &Scope,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let rest = scope.reduce(form, multipliers, Relation::Zero, meter)?;
    if rest.is_zero() {
        return Ok(());
    }
    Err(Reason::NotZero { rest: scope.show(&rest) })
}

/// An integer form is at least 0, because it is above -1.
fn not_negative(
    form: &Linear,
    multipliers: &Terms,
    scope: &Scope,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let rest = scope.reduce(form.clone(), multipliers, Relation::NonNegative, meter)?;
    check_sign(&rest, rest.constant.is_above_minus_one(), scope)
}

/// The letters of the net and of a component, in the order of their names, with the transitions
/// that respond so.
fn letters<'a>(
    component: &Component,
    outcomes: &Outcomes<'a>,
) -> BTreeMap<(LetterName, Letter), &'a [usize]> {
    let in_net = outcomes.net.letters.iter();
    let mut letters: BTreeMap<(LetterName, Letter), &[usize]> =
        in_net.map(|(letter, fired)| (letter.clone(), fired.as_slice())).collect();
    let in_component = component.periods.iter().chain([&component.base]).flat_map(|c| c.keys());
    for letter in in_component {
        letters.entry((letter_name(*letter, outcomes.names), *letter)).or_insert(&[]);
    }
    letters
}
