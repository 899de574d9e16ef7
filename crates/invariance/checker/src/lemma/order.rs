//! Laws of the order of elements, and of `ordered(a, b)`.
//!
//! `ordered(a, b)`: following `next` from `a` one comes to `b`, and `.data` grows strictly from each cell to the next one, up to and with the first `b`. With
//! `R = reach[h, {b}]`, the cells of this stretch are those `x` with `R(a, x)` and `R(x, b)`, in the order of `R`; they are different from each other.

use super::Clause;
use crate::formula::Formula;
use crate::rejection::Problem;
use crate::table::Table;
use crate::term::{TermId, TermKind};
use crate::translate::read;
use ser_syntax::inv::ast::{Field, Scalar};

pub(super) fn total(
    table: &mut Table<'_>,
    [x, y]: [u32; 2],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let (x, y) = (table.element(x)?, table.element(y)?);
    out.push(vec![table.store.less_equal(x, y), table.store.less_equal(y, x)]);
    Ok(())
}

pub(super) fn transitive(
    table: &mut Table<'_>,
    [x, y, z]: [u32; 3],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let (x, y, z) = (table.element(x)?, table.element(y)?, table.element(z)?);
    let store = &mut *table.store;
    out.push(vec![!store.less_equal(x, y), !store.less_equal(y, z), store.less_equal(x, z)]);
    Ok(())
}

pub(super) fn antisymmetric(
    table: &mut Table<'_>,
    [x, y]: [u32; 2],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let (x, y) = (table.element(x)?, table.element(y)?);
    let store = &mut *table.store;
    let (up, down, equal) = (store.less_equal(x, y), store.less_equal(y, x), store.equal(x, y)?);
    out.push(vec![!up, !down, equal]);
    out.push(vec![!equal, up]);
    out.push(vec![!equal, down]);
    Ok(())
}

/// A stretch from `a` to `b`.
struct Stretch {
    a: TermId,
    b: TermId,
    /// Versions, lowered for `next` and `data`, and for each of them.
    both: u32,
    next: u32,
    data: u32,
}

impl Stretch {
    fn new(table: &mut Table<'_>, version: u32, [a, b]: [u32; 2]) -> Result<Stretch, Problem> {
        Ok(Stretch {
            a: table.address(a)?,
            b: table.address(b)?,
            both: table.version(version, &[Field::Next, Field::Data])?,
            next: table.version(version, &[Field::Next])?,
            data: table.version(version, &[Field::Data])?,
        })
    }

    fn is_ordered(&self, table: &mut Table<'_>) -> Formula {
        table.store.ordered(self.both, self.a, self.b)
    }

    fn reaches(&self, table: &mut Table<'_>, x: TermId, y: TermId) -> Formula {
        table.store.reach(self.next, vec![self.b], x, y)
    }

    /// `le(y.data, x.data)`.
    fn falls(&self, table: &mut Table<'_>, x: TermId, y: TermId) -> Formula {
        let store = &mut *table.store;
        let (of_x, of_y) =
            (read(store, self.data, Field::Data, x), read(store, self.data, Field::Data, y));
        store.less_equal(of_y, of_x)
    }
}

pub(super) fn reaches(
    table: &mut Table<'_>,
    version: u32,
    ends: [u32; 2],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let stretch = Stretch::new(table, version, ends)?;
    let (a, b) = (stretch.a, stretch.b);
    out.push(vec![!stretch.is_ordered(table), stretch.reaches(table, a, b)]);
    Ok(())
}

pub(super) fn grows(
    table: &mut Table<'_>,
    version: u32,
    [a, b, x, y]: [u32; 4],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let stretch = Stretch::new(table, version, [a, b])?;
    let (x, y) = (table.address(x)?, table.address(y)?);
    let (a, b) = (stretch.a, stretch.b);
    let mut clause = vec![!stretch.is_ordered(table)];
    for (from, to) in [(a, x), (x, b), (a, y), (y, b), (x, y)] {
        clause.push(!stretch.reaches(table, from, to));
    }
    clause.push(table.store.equal(x, y)?);
    clause.push(!stretch.falls(table, x, y));
    out.push(clause);
    Ok(())
}

pub(super) fn not_ordered(
    table: &mut Table<'_>,
    version: u32,
    ends: [u32; 2],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let stretch = Stretch::new(table, version, ends)?;
    let (a, b, both) = (stretch.a, stretch.b, stretch.both);
    let x = table.store.scalar(TermKind::First(both, a, b), Scalar::Addr);
    let y = table.store.scalar(TermKind::Second(both, a, b), Scalar::Addr);
    let (is_ordered, reaches) = (stretch.is_ordered(table), stretch.reaches(table, a, b));
    for (from, to) in [(a, x), (x, b), (a, y), (y, b), (x, y)] {
        out.push(vec![is_ordered, !reaches, stretch.reaches(table, from, to)]);
    }
    out.push(vec![is_ordered, !reaches, !table.store.equal(x, y)?]);
    out.push(vec![is_ordered, !reaches, stretch.falls(table, x, y)]);
    Ok(())
}
