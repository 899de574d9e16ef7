//! Random conditions of each theory, decided, and compared with brute force over small models.
//!
//! The whole way is tried: text, parser, translation of expressions and paths, the decision layer, and the model that it finds.

mod models;

use models::grammar::Theory;
use models::question::{Outcome, Question};
use models::random::Random;
use ser_invariant::conditions::Tactics;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How many conditions of each theory are tried.
const CONDITIONS: u64 = 5_000;

const SHOWN: usize = 12;

#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    too_many: usize,
    models: usize,
    odd: usize,
    unknown: Vec<(u64, String)>,
}

fn compare(theory: Theory, seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in seeds {
        let question = Question::new(theory, &mut Random::new(seed));
        let begin = std::time::Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| question.compare(Tactics::default())));
        if begin.elapsed().as_millis() > 200 {
            eprintln!("slow: seed {seed} {:?} {outcome:?}", begin.elapsed());
        }
        match outcome.unwrap_or_else(|_| Err("panic".to_owned())) {
            Ok(Outcome::Valid(all)) => {
                tally.valid += 1;
                tally.too_many += usize::from(!all);
            }
            Ok(Outcome::Model) => tally.models += 1,
            Ok(Outcome::Odd) => tally.odd += 1,
            Ok(Outcome::Unknown(reason, model)) => {
                eprintln!(
                    "seed {seed}: {reason:?} {model:?}\n{:?}\n{}",
                    question.ask, question.text
                );
                tally.unknown.push((seed, format!("{reason:?} {model:?}")));
            }
            Err(why) => wrong.push((question.text.len(), seed, why, question)),
        }
    }
    wrong.sort_by_key(|(length, seed, ..)| (*length, *seed));
    for (_, seed, why, question) in wrong.iter().take(SHOWN) {
        eprintln!("seed {seed}: {why}\n{:?}\n{}", question.ask, question.text);
    }
    let mut kinds: std::collections::BTreeMap<String, Vec<u64>> = Default::default();
    for (_, seed, why, _) in &wrong {
        let kind: String = why.split("Snapshot").next().unwrap_or_default().to_owned();
        kinds.entry(kind).or_default().push(*seed);
    }
    for (kind, seeds) in kinds {
        eprintln!("{kind}: {} e.g. {:?}", seeds.len(), &seeds[..seeds.len().min(12)]);
    }
    eprintln!("{theory:?}: {tally:?}; {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} conditions of {theory:?}", wrong.len());
    tally
}

fn seeds() -> std::ops::Range<u64> {
    match std::env::var("SEEDS")
        .ok()
        .and_then(|it| it.split_once("..").map(|(a, b)| (a.parse(), b.parse())))
    {
        Some((Ok(a), Ok(b))) => a..b,
        _ => 0..CONDITIONS,
    }
}

#[test]
fn locations_agree_with_all_small_models() {
    compare(Theory::Locations, seeds());
}

#[test]
fn numbers_agree_with_all_small_models() {
    compare(Theory::Numbers, seeds());
}

#[test]
fn sets_agree_with_all_small_models() {
    compare(Theory::Sets, seeds());
}

#[test]
fn lists_agree_with_all_small_models() {
    compare(Theory::Lists, seeds());
}
