//! Programs with finite data and any number of threads.

use ser_base::Limits;
use ser_invariance_checker::{Certificate, Claim, check};
use ser_invariance_search::answer::Wrong;
use ser_invariance_search::crowd::{Deadlock, deadlock, decide};
use ser_invariance_search::explore::{Bounds, explore};
use std::path::Path;
use std::time::{Duration, Instant};

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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/threads/counted");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let wanted = text.lines().next().unwrap().trim_start_matches("// expect: ").to_owned();
        let start = Instant::now();
        let found = words(&text);
        println!("{:7.1} ms  {found}  {}", start.elapsed().as_secs_f64() * 1e3, file.display());
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
    let limits = Limits::default().with_timeout(Duration::from_secs(600));
    let (mut proved, mut refuted, mut safe, mut failing, mut open) = (0, 0, 0, 0, 0);
    for seed in seeds() {
        let text = ser_generators::threads::finite::system(seed);
        let system = ser_syntax::inv::parse(&text).system;
        let short = Limits::default().with_timeout(Duration::from_secs(5));
        let decided = match decide(&text, &system, &short) {
            Ok(decided) => decided,
            Err(why) => {
                println!("{seed} is open: {why:?}");
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
                };
                let wanted = threads >= it.run.threads;
                assert_eq!(is_there, wanted, "{seed}, {threads}: {:?}\n{text}", it.what);
            }
        }
        for it in &decided.refuted {
            match it.what {
                Wrong::Violated(..) => refuted += 1,
                Wrong::Error(..) => failing += 1,
            }
        }
    }
    println!("{proved} proved, {refuted} refuted, {safe} safe, {failing} failing, {open} open");
}
