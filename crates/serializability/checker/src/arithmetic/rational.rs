//! Exact fractions.

use crate::Reason;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use std::fmt;

/// The most digits of a number in a certificate.
const MAX_DIGITS: usize = 2000;

/// The most 64-bit words of a number on the way.
const MAX_WORDS: usize = 1 << 8;

/// A fraction in lowest terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rational {
    numerator: BigInt,
    /// Above 0.
    denominator: BigInt,
}

impl From<i64> for Rational {
    fn from(number: i64) -> Rational {
        Rational { numerator: number.into(), denominator: 1.into() }
    }
}

impl From<u64> for Rational {
    fn from(number: u64) -> Rational {
        Rational { numerator: number.into(), denominator: 1.into() }
    }
}

impl Rational {
    /// `-3` or `3/2`: digits, a minus sign before them or not, and below the line no sign and
    /// not zero.
    pub(crate) fn parse(text: &str) -> Result<Rational, Reason> {
        if text.len() > MAX_DIGITS {
            return Err(Reason::NumberTooLong { limit: MAX_DIGITS });
        }
        let bad = || Reason::NotANumber { text: text.to_owned() };
        let digits = |part: &str| {
            let plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| part.parse::<BigInt>().ok()).flatten().ok_or_else(bad)
        };
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (above, below) = match rest.split_once('/') {
            Some((above, below)) => (digits(above)?, digits(below)?),
            None => (digits(rest)?, 1.into()),
        };
        if below.sign() != Sign::Plus {
            return Err(bad());
        }
        let above = if negative { -above } else { above };
        Ok(Rational::reduced(above, below))
    }

    /// In lowest terms; `denominator` is above 0.
    fn reduced(numerator: BigInt, denominator: BigInt) -> Rational {
        // The remainder first: the numerator may be much longer.
        let common = (&numerator % &denominator).gcd(&denominator);
        if common.sign() != Sign::Plus || common == 1.into() {
            return Rational { numerator, denominator };
        }
        Rational { numerator: numerator / &common, denominator: denominator / &common }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.numerator.sign() == Sign::NoSign
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.numerator.sign() == Sign::Minus
    }

    pub(crate) fn is_integer(&self) -> bool {
        self.denominator == 1.into()
    }

    /// Whether it is above -1.
    pub(crate) fn is_above_minus_one(&self) -> bool {
        (&self.numerator + &self.denominator).sign() == Sign::Plus
    }

    pub(crate) fn negated(&self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }

    /// `self + a * b`.
    pub(crate) fn plus_product(&self, a: &Rational, b: &Rational) -> Result<Rational, Reason> {
        let above = &a.numerator * &b.numerator;
        let below = &a.denominator * &b.denominator;
        let numerator = &self.numerator * &below + above * &self.denominator;
        let sum = Rational::reduced(numerator, &self.denominator * below);
        if sum.words() > MAX_WORDS {
            return Err(Reason::NumberTooLarge { limit: 64 * MAX_WORDS });
        }
        Ok(sum)
    }

    /// Its size in 64-bit words.
    pub(crate) fn words(&self) -> usize {
        let bits = self.numerator.bits().saturating_add(self.denominator.bits());
        usize::try_from(bits / 64).unwrap_or(usize::MAX).saturating_add(1)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.numerator)?;
        if self.is_integer() {
            return Ok(());
        }
        write!(f, "/{}", self.denominator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_strictly() {
        let table = [
            ("0", "0"),
            ("-0", "0"),
            ("-3", "-3"),
            ("007", "7"),
            ("4/6", "2/3"),
            ("-4/2", "-2"),
            ("0/5", "0"),
            ("123456789012345678901234567890/3", "41152263004115226300411522630"),
            ("", "`` is not a number"),
            ("-", "`-` is not a number"),
            ("+1", "`+1` is not a number"),
            ("--1", "`--1` is not a number"),
            (" 1", "` 1` is not a number"),
            ("1.5", "`1.5` is not a number"),
            ("1_000", "`1_000` is not a number"),
            ("1/0", "`1/0` is not a number"),
            ("1/-2", "`1/-2` is not a number"),
            ("1/2/3", "`1/2/3` is not a number"),
            ("/2", "`/2` is not a number"),
            ("1/", "`1/` is not a number"),
            ("٣", "`٣` is not a number"),
        ];
        for (text, expected) in table {
            let found = match Rational::parse(text) {
                Ok(number) => number.to_string(),
                Err(reason) => reason.to_string(),
            };
            assert_eq!(found, expected, "{text}");
        }
        let long = "1".repeat(MAX_DIGITS + 1);
        assert_eq!(Rational::parse(&long), Err(Reason::NumberTooLong { limit: MAX_DIGITS }));
    }

    #[test]
    fn sums_are_those_of_small_fractions() {
        let small = || (-4..=4_i64).flat_map(|a| (1..=4_i64).map(move |b| (a, b)));
        let number = |(a, b): (i64, i64)| Rational::parse(&format!("{a}/{b}")).expect("a number");
        for a in small() {
            let (x, value) = (number(a), a.0 as f64 / a.1 as f64);
            assert_eq!(x.is_zero(), a.0 == 0);
            assert_eq!(x.is_negative(), a.0 < 0);
            assert_eq!(x.is_integer(), a.0 % a.1 == 0);
            assert_eq!(x.is_above_minus_one(), value > -1.0);
            for b in small() {
                for c in [(0, 1), (-1, 1), (2, 3)] {
                    let sum = number(b).plus_product(&x, &number(c)).expect("small");
                    let (above, below) = (b.0 * a.1 * c.1 + a.0 * c.0 * b.1, a.1 * b.1 * c.1);
                    assert_eq!(sum, number((above, below)), "{b:?} + {a:?} * {c:?}");
                }
            }
        }
    }

    #[test]
    fn numbers_that_grow_too_large_are_refused() {
        let mut number = Rational::parse(&"9".repeat(MAX_DIGITS)).expect("a number");
        let result = loop {
            match number.plus_product(&number, &number) {
                Ok(next) => number = next,
                Err(reason) => break reason,
            }
        };
        assert_eq!(result, Reason::NumberTooLarge { limit: 64 * MAX_WORDS });
    }
}
