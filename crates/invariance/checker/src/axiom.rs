//! The axioms: each lemma of a certificate is an instantiation of one, and becomes clauses here.
//! One function per axiom.
//!
//! A *model* of a case has values for all variables before the step and for everything that is
//! chosen, and a heap for each version: three total functions `next`, `data`, `lockid` on
//! addresses, with `null.next = null` and `null.lockid = nobody`. The heap after a write differs
//! from the one before in one field of one address that is not `null`. There may be infinitely many
//! addresses, and cycles. Sets of numbers are finite. Witness terms are values as their axioms want
//! them.
//!
//! *Every* clause that comes from here is true in every model. This alone makes proofs sound, and
//! is tested by drawing models at random (`axiom/tests.rs`). Whoever looks for a proof instantiates
//! the same axioms; a lemma that makes no sense is refused here, whoever made it.

mod equality;
mod order;
mod reach;
mod sets;

use crate::certificate::{Lemma, TermRef};
use crate::environment::{Heap, Write};
use crate::logic::{Field, Formula, Logic, Sort};
use crate::rejection::Problem;
use order::Stretch;
use reach::Reach;
use ser_syntax::inv::ast::Scalar;
use std::collections::BTreeMap;

pub type Clause = Vec<Formula>;

/// The clauses of an instantiation, or what is wrong with it.
type Clauses = Result<Vec<Clause>, Problem>;

/// Instantiates axioms on a path.
pub struct Axioms<'a> {
    pub logic: &'a mut Logic,
    /// The heap versions of the path.
    pub heap: &'a Heap,
}

impl Axioms<'_> {
    /// The clauses of a lemma over the terms of the logic.
    pub fn clauses(&mut self, lemma: &Lemma) -> Clauses {
        use Lemma as L;
        match lemma {
            L::Transitive(x, y, z) => equality::transitive(self, [*x, *y, *z]),
            L::Congruent(field, h, x, y) => equality::congruent(self, *field, *h, [*x, *y]),
            L::Read(field, h, x) => equality::read(self, *field, *h, *x),
            L::OfNull(field, h) => equality::of_null(self, *field, *h),

            L::Total(x, y) => order::total(self, [*x, *y]),
            L::LeTransitive(x, y, z) => order::transitive(self, [*x, *y, *z]),
            L::Antisymmetric(x, y) => order::antisymmetric(self, [*x, *y]),
            L::Farkas(forms) => self.farkas(forms),
            L::Split(form) => {
                let atom = self.not_negative(*form)?;
                Ok(vec![vec![atom, !atom]])
            }

            L::Same(s, t, u) => sets::same(self, *s, *t, *u),
            L::NotSame(s, t) => sets::not_same(self, *s, *t),
            L::Subset(s, t, u) => sets::subset(self, *s, *t, *u),
            L::NotSubset(s, t) => sets::not_subset(self, *s, *t),
            L::Member(u, v, s) => sets::member(self, *u, *v, *s),
            L::Some(s, u) => sets::some(self, *s, *u),
            L::Extreme(s) => sets::extreme(self, *s),
            L::Least(s, u) => sets::least(self, *s, *u),
            L::ElemOf(h, s, a) => sets::element_of(self, *h, *s, *a),
            L::Carrier(h, s, e) => sets::carrier(self, *h, *s, *e),

            L::ReachEqual(h, cut, x, y) => Reach::new(self, *h, cut)?.equal(*x, *y),
            L::ReachTransitive(h, cut, x, y, z) => {
                Reach::new(self, *h, cut)?.transitive([*x, *y, *z])
            }
            L::ReachLinear(h, cut, x, y, z) => Reach::new(self, *h, cut)?.linear([*x, *y, *z]),
            L::ReachStep(h, cut, x) => Reach::new(self, *h, cut)?.step(*x),
            L::ReachUnfold(h, cut, x, y) => Reach::new(self, *h, cut)?.unfold(*x, *y),
            L::ReachCycle(h, cut, x, y, z) => Reach::new(self, *h, cut)?.cycle([*x, *y, *z]),
            L::ReachPredecessor(h, cut, x, y) => Reach::new(self, *h, cut)?.predecessor(*x, *y),
            L::ReachLoop(h, cut, cells, y) => Reach::new(self, *h, cut)?.around(cells, *y),
            L::ReachCut(h, cut, u, x, y) => Reach::new(self, *h, cut)?.cut([*u, *x, *y]),
            L::ReachWrite(h, cut, x, y) => Reach::new(self, *h, cut)?.write(*h, *x, *y),

            L::OrderedReaches(h, a, b) => Stretch::new(self, *h, *a, *b)?.reaches(),
            L::OrderedGrows(h, a, b, x, y) => Stretch::new(self, *h, *a, *b)?.grows(*x, *y),
            L::NotOrdered(h, a, b) => Stretch::new(self, *h, *a, *b)?.not_ordered(),
        }
    }

    /// Forms that are all at least 0 have a sum that is, with multipliers that are: but it is below
    /// 0.
    fn farkas(&mut self, forms: &[(TermRef, u64)]) -> Clauses {
        let (mut constant, mut parts) = (0_i128, BTreeMap::<TermRef, i128>::new());
        let mut clause = Clause::new();
        for (form, factor) in forms {
            let add = |sum: &mut i128, number: i64| {
                let product = i128::from(*factor).checked_mul(i128::from(number));
                *sum = product.and_then(|it| sum.checked_add(it)).ok_or(Problem::Overflow)?;
                Ok(())
            };
            clause.push(!self.not_negative(*form)?);
            let (number, more) = self.logic.linear(*form);
            add(&mut constant, number)?;
            for (coefficient, part) in more {
                add(parts.entry(part).or_default(), coefficient)?;
            }
        }
        match constant < 0 && parts.values().all(|it| *it == 0) {
            true => Ok(vec![clause]),
            false => Err(Problem::NoContradiction),
        }
    }

    /// `form >= 0`.
    fn not_negative(&mut self, form: TermRef) -> Result<Formula, Problem> {
        self.scalar(form, Scalar::Int)?;
        Ok(self.logic.not_negative(form))
    }

    /// A heap version, lowered.
    pub(crate) fn version(&self, version: u32, fields: &[Field]) -> Result<u32, Problem> {
        match version > self.heap.version() {
            true => Err(Problem::NoVersion { version }),
            false => Ok(self.heap.lowered(version, fields)),
        }
    }

    /// The write of this field that made a heap version, and the version before it, lowered.
    fn write(&self, version: u32, field: Field) -> Result<(Write, u32), Problem> {
        let lowered = self.version(version, &[field])?;
        match self.heap.write(version) {
            Some(write) if write.field == field && lowered == version => {
                Ok((*write, self.version(version - 1, &[field])?))
            }
            _ => Err(Problem::NoWrite { version }),
        }
    }

    /// Whether a term has a scalar type.
    pub(crate) fn scalar(&self, term: TermRef, of: Scalar) -> Result<(), Problem> {
        let wanted = match of {
            Scalar::Int => "a number",
            Scalar::Tid => "a thread",
            Scalar::Addr => "an address",
            Scalar::Elem => "an element",
        };
        match self.logic.sort(term) == Sort::One(of) {
            true => Ok(()),
            false => Err(Problem::Sort { term, wanted }),
        }
    }

    pub(crate) fn addresses(&self, terms: &[TermRef]) -> Result<(), Problem> {
        terms.iter().try_for_each(|term| self.scalar(*term, Scalar::Addr))
    }

    fn elements(&self, terms: &[TermRef]) -> Result<(), Problem> {
        terms.iter().try_for_each(|term| self.scalar(*term, Scalar::Elem))
    }

    /// Whether a term is a set of elements of this type.
    pub(crate) fn set_of(&self, term: TermRef, of: Scalar) -> Result<(), Problem> {
        let wanted = match of {
            Scalar::Int => "a set of numbers",
            Scalar::Tid => "a set of threads",
            Scalar::Addr => "a set of addresses",
            Scalar::Elem => "a set of elements",
        };
        match self.logic.sort(term).with(Sort::Many(Some(of))) {
            Some(_) => Ok(()),
            None => Err(Problem::Sort { term, wanted }),
        }
    }

    /// Whether a term is a set, and another of the type of its elements.
    fn set_and_element(&self, set: TermRef, element: TermRef) -> Result<(), Problem> {
        match (self.logic.sort(set), self.logic.sort(element)) {
            (Sort::One(_), _) => Err(Problem::Sort { term: set, wanted: "a set" }),
            (Sort::Many(of), Sort::One(scalar)) if of.is_none_or(|of| of == scalar) => Ok(()),
            _ => Err(Problem::OtherSort { first: set, second: element }),
        }
    }

    /// The sort of two terms, which have the same.
    fn two(&self, first: TermRef, second: TermRef) -> Result<Sort, Problem> {
        let both = self.logic.sort(first).with(self.logic.sort(second));
        both.ok_or(Problem::OtherSort { first, second })
    }

    /// The sort of two sets.
    pub(crate) fn two_sets(&self, first: TermRef, second: TermRef) -> Result<Sort, Problem> {
        match self.logic.sort(first) {
            Sort::One(_) => Err(Problem::Sort { term: first, wanted: "a set" }),
            Sort::Many(_) => self.two(first, second),
        }
    }

    /// Whether two terms are sets, and a third of the type of their elements.
    fn two_sets_and_element(&self, s: TermRef, t: TermRef, u: TermRef) -> Result<(), Problem> {
        self.two_sets(s, t)?;
        self.set_and_element(t, u)?;
        self.set_and_element(s, u)
    }

    /// The type of the elements of two sets. If both are made of `{}` alone, what they do not
    /// contain may be of any type.
    pub(crate) fn element_of(&self, s: TermRef, t: TermRef) -> Result<Scalar, Problem> {
        match self.two_sets(s, t)? {
            Sort::Many(Some(of)) | Sort::One(of) => Ok(of),
            Sort::Many(None) => Ok(Scalar::Int),
        }
    }
}

#[cfg(test)]
mod tests;
