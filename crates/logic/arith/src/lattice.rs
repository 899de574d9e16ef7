//! Lattices: normal forms of integer matrices, and integer solutions of equalities.
//!
//! The *Smith form* of `A` is a diagonal `D = U*A*V` in which every entry divides the next, with
//! `U` and `V` unimodular (integer, determinant 1 or -1). With it, `A*x = b` becomes `D*y = U*b`
//! with `x = V*y`: solvable over the integers iff every `d_i` divides its right-hand side. If one
//! does not, row `i` of `U` divided by `d_i` turns the equalities into one with integer
//! coefficients and a constant that is not an integer: the certificate, which a checker verifies
//! without knowing any of this.
//!
//! Reference: Schrijver, *Theory of Linear and Integer Programming*, chapters 4 and 5.

use crate::int::Int;
use crate::linear::{Linear, Point, Var, tidy};
use crate::ratio::Ratio;
use crate::simplex::Multipliers;
use std::borrow::Borrow;

/// An integer matrix, row by row; all rows have the same length.
pub type Matrix = Vec<Vec<Int>>;

/// The identity matrix.
pub fn identity(size: usize) -> Matrix {
    let one_at = |i: usize| move |j: usize| if i == j { Int::ONE } else { Int::ZERO };
    (0..size).map(|i| (0..size).map(one_at(i)).collect()).collect()
}

/// The Smith normal form: `diagonal = left * A * right`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Smith {
    /// Diagonal entries, nonnegative, each divides the next; `min(rows, columns)` of them.
    pub diagonal: Vec<Int>,
    /// The unimodular row operations.
    pub left: Matrix,
    /// The unimodular column operations.
    pub right: Matrix,
    /// How many diagonal entries are not 0.
    pub rank: usize,
}

/// The Smith normal form of a matrix.
///
/// ```
/// use ser_arith::{Int, smith};
/// let ints = |row: &[i64]| row.iter().map(|&a| Int::from(a)).collect::<Vec<_>>();
/// let smith = smith(&vec![ints(&[2, 0]), ints(&[0, 3])]);
/// assert_eq!(smith.diagonal, ints(&[1, 6]));
/// ```
pub fn smith(matrix: &Matrix) -> Smith {
    let mut form = matrix.clone();
    let (rows, columns) = (form.len(), form.first().map_or(0, Vec::len));
    let mut left = identity(rows);
    // Kept transposed, so that column operations are row operations.
    let mut right = identity(columns);
    let size = rows.min(columns);
    let mut rank = 0;
    'diagonal: for at in 0..size {
        loop {
            // The smallest entry that is left becomes the pivot; it shrinks in every round.
            let least = (at..rows)
                .flat_map(|i| (at..columns).map(move |j| (i, j)))
                .filter(|&(i, j)| !form[i][j].is_zero())
                .min_by_key(|&(i, j)| form[i][j].abs());
            let Some((i, j)) = least else { break 'diagonal };
            form.swap(at, i);
            left.swap(at, i);
            for row in &mut form {
                row.swap(at, j);
            }
            right.swap(at, j);
            let mut alone = true;
            for row in at + 1..rows {
                let quotient = form[row][at].div_floor(&form[at][at]);
                subtract_row(&mut form, row, at, &quotient);
                subtract_row(&mut left, row, at, &quotient);
                alone &= form[row][at].is_zero();
            }
            for column in at + 1..columns {
                let quotient = form[at][column].div_floor(&form[at][at]);
                if !quotient.is_zero() {
                    for row in &mut form {
                        let change = &quotient * &row[at];
                        row[column] -= change;
                    }
                }
                subtract_row(&mut right, column, at, &quotient);
                alone &= form[at][column].is_zero();
            }
            if !alone {
                continue;
            }
            // Every entry that is left must be a multiple of the pivot.
            let odd = (at + 1..rows)
                .find(|&i| (at + 1..columns).any(|j| !form[at][at].divides(&form[i][j])));
            match odd {
                None => break,
                Some(row) => {
                    subtract_row(&mut form, at, row, &Int::from(-1));
                    subtract_row(&mut left, at, row, &Int::from(-1));
                    // The next round leaves a smaller remainder in this row.
                }
            }
        }
        if form[at][at].is_negative() {
            negate_row(&mut form, at);
            negate_row(&mut left, at);
        }
        rank = at + 1;
    }
    let diagonal = (0..size).map(|i| form[i][i].clone()).collect();
    Smith { diagonal, left, right: transpose(&right, columns), rank }
}

fn subtract_row(matrix: &mut Matrix, row: usize, from: usize, factor: &Int) {
    if factor.is_zero() || row == from {
        return;
    }
    let source = matrix[from].clone();
    for (entry, other) in matrix[row].iter_mut().zip(&source) {
        if !other.is_zero() {
            *entry -= factor * other;
        }
    }
}

fn negate_row(matrix: &mut Matrix, row: usize) {
    for entry in &mut matrix[row] {
        *entry = -&*entry;
    }
}

fn transpose(matrix: &Matrix, columns: usize) -> Matrix {
    (0..columns).map(|j| matrix.iter().map(|row| row[j].clone()).collect()).collect()
}

/// Whether equalities have a common integer solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IntegerSolution {
    /// Yes: this one.
    Point(Point),
    /// No: the sum of the equalities times these multipliers has integer coefficients and a
    /// constant that is not an integer.
    None(Multipliers),
}

/// Looks for integers, of any sign, that make all forms 0.
///
/// ```
/// use ser_arith::{IntegerSolution, Linear, Ratio, Var, solve_integer};
/// // 2x + 4y = 3 has no integer solution: half of it has integer coefficients.
/// let odd = Linear::term(2, Var(0)) + Linear::term(4, Var(1)) - Linear::constant(3);
/// let half: Ratio = "1/2".parse().unwrap();
/// assert_eq!(solve_integer(&[(5, odd)]), IntegerSolution::None(vec![(5, half)]));
/// ```
pub fn solve_integer<L: Borrow<Linear>>(equalities: &[(usize, L)]) -> IntegerSolution {
    let mut vars: Vec<Var> = equalities.iter().flat_map(|(_, form)| form.borrow().vars()).collect();
    vars.sort_unstable();
    vars.dedup();
    // scale * form = row * x + constant, with integer rows; constants may stay fractions.
    let mut matrix = Matrix::new();
    let mut scales = Vec::new();
    let mut constants = Vec::new();
    for (_, form) in equalities {
        let form: &Linear = form.borrow();
        let (scale, linear) = form.with_constant(0).clear_denominators();
        let row = vars.iter().map(|v| linear.coefficient(*v).numerator().clone()).collect();
        matrix.push(row);
        let scale = Ratio::from(scale);
        constants.push(form.constant_term() * &scale);
        scales.push(scale);
    }
    let smith = smith(&matrix);
    let mut solution = Vec::new();
    for (at, row) in smith.left.iter().enumerate() {
        // d * y_at + constant = 0
        let mut constant = Ratio::ZERO;
        for (c, b) in row.iter().zip(&constants) {
            constant += &Ratio::from(c) * b;
        }
        let factor = match smith.diagonal.get(at) {
            Some(d) if !d.is_zero() => {
                let value = (-&constant).checked_div(&Ratio::from(d)).unwrap_or_default();
                if value.is_integer() {
                    solution.push(value);
                    continue;
                }
                Ratio::from(d).recip()
            }
            _ if constant.is_zero() => continue,
            // No variables are left: make the constant one half.
            _ => (&constant * &Ratio::from(2)).recip(),
        };
        let factor = factor.unwrap_or_default();
        return IntegerSolution::None(certificate(equalities, &scales, row, &factor));
    }
    let values = smith.right.iter().map(|row| {
        let mut value = Ratio::ZERO;
        for (c, y) in row.iter().zip(&solution) {
            value += &Ratio::from(c) * y;
        }
        value
    });
    IntegerSolution::Point(vars.iter().copied().zip(values).collect())
}

/// The multipliers `factor * row`, for the equalities as they were given.
fn certificate<L: Borrow<Linear>>(
    equalities: &[(usize, L)],
    scales: &[Ratio],
    row: &[Int],
    factor: &Ratio,
) -> Multipliers {
    let mut multipliers = Multipliers::new();
    for (((id, form), scale), c) in equalities.iter().zip(scales).zip(row) {
        let multiplier = &(&Ratio::from(c) * scale) * factor;
        // A whole number of an integral equality changes nothing: keep the fraction.
        let whole = form.borrow().is_integral();
        multipliers.push((*id, if whole { multiplier.fract() } else { multiplier }));
    }
    tidy(multipliers)
}

/// The multipliers of [`IntegerSolution::None`], if the equalities have no integer solution.
pub fn integer_infeasible<L: Borrow<Linear>>(equalities: &[(usize, L)]) -> Option<Multipliers> {
    match solve_integer(equalities) {
        IntegerSolution::None(multipliers) => Some(multipliers),
        IntegerSolution::Point(_) => None,
    }
}

/// Integers, of any sign, that make all forms 0, if there are any.
pub fn integer_solution<L: Borrow<Linear>>(equalities: &[(usize, L)]) -> Option<Point> {
    match solve_integer(equalities) {
        IntegerSolution::Point(point) => Some(point),
        IntegerSolution::None(_) => None,
    }
}
