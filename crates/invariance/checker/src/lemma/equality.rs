//! Laws of equality, and of fields of cells in the versions of the heap.

use super::Clause;
use crate::rejection::Problem;
use crate::table::Table;
use crate::term::Sort;
use crate::translate::read as field_of;
use ser_syntax::inv::ast::{Field, Scalar};

/// `x = y` and `y = z` give `x = z`.
pub(super) fn transitive(
    table: &mut Table<'_>,
    [x, y, z]: [u32; 3],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let (first, second, sort) = table.two(x, y)?;
    let (_, third, _) = table.two(y, z)?;
    table.two(x, z)?;
    if sort == Sort::Scalar(Scalar::Int) {
        return Err(Problem::Numbers);
    }
    let store = &mut *table.store;
    let (xy, yz) = (store.equal(first, second)?, store.equal(second, third)?);
    out.push(vec![!xy, !yz, store.equal(first, third)?]);
    Ok(())
}

/// Equal cells have equal fields: fields are functions.
pub(super) fn congruent(
    table: &mut Table<'_>,
    field: Field,
    version: u32,
    [x, y]: [u32; 2],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let version = table.version(version, &[field])?;
    let (x, y) = (table.address(x)?, table.address(y)?);
    let store = &mut *table.store;
    let (fx, fy) = (field_of(store, version, field, x), field_of(store, version, field, y));
    out.push(vec![!store.equal(x, y)?, store.equal(fx, fy)?]);
    Ok(())
}

/// The version was made by writing `v` to this field of `a`, or is the one before if `a` is `null`. So `x = a` gives `a = null` or `f(x) = v`; and if not `x = a`,
/// `f(x)` is what it was.
pub(super) fn read(
    table: &mut Table<'_>,
    field: Field,
    version: u32,
    x: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let lowered = table.version(version, &[field])?;
    let write = match table.heap.write(version) {
        Some(write) if write.field == field && lowered == version => *write,
        _ => return Err(Problem::NoWrite { version }),
    };
    let before = table.version(version - 1, &[field])?;
    let x = table.address(x)?;
    let store = &mut *table.store;
    let null = store.null();
    let (now, then) = (field_of(store, version, field, x), field_of(store, before, field, x));
    let is_written = store.equal(x, write.address)?;
    let is_null = store.equal(write.address, null)?;
    out.push(vec![!is_written, is_null, store.equal(now, write.value)?]);
    out.push(vec![is_written, store.equal(now, then)?]);
    Ok(())
}

/// The cell of `null` is never written; nothing is known of its data.
pub(super) fn of_null(
    table: &mut Table<'_>,
    field: Field,
    version: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let version = table.version(version, &[field])?;
    let store = &mut *table.store;
    let null = store.null();
    let value = match field {
        Field::Next => null,
        Field::Lockid => store.nobody(),
        Field::Data => return Err(Problem::DataOfNull),
    };
    let found = field_of(store, version, field, null);
    out.push(vec![store.equal(found, value)?]);
    Ok(())
}
