//! Reading and exploring.

use ser_base::Limits;
use ser_invariance_checker::run::Value;
use ser_invariance_search::explore::{Bounds, Explored, Explorer, explore};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{GlobalId, InvId};
use std::collections::BTreeSet;

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
