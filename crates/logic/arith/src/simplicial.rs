//! Components with linearly independent periods.
//!
//! A component whose periods depend on each other is a union of components whose periods do not. If
//! `sum(a_i * p_i) = sum(b_j * p_j)` with positive integers on both sides, then of every vector's
//! lambdas, the left side can be exchanged for the right one until some `lambda_i < a_i`. So the
//! component is the union, over the periods `p_i` of one side and over `r < a_i`, of those with the
//! base `b + r * p_i` and without the period `p_i`. There is always such an equation: periods are
//! not negative and not zero, so no side is empty.

use crate::int::Int;
use crate::lattice::{Matrix, smith};

/// A base and periods.
pub type LinearSet = (Vec<i64>, Vec<Vec<i64>>);

/// Components with linearly independent periods whose union is the given one; nothing if they are
/// more than `most`, or if numbers become too large.
///
/// ```
/// use ser_arith::simplicial;
/// // 3 and 5 depend on each other: 5*3 = 3*5.
/// let parts = simplicial(&[0], &[vec![3], vec![5]], 10).unwrap();
/// assert_eq!(parts, [(vec![0], vec![vec![3]]), (vec![5], vec![vec![3]]), (vec![10], vec![vec![3]])]);
/// ```
pub fn simplicial(base: &[i64], periods: &[Vec<i64>], most: usize) -> Option<Vec<LinearSet>> {
    let mut done: Vec<LinearSet> = Vec::new();
    let mut open: Vec<LinearSet> = vec![(base.to_vec(), periods.to_vec())];
    while let Some((base, periods)) = open.pop() {
        let Some(relation) = relation(&periods)? else {
            done.push((base, periods));
            continue;
        };
        // The side with the smaller sum gives fewer components.
        let sum = |sign: i64| -> Option<i64> {
            let mut side = relation.iter().filter(|n| n.signum() == sign);
            side.try_fold(0i64, |sum, n| sum.checked_add(n.checked_abs()?))
        };
        let (left, right) = (sum(1)?, sum(-1)?);
        if left == 0 || right == 0 {
            return None;
        }
        let sign = if left <= right { 1 } else { -1 };
        if done.len() + open.len() + usize::try_from(left.min(right)).ok()? > most {
            return None;
        }
        for (i, times) in relation.iter().enumerate().filter(|(_, n)| n.signum() == sign).rev() {
            let mut rest = periods.clone();
            let period = rest.remove(i);
            for r in (0..times.abs()).rev() {
                let shifted = base.iter().zip(&period);
                let shifted = shifted.map(|(b, p)| b.checked_add(p.checked_mul(r)?));
                open.push((shifted.collect::<Option<_>>()?, rest.clone()));
            }
        }
    }
    Some(done)
}

/// Integers, not all zero, with which the periods add up to zero; none if there are none.
/// Nothing if they are too large.
fn relation(periods: &[Vec<i64>]) -> Option<Option<Vec<i64>>> {
    let Some(dimension) = periods.first().map(Vec::len) else { return Some(None) };
    let entry = |p: &Vec<i64>, d: usize| Int::from(p.get(d).copied().unwrap_or(0));
    let matrix: Matrix =
        (0..dimension).map(|d| periods.iter().map(|p| entry(p, d)).collect()).collect();
    let smith = smith(&matrix);
    if smith.rank == periods.len() {
        return Some(None);
    }
    // The columns of V after the rank are mapped to zero.
    let column = smith.right.iter().map(|row| row.get(smith.rank).and_then(Int::to_i64));
    column.collect::<Option<Vec<i64>>>().map(Some)
}
