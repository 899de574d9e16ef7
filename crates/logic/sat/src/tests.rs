use super::*;
use std::time::Duration;

fn kinds() -> Vec<SolverKind> {
    vec![
        SolverKind::BatSat,
        #[cfg(feature = "cadical")]
        SolverKind::CaDiCaL,
    ]
}

/// More pigeons than holes: no solution, and hard to see.
fn pigeons(solver: &mut dyn Solver, holes: usize) -> Vec<Vec<Lit>> {
    let lits: Vec<Vec<Lit>> =
        (0..=holes).map(|_| (0..holes).map(|_| solver.new_variable()).collect()).collect();
    let mut clauses = lits.clone();
    for (p, pigeon) in lits.iter().enumerate() {
        for other in &lits[..p] {
            clauses.extend(pigeon.iter().zip(other).map(|(a, b)| vec![!*a, !*b]));
        }
    }
    clauses.iter().for_each(|clause| solver.add_clause(clause));
    clauses
}

#[test]
fn cores_are_assumptions_that_cannot_hold_together() {
    for kind in kinds() {
        let mut solver = kind.start();
        let lits: Vec<Lit> = (0..4).map(|_| solver.new_variable()).collect();
        solver.add_clause(&[!lits[0], !lits[1], !lits[2]]);
        assert_eq!(solver.solve(&lits, &Limits::default()), Answer::Unsat);
        assert_eq!(solver.core(), lits[..3], "{}", solver.name());
        assert_eq!(solver.solve(&lits[1..], &Limits::default()), Answer::Sat);
        solver.add_clause(&[lits[0]]);
        solver.add_clause(&[!lits[0], lits[3]]);
        solver.add_clause(&[!lits[3]]);
        assert_eq!(solver.solve(&lits, &Limits::default()), Answer::Unsat);
        assert!(solver.core().is_empty(), "the clauses alone have no solution");
    }
}

#[test]
fn the_same_calls_give_the_same_model() {
    for kind in kinds() {
        let models = [0, 1].map(|_| {
            let mut solver = kind.start();
            let lits: Vec<Lit> = (0..40).map(|_| solver.new_variable()).collect();
            for i in 0..120usize {
                let pick = |k: usize| lits[(i * 7 + k * (i + 13)) % 40];
                solver.add_clause(&[
                    pick(1),
                    !pick(2),
                    if i % 2 == 0 { pick(3) } else { !pick(3) },
                ]);
            }
            assert_eq!(solver.solve(&[], &Limits::default()), Answer::Sat);
            lits.iter().map(|lit| solver.value(*lit)).collect::<Vec<bool>>()
        });
        assert_eq!(models[0], models[1]);
    }
}

#[test]
fn a_solver_stops_at_its_limits_and_can_go_on() {
    for kind in kinds() {
        let mut solver = kind.start();
        pigeons(&mut *solver, 11);
        let short = Duration::from_millis(20);
        let answer = solver.solve(&[], &Limits::default().with_timeout(short));
        assert_eq!(answer, Answer::Unknown(Stop::Time { limit: short }));
        let cancel = Some(std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true)));
        let limits = Limits { cancel, ..Limits::default() };
        assert_eq!(solver.solve(&[], &limits), Answer::Unknown(Stop::Cancelled));
    }
}

#[test]
fn what_is_learnt_is_a_proof() {
    let mut solver = BatSat::new(true);
    let clauses = pigeons(&mut solver, 5);
    assert_eq!(solver.solve(&[], &Limits::default()), Answer::Unsat);
    let numbers = |clauses: &[Vec<Lit>]| -> Vec<Vec<i32>> {
        clauses.iter().map(|clause| clause.iter().map(|lit| lit.dimacs()).collect()).collect()
    };
    let (clauses, learnt) = (numbers(&clauses), numbers(solver.learnt().expect("recorded")));
    assert!(ser_clausal::check_clausal(&clauses, &[], &learnt, &Limits::default()).is_ok());
    assert!(ser_clausal::check_clausal(&clauses[1..], &[], &learnt, &Limits::default()).is_err());
    assert!(ser_clausal::check_clausal(&clauses, &[], &[], &Limits::default()).is_err());
}

#[test]
fn proofs_under_assumptions_end_with_the_core() {
    let mut solver = BatSat::new(true);
    let switch = solver.new_variable();
    let lits: Vec<Lit> = (0..3).map(|_| solver.new_variable()).collect();
    let mut clauses = Vec::new();
    for signs in 0..8 {
        let signed = lits.iter().enumerate();
        let mut clause: Vec<Lit> =
            signed.map(|(i, lit)| if signs >> i & 1 == 1 { *lit } else { !*lit }).collect();
        clause.push(!switch);
        solver.add_clause(&clause);
        clauses.push(clause.iter().map(|lit| lit.dimacs()).collect::<Vec<i32>>());
    }
    assert_eq!(solver.solve(&[switch], &Limits::default()), Answer::Unsat);
    assert_eq!(solver.core(), [switch]);
    let learnt: Vec<Vec<i32>> = solver
        .learnt()
        .expect("recorded")
        .iter()
        .map(|clause| clause.iter().map(|lit| lit.dimacs()).collect())
        .collect();
    let limits = Limits::default();
    assert!(ser_clausal::check_clausal(&clauses, &[switch.dimacs()], &learnt, &limits).is_ok());
    assert!(ser_clausal::check_clausal(&clauses, &[], &learnt, &limits).is_err());
}

#[test]
fn proofs_as_text_end_with_the_empty_clause() {
    let (a, b) = (Lit::positive(0), Lit::positive(1));
    assert_eq!(write_drat(&[vec![a, !b], vec![b]]), "1 -2 0\n2 0\n0\n");
    assert_eq!(write_drat(&[vec![a], vec![]]), "1 0\n0\n");
    assert_eq!(write_drat(&[]), "0\n");
}
