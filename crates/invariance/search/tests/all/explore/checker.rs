//! Two interpreters that know nothing of each other: the explorer's, and that of the checker. They
//! agree on what is a run.

use crate::explore::common::{replay, system};
use fastrand::Rng;
use ser_base::Limits;
use ser_generators::{Draw, threads};
use ser_invariance_checker::run::{Elem, Run, Shows, Value};
use ser_invariance_checker::{Certificate, Claim, check};
use ser_invariance_search::explore::{Bounds, explore};
use std::path::PathBuf;

/// Whether the checker accepts the run.
fn is_accepted(text: &str, run: &Run) -> bool {
    let certificate = Certificate::new(text, Claim::Refuted(run.clone()));
    check(&certificate, &Limits::default()).is_ok()
}

/// All runs that are found for this text.
fn runs(text: &str, threads: u32) -> Vec<Run> {
    let bounds = Bounds { threads, states: 4_000, cells: 3, ..Bounds::default() };
    let explored = explore(&system(text), &bounds, &Limits::default());
    let violations = explored.violations.into_iter().map(|violation| violation.run);
    violations.chain(explored.faults.into_iter().map(|faulty| faulty.run)).collect()
}

/// Changes something.
fn tamper(run: &Run, random: &mut Rng) -> Run {
    let mut run = run.clone();
    let count = run.steps.len();
    match random.below(9) {
        0 if count > 0 => {
            run.steps.remove(random.below(count));
        }
        1 if count > 0 => {
            let step = run.steps[random.below(count)].clone();
            run.steps.insert(random.below(count), step);
        }
        2 if count > 0 => run.steps[random.below(count)].thread = random.below(3) as u32,
        3 if count > 0 => run.steps[random.below(count)].path = random.below(4) as u32,
        4 if count > 1 => run.steps.swap(random.below(count), random.below(count)),
        5 => {
            let chosen = run.steps.iter_mut().flat_map(|step| &mut step.chosen);
            let mut chosen: Vec<&mut Value> = chosen.collect();
            let count = chosen.len();
            if count > 0 {
                change(chosen[random.below(count)], random);
            }
        }
        6 => {
            let locals = run.locals.iter_mut().flatten();
            let mut values: Vec<&mut Value> = run.globals.iter_mut().chain(locals).collect();
            let count = values.len();
            if count > 0 {
                change(values[random.below(count)], random);
            }
        }
        7 => {
            if let Shows::Violated { threads, .. } = &mut run.shows
                && !threads.is_empty()
            {
                threads[0] = random.below(3) as u32;
            }
        }
        _ => {
            if let Some(cell) = run.cells.values_mut().next() {
                cell.next = random.below(3) as u32;
                cell.lockid = [None, Some(0), Some(1)][random.below(3)];
            }
        }
    }
    run
}

fn change(value: &mut Value, random: &mut Rng) {
    *value = match value {
        Value::Bool(value) => Value::Bool(!*value),
        Value::Int(value) => Value::Int(*value + random.below(3) as i64 - 1),
        Value::Tid(_) => Value::Tid([None, Some(0), Some(1), Some(2)][random.below(4)]),
        Value::Addr(_) => Value::Addr(random.below(5) as u32),
        Value::Elem(_) => Value::Elem(
            [Elem::Lowest, Elem::Between(0), Elem::Between(1), Elem::Highest][random.below(4)],
        ),
        Value::Set(members) => {
            let mut members = members.clone();
            members.pop_first();
            Value::Set(members)
        }
    };
}

/// Compares both on all runs of a text, and on runs that are almost right: how many of these were
/// runs after all, and how many not.
pub fn compare(name: &str, text: &str, threads: u32, seed: u64) -> (usize, usize) {
    let mut random = Rng::with_seed(seed);
    let system = system(text);
    let mut counts = (0, 0);
    for run in runs(text, threads) {
        assert!(is_accepted(text, &run), "{name}: the checker does not accept\n{run:?}\n{text}");
        for _ in 0..6 {
            let other = tamper(&run, &mut random);
            let replayed = replay(&system, &other);
            let accepted = is_accepted(text, &other);
            assert_eq!(replayed.is_ok(), accepted, "{name}: {replayed:?}\n{other:?}\n{text}");
            match accepted {
                true => counts.0 += 1,
                false => counts.1 += 1,
            }
        }
    }
    counts
}

fn compare_random(text: fn(u64) -> String, seeds: std::ops::Range<u64>) {
    let (mut right, mut wrong) = (0, 0);
    for seed in seeds {
        let counts = compare(&format!("seed {seed}"), &text(seed), 1 + (seed % 3) as u32, seed);
        right += counts.0;
        wrong += counts.1;
    }
    assert!(right > 50 && wrong > 50, "{right} {wrong}");
}

#[test]
fn the_checker_agrees_on_runs_of_random_systems_of_numbers() {
    compare_random(threads::numbers, 0..150);
}

#[test]
fn the_checker_agrees_on_runs_of_random_systems_of_cells() {
    compare_random(threads::cells, 0..150);
}

#[test]
fn the_checker_agrees_on_runs_of_the_examples() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples/threads");
    let mut compared = 0;
    for name in
        ["broken_ticket_lock", "lost_update", "peterson_any", "foreign_unlock", "list_wrong"]
    {
        let text = std::fs::read_to_string(folder.join(format!("{name}.ser"))).expect("a text");
        let (_, wrong) = compare(name, &text, 3, 1);
        compared += wrong;
    }
    assert!(compared > 10);
}

#[test]
fn the_checker_agrees_that_nothing_compares_with_the_minimum_of_the_empty_set() {
    for formula in
        ["min(s) == 0", "!(min(s) != 0)", "max(s) < 0", "0 <= max(s)", "0 in {0} + {min(s)}"]
    {
        let text = format!(
            "var s: set of int = {{}}; set Threads  process thread for self in Threads {{ skip; }} invariant inv: {formula};"
        );
        assert_eq!(runs(&text, 1).len(), 1, "{formula}");
        compare(formula, &text, 1, 0);
        let text = format!(
            "var s: set of int = {{}}; set Threads  process thread for self in Threads {{ assert {formula}; }} invariant inv: true;"
        );
        assert_eq!(runs(&text, 1).len(), 1, "{formula}");
        compare(formula, &text, 1, 0);
    }
}
