//! From a solution to a concrete state: the smallest one that it describes.
//!
//! Nothing here is believed: the state is evaluated ([`crate::explore`]) before anybody sees it.

mod concrete;

pub use concrete::Model;

use crate::decide::Solution;
use crate::environment::{Environment, Value as Symbolic};
use crate::logic::{Atom, Logic};
use ser_invariance_checker::run::{Cell, Value};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{GlobalId, LocId, LocalId, ProcId};
use std::collections::BTreeMap;

/// A state of some threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    pub globals: Vec<Value>,
    /// Of each thread, its locals.
    pub locals: Vec<Vec<Value>>,
    /// Where each thread is.
    pub at: Vec<LocId>,
    /// From where each thread has called a procedure, as far as it matters.
    pub sites: Vec<BTreeMap<ProcId, LocId>>,
    /// The cells that are mentioned.
    pub cells: BTreeMap<u32, Cell>,
    /// What `havoc` and `malloc` choose in the step.
    pub chosen: Vec<Value>,
}

/// Makes a state. `here` is where the mover is.
pub fn snapshot(
    system: &System,
    logic: &mut Logic,
    solution: &Solution,
    blocks: u32,
    here: Option<(u32, LocId)>,
    chosen: &[Symbolic],
) -> Snapshot {
    let before = Environment::before(system, logic, blocks);
    let model = Model::new(logic, solution, blocks);
    let value = |value: &Symbolic| match value {
        Symbolic::Term(t) => model.value(*t),
        Symbolic::Formula(f) => Value::Bool(solution.holds(logic, *f)),
    };
    let globals = (0..system.globals.len() as u32).map(|it| value(&before.global(GlobalId(it))));
    let locals = (0..blocks).map(|block| {
        let locals = 0..system.locals.len() as u32;
        locals.map(|it| value(&before.local(LocalId(it), block))).collect()
    });
    let at = (0..blocks).map(|block| match here {
        Some((mover, location)) if mover == block => location,
        _ => {
            let possible = solution.places.get(block as usize);
            possible.and_then(|it| it.first()).copied().unwrap_or(LocId(0))
        }
    });
    let mut sites = vec![BTreeMap::new(); blocks as usize];
    for (id, value) in &solution.atoms {
        if let (Atom::Site(procedure, block, call), true) = (logic.atom(*id), value)
            && let Some(sites) = sites.get_mut(*block as usize)
        {
            sites.insert(*procedure, *call);
        }
    }
    Snapshot {
        globals: globals.collect(),
        locals: locals.collect(),
        at: at.collect(),
        sites,
        cells: model.first_heap().clone(),
        chosen: chosen.iter().map(value).collect(),
    }
}
