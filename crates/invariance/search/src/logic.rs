//! Terms, atoms and formulas of conditions, each written down once.
//!
//! Everything lives in one [`Logic`] and is spoken of by number; two things with the same number
//! are the same, and (after the normal forms that are built in) two things that look alike have the
//! same number. So "the goal is what was assumed" is a comparison of numbers. The normal forms are
//! those of the text of `ser-invariance-checker`.

mod atom;
mod formula;
mod term;

pub use atom::{Atom, AtomId, BoolVar, CutId, LocSetId};
pub use formula::{Formula, Node};
pub use term::{Field, Sort, Term, TermRef};

use rustc_hash::FxHashMap;
use ser_syntax::inv::ast::LocId;

/// All terms, atoms and formulas.
#[derive(Default, Debug)]
pub struct Logic {
    terms: Vec<(Term, Sort)>,
    term_ids: FxHashMap<(Term, Sort), TermRef>,
    atoms: Vec<Atom>,
    atom_ids: FxHashMap<Atom, AtomId>,
    nodes: Vec<Node>,
    node_ids: FxHashMap<Node, u32>,
    sets: Vec<Vec<LocId>>,
    set_ids: FxHashMap<Vec<LocId>, LocSetId>,
    memberships: FxHashMap<(TermRef, TermRef), Formula>,
    cuts: Vec<Vec<TermRef>>,
    cut_ids: FxHashMap<Vec<TermRef>, CutId>,
    /// A number did not fit into a machine word: nothing that was built since has a meaning.
    overflow: bool,
}

impl Logic {
    /// Without anything.
    pub fn new() -> Logic {
        let mut logic = Logic::default();
        logic.nodes.push(Node::And(Vec::new()));
        logic.node_ids.insert(Node::And(Vec::new()), 0);
        logic
    }

    /// Whether a number was too large. What is built around it is not what it should be: give up.
    pub fn overflowed(&self) -> bool {
        self.overflow
    }

    /// How many atoms there are.
    pub fn atom_count(&self) -> usize {
        self.atoms.len()
    }
}
