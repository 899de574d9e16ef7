//! Axioms of `R(x, y) = reach[h, B](x, y)`: from `x`, following `next` of version `h`, one comes to
//! `y` without leaving a cell of `B`, nor `null`.
//!
//! `next` is a function, so there is only one way to go on. A cell that is never left is *stuck*.
//! Take `x = x0`, `x1 = n(x0)`, and so on up to the first `y`: `R(x, y)` if there is such a `y` and
//! none of the cells before it is stuck.

use super::Clauses;
use crate::certificate::TermRef;
use crate::formula::Formula;
use crate::rejection::Problem;
use crate::table::Table;
use crate::term::TermId;
use ser_syntax::inv::ast::Field;

/// `reach` in a heap version with a cut.
pub(super) struct Reach<'t, 'a> {
    table: &'t mut Table<'a>,
    version: u32,
    cut: Vec<TermId>,
}

impl<'t, 'a> Reach<'t, 'a> {
    pub fn new(table: &'t mut Table<'a>, version: u32, cut: &[TermRef]) -> Result<Self, Problem> {
        let version = table.version(version, &[Field::Next])?;
        let cut = cut.iter().map(|cell| table.address(*cell)).collect::<Result<_, _>>()?;
        Ok(Reach { table, version, cut })
    }

    /// `R(x, y)`.
    fn to(&mut self, x: TermId, y: TermId) -> Formula {
        self.table.store.reach(self.version, self.cut.clone(), x, y)
    }

    fn next(&mut self, x: TermId) -> TermId {
        self.table.read(self.version, Field::Next, x)
    }

    /// That `x` is `null`, or one of the cut: one formula for each.
    fn stuck(&mut self, x: TermId) -> Result<Vec<Formula>, Problem> {
        let null = self.table.store.null();
        let ends = std::iter::once(null).chain(self.cut.iter().copied());
        ends.map(|end| self.table.equal(x, end)).collect()
    }

    /// `x = y` gives `R(x, y)`: nothing has to be left to stay.
    pub fn equal(mut self, x: TermRef, y: TermRef) -> Clauses {
        let [x, y] = self.table.addresses([x, y])?;
        Ok(vec![vec![!self.table.equal(x, y)?, self.to(x, y)]])
    }

    /// `R(x, y)` and `R(y, z)` give `R(x, z)`: one way after the other.
    pub fn transitive(mut self, cells: [TermRef; 3]) -> Clauses {
        let [x, y, z] = self.table.addresses(cells)?;
        Ok(vec![vec![!self.to(x, y), !self.to(y, z), self.to(x, z)]])
    }

    /// `R(x, y)` and `R(x, z)` give `R(y, z)` or `R(z, y)`: there is only one way to go on, so of
    /// two cells that are reached, one comes first.
    pub fn linear(mut self, cells: [TermRef; 3]) -> Clauses {
        let [x, y, z] = self.table.addresses(cells)?;
        Ok(vec![vec![!self.to(x, y), !self.to(x, z), self.to(y, z), self.to(z, y)]])
    }

    /// `x` is stuck, or `R(x, n(x))`.
    pub fn step(mut self, x: TermRef) -> Clauses {
        let x = self.table.address(x)?;
        let next = self.next(x);
        let mut clause = self.stuck(x)?;
        clause.push(self.to(x, next));
        Ok(vec![clause])
    }

    /// `R(x, y)` gives `x = y`, or `x` is not stuck and `R(n(x), y)`.
    pub fn unfold(mut self, x: TermRef, y: TermRef) -> Clauses {
        let [x, y] = self.table.addresses([x, y])?;
        let next = self.next(x);
        let (reaches, equal) = (self.to(x, y), self.table.equal(x, y)?);
        let mut goals: Vec<Formula> = self.stuck(x)?.into_iter().map(|stuck| !stuck).collect();
        goals.push(self.to(next, y));
        Ok(goals.into_iter().map(|goal| vec![!reaches, equal, goal]).collect())
    }

    /// `R(x, y)`, `R(y, x)` and `R(x, z)` give `x = y` or `R(z, x)`: if `x` and another cell reach
    /// each other, then all that `x` reaches is on one cycle.
    pub fn cycle(mut self, cells: [TermRef; 3]) -> Clauses {
        let [x, y, z] = self.table.addresses(cells)?;
        let equal = self.table.equal(x, y)?;
        Ok(vec![vec![!self.to(x, y), !self.to(y, x), !self.to(x, z), equal, self.to(z, x)]])
    }

    /// `R(x, y)`, `R(y, x)` and `n(x) = n(y)` give `x = y`: on a cycle, every cell is the next one
    /// of one cell only.
    pub fn predecessor(mut self, x: TermRef, y: TermRef) -> Clauses {
        let [x, y] = self.table.addresses([x, y])?;
        let (after_x, after_y) = (self.next(x), self.next(y));
        let (same_next, equal) = (self.table.equal(after_x, after_y)?, self.table.equal(x, y)?);
        Ok(vec![vec![!self.to(x, y), !self.to(y, x), !same_next, equal]])
    }

    /// `n(x1) = x2`, ..., `n(xk) = x1` and `R(x1, y)` give `y = x1` or ... or `y = xk`: from a cell
    /// of a loop one comes only to its cells.
    pub fn around(mut self, cells: &[TermRef], y: TermRef) -> Clauses {
        let cells = cells.iter().map(|cell| self.table.address(*cell));
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        let y = self.table.address(y)?;
        let first = *cells.first().ok_or(Problem::EmptyLoop)?;
        let mut clause = vec![!self.to(first, y)];
        for (place, cell) in cells.iter().enumerate() {
            let next = self.next(*cell);
            clause.push(!self.table.equal(next, *cells.get(place + 1).unwrap_or(&first))?);
            clause.push(self.table.equal(y, *cell)?);
        }
        Ok(vec![clause])
    }

    /// With `C = reach[h, B + {u}]`: `R(x, y)` if and only if `C(x, y)`, or `C(x, u)`, `u` is not
    /// stuck and `C(n(u), y)`. The shortest way from `x` to `y` leaves `u` never, or once.
    pub fn cut(mut self, cells: [TermRef; 3]) -> Clauses {
        let [u, x, y] = self.table.addresses(cells)?;
        let next = self.next(u);
        let stuck = self.stuck(u)?;
        let whole = self.to(x, y);
        self.cut.push(u);
        let (short, to_u, from_u) = (self.to(x, y), self.to(x, u), self.to(next, y));
        let mut clauses = vec![vec![!whole, short, to_u], vec![!whole, short, from_u]];
        clauses.extend(stuck.iter().map(|stuck| vec![!whole, short, !*stuck]));
        clauses.push(vec![!short, whole]);
        clauses.push([!to_u, !from_u, whole].into_iter().chain(stuck).collect());
        Ok(clauses)
    }

    /// Version `h` was made by a write of `next` to a cell of `B`, which is never left: `R(x, y)`
    /// if and only if `reach[g, B](x, y)`, where `g` is `h - 1` lowered.
    pub fn write(mut self, version: u32, x: TermRef, y: TermRef) -> Clauses {
        let (write, before) = self.table.write(version, Field::Next)?;
        if !self.cut.contains(&write.address) {
            return Err(Problem::NotCut);
        }
        let [x, y] = self.table.addresses([x, y])?;
        let after = self.to(x, y);
        self.version = before;
        let before = self.to(x, y);
        Ok(vec![vec![!after, before], vec![after, !before]])
    }
}
