//! Linear forms of numbers, and what `form >= 0` is as an atom.
//!
//! Numbers are machine integers of 128 bits; what does not fit is an [`Overflow`], never a wrong
//! number.

use crate::rejection::Overflow;
use crate::term::TermId;

/// `constant + c1 * t1 + ...`: coefficients are not 0, terms ascend and are no sums.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Linear {
    pub constant: i128,
    pub parts: Vec<(TermId, i128)>,
}

/// What `form >= 0` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum AtLeastZero {
    /// There are no terms in it.
    Constant(bool),
    /// This form, in which the first coefficient is above 0, is at least 0 (`true`), or is not.
    Atom(Linear, bool),
}

impl Linear {
    pub fn constant(constant: i128) -> Linear {
        Linear { constant, parts: Vec::new() }
    }

    pub fn of(term: TermId) -> Linear {
        Linear { constant: 0, parts: vec![(term, 1)] }
    }

    /// `self + factor * other`.
    pub fn add(&self, factor: i128, other: &Linear) -> Result<Linear, Overflow> {
        let scaled = |number: i128| number.checked_mul(factor).ok_or(Overflow);
        let sum = |l: i128, r: i128| l.checked_add(r).ok_or(Overflow);
        let constant = sum(self.constant, scaled(other.constant)?)?;
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut left, mut right) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let part = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some((l, _)), Some((r, _))) if l == r => {
                    let (term, ours) = left.next().copied().unwrap_or((*l, 0));
                    let theirs = right.next().map_or(0, |(_, theirs)| *theirs);
                    (term, sum(ours, scaled(theirs)?)?)
                }
                (Some((l, ours)), right) if right.is_none_or(|(r, _)| l < r) => {
                    let part = (*l, *ours);
                    left.next();
                    part
                }
                (_, Some((r, theirs))) => {
                    let part = (*r, scaled(*theirs)?);
                    right.next();
                    part
                }
                (Some(_), None) => break,
            };
            if part.1 != 0 {
                parts.push(part);
            }
        }
        Ok(Linear { constant, parts })
    }

    /// `factor * self`.
    pub fn times(&self, factor: i128) -> Result<Linear, Overflow> {
        Linear::default().add(factor, self)
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<i128> {
        self.parts.is_empty().then_some(self.constant)
    }

    /// The term, if it is just that.
    pub fn term(&self) -> Option<TermId> {
        match self.parts[..] {
            [(term, 1)] if self.constant == 0 => Some(term),
            _ => None,
        }
    }

    /// What `self >= 0` says. Divided by the greatest common divisor of the coefficients: `d * f +
    /// c >= 0` if and only if `f >= -c / d`, so `f + floor(c / d) >= 0`. Of it and its opposite,
    /// `-f - 1 >= 0`, the one with a first coefficient above 0 is taken.
    pub fn at_least_zero(&self) -> Result<AtLeastZero, Overflow> {
        let Some((_, first)) = self.parts.first() else {
            return Ok(AtLeastZero::Constant(self.constant >= 0));
        };
        let divisor = self.parts.iter().fold(0, |gcd, (_, c)| divisor(gcd, c.unsigned_abs()));
        let divisor = i128::try_from(divisor).map_err(|_| Overflow)?;
        let negative = *first < 0;
        let parts = self.parts.iter().map(|(term, c)| {
            let c = c / divisor;
            Ok((*term, if negative { c.checked_neg().ok_or(Overflow)? } else { c }))
        });
        let parts = parts.collect::<Result<_, Overflow>>()?;
        let floor = self.constant.div_euclid(divisor);
        // -(f + c) - 1 = -f - c - 1
        let constant = match negative {
            true => floor.checked_neg().and_then(|it| it.checked_sub(1)).ok_or(Overflow)?,
            false => floor,
        };
        Ok(AtLeastZero::Atom(Linear { constant, parts }, !negative))
    }
}

/// The greatest common divisor.
fn divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(constant: i128, parts: &[(u32, i128)]) -> Linear {
        Linear { constant, parts: parts.iter().map(|(t, c)| (TermId(*t), *c)).collect() }
    }

    #[test]
    fn constants_are_rounded_down() {
        // 2x - 3 >= 0 is x >= 2.
        let atom = form(-3, &[(1, 2)]).at_least_zero();
        assert_eq!(atom, Ok(AtLeastZero::Atom(form(-2, &[(1, 1)]), true)));
        // -2x + 3 >= 0 is x <= 1, which is not x >= 2.
        let atom = form(3, &[(1, -2)]).at_least_zero();
        assert_eq!(atom, Ok(AtLeastZero::Atom(form(-2, &[(1, 1)]), false)));
    }

    #[test]
    fn a_form_and_its_opposite_are_one_atom() {
        for c in -7..7 {
            for a in [-3, -2, -1, 1, 2, 3] {
                for b in -2..3 {
                    let parts: Vec<_> = [(1, a), (2, b)].into_iter().filter(|p| p.1 != 0).collect();
                    let f = form(c, &parts);
                    let opposite = Linear::constant(-1).add(-1, &f).expect("small");
                    let (Ok(AtLeastZero::Atom(f, p)), Ok(AtLeastZero::Atom(g, q))) =
                        (f.at_least_zero(), opposite.at_least_zero())
                    else {
                        panic!("both have terms")
                    };
                    assert_eq!((f, p), (g, !q));
                }
            }
        }
    }

    #[test]
    fn atoms_say_what_their_form_says() {
        for c in -9..9 {
            for a in [-6, -4, -3, -2, 2, 3, 4, 6] {
                let Ok(AtLeastZero::Atom(atom, sign)) = form(c, &[(1, a)]).at_least_zero() else {
                    panic!("it has a term")
                };
                for x in -9..9 {
                    let value = atom.constant + atom.parts[0].1 * x;
                    assert_eq!(c + a * x >= 0, (value >= 0) == sign);
                }
            }
        }
    }

    #[test]
    fn equal_parts_are_collected_and_zeros_dropped() {
        let f = form(1, &[(1, 2), (3, 1)]);
        let g = form(4, &[(1, 1), (2, 5)]);
        assert_eq!(f.add(-2, &g), Ok(form(-7, &[(2, -10), (3, 1)])));
        assert_eq!(f.add(-1, &f), Ok(Linear::default()));
    }

    #[test]
    fn numbers_that_are_too_large_are_an_error() {
        let f = form(i128::MAX, &[(1, i128::MIN)]);
        assert_eq!(f.add(1, &f), Err(Overflow));
        assert_eq!(f.at_least_zero(), Err(Overflow));
        assert_eq!(f.times(2), Err(Overflow));
    }
}
