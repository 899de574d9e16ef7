//! Non-membership clauses against membership.

use crate::exact::integer_box;
use proptest::prelude::*;
use ser_arith::{Component, Linear, Origin, Ratio, Var, combination, non_member, simplicial};

fn component(base: Vec<i64>, periods: Vec<Vec<i64>>) -> Component {
    Component { word: vec![], cycles: vec![], base, periods, origin: Origin::Word }
}

fn vector() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(0i64..=3, 3)
}

/// By Gaussian elimination over the rationals.
fn independent(vectors: &[Vec<i64>]) -> bool {
    let mut rows: Vec<Vec<Ratio>> =
        vectors.iter().map(|v| v.iter().map(|&a| Ratio::from(a)).collect()).collect();
    let mut rank = 0;
    for column in 0..3 {
        let Some(pivot) = (rank..rows.len()).find(|&r| !rows[r][column].is_zero()) else {
            continue;
        };
        rows.swap(rank, pivot);
        let top = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let factor = row[column].checked_div(&top[column]).unwrap();
            for (a, b) in row.iter_mut().zip(&top) {
                *a -= &factor * b;
            }
        }
        rank += 1;
    }
    rank == vectors.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_clause_is_the_complement(
        base in vector(), periods in prop::collection::vec(vector(), 0..4),
    ) {
        let vector: Vec<Linear> = (0..3).map(|v| Linear::var(Var(v))).collect();
        let Some(outside) = non_member(&base, &periods, &vector) else {
            prop_assert!(!independent(&periods));
            return Ok(());
        };
        prop_assert!(independent(&periods));
        let component = component(base, periods);
        for point in integer_box(-1, 6) {
            let z: Vec<i64> = point.values().map(|r| r.to_i64().unwrap()).collect();
            let inside = component.contains(&z).unwrap();
            prop_assert_eq!(inside.is_none(), outside.clause.iter().any(|l| l.holds(&point)));
            if let Some(lambda) = inside {
                for (form, l) in outside.lambda.iter().zip(lambda) {
                    prop_assert_eq!(form.evaluate(&point), Ratio::from(l));
                }
            }
        }
    }

    #[test]
    fn constant_vectors_decide(
        base in vector(), periods in prop::collection::vec(vector(), 0..3), z in vector(),
    ) {
        let vector: Vec<Linear> = z.iter().map(|&a| Linear::constant(a)).collect();
        if let Some(outside) = non_member(&base, &periods, &vector) {
            let inside = component(base, periods).contains(&z).unwrap().is_some();
            prop_assert_eq!(inside, outside.clause.is_empty());
        }
    }

    #[test]
    fn affine_vectors(
        base in vector(), periods in prop::collection::vec(vector(), 0..3),
        coefficients in prop::collection::vec((-2i64..=2, -2i64..=2, 0i64..=4), 3),
    ) {
        let vector: Vec<Linear> = coefficients
            .iter()
            .map(|(a, b, c)| {
                Linear::term(*a, Var(0)) + Linear::term(*b, Var(2)) + Linear::constant(*c)
            })
            .collect();
        if let Some(outside) = non_member(&base, &periods, &vector) {
            let component = component(base, periods);
            for point in integer_box(0, 3) {
                let z: Vec<i64> =
                    vector.iter().map(|f| f.evaluate(&point).to_i64().unwrap()).collect();
                let inside = component.contains(&z).unwrap().is_some();
                prop_assert_eq!(!inside, outside.clause.iter().any(|l| l.holds(&point)));
            }
        }
    }
}

#[test]
fn lengths_must_agree() {
    let x = Linear::var(Var(0));
    assert_eq!(non_member(&[0, 0], &[], std::slice::from_ref(&x)), None);
    assert_eq!(non_member(&[0], &[vec![1, 1]], &[x]), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn simplicial_components_are_independent_and_together_the_same(
        base in prop::collection::vec(0i64..3, 2),
        periods in prop::collection::vec(prop::collection::vec(0i64..4, 2), 0..5),
    ) {
        let periods: Vec<Vec<i64>> =
            periods.into_iter().filter(|p| p.iter().any(|n| *n > 0)).collect();
        let parts = simplicial(&base, &periods, 200).expect("few components");
        let contains = |base: &[i64], periods: &[Vec<i64>], vector: &[i64]| {
            let rest: Vec<i64> = vector.iter().zip(base).map(|(v, b)| v - b).collect();
            rest.iter().all(|n| *n >= 0) && combination(periods, &rest).unwrap().is_some()
        };
        for (base, periods) in &parts {
            let vector = [Linear::var(Var(0)), Linear::var(Var(1))];
            prop_assert!(non_member(base, periods, &vector).is_some());
        }
        for x in 0..10 {
            for y in 0..10 {
                let whole = contains(&base, &periods, &[x, y]);
                let some = parts.iter().any(|(b, p)| contains(b, p, &[x, y]));
                prop_assert_eq!(whole, some, "({}, {})", x, y);
            }
        }
    }
}
