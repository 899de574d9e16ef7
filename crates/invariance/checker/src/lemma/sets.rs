//! Laws of sets, of their smallest and largest numbers, and of the data of their cells.

use super::Clause;
use crate::rejection::Problem;
use crate::table::Table;
use crate::term::{Sort, TermKind};
use crate::translate::read;
use ser_syntax::inv::ast::{Field, Scalar};

/// Same sets have the same elements.
pub(super) fn same(
    table: &mut Table<'_>,
    s: u32,
    t: u32,
    u: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let (first, second) = table.two_sets(s, t)?;
    table.set_and_element(t, u)?;
    let (_, element) = table.set_and_element(s, u)?;
    let store = &mut *table.store;
    let is_same = store.equal(first, second)?;
    let (in_first, in_second) = (store.member(element, first)?, store.member(element, second)?);
    out.push(vec![!is_same, !in_first, in_second]);
    out.push(vec![!is_same, in_first, !in_second]);
    Ok(())
}

/// Sets that are not the same differ in an element; the witness is one.
pub(super) fn not_same(
    table: &mut Table<'_>,
    s: u32,
    t: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let of = element_type(table, s, t)?;
    let (s, t) = table.two_sets(s, t)?;
    let store = &mut *table.store;
    let witness = store.scalar(TermKind::Differ(s, t), of);
    let is_same = store.equal(s, t)?;
    let (in_first, in_second) = (store.member(witness, s)?, store.member(witness, t)?);
    out.push(vec![is_same, in_first, in_second]);
    out.push(vec![is_same, !in_first, !in_second]);
    Ok(())
}

/// What is in a set is in all that it is a subset of.
pub(super) fn subset(
    table: &mut Table<'_>,
    s: u32,
    t: u32,
    u: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let (first, second) = table.two_sets(s, t)?;
    table.set_and_element(t, u)?;
    let (_, element) = table.set_and_element(s, u)?;
    let store = &mut *table.store;
    let is_subset = store.subset(first, second);
    let (in_first, in_second) = (store.member(element, first)?, store.member(element, second)?);
    out.push(vec![!is_subset, !in_first, in_second]);
    Ok(())
}

/// A set that is no subset has an element outside; the witness is one.
pub(super) fn not_subset(
    table: &mut Table<'_>,
    s: u32,
    t: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let of = element_type(table, s, t)?;
    let (s, t) = table.two_sets(s, t)?;
    let store = &mut *table.store;
    let witness = store.scalar(TermKind::Outside(s, t), of);
    let is_subset = store.subset(s, t);
    let (in_first, in_second) = (store.member(witness, s)?, store.member(witness, t)?);
    out.push(vec![is_subset, in_first]);
    out.push(vec![is_subset, !in_second]);
    Ok(())
}

fn element_type(table: &mut Table<'_>, s: u32, t: u32) -> Result<Scalar, Problem> {
    table.set(s)?;
    match table.two(s, t)?.2 {
        Sort::Set(Some(of)) => Ok(of),
        // Both are made of `{}` alone: what they do not contain may be of any type.
        _ => Ok(Scalar::Int),
    }
}

/// Equal things are in the same sets.
pub(super) fn member(
    table: &mut Table<'_>,
    u: u32,
    v: u32,
    s: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let (set, first) = table.set_and_element(s, u)?;
    let (_, second) = table.set_and_element(s, v)?;
    table.two(u, v)?;
    let store = &mut *table.store;
    let is_equal = store.equal(first, second)?;
    let (in_first, in_second) = (store.member(first, set)?, store.member(second, set)?);
    out.push(vec![!is_equal, !in_first, in_second]);
    Ok(())
}

/// A set with an element is not empty.
pub(super) fn some(
    table: &mut Table<'_>,
    s: u32,
    u: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let (s, u) = table.set_and_element(s, u)?;
    let store = &mut *table.store;
    out.push(vec![!store.member(u, s)?, store.some(s)]);
    Ok(())
}

/// A finite set of numbers that is not empty has a smallest and a largest one.
pub(super) fn extreme(table: &mut Table<'_>, s: u32, out: &mut Vec<Clause>) -> Result<(), Problem> {
    let s = table.set_of(s, Scalar::Int)?;
    let store = &mut *table.store;
    let some = store.some(s);
    for kind in [TermKind::Min(s), TermKind::Max(s)] {
        let extreme = store.scalar(kind, Scalar::Int);
        out.push(vec![!some, store.member(extreme, s)?]);
    }
    Ok(())
}

/// All numbers in a set lie between these.
pub(super) fn least(
    table: &mut Table<'_>,
    s: u32,
    u: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let (s, u) = (table.set_of(s, Scalar::Int)?, table.scalar(u, Scalar::Int)?);
    let store = &mut *table.store;
    let is_in = store.member(u, s)?;
    let (min, max) =
        (store.scalar(TermKind::Min(s), Scalar::Int), store.scalar(TermKind::Max(s), Scalar::Int));
    out.push(vec![!is_in, store.at_most(min, u)?]);
    out.push(vec![!is_in, store.at_most(u, max)?]);
    Ok(())
}

/// The data of a cell in a set is among the data of the set.
pub(super) fn element_of(
    table: &mut Table<'_>,
    version: u32,
    s: u32,
    a: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let version = table.version(version, &[Field::Data])?;
    let (s, a) = (table.set_of(s, Scalar::Addr)?, table.address(a)?);
    let store = &mut *table.store;
    let elems = store.set(TermKind::Elems(version, s), Some(Scalar::Elem));
    let data = read(store, version, Field::Data, a);
    out.push(vec![!store.member(a, s)?, store.member(data, elems)?]);
    Ok(())
}

/// What is among the data of a set is the data of a cell in it; the witness is one.
pub(super) fn carrier(
    table: &mut Table<'_>,
    version: u32,
    s: u32,
    e: u32,
    out: &mut Vec<Clause>,
) -> Result<(), Problem> {
    let version = table.version(version, &[Field::Data])?;
    let (s, e) = (table.set_of(s, Scalar::Addr)?, table.element(e)?);
    let store = &mut *table.store;
    let elems = store.set(TermKind::Elems(version, s), Some(Scalar::Elem));
    let witness = store.scalar(TermKind::Carrier(version, s, e), Scalar::Addr);
    let data = read(store, version, Field::Data, witness);
    let is_in = store.member(e, elems)?;
    out.push(vec![!is_in, store.member(witness, s)?]);
    out.push(vec![!is_in, store.equal(data, e)?]);
    Ok(())
}
