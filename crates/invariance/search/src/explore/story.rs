//! A run in the words of the program: who does what on which line, and what changes.

use super::fault::Fault;
use super::replay::{NotARun, Replay, replay};
use super::state::State;
use ser_base::Span;
use ser_invariance_checker::run::{Cell, Run, Value};
use ser_syntax::inv::ast::{Field, GlobalId, LocId, LocalId, System};

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryStep {
    /// Who.
    pub thread: u32,
    /// From where.
    pub from: LocId,
    /// Where it is afterwards (of a fault: still there).
    pub to: LocId,
    /// The statement, on its first line.
    pub span: Span,
    /// Which path of it.
    pub path: u32,
    /// What `havoc` and `malloc` chose.
    pub chosen: Vec<Value>,
    /// What is different afterwards: globals, then locals of the thread, then cells.
    pub changes: Vec<Change>,
    /// What it must not have done.
    pub fault: Option<Fault>,
}

/// Something that a step has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What.
    pub what: Changed,
    /// Its value before the step.
    pub before: Value,
    /// Its value after it.
    pub after: Value,
}

/// What a step can change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Changed {
    /// A global variable.
    Global(GlobalId),
    /// A local variable of a thread.
    Local(u32, LocalId),
    /// A field of the cell at an address.
    Field(u32, Field),
}

/// A run, step by step.
pub fn story(system: &System, run: &Run) -> Result<Vec<StoryStep>, NotARun> {
    let Replay { states, fault } = replay(system, run)?;
    let steps = run.steps.iter().enumerate().filter_map(|(number, step)| {
        let before = states.get(number)?;
        let after = states.get(number + 1);
        let from = before.threads.get(step.thread as usize)?.location;
        let to = match after {
            Some(after) => after.threads.get(step.thread as usize)?.location,
            None => from,
        };
        Some(StoryStep {
            thread: step.thread,
            from,
            to,
            span: system.locations.get(from.0 as usize)?.span,
            path: step.path,
            chosen: step.chosen.clone(),
            changes: after.map_or_else(Vec::new, |after| changes(before, after)),
            fault: fault.filter(|_| after.is_none()),
        })
    });
    Ok(steps.collect())
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
