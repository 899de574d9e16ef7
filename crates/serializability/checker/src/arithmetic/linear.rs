//! Linear forms over the variables of a case.

use super::rational::Rational;
use crate::Reason;
use crate::meter::Meter;
use std::collections::BTreeMap;

/// A variable, by its number in a [`Scope`](super::scope::Scope).
pub(crate) type Variable = usize;

/// A constant, and coefficients that are not zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Linear {
    pub(crate) constant: Rational,
    pub(crate) terms: BTreeMap<Variable, Rational>,
}

impl Linear {
    pub(crate) fn constant(number: i64) -> Linear {
        Linear { constant: number.into(), terms: BTreeMap::new() }
    }

    /// Adds `number * variable`.
    pub(crate) fn add_term(
        &mut self,
        variable: Variable,
        number: &Rational,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        let zero = Rational::from(0_i64);
        let old = self.terms.get(&variable).unwrap_or(&zero);
        let sum = sum(old, number, &1_i64.into(), meter)?;
        self.set(variable, sum);
        Ok(())
    }

    /// Adds `factor * other`.
    pub(crate) fn add(
        &mut self,
        factor: &Rational,
        other: &Linear,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        self.constant = sum(&self.constant, factor, &other.constant, meter)?;
        let zero = Rational::from(0_i64);
        for (variable, number) in &other.terms {
            let old = self.terms.get(variable).unwrap_or(&zero);
            let sum = sum(old, factor, number, meter)?;
            self.set(*variable, sum);
        }
        Ok(())
    }

    fn set(&mut self, variable: Variable, number: Rational) {
        if number.is_zero() {
            self.terms.remove(&variable);
        } else {
            self.terms.insert(variable, number);
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.constant.is_zero() && self.terms.is_empty()
    }
}

/// `a + b * c`, and what it costs.
fn sum(
    a: &Rational,
    b: &Rational,
    c: &Rational,
    meter: &mut Meter<'_>,
) -> Result<Rational, Reason> {
    let words = a.words().saturating_add(b.words()).saturating_add(c.words());
    // Reducing a fraction takes time quadratic in its size.
    meter.work(words.saturating_mul(words))?;
    a.plus_product(b, c)
}
