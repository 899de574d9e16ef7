//! What no axiom says, but a search for models may assume as long as there is a solution with it.
//!
//! Two things make models simpler, or like those of runs:
//!
//! * the element of `null` is neither the lowest nor the highest (in runs it is always the same
//!   one, between them);
//! * a witness that no axiom asks for is `null`. The carrier of an element in a set of cells is a
//!   cell only if the element is among those of the set; else it may be any address, so every model
//!   can be changed into one in which it is `null`. Without this, a carrier that nobody needs has
//!   an element that may be said to be in a set for no reason, which asks for a carrier again, and
//!   so on without end.
//!
//! Both are assumptions of the solver, each with a variable of its own. If they leave no solution,
//! those that were needed for that are given up, and the search goes on without: so nothing that is
//! said to be valid depends on them, and no proof mentions them.

use super::ground::Ground;
use crate::logic::{Field, Logic, Sort, Term, TermRef};
use rustc_hash::FxHashSet;
use ser_invariance_checker::Lemma;
use ser_sat::Lit;
use ser_syntax::inv::ast::Scalar;

/// The assumptions of a search.
#[derive(Debug, Default)]
pub struct Assumed {
    lits: Vec<Lit>,
    /// Whether the element of `null` was spoken of.
    null: bool,
    /// Witnesses that were spoken of.
    idle: FxHashSet<TermRef>,
}

impl Assumed {
    /// What is assumed now.
    pub fn lits(&self) -> &[Lit] {
        &self.lits
    }

    /// Gives up what there is no solution with; whether there was any of it.
    pub fn give_up(&mut self, core: &[Lit]) -> bool {
        let before = self.lits.len();
        self.lits.retain(|lit| !core.contains(lit));
        self.lits.len() < before
    }

    /// From now on, the element of `null` is neither the lowest nor the highest; whether this was
    /// new.
    pub fn null_is_usual(&mut self, ground: &mut Ground<'_>) -> bool {
        if self.null {
            return false;
        }
        self.null = true;
        let null = ground.logic.null();
        let data = ground.logic.read(Field::Data, 0, null);
        let ends = [Term::Lowest, Term::Highest].map(|end| {
            let end = ground.logic.mk(end, Sort::One(Scalar::Elem));
            !ground.logic.equal(data, end)
        });
        self.lits.push(ground.assert_if(&ends));
        true
    }

    /// If an axiom asks for a carrier of the element of a carrier: the latter is `null` unless it
    /// is needed.
    pub fn idle(&mut self, ground: &mut Ground<'_>, lemma: &Lemma) {
        let Lemma::Carrier(_, _, e) = lemma else { return };
        let Some((carrier, heap, s, e)) = carrier_of(ground.logic, *e) else { return };
        if self.idle.insert(carrier) {
            let elems = ground.logic.set(Term::Elems(heap, s), Scalar::Elem);
            let needed = ground.logic.member(e, elems);
            let null = ground.logic.null();
            let idle = ground.logic.equal(carrier, null);
            let either = ground.logic.or([needed, idle]);
            self.lits.push(ground.assert_if(&[either]));
        }
    }
}

/// The carrier whose element this is, and of what it is one.
fn carrier_of(logic: &Logic, data: TermRef) -> Option<(TermRef, u32, TermRef, TermRef)> {
    let Term::Data(_, carrier) = *logic.term(data) else { return None };
    match *logic.term(carrier) {
        Term::Carrier(heap, s, e) => Some((carrier, heap, s, e)),
        _ => None,
    }
}
