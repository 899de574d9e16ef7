//! Axioms of sets, of their smallest and largest numbers, and of the data of their cells.

use super::Clauses;
use crate::certificate::{SetRef, TermRef};
use crate::table::Table;
use crate::term::{TermId, TermKind};
use ser_syntax::inv::ast::{Field, Scalar};

/// `s = t` gives that `u` is in both or in neither.
pub(super) fn same(table: &mut Table<'_>, s: SetRef, t: SetRef, u: TermRef) -> Clauses {
    let (s, t, u) = table.two_sets_and_element(s, t, u)?;
    let (same, in_s, in_t) = (table.equal(s, t)?, table.member(u, s)?, table.member(u, t)?);
    Ok(vec![vec![!same, !in_s, in_t], vec![!same, in_s, !in_t]])
}

/// Not `s = t` gives that the witness is in exactly one of them.
pub(super) fn not_same(table: &mut Table<'_>, s: SetRef, t: SetRef) -> Clauses {
    let (s, t, of) = table.element_of(s, t)?;
    let u = table.store.scalar(TermKind::Differ(s, t), of);
    let (same, in_s, in_t) = (table.equal(s, t)?, table.member(u, s)?, table.member(u, t)?);
    Ok(vec![vec![same, in_s, in_t], vec![same, !in_s, !in_t]])
}

/// `s subset t` and `u in s` give `u in t`.
pub(super) fn subset(table: &mut Table<'_>, s: SetRef, t: SetRef, u: TermRef) -> Clauses {
    let (s, t, u) = table.two_sets_and_element(s, t, u)?;
    Ok(vec![vec![!table.store.subset(s, t), !table.member(u, s)?, table.member(u, t)?]])
}

/// Not `s subset t` gives that the witness is in `s` and not in `t`.
pub(super) fn not_subset(table: &mut Table<'_>, s: SetRef, t: SetRef) -> Clauses {
    let (s, t, of) = table.element_of(s, t)?;
    let u = table.store.scalar(TermKind::Outside(s, t), of);
    let (subset, in_s, in_t) = (table.store.subset(s, t), table.member(u, s)?, table.member(u, t)?);
    Ok(vec![vec![subset, in_s], vec![subset, !in_t]])
}

/// `u = v` and `u in s` give `v in s`.
pub(super) fn member(table: &mut Table<'_>, u: TermRef, v: TermRef, s: SetRef) -> Clauses {
    let (set, first) = table.set_and_element(s, u)?;
    let (_, second) = table.set_and_element(s, v)?;
    table.two(u, v)?;
    let equal = table.equal(first, second)?;
    Ok(vec![vec![!equal, !table.member(first, set)?, table.member(second, set)?]])
}

/// `u in s` gives `some(s)`.
pub(super) fn some(table: &mut Table<'_>, s: SetRef, u: TermRef) -> Clauses {
    let (s, u) = table.set_and_element(s, u)?;
    Ok(vec![vec![!table.member(u, s)?, table.store.some(s)]])
}

fn extremes(table: &mut Table<'_>, s: TermId) -> [TermId; 2] {
    [TermKind::Min(s), TermKind::Max(s)].map(|kind| table.store.scalar(kind, Scalar::Int))
}

/// `some(s)` gives `min(s) in s` and `max(s) in s`: sets of numbers are finite.
pub(super) fn extreme(table: &mut Table<'_>, s: SetRef) -> Clauses {
    let s = table.set_of(s, Scalar::Int)?;
    let some = table.store.some(s);
    let [min, max] = extremes(table, s);
    Ok(vec![vec![!some, table.member(min, s)?], vec![!some, table.member(max, s)?]])
}

/// `u in s` gives `min(s) <= u` and `u <= max(s)`.
pub(super) fn least(table: &mut Table<'_>, s: SetRef, u: TermRef) -> Clauses {
    let (s, u) = (table.set_of(s, Scalar::Int)?, table.scalar(u, Scalar::Int)?);
    let is_in = table.member(u, s)?;
    let [min, max] = extremes(table, s);
    let (above, below) = (table.store.at_most(min, u)?, table.store.at_most(u, max)?);
    Ok(vec![vec![!is_in, above], vec![!is_in, below]])
}

/// `a in s` gives `a.data in set2elem(s)`.
pub(super) fn element_of(table: &mut Table<'_>, version: u32, s: SetRef, a: TermRef) -> Clauses {
    let version = table.version(version, &[Field::Data])?;
    let (s, a) = (table.set_of(s, Scalar::Addr)?, table.address(a)?);
    let elems = table.store.set(TermKind::Elems(version, s), Some(Scalar::Elem));
    let data = table.read(version, Field::Data, a);
    Ok(vec![vec![!table.member(a, s)?, table.member(data, elems)?]])
}

/// `e in set2elem(s)` gives that the witness is in `s` and has the `.data` `e`.
pub(super) fn carrier(table: &mut Table<'_>, version: u32, s: SetRef, e: TermRef) -> Clauses {
    let version = table.version(version, &[Field::Data])?;
    let (s, e) = (table.set_of(s, Scalar::Addr)?, table.element(e)?);
    let elems = table.store.set(TermKind::Elems(version, s), Some(Scalar::Elem));
    let witness = table.store.scalar(TermKind::Carrier(version, s, e), Scalar::Addr);
    let data = table.read(version, Field::Data, witness);
    let is_in = table.member(e, elems)?;
    Ok(vec![vec![!is_in, table.member(witness, s)?], vec![!is_in, table.equal(data, e)?]])
}
