//! Normal forms by their defining identities, and certificates of the lattice leaf.

use crate::exact::{Q, add, form, linear, q};
use proptest::prelude::*;
use ser_arith::{
    Int, IntegerSolution, Linear, Matrix, Ratio, integer_infeasible, integer_solution, smith,
    solve_integer,
};

fn matrix(size: i64) -> impl Strategy<Value = Matrix> {
    (1usize..5, 1usize..5).prop_flat_map(move |(rows, columns)| {
        let entry = (-size..=size).prop_map(Int::from);
        prop::collection::vec(prop::collection::vec(entry, columns), rows)
    })
}

fn times(left: &Matrix, right: &Matrix) -> Matrix {
    let columns = right.first().map_or(0, Vec::len);
    let entry = |row: &Vec<Int>, j: usize| {
        row.iter().zip(right).fold(Int::ZERO, |sum, (a, other)| sum + a * &other[j])
    };
    left.iter().map(|row| (0..columns).map(|j| entry(row, j)).collect()).collect()
}

/// By the first row.
fn determinant(matrix: &Matrix) -> Int {
    let Some(first) = matrix.first() else { return Int::ONE };
    let mut sum = Int::ZERO;
    for (j, a) in first.iter().enumerate() {
        let minor: Matrix = matrix[1..]
            .iter()
            .map(|row| {
                row.iter().enumerate().filter(|(k, _)| *k != j).map(|(_, b)| b.clone()).collect()
            })
            .collect();
        let term = a * &determinant(&minor);
        sum = if j % 2 == 0 { sum + term } else { sum - term };
    }
    sum
}

proptest! {
    #[test]
    fn smith_forms(a in prop_oneof![matrix(6), matrix(1_000_000_000)]) {
        let smith = smith(&a);
        let product = times(&times(&smith.left, &a), &smith.right);
        for (i, row) in product.iter().enumerate() {
            for (j, entry) in row.iter().enumerate() {
                prop_assert_eq!(entry, if i == j { &smith.diagonal[i] } else { &Int::ZERO });
            }
        }
        prop_assert!(determinant(&smith.left).abs().is_one());
        prop_assert!(determinant(&smith.right).abs().is_one());
        for pair in smith.diagonal.windows(2) {
            prop_assert!(pair[0].divides(&pair[1]));
        }
        prop_assert!(smith.diagonal.iter().all(|d| !d.is_negative()));
        prop_assert_eq!(smith.diagonal.iter().filter(|d| !d.is_zero()).count(), smith.rank);
    }

    #[test]
    fn integer_solutions_or_certificates(forms in prop::collection::vec(linear(), 0..5)) {
        let equalities: Vec<(usize, Linear)> =
            forms.into_iter().enumerate().map(|(i, f)| (10 * i, f)).collect();
        match solve_integer(&equalities) {
            IntegerSolution::Point(point) => {
                prop_assert!(point.values().all(Ratio::is_integer));
                prop_assert!(equalities.iter().all(|(_, f)| f.evaluate(&point).is_zero()));
                prop_assert_eq!(integer_solution(&equalities), Some(point));
                prop_assert_eq!(integer_infeasible(&equalities), None);
            }
            IntegerSolution::None(multipliers) => {
                let mut sum = form(&Linear::zero());
                for (id, m) in &multipliers {
                    add(&mut sum, q(m), &form(&equalities[id / 10].1));
                }
                let Q(_, denominator) = sum.remove(&None).unwrap();
                prop_assert!(denominator != 1);
                prop_assert!(sum.values().all(|c| c.1 == 1));
                prop_assert_eq!(integer_infeasible(&equalities), Some(multipliers));
                prop_assert_eq!(integer_solution(&equalities), None);
            }
        }
    }
}

#[test]
fn degenerate_matrices() {
    assert_eq!(smith(&Matrix::new()).rank, 0);
    assert_eq!(smith(&vec![vec![], vec![]]).left.len(), 2);
    assert_eq!(solve_integer::<Linear>(&[]), IntegerSolution::Point(Default::default()));
}
