//! States that are the same up to names, or up to values that do not matter, are looked at once:
//! nothing is lost.

use crate::explore::common::{first_state, replay, system, violated};
use ser_base::{Limits, Span};
use ser_generators::threads;
use ser_invariance_checker::run::{Run, Shows, Value};
use ser_invariance_search::explore::{Bounds, Explored, FaultKind, State, explore, holds, steps};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::InvId;
use std::collections::{BTreeMap, BTreeSet};

/// What is found, with the lengths of the shortest runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Findings {
    violated: BTreeMap<u32, usize>,
    faults: BTreeMap<(Span, FaultKind), usize>,
    reached: BTreeSet<u32>,
}

fn findings(explored: &Explored) -> Findings {
    let reached = (0..).zip(&explored.reached).filter(|(_, reached)| **reached);
    Findings {
        violated: explored
            .violations
            .iter()
            .map(|violation| (violation.invariant.0, violation.run.steps.len()))
            .collect(),
        faults: explored
            .faults
            .iter()
            .map(|faulty| ((faulty.fault.span, faulty.fault.kind), faulty.run.steps.len()))
            .collect(),
        reached: reached.map(|(location, _)| location).collect(),
    }
}

/// All states, one by one, without any shortcut, by the functions for single states alone.
fn plainly(system: &System, starts: Vec<State>, bounds: &Bounds, most: usize) -> Option<Findings> {
    let mut findings = Findings::default();
    let mut seen: BTreeSet<State> = starts.iter().cloned().collect();
    let mut level: Vec<State> = seen.iter().cloned().collect();
    let mut depth = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in &level {
            look(system, state, depth, &mut findings);
            for (_, after) in steps(system, state, bounds).ok()? {
                match after {
                    Ok(after) => {
                        if seen.insert(after.clone()) {
                            next.push(after);
                        }
                    }
                    Err(fault) => {
                        findings.faults.entry((fault.span, fault.kind)).or_insert(depth + 1);
                    }
                }
            }
            if seen.len() > most {
                return None;
            }
        }
        level = next;
        depth += 1;
    }
    Some(findings)
}

fn look(system: &System, state: &State, depth: usize, findings: &mut Findings) {
    findings.reached.extend(state.threads.iter().map(|thread| thread.location.0));
    let threads = state.threads.len() as u32;
    for (id, invariant) in (0..).zip(&system.invariants) {
        let tuples = threads.pow(invariant.parameters.len() as u32);
        for number in 0..tuples {
            let digit = |place: usize| number / threads.pow(place as u32) % threads;
            let tuple: Vec<u32> = (0..invariant.parameters.len()).map(digit).collect();
            if let Ok(Err(_)) = holds(system, state, InvId(id), &tuple) {
                findings.violated.entry(id).or_insert(depth);
            }
        }
    }
}

/// The states at the start, all of them: told by the explorer, which lists them up to names.
fn starts(system: &System, bounds: &Bounds) -> Vec<State> {
    let bounds = Bounds { depth: Some(0), ..bounds.clone() };
    let mut explorer = ser_invariance_search::explore::Explorer::new(system, &bounds);
    explorer.run(&Limits::default());
    let mut found = Vec::new();
    explorer.for_each_state(|view| found.push(view.state()));
    found
}

pub fn compare(seed: u64, text: &str, threads: u32, most: usize) -> bool {
    let system = system(text);
    let bounds = Bounds {
        threads,
        states: 50_000,
        cells: 3,
        ints: 3,
        elems: 1,
        initial: 300,
        ..Bounds::default()
    };
    let explored = explore(&system, &bounds, &Limits::default());
    for violation in &explored.violations {
        let run = replay(&system, &violation.run);
        assert!(run.is_ok(), "seed {seed}: {run:?}\n{text}\n{:?}", violation.run);
    }
    for faulty in &explored.faults {
        let fault = replay(&system, &faulty.run).map(|run| run.fault);
        assert_eq!(fault, Ok(Some(faulty.fault)), "seed {seed}\n{text}\n{:?}", faulty.run);
    }
    let careful =
        explore(&system, &Bounds { drop_dead: false, ..bounds.clone() }, &Limits::default());
    // With few cells, or few states at the start, shortcuts may see more.
    let is_whole = |explored: &Explored| explored.is_complete();
    if !is_whole(&explored) || !is_whole(&careful) {
        return false;
    }
    let found = findings(&explored);
    assert_eq!(
        found,
        findings(&careful),
        "seed {seed}: dropping dead variables changes something\n{text}"
    );
    if careful.states * 6 > most {
        return false;
    }
    let Some(plain) = plainly(&system, starts(&system, &bounds), &bounds, most) else {
        return false;
    };
    assert_eq!(found, plain, "seed {seed}: names matter\n{text}");
    true
}

#[test]
fn random_systems_have_no_errors() {
    for seed in 0..1500 {
        let text = threads::system(seed);
        let parse = ser_syntax::inv::parse(&text);
        assert!(!parse.has_errors(), "seed {seed}: {:?}\n{text}", parse.diagnostics);
    }
}

#[test]
fn shortcuts_lose_nothing_in_random_systems_of_numbers() {
    let compared =
        (0..150).filter(|seed| compare(*seed, &threads::numbers(*seed), 2, 6_000)).count();
    assert!(compared > 30, "{compared}");
    let compared =
        (500..560).filter(|seed| compare(*seed, &threads::numbers(*seed), 3, 6_000)).count();
    assert!(compared > 5, "{compared}");
}

#[test]
fn shortcuts_lose_nothing_in_random_systems_of_cells() {
    let compared = (0..240).filter(|seed| compare(*seed, &threads::cells(*seed), 2, 6_000)).count();
    assert!(compared > 30, "{compared}");
}

#[test]
fn random_invariants_hold_sometimes_and_sometimes_not() {
    let (mut fine, mut wrong, mut deep) = (0, 0, 0);
    for seed in 0..200 {
        let system = system(&threads::system(seed));
        let bounds = Bounds { threads: 2, states: 3_000, cells: 3, ..Bounds::default() };
        let explored = explore(&system, &bounds, &Limits::default());
        let bad = violated(&system, &explored).len();
        fine += system.invariants.len() - bad;
        wrong += bad;
        deep += explored.violations.iter().filter(|bad| bad.run.steps.len() > 4).count();
    }
    assert!(fine > 100 && wrong > 100 && deep > 20, "{fine} {wrong} {deep}");
}

#[test]
fn a_value_that_nobody_looks_at_is_forgotten() {
    let text = "var x: int = 0;
        set Threads  process thread for self in Threads { var a: int = 0; loop { a := choose(int); x := 1; skip; skip; } }
        invariant one: x <= 1;";
    let bounds = Bounds { threads: 2, ..Bounds::default() };
    let few = explore(&system(text), &bounds, &Limits::default()).states;
    let text = text.replace("x <= 1;", "x <= 1; invariant seen(i): a[i] < 100;");
    let many = explore(&system(&text), &bounds, &Limits::default()).states;
    assert!(few < 30 && many > 5 * few, "{few} {many}");
}

#[test]
fn a_value_is_kept_where_an_invariant_looks_at_it() {
    let text = "set Threads  process thread for self in Threads { var a: int = 0; first: a := choose(int); second: skip; third: skip; }
        invariant there(i): at(i, third) -> a[i] == 0;";
    let system = system(text);
    let explored =
        explore(&system, &Bounds { threads: 1, ..Bounds::default() }, &Limits::default());
    assert_eq!(explored.violations.len(), 1);
}

#[test]
fn initial_values_are_told_even_if_they_do_not_matter() {
    let text =
        "var x: int = 0; set Threads  process thread for self in Threads { var a: int = 7; var b: Threads = self; a := 1; x := a; }
        invariant zero: x == 0;";
    let system = system(text);
    let explored =
        explore(&system, &Bounds { threads: 2, ..Bounds::default() }, &Limits::default());
    let Run { shows, .. } = &explored.violations[0].run;
    assert!(matches!(shows, Shows::Violated { .. }));
    assert!(replay(&system, &explored.violations[0].run).is_ok());
    assert!(first_state(&system, &explored.violations[0].run).is_ok());
}

#[test]
fn states_that_are_looked_at_have_all_their_values() {
    // Nobody needs `a` after `wait`, and no invariant of the file looks at it.
    let text = "var x: int = 5; set Threads  process thread for self in Threads { var a: int = 0; take: a := x; wait: await a == x; end: skip; }
        invariant fine: x == 5;";
    let system = system(text);
    let mut explorer = ser_invariance_search::explore::Explorer::new(&system, &Bounds::default());
    explorer.run(&Limits::default());
    let mut seen = BTreeSet::new();
    explorer.for_each_state(|view| {
        let state = view.state();
        let ended = state.threads.iter().filter(|thread| thread.location.0 == 2);
        seen.extend(ended.map(|thread| thread.locals[0].clone()));
    });
    assert_eq!(seen, BTreeSet::from([Value::Int(5)]));
}
