//! Axioms of `R(x, y) = reach[h, B](x, y)`: from `x`, following `next` of version `h`, one comes to
//! `y` without leaving a cell of `B`, nor `null`.
//!
//! `next` is a function, so there is only one way to go on. A cell that is never left is *stuck*.
//! Take `x = x0`, `x1 = n(x0)`, and so on up to the first `y`: `R(x, y)` if there is such a `y` and
//! none of the cells before it is stuck.

use super::{Axioms, Clauses};
use crate::certificate::TermRef;
use crate::logic::{Field, Formula, Logic};
use crate::rejection::Problem;

/// `reach` in a heap version with a cut.
pub(super) struct Reach<'t, 'a> {
    axioms: &'t mut Axioms<'a>,
    version: u32,
    cut: Vec<TermRef>,
}

impl<'t, 'a> Reach<'t, 'a> {
    pub fn new(axioms: &'t mut Axioms<'a>, version: u32, cut: &[TermRef]) -> Result<Self, Problem> {
        let version = axioms.version(version, &[Field::Next])?;
        axioms.addresses(cut)?;
        let mut cut = cut.to_vec();
        cut.sort_unstable();
        cut.dedup();
        Ok(Reach { axioms, version, cut })
    }

    fn logic(&mut self) -> &mut Logic {
        self.axioms.logic
    }

    /// `R(x, y)`.
    fn to(&mut self, x: TermRef, y: TermRef) -> Formula {
        let cut = self.axioms.logic.cut_id(&self.cut);
        self.axioms.logic.reach(self.version, cut, x, y)
    }

    fn next(&mut self, x: TermRef) -> TermRef {
        self.axioms.logic.read(Field::Next, self.version, x)
    }

    /// That `x` is one of the cut, or `null`: one formula for each.
    fn stuck(&mut self, x: TermRef) -> Vec<Formula> {
        let logic = &mut *self.axioms.logic;
        let null = logic.null();
        let ends = self.cut.iter().copied().chain([null]);
        ends.map(|end| logic.equal(x, end)).collect()
    }

    /// `x = y` gives `R(x, y)`: nothing has to be left to stay.
    pub fn equal(mut self, x: TermRef, y: TermRef) -> Clauses {
        self.axioms.addresses(&[x, y])?;
        Ok(vec![vec![!self.logic().equal(x, y), self.to(x, y)]])
    }

    /// `R(x, y)` and `R(y, z)` give `R(x, z)`: one way after the other.
    pub fn transitive(mut self, cells: [TermRef; 3]) -> Clauses {
        let [x, y, z] = cells;
        self.axioms.addresses(&cells)?;
        Ok(vec![vec![!self.to(x, y), !self.to(y, z), self.to(x, z)]])
    }

    /// `R(x, y)` and `R(x, z)` give `R(y, z)` or `R(z, y)`: there is only one way to go on, so of
    /// two cells that are reached, one comes first.
    pub fn linear(mut self, cells: [TermRef; 3]) -> Clauses {
        let [x, y, z] = cells;
        self.axioms.addresses(&cells)?;
        Ok(vec![vec![!self.to(x, y), !self.to(x, z), self.to(y, z), self.to(z, y)]])
    }

    /// `x` is stuck, or `R(x, n(x))`.
    pub fn step(mut self, x: TermRef) -> Clauses {
        self.axioms.addresses(&[x])?;
        let mut clause = self.stuck(x);
        let next = self.next(x);
        clause.push(self.to(x, next));
        Ok(vec![clause])
    }

    /// `R(x, y)` gives `x = y`, or `x` is not stuck and `R(n(x), y)`.
    pub fn unfold(mut self, x: TermRef, y: TermRef) -> Clauses {
        self.axioms.addresses(&[x, y])?;
        let (reaches, equal, next) = (self.to(x, y), self.logic().equal(x, y), self.next(x));
        let mut goals: Vec<Formula> = self.stuck(x).into_iter().map(|stuck| !stuck).collect();
        goals.push(self.to(next, y));
        Ok(goals.into_iter().map(|goal| vec![!reaches, equal, goal]).collect())
    }

    /// `R(x, y)`, `R(y, x)` and `R(x, z)` give `x = y` or `R(z, x)`: if `x` and another cell reach
    /// each other, then all that `x` reaches is on one cycle.
    pub fn cycle(mut self, cells: [TermRef; 3]) -> Clauses {
        let [x, y, z] = cells;
        self.axioms.addresses(&cells)?;
        let equal = self.logic().equal(x, y);
        Ok(vec![vec![!self.to(x, y), !self.to(y, x), !self.to(x, z), equal, self.to(z, x)]])
    }

    /// `R(x, y)`, `R(y, x)` and `n(x) = n(y)` give `x = y`: on a cycle, every cell is the next one
    /// of one cell only.
    pub fn predecessor(mut self, x: TermRef, y: TermRef) -> Clauses {
        self.axioms.addresses(&[x, y])?;
        let (after_x, after_y) = (self.next(x), self.next(y));
        let (same_next, equal) = (self.logic().equal(after_x, after_y), self.logic().equal(x, y));
        Ok(vec![vec![!self.to(x, y), !self.to(y, x), !same_next, equal]])
    }

    /// `n(x1) = x2`, ..., `n(xk) = x1` and `R(x1, y)` give `y = x1` or ... or `y = xk`: from a cell
    /// of a loop one comes only to its cells.
    pub fn around(mut self, cells: &[TermRef], y: TermRef) -> Clauses {
        self.axioms.addresses(cells)?;
        self.axioms.addresses(&[y])?;
        let first = *cells.first().ok_or(Problem::EmptyLoop)?;
        let mut clause = vec![!self.to(first, y)];
        for (place, cell) in cells.iter().enumerate() {
            let next = self.next(*cell);
            let to = *cells.get(place + 1).unwrap_or(&first);
            clause.push(!self.logic().equal(next, to));
            clause.push(self.logic().equal(y, *cell));
        }
        Ok(vec![clause])
    }

    /// With `C = reach[h, B + {u}]`: `R(x, y)` if and only if `C(x, y)`, or `C(x, u)`, `u` is not
    /// stuck and `C(n(u), y)`. The shortest way from `x` to `y` leaves `u` never, or once.
    pub fn cut(mut self, cells: [TermRef; 3]) -> Clauses {
        let [u, x, y] = cells;
        self.axioms.addresses(&cells)?;
        let (whole, stuck, next) = (self.to(x, y), self.stuck(u), self.next(u));
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
        let (write, before) = self.axioms.write(version, Field::Next)?;
        if !self.cut.contains(&write.address) {
            return Err(Problem::NotCut);
        }
        self.axioms.addresses(&[x, y])?;
        let after = self.to(x, y);
        self.version = before;
        let before = self.to(x, y);
        Ok(vec![vec![!after, before], vec![after, !before]])
    }
}
