//! Axioms of the order of elements, and of `ordered(a, b)`.
//!
//! `ordered(a, b)`: following `next` from `a` one comes to `b`, and `.data` grows strictly from
//! each cell to the next one, up to and with the first `b`. With `R = reach[h, {b}]`, the cells of
//! this stretch are those `x` with `R(a, x)` and `R(x, b)`, in the order of `R`; they are different
//! from each other.

use super::{Axioms, Clauses};
use crate::certificate::{Term, TermRef};
use crate::logic::{Field, Formula};
use crate::rejection::Problem;
use ser_syntax::inv::ast::Scalar;

/// `x <= y` or `y <= x`.
pub(super) fn total(axioms: &mut Axioms<'_>, [x, y]: [TermRef; 2]) -> Clauses {
    axioms.elements(&[x, y])?;
    Ok(vec![vec![axioms.logic.le(x, y), axioms.logic.le(y, x)]])
}

/// `x <= y` and `y <= z` give `x <= z`.
pub(super) fn transitive(axioms: &mut Axioms<'_>, [x, y, z]: [TermRef; 3]) -> Clauses {
    axioms.elements(&[x, y, z])?;
    let [xy, yz, xz] = [(x, y), (y, z), (x, z)].map(|(l, r)| axioms.logic.le(l, r));
    Ok(vec![vec![!xy, !yz, xz]])
}

/// `x <= y` and `y <= x` if and only if `x = y`.
pub(super) fn antisymmetric(axioms: &mut Axioms<'_>, [x, y]: [TermRef; 2]) -> Clauses {
    axioms.elements(&[x, y])?;
    let logic = &mut *axioms.logic;
    let (up, down, equal) = (logic.le(x, y), logic.le(y, x), logic.equal(x, y));
    Ok(vec![vec![!up, !down, equal], vec![!equal, up], vec![!equal, down]])
}

/// A stretch from `a` to `b`.
pub(super) struct Stretch<'t, 'a> {
    axioms: &'t mut Axioms<'a>,
    a: TermRef,
    b: TermRef,
    /// Versions, lowered for `next` and `data`, and for each of them.
    both: u32,
    next: u32,
    data: u32,
}

impl<'t, 'a> Stretch<'t, 'a> {
    pub fn new(
        axioms: &'t mut Axioms<'a>,
        version: u32,
        a: TermRef,
        b: TermRef,
    ) -> Result<Self, Problem> {
        axioms.addresses(&[a, b])?;
        let both = axioms.version(version, &[Field::Next, Field::Data])?;
        let next = axioms.version(version, &[Field::Next])?;
        let data = axioms.version(version, &[Field::Data])?;
        Ok(Stretch { axioms, a, b, both, next, data })
    }

    fn is_ordered(&mut self) -> Formula {
        self.axioms.logic.ordered(self.both, self.a, self.b)
    }

    /// `R(x, y)`.
    fn to(&mut self, x: TermRef, y: TermRef) -> Formula {
        let cut = self.axioms.logic.cut_id(&[self.b]);
        self.axioms.logic.reach(self.next, cut, x, y)
    }

    /// `x` and `y` are on the stretch, in this order.
    fn on_it(&mut self, x: TermRef, y: TermRef) -> [Formula; 5] {
        let (a, b) = (self.a, self.b);
        [(a, x), (x, b), (a, y), (y, b), (x, y)].map(|(from, to)| self.to(from, to))
    }

    /// `y.data <= x.data`.
    fn falls(&mut self, x: TermRef, y: TermRef) -> Formula {
        let logic = &mut *self.axioms.logic;
        let [x, y] = [x, y].map(|cell| logic.read(Field::Data, self.data, cell));
        logic.le(y, x)
    }

    /// If `ordered(a, b)`, then `R(a, b)`.
    pub fn reaches(mut self) -> Clauses {
        Ok(vec![vec![!self.is_ordered(), self.to(self.a, self.b)]])
    }

    /// If `ordered(a, b)`, and `x` and `y` are on the stretch in this order, then `x = y` or
    /// `x.data < y.data`.
    pub fn grows(mut self, x: TermRef, y: TermRef) -> Clauses {
        self.axioms.addresses(&[x, y])?;
        let mut clause = vec![!self.is_ordered()];
        clause.extend(self.on_it(x, y).map(|on_it| !on_it));
        clause.extend([self.axioms.logic.equal(x, y), !self.falls(x, y)]);
        Ok(vec![clause])
    }

    /// If `R(a, b)` but not `ordered(a, b)`, then the witnesses `x` and `y` are two different cells
    /// of the stretch in this order, and `y.data <= x.data`.
    pub fn not_ordered(mut self) -> Clauses {
        let (a, b, both) = (self.a, self.b, self.both);
        let is_ordered = self.is_ordered();
        let [x, y] = [Term::First(both, a, b), Term::Second(both, a, b)]
            .map(|witness| self.axioms.logic.scalar(witness, Scalar::Addr));
        let reaches = self.to(a, b);
        let mut goals = self.on_it(x, y).to_vec();
        goals.extend([!self.axioms.logic.equal(x, y), self.falls(x, y)]);
        Ok(goals.into_iter().map(|goal| vec![is_ordered, !reaches, goal]).collect())
    }
}
