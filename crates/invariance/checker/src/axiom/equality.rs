//! Axioms of equality, and of fields of cells in the versions of the heap.

use super::{Axioms, Clauses};
use crate::certificate::TermRef;
use crate::logic::{Field, Sort};
use crate::rejection::Problem;
use ser_syntax::inv::ast::Scalar;

/// `x = y` and `y = z` give `x = z`.
pub(super) fn transitive(axioms: &mut Axioms<'_>, [x, y, z]: [TermRef; 3]) -> Clauses {
    axioms.two(y, z)?;
    axioms.two(x, z)?;
    if axioms.two(x, y)? == Sort::One(Scalar::Int) {
        return Err(Problem::Numbers);
    }
    let [xy, yz, xz] = [(x, y), (y, z), (x, z)].map(|(l, r)| axioms.logic.equal(l, r));
    Ok(vec![vec![!xy, !yz, xz]])
}

/// `x = y` gives `f(x) = f(y)`: fields are functions.
pub(super) fn congruent(
    axioms: &mut Axioms<'_>,
    field: Field,
    version: u32,
    [x, y]: [TermRef; 2],
) -> Clauses {
    let version = axioms.version(version, &[field])?;
    axioms.addresses(&[x, y])?;
    let logic = &mut *axioms.logic;
    let [of_x, of_y] = [x, y].map(|cell| logic.read(field, version, cell));
    Ok(vec![vec![!logic.equal(x, y), logic.equal(of_x, of_y)]])
}

/// The version was made by writing `v` to this field of `a`, or is the one before if `a` is `null`:
/// `x = a` gives `a = null` or `f(x) = v`; and if not `x = a`, then `f(x)` is what it was. (That
/// nobody writes to `null` has to be shown.)
pub(super) fn read(axioms: &mut Axioms<'_>, field: Field, version: u32, x: TermRef) -> Clauses {
    let (write, before) = axioms.write(version, field)?;
    axioms.addresses(&[x])?;
    let logic = &mut *axioms.logic;
    let [now, then] = [version, before].map(|version| logic.read(field, version, x));
    let is_written = logic.equal(x, write.address);
    let (new, old) = (logic.equal(now, write.value), logic.equal(now, then));
    let null = logic.null();
    let is_null = logic.equal(write.address, null);
    Ok(vec![vec![!is_written, is_null, new], vec![is_written, old]])
}

/// `null.next = null` and `null.lockid = nobody`: the cell of `null` is never written. Nothing is
/// known of its data.
pub(super) fn of_null(axioms: &mut Axioms<'_>, field: Field, version: u32) -> Clauses {
    let version = axioms.version(version, &[field])?;
    let logic = &mut *axioms.logic;
    let null = logic.null();
    let found = logic.read(field, version, null);
    let value = match field {
        Field::Next => null,
        Field::Lockid => logic.nobody(),
        Field::Data => return Err(Problem::DataOfNull),
    };
    Ok(vec![vec![logic.equal(found, value)]])
}
