//! The laws: each lemma as clauses, one function per law.
//!
//! A *model* of a case has values for all variables before the step and for everything that is chosen, and a heap for each version: three total
//! functions `next`, `data`, `lockid` on addresses, with `null.next = null` and `null.lockid = nobody`; the heap after a write differs from the one before in one
//! field of one address that is not `null`. There may be infinitely many addresses, and cycles. Sets of numbers are finite. Witness terms
//! are values as their laws want them. *Every* clause that comes from here is true in every model: this alone makes proofs sound, and is tested by
//! drawing models at random (`lemma/tests.rs`).

mod equality;
mod order;
mod reach;
mod sets;

use crate::certificate::{Field as NamedField, Lemma};
use crate::formula::Formula;
use crate::linear::Linear;
use crate::rejection::Problem;
use crate::table::Table;
use ser_syntax::inv::ast::Field;

/// A disjunction.
pub(crate) type Clause = Vec<Formula>;

/// Adds the clauses of a lemma.
pub(crate) fn clauses(
    lemma: &Lemma,
    table: &mut Table<'_>,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    use Lemma as L;
    match lemma {
        L::Transitive(x, y, z) => equality::transitive(table, [*x, *y, *z], out),
        L::Congruent(f, h, x, y) => equality::congruent(table, field(*f), *h, [*x, *y], out),
        L::Read(f, h, x) => equality::read(table, field(*f), *h, *x, out),
        L::OfNull(f, h) => equality::of_null(table, field(*f), *h, out),

        L::Total(x, y) => order::total(table, [*x, *y], out),
        L::LeTransitive(x, y, z) => order::transitive(table, [*x, *y, *z], out),
        L::Antisymmetric(x, y) => order::antisymmetric(table, [*x, *y], out),
        L::Farkas(forms) => farkas(table, forms, out),
        L::Split(form) => table.form(*form).map(|_| ()),

        L::Same(s, t, u) => sets::same(table, *s, *t, *u, out),
        L::NotSame(s, t) => sets::not_same(table, *s, *t, out),
        L::Subset(s, t, u) => sets::subset(table, *s, *t, *u, out),
        L::NotSubset(s, t) => sets::not_subset(table, *s, *t, out),
        L::Member(u, v, s) => sets::member(table, *u, *v, *s, out),
        L::Some(s, u) => sets::some(table, *s, *u, out),
        L::Extreme(s) => sets::extreme(table, *s, out),
        L::Least(s, u) => sets::least(table, *s, *u, out),
        L::ElemOf(h, s, a) => sets::element_of(table, *h, *s, *a, out),
        L::Carrier(h, s, e) => sets::carrier(table, *h, *s, *e, out),

        L::ReachEqual(h, cut, x, y) => reach::equal(table, *h, cut, [*x, *y], out),
        L::ReachTransitive(h, cut, x, y, z) => reach::transitive(table, *h, cut, [*x, *y, *z], out),
        L::ReachLinear(h, cut, x, y, z) => reach::linear(table, *h, cut, [*x, *y, *z], out),
        L::ReachStep(h, cut, x) => reach::step(table, *h, cut, *x, out),
        L::ReachUnfold(h, cut, x, y) => reach::unfold(table, *h, cut, [*x, *y], out),
        L::ReachCycle(h, cut, x, y, z) => reach::cycle(table, *h, cut, [*x, *y, *z], out),
        L::ReachPredecessor(h, cut, x, y) => reach::predecessor(table, *h, cut, [*x, *y], out),
        L::ReachLoop(h, cut, cells, y) => reach::around(table, *h, cut, cells, *y, out),
        L::ReachCut(h, cut, u, x, y) => reach::cut(table, *h, cut, [*u, *x, *y], out),
        L::ReachWrite(h, cut, x, y) => reach::write(table, *h, cut, [*x, *y], out),

        L::OrderedReaches(h, a, b) => order::reaches(table, *h, [*a, *b], out),
        L::OrderedGrows(h, a, b, x, y) => order::grows(table, *h, [*a, *b, *x, *y], out),
        L::NotOrdered(h, a, b) => order::not_ordered(table, *h, [*a, *b], out),
    }
}

/// The name of a law.
pub(crate) fn law(lemma: &Lemma) -> &'static str {
    use Lemma as L;
    match lemma {
        L::Transitive(..) => "transitive",
        L::Congruent(..) => "congruent",
        L::Total(..) => "total",
        L::LeTransitive(..) => "le_transitive",
        L::Antisymmetric(..) => "antisymmetric",
        L::Farkas(_) => "farkas",
        L::Split(_) => "split",
        L::Read(..) => "read",
        L::OfNull(..) => "of_null",
        L::Same(..) => "same",
        L::NotSame(..) => "not_same",
        L::Subset(..) => "subset",
        L::NotSubset(..) => "not_subset",
        L::Member(..) => "member",
        L::Some(..) => "some",
        L::Extreme(_) => "extreme",
        L::Least(..) => "least",
        L::ElemOf(..) => "elem_of",
        L::Carrier(..) => "carrier",
        L::ReachEqual(..) => "reach_equal",
        L::ReachTransitive(..) => "reach_transitive",
        L::ReachLinear(..) => "reach_linear",
        L::ReachStep(..) => "reach_step",
        L::ReachUnfold(..) => "reach_unfold",
        L::ReachCycle(..) => "reach_cycle",
        L::ReachPredecessor(..) => "reach_predecessor",
        L::ReachLoop(..) => "reach_loop",
        L::ReachCut(..) => "reach_cut",
        L::ReachWrite(..) => "reach_write",
        L::OrderedReaches(..) => "ordered_reaches",
        L::OrderedGrows(..) => "ordered_grows",
        L::NotOrdered(..) => "not_ordered",
    }
}

fn field(field: NamedField) -> Field {
    match field {
        NamedField::Next => Field::Next,
        NamedField::Data => Field::Data,
        NamedField::Lockid => Field::Lockid,
    }
}

/// Forms that are all at least 0 have a sum that is, with factors that are: but it is below 0.
fn farkas(
    table: &mut Table<'_>,
    forms: &[(u32, u64)],
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let mut sum = Linear::default();
    let mut clause = Clause::new();
    for (number, factor) in forms {
        let form = table.form(*number)?;
        sum = sum.add(i128::from(*factor), &form)?;
        clause.push(!table.store.at_least_zero(&form)?);
    }
    if sum.number().is_none_or(|number| number >= 0) {
        return Err(Problem::NoContradiction);
    }
    out.push(clause);
    Ok(())
}

#[cfg(test)]
mod each_law;
#[cfg(test)]
mod tests;
