//! A run in the terms of the program: who does what on which line, and what changes.

use crate::control::Control;
use crate::interpreter::replay;
use crate::rejection::Rejection;
use crate::run::{Cell, Fault, Run, State, Value};
use ser_base::{Limits, LineIndex, Span};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Field, GlobalId, LocId, LocalId};

/// A run that was replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// One more than there are steps, or as many if the last one is a fault. Cells that are like
    /// [`Cell::default`] are left out.
    pub states: Vec<State>,
    pub steps: Vec<WitnessStep>,
}

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessStep {
    pub thread: u32,
    pub from: LocId,
    /// Where the thread is afterwards (of a fault: still there).
    pub to: LocId,
    /// The statement, on its first line.
    pub span: Span,
    /// Which path of it.
    pub path: u32,
    /// What `choose` and `malloc` chose.
    pub chosen: Vec<Value>,
    /// What is different afterwards: globals, then locals of the thread, then cells.
    pub changes: Vec<Change>,
    /// What it must not have done.
    pub fault: Option<Fault>,
}

/// Something that a step has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub what: Changed,
    pub before: Value,
    pub after: Value,
}

/// What a step can change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Changed {
    Global(GlobalId),
    /// A local variable of a thread.
    Local(u32, LocalId),
    /// A field of the cell at an address.
    Field(u32, Field),
}

/// Replays a run of a file, and tells it step by step. It has to show what it says.
pub fn witness(
    source: &str,
    system: &System,
    run: &Run,
    limits: &Limits,
) -> Result<Witness, Rejection> {
    let control = Control::new(system)?;
    let (mut states, mut fault): (Vec<State>, Option<Fault>) = (Vec::new(), None);
    replay(system, &control, &LineIndex::new(source), run, limits, &mut |seen| match seen {
        Ok(state) => {
            let mut state = state.clone();
            state.cells.retain(|_, cell| *cell != Cell::default());
            states.push(state);
        }
        Err(found) => fault = Some(found),
    })?;
    let steps = run.steps.iter().enumerate().filter_map(|(number, step)| {
        let (before, after) = (states.get(number)?, states.get(number + 1));
        let location = |state: &State| Some(state.threads.get(step.thread as usize)?.location);
        let from = location(before)?;
        Some(WitnessStep {
            thread: step.thread,
            from,
            to: after.and_then(location).unwrap_or(from),
            span: system.locations.get(from.0 as usize)?.span,
            path: step.path,
            chosen: step.chosen.clone(),
            changes: after.map_or_else(Vec::new, |after| changes(before, after)),
            fault: fault.filter(|_| after.is_none()),
        })
    });
    let steps = steps.collect();
    Ok(Witness { states, steps })
}

/// What is different between two states of one instance. Where threads stand is not told.
pub fn changes(before: &State, after: &State) -> Vec<Change> {
    let mut found = Vec::new();
    let mut compare = |what: Changed, before: Value, after: Value| {
        if before != after {
            found.push(Change { what, before, after });
        }
    };
    for (id, (old, new)) in (0..).map(GlobalId).zip(before.globals.iter().zip(&after.globals)) {
        compare(Changed::Global(id), old.clone(), new.clone());
    }
    for (thread, (old, new)) in (0..).zip(before.threads.iter().zip(&after.threads)) {
        for (id, (old, new)) in (0..).map(LocalId).zip(old.locals.iter().zip(&new.locals)) {
            compare(Changed::Local(thread, id), old.clone(), new.clone());
        }
    }
    let mut addresses: Vec<u32> = before.cells.keys().chain(after.cells.keys()).copied().collect();
    addresses.sort_unstable();
    addresses.dedup();
    for address in addresses {
        let cell = |state: &State| state.cells.get(&address).cloned().unwrap_or_default();
        let (old, new): (Cell, Cell) = (cell(before), cell(after));
        let field = |field: Field| Changed::Field(address, field);
        compare(field(Field::Next), Value::Addr(old.next), Value::Addr(new.next));
        compare(field(Field::Data), Value::Elem(old.data), Value::Elem(new.data));
        compare(field(Field::Lockid), Value::Tid(old.lockid), Value::Tid(new.lockid));
    }
    found
}
