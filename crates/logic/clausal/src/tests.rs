use super::*;
use proptest::prelude::*;

fn check(
    clauses: &[Vec<i32>],
    assumptions: &[i32],
    learnt: &[Vec<i32>],
) -> Result<ClausalProof, ClausalError> {
    check_clausal(clauses, assumptions, learnt, &Limits::default())
}

/// `holes + 1` pigeons do not fit into `holes` holes.
fn pigeons(holes: i32) -> Vec<Vec<i32>> {
    let variable = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
    let mut clauses: Vec<Vec<i32>> =
        (0..=holes).map(|p| (0..holes).map(|h| variable(p, h)).collect()).collect();
    for hole in 0..holes {
        for p in 0..=holes {
            clauses.extend((0..p).map(|q| vec![-variable(p, hole), -variable(q, hole)]));
        }
    }
    clauses
}

/// A proof for three pigeons and two holes: pigeon 0 is not in hole 0.
fn three_pigeons() -> (Vec<Vec<i32>>, Vec<Vec<i32>>) {
    (pigeons(2), vec![vec![-1]])
}

#[test]
fn a_contradiction_by_unit_propagation_needs_no_steps() {
    let formula = [vec![1], vec![-1, 2], vec![-2, -1], vec![3, 4]];
    assert_eq!(
        check(&formula, &[], &[]),
        Ok(ClausalProof { clauses: 3, ..ClausalProof::default() })
    );
}

#[test]
fn an_empty_clause_is_a_contradiction() {
    assert_eq!(
        check(&[vec![]], &[], &[]),
        Ok(ClausalProof { clauses: 1, ..ClausalProof::default() })
    );
}

#[test]
fn nothing_is_no_contradiction() {
    assert_eq!(check(&[], &[], &[]), Err(ClausalError::NoContradiction { steps: 0 }));
    assert_eq!(check(&[vec![1, 2]], &[-1], &[]), Err(ClausalError::NoContradiction { steps: 0 }));
}

#[test]
fn assumptions_are_part_of_the_formula() {
    assert!(check(&[vec![1, 2]], &[-1, -2], &[]).is_ok());
    assert!(check(&[vec![1, 2]], &[1, -1], &[]).is_ok());
}

#[test]
fn pigeons_do_not_fit() {
    let (formula, learnt) = three_pigeons();
    assert!(check(&formula, &[], &[]).is_err());
    let proof = check(&formula, &[], &learnt).expect("it is a proof");
    assert_eq!(proof.learnt, 1);
}

#[test]
fn a_step_that_does_not_follow_is_named() {
    // The second makes a contradiction, but follows from nothing.
    let formula = [vec![-1, 2], vec![-1, -2]];
    let learnt = [vec![3, 4], vec![1]];
    assert_eq!(check(&formula, &[], &learnt), Err(ClausalError::DoesNotFollow { step: 1 }));
    let (formula, _) = three_pigeons();
    assert_eq!(check(&formula, &[], &[vec![]]), Err(ClausalError::DoesNotFollow { step: 0 }));
}

#[test]
fn steps_that_nobody_needs_are_not_looked_at() {
    let (formula, mut learnt) = three_pigeons();
    learnt.insert(0, vec![7, 8]);
    learnt.push(vec![9]);
    assert!(check(&formula, &[], &learnt).is_ok());
}

#[test]
fn a_step_may_not_use_itself_or_later_ones() {
    // 1 would follow from the second, and the second from the first.
    let formula = [vec![-1, 2], vec![-2, 1], vec![-1, -2]];
    let learnt = [vec![1], vec![2]];
    assert_eq!(check(&formula, &[], &learnt), Err(ClausalError::DoesNotFollow { step: 0 }));
}

#[test]
fn zero_is_no_literal() {
    assert_eq!(check(&[vec![1, 0]], &[], &[]), Err(ClausalError::Zero));
    assert_eq!(check(&[vec![1]], &[], &[vec![0]]), Err(ClausalError::Zero));
}

#[test]
fn extreme_literals_and_odd_clauses_do_no_harm() {
    let formula = [vec![i32::MIN, i32::MAX], vec![-i32::MAX, -i32::MAX], vec![5, -5]];
    assert!(check(&formula, &[], &[vec![i32::MIN], vec![6, -6]]).is_err());
    assert!(check(&formula, &[-5, i32::MAX], &[]).is_ok());
}

#[test]
fn a_check_stops_at_its_limits() {
    let limits = Limits::default().with_timeout(std::time::Duration::ZERO);
    let formula = vec![vec![1, 2]; 100_000];
    let stopped = check_clausal(&formula, &[], &[], &limits);
    assert!(matches!(stopped, Err(ClausalError::Stopped(Stop::Time { .. }))));
}

/// Whether a formula over a few variables has a solution, by trying all.
fn has_solution(clauses: &[Vec<i32>], variables: i32) -> bool {
    (0u32..1 << variables).any(|model| {
        let holds = |lit: &i32| (model >> (lit.abs() - 1) & 1 == 1) == (*lit > 0);
        clauses.iter().all(|clause| clause.iter().any(holds))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn nothing_with_a_solution_is_refuted(
        clauses in prop::collection::vec(prop::collection::vec((1..=6i32, any::<bool>()), 0..4), 0..14),
        learnt in prop::collection::vec(prop::collection::vec((1..=6i32, any::<bool>()), 0..3), 0..8),
    ) {
        let sign = |lits: &Vec<(i32, bool)>| -> Vec<i32> {
            lits.iter().map(|(v, positive)| if *positive { *v } else { -v }).collect()
        };
        let clauses: Vec<Vec<i32>> = clauses.iter().map(sign).collect();
        let learnt: Vec<Vec<i32>> = learnt.iter().map(sign).collect();
        if check(&clauses, &[], &learnt).is_ok() {
            prop_assert!(!has_solution(&clauses, 6));
        }
    }

    /// All clauses over the variables in order of size: whoever follows, follows; the empty one
    /// comes last.
    #[test]
    fn everything_without_a_solution_is_refuted_by_enough_steps(
        clauses in prop::collection::vec(prop::collection::vec((1..=4i32, any::<bool>()), 1..4), 8..30),
    ) {
        let clauses: Vec<Vec<i32>> = clauses
            .iter()
            .map(|lits| lits.iter().map(|(v, p)| if *p { *v } else { -v }).collect())
            .collect();
        if has_solution(&clauses, 4) {
            return Ok(());
        }
        // The tree of all cases: 1 2 3 4, then 1 2 3, and so on; every prefix of every case.
        let mut learnt = Vec::new();
        for size in (0..=4).rev() {
            for signs in 0u32..1 << size {
                let lit = |i: i32| if signs >> i & 1 == 1 { i + 1 } else { -(i + 1) };
                learnt.push((0..size).map(lit).collect::<Vec<i32>>());
            }
        }
        prop_assert!(check(&clauses, &[], &learnt).is_ok());
    }
}

#[test]
fn what_took_part_is_a_proof_by_itself() {
    let (formula, mut learnt) = three_pigeons();
    learnt.insert(0, vec![1, 2, 3]);
    let proof = check(&formula, &[], &learnt).expect("it is a proof");
    assert_eq!(proof.used, [1]);
    let used: Vec<Vec<i32>> = proof.used.iter().map(|i| learnt[*i].clone()).collect();
    assert_eq!(check(&formula, &[], &used).expect("it is a proof, too").used, [0]);
    let mut both = proof.clone();
    both.join(ClausalProof { learnt: 1, clauses: 9, used: vec![0] });
    assert_eq!(both, ClausalProof { learnt: 2, clauses: 9, used: vec![0, 1] });
}
