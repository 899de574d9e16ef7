//! Axioms of sets, of their smallest and largest numbers, and of the data of their cells.

use super::{Axioms, Clauses};
use crate::certificate::{SetRef, Term, TermRef};
use crate::logic::{Field, Logic};
use ser_syntax::inv::ast::Scalar;

/// `s = t` gives that `u` is in both or in neither.
pub(super) fn same(axioms: &mut Axioms<'_>, s: SetRef, t: SetRef, u: TermRef) -> Clauses {
    axioms.two_sets_and_element(s, t, u)?;
    let logic = &mut *axioms.logic;
    let (same, in_s, in_t) = (logic.equal(s, t), logic.member(u, s), logic.member(u, t));
    Ok(vec![vec![!same, !in_s, in_t], vec![!same, in_s, !in_t]])
}

/// Not `s = t` gives that the witness is in exactly one of them.
pub(super) fn not_same(axioms: &mut Axioms<'_>, s: SetRef, t: SetRef) -> Clauses {
    let of = axioms.element_of(s, t)?;
    let logic = &mut *axioms.logic;
    let same = logic.equal(s, t);
    let u = logic.scalar(Term::Differ(s, t), of);
    let (in_s, in_t) = (logic.member(u, s), logic.member(u, t));
    Ok(vec![vec![same, in_s, in_t], vec![same, !in_s, !in_t]])
}

/// `s subset t` and `u in s` give `u in t`.
pub(super) fn subset(axioms: &mut Axioms<'_>, s: SetRef, t: SetRef, u: TermRef) -> Clauses {
    axioms.two_sets_and_element(s, t, u)?;
    let logic = &mut *axioms.logic;
    Ok(vec![vec![!logic.subset(s, t), !logic.member(u, s), logic.member(u, t)]])
}

/// Not `s subset t` gives that the witness is in `s` and not in `t`.
pub(super) fn not_subset(axioms: &mut Axioms<'_>, s: SetRef, t: SetRef) -> Clauses {
    let of = axioms.element_of(s, t)?;
    let logic = &mut *axioms.logic;
    let subset = logic.subset(s, t);
    let u = logic.scalar(Term::Outside(s, t), of);
    Ok(vec![vec![subset, logic.member(u, s)], vec![subset, !logic.member(u, t)]])
}

/// `u = v` and `u in s` give `v in s`.
pub(super) fn member(axioms: &mut Axioms<'_>, u: TermRef, v: TermRef, s: SetRef) -> Clauses {
    axioms.set_and_element(s, u)?;
    axioms.set_and_element(s, v)?;
    axioms.two(u, v)?;
    let logic = &mut *axioms.logic;
    Ok(vec![vec![!logic.equal(u, v), !logic.member(u, s), logic.member(v, s)]])
}

/// `u in s` gives `some(s)`.
pub(super) fn some(axioms: &mut Axioms<'_>, s: SetRef, u: TermRef) -> Clauses {
    axioms.set_and_element(s, u)?;
    Ok(vec![vec![!axioms.logic.member(u, s), axioms.logic.some(s)]])
}

fn extremes(logic: &mut Logic, s: SetRef) -> [TermRef; 2] {
    [Term::Min(s), Term::Max(s)].map(|end| logic.scalar(end, Scalar::Int))
}

/// `some(s)` gives `min(s) in s` and `max(s) in s`: sets of numbers are finite.
pub(super) fn extreme(axioms: &mut Axioms<'_>, s: SetRef) -> Clauses {
    axioms.set_of(s, Scalar::Int)?;
    let logic = &mut *axioms.logic;
    let some = logic.some(s);
    Ok(extremes(logic, s).map(|end| vec![!some, logic.member(end, s)]).to_vec())
}

/// `u in s` gives `min(s) <= u` and `u <= max(s)`.
pub(super) fn least(axioms: &mut Axioms<'_>, s: SetRef, u: TermRef) -> Clauses {
    axioms.set_of(s, Scalar::Int)?;
    axioms.scalar(u, Scalar::Int)?;
    let logic = &mut *axioms.logic;
    let is_in = logic.member(u, s);
    let [min, max] = extremes(logic, s);
    Ok(vec![vec![!is_in, logic.at_least(u, min)], vec![!is_in, logic.at_least(max, u)]])
}

/// `a in s` gives `a.data in set2elem(s)`.
pub(super) fn element_of(axioms: &mut Axioms<'_>, version: u32, s: SetRef, a: TermRef) -> Clauses {
    let version = axioms.version(version, &[Field::Data])?;
    axioms.set_of(s, Scalar::Addr)?;
    axioms.addresses(&[a])?;
    let logic = &mut *axioms.logic;
    let is_in = logic.member(a, s);
    let elems = logic.set(Term::Elems(version, s), Scalar::Elem);
    let data = logic.read(Field::Data, version, a);
    Ok(vec![vec![!is_in, logic.member(data, elems)]])
}

/// `e in set2elem(s)` gives that the witness is in `s` and has the `.data` `e`.
pub(super) fn carrier(axioms: &mut Axioms<'_>, version: u32, s: SetRef, e: TermRef) -> Clauses {
    let version = axioms.version(version, &[Field::Data])?;
    axioms.set_of(s, Scalar::Addr)?;
    axioms.elements(&[e])?;
    let logic = &mut *axioms.logic;
    let elems = logic.set(Term::Elems(version, s), Scalar::Elem);
    let given = logic.member(e, elems);
    let witness = logic.scalar(Term::Carrier(version, s, e), Scalar::Addr);
    let is_in = logic.member(witness, s);
    let data = logic.read(Field::Data, version, witness);
    Ok(vec![vec![!given, is_in], vec![!given, logic.equal(data, e)]])
}
