//! Adding up sums.
//!
//! One map for all terms, so that a sum of many places costs its length and not its square. Numbers
//! stay within what the text syntax can write: from -(2^63 - 1) to 2^63 - 1.

use crate::{PlaceId, Sum};
use std::collections::BTreeMap;

/// A sum in the making.
#[derive(Default)]
pub(crate) struct Total {
    terms: BTreeMap<PlaceId, i64>,
    constant: i64,
}

impl Total {
    /// Adds `factor * sum`; none if a number becomes too large.
    pub fn add(&mut self, factor: i64, sum: &Sum) -> Option<()> {
        for (place, a) in &sum.terms {
            let entry = self.terms.entry(*place).or_insert(0);
            *entry = plus_scaled(*entry, factor, *a)?;
        }
        self.constant = plus_scaled(self.constant, factor, sum.constant)?;
        Some(())
    }

    pub fn finish(self) -> Sum {
        let terms = self.terms.into_iter().filter(|(_, a)| *a != 0).collect();
        Sum { terms, constant: self.constant }
    }
}

impl Sum {
    /// `factor * self`; none if a number becomes too large.
    pub(crate) fn scaled(&self, factor: i64) -> Option<Sum> {
        let mut total = Total::default();
        total.add(factor, self)?;
        Some(total.finish())
    }
}

fn plus_scaled(number: i64, factor: i64, other: i64) -> Option<i64> {
    number.checked_add(factor.checked_mul(other)?).filter(|sum| *sum != i64::MIN)
}
