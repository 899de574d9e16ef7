//! The engine against brute force on random systems and programs.
//!
//! Brute force looks at all runs with up to three requests. Where it finds a violation, the
//! engine must find one with as few requests; where it finds none, the engine may find one with
//! more requests only; and whatever the engine says must come with a certificate that the
//! independent checker accepts.

use crate::common::{Case, programs, runner, smallest_violation, systems};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use ser_base::Limits;
use ser_net::Reductions;
use ser_serializability_search::{Answer, Options, Progress, RefuteOptions, certify, decide};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const MOST: usize = 3;

/// How many attempts at a proof by inclusion each case gets.
const MAX_ATTEMPTS: usize = 6;

/// How often each answer was given, so that a test knows that it has seen all of them.
#[derive(Default)]
struct Tally {
    broken: Cell<usize>,
    serializable: Cell<usize>,
    unknown: Cell<usize>,
}

fn bump(counter: &Cell<usize>) {
    counter.set(counter.get() + 1);
}

fn options(reductions: Reductions) -> Options {
    // Four requests are more than brute force looks at, so that "fewest" means something.
    let refute = RefuteOptions { max_states: 30_000, max_requests: MOST + 1, ..Default::default() };
    Options { reductions, refute, ..Options::default() }
}

fn agrees(case: &Case, reductions: Reductions, tally: &Tally) -> Result<(), TestCaseError> {
    let Some(truth) = smallest_violation(case, MOST) else {
        return Err(TestCaseError::reject("too many configurations"));
    };
    // The last attempts of the provers take seconds; which ones is counted, not timed, so that
    // every run of this test does the same.
    let cancel = Arc::new(AtomicBool::new(false));
    let attempts = Cell::new(0);
    let progress = |progress| {
        if matches!(progress, Progress::Proving { .. }) {
            bump(&attempts);
            cancel.store(attempts.get() > MAX_ATTEMPTS, Ordering::Relaxed);
        }
    };
    let limits = Limits { cancel: Some(cancel.clone()), ..Limits::default() };
    let (answer, _) = decide(&case.system, &options(reductions), &limits, &progress);
    let limits = Limits::default();
    match &answer {
        Answer::NotSerializable(found) => {
            bump(&tally.broken);
            match truth {
                Some(requests) => {
                    prop_assert_eq!(found.requests, requests, "fewest requests");
                    prop_assert!(found.fewest);
                }
                // A search that is directed at one outcome cannot know whether it is the smallest.
                None => prop_assert!(found.requests > MOST, "{} requests", found.requests),
            }
            let total: u32 = found.outcome.iter().map(|(_, n)| n).sum();
            prop_assert_eq!(total as usize, found.requests);
        }
        Answer::Serializable(_) => {
            bump(&tally.serializable);
            prop_assert_eq!(truth, None, "not serializable");
        }
        Answer::Unknown(_) => {
            bump(&tally.unknown);
            prop_assert_eq!(truth, None, "overlooked");
        }
    }
    let bytes = case.text.as_bytes();
    match certify(&answer, &case.system, "random", bytes) {
        Some(certificate) => {
            let verdict =
                ser_serializability_checker::check(&certificate, bytes, &case.system, &limits);
            prop_assert!(verdict.is_ok(), "the checker rejects: {:?}", verdict);
            // The certificate survives being written down.
            let read = ser_serializability_checker::read(&certificate.to_text());
            prop_assert!(read.as_ref() == Ok(&certificate), "{:?}", read);
        }
        None => prop_assert!(matches!(answer, Answer::Unknown(_)), "no certificate"),
    }
    Ok(())
}

#[test]
fn random_systems_get_the_right_answer() {
    let tally = Tally::default();
    runner(1500).run(&systems(), |case| agrees(&case, Reductions::ALL, &tally)).unwrap();
    assert!(tally.broken.get() > 50, "{} broken ones", tally.broken.get());
    assert!(tally.serializable.get() > 50, "{} proved ones", tally.serializable.get());
}

#[test]
fn random_programs_get_the_right_answer() {
    let tally = Tally::default();
    runner(1000).run(&programs(), |case| agrees(&case, Reductions::ALL, &tally)).unwrap();
    assert!(tally.broken.get() > 40, "{} broken ones", tally.broken.get());
    assert!(tally.serializable.get() > 50, "{} proved ones", tally.serializable.get());
}

#[test]
fn without_reductions_the_answers_are_right_too() {
    let tally = Tally::default();
    runner(300).run(&systems(), |case| agrees(&case, Reductions::NONE, &tally)).unwrap();
    runner(200).run(&programs(), |case| agrees(&case, Reductions::NONE, &tally)).unwrap();
    assert!(tally.broken.get() > 20, "{} broken ones", tally.broken.get());
}
