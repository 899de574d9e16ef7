//! Which forms follow from equalities alone, by Gaussian elimination that can be undone.
//!
//! Rows are added one by one and removed in the opposite order, so row `i` is reduced only by the
//! rows before it. Then the pivot of a row occurs in no later row, and one pass in order reduces
//! any form. Every row remembers which combination of the given equalities it is: that
//! combination is the certificate.

use crate::linear::{Linear, Var, tidy};
use crate::ratio::Ratio;
use crate::simplex::Multipliers;

/// A stack of equalities `form = 0` in echelon form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Echelon {
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    form: Linear,
    /// The variable that this row eliminates; none for a row `constant = 0` with a non-zero
    /// constant, which eliminates constants (the equalities contradict each other).
    pivot: Option<Var>,
    combination: Multipliers,
}

impl Echelon {
    /// How many rows there are: a mark to come back to.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Back to an earlier mark.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
    }

    /// Adds an equality; one that follows from the others adds no row.
    pub(crate) fn push(&mut self, id: usize, form: &Linear) {
        let (rest, used) = self.reduce(form);
        if rest.is_zero() {
            return;
        }
        // rest = form - used, as a combination of the given equalities.
        let combination = combine(&[(id, Ratio::ONE)], &Ratio::from(-1), &used);
        let pivot = rest.vars().next();
        self.rows.push(Row { form: rest, pivot, combination });
    }

    /// What remains of a form modulo the equalities, and the combination that was taken away.
    pub(crate) fn reduce(&self, form: &Linear) -> (Linear, Multipliers) {
        let mut rest = form.clone();
        let mut used = Multipliers::new();
        for row in &self.rows {
            let (have, own) = match row.pivot {
                Some(var) => (rest.coefficient(var), row.form.coefficient(var)),
                None => (rest.constant_term().clone(), row.form.constant_term().clone()),
            };
            if have.is_zero() {
                continue;
            }
            // A pivot is never 0, so the quotient exists.
            let Some(factor) = have.checked_div(&own) else { continue };
            rest = rest.plus_scaled(&-&factor, &row.form);
            used = combine(&used, &factor, &row.combination);
        }
        (rest, used)
    }
}

/// `left + factor * right`, sorted by hypothesis, without zeros.
pub(crate) fn combine(
    left: &[(usize, Ratio)],
    factor: &Ratio,
    right: &[(usize, Ratio)],
) -> Multipliers {
    let mut sum: Multipliers = left.to_vec();
    sum.extend(right.iter().map(|(id, c)| (*id, factor * c)));
    tidy(sum)
}
