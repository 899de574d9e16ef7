//! Laws of `reach[h, B](x, y)`: from `x`, following `next` of version `h`, one comes to `y` without leaving a cell of `B`, nor `null`.
//!
//! `next` is a function, so there is only one way to go on. A cell that is never left is *stuck*. Take `x = x0`, `x1 = n(x0)`, and so on up to the first `y`: `R(x, y)` if there is such
//! a `y` and none of the cells before it is stuck.

use super::Clause;
use crate::formula::{Formula, Store};
use crate::rejection::{Overflow, Problem};
use crate::table::Table;
use crate::term::TermId;
use crate::translate::read;
use ser_syntax::inv::ast::Field;

/// `reach` in a heap version with a cut.
struct Reach {
    version: u32,
    cut: Vec<TermId>,
}

impl Reach {
    fn new(table: &mut Table<'_>, version: u32, cut: &[u32]) -> Result<Reach, Problem> {
        let version = table.version(version, &[Field::Next])?;
        let cut = cut.iter().map(|cell| table.address(*cell)).collect::<Result<_, _>>()?;
        Ok(Reach { version, cut })
    }

    fn reaches(&self, store: &mut Store, x: TermId, y: TermId) -> Formula {
        store.reach(self.version, self.cut.clone(), x, y)
    }

    fn next(&self, store: &mut Store, x: TermId) -> TermId {
        read(store, self.version, Field::Next, x)
    }

    /// That `x` is `null`, or one of the cut: one formula for each.
    fn stuck(&self, store: &mut Store, x: TermId) -> Result<Vec<Formula>, Overflow> {
        let null = store.null();
        std::iter::once(null).chain(self.cut.iter().copied()).map(|it| store.equal(x, it)).collect()
    }
}

fn addresses<const N: usize>(
    table: &mut Table<'_>,
    numbers: [u32; N],
) -> Result<[TermId; N], Problem> {
    let mut made = [TermId(0); N];
    for (place, number) in made.iter_mut().zip(numbers) {
        *place = table.address(number)?;
    }
    Ok(made)
}

/// Nothing has to be left to stay.
pub(super) fn equal(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    cells: [u32; 2],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let r = Reach::new(table, version, cut)?;
    let [x, y] = addresses(table, cells)?;
    let store = &mut *table.store;
    out.push(vec![!store.equal(x, y)?, r.reaches(store, x, y)]);
    Ok(())
}

/// One way after the other.
pub(super) fn transitive(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    cells: [u32; 3],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let r = Reach::new(table, version, cut)?;
    let [x, y, z] = addresses(table, cells)?;
    let store = &mut *table.store;
    out.push(vec![!r.reaches(store, x, y), !r.reaches(store, y, z), r.reaches(store, x, z)]);
    Ok(())
}

/// There is only one way to go on: of two cells that are reached, one comes first.
pub(super) fn linear(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    cells: [u32; 3],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let r = Reach::new(table, version, cut)?;
    let [x, y, z] = addresses(table, cells)?;
    let store = &mut *table.store;
    out.push(vec![
        !r.reaches(store, x, y),
        !r.reaches(store, x, z),
        r.reaches(store, y, z),
        r.reaches(store, z, y),
    ]);
    Ok(())
}

/// A cell that is not stuck is left to the next one.
pub(super) fn step(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    x: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let r = Reach::new(table, version, cut)?;
    let x = table.address(x)?;
    let store = &mut *table.store;
    let mut clause = r.stuck(store, x)?;
    let next = r.next(store, x);
    clause.push(r.reaches(store, x, next));
    out.push(clause);
    Ok(())
}

/// Who comes somewhere else has left, and goes on from the next cell.
pub(super) fn unfold(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    cells: [u32; 2],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let r = Reach::new(table, version, cut)?;
    let [x, y] = addresses(table, cells)?;
    let store = &mut *table.store;
    let (reaches, equal) = (r.reaches(store, x, y), store.equal(x, y)?);
    for stuck in r.stuck(store, x)? {
        out.push(vec![!reaches, equal, !stuck]);
    }
    let next = r.next(store, x);
    out.push(vec![!reaches, equal, r.reaches(store, next, y)]);
    Ok(())
}

/// If `x` and another cell reach each other, then all that `x` reaches is on one cycle.
pub(super) fn cycle(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    cells: [u32; 3],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let r = Reach::new(table, version, cut)?;
    let [x, y, z] = addresses(table, cells)?;
    let store = &mut *table.store;
    out.push(vec![
        !r.reaches(store, x, y),
        !r.reaches(store, y, x),
        !r.reaches(store, x, z),
        store.equal(x, y)?,
        r.reaches(store, z, x),
    ]);
    Ok(())
}

/// On a cycle, every cell is the next one of one cell only.
pub(super) fn predecessor(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    cells: [u32; 2],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let r = Reach::new(table, version, cut)?;
    let [x, y] = addresses(table, cells)?;
    let store = &mut *table.store;
    let (after_x, after_y) = (r.next(store, x), r.next(store, y));
    out.push(vec![
        !r.reaches(store, x, y),
        !r.reaches(store, y, x),
        !store.equal(after_x, after_y)?,
        store.equal(x, y)?,
    ]);
    Ok(())
}

/// From a cell of a loop one comes only to its cells.
pub(super) fn around(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    cells: &[u32],
    y: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let r = Reach::new(table, version, cut)?;
    let cells = cells.iter().map(|cell| table.address(*cell)).collect::<Result<Vec<_>, _>>()?;
    let y = table.address(y)?;
    let store = &mut *table.store;
    let first = *cells.first().ok_or(Problem::EmptyLoop)?;
    let mut clause = vec![!r.reaches(store, first, y)];
    for (place, cell) in cells.iter().enumerate() {
        let next = r.next(store, *cell);
        clause.push(!store.equal(next, *cells.get(place + 1).unwrap_or(&first))?);
        clause.push(store.equal(y, *cell)?);
    }
    out.push(clause);
    Ok(())
}

/// The shortest way from `x` to `y` leaves `u` never, or once.
pub(super) fn cut(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    cells: [u32; 3],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let r = Reach::new(table, version, cut)?;
    let [u, x, y] = addresses(table, cells)?;
    let c = Reach { version: r.version, cut: r.cut.iter().copied().chain([u]).collect() };
    let store = &mut *table.store;
    let stuck = r.stuck(store, u)?;
    let next = r.next(store, u);
    let (whole, short) = (r.reaches(store, x, y), c.reaches(store, x, y));
    let (to_u, from_u) = (c.reaches(store, x, u), c.reaches(store, next, y));
    out.push(vec![!whole, short, to_u]);
    out.push(vec![!whole, short, from_u]);
    for it in &stuck {
        out.push(vec![!whole, short, !*it]);
    }
    out.push(vec![!short, whole]);
    out.push([!to_u, !from_u, whole].into_iter().chain(stuck).collect());
    Ok(())
}

/// The version was made by writing `next` of a cell that is never left: nobody notices.
pub(super) fn write(
    table: &mut Table<'_>,
    version: u32,
    cut: &[u32],
    cells: [u32; 2],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let now = Reach::new(table, version, cut)?;
    let write = match table.heap.write(version) {
        Some(write) if write.field == Field::Next && now.version == version => *write,
        _ => return Err(Problem::NoWrite { version }),
    };
    if !now.cut.contains(&write.address) {
        return Err(Problem::NotCut);
    }
    let then = Reach { version: table.version(version - 1, &[Field::Next])?, cut: now.cut.clone() };
    let [x, y] = addresses(table, cells)?;
    let store = &mut *table.store;
    let (after, before) = (now.reaches(store, x, y), then.reaches(store, x, y));
    out.push(vec![!after, before]);
    out.push(vec![after, !before]);
    Ok(())
}
