//! From a solution to a concrete state: the smallest one that it describes.
//!
//! Nothing here is believed: the state is evaluated ([`crate::explore`]) before anybody sees it.

mod concrete;

pub use concrete::Model;

use crate::decide::Solution;
use crate::logic::Atom;
use crate::steps::Steps;
use ser_invariance_checker::environment::Value as Symbolic;
use ser_invariance_checker::run::{State, ThreadState, Value};
use ser_syntax::inv::ast::LocId;
use std::collections::BTreeMap;

/// The state before a step that a solution describes, and what `choose` and `malloc` choose in the
/// step. `here` is where the mover is.
pub fn state(
    steps: &mut Steps<'_>,
    solution: &Solution,
    blocks: u32,
    here: Option<(u32, LocId)>,
    chosen: &[Symbolic],
) -> (State, Vec<Value>) {
    let (globals, locals) = steps.variables(blocks);
    let logic = &steps.logic;
    let model = Model::new(logic, solution, blocks);
    let value = |value: &Symbolic| match value {
        Symbolic::Term(t) => model.value(*t),
        Symbolic::Formula(f) => Value::Bool(solution.holds(logic, *f)),
    };
    let thread = |(block, locals): (u32, &Vec<Symbolic>)| ThreadState {
        location: match here {
            Some((mover, location)) if mover == block => location,
            _ => {
                let possible = solution.places.get(block as usize);
                possible.and_then(|it| it.first()).copied().unwrap_or(LocId(0))
            }
        },
        locals: locals.iter().map(value).collect(),
        sites: BTreeMap::new(),
    };
    let mut threads: Vec<ThreadState> = (0..).zip(&locals).map(thread).collect();
    for (id, value) in &solution.atoms {
        if let (Atom::Site(procedure, block, call), true) = (logic.atom(*id), value)
            && let Some(thread) = threads.get_mut(*block as usize)
        {
            thread.sites.insert(*procedure, *call);
        }
    }
    let globals = globals.iter().map(value).collect();
    let state = State { globals, threads, cells: model.first_heap().clone() };
    (state, chosen.iter().map(value).collect())
}
