//! A short run of every kind of random input.
//!
//! `cargo run --release -p ser-fuzz` is the long run; this one is short enough for every day.

use ser_fuzz::campaign::{Kind, Plan, Settings, Tally, run};
use ser_fuzz::{
    Finding, Findings, Random, border, edited, judge_program, options, program_findings, system,
    try_source, try_system,
};
use ser_model::{NetworkSystem, write_json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Generous: a slow machine should not turn an answer into "unknown".
const TIMEOUT: Duration = Duration::from_secs(10);

fn short_run(kind: Kind, inputs: u64) -> Tally {
    let settings = Settings { requests: 3, timeout: TIMEOUT, switches: false };
    let kinds = vec![(kind, Some(inputs))];
    let plan = Plan { kinds, seed: 0x7e57, time: None, jobs: 2, settings };
    let mut tallies = run(&plan, &|_| {});
    let tally = tallies.remove(&kind).unwrap();
    assert!(tally.findings.is_empty(), "\n{}", tally.findings.join("\n\n"));
    assert_eq!(tally.inputs(), inputs as usize);
    // Hardly any is unknown, few have too many states, and most answers are known to somebody else.
    let list = tally.unanswered.join("\n\n");
    // (of fewer than a hundred, one).
    let hardly = (inputs as usize / 100).max(1);
    assert!(tally.count("unknown") <= hardly, "too many are unknown:\n{list}");
    assert!(20 * tally.unanswered.len() <= inputs as usize, "too many have no answer:\n{list}");
    let left_out = tally.count("left out");
    assert!(20 * left_out <= inputs as usize, "{left_out} were left out");
    let confirmed = tally.confirmed;
    assert!(10 * confirmed >= 7 * inputs as usize, "only {confirmed} of {inputs} are confirmed");
    tally
}

/// The inputs are of all sorts; otherwise the generator has lost its way.
fn has(tally: &Tally, methods: &[&str]) {
    let counts: BTreeMap<&str, usize> = tally.by.iter().map(|(k, v)| (*k, v.len())).collect();
    for method in methods {
        let count = counts.get(method).copied().unwrap_or(0);
        assert!(40 * count >= tally.inputs(), "only {count} {method}: {counts:?}");
    }
}

#[test]
fn small_programs() {
    has(&short_run(Kind::Programs, 300), &["refuted", "rules"]);
}

#[test]
fn programs_with_locks() {
    has(&short_run(Kind::Locking, 80), &["refuted", "rules", "inclusion"]);
}

#[test]
fn programs_with_every_construct() {
    has(&short_run(Kind::Expressions, 120), &["refuted", "rules", "slices"]);
}

#[test]
fn programs_near_the_border() {
    has(&short_run(Kind::Border, 120), &["refuted", "rules", "inclusion"]);
}

#[test]
fn programs_of_parts_and_of_variables_that_nobody_sees() {
    has(&short_run(Kind::Sliced, 80), &["refuted", "slices"]);
}

/// Some of these are near the border of what can be decided, so that more of them are unknown.
#[test]
fn programs_of_shards() {
    let settings = Settings { requests: 4, timeout: Duration::from_secs(2), switches: false };
    let kinds = vec![(Kind::Shards, Some(60))];
    let plan = Plan { kinds, seed: 0x7e57, time: None, jobs: 2, settings };
    let tally = run(&plan, &|_| {}).remove(&Kind::Shards).unwrap();
    assert!(tally.findings.is_empty(), "\n{}", tally.findings.join("\n\n"));
    has(&tally, &["refuted", "rules"]);
}

#[test]
fn systems() {
    has(&short_run(Kind::Systems, 200), &["refuted", "atomic", "inclusion"]);
}

#[test]
fn systems_of_programs_with_changes() {
    has(&short_run(Kind::Edited, 60), &["refuted", "atomic"]);
}

#[test]
fn nets_sets_and_linear_systems() {
    has(&short_run(Kind::Nets, 100), &["refuted"]);
    has(&short_run(Kind::Sets, 400), &["set"]);
    has(&short_run(Kind::Equations, 600), &["equations"]);
}

#[test]
fn processes_and_requests_with_goals() {
    has(&short_run(Kind::Processes, 60), &["reached", "unreached"]);
    has(&short_run(Kind::Requests, 60), &["reached", "unreached"]);
}

#[test]
fn no_switch_makes_an_answer_wrong() {
    let mut decided = 0;
    // The first one once found a proof with a variable of another branch.
    for seed in [266].into_iter().chain(0..100) {
        let system = system(&mut Random::new(seed ^ 0xabcd_ef00));
        let chosen = options(&mut Random::new(seed ^ 0x1234_5678));
        let trial = try_system(&system, &chosen, 3, Duration::from_millis(500));
        let trial = trial.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{chosen:?}"));
        decided += usize::from(trial.decided_by != "unknown");
    }
    assert!(decided >= 70, "only {decided} were decided");
}

/// Weakening and protecting is not done in vain: of the programs that differ by a few changes, many
/// are serializable and many are not.
#[test]
fn the_border_is_crossed_in_both_directions() {
    let (mut broken, mut unbroken) = (0, 0);
    for seed in 0..100 {
        let text = border(&mut Random::new(seed));
        match program_findings(&ser_syntax::parse(&text).program, 2) {
            Ok(Findings::Broken { .. }) => broken += 1,
            Ok(Findings::Unbroken { requests: 2 }) => unbroken += 1,
            _ => {}
        }
    }
    assert!(broken >= 10 && unbroken >= 10, "{broken} broken, {unbroken} not");
    assert!((0..20).filter_map(|seed| edited(&mut Random::new(seed))).count() >= 10);
}

/// A judge that never finds anything would make all of this worthless: told the opposite of what is
/// true, it must object.
#[test]
fn a_wrong_answer_would_be_found() {
    let options = Default::default();
    let broken = "request r { a := X; yield; X := a + 1; assume(X < 3); a }";
    let safe = "request r { a := X; X := 1 - X; yield; a }";
    let truth = |text: &str| program_findings(&ser_syntax::parse(text).program, 3).unwrap();
    for (text, others) in [(broken, truth(safe)), (safe, truth(broken))] {
        assert!(try_source("a.ser", text, &options, &truth(text), TIMEOUT).is_ok());
        let found = try_source("a.ser", text, &options, &others, TIMEOUT);
        assert!(matches!(found, Err(Finding::Wrong { .. })), "{found:?}");
    }
    // Also if only the number of requests or the outcome is another one.
    let Findings::Broken { requests, outcomes } = truth(broken) else { panic!("it is broken") };
    let more = Findings::Broken { requests: requests + 1, outcomes: outcomes.clone() };
    let other = Findings::Broken { requests, outcomes: Default::default() };
    for lie in [more, other, truth(safe)] {
        assert!(try_source("a.ser", broken, &options, &lie, TIMEOUT).is_err());
        assert!(judge_program(broken, &options, Some(&lie), TIMEOUT).is_err());
    }
    assert!(judge_program(safe, &options, Some(&truth(broken)), TIMEOUT).is_err());
    // A program that has a system leaves no 64 bits.
    assert!(judge_program(safe, &options, None, TIMEOUT).is_err());
}

/// The names of a system, as its JSON has them, but not from there.
fn rows(system: &NetworkSystem) -> [BTreeSet<Vec<String>>; 3] {
    let (local, global) =
        (|l| system.local_name(l).to_owned(), |g| system.global_name(g).to_owned());
    let requests = system.spawns().iter();
    let responses = system.replies().iter();
    let steps = system.steps().iter();
    [
        requests.map(|(r, l)| vec![system.request_name(*r).to_owned(), local(*l)]).collect(),
        responses.map(|(l, r)| vec![local(*l), system.response_name(*r).to_owned()]).collect(),
        steps
            .map(|s| vec![local(s.from), global(s.before), local(s.to), global(s.after)])
            .collect(),
    ]
}

/// Nothing is lost on the way to the oracle, which reads what was written.
#[test]
fn what_is_written_and_read_is_the_same_system() {
    for seed in 0..200 {
        let system = system(&mut Random::new(seed));
        let json = write_json(&system);
        let again = ser_model::read_json(&json.to_string()).unwrap();
        assert_eq!(rows(&again), rows(&system), "{json}");
        let written = ["requests", "responses", "transitions"].map(|key| {
            let list = json[key].as_array().unwrap().iter();
            let texts = |row: &serde_json::Value| {
                let texts = row.as_array().unwrap().iter();
                texts.map(|t| t.as_str().unwrap().to_owned()).collect::<Vec<String>>()
            };
            list.map(texts).collect::<BTreeSet<Vec<String>>>()
        });
        assert_eq!(written, rows(&system), "{json}");
        assert_eq!(json["initial_global"], system.global_name(system.initial_global()));
    }
}
