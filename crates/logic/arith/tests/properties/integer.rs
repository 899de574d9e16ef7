//! Integer minimisation against enumeration.

use crate::exact::{Hypothesis, VARS, hypotheses, integer_box, linear};
use proptest::prelude::*;
use ser_arith::{IntegerMinimum, Linear, Ratio, Simplex, Var, combination, integer_minimize};

const HIGH: i64 = 5;

fn boxed(hypotheses: &[Hypothesis]) -> Simplex {
    let mut simplex = Simplex::new();
    for v in 0..VARS as u32 {
        simplex.declare(Var(v), true);
        simplex.assert_ge(100 + v as usize, &(Linear::constant(HIGH) - Linear::var(Var(v))));
    }
    for (id, hypothesis) in hypotheses.iter().enumerate() {
        if hypothesis.equality {
            simplex.assert_eq(id, &hypothesis.form);
        } else {
            simplex.assert_ge(id, &hypothesis.form);
        }
    }
    simplex
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn minima_agree_with_enumeration(hypotheses in hypotheses(), objective in linear()) {
        let vars: Vec<Var> = (0..VARS as u32).map(Var).collect();
        let least = integer_box(0, HIGH)
            .filter(|p| hypotheses.iter().all(|h| h.holds(p)))
            .map(|p| objective.evaluate(&p))
            .min();
        let mut simplex = boxed(&hypotheses);
        let answer = integer_minimize(&mut simplex, &vars, &objective, 10_000);
        match (&answer, least) {
            (IntegerMinimum::Found { value, point }, Some(least)) => {
                prop_assert_eq!(value, &least);
                prop_assert_eq!(&objective.evaluate(point), value);
                prop_assert!(point.values().all(Ratio::is_integer));
                prop_assert!(hypotheses.iter().all(|h| h.holds(point)));
            }
            (IntegerMinimum::Infeasible, None) => {}
            (answer, least) => prop_assert!(false, "{answer:?} {least:?}"),
        }
        // The hypotheses are as before, and the answer is the same again.
        prop_assert_eq!(simplex.hypotheses().count(), hypotheses.len() + VARS);
        prop_assert_eq!(
            integer_minimize(&mut boxed(&hypotheses), &vars, &objective, 10_000), answer
        );
    }

    #[test]
    fn combinations_agree_with_enumeration(
        vectors in prop::collection::vec(prop::collection::vec(0i64..=4, 2), 0..4),
        target in prop::collection::vec(-1i64..=12, 2),
    ) {
        let mut sums = std::collections::BTreeSet::from([vec![0i64, 0]]);
        let mut open: Vec<Vec<i64>> = sums.iter().cloned().collect();
        while let Some(sum) = open.pop() {
            for v in &vectors {
                let next = vec![sum[0] + v[0], sum[1] + v[1]];
                if next.iter().all(|&a| a <= 12) && sums.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        match combination(&vectors, &target).unwrap() {
            None => prop_assert!(!sums.contains(&target)),
            Some(lambda) => {
                prop_assert!(lambda.iter().all(|&l| l >= 0));
                for d in 0..2 {
                    let sum: i64 = vectors.iter().zip(&lambda).map(|(v, l)| v[d] * l).sum();
                    prop_assert_eq!(sum, target[d]);
                }
            }
        }
    }
}

#[test]
fn no_integer_point_on_an_unbounded_line() {
    // 2x - 2y = 1 has rational points without end, and branching alone would never stop.
    let (x, y) = (Var(0), Var(1));
    let mut simplex = Simplex::new();
    simplex.declare(x, true);
    simplex.declare(y, true);
    simplex.assert_eq(0, &(Linear::term(2, x) - Linear::term(2, y) - Linear::constant(1)));
    let sum = Linear::var(x) + Linear::var(y);
    assert_eq!(integer_minimize(&mut simplex, &[x, y], &sum, 100), IntegerMinimum::Infeasible);
    // With x alone an integer there are solutions.
    assert!(matches!(
        integer_minimize(&mut simplex, &[x], &sum, 100),
        IntegerMinimum::Found { .. }
    ));
}

#[test]
fn unbounded_and_limits() {
    let (x, y) = (Var(0), Var(1));
    let mut simplex = Simplex::new();
    simplex.declare(x, true);
    simplex.declare(y, true);
    let down = -Linear::var(x);
    assert_eq!(integer_minimize(&mut simplex, &[x, y], &down, 10), IntegerMinimum::Unbounded);
    assert_eq!(integer_minimize(&mut simplex, &[x, y], &down, 0), IntegerMinimum::Limit);
    // 3 <= 3x - 3y + 1/2 <= 4 + 1/3, as inequalities: no integer point, no bound.
    let form = Linear::term(3, x) - Linear::term(3, y);
    simplex.assert_ge(0, &(form.clone() - Linear::constant(1)));
    simplex.assert_ge(1, &(Linear::constant(2) - form));
    let sum = Linear::var(x) + Linear::var(y);
    assert_eq!(integer_minimize(&mut simplex, &[x, y], &sum, 50), IntegerMinimum::Limit);
    assert_eq!(simplex.hypotheses().count(), 2);
}

#[test]
fn large_combinations_are_found_or_given_up_quickly() {
    let vectors: Vec<Vec<i64>> =
        (0..8).map(|i| (0..4).map(|d| 3 + ((i * 7 + d * 5) % 11)).collect()).collect();
    let mut target = vec![0i64; 4];
    for (i, v) in vectors.iter().enumerate() {
        for (t, a) in target.iter_mut().zip(v) {
            *t += a * (17 + 5 * i as i64);
        }
    }
    if let Ok(answer) = combination(&vectors, &target) {
        assert!(answer.is_some());
    }
    assert_eq!(combination(&[vec![-1]], &[3]), Err(ser_arith::GaveUp));
    assert_eq!(combination(&[vec![i64::MAX], vec![1]], &[i64::MAX]), Ok(Some(vec![1, 0])));
}
