//! The simplex against enumeration, and every certificate against the second arithmetic.

use crate::exact::{
    Hypothesis, Q, VARS, hypotheses, hypothesis, integer_box, linear, q, residue, slack,
};
use proptest::prelude::*;
use ser_arith::{Check, Entails, Linear, Minimum, Point, Ratio, Simplex, Var};

fn declared(nonneg: &[bool]) -> Simplex {
    let mut simplex = Simplex::new();
    for (var, nonneg) in (0u32..).zip(nonneg) {
        simplex.declare(Var(var), *nonneg);
    }
    simplex
}

fn assert(simplex: &mut Simplex, id: usize, hypothesis: &Hypothesis) {
    if hypothesis.equality {
        simplex.assert_eq(id, &hypothesis.form);
    } else {
        simplex.assert_ge(id, &hypothesis.form);
    }
}

fn loaded(hypotheses: &[Hypothesis], nonneg: &[bool]) -> Simplex {
    let mut simplex = declared(nonneg);
    for (id, hypothesis) in hypotheses.iter().enumerate() {
        assert(&mut simplex, id, hypothesis);
    }
    simplex
}

fn allowed(point: &Point, hypotheses: &[Hypothesis], nonneg: &[bool]) -> bool {
    let signs = (0u32..)
        .zip(nonneg)
        .all(|(v, n)| !n || !point.get(&Var(v)).is_some_and(Ratio::is_negative));
    signs && hypotheses.iter().all(|h| h.holds(point))
}

/// Checks the answer; returns whether it was "feasible".
fn verify_check(answer: &Check, hypotheses: &[Hypothesis], nonneg: &[bool]) -> bool {
    match answer {
        Check::Feasible(point) => {
            assert!(allowed(point, hypotheses, nonneg), "{point:?}");
            true
        }
        Check::Infeasible(multipliers) => {
            let rest = residue(&Linear::constant(-1), hypotheses, multipliers);
            assert_eq!(slack(&rest, nonneg), Q(0, 1));
            false
        }
        Check::Limit => panic!("limit"),
    }
}

fn verify_minimum(
    answer: &Minimum,
    objective: &Linear,
    hypotheses: &[Hypothesis],
    nonneg: &[bool],
) {
    match answer {
        Minimum::Optimal { value, point, multipliers } => {
            assert!(allowed(point, hypotheses, nonneg));
            assert_eq!(objective.evaluate(point), *value);
            let rest = residue(objective, hypotheses, multipliers);
            assert_eq!(slack(&rest, nonneg), q(value));
        }
        Minimum::Unbounded => {
            // Still feasible far down.
            let mut simplex = loaded(hypotheses, nonneg);
            simplex.assert_ge(99, &(-objective - Linear::constant(100_000)));
            assert!(matches!(simplex.check(), Check::Feasible(_)));
        }
        Minimum::Infeasible(multipliers) => {
            verify_check(&Check::Infeasible(multipliers.clone()), hypotheses, nonneg);
        }
        Minimum::Limit => panic!("limit"),
    }
}

#[derive(Clone, Debug)]
enum Action {
    Assert(Hypothesis),
    Declare(u32, bool),
    Push,
    Pop,
    Check,
    Minimize(Linear),
    Equal(Linear, i64),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        5 => hypothesis().prop_map(Action::Assert),
        1 => (0..VARS as u32, any::<bool>()).prop_map(|(v, n)| Action::Declare(v, n)),
        3 => Just(Action::Push),
        3 => Just(Action::Pop),
        2 => Just(Action::Check),
        2 => linear().prop_map(Action::Minimize),
        2 => (linear(), -2i64..=2).prop_map(|(form, factor)| Action::Equal(form, factor)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn feasibility_is_right_and_proved(
        hypotheses in hypotheses(), nonneg in prop::collection::vec(any::<bool>(), VARS),
    ) {
        let mut simplex = loaded(&hypotheses, &nonneg);
        let feasible = verify_check(&simplex.check(), &hypotheses, &nonneg);
        if !feasible {
            let found = integer_box(-3, 3).find(|p| allowed(p, &hypotheses, &nonneg));
            prop_assert_eq!(found, None);
        }
    }

    #[test]
    fn minima_are_right_and_proved(
        hypotheses in hypotheses(), nonneg in prop::collection::vec(any::<bool>(), VARS),
        objectives in prop::collection::vec(linear(), 1..4),
    ) {
        let mut simplex = loaded(&hypotheses, &nonneg);
        for objective in &objectives {
            let answer = simplex.minimize(objective);
            verify_minimum(&answer, objective, &hypotheses, &nonneg);
            if let Minimum::Optimal { value, .. } = &answer {
                for point in integer_box(-2, 2).filter(|p| allowed(p, &hypotheses, &nonneg)) {
                    prop_assert!(objective.evaluate(&point) >= *value);
                }
            }
            let form = objective;
            match (simplex.entails_integral(form), &answer) {
                (Entails::Proved(_), Minimum::Optimal { value, .. }) => {
                    prop_assert!(*value > Ratio::from(-1));
                }
                (Entails::Refuted(Some(point)), Minimum::Optimal { value, .. }) => {
                    prop_assert!(*value <= Ratio::from(-1));
                    prop_assert!(form.evaluate(&point) <= Ratio::from(-1));
                    prop_assert!(allowed(&point, &hypotheses, &nonneg));
                }
                (Entails::Refuted(None), Minimum::Unbounded) => {}
                (Entails::Infeasible(_), Minimum::Infeasible(_)) => {}
                (entails, answer) => prop_assert!(false, "{entails:?} {answer:?}"),
            }
            if let Entails::Proved(multipliers) = simplex.entails_integral(form) {
                let constant = slack(&residue(form, &hypotheses, &multipliers), &nonneg);
                prop_assert!(constant.0 > -constant.1);
            }
        }
    }

    /// A warm simplex answers like a fresh one, whatever was pushed and popped before.
    #[test]
    fn frames_leave_no_trace(actions in prop::collection::vec(action(), 1..25)) {
        let mut simplex = declared(&[true; VARS]);
        let mut stack: Vec<Hypothesis> = Vec::new();
        let mut nonneg = vec![true; VARS];
        let mut frames: Vec<(usize, Vec<bool>)> = Vec::new();
        for action in actions {
            match action {
                Action::Assert(hypothesis) => {
                    assert(&mut simplex, stack.len(), &hypothesis);
                    stack.push(hypothesis);
                }
                Action::Declare(var, sign) => {
                    simplex.declare(Var(var), sign);
                    nonneg[var as usize] = sign;
                }
                Action::Push => {
                    simplex.push();
                    frames.push((stack.len(), nonneg.clone()));
                }
                Action::Pop => {
                    simplex.pop();
                    if let Some((len, signs)) = frames.pop() {
                        stack.truncate(len);
                        nonneg = signs;
                    }
                }
                Action::Check => {
                    let feasible = verify_check(&simplex.check(), &stack, &nonneg);
                    let fresh = loaded(&stack, &nonneg).check();
                    prop_assert_eq!(feasible, matches!(fresh, Check::Feasible(_)));
                }
                Action::Equal(form, factor) => {
                    // Some form that follows if the last hypothesis is an equality, some that
                    // need not.
                    let last = stack.last().map_or(Linear::zero(), |h| h.form.scale(&Ratio::from(factor)));
                    let follows = stack.last().is_none_or(|h| h.equality || factor == 0);
                    prop_assert!(!follows || simplex.entails_eq(&last).is_some());
                    for form in [form, last] {
                        let proof = simplex.entails_eq(&form);
                        prop_assert_eq!(&proof, &loaded(&stack, &nonneg).entails_eq(&form));
                        if let Some(multipliers) = proof {
                            prop_assert!(multipliers.iter().all(|(id, _)| stack[*id].equality));
                            let rest = residue(&form, &stack, &multipliers);
                            prop_assert!(rest.values().all(|c| c.0 == 0));
                        }
                    }
                }
                Action::Minimize(objective) => {
                    let answer = simplex.minimize(&objective);
                    verify_minimum(&answer, &objective, &stack, &nonneg);
                    let fresh = loaded(&stack, &nonneg).minimize(&objective);
                    match (answer, fresh) {
                        (Minimum::Optimal { value, .. }, Minimum::Optimal { value: other, .. }) => {
                            prop_assert_eq!(value, other);
                        }
                        (Minimum::Unbounded, Minimum::Unbounded) => {}
                        (Minimum::Infeasible(_), Minimum::Infeasible(_)) => {}
                        (answer, fresh) => prop_assert!(false, "{answer:?} {fresh:?}"),
                    }
                }
            }
        }
        prop_assert_eq!(simplex.hypotheses().count(), stack.len());
    }

    #[test]
    fn equalities_entail_their_combinations(
        forms in prop::collection::vec(linear(), 1..4),
        factors in prop::collection::vec(-3i64..=3, 4),
        other in linear(),
    ) {
        let hypotheses: Vec<Hypothesis> =
            forms.iter().map(|f| Hypothesis { equality: true, form: f.clone() }).collect();
        let simplex = loaded(&hypotheses, &[true; VARS]);
        let mut sum = Linear::zero();
        for (form, factor) in forms.iter().zip(&factors) {
            sum = sum.plus_scaled(&Ratio::from(*factor), form);
        }
        let proof = simplex.entails_eq(&sum);
        prop_assert!(proof.is_some());
        for (form, proof) in [(&sum, proof), (&other, simplex.entails_eq(&other))] {
            if let Some(multipliers) = proof {
                let rest = residue(form, &hypotheses, &multipliers);
                prop_assert!(rest.values().all(|c| c.0 == 0));
            }
        }
    }

    #[test]
    fn forms_evaluate_like_their_definition(
        left in linear(), right in linear(), factor in -3i64..=3, at in 0i64..216,
    ) {
        let point = integer_box(-3, 2).nth(at as usize).unwrap();
        let (a, b, c) = (left.evaluate(&point), right.evaluate(&point), Ratio::from(factor));
        prop_assert_eq!((&left + &right).evaluate(&point), &a + &b);
        prop_assert_eq!((&left - &right).evaluate(&point), &a - &b);
        prop_assert_eq!(left.scale(&c).evaluate(&point), &a * &c);
        prop_assert_eq!(left.plus_scaled(&c, &right).evaluate(&point), &a + &(&b * &c));
        let mut moved = point.clone();
        moved.insert(Var(1), b);
        prop_assert_eq!(left.substitute(Var(1), &right).evaluate(&point), left.evaluate(&moved));
        let (factor, cleared) = left.clear_denominators();
        prop_assert!(cleared.is_integral() && factor.is_positive());
        prop_assert_eq!(cleared.evaluate(&point), &a * &Ratio::from(factor));
        let again = Linear::new(left.terms().map(|(v, c)| (v, c.clone())), left.constant_term().clone());
        prop_assert_eq!(again, left);
    }
}

#[test]
fn the_limit_is_typed() {
    let mut simplex = Simplex::with_limit(0);
    simplex.declare(Var(0), true);
    simplex.assert_ge(0, &(Linear::var(Var(0)) - Linear::constant(1)));
    assert_eq!(simplex.check(), Check::Limit);
    assert_eq!(simplex.minimize(&Linear::var(Var(0))), Minimum::Limit);
    assert_eq!(simplex.entails_integral(&Linear::var(Var(0))), Entails::Limit);
    let mut simplex = Simplex::with_limit(1);
    simplex.declare(Var(0), true);
    simplex.assert_ge(0, &(Linear::var(Var(0)) - Linear::constant(1)));
    assert!(matches!(simplex.check(), Check::Feasible(_)));
}

#[test]
fn a_cycling_example_terminates() {
    // Beale's example, on which the largest-coefficient rule cycles.
    let r = |text: &str| text.parse::<Ratio>().unwrap();
    let mut simplex = Simplex::new();
    for v in 0..4 {
        simplex.declare(Var(v), true);
    }
    let row = |c: [&str; 4], constant: i64| Linear::new((0u32..).map(Var).zip(c.map(r)), constant);
    simplex.assert_ge(0, &row(["-1/4", "60", "1/25", "-9"], 0));
    simplex.assert_ge(1, &row(["-1/2", "90", "1/50", "-3"], 0));
    simplex.assert_ge(2, &row(["0", "0", "-1", "0"], 1));
    let objective = row(["-3/4", "150", "-1/50", "6"], 0);
    match simplex.minimize(&objective) {
        Minimum::Optimal { value, .. } => assert_eq!(value, r("-1/20")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn contradictions_without_variables() {
    let mut simplex = Simplex::new();
    simplex.push();
    simplex.assert_ge(3, &Linear::constant(-2));
    assert_eq!(simplex.check(), Check::Infeasible(vec![(3, "1/2".parse().unwrap())]));
    simplex.pop();
    simplex.pop();
    assert_eq!(simplex.check(), Check::Feasible(Point::new()));
    simplex.assert_eq(4, &Linear::constant(5));
    assert_eq!(simplex.check(), Check::Infeasible(vec![(4, "-1/5".parse().unwrap())]));
    // From a contradiction between equalities every equality follows.
    assert_eq!(simplex.entails_eq(&Linear::constant(10)), Some(vec![(4, Ratio::from(2))]));
}
