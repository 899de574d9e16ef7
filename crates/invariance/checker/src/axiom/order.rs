//! Axioms of the order of elements, and of `ordered(a, b)`.
//!
//! `ordered(a, b)`: following `next` from `a` one comes to `b`, and `.data` grows strictly from
//! each cell to the next one, up to and with the first `b`. With `R = reach[h, {b}]`, the cells of
//! this stretch are those `x` with `R(a, x)` and `R(x, b)`, in the order of `R`; they are different
//! from each other.

use super::Clauses;
use crate::certificate::TermRef;
use crate::formula::Formula;
use crate::rejection::Problem;
use crate::table::Table;
use crate::term::{TermId, TermKind};
use ser_syntax::inv::ast::{Field, Scalar};

/// `x <= y` or `y <= x`.
pub(super) fn total(table: &mut Table<'_>, elements: [TermRef; 2]) -> Clauses {
    let [x, y] = table.elements(elements)?;
    Ok(vec![vec![table.store.less_equal(x, y), table.store.less_equal(y, x)]])
}

/// `x <= y` and `y <= z` give `x <= z`.
pub(super) fn transitive(table: &mut Table<'_>, elements: [TermRef; 3]) -> Clauses {
    let [x, y, z] = table.elements(elements)?;
    let [xy, yz, xz] = [(x, y), (y, z), (x, z)].map(|(l, r)| table.store.less_equal(l, r));
    Ok(vec![vec![!xy, !yz, xz]])
}

/// `x <= y` and `y <= x` if and only if `x = y`.
pub(super) fn antisymmetric(table: &mut Table<'_>, elements: [TermRef; 2]) -> Clauses {
    let [x, y] = table.elements(elements)?;
    let (up, down) = (table.store.less_equal(x, y), table.store.less_equal(y, x));
    let equal = table.equal(x, y)?;
    Ok(vec![vec![!up, !down, equal], vec![!equal, up], vec![!equal, down]])
}

/// A stretch from `a` to `b`.
pub(super) struct Stretch<'t, 'a> {
    table: &'t mut Table<'a>,
    a: TermId,
    b: TermId,
    /// Versions, lowered for `next` and `data`, and for each of them.
    both: u32,
    next: u32,
    data: u32,
}

impl<'t, 'a> Stretch<'t, 'a> {
    pub fn new(
        table: &'t mut Table<'a>,
        version: u32,
        a: TermRef,
        b: TermRef,
    ) -> Result<Self, Problem> {
        let [a, b] = table.addresses([a, b])?;
        let both = table.version(version, &[Field::Next, Field::Data])?;
        let next = table.version(version, &[Field::Next])?;
        let data = table.version(version, &[Field::Data])?;
        Ok(Stretch { table, a, b, both, next, data })
    }

    fn is_ordered(&mut self) -> Formula {
        self.table.store.ordered(self.both, self.a, self.b)
    }

    /// `R(x, y)`.
    fn to(&mut self, x: TermId, y: TermId) -> Formula {
        self.table.store.reach(self.next, vec![self.b], x, y)
    }

    /// `x` and `y` are on the stretch, in this order.
    fn on_it(&mut self, x: TermId, y: TermId) -> [Formula; 5] {
        let (a, b) = (self.a, self.b);
        [(a, x), (x, b), (a, y), (y, b), (x, y)].map(|(from, to)| self.to(from, to))
    }

    /// `y.data <= x.data`.
    fn falls(&mut self, x: TermId, y: TermId) -> Formula {
        let [x, y] = [x, y].map(|cell| self.table.read(self.data, Field::Data, cell));
        self.table.store.less_equal(y, x)
    }

    /// If `ordered(a, b)`, then `R(a, b)`.
    pub fn reaches(mut self) -> Clauses {
        Ok(vec![vec![!self.is_ordered(), self.to(self.a, self.b)]])
    }

    /// If `ordered(a, b)`, and `x` and `y` are on the stretch in this order, then `x = y` or
    /// `x.data < y.data`.
    pub fn grows(mut self, x: TermRef, y: TermRef) -> Clauses {
        let [x, y] = self.table.addresses([x, y])?;
        let mut clause = vec![!self.is_ordered()];
        clause.extend(self.on_it(x, y).map(|on_it| !on_it));
        clause.extend([self.table.equal(x, y)?, !self.falls(x, y)]);
        Ok(vec![clause])
    }

    /// If `R(a, b)` but not `ordered(a, b)`, then the witnesses `x` and `y` are two different cells
    /// of the stretch in this order, and `y.data <= x.data`.
    pub fn not_ordered(mut self) -> Clauses {
        let (a, b, both) = (self.a, self.b, self.both);
        let x = self.table.store.scalar(TermKind::First(both, a, b), Scalar::Addr);
        let y = self.table.store.scalar(TermKind::Second(both, a, b), Scalar::Addr);
        let (is_ordered, reaches) = (self.is_ordered(), self.to(a, b));
        let mut goals = self.on_it(x, y).to_vec();
        goals.extend([!self.table.equal(x, y)?, self.falls(x, y)]);
        Ok(goals.into_iter().map(|goal| vec![is_ordered, !reaches, goal]).collect())
    }
}
