//! Rows of a tableau: combinations of columns with one common denominator.
//!
//! A pivot touches nearly every entry of the tableau. With a fraction per entry it would reduce
//! every one of them; with one denominator per row it is a matter of integer products, and one
//! reduction per row, which usually stops at the first entry.

use crate::int::Int;
use crate::ratio::Ratio;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// `(sum of terms) / scale`: sorted by column, without zeros, `scale > 0`, no common divisor.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    scale: Int,
    terms: Vec<(usize, Int)>,
}

impl Row {
    /// The sum of columns times coefficients.
    pub(crate) fn new(terms: &BTreeMap<usize, Ratio>) -> Row {
        let mut scale = Int::ONE;
        for c in terms.values() {
            scale = scale.lcm(c.denominator());
        }
        let whole = |c: &Ratio| c.numerator() * &scale.div_floor(c.denominator());
        let terms = terms.iter().filter(|(_, c)| !c.is_zero()).map(|(j, c)| (*j, whole(c)));
        Row { terms: terms.collect(), scale }
    }

    /// The common denominator.
    pub(crate) fn scale(&self) -> &Int {
        &self.scale
    }

    /// The columns with their coefficients times the common denominator.
    pub(crate) fn terms(&self) -> &[(usize, Int)] {
        &self.terms
    }

    /// Does the column occur?
    pub(crate) fn mentions(&self, column: usize) -> bool {
        self.entry(column).is_some()
    }

    /// The coefficient of a column, if it is not 0.
    pub(crate) fn slope(&self, column: usize) -> Option<Ratio> {
        self.entry(column).and_then(|c| Ratio::new(c.clone(), self.scale.clone()))
    }

    fn entry(&self, column: usize) -> Option<&Int> {
        let at = self.terms.binary_search_by_key(&column, |(c, _)| *c).ok()?;
        self.terms.get(at).map(|(_, c)| c)
    }

    /// Adds `factor` times this row to a sum.
    pub(crate) fn add_to(&self, sum: &mut BTreeMap<usize, Ratio>, factor: &Ratio) {
        if let Some(factor) = factor.checked_div(&Ratio::from(&self.scale)) {
            for (column, c) in &self.terms {
                *sum.entry(*column).or_default() += &factor * &Ratio::from(c);
            }
        }
    }

    /// From `basic = self` to `entering = result`, if `entering` occurs.
    pub(crate) fn solved_for(&self, basic: usize, entering: usize) -> Option<Row> {
        // scale * basic = factor * entering + rest, which has no common divisor.
        let factor = self.entry(entering)?;
        let minus = factor.is_negative();
        let mut terms = Vec::with_capacity(self.terms.len());
        for (column, c) in self.terms.iter().filter(|(c, _)| *c != entering) {
            terms.push((*column, if minus { c.clone() } else { -c }));
        }
        let at = terms.partition_point(|(c, _)| *c < basic);
        terms.insert(at, (basic, if minus { -&self.scale } else { self.scale.clone() }));
        Some(Row { scale: factor.abs(), terms })
    }

    /// Replaces a column by what it equals. How many entries that took.
    pub(crate) fn substitute(&mut self, column: usize, solved: &Row) -> usize {
        let Some(c) = self.entry(column) else { return 0 };
        let entries = self.terms.len() + solved.terms.len();
        let divisor = c.gcd(&solved.scale);
        let (left, right) = (solved.scale.div_floor(&divisor), c.div_floor(&divisor));
        let mut sum = Vec::with_capacity(self.terms.len() + solved.terms.len());
        let mut ours = self.terms.iter().filter(|(c, _)| *c != column).peekable();
        let mut theirs = solved.terms.iter().peekable();
        while let (Some((a, c)), Some((b, d))) = (ours.peek(), theirs.peek()) {
            match a.cmp(b) {
                Ordering::Less => {
                    sum.push((*a, &left * c));
                    ours.next();
                }
                Ordering::Greater => {
                    sum.push((*b, &right * d));
                    theirs.next();
                }
                Ordering::Equal => {
                    let both = &left * c + &right * d;
                    if !both.is_zero() {
                        sum.push((*a, both));
                    }
                    ours.next();
                    theirs.next();
                }
            }
        }
        sum.extend(ours.map(|(a, c)| (*a, &left * c)));
        sum.extend(theirs.map(|(b, d)| (*b, &right * d)));
        self.terms = sum;
        self.scale *= left;
        self.reduce();
        entries
    }

    fn reduce(&mut self) {
        let mut divisor = self.scale.clone();
        for (_, c) in &self.terms {
            if divisor.is_one() {
                return;
            }
            divisor = divisor.gcd(c);
        }
        if divisor.is_one() {
            return;
        }
        self.scale = self.scale.div_floor(&divisor);
        for (_, c) in &mut self.terms {
            *c = c.div_floor(&divisor);
        }
    }
}
