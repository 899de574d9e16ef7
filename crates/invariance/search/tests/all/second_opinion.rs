//! Conditions, asked of an SMT solver that is installed. Opt-in: `cargo test -p
//! ser-invariance-search second_opinion -- --ignored`.

#![expect(clippy::print_stderr, reason = "an opt-in test that says how much it has asked")]

use ser_invariance_search::conditions::{Conditions, Tactics};
use ser_invariance_search::cross_check::{SmtAnswer, Solver};
use ser_invariance_search::prove::{Options, judge};
use ser_invariance_search::smtlib::Size;
use ser_syntax::inv::ast::InvId;
use std::time::Duration;

/// Asks about every `step`-th condition; how many were asked, and how many of them got no answer in
/// time.
fn ask(file: &str, cells: u32, step: usize, without_proof: bool) -> (usize, usize) {
    let Ok(solver) = Solver::find(None) else {
        eprintln!("no SMT solver is installed: nothing is compared");
        return (0, 0);
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/threads");
    let text = std::fs::read_to_string(format!("{folder}/{file}.ser")).expect("an example");
    let mut system = ser_syntax::inv::parse(&text).system;
    if without_proof && let Some(proof) = &mut system.proof {
        // Without support: some conditions fail.
        for entry in &mut proof.entries {
            entry.means =
                ser_syntax::inv::ast::Means::Induction { everywhere: vec![], cases: vec![] };
        }
    }
    // Without simplification, every case is asked about, and in full.
    let tactics = Tactics { simplify: false, ..Tactics::default() };
    let mut conditions = Conditions::new(&system, tactics);
    conditions.keep_scripts(Size { cells });
    for place in 0..system.invariants.len() {
        judge(&mut conditions, InvId(place as u32), &Options::default(), &Default::default());
    }
    let (mut asked, mut open) = (0, 0);
    for (script, valid) in conditions.take_scripts().into_iter().step_by(step) {
        let said = solver.check(&script, Duration::from_secs(20));
        let said = said.unwrap_or_else(|error| panic!("{error}\n{script}"));
        asked += 1;
        match (said, valid) {
            (SmtAnswer::Unsat, Some(true)) | (SmtAnswer::Sat, Some(false)) => {}
            (SmtAnswer::Unknown, _) | (_, None) => open += 1,
            // A model may need more cells than the script has.
            (SmtAnswer::Unsat, Some(false)) if cells > 0 => open += 1,
            wrong => panic!("{file}: {wrong:?}\n{script}"),
        }
    }
    (asked, open)
}

#[test]
#[ignore = "needs an SMT solver"]
fn a_solver_agrees_on_every_condition_of_the_ticket_locks() {
    for file in ["ticket_lock", "ticket_set"] {
        for without_proof in [false, true] {
            let (asked, open) = ask(file, 0, 1, without_proof);
            eprintln!("{file}: {asked} asked, {open} without an answer");
            assert_eq!(open, 0);
        }
    }
}

#[test]
#[ignore = "needs an SMT solver"]
fn a_solver_agrees_on_a_sample_of_the_list() {
    let (asked, open) = ask("lock_coupling_list", 4, 4, false);
    eprintln!("list: {asked} asked, {open} without an answer");
    let (more, left) = ask("lock_coupling_list", 4, 6, true);
    eprintln!("list without support: {more} asked, {left} without an answer");
    assert!(asked == 0 || asked + more >= 200, "{asked} + {more}");
}
