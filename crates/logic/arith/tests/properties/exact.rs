//! A second, naive arithmetic for checking certificates: fractions of `i128`, dense forms.

use proptest::prelude::*;
use ser_arith::{Linear, Multipliers, Point, Ratio, Var};
use std::collections::BTreeMap;

/// A fraction, reduced, denominator > 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Q(pub i128, pub i128);

impl Q {
    pub fn new(n: i128, d: i128) -> Q {
        let (mut a, mut b) = (n.abs(), d.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let g = a.max(1) * d.signum();
        Q(n / g, d / g)
    }

    pub fn add(self, other: Q) -> Q {
        Q::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    pub fn mul(self, other: Q) -> Q {
        Q::new(self.0 * other.0, self.1 * other.1)
    }
}

/// Reads the text, so that nothing but the digits is trusted.
pub fn q(ratio: &Ratio) -> Q {
    let text = ratio.to_string();
    let (n, d) = text.split_once('/').unwrap_or((&text, "1"));
    Q::new(n.parse().unwrap(), d.parse().unwrap())
}

/// A form as coefficients by variable, the constant under `None`.
pub type Form = BTreeMap<Option<u32>, Q>;

pub fn form(linear: &Linear) -> Form {
    let mut form: Form = linear.terms().map(|(v, c)| (Some(v.0), q(c))).collect();
    form.insert(None, q(linear.constant_term()));
    form
}

pub fn add(left: &mut Form, factor: Q, right: &Form) {
    for (key, c) in right {
        let entry = left.entry(*key).or_insert(Q(0, 1));
        *entry = entry.add(factor.mul(*c));
    }
}

/// A hypothesis of a test: `form >= 0` or `form = 0`.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    pub equality: bool,
    pub form: Linear,
}

impl Hypothesis {
    pub fn holds(&self, point: &Point) -> bool {
        let value = self.form.evaluate(point);
        if self.equality { value.is_zero() } else { !value.is_negative() }
    }
}

/// What remains of `target` after the multiples of the hypotheses are taken away.
pub fn residue(target: &Linear, hypotheses: &[Hypothesis], multipliers: &Multipliers) -> Form {
    let mut rest = form(target);
    let mut last = None;
    for (id, multiplier) in multipliers {
        assert!(last < Some(*id), "multipliers are sorted");
        last = Some(*id);
        let m = q(multiplier);
        assert!(m.0 != 0, "no zero multipliers");
        assert!(hypotheses[*id].equality || m.0 > 0, "multipliers of inequalities are positive");
        add(&mut rest, Q(-m.0, m.1), &form(&hypotheses[*id].form));
    }
    rest
}

/// Nonnegative on nonnegative variables, zero on free ones; returns the constant.
pub fn slack(rest: &Form, nonneg: &[bool]) -> Q {
    for (key, c) in rest {
        if let Some(var) = key {
            let fine = if nonneg[*var as usize] { c.0 >= 0 } else { c.0 == 0 };
            assert!(fine, "coefficient {c:?} of x{var}");
        }
    }
    rest.get(&None).copied().unwrap_or(Q(0, 1))
}

pub const VARS: usize = 3;

pub fn linear() -> impl Strategy<Value = Linear> {
    (prop::collection::vec(-3i64..=3, VARS), -6i64..=6, 1i64..=2).prop_map(|(c, constant, d)| {
        let terms = (0u32..).zip(c).map(|(v, c)| (Var(v), Ratio::from(c)));
        Linear::new(terms, constant).scale(&Ratio::from(d).recip().unwrap())
    })
}

pub fn hypothesis() -> impl Strategy<Value = Hypothesis> {
    (prop::bool::weighted(0.3), linear()).prop_map(|(equality, form)| Hypothesis { equality, form })
}

pub fn hypotheses() -> impl Strategy<Value = Vec<Hypothesis>> {
    prop::collection::vec(hypothesis(), 0..7)
}

/// All integer points of a box.
pub fn integer_box(low: i64, high: i64) -> impl Iterator<Item = Point> {
    let side = high - low + 1;
    (0..side.pow(VARS as u32)).map(move |mut code| {
        let mut point = Point::new();
        for var in 0..VARS as u32 {
            point.insert(Var(var), Ratio::from(low + code % side));
            code /= side;
        }
        point
    })
}
