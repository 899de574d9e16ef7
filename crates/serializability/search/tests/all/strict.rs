//! Strict serializability against brute force on random systems and programs.
//!
//! Brute force looks at all runs with up to three requests, event by event, and at all orders of
//! their requests.

use crate::common::{Case, programs, runner, systems};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use ser_base::Limits;
use ser_model::{GlobalId, LocalId, NetworkSystem, ProgramModel, RequestId, ResponseId};
use ser_serializability_checker::{Accepted, check, read};
use ser_serializability_search::{
    Answer, Options, Progress, RefuteOptions, certify, decide, decide_strictly,
};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const MOST: usize = 3;

/// Beyond this many configurations a case is left out.
const MAX_CONFIGURATIONS: usize = 10_000;

/// How many attempts at a proof by inclusion each case gets.
const MAX_ATTEMPTS: usize = 2;

/// A request: its label, those that had responded when it arrived, and where it is.
type Request = (RequestId, Vec<usize>, Result<LocalId, ResponseId>);

type Configuration = (GlobalId, Vec<Request>);

/// The smallest number of requests, up to `most`, with a run that no serial run explains in order.
fn smallest_violation(system: &NetworkSystem, most: usize) -> Option<Option<usize>> {
    let start: Configuration = (system.initial_global(), Vec::new());
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    let mut smallest = None;
    while let Some((global, requests)) = open.pop() {
        if seen.len() > MAX_CONFIGURATIONS {
            return None;
        }
        let mut next: Vec<Configuration> = Vec::new();
        for (i, (_, _, at)) in requests.iter().enumerate() {
            let Ok(local) = at else { continue };
            let mut moved = |global: GlobalId, at: Result<LocalId, ResponseId>| {
                let mut requests = requests.clone();
                requests[i].2 = at;
                next.push((global, requests));
            };
            for step in system.steps_at(*local, global) {
                moved(step.after, Ok(step.to));
            }
            for response in system.replies_of(*local) {
                moved(global, Err(response));
            }
        }
        if requests.len() < most {
            let responded = requests.iter().enumerate().filter(|(_, it)| it.2.is_err());
            let before: Vec<usize> = responded.map(|(i, _)| i).collect();
            for (request, local) in system.spawns() {
                let mut requests = requests.clone();
                requests.push((*request, before.clone(), Ok(*local)));
                next.push((global, requests));
            }
        }
        if requests.iter().all(|it| it.2.is_err())
            && smallest.is_none_or(|n| requests.len() < n)
            && !in_order(system, system.initial_global(), &requests, &mut Vec::new())
        {
            smallest = Some(requests.len());
        }
        open.extend(next.into_iter().filter(|it| seen.insert(it.clone())));
    }
    Some(smallest)
}

/// Whether those that are not done yet can follow one after the other, in an order that is kept.
fn in_order(
    system: &NetworkSystem,
    global: GlobalId,
    requests: &[Request],
    done: &mut Vec<usize>,
) -> bool {
    if done.len() == requests.len() {
        return true;
    }
    for (i, (request, before, at)) in requests.iter().enumerate() {
        if done.contains(&i) || !before.iter().all(|it| done.contains(it)) {
            continue;
        }
        let mut go_on = |global: GlobalId| {
            done.push(i);
            let found = in_order(system, global, requests, done);
            done.pop();
            found
        };
        // Whoever has given up may have done nothing.
        if at.is_err_and(|response| !system.counts(response)) && go_on(global) {
            return true;
        }
        let spawns = system.spawns().iter().filter(|(label, _)| label == request);
        let mut seen: BTreeSet<(LocalId, GlobalId)> = spawns.map(|(_, l)| (*l, global)).collect();
        let mut open: Vec<(LocalId, GlobalId)> = seen.iter().copied().collect();
        while let Some((local, global)) = open.pop() {
            if system.replies_of(local).any(|response| Err(response) == *at) && go_on(global) {
                return true;
            }
            let steps = system.steps_at(local, global).iter().map(|it| (it.to, it.after));
            open.extend(steps.filter(|it| seen.insert(*it)));
        }
    }
    false
}

/// How often each answer was given.
#[derive(Default, Debug)]
struct Tally {
    /// Not serializable at all, and only out of order.
    broken: Cell<usize>,
    out_of_order: Cell<usize>,
    strict: Cell<usize>,
    unknown: Cell<usize>,
    /// Proofs of serializability that have shown more than they were asked for, and those that
    /// have not.
    also_strict: Cell<usize>,
    left_open: Cell<usize>,
}

fn bump(counter: &Cell<usize>) {
    counter.set(counter.get() + 1);
}

type Decide = fn(
    &NetworkSystem,
    &Options,
    &Limits,
    &dyn Fn(Progress),
) -> (Answer, ser_serializability_search::Sizes);

/// The answer, and what the checker makes of its certificate.
fn answered(case: &Case, decide: Decide) -> Result<(Answer, Option<Accepted>), TestCaseError> {
    let refute = RefuteOptions { max_states: 1_000, ..Default::default() };
    let options = Options { refute, ..Options::default() };
    let cancel = Arc::new(AtomicBool::new(false));
    let attempts = Cell::new(0);
    let progress = |progress| {
        if matches!(progress, Progress::Proving { .. }) {
            bump(&attempts);
            cancel.store(attempts.get() > MAX_ATTEMPTS, Ordering::Relaxed);
        }
    };
    let limits = Limits { cancel: Some(cancel.clone()), ..Limits::default() };
    let (answer, _) = decide(&case.system, &options, &limits, &progress);
    let bytes = case.text.as_bytes();
    let accepted = match certify(&answer, &case.system, "random", bytes) {
        None => None,
        Some(certificate) => {
            let certificate = read(&certificate.to_text());
            prop_assert!(certificate.is_ok(), "{:?}", certificate);
            let accepted =
                certificate.map(|it| check(&it, bytes, &case.system, &Limits::default()));
            match accepted {
                Ok(Ok(accepted)) => Some(accepted),
                rejected => return Err(TestCaseError::fail(format!("rejected: {rejected:?}"))),
            }
        }
    };
    Ok((answer, accepted))
}

fn agrees(case: &Case, tally: &Tally) -> Result<(), TestCaseError> {
    let Some(truth) = smallest_violation(&case.system, MOST) else {
        return Err(TestCaseError::reject("too many configurations"));
    };
    let (answer, accepted) = answered(case, decide_strictly)?;
    match &answer {
        Answer::NotSerializable(found) => {
            bump(if found.strict { &tally.out_of_order } else { &tally.broken });
            let least = truth.unwrap_or(MOST + 1);
            prop_assert!(found.requests >= least, "{} and {:?}", found.requests, truth);
            if found.strict && found.fewest && found.requests <= MOST {
                prop_assert_eq!(Some(found.requests), truth);
            }
        }
        Answer::Serializable(_) => {
            bump(&tally.strict);
            prop_assert_eq!(truth, None, "not in order");
            prop_assert!(accepted.is_some_and(|it| it.is_strict()));
        }
        Answer::Unknown(_) => {
            bump(&tally.unknown);
            prop_assert_eq!(truth, None, "overlooked");
        }
    }
    let (answer, accepted) = answered(case, decide)?;
    if let Answer::Serializable(_) = answer {
        let strict = accepted.is_some_and(|it| it.is_strict());
        bump(if strict { &tally.also_strict } else { &tally.left_open });
        prop_assert!(!strict || truth.is_none(), "a proof says too much");
    }
    Ok(())
}

#[test]
fn random_systems_get_the_right_strict_answer() {
    let tally = Tally::default();
    // Few random systems break the order alone.
    runner(4 * CASES).run(&systems(), |case| agrees(&case, &tally)).unwrap();
    assert!(tally.out_of_order.get() > 0 && tally.strict.get() > 20, "{tally:?}");
}

#[test]
fn random_programs_get_the_right_strict_answer() {
    let tally = Tally::default();
    runner(CASES).run(&programs(), |case| agrees(&case, &tally)).unwrap();
    assert!(tally.out_of_order.get() > 0 && tally.strict.get() > 20, "{tally:?}");
}

/// How many systems, and how many programs.
const CASES: u32 = 100;

/// A program of which the answer is known.
fn program(text: &str) -> Case {
    let program = ser_syntax::parse(text).program;
    let model = ProgramModel::new(&program, text, &Limits::default()).expect("few states");
    Case { text: text.to_owned(), system: model.system().clone() }
}

#[test]
fn a_stale_answer_is_out_of_order() {
    // Two copy; the one that has looked first writes last, and what is read is no longer true.
    let case = program(
        "request write { X := 1; 0 }
         request copy { x := X; yield; C := x; yield; 0 }
         request read { C }",
    );
    assert_eq!(smallest_violation(&case.system, MOST), Some(None));
    let (ordinary, accepted) = answered(&case, decide).expect("an answer");
    assert!(matches!(ordinary, Answer::Serializable(_)), "{ordinary:?}");
    assert!(accepted.is_some_and(|it| !it.is_strict()));
    let (strict, accepted) = answered(&case, decide_strictly).expect("an answer");
    assert!(matches!(strict, Answer::NotSerializable(it) if it.strict && it.requests == 4));
    assert!(matches!(accepted, Some(Accepted::NotSerializable { strict: true, .. })));
}
