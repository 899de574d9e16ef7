//! The examples, as the explorer sees them: small instances of what is to be verified have nothing
//! wrong, and of what is to be refuted some go wrong as the first line says.

use crate::common::{examples, instances, parse};
use ser_base::Limits;
use ser_sequentialization_checker::run::Shows;
use ser_sequentialization_search::explore::{Coverage, explore, explore_with, smallest_violation};

fn limits() -> Limits {
    Limits { max_states: 1_000_000, ..Limits::default() }
}

#[test]
fn there_are_all_benchmarks_of_the_table() {
    let names: Vec<String> = examples("").into_iter().map(|it| it.0).collect();
    let table = [
        "ex2",
        "ex3",
        "ping-det",
        "ping-iter",
        "ping-sym",
        "ping-sym2",
        "conc-db",
        "dist-db",
        "firewall",
        "lock-server",
        "map-reduce",
        "parikh",
        "registry",
        "two-buyers",
        "two-phase-commit",
        "work-steal",
        "theque",
    ];
    for name in table {
        assert!(names.contains(&format!("{name}.ser")), "{name}");
    }
}

#[test]
fn nothing_goes_wrong_in_small_instances_of_what_is_verified() {
    for folder in ["", "broken"] {
        for (name, text) in examples(folder) {
            let first = text.lines().next().unwrap_or_default();
            if first.starts_with("// expect: refuted") {
                continue;
            }
            let protocol = parse(&text);
            let large =
                ["theque.ser", "map-reduce.ser", "work-steal.ser", "dist-db.ser", "conc-db.ser"];
            let most = if large.contains(&name.as_str()) { 2 } else { 3 };
            for sizes in instances(&protocol, most) {
                let exploration = explore(&protocol, &sizes, &limits());
                // The last messages of servers that send first are in flight in the end.
                let excused = name == "ex7.ser";
                let findings = &exploration.findings;
                assert!(exploration.complete(), "{name} {sizes:?}: {:?}", exploration.stopped);
                assert!(
                    findings.failure.is_none()
                        && findings.deadlock.is_none()
                        && findings.blocked.is_none()
                        && (excused || findings.orphan.is_none()),
                    "{name} {sizes:?}: {findings:#?}"
                );
            }
        }
    }
}

#[test]
fn small_instances_of_what_is_refuted_go_wrong() {
    let mut kinds = Vec::new();
    for (name, text) in examples("broken") {
        let first = text.lines().next().unwrap_or_default();
        let Some(expected) = first.strip_prefix("// expect: refuted, ") else { continue };
        let protocol = parse(&text);
        let found = smallest_violation(&protocol, &limits());
        let run = found.run.unwrap_or_else(|| panic!("{name}: nothing is wrong"));
        let kind = match run.shows {
            Shows::Deadlock(_) => "deadlock",
            Shows::Failure(_) => "failure",
            Shows::Orphan { .. } => "orphan",
        };
        kinds.push(format!(
            "{name}: {expected}: {kind} {:?} in {} steps",
            run.sizes,
            run.steps.len()
        ));
    }
    insta::assert_snapshot!(kinds.join("\n"));
}

#[test]
fn leaving_out_interleavings_changes_nothing_that_is_reported() {
    for folder in ["", "broken"] {
        for (name, text) in examples(folder) {
            let protocol = parse(&text);
            for sizes in instances(&protocol, 1) {
                let every = Coverage { reduce: false, ..Coverage::default() };
                let few = Limits { max_states: 200_000, ..Limits::default() };
                let all = explore_with(&protocol, &sizes, every, &few);
                if !all.complete() {
                    continue;
                }
                let some = explore(&protocol, &sizes, &limits());
                let what = format!("{name} {sizes:?}");
                assert!(some.states <= all.states, "{what}");
                assert_eq!(some.finals, all.finals, "{what}");
                let (some, all) = (some.findings, all.findings);
                assert_eq!(some.failing, all.failing, "{what}");
                assert_eq!(some.failure.is_some(), all.failure.is_some(), "{what}");
                assert_eq!(some.blocked.is_some(), all.blocked.is_some(), "{what}");
                let length = |run: &Option<ser_sequentialization_checker::Run>| {
                    run.as_ref().map(|it| it.steps.len())
                };
                assert_eq!(length(&some.deadlock), length(&all.deadlock), "{what}");
                assert_eq!(length(&some.orphan), length(&all.orphan), "{what}");
            }
        }
    }
}
