//! Programs with finite data and any number of threads.

use ser_base::{Limits, LineIndex};
use ser_invariance_checker::control::Control;
use ser_invariance_checker::crowd::{Space, Standing};
use ser_invariance_checker::run::State;
use ser_invariance_checker::{Certificate, Claim, check};
use ser_invariance_search::answer::Wrong;
use ser_invariance_search::crowd::{Deadlock, deadlock, decide};
use ser_invariance_search::explore::{Bounds, explore, steps};
use ser_syntax::inv::System;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

fn threads(number: u32) -> String {
    format!("{number} thread{}", if number == 1 { "" } else { "s" })
}

/// What a file is expected to be, in words.
fn words(text: &str) -> String {
    let parse = ser_syntax::inv::parse(text);
    let errors: Vec<_> = parse.diagnostics.iter().filter(|it| it.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let limits = Limits::default().with_timeout(Duration::from_secs(60));
    let mut words = Vec::new();
    match decide(text, &parse.system, &limits) {
        Ok(decided) => {
            for certificate in decided.proof.iter().chain(&decided.run) {
                check(certificate, &limits).unwrap();
            }
            match decided.refuted.first() {
                None => words.push("proved".to_owned()),
                Some(first) => {
                    words.push("refuted".to_owned());
                    words.push(threads(first.run.threads));
                }
            }
        }
        Err(why) => words.push(format!("{why:?}")),
    }
    if parse.system.deadlock.is_some() {
        match deadlock(text, &parse.system, &limits) {
            Ok(Deadlock::Free(certificate, _)) => {
                check(&certificate, &limits).unwrap();
                words.push("deadlock_free".to_owned());
            }
            Ok(Deadlock::Waits { certificate, run, .. }) => {
                check(&certificate, &limits).unwrap();
                words.push("can_deadlock".to_owned());
                words.push(threads(run.threads));
            }
            Err(why) => words.push(format!("{why:?}")),
        }
    }
    words.join(", ")
}

#[test]
fn the_examples_are_decided() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/counted");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let wanted = text.lines().next().unwrap().trim_start_matches("// expect: ").to_owned();
        let found = words(&text);
        if found != wanted {
            wrong.push((file, wanted, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// How many programs, and from which one on.
fn seeds() -> std::ops::Range<u64> {
    let read = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
    };
    let from = read("SER_FROM", 0);
    from..from + read("SER_CASES", 40)
}

/// What is decided for all numbers of threads is so for one, two and three: proofs are violated by no
/// instance that the explorer lists (it shares nothing with what counts threads), and a refutation has a run
/// that no smaller instance has.
#[test]
fn random_programs_are_what_small_instances_say() {
    let (mut proved, mut refuted, mut safe, mut failing, mut open) = (0, 0, 0, 0, 0);
    for seed in seeds() {
        let text = ser_generators::threads::finite::system(seed);
        let system = ser_syntax::inv::parse(&text).system;
        let short = Limits::default().with_timeout(Duration::from_secs(5));
        let limits = Limits::default().with_timeout(Duration::from_secs(60));
        let decided = match decide(&text, &system, &short) {
            Ok(decided) => decided,
            Err(_) => {
                open += 1;
                continue;
            }
        };
        for certificate in decided.proof.iter().chain(&decided.run) {
            check(certificate, &limits).unwrap_or_else(|why| panic!("{seed}: {why}\n{text}"));
        }
        for it in &decided.refuted {
            let claim = Claim::Refuted(it.run.clone());
            let certificate = Certificate::new(&text, claim);
            check(&certificate, &limits).unwrap_or_else(|why| panic!("{seed}: {why}\n{text}"));
        }
        proved += decided.proved.len();
        safe += usize::from(decided.safe);
        let counts = system.threads.map_or(1..=3, |fixed| fixed..=fixed);
        for threads in counts {
            let bounds = Bounds { threads, states: 30_000, ..Bounds::default() };
            let explored = explore(&system, &bounds, &short);
            for it in &explored.violations {
                assert!(!decided.proved.contains(&it.invariant), "{seed}, {threads}\n{text}");
            }
            assert!(explored.faults.is_empty() || !decided.safe, "{seed}, {threads}\n{text}");
            if !explored.is_complete() {
                continue;
            }
            for it in &decided.refuted {
                let is_there = match it.what {
                    Wrong::Violated(id, _) => explored.violation(id).is_some(),
                    Wrong::Error(..) => !explored.faults.is_empty(),
                    Wrong::Waits(_) => false,
                };
                let wanted = threads >= it.run.threads;
                assert_eq!(is_there, wanted, "{seed}, {threads}: {:?}\n{text}", it.what);
            }
        }
        for it in &decided.refuted {
            match it.what {
                Wrong::Violated(..) => refuted += 1,
                Wrong::Error(..) => failing += 1,
                Wrong::Waits(_) => {}
            }
        }
    }
    let all = seeds().count();
    assert!(open * 5 < all, "{open} of {all} are open");
    assert!(
        proved > all && refuted + failing > 0 && safe > 0,
        "{proved} {refuted} {failing} {safe}"
    );
}

/// The closed instances of a program, and all that can come of them: who can come to the end of a round, by
/// the steps of the explorer.
fn somebody_waits(text: &str, system: &System) -> Option<bool> {
    let lines = LineIndex::new(text);
    let control = Control::new(system).unwrap();
    let space = Space::new(system, &control, &lines).unwrap();
    let last = system.locations.len() as u32 - 1;
    let is_loop = text.contains("    loop {");
    let mut all: Vec<State> = Vec::new();
    for start in space.starts(&Limits::default()).unwrap() {
        let others = start.others.unwrap() as usize;
        // Locals have a value each, so others start alike.
        let crowd = vec![&start.standings[..]; others].concat();
        let crowd: Vec<&Standing> = crowd.iter().take(others).collect();
        all.push(space.state(&start.core, &crowd));
    }
    let mut known: HashMap<State, usize> = all.iter().cloned().zip(0..).collect();
    let mut edges: Vec<(usize, usize, Option<u32>)> = Vec::new();
    let bounds = Bounds::default();
    let mut next = 0;
    while next < all.len() {
        if all.len() > 4_000 {
            return None;
        }
        for (step, after) in steps(system, &all[next], &bounds).unwrap() {
            let Ok(after) = after else { continue };
            let to = after.threads[step.thread as usize].location.0;
            let ends = to == if is_loop { 0 } else { last };
            let number = *known.entry(after.clone()).or_insert_with(|| {
                all.push(after);
                all.len() - 1
            });
            edges.push((next, number, ends.then_some(step.thread)));
        }
        next += 1;
    }
    for thread in 0..system.threads.unwrap() {
        let done = |it: &State| !is_loop && it.threads[thread as usize].location.0 == last;
        let mut can: Vec<bool> = all.iter().map(done).collect();
        loop {
            let mut changed = false;
            for (from, to, ends) in &edges {
                if !can[*from] && (can[*to] || *ends == Some(thread)) {
                    can[*from] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        if can.contains(&false) {
            return Some(true);
        }
    }
    Some(false)
}

#[test]
fn who_waits_in_random_programs_waits_in_all_states_of_the_instance() {
    let (mut waits, mut free, mut open) = (0, 0, 0);
    for seed in seeds() {
        let threads = 2 + seed % 2;
        let text = ser_generators::threads::finite::system(seed);
        let rest = text.split_once('\n').unwrap().1;
        let text = format!("set Threads == {threads}\n{rest}deadlock\n");
        let system = ser_syntax::inv::parse(&text).system;
        let limits = Limits::default().with_timeout(Duration::from_secs(5));
        let Ok(found) = deadlock(&text, &system, &limits) else {
            open += 1;
            continue;
        };
        let wanted = somebody_waits(&text, &system);
        let (certificate, found) = match found {
            Deadlock::Free(certificate, _) => {
                free += 1;
                (certificate, false)
            }
            Deadlock::Waits { certificate, .. } => {
                waits += 1;
                (certificate, true)
            }
        };
        check(&certificate, &Limits::default())
            .unwrap_or_else(|why| panic!("{seed}: {why}\n{text}"));
        assert!(wanted.is_none_or(|it| it == found), "{seed}: {found}\n{text}");
    }
    assert!(waits > open && free > open, "{waits} wait, {free} free, {open} open");
}
