//! Terms, atoms and formulas of conditions, each written down once.
//!
//! Everything lives in one [`Logic`] and is spoken of by number; two things with the same number
//! are the same, and (after the normal forms that are built in) two things that look alike have the
//! same number. So "the goal is what was assumed" is a comparison of numbers. The meaning of
//! [`Term::New`] and of heap versions depends on the path that is looked at; a term is only what is
//! written.
//!
//! Numbers are machine integers. What does not fit sets a flag ([`Logic::overflowed`]), after which
//! nothing that was built may be believed.

mod atom;
mod formula;
mod term;

pub use crate::certificate::{Term, TermRef};
pub use atom::{Atom, AtomId, BoolVar, CutId, LocSetId};
pub use formula::{Formula, Node};
pub use ser_syntax::inv::ast::Field;
pub use term::Sort;
pub(crate) use term::field_scalar;

use rustc_hash::FxHashMap;
use ser_syntax::inv::ast::LocId;
use std::hash::Hash;

/// All terms, atoms and formulas.
#[derive(Debug)]
pub struct Logic {
    terms: Interner<(Term, Sort)>,
    /// How deep each term is.
    depths: Vec<u32>,
    atoms: Interner<Atom>,
    nodes: Interner<Node>,
    sets: Interner<Vec<LocId>>,
    memberships: FxHashMap<(TermRef, TermRef), Formula>,
    cuts: Interner<Vec<TermRef>>,
    deepest: u32,
    overflow: bool,
}

impl Default for Logic {
    fn default() -> Logic {
        Logic::new()
    }
}

impl Logic {
    pub fn new() -> Logic {
        let mut nodes = Interner::default();
        nodes.number(Node::And(Vec::new()));
        Logic {
            terms: Interner::default(),
            depths: Vec::new(),
            atoms: Interner::default(),
            nodes,
            sets: Interner::default(),
            memberships: FxHashMap::default(),
            cuts: Interner::default(),
            deepest: 0,
            overflow: false,
        }
    }

    /// Whether a number was too large. What is built around it is not what it should be: give up.
    pub fn overflowed(&self) -> bool {
        self.overflow
    }

    /// How deep the deepest term is.
    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    /// How many terms and nodes of formulas there are.
    pub fn size(&self) -> usize {
        self.terms.values.len() + self.nodes.values.len()
    }
}

/// Values that are known by number.
#[derive(Debug)]
struct Interner<T> {
    values: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner { values: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    fn number(&mut self, value: T) -> u32 {
        if let Some(known) = self.numbers.get(&value) {
            return *known;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    fn find(&self, value: &T) -> Option<u32> {
        self.numbers.get(value).copied()
    }
}

#[cfg(test)]
mod tests;
