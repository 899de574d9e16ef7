//! Not being in a component, as a clause.
//!
//! The complement of a semilinear set is large; the complement of *one* component with linearly
//! independent periods is a short clause. With the Smith form `D = U*P*V` of the matrix of periods,
//! `z = b + P*lambda` says `D*y = U*(z - b)` and `lambda = V*y`. So `z` is outside iff
//! - it leaves the span of the periods: a row of `U*(z - b)` below the rank is not 0; or
//! - a congruence fails: `d_i` does not divide row `i`; or
//! - a coordinate is negative: some `lambda_j < 0`, where lambda is now a linear form in `z`.
//!
//! The same forms are the only candidates for the lambdas of a membership proof.

use crate::int::Int;
use crate::lattice::{Matrix, smith};
use crate::linear::{Linear, Point};
use crate::ratio::Ratio;
use std::fmt;

/// One way to be outside of a component.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// The form is not 0: the vector leaves the span of the periods.
    NonZero(Linear),
    /// The form is negative: a period would be used a negative number of times.
    Negative(Linear),
    /// The form is not divisible by the number: a period would be used a fraction of times.
    NotDivisible(Linear, Int),
}

impl Literal {
    /// Is it true at this point? The form must be an integer there.
    pub fn holds(&self, point: &Point) -> bool {
        match self {
            Literal::NonZero(form) => !form.evaluate(point).is_zero(),
            Literal::Negative(form) => form.evaluate(point).is_negative(),
            Literal::NotDivisible(form, modulus) => {
                !form.evaluate(point).to_int().is_some_and(|value| modulus.divides(value))
            }
        }
    }

    /// The form that it speaks about.
    pub fn form(&self) -> &Linear {
        match self {
            Literal::NonZero(form) | Literal::Negative(form) | Literal::NotDivisible(form, _) => {
                form
            }
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::NonZero(form) => write!(f, "{form} != 0"),
            Literal::Negative(form) => write!(f, "{form} < 0"),
            Literal::NotDivisible(form, modulus) => write!(f, "{form} mod {modulus} != 0"),
        }
    }
}

/// When a vector is not in a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NonMember {
    /// The vector is outside iff one of these holds. Literals that never hold are left out, so an
    /// empty clause says that the vector is always inside.
    pub clause: Vec<Literal>,
    /// If it is inside: how often each period is used. Coefficients may be fractions.
    pub lambda: Vec<Linear>,
}

/// The clause that says that an affine vector, integral at the points of interest, is not in the
/// component with this base and these periods. Nothing if the periods are linearly dependent, or
/// if lengths differ.
///
/// ```
/// use ser_arith::{Linear, Var, non_member};
/// let (x, y) = (Linear::var(Var(0)), Linear::var(Var(1)));
/// // (x, y) in (1, 0) + N*(2, 2)?
/// let outside = non_member(&[1, 0], &[vec![2, 2]], &[x, y]).unwrap();
/// let clause: Vec<String> = outside.clause.iter().map(|l| l.to_string()).collect();
/// assert_eq!(clause, ["x0 - 1 < 0", "x0 + 1 mod 2 != 0", "-x0 + x1 + 1 != 0"]);
/// assert_eq!(outside.lambda[0].to_string(), "1/2*x0 - 1/2");
/// ```
pub fn non_member(base: &[i64], periods: &[Vec<i64>], vector: &[Linear]) -> Option<NonMember> {
    let dimension = vector.len();
    if base.len() != dimension || periods.iter().any(|p| p.len() != dimension) {
        return None;
    }
    let matrix: Matrix =
        (0..dimension).map(|d| periods.iter().map(|p| Int::from(p[d])).collect()).collect();
    let smith = smith(&matrix);
    if smith.rank < periods.len() {
        return None;
    }
    let rest: Vec<Linear> =
        vector.iter().zip(base).map(|(z, b)| z - &Linear::constant(*b)).collect();
    // The rows of U*(z - b).
    let rows: Vec<Linear> = smith
        .left
        .iter()
        .map(|row| {
            row.iter()
                .zip(&rest)
                .fold(Linear::zero(), |sum, (c, z)| sum.plus_scaled(&Ratio::from(c), z))
        })
        .collect();
    let lambda: Vec<Linear> = smith
        .right
        .iter()
        .map(|row| {
            row.iter().zip(&smith.diagonal).zip(&rows).fold(
                Linear::zero(),
                |sum, ((c, d), form)| {
                    // The diagonal has no zeros: the periods are independent.
                    let factor = Ratio::new(c.clone(), d.clone()).unwrap_or_default();
                    sum.plus_scaled(&factor, form)
                },
            )
        })
        .collect();
    let mut clause: Vec<Literal> = Vec::new();
    clause.extend(lambda.iter().map(|form| Literal::Negative(form.clear_denominators().1)));
    for (form, modulus) in rows.iter().zip(&smith.diagonal) {
        if !modulus.is_one() {
            clause.push(Literal::NotDivisible(residue(form, modulus), modulus.clone()));
        }
    }
    clause.extend(rows.into_iter().skip(smith.rank).map(Literal::NonZero));
    let origin = Point::new();
    clause.retain(|literal| !literal.form().is_constant() || literal.holds(&origin));
    Some(NonMember { clause, lambda })
}

/// The form with every coefficient reduced, where that keeps its values modulo the number.
fn residue(form: &Linear, modulus: &Int) -> Linear {
    if !form.is_integral() {
        return form.clone();
    }
    let reduce = |c: &Ratio| Ratio::from(c.numerator().rem_euclid(modulus));
    Linear::new(form.terms().map(|(v, c)| (v, reduce(c))), reduce(form.constant_term()))
}
