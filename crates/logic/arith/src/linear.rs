//! Linear forms: `c1*x1 + ... + cn*xn + c` over the rationals.
//!
//! One type serves hypotheses ("this form is >= 0"), objectives, affine outcomes and the lambdas of
//! a membership proof. Sparse and sorted by variable, without zero coefficients, so that equal
//! forms are equal values.

use crate::int::Int;
use crate::ratio::Ratio;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Neg, Sub};

/// A variable, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

/// A value for every variable; a variable that is not listed is 0.
pub type Point = BTreeMap<Var, Ratio>;

/// Sorted by variable or hypothesis, equal ones added up, without zeros.
pub(crate) fn tidy<K: Ord + Copy>(mut terms: Vec<(K, Ratio)>) -> Vec<(K, Ratio)> {
    terms.sort_by_key(|(key, _)| *key);
    terms.dedup_by(|(next, extra), (key, coefficient)| {
        let same = next == key;
        if same {
            *coefficient += &*extra;
        }
        same
    });
    terms.retain(|(_, c)| !c.is_zero());
    terms
}

/// A linear form with a constant.
///
/// ```
/// use ser_arith::{Linear, Point, Ratio, Var};
///
/// let (x, y) = (Var(0), Var(1));
/// let form = Linear::term(2, x) - Linear::var(y) + Linear::constant(3);
/// assert_eq!(form.to_string(), "2*x0 - x1 + 3");
/// let point = Point::from([(x, Ratio::from(1)), (y, Ratio::from(5))]);
/// assert_eq!(form.evaluate(&point), Ratio::ZERO);
/// // y becomes 2x: the variables cancel.
/// assert_eq!(form.substitute(y, &Linear::term(2, x)), Linear::constant(3));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Linear {
    /// Sorted by variable, no zero coefficients.
    terms: Vec<(Var, Ratio)>,
    constant: Ratio,
}

impl Linear {
    /// The form 0.
    pub fn zero() -> Linear {
        Linear::default()
    }

    /// A constant form.
    pub fn constant(constant: impl Into<Ratio>) -> Linear {
        Linear { terms: Vec::new(), constant: constant.into() }
    }

    /// The form `x`.
    pub fn var(var: Var) -> Linear {
        Linear { terms: vec![(var, Ratio::ONE)], constant: Ratio::ZERO }
    }

    /// The form `c*x`.
    pub fn term(coefficient: impl Into<Ratio>, var: Var) -> Linear {
        Linear::new([(var, coefficient.into())], Ratio::ZERO)
    }

    /// A form from terms in any order (repeated variables add up) and a constant.
    pub fn new(
        terms: impl IntoIterator<Item = (Var, Ratio)>,
        constant: impl Into<Ratio>,
    ) -> Linear {
        Linear { terms: tidy(terms.into_iter().collect()), constant: constant.into() }
    }

    /// The coefficient of a variable.
    pub fn coefficient(&self, var: Var) -> Ratio {
        match self.terms.binary_search_by_key(&var, |(v, _)| *v) {
            Ok(at) => self.terms[at].1.clone(),
            Err(_) => Ratio::ZERO,
        }
    }

    pub fn constant_term(&self) -> &Ratio {
        &self.constant
    }

    /// The variables with their coefficients (never 0), sorted by variable.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (Var, &Ratio)> + '_ {
        self.terms.iter().map(|(var, c)| (*var, c))
    }

    /// The variables, sorted.
    pub fn vars(&self) -> impl ExactSizeIterator<Item = Var> + '_ {
        self.terms.iter().map(|(var, _)| *var)
    }

    /// Is it the form 0?
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant.is_zero()
    }

    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// Are all coefficients and the constant integers?
    pub fn is_integral(&self) -> bool {
        self.constant.is_integer() && self.has_integral_coefficients()
    }

    /// Are the coefficients of the variables integers (whatever the constant)?
    pub fn has_integral_coefficients(&self) -> bool {
        self.terms.iter().all(|(_, c)| c.is_integer())
    }

    /// `self + factor * other`, the work horse.
    pub fn plus_scaled(&self, factor: &Ratio, other: &Linear) -> Linear {
        if factor.is_zero() {
            return self.clone();
        }
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        while let (Some((v, c)), Some((w, d))) = (left.peek(), right.peek()) {
            match v.cmp(w) {
                Ordering::Less => {
                    terms.push((*v, c.clone()));
                    left.next();
                }
                Ordering::Greater => {
                    terms.push((*w, factor * d));
                    right.next();
                }
                Ordering::Equal => {
                    let sum = c + &(factor * d);
                    if !sum.is_zero() {
                        terms.push((*v, sum));
                    }
                    left.next();
                    right.next();
                }
            }
        }
        terms.extend(left.cloned());
        terms.extend(right.map(|(w, d)| (*w, factor * d)));
        Linear { terms, constant: &self.constant + &(factor * &other.constant) }
    }

    /// Every coefficient and the constant times a factor.
    pub fn scale(&self, factor: &Ratio) -> Linear {
        Linear::zero().plus_scaled(factor, self)
    }

    /// With another constant.
    pub fn with_constant(&self, constant: impl Into<Ratio>) -> Linear {
        Linear { terms: self.terms.clone(), constant: constant.into() }
    }

    /// With a form in the place of a variable.
    pub fn substitute(&self, var: Var, form: &Linear) -> Linear {
        let coefficient = self.coefficient(var);
        if coefficient.is_zero() {
            return self.clone();
        }
        let mut rest = self.clone();
        rest.terms.retain(|(v, _)| *v != var);
        rest.plus_scaled(&coefficient, form)
    }

    /// The value at a point.
    pub fn evaluate(&self, point: &Point) -> Ratio {
        let mut value = self.constant.clone();
        for (var, coefficient) in &self.terms {
            if let Some(at) = point.get(var) {
                value += coefficient * at;
            }
        }
        value
    }

    /// The least positive factor that makes everything integral, and the form times that factor.
    ///
    /// ```
    /// use ser_arith::{Int, Linear, Var};
    /// let half = Linear::term("1/2".parse::<ser_arith::Ratio>().unwrap(), Var(0));
    /// let (factor, form) = (half + Linear::constant(1)).clear_denominators();
    /// assert_eq!(factor, Int::from(2));
    /// assert_eq!(form.to_string(), "x0 + 2");
    /// ```
    pub fn clear_denominators(&self) -> (Int, Linear) {
        let mut factor = self.constant.denominator().clone();
        for (_, c) in &self.terms {
            factor = factor.lcm(c.denominator());
        }
        let form = self.scale(&Ratio::from(&factor));
        (factor, form)
    }
}

impl Add<&Linear> for &Linear {
    type Output = Linear;
    fn add(self, other: &Linear) -> Linear {
        self.plus_scaled(&Ratio::ONE, other)
    }
}

impl Sub<&Linear> for &Linear {
    type Output = Linear;
    fn sub(self, other: &Linear) -> Linear {
        self.plus_scaled(&Ratio::from(-1), other)
    }
}

impl Add for Linear {
    type Output = Linear;
    fn add(self, other: Linear) -> Linear {
        &self + &other
    }
}

impl Sub for Linear {
    type Output = Linear;
    fn sub(self, other: Linear) -> Linear {
        &self - &other
    }
}

impl Neg for &Linear {
    type Output = Linear;
    fn neg(self) -> Linear {
        self.scale(&Ratio::from(-1))
    }
}

impl Neg for Linear {
    type Output = Linear;
    fn neg(self) -> Linear {
        -&self
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return self.constant.fmt(f);
        }
        for (at, (var, coefficient)) in self.terms.iter().enumerate() {
            match (at, coefficient.is_negative()) {
                (0, false) => {}
                (0, true) => f.write_str("-")?,
                (_, false) => f.write_str(" + ")?,
                (_, true) => f.write_str(" - ")?,
            }
            let size = coefficient.abs();
            if size == Ratio::ONE {
                write!(f, "{var}")?;
            } else {
                write!(f, "{size}*{var}")?;
            }
        }
        match &self.constant {
            c if c.is_zero() => Ok(()),
            c if c.is_negative() => write!(f, " - {}", c.abs()),
            c => write!(f, " + {c}"),
        }
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
