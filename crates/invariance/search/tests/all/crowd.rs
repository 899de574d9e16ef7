//! Programs with finite data and any number of threads.

use ser_base::Limits;
use ser_invariance_checker::check;
use ser_invariance_search::crowd::{Deadlock, deadlock, decide};
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
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
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
