//! Derivations by hand for the protocols of the paper.

use crate::common::known::{self, Known};
use crate::common::{accepted, assertions, certificate, protocol};
use ser_base::Limits;
use ser_sequentialization_checker::Verdict;
use ser_syntax::icet::ast::ProcessId;

/// Accepts it, and says which assertions stay open, and which servers are active and unvisited.
fn outcome(known: Known) -> (Vec<u32>, Vec<ProcessId>, Vec<ProcessId>) {
    let outcome = accepted(&protocol(known.text), &known.steps);
    (outcome.open.iter().map(|it| it.0).collect(), outcome.active, outcome.unvisited)
}

#[test]
fn examples_one_to_five_are_sequentialized() {
    for known in [known::ex1(), known::ex2(), known::ex3(), known::ex4(), known::ex5()] {
        assert_eq!(outcome(known), (vec![], vec![], vec![]));
    }
}

#[test]
fn example_seven_leaves_active_servers() {
    assert_eq!(outcome(known::ex7()), (vec![], vec![ProcessId(1)], vec![]));
}

#[test]
fn the_task_service_never_fails() {
    assert_eq!(outcome(known::task_service()), (vec![], vec![], vec![]));
}

#[test]
fn two_phase_commit_ends_with_its_assertion_open() {
    let known = known::two_phase_commit();
    let wanted = assertions(&protocol(known.text));
    assert_eq!(outcome(known).0, wanted);
}

#[test]
fn map_reduce_collects_results_from_a_bag() {
    assert_eq!(outcome(known::map_reduce()), (vec![], vec![], vec![]));
}

#[test]
fn dist_db_and_firewall_serve_one_client_after_the_other() {
    assert_eq!(outcome(known::dist_db()), (vec![], vec![], vec![]));
    assert_eq!(outcome(known::firewall()), (vec![], vec![], vec![]));
}

#[test]
fn certificates_are_written_read_and_checked() {
    for known in [known::ex4(), known::map_reduce(), known::dist_db()] {
        let certificate = certificate(known.text, known.steps, Vec::new());
        let text = serde_json::to_string(&certificate).unwrap();
        let again = ser_sequentialization_checker::read(&text).unwrap();
        assert_eq!(again, certificate);
        assert!(matches!(
            ser_sequentialization_checker::check(&again, &Limits::default()),
            Ok(Verdict::Sequentialized { .. })
        ));
    }
}
