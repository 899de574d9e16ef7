//! Exact rationals: reduced, with a positive denominator.
//!
//! The simplex method divides, so multipliers of certificates are rationals even where every
//! input is an integer. Reduced form makes equality and hashing structural and the text unique:
//! `3/2`, `-1/3`, `7`.

use crate::int::{Int, ParseNumberError};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

/// An exact rational number.
///
/// ```
/// use ser_arith::{Int, Ratio};
///
/// let half: Ratio = "2/4".parse().unwrap();
/// assert_eq!(half, Ratio::new(Int::from(-1), Int::from(-2)).unwrap());
/// assert_eq!((&half + &Ratio::ONE).to_string(), "3/2");
/// assert_eq!((&half + &half).to_string(), "1");
/// assert_eq!(half.floor(), Int::ZERO);
/// assert_eq!(half.recip().unwrap(), Ratio::from(2));
/// assert!("1/0".parse::<Ratio>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: Int,
    denominator: Int,
}

impl Ratio {
    /// The number 0.
    pub const ZERO: Ratio = Ratio { numerator: Int::ZERO, denominator: Int::ONE };
    /// The number 1.
    pub const ONE: Ratio = Ratio { numerator: Int::ONE, denominator: Int::ONE };

    /// The reduced quotient; nothing if the denominator is 0.
    pub fn new(numerator: Int, denominator: Int) -> Option<Ratio> {
        if denominator.is_zero() {
            return None;
        }
        Some(Ratio::reduce(numerator, denominator))
    }

    /// The denominator must not be 0.
    fn reduce(numerator: Int, denominator: Int) -> Ratio {
        if denominator.is_one() {
            return Ratio { numerator, denominator };
        }
        let divisor = numerator.gcd(&denominator);
        let (numerator, denominator) = if divisor.is_one() {
            (numerator, denominator)
        } else {
            (numerator.div_floor(&divisor), denominator.div_floor(&divisor))
        };
        if denominator.is_negative() {
            Ratio { numerator: -numerator, denominator: -denominator }
        } else {
            Ratio { numerator, denominator }
        }
    }

    /// The numerator of the reduced fraction; it carries the sign.
    pub fn numerator(&self) -> &Int {
        &self.numerator
    }

    /// The denominator of the reduced fraction, at least 1.
    pub fn denominator(&self) -> &Int {
        &self.denominator
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Is it less than 0?
    pub fn is_negative(&self) -> bool {
        self.numerator.is_negative()
    }

    /// Is it greater than 0?
    pub fn is_positive(&self) -> bool {
        self.numerator.is_positive()
    }

    pub fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    /// The integer, if it is one.
    pub fn to_int(&self) -> Option<&Int> {
        self.is_integer().then_some(&self.numerator)
    }

    /// The machine word, if it is an integer that fits one.
    pub fn to_i64(&self) -> Option<i64> {
        self.to_int().and_then(Int::to_i64)
    }

    /// The greatest integer that is not above.
    pub fn floor(&self) -> Int {
        self.numerator.div_floor(&self.denominator)
    }

    /// The least integer that is not below.
    pub fn ceil(&self) -> Int {
        self.numerator.div_ceil(&self.denominator)
    }

    /// The part in `[0, 1)` after the floor is taken away.
    pub fn fract(&self) -> Ratio {
        Ratio {
            numerator: self.numerator.rem_euclid(&self.denominator),
            denominator: self.denominator.clone(),
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Ratio {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// 1 divided by this; nothing for 0.
    pub fn recip(&self) -> Option<Ratio> {
        if self.is_zero() {
            None
        } else if self.is_negative() {
            Some(Ratio { numerator: -&self.denominator, denominator: -&self.numerator })
        } else {
            Some(Ratio { numerator: self.denominator.clone(), denominator: self.numerator.clone() })
        }
    }

    /// The quotient; nothing if the divisor is 0.
    pub fn checked_div(&self, divisor: &Ratio) -> Option<Ratio> {
        Ratio::new(&self.numerator * &divisor.denominator, &self.denominator * &divisor.numerator)
    }
}

impl Default for Ratio {
    fn default() -> Ratio {
        Ratio::ZERO
    }
}

impl From<&Int> for Ratio {
    fn from(value: &Int) -> Ratio {
        Ratio::from(value.clone())
    }
}

macro_rules! from_integer {
    ($($Integer:ty),*) => {$(
        impl From<$Integer> for Ratio {
            fn from(value: $Integer) -> Ratio {
                Ratio { numerator: Int::from(value), denominator: Int::ONE }
            }
        }
    )*};
}

from_integer!(Int, i64, i32);

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        if self.denominator == other.denominator {
            return self.numerator.cmp(&other.numerator);
        }
        match self.numerator.signum().cmp(&other.numerator.signum()) {
            Ordering::Equal => {
                (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
            }
            different => different,
        }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            self.numerator.fmt(f)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

impl fmt::Debug for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Ratio {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Ratio, ParseNumberError> {
        let wrong = || ParseNumberError(text.to_owned());
        match text.split_once('/') {
            None => Ok(Ratio::from(text.parse::<Int>()?)),
            Some((_, denominator)) if denominator.starts_with('-') => Err(wrong()),
            Some((numerator, denominator)) => {
                let numerator = numerator.parse::<Int>().map_err(|_| wrong())?;
                let denominator = denominator.parse::<Int>().map_err(|_| wrong())?;
                Ratio::new(numerator, denominator).ok_or_else(wrong)
            }
        }
    }
}

impl Add<&Ratio> for &Ratio {
    type Output = Ratio;
    fn add(self, other: &Ratio) -> Ratio {
        if self.denominator == other.denominator {
            return Ratio::reduce(&self.numerator + &other.numerator, self.denominator.clone());
        }
        Ratio::reduce(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }
}

impl Sub<&Ratio> for &Ratio {
    type Output = Ratio;
    fn sub(self, other: &Ratio) -> Ratio {
        if self.denominator == other.denominator {
            return Ratio::reduce(&self.numerator - &other.numerator, self.denominator.clone());
        }
        Ratio::reduce(
            &self.numerator * &other.denominator - &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }
}

impl Mul<&Ratio> for &Ratio {
    type Output = Ratio;
    fn mul(self, other: &Ratio) -> Ratio {
        Ratio::reduce(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

impl Neg for &Ratio {
    type Output = Ratio;
    fn neg(self) -> Ratio {
        Ratio { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }
}

impl Neg for Ratio {
    type Output = Ratio;
    fn neg(self) -> Ratio {
        Ratio { numerator: -self.numerator, denominator: self.denominator }
    }
}

by_value!(Ratio: Add add AddAssign add_assign, Sub sub SubAssign sub_assign, Mul mul MulAssign mul_assign);
