//! The examples: they say what to expect, and small instances agree.

use crate::explore::common::{replay, system, violated};
use ser_base::Limits;
use ser_invariance_checker::witness;
use ser_invariance_search::explore::{Bounds, Explored, explore};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{ActionKind, LocId, ProcId, Step, Stmt, StmtKind};
use std::path::PathBuf;

/// What the first line of an example says.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Expect {
    Proved,
    Refuted(Vec<String>),
    Error,
}

fn examples() -> Vec<(String, String)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples/threads");
    let files = std::fs::read_dir(path).expect("a folder of examples");
    let mut found: Vec<(String, String)> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ser"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a text"))
        })
        .collect();
    found.sort();
    assert!(found.len() >= 20);
    found
}

fn expectation(name: &str, text: &str) -> Expect {
    let first = text.lines().next().and_then(|line| line.strip_prefix("// expect: "));
    match first.map(|words| words.split_once(' ').unwrap_or((words, ""))) {
        Some(("proved", "")) => Expect::Proved,
        Some(("error", "")) => Expect::Error,
        Some(("refuted", names)) => Expect::Refuted(names.split(", ").map(String::from).collect()),
        _ => panic!("{name}: the first line says what to expect"),
    }
}

fn instance(system: &System, threads: u32, states: usize) -> Explored {
    // Three cells are a list with one element; a fourth one is inserted or on its way.
    let bounds = Bounds { threads, states, cells: 4, ..Bounds::default() };
    explore(system, &bounds, &Limits::default())
}

#[test]
fn every_example_is_well_formed_and_says_where_it_is_from() {
    for (name, text) in examples() {
        let parse = ser_syntax::inv::parse(&text);
        assert!(parse.diagnostics.is_empty(), "{name}: {:?}", parse.diagnostics);
        expectation(&name, &text);
        assert!(text.contains("`ser prove` answers"), "{name}");
        assert!(parse.system.proof.is_some(), "{name}");
    }
}

#[test]
fn what_is_proved_holds_in_all_states_of_small_instances() {
    for (name, text) in examples() {
        if expectation(&name, &text) != Expect::Proved {
            continue;
        }
        let system = system(&text);
        for threads in 1..=3 {
            let explored = instance(&system, threads, 30_000);
            assert!(explored.initial > 0, "{name}");
            assert_eq!(violated(&system, &explored), [""; 0], "{name}, {threads} threads");
            assert_eq!(explored.faults, [], "{name}, {threads} threads");
        }
    }
}

#[test]
fn what_is_wrong_is_refuted_by_runs_that_replay() {
    for (name, text) in examples() {
        let system = system(&text);
        let found = |threads| {
            let explored = instance(&system, threads, 60_000);
            for violation in &explored.violations {
                let run = replay(&system, &violation.run);
                assert!(run.is_ok(), "{name}: {run:?}");
            }
            for faulty in &explored.faults {
                let run = replay(&system, &faulty.run);
                assert_eq!(run.map(|run| run.fault), Ok(Some(faulty.fault)), "{name}");
            }
            explored
        };
        match expectation(&name, &text) {
            Expect::Proved => {}
            Expect::Refuted(names) => {
                let two = violated(&system, &found(2));
                let three = violated(&system, &found(3));
                assert_eq!(three, names, "{name}");
                // Peterson's algorithm is for two.
                let wanted = if name == "peterson_any" { Vec::new() } else { names };
                assert_eq!(two, wanted, "{name}");
            }
            Expect::Error => assert!(!found(2).faults.is_empty(), "{name}"),
        }
    }
}

#[test]
fn every_statement_of_an_example_is_reached() {
    for (name, text) in examples() {
        let system = system(&text);
        let explored = instance(&system, 2, 30_000);
        // The end of `thread` behind an endless loop cannot be.
        let body = &system.procedures[0].body;
        let endless = body
            .iter()
            .any(|statement| matches!(statement.kind, StmtKind::While { forever: true, .. }));
        let end = body.last().filter(|_| endless).map(|last| last.location);
        let dead: Vec<LocId> = end.into_iter().collect();
        assert_eq!(explored.unreached(), dead, "{name}");
    }
}

#[test]
fn every_path_of_an_example_is_taken() {
    for (name, text) in examples() {
        let system = system(&text);
        let explored = instance(&system, 3, 40_000);
        let mut never = Vec::new();
        each_statement(&system, &mut |procedure, statement| {
            let taken = explored.taken[statement.location.0 as usize];
            let wanted = match &statement.kind {
                // `loop` never ends; the end of `thread` has no paths.
                StmtKind::While { forever: true, .. } => 0b1,
                StmtKind::Return(_) if procedure == ProcId(0) => 0,
                StmtKind::If { .. } | StmtKind::While { .. } => 0b11,
                StmtKind::Choice(branches) => (1 << branches.len()) - 1,
                _ => return,
            };
            if taken != wanted {
                never.push((statement.location, taken, wanted));
            }
        });
        assert_eq!(never, [], "{name}");
    }
}

fn each_statement<'s>(system: &'s System, see: &mut dyn FnMut(ProcId, &'s Stmt)) {
    fn block<'s>(procedure: ProcId, body: &'s [Stmt], see: &mut dyn FnMut(ProcId, &'s Stmt)) {
        for statement in body {
            see(procedure, statement);
            match &statement.kind {
                StmtKind::If { then, otherwise, .. } => {
                    block(procedure, then, see);
                    block(procedure, otherwise, see);
                }
                StmtKind::While { body, .. } => block(procedure, body, see),
                StmtKind::Choice(branches) => {
                    branches.iter().for_each(|branch| block(procedure, branch, see));
                }
                _ => {}
            }
        }
    }
    for (number, procedure) in system.procedures.iter().enumerate() {
        block(ProcId(number as u32), &procedure.body, see);
    }
}

/// Transitions as the paper counts them: one for each location, two for a test, and an `await` may
/// also stay.
fn transitions(system: &System) -> usize {
    let mut count = 0;
    each_statement(system, &mut |_, statement| {
        count += match &statement.kind {
            StmtKind::If { .. } | StmtKind::While { .. } => 2,
            StmtKind::Step(Step::Action(action)) if matches!(action.kind, ActionKind::Await(_)) => {
                2
            }
            _ => 1,
        };
    });
    count
}

#[test]
fn examples_of_the_paper_have_its_locations_and_transitions() {
    let examples = examples();
    let counts = |wanted: &str| {
        let (_, text) = examples.iter().find(|(name, _)| name == wanted).expect("an example");
        let system = system(text);
        let of = |procedure: u32| {
            let procedure = ProcId(procedure);
            system.locations.iter().filter(|location| location.procedure == procedure).count()
        };
        let parts: Vec<usize> = (0..system.procedures.len() as u32).map(of).collect();
        (parts, transitions(&system))
    };
    assert_eq!(counts("ticket_lock"), (vec![7], 9));
    assert_eq!(counts("ticket_set"), (vec![7], 9));
    for name in ["lock_coupling_list", "list_functional", "list_wrong"] {
        assert_eq!(counts(name), (vec![7, 14, 17, 16], 60), "{name}");
    }
    for name in ["list_search", "list_insert", "list_remove"] {
        assert_eq!(counts(name), (vec![14, 14, 17, 16], 69), "{name}");
    }
}

#[test]
fn the_wrong_specification_of_the_list_is_wrong_after_a_link() {
    let (_, text) = examples().into_iter().find(|(name, _)| name == "list_wrong").expect("it");
    let system = system(&text);
    let explored = instance(&system, 2, 60_000);
    let violation = &explored.violations[0];
    let conjunct = &system.invariants[violation.invariant.0 as usize].conjuncts[violation.conjunct];
    assert_eq!(conjunct.tag.as_ref().map(|tag| tag.text.as_str()), Some("too_late"));
    let witness = witness(&text, &system, &violation.run, &Limits::default()).expect("a run");
    let last = witness.steps.last().expect("steps").from;
    let name = system.locations[last.0 as usize].name.as_ref().map(|name| name.text.as_str());
    assert_eq!(name, Some("link"));
}
