//! What inference takes out of a file before it looks for support.

use ser_base::Limits;
use ser_generators::samples::TICKET_LOCK;
use ser_invariance_search::infer::{Candidate, infer, without_proof};
use ser_syntax::inv::System;

const GOAL: &str = "\
var x: int = 0;
set Threads  process thread for self in Threads { loop { x := x + 1; } }
invariant low: x >= 0;
/* proof { */ proof acyclic { low { at 1 use low; } } // }
invariant high: x < 5;
";

#[test]
fn the_proof_is_left_out_and_nothing_else() {
    let text = GOAL.replace("at 1 use low; ", "");
    let without = without_proof(&text);
    assert!(ser_syntax::inv::parse(&text).system.proof.is_some());
    let system = ser_syntax::inv::parse(&without).system;
    assert!(system.proof.is_none(), "{without}");
    assert_eq!(system.invariants.len(), 2, "{without}");
}

#[test]
fn support_that_was_found_before_does_not_stand_in_the_way() {
    let all = |_: &System, all: &[Candidate]| vec![true; all.len()];
    let first = infer(TICKET_LOCK, all, &Limits::default()).expect("support");
    // With a part of it taken away, something has to be found again, under other names.
    let line = first.added.iter().flat_map(|it| it.lines()).nth(1).expect("a line");
    let fewer = first.text.replacen(line, "    true;", 1);
    assert_ne!(fewer, first.text);
    let again = infer(&fewer, all, &Limits::default()).expect("support again");
    assert!(!first.added.is_empty() && again.text.contains("invariant inferred1("));
    assert!(again.added.concat().contains("invariant inferred_"), "{}", again.text);
}
