//! Exact integers that are machine words most of the time.
//!
//! Multipliers and coefficients in certificates are small: nearly always they fit a word. But
//! nobody can promise it, and a wrapped product would be a wrong proof. So an [`Int`] is an `i64`
//! with checked operations, and becomes a big integer exactly when a result does not fit.
//!
//! Invariant: a value that fits `i64` is always stored as a word. Hence equality and hashing are
//! structural, and a computation that shrinks again becomes fast again.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

/// An exact integer of any size.
///
/// ```
/// use ser_arith::Int;
///
/// let word = Int::from(i64::MAX);
/// let big = &word * &word;
/// assert_eq!(big.to_string(), "85070591730234615847396907784232501249");
/// assert_eq!(big.to_i64(), None);
/// // Back in range, back to a word.
/// assert_eq!(big.div_floor(&word), word);
/// assert_eq!(Int::from(-7).div_floor(&Int::from(2)), Int::from(-4));
/// assert_eq!(Int::from(-7).rem_euclid(&Int::from(2)), Int::from(1));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Word(i64),
    /// Only values outside of `i64`.
    Big(Box<BigInt>),
}
use Repr::{Big, Word};

impl Int {
    /// The integer 0.
    pub const ZERO: Int = Int(Word(0));
    /// The integer 1.
    pub const ONE: Int = Int(Word(1));

    /// The value, if it fits a machine word.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Word(a) => Some(*a),
            Big(_) => None,
        }
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Word(0))
    }

    /// Is it 1?
    pub fn is_one(&self) -> bool {
        matches!(self.0, Word(1))
    }

    /// Is it less than 0?
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Word(a) => *a < 0,
            Big(a) => a.is_negative(),
        }
    }

    /// Is it greater than 0?
    pub fn is_positive(&self) -> bool {
        match &self.0 {
            Word(a) => *a > 0,
            Big(a) => a.is_positive(),
        }
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i64 {
        match &self.0 {
            Word(a) => a.signum(),
            Big(a) => {
                if a.is_negative() {
                    -1
                } else {
                    1
                }
            }
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Int {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// The greatest common divisor, never negative; gcd(0, 0) = 0.
    ///
    /// ```
    /// use ser_arith::Int;
    /// assert_eq!(Int::from(-12).gcd(&Int::from(18)), Int::from(6));
    /// assert_eq!(Int::from(i64::MIN).gcd(&Int::ZERO).to_string(), "9223372036854775808");
    /// ```
    pub fn gcd(&self, other: &Int) -> Int {
        match (&self.0, &other.0) {
            (Word(a), Word(b)) => {
                let g = gcd_word(a.unsigned_abs(), b.unsigned_abs());
                i64::try_from(g).map_or_else(|_| Int::from_big(BigInt::from(g)), Int::from)
            }
            _ => Int::from_big(self.to_big().gcd(&other.to_big())),
        }
    }

    /// The least common multiple, never negative; 0 if either is 0.
    pub fn lcm(&self, other: &Int) -> Int {
        let g = self.gcd(other);
        if g.is_zero() { Int::ZERO } else { (&self.div_floor(&g) * other).abs() }
    }

    /// The quotient rounded towards minus infinity. Division by 0 gives 0.
    pub fn div_floor(&self, divisor: &Int) -> Int {
        if divisor.is_zero() {
            return Int::ZERO;
        }
        if let (Word(a), Word(b)) = (&self.0, &divisor.0)
            && let (Some(quotient), Some(rest)) = (a.checked_div(*b), a.checked_rem(*b))
        {
            // The adjustment cannot overflow: a non-zero rest means |b| >= 2, so |a / b| is small.
            let exact = rest == 0 || (rest < 0) == (*b < 0);
            return Int::from(if exact { quotient } else { quotient - 1 });
        }
        Int::from_big(self.to_big().div_floor(&divisor.to_big()))
    }

    /// The quotient rounded towards plus infinity. Division by 0 gives 0.
    pub fn div_ceil(&self, divisor: &Int) -> Int {
        -(-self).div_floor(divisor)
    }

    /// The remainder in `0..|divisor|`. The remainder by 0 is the number itself.
    pub fn rem_euclid(&self, divisor: &Int) -> Int {
        if divisor.is_zero() {
            return self.clone();
        }
        let modulus = divisor.abs();
        self - &(&self.div_floor(&modulus) * &modulus)
    }

    /// Does it divide `other`? 0 divides only 0.
    pub fn divides(&self, other: &Int) -> bool {
        other.rem_euclid(self).is_zero()
    }

    fn to_big(&self) -> BigInt {
        match &self.0 {
            Word(a) => BigInt::from(*a),
            Big(a) => (**a).clone(),
        }
    }

    fn from_big(value: BigInt) -> Int {
        match value.to_i64() {
            Some(word) => Int(Word(word)),
            None => Int(Big(Box::new(value))),
        }
    }
}

/// Euclid on words. (Shorter than the binary algorithm, and our operands are tiny.)
fn gcd_word(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Default for Int {
    fn default() -> Int {
        Int::ZERO
    }
}

macro_rules! from_integer {
    ($($Integer:ty),*) => {$(
        impl From<$Integer> for Int {
            fn from(value: $Integer) -> Int {
                i64::try_from(value)
                    .map_or_else(|_| Int::from_big(BigInt::from(value)), |word| Int(Word(word)))
            }
        }
    )*};
}

from_integer!(i64, i32, u32, usize, i128);

impl Ord for Int {
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Word(a), Word(b)) => a.cmp(b),
            (Big(a), Big(b)) => a.cmp(b),
            // A big integer lies outside of every word, on the side of its sign.
            (Big(a), Word(_)) => a.sign().cmp(&BigInt::zero().sign()),
            (Word(_), Big(b)) => BigInt::zero().sign().cmp(&b.sign()),
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Word(a) => fmt::Display::fmt(a, f),
            Big(a) => fmt::Display::fmt(a, f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not a number: an optional minus sign and decimal digits, and for a
/// [`Ratio`](crate::Ratio) optionally a slash and digits that are not all zero.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not an exact number: `{0}`")]
pub struct ParseNumberError(pub(crate) String);

impl FromStr for Int {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Int, ParseNumberError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(ParseNumberError(text.to_owned()));
        }
        match text.parse::<i64>() {
            Ok(word) => Ok(Int::from(word)),
            Err(_) => match text.parse::<BigInt>() {
                Ok(big) => Ok(Int::from_big(big)),
                Err(_) => Err(ParseNumberError(text.to_owned())),
            },
        }
    }
}

macro_rules! operation {
    ($Trait:ident, $method:ident, $checked:ident) => {
        impl $Trait<&Int> for &Int {
            type Output = Int;
            fn $method(self, other: &Int) -> Int {
                if let (Word(a), Word(b)) = (&self.0, &other.0)
                    && let Some(word) = a.$checked(*b)
                {
                    return Int(Word(word));
                }
                Int::from_big(self.to_big().$method(other.to_big()))
            }
        }
    };
}

operation!(Add, add, checked_add);
operation!(Sub, sub, checked_sub);
operation!(Mul, mul, checked_mul);
by_value!(Int: Add add AddAssign add_assign, Sub sub SubAssign sub_assign, Mul mul MulAssign mul_assign);

impl Neg for &Int {
    type Output = Int;
    fn neg(self) -> Int {
        match &self.0 {
            Word(a) => match a.checked_neg() {
                Some(word) => Int(Word(word)),
                None => Int::from_big(-BigInt::from(*a)),
            },
            Big(a) => Int::from_big(-&**a),
        }
    }
}

impl Neg for Int {
    type Output = Int;
    fn neg(self) -> Int {
        -&self
    }
}
