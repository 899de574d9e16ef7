//! Affine coefficients for a component: how often each period occurs, as a function of how often
//! each transition fires.
//!
//! The integer points that satisfy the equalities are x0 + B y for integer y. On them the outcome
//! is an affine function of y, and for linearly independent periods at most one affine function
//! lambda of y gives it. Because B is a basis of *all* integer solutions, y is an integer function
//! of x, and so is lambda if its coefficients in y are integers.

use ser_arith::{Int, Linear, Matrix, Point, Ratio, Var, integer_solution, smith};

/// The integer solutions of some equalities.
pub(crate) struct Lattice {
    /// One solution.
    origin: Point,
    /// A basis of the differences, each as a vector over the variables.
    basis: Vec<Vec<Int>>,
    /// The coordinates in that basis, as linear forms in the variables.
    coordinates: Vec<Linear>,
    vars: Vec<Var>,
}

impl Lattice {
    /// All integer solutions of equalities over these variables; none if there is none.
    pub fn new(vars: &[Var], equalities: &[(usize, Linear)]) -> Option<Lattice> {
        let origin = integer_solution(equalities)?;
        let mut rows: Matrix = equalities
            .iter()
            .map(|(_, form)| {
                let (_, form) = form.clear_denominators();
                vars.iter()
                    .map(|v| form.coefficient(*v).to_int().cloned().unwrap_or(Int::ZERO))
                    .collect()
            })
            .collect();
        if rows.is_empty() {
            // A matrix without rows would not know how many columns it has.
            rows.push(vec![Int::ZERO; vars.len()]);
        }
        let smith = smith(&rows);
        let inverse = invert(&smith.right)?;
        let basis = (smith.rank..vars.len())
            .map(|j| smith.right.iter().map(|row| row[j].clone()).collect())
            .collect();
        let coordinates = inverse[smith.rank..]
            .iter()
            .map(|row| {
                let row = row.iter().cloned().map(Ratio::from);
                let form = Linear::new(vars.iter().copied().zip(row), Ratio::ZERO);
                let at_origin = form.evaluate(&origin);
                form - Linear::constant(at_origin)
            })
            .collect();
        Some(Lattice { origin, basis, coordinates, vars: vars.to_vec() })
    }

    /// A form on the solutions: its value at the origin, and its change along each basis vector.
    fn along(&self, form: &Linear) -> (Ratio, Vec<Ratio>) {
        let at = form.evaluate(&self.origin);
        let slopes = self
            .basis
            .iter()
            .map(|b| {
                let mut slope = Ratio::ZERO;
                for (v, x) in self.vars.iter().zip(b) {
                    if !x.is_zero() {
                        slope = &slope + &(&form.coefficient(*v) * &Ratio::from(x.clone()));
                    }
                }
                slope
            })
            .collect();
        (at, slopes)
    }

    /// The forms lambda with `outcome = base + periods * lambda` on all solutions, if there are
    /// any; the periods are linearly independent. They may have fractional coefficients. If there
    /// are none: a form with integer coefficients that would have to be zero, and is not on all
    /// solutions, and how many such forms there are.
    pub fn coefficients(
        &self,
        outcome: &[Linear],
        base: &[i64],
        periods: &[&Vec<i64>],
    ) -> Result<Vec<Linear>, (Linear, usize)> {
        // One row for each letter: periods, then the right-hand sides (constant, slopes), then
        // which combination of letters the row is.
        let sides = self.basis.len() + 1;
        let mut rows: Vec<Vec<Ratio>> = Vec::new();
        for (letter, form) in outcome.iter().enumerate() {
            let (at, slopes) = self.along(form);
            let mut row: Vec<Ratio> = periods.iter().map(|p| Ratio::from(p[letter])).collect();
            row.push(&at - &Ratio::from(base[letter]));
            row.extend(slopes);
            row.extend((0..outcome.len()).map(|l| Ratio::from(i64::from(l == letter))));
            rows.push(row);
        }
        let unknowns = periods.len();
        if !eliminate(&mut rows, unknowns) {
            return Err((Linear::zero(), 1));
        }
        let open: Vec<&Vec<Ratio>> = rows[unknowns..]
            .iter()
            .filter(|row| row[unknowns..unknowns + sides].iter().any(|x| !x.is_zero()))
            .collect();
        if let Some(row) = open.first() {
            let mut form = Linear::zero();
            for (letter, factor) in row[unknowns + sides..].iter().enumerate() {
                let rest = outcome[letter].clone() - Linear::constant(base[letter]);
                form = form.plus_scaled(factor, &rest);
            }
            return Err((form.clear_denominators().1, open.len()));
        }
        let forms = rows[..unknowns].iter().map(|row| {
            let values = &row[unknowns..unknowns + sides];
            let mut form = Linear::constant(values[0].clone());
            for (slope, coordinate) in values[1..].iter().zip(&self.coordinates) {
                if !slope.is_zero() {
                    form = form.plus_scaled(slope, coordinate);
                }
            }
            form
        });
        Ok(forms.collect())
    }
}

/// Turns the first `unknowns` columns into a unit matrix; false if they are dependent.
fn eliminate(rows: &mut [Vec<Ratio>], unknowns: usize) -> bool {
    for column in 0..unknowns {
        let Some(pivot) = (column..rows.len()).find(|r| !rows[*r][column].is_zero()) else {
            return false;
        };
        rows.swap(column, pivot);
        let Some(scale) = rows[column][column].recip() else { return false };
        for x in &mut rows[column] {
            *x = &*x * &scale;
        }
        let pivot_row = rows[column].clone();
        for (r, row) in rows.iter_mut().enumerate() {
            if r != column && !row[column].is_zero() {
                let factor = row[column].clone();
                for (x, p) in row.iter_mut().zip(&pivot_row) {
                    *x = &*x - &(&factor * p);
                }
            }
        }
    }
    true
}

/// The inverse of a unimodular matrix.
fn invert(matrix: &Matrix) -> Option<Matrix> {
    let size = matrix.len();
    let mut rows: Vec<Vec<Ratio>> = matrix
        .iter()
        .enumerate()
        .map(|(i, row)| {
            let unit = (0..size).map(|j| Ratio::from(i64::from(i == j)));
            row.iter().map(|x| Ratio::from(x.clone())).chain(unit).collect()
        })
        .collect();
    if !eliminate(&mut rows, size) {
        return None;
    }
    rows.into_iter().map(|row| row[size..].iter().map(|x| x.to_int().cloned()).collect()).collect()
}

/// The first periods of `order` that are linearly independent.
pub(crate) fn independent(periods: &[Vec<i64>], order: &[usize]) -> Vec<usize> {
    let mut chosen = Vec::new();
    let mut rows: Vec<Vec<Ratio>> = Vec::new();
    for &index in order {
        let mut row: Vec<Ratio> = periods[index].iter().map(|x| Ratio::from(*x)).collect();
        for known in &rows {
            let Some(lead) = known.iter().position(|x| !x.is_zero()) else { continue };
            if !row[lead].is_zero() {
                let Some(factor) = row[lead].checked_div(&known[lead]) else { continue };
                for (x, k) in row.iter_mut().zip(known) {
                    *x = &*x - &(&factor * k);
                }
            }
        }
        if row.iter().any(|x| !x.is_zero()) {
            rows.push(row);
            chosen.push(index);
        }
    }
    chosen
}
