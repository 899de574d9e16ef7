//! The paper's family, for small C, against explicit enumeration.

use crate::instances::{explicit, family, largest};
use ser_base::Limits;
use ser_reachability_search::{Encoding, Options, OrderMethod, Outcome, Tracer};

fn agrees(c: i64, options: &Encoding) {
    let truth = explicit(c);
    for d in 0..=largest(c) {
        let (net, target) = family(c, d);
        let mut tracer = Tracer::new(options.clone());
        tracer.extend(&net, &Limits::default()).expect("small");
        tracer.require(&[target]);
        let found = match tracer.solve(&net, &Limits::default()) {
            Outcome::Sat(trace) => {
                assert_eq!(trace.check(&net), Ok(()));
                true
            }
            Outcome::Unsat { needed } => {
                assert!(needed.is_empty());
                false
            }
            Outcome::Unknown(stop) => panic!("{stop}"),
        };
        assert_eq!(found, truth.contains(&d), "C = {c}, D = {d}, {options:?}");
    }
}

#[test]
fn the_net_has_the_size_that_the_paper_tells() {
    for c in 4..=9 {
        let (net, _) = family(c, 0);
        assert_eq!(net.places.len() as i64, 4 * c + 3);
        assert_eq!(net.transitions.len() as i64, 4 * c + 2);
    }
    assert_eq!((4..=9).map(|c| largest(c) + 1).sum::<i64>(), 2498);
}

#[test]
fn the_family_is_decided_as_by_enumeration() {
    agrees(4, &Encoding::default());
    agrees(5, &Encoding::default());
}

#[test]
fn the_family_is_decided_with_every_part_switched_off() {
    for options in [
        Encoding { values: false, ..Encoding::default() },
        Encoding { values: false, static_order: false, ..Encoding::default() },
        Encoding { values: false, safe_places: false, ..Encoding::default() },
        Encoding { order: OrderMethod::Lazy, ..Encoding::default() },
        Encoding { static_order: false, single_links: false, ..Encoding::default() },
    ] {
        agrees(3, &options);
    }
}

#[test]
fn proofs_of_the_family_are_accepted_and_tampered_ones_are_not() {
    let options = Encoding { values: false, ..Encoding::default() };
    // 50 is no sum of 16 and 7.
    let (net, target) = family(4, 50);
    let options = Options::from(options);
    let mut tracer = Tracer::new(options);
    tracer.extend(&net, &Limits::default()).expect("small");
    tracer.require(&[target]);
    let outcome = tracer.solve(&net, &Limits::default());
    assert_eq!(outcome, Outcome::Unsat { needed: vec![] });
    let numbers = |clauses: &[Vec<ser_reachability_search::Lit>]| -> Vec<Vec<i32>> {
        clauses.iter().map(|clause| clause.iter().map(|lit| lit.dimacs()).collect()).collect()
    };
    let clauses = numbers(tracer.formula().clauses());
    let learnt = numbers(tracer.solver().learnt().expect("kept"));
    let check = |clauses: &[Vec<i32>], learnt: &[Vec<i32>]| {
        ser_clausal::check_clausal(clauses, &[], learnt, &Limits::default())
    };
    let proof = check(&clauses, &learnt).expect("it is a proof");
    assert!(proof.learnt > 10, "it is not trivial");
    assert!(check(&clauses, &learnt[..learnt.len() / 2]).is_err(), "half of it is no proof");
    let possible = *explicit(4).first().expect("it ends somehow");
    let reachable = family(4, possible);
    let mut other = Tracer::new(Encoding { values: false, ..Encoding::default() });
    other.extend(&reachable.0, &Limits::default()).expect("small");
    other.require(&[reachable.1]);
    let others = numbers(other.formula().clauses());
    assert!(check(&others, &learnt).is_err(), "it is no proof for a formula with a solution");
}
