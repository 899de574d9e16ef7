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
//! is tested by drawing models at random (`axiom/tests.rs`).

mod equality;
mod order;
mod reach;
mod sets;

use crate::certificate::{Lemma, TermRef};
use crate::formula::Formula;
use crate::linear::Linear;
use crate::rejection::Problem;
use crate::table::Table;
use order::Stretch;
use reach::Reach;

/// A disjunction.
pub(crate) type Clause = Vec<Formula>;

/// The clauses of an instantiation, or what is wrong with it.
type Clauses = Result<Vec<Clause>, Problem>;

pub(crate) fn clauses(lemma: &Lemma, table: &mut Table<'_>) -> Clauses {
    use Lemma as L;
    match lemma {
        L::Transitive(x, y, z) => equality::transitive(table, [*x, *y, *z]),
        L::Congruent(field, h, x, y) => equality::congruent(table, *field, *h, [*x, *y]),
        L::Read(field, h, x) => equality::read(table, *field, *h, *x),
        L::OfNull(field, h) => equality::of_null(table, *field, *h),

        L::Total(x, y) => order::total(table, [*x, *y]),
        L::LeTransitive(x, y, z) => order::transitive(table, [*x, *y, *z]),
        L::Antisymmetric(x, y) => order::antisymmetric(table, [*x, *y]),
        L::Farkas(forms) => farkas(table, forms),
        L::Split(form) => table.form(*form).map(|_| Vec::new()),

        L::Same(s, t, u) => sets::same(table, *s, *t, *u),
        L::NotSame(s, t) => sets::not_same(table, *s, *t),
        L::Subset(s, t, u) => sets::subset(table, *s, *t, *u),
        L::NotSubset(s, t) => sets::not_subset(table, *s, *t),
        L::Member(u, v, s) => sets::member(table, *u, *v, *s),
        L::Some(s, u) => sets::some(table, *s, *u),
        L::Extreme(s) => sets::extreme(table, *s),
        L::Least(s, u) => sets::least(table, *s, *u),
        L::ElemOf(h, s, a) => sets::element_of(table, *h, *s, *a),
        L::Carrier(h, s, e) => sets::carrier(table, *h, *s, *e),

        L::ReachEqual(h, cut, x, y) => Reach::new(table, *h, cut)?.equal(*x, *y),
        L::ReachTransitive(h, cut, x, y, z) => Reach::new(table, *h, cut)?.transitive([*x, *y, *z]),
        L::ReachLinear(h, cut, x, y, z) => Reach::new(table, *h, cut)?.linear([*x, *y, *z]),
        L::ReachStep(h, cut, x) => Reach::new(table, *h, cut)?.step(*x),
        L::ReachUnfold(h, cut, x, y) => Reach::new(table, *h, cut)?.unfold(*x, *y),
        L::ReachCycle(h, cut, x, y, z) => Reach::new(table, *h, cut)?.cycle([*x, *y, *z]),
        L::ReachPredecessor(h, cut, x, y) => Reach::new(table, *h, cut)?.predecessor(*x, *y),
        L::ReachLoop(h, cut, cells, y) => Reach::new(table, *h, cut)?.around(cells, *y),
        L::ReachCut(h, cut, u, x, y) => Reach::new(table, *h, cut)?.cut([*u, *x, *y]),
        L::ReachWrite(h, cut, x, y) => Reach::new(table, *h, cut)?.write(*h, *x, *y),

        L::OrderedReaches(h, a, b) => Stretch::new(table, *h, *a, *b)?.reaches(),
        L::OrderedGrows(h, a, b, x, y) => Stretch::new(table, *h, *a, *b)?.grows(*x, *y),
        L::NotOrdered(h, a, b) => Stretch::new(table, *h, *a, *b)?.not_ordered(),
    }
}

/// Forms that are all at least 0 have a sum that is, with multipliers that are: but it is below 0.
fn farkas(table: &mut Table<'_>, forms: &[(TermRef, u64)]) -> Clauses {
    let mut sum = Linear::default();
    let mut clause = Clause::new();
    for (number, factor) in forms {
        let form = table.form(*number)?;
        sum = sum.add(i128::from(*factor), &form)?;
        clause.push(!table.store.at_least_zero(&form)?);
    }
    match sum.number() {
        Some(number) if number < 0 => Ok(vec![clause]),
        _ => Err(Problem::NoContradiction),
    }
}

#[cfg(test)]
mod tests;
