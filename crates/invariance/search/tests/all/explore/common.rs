//! Reading and exploring.

use ser_base::Limits;
use ser_invariance_checker::run::{Run, RunStep, Shows, Value};
use ser_invariance_search::explore::{
    Bounds, Explored, Explorer, Fault, NotEnabled, State, ThreadState, apply, explore, holds,
    is_start,
};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{GlobalId, InvId};
use std::collections::{BTreeMap, BTreeSet};

/// A system that has no mistakes.
pub fn system(text: &str) -> System {
    let parse = ser_syntax::inv::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    parse.system
}

/// Bounds for small tests.
pub fn threads(threads: u32) -> Bounds {
    Bounds { threads, states: 20_000, cells: 3, ..Bounds::default() }
}

pub fn explored(text: &str, count: u32) -> Explored {
    explore(&system(text), &threads(count), &Limits::default())
}

/// The names of the invariants that are violated.
pub fn violated(system: &System, explored: &Explored) -> Vec<String> {
    let name = |id: InvId| system.invariants[id.0 as usize].name.text.clone();
    explored.violations.iter().map(|violation| name(violation.invariant)).collect()
}

/// All values that a global has in some state.
pub fn values(text: &str, global: &str, count: u32) -> BTreeSet<Value> {
    let system = system(text);
    let place = system.globals.iter().position(|known| known.name.text == global);
    let id = GlobalId(place.expect("a global of this name") as u32);
    let mut explorer = Explorer::new(&system, &threads(count));
    let explored = explorer.run(&Limits::default());
    assert!(explored.stopped.is_none(), "{:?}", explored.stopped);
    let mut values = BTreeSet::new();
    explorer.for_each_state(|view| {
        values.insert(view.state().globals[id.0 as usize].clone());
    });
    values
}

/// The values of a global of type `int`.
pub fn ints(text: &str, global: &str, count: u32) -> Vec<i64> {
    let values = values(text, global, count).into_iter();
    values
        .filter_map(|value| if let Value::Int(value) = value { Some(value) } else { None })
        .collect()
}

/// Why something is no run.
#[derive(PartialEq, Eq, Debug)]
pub enum NotARun {
    Threads,
    NoSuchThread,
    NotInitial,
    Step { step: usize, why: NotEnabled },
    ShowsNothing,
}

/// The states of a run, and the fault of its last step.
#[derive(PartialEq, Eq, Debug)]
pub struct Replay {
    pub states: Vec<State>,
    pub fault: Option<Fault>,
}

/// The first state of a run, whether or not the system may start like that.
pub fn first_state(system: &System, run: &Run) -> Result<State, NotARun> {
    let fits = run.threads as usize == run.locals.len();
    if run.threads == 0 || !fits || system.threads.is_some_and(|fixed| fixed != run.threads) {
        return Err(NotARun::Threads);
    }
    let location = system.procedures[0].body[0].location;
    let threads = run.locals.iter().map(|locals| ThreadState {
        location,
        locals: locals.clone(),
        sites: BTreeMap::new(),
    });
    let (globals, threads) = (run.globals.clone(), threads.collect());
    Ok(State { globals, threads, cells: run.cells.clone() })
}

/// Goes through a run by the explorer's interpreter, which shares nothing with that of the checker.
pub fn replay(system: &System, run: &Run) -> Result<Replay, NotARun> {
    let first = first_state(system, run)?;
    let is_thread = |thread: &Option<u32>| thread.is_none_or(|thread| thread < run.threads);
    let is_fine = |value: &Value| match value {
        Value::Tid(thread) => is_thread(thread),
        Value::Set(members) => members.iter().all(|it| match it {
            Value::Tid(thread) => is_thread(thread),
            _ => true,
        }),
        _ => true,
    };
    let chosen = run.steps.iter().flat_map(|step| &step.chosen);
    let mut values = run.globals.iter().chain(run.locals.iter().flatten()).chain(chosen);
    if !values.all(is_fine) || !run.cells.values().all(|cell| is_thread(&cell.lockid)) {
        return Err(NotARun::NoSuchThread);
    }
    if !is_start(system, &first) {
        return Err(NotARun::NotInitial);
    }
    let (mut states, mut fault) = (vec![first], None);
    for (step, RunStep { thread, path, chosen }) in run.steps.iter().enumerate() {
        let is_last = step + 1 == run.steps.len();
        match apply(system, &states[step], *thread, *path, chosen) {
            Ok(next) => states.push(next),
            Err(NotEnabled::Fault(found)) if is_last && run.shows == Shows::Error => {
                fault = Some(found);
            }
            Err(why) => return Err(NotARun::Step { step, why }),
        }
    }
    let is_shown = match &run.shows {
        Shows::Error => fault.is_some(),
        Shows::Waits { .. } => false,
        Shows::Violated { invariant, threads } => {
            let id = system.invariants.iter().position(|it| it.name.text == *invariant);
            let last = &states[states.len() - 1];
            let violates = |id| matches!(holds(system, last, InvId(id), threads), Ok(Err(_)));
            let fits = threads.iter().all(|thread| *thread < run.threads);
            fits && id.is_some_and(|id| violates(id as u32))
        }
    };
    if is_shown { Ok(Replay { states, fault }) } else { Err(NotARun::ShowsNothing) }
}
