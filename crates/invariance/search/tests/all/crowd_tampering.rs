//! Certificates of what was counted, changed: each change is noticed.

use ser_base::Limits;
use ser_invariance_checker::cover::Boxes;
use ser_invariance_checker::run::{Shows, Value};
use ser_invariance_checker::waiting::{By, End};
use ser_invariance_checker::{Certificate, Claim, Covers, Run, check};
use ser_invariance_search::crowd::{Deadlock, deadlock, decide};

const LOCK: &str = "
    set Threads
    var busy: bool = false
    var owner: Threads = nobody
    process thread for self in Threads {
        loop {
            enter: await !busy { busy := true };
            mine: owner := self;
            crit: assert busy && owner == self;
            leave: atomic { busy := false; owner := nobody }
        }
    }
    invariant mutex(i, j): at(i, crit) && at(j, crit) -> i == j
    invariant known(i): at(i, crit) -> owner == i
    invariant never: !busy
    deadlock
";

fn accepted(certificate: &Certificate) -> bool {
    check(certificate, &Limits::default()).is_ok()
}

/// A proof of what holds.
fn proof() -> Certificate {
    let system = ser_syntax::inv::parse(LOCK).system;
    decide(LOCK, &system, &Limits::default()).unwrap().proof.unwrap()
}

fn free() -> Certificate {
    let system = ser_syntax::inv::parse(LOCK).system;
    match deadlock(LOCK, &system, &Limits::default()).unwrap() {
        Deadlock::Free(certificate, _) => *certificate,
        other => panic!("{other:?}"),
    }
}

/// The lock is not given back.
fn waits() -> Certificate {
    let text = LOCK.replace("busy := false; owner", "owner");
    let system = ser_syntax::inv::parse(&text).system;
    match deadlock(&text, &system, &Limits::default()).unwrap() {
        Deadlock::Waits { certificate, .. } => *certificate,
        other => panic!("{other:?}"),
    }
}

fn parts(certificate: &mut Certificate) -> (&mut Boxes, &mut Covers) {
    match &mut certificate.claim {
        Claim::Covered { boxes, shows } => (boxes, shows),
        _ => panic!("nothing was counted"),
    }
}

/// A change, and what it is called.
type Change<'c> = (&'c str, &'c dyn Fn(&mut Boxes, &mut Covers));

/// Each of these changes is noticed.
fn noticed(of: fn() -> Certificate, changes: &[Change<'_>]) {
    check(&of(), &Limits::default()).unwrap();
    let written = serde_json::to_string(&of()).unwrap();
    let again: Certificate = serde_json::from_str(&written).unwrap();
    assert!(again == of() && accepted(&again));
    for (what, change) in changes {
        let mut certificate = of();
        let (boxes, shows) = parts(&mut certificate);
        change(boxes, shows);
        assert!(!accepted(&certificate), "{what}");
    }
    // Without any of its boxes, some state is missing.
    let (mut whole, mut at) = (of(), 0);
    while at < parts(&mut whole).0.boxes.len() {
        let mut certificate = of();
        parts(&mut certificate).0.boxes.remove(at);
        assert!(!accepted(&certificate), "box {at} is left out");
        at += 1;
    }
}

fn all_of(shows: &mut Covers) -> &mut Vec<String> {
    match shows {
        Covers::Always { invariants, .. } => invariants,
        _ => panic!("it is no proof"),
    }
}

fn ends_of(shows: &mut Covers) -> (&mut u32, &mut Vec<End>) {
    match shows {
        Covers::Finishing { cap, ends } => (cap, ends),
        _ => panic!("it is no proof that all can end"),
    }
}

fn run_of(shows: &mut Covers) -> &mut Run {
    match shows {
        Covers::Waits(run) => run,
        _ => panic!("it is no run"),
    }
}

#[test]
fn a_changed_proof() {
    noticed(
        proof,
        &[
            ("another invariant", &|_, shows| all_of(shows).push("never".to_owned())),
            ("no such invariant", &|_, shows| all_of(shows).push("nothing".to_owned())),
            ("more than one inside", &|boxes, _| {
                let all: Vec<(u32, Option<u32>)> =
                    (0..boxes.standings.len() as u32).map(|it| (it, None)).collect();
                boxes.boxes.iter_mut().for_each(|it| it.crowd.clone_from(&all));
            }),
            ("nobody else", &|boxes, _| boxes.boxes.iter_mut().for_each(|it| it.crowd.clear())),
            ("at most one at the start", &|boxes, _| {
                for one in boxes.boxes.iter_mut().flat_map(|it| &mut it.crowd) {
                    one.1 = Some(1);
                }
            }),
            ("another core", &|boxes, _| boxes.boxes[0].core = 1),
            ("no such core", &|boxes, _| boxes.boxes[0].core = 1000),
            ("no such standing", &|boxes, _| boxes.boxes[0].crowd.push((1000, None))),
            ("twice", &|boxes, _| {
                let first = boxes.boxes[0].crowd[0];
                boxes.boxes[0].crowd.push(first);
            }),
            ("another value", &|boxes, _| {
                boxes.cores[0].globals[0] = match boxes.cores[0].globals[0] {
                    Value::Bool(value) => Value::Bool(!value),
                    _ => Value::Bool(true),
                };
            }),
            ("a value of another type", &|boxes, _| boxes.cores[0].globals[0] = Value::Int(0)),
            ("a thread that is not there", &|boxes, _| {
                boxes.cores[0].globals[1] = Value::Tid(Some(7));
            }),
            ("another place", &|boxes, _| {
                boxes.standings.iter_mut().for_each(|it| it.location = 1);
            }),
            ("no such place", &|boxes, _| boxes.standings[0].location = 1000),
            ("a local that is not there", &|boxes, _| {
                boxes.standings[0].locals.push(Value::Bool(true));
            }),
            ("a hero", &|boxes, _| {
                boxes
                    .cores
                    .iter_mut()
                    .filter(|it| !it.named.is_empty())
                    .for_each(|it| it.hero = Some(0));
            }),
            ("something else is shown", &|_, shows| {
                *shows = Covers::Finishing { cap: 2, ends: Vec::new() };
            }),
        ],
    );
    // The program is another one.
    for (old, new) in [
        ("await !busy { busy := true }", "await !busy; busy := true"),
        ("busy := false; owner := nobody", "owner := nobody; busy := false; assert busy"),
        ("await !busy {", "await true {"),
        ("set Threads\n", "set Threads\n    var more: bool = false\n"),
    ] {
        let mut certificate = proof();
        certificate.source = LOCK.replace(old, new);
        assert_ne!(certificate.source, LOCK);
        assert!(!accepted(&certificate), "{new}");
    }
}

#[test]
fn a_changed_proof_that_all_can_end() {
    noticed(
        free,
        &[
            ("no ends", &|_, shows| ends_of(shows).1.clear()),
            ("an end leads to itself", &|_, shows| {
                for (number, end) in ends_of(shows).1.iter_mut().enumerate() {
                    end.then = Some(number as u32);
                }
            }),
            ("an end leads to one behind it", &|_, shows| {
                ends_of(shows).1.iter_mut().for_each(|it| it.then = Some(1000));
            }),
            ("every step ends a round", &|_, shows| {
                ends_of(shows).1.iter_mut().for_each(|it| it.then = None);
            }),
            ("nobody is needed", &|_, shows| {
                ends_of(shows).1.iter_mut().for_each(|it| it.others.clear());
            }),
            ("somebody else moves", &|_, shows| {
                ends_of(shows).1.iter_mut().for_each(|it| it.by = By::Named(3));
            }),
            ("another path", &|_, shows| ends_of(shows).1.iter_mut().for_each(|it| it.path = 9)),
            ("something is chosen", &|_, shows| {
                ends_of(shows).1[0].chosen.push(Value::Bool(true));
            }),
            ("a guest", &|_, shows| ends_of(shows).1[0].guest = Some(0)),
            ("no hero", &|boxes, _| boxes.cores.iter_mut().for_each(|it| it.hero = None)),
            ("another cap", &|_, shows| *ends_of(shows).0 += 1),
            ("no such cap", &|_, shows| *ends_of(shows).0 = 1_000_000),
            ("the first end is left out", &|_, shows| drop(ends_of(shows).1.remove(0))),
            ("another core", &|_, shows| ends_of(shows).1[0].core = 0),
            ("nobody else", &|boxes, _| boxes.boxes.iter_mut().for_each(|it| it.crowd.clear())),
            ("finitely many at the start", &|boxes, _| {
                for one in boxes.boxes.iter_mut().flat_map(|it| &mut it.crowd) {
                    one.1 = one.1.or(Some(1));
                }
            }),
        ],
    );
    let mut certificate = free();
    certificate.source = LOCK.replace("busy := false; owner", "owner");
    assert!(!accepted(&certificate));
}

#[test]
fn a_changed_proof_that_somebody_waits() {
    noticed(
        waits,
        &[
            ("a shorter run", &|_, shows| drop(run_of(shows).steps.pop())),
            ("no run", &|_, shows| run_of(shows).steps.clear()),
            ("another thread", &|_, shows| {
                run_of(shows).shows = Shows::Waits { thread: 1000 };
            }),
            ("it shows an error", &|_, shows| run_of(shows).shows = Shows::Error),
            ("an invariant is violated", &|_, shows| {
                let (invariant, threads) = ("never".to_owned(), Vec::new());
                run_of(shows).shows = Shows::Violated { invariant, threads };
            }),
            ("nobody is followed", &|boxes, _| {
                boxes.cores.iter_mut().for_each(|it| it.hero = None);
            }),
            ("nobody may come", &|boxes, _| {
                boxes.boxes.iter_mut().for_each(|it| it.crowd.clear());
            }),
            ("few may come", &|boxes, _| {
                for one in boxes.boxes.iter_mut().flat_map(|it| &mut it.crowd) {
                    one.1 = Some(3);
                }
            }),
            ("another core", &|boxes, _| boxes.boxes.iter_mut().for_each(|it| it.core = 0)),
            ("no such core", &|boxes, _| boxes.boxes[0].core = 1000),
            ("another value", &|boxes, _| {
                boxes.cores.iter_mut().for_each(|it| it.globals[0] = Value::Bool(false));
            }),
            ("no boxes", &|boxes, _| boxes.boxes.clear()),
        ],
    );
    // It is not for a run alone to say.
    let mut certificate = waits();
    let run = run_of(parts(&mut certificate).1).clone();
    certificate.claim = Claim::Refuted(run);
    assert!(!accepted(&certificate));
    let mut certificate = waits();
    certificate.source = LOCK.to_owned();
    assert!(!accepted(&certificate));
}
