//! Axioms of equality, and of fields of cells in the versions of the heap.

use super::Clauses;
use crate::certificate::TermRef;
use crate::rejection::Problem;
use crate::table::Table;
use crate::term::Sort;
use ser_syntax::inv::ast::{Field, Scalar};

/// `x = y` and `y = z` give `x = z`.
pub(super) fn transitive(table: &mut Table<'_>, [x, y, z]: [TermRef; 3]) -> Clauses {
    let (first, second, sort) = table.two(x, y)?;
    let (_, third, _) = table.two(y, z)?;
    table.two(x, z)?;
    if sort == Sort::Scalar(Scalar::Int) {
        return Err(Problem::Numbers);
    }
    let (xy, yz) = (table.equal(first, second)?, table.equal(second, third)?);
    Ok(vec![vec![!xy, !yz, table.equal(first, third)?]])
}

/// `x = y` gives `f(x) = f(y)`: fields are functions.
pub(super) fn congruent(
    table: &mut Table<'_>,
    field: Field,
    version: u32,
    cells: [TermRef; 2],
) -> Clauses {
    let version = table.version(version, &[field])?;
    let [x, y] = table.addresses(cells)?;
    let [of_x, of_y] = [x, y].map(|cell| table.read(version, field, cell));
    Ok(vec![vec![!table.equal(x, y)?, table.equal(of_x, of_y)?]])
}

/// The version was made by writing `v` to this field of `a`, or is the one before if `a` is `null`:
/// `x = a` gives `a = null` or `f(x) = v`; and if not `x = a`, then `f(x)` is what it was.
pub(super) fn read(table: &mut Table<'_>, field: Field, version: u32, x: TermRef) -> Clauses {
    let (write, before) = table.write(version, field)?;
    let x = table.address(x)?;
    let null = table.store.null();
    let [now, then] = [version, before].map(|version| table.read(version, field, x));
    let is_written = table.equal(x, write.address)?;
    let is_null = table.equal(write.address, null)?;
    let (new, old) = (table.equal(now, write.value)?, table.equal(now, then)?);
    Ok(vec![vec![!is_written, is_null, new], vec![is_written, old]])
}

/// `null.next = null` and `null.lockid = nobody`: the cell of `null` is never written. Nothing is
/// known of its data.
pub(super) fn of_null(table: &mut Table<'_>, field: Field, version: u32) -> Clauses {
    let version = table.version(version, &[field])?;
    let null = table.store.null();
    let value = match field {
        Field::Next => null,
        Field::Lockid => table.store.nobody(),
        Field::Data => return Err(Problem::DataOfNull),
    };
    let found = table.read(version, field, null);
    Ok(vec![vec![table.equal(found, value)?]])
}
