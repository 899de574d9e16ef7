//! What a certificate looks like: JSON, with all terms in one table.

use crate::cover::Boxes;
use crate::run::Run;
use crate::waiting::End;
use ser_syntax::inv::ast::Field;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A claim about a file, with its proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The text of the model.
    pub source: String,
    /// The same program with further invariants that the proof needs, if these were inferred. Then
    /// the claim is about this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<String>,
    pub claim: Claim,
}

impl Certificate {
    pub fn new(source: &str, claim: Claim) -> Certificate {
        Certificate { source: source.to_owned(), completed: None, claim }
    }

    /// The text that the claim is about.
    pub fn text(&self) -> &str {
        self.completed.as_ref().unwrap_or(&self.source)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Claim {
    /// These invariants hold in every state that a run reaches without an error; and no step is
    /// one, if there is a proof of that.
    Proved {
        /// The terms that lemmas speak of; each mentions only those before it.
        terms: Vec<Term>,
        nodes: Vec<Node>,
        /// That no step is an error, if that is claimed; cases that are not listed need no lemmas
        /// and no instances. The mover is [`Mover::Fresh`] in all of them; the variables are the
        /// mover, then the anchors.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        safety: Option<Vec<CaseProof>>,
    },
    /// This run violates an invariant, or does something that is an error.
    Refuted(Run),
    /// Whatever is claimed, it is shown by sets of states that no step leaves.
    Covered { boxes: Boxes, shows: Covers },
}

/// What sets of states show.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Covers {
    /// These invariants hold in every state that a run reaches without an error; and no step is
    /// one, if it is `safe`. See [`crate::cover`].
    Always { invariants: Vec<String>, safe: bool },
    /// Nobody has to wait forever. See [`crate::waiting`].
    Finishing { cap: u32, ends: Vec<End> },
    /// After this run a thread waits forever. See [`crate::cover`].
    Waits(Run),
}

/// An invariant that is claimed, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    pub invariant: String,
    pub how: How,
}

/// Why an invariant holds. Cases that are not listed need no lemmas, and no instances but those of
/// the invariant itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum How {
    /// It holds at the start and every step keeps it.
    Induction {
        /// Initiation: no mover, location and path 0.
        initiation: Vec<CaseProof>,
        consecution: Vec<CaseProof>,
    },
    /// It follows from others: no mover, location and path 0.
    Follows(Vec<CaseProof>),
}

/// Who takes the step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mover {
    /// Nobody: there is no step.
    Nobody,
    /// The variable with this number (parameters first, then anchors), a thread of the invariant.
    Variable(u32),
    /// A thread that is none of those of the invariant.
    Fresh,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseProof {
    /// Who takes the step.
    pub mover: Mover,
    /// From which location, by number from 0.
    pub location: u32,
    pub path: u32,
    /// The block of each variable.
    pub partition: Vec<u32>,
    /// Which instances of invariants are used (besides those of the invariant itself).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Instance>,
    /// Which axioms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lemmas: Vec<Lemma>,
}

/// An instance of an invariant in the state before the step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    pub invariant: String,
    /// One conjunct of it, from 0; all if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conjunct: Option<u32>,
    /// The block of each parameter.
    pub threads: Vec<u32>,
}

/// A term, by its place in [`Claim::Proved::terms`].
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct TermRef(pub u32);
pub type SetRef = TermRef;

/// A term. Numbers of heaps are heap versions of the path (see the crate).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// A global before the step (not of type `bool`).
    Global(u32),
    /// A local of a block before the step.
    Local(u32, u32),
    /// What the `choose` or `malloc` with this number, from 0, chooses on the path.
    New(u32),
    /// The thread of a block.
    Thread(u32),
    /// `nobody`.
    Nobody,
    /// `null`.
    Null,
    /// `lowest`.
    Lowest,
    /// `highest`.
    Highest,
    /// `constant + c1 * t1 + ...` of numbers; a number is one without parts.
    Sum {
        constant: i64,
        /// Coefficients and terms of type `int` that are no sums.
        parts: Vec<(i64, TermRef)>,
    },
    /// The smallest element of a set of numbers.
    Min(SetRef),
    Max(SetRef),
    /// `.next` in a heap version.
    Next(u32, TermRef),
    /// `.data`.
    Data(u32, TermRef),
    /// `.lockid`.
    Lockid(u32, TermRef),
    /// Something that is in exactly one of two sets, if they are not the same.
    Differ(SetRef, SetRef),
    /// Something that is in the first set and not in the second, if it is no subset.
    Outside(SetRef, SetRef),
    /// If not `ordered(a, b)` in a heap version, but `b` is reached: the first of two cells on the
    /// way where `.data` does not grow.
    First(u32, TermRef, TermRef),
    Second(u32, TermRef, TermRef),
    /// A cell in the set with this `.data` in the heap version, if there is one.
    Carrier(u32, SetRef, TermRef),
    /// `{}`.
    Empty,
    /// `{t}`.
    Singleton(TermRef),
    /// `s + t`.
    Union(SetRef, SetRef),
    /// `s * t`.
    Intersection(SetRef, SetRef),
    /// `s - t`.
    Difference(SetRef, SetRef),
    /// `addr2set(a)` in a heap version.
    Cells(u32, TermRef),
    /// `set2elem(s)` in a heap version.
    Elems(u32, SetRef),
}

impl Term {
    /// `.field` of a cell in a heap version.
    pub fn read(field: Field, version: u32, of: TermRef) -> Term {
        match field {
            Field::Next => Term::Next(version, of),
            Field::Data => Term::Data(version, of),
            Field::Lockid => Term::Lockid(version, of),
        }
    }

    /// The field, the heap version and the cell, if it is [`Term::read`].
    pub fn as_read(&self) -> Option<(Field, u32, TermRef)> {
        match *self {
            Term::Next(version, of) => Some((Field::Next, version, of)),
            Term::Data(version, of) => Some((Field::Data, version, of)),
            Term::Lockid(version, of) => Some((Field::Lockid, version, of)),
            _ => None,
        }
    }

    /// The terms that it is made of, in their order.
    pub fn parts(&self) -> Vec<TermRef> {
        self.clone().parts_mut().into_iter().map(|part| *part).collect()
    }

    /// The same, to be replaced.
    pub fn parts_mut(&mut self) -> Vec<&mut TermRef> {
        use Term::*;
        match self {
            Global(_) | Local(..) | New(_) | Thread(_) | Nobody | Null | Lowest | Highest
            | Empty => Vec::new(),
            Sum { parts, .. } => parts.iter_mut().map(|(_, part)| part).collect(),
            Min(t) | Max(t) | Singleton(t) => vec![t],
            Next(_, t) | Data(_, t) | Lockid(_, t) | Cells(_, t) | Elems(_, t) => vec![t],
            Differ(s, t) | Outside(s, t) | Union(s, t) | Intersection(s, t) | Difference(s, t) => {
                vec![s, t]
            }
            First(_, s, t) | Second(_, s, t) | Carrier(_, s, t) => vec![s, t],
        }
    }
}

/// An instantiation of an axiom. `=` is equality of the sort (of numbers: both differences are at
/// least 0).
///
/// In the axioms of `reach`, `R` is `reach[h, B]` with the heap version and the *cut* of the lemma.
/// *Stuck* is a cell that is `null` or equal to one of `B`; `n` is `next` of version `h`. The order
/// of the cut does not matter, nor whether a cell is in it twice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lemma {
    /// `x = y` and `y = z` give `x = z`. Also for sets, not for numbers.
    Transitive(TermRef, TermRef, TermRef),
    /// `x = y` gives `next(x) = next(y)` in a heap version. (`Data`, `Lockid` likewise.)
    Congruent(#[serde(with = "FieldName")] Field, u32, TermRef, TermRef),
    /// `le` is total: `le(x, y)` or `le(y, x)`.
    Total(TermRef, TermRef),
    /// `le(x, y)` and `le(y, z)` give `le(x, z)`.
    LeTransitive(TermRef, TermRef, TermRef),
    /// `le(x, y)` and `le(y, x)` if and only if `x = y` (of type `elem`): three clauses.
    Antisymmetric(TermRef, TermRef),
    /// Linear forms (sums) that cannot all be at least 0, with multipliers (at least 0): the sum of
    /// the products is a constant below 0. The clause: one of them is not. (For "not at least 0" of
    /// `f`, the form is `-f - 1`.)
    Farkas(Vec<(TermRef, u64)>),
    /// Of a sum `f` of numbers, `f >= 0` or `-f - 1 >= 0`: nothing, but it makes the atom known.
    Split(TermRef),
    /// Reading a field in the heap version `h` that a write of this field to address `a` with value
    /// `v` made from version `h - 1`: `x = a` gives `a = null` or `f_h(x) = v`; if not `x = a`,
    /// then `f_h(x) = f_g(x)`, where `g` is `h - 1` lowered. Two clauses.
    Read(#[serde(with = "FieldName")] Field, u32, TermRef),
    /// `null.next = null` (for `Next`), `null.lockid = nobody` (for `Lockid`) in a heap version.
    OfNull(#[serde(with = "FieldName")] Field, u32),
    /// If two sets are the same, then `u` is in both or in neither: two clauses.
    Same(SetRef, SetRef, TermRef),
    /// If they are not, then `Differ(s, t)` is in exactly one: two clauses.
    NotSame(SetRef, SetRef),
    /// If `s subset t`, and `u in s`, then `u in t`.
    Subset(SetRef, SetRef, TermRef),
    /// If not, `Outside(s, t)` is in `s` and not in `t`: two clauses.
    NotSubset(SetRef, SetRef),
    /// `u = v` and `u in s` give `v in s`.
    Member(TermRef, TermRef, SetRef),
    /// `u in s` gives `some(s)`.
    Some(SetRef, TermRef),
    /// `some(s)` gives `min(s) in s`, and `max(s) in s`: two clauses.
    Extreme(SetRef),
    /// `u in s` gives `min(s) <= u`, and `u <= max(s)`: two clauses.
    Least(SetRef, TermRef),
    /// `a in s` gives `a.data in set2elem(s)` in a heap version.
    ElemOf(u32, SetRef, TermRef),
    /// `e in set2elem(s)` gives that `Carrier(h, s, e)` is in `s` and has the `.data` `e`: two
    /// clauses.
    Carrier(u32, SetRef, TermRef),
    /// `x = y` gives `R(x, y)`.
    ReachEqual(u32, Vec<TermRef>, TermRef, TermRef),
    /// `R(x, y)` and `R(y, z)` give `R(x, z)`.
    ReachTransitive(u32, Vec<TermRef>, TermRef, TermRef, TermRef),
    /// `R(x, y)` and `R(x, z)` give `R(y, z)` or `R(z, y)`.
    ReachLinear(u32, Vec<TermRef>, TermRef, TermRef, TermRef),
    /// `x` is stuck, or `R(x, n(x))`.
    ReachStep(u32, Vec<TermRef>, TermRef),
    /// `R(x, y)` gives `x = y`, or `x` is not stuck and `R(n(x), y)`: one clause for `null`, one
    /// for each of `B`, and the last.
    ReachUnfold(u32, Vec<TermRef>, TermRef, TermRef),
    /// On a cycle: `R(x, y)`, `R(y, x)` and `R(x, z)` give `x = y` or `R(z, x)`.
    ReachCycle(u32, Vec<TermRef>, TermRef, TermRef, TermRef),
    /// One predecessor on a cycle: `R(x, y)`, `R(y, x)` and `n(x) = n(y)` give `x = y`.
    ReachPredecessor(u32, Vec<TermRef>, TermRef, TermRef),
    /// `n(x1) = x2`, ..., `n(xk) = x1` and `R(x1, y)` give `y = x1` or ... or `y = xk`. At least
    /// one `x`.
    ReachLoop(u32, Vec<TermRef>, Vec<TermRef>, TermRef),
    /// `ReachCut(h, B, u, x, y)`. With `C` = `reach[h, B + {u}]` (`u` at the end of the list):
    /// `R(x, y)` if and only if `C(x, y)`, or `C(x, u)` and `u` is not stuck (for `B`) and `C(n(u),
    /// y)`. The clauses: not `R(x, y)`, or `C(x, y)`, or each of `C(x, u)`, `u != null`, `u != b`
    /// for each of `B`, `C(n(u), y)`; not `C(x, y)`, or `R(x, y)`; and not `C(x, u)`, or not
    /// `C(n(u), y)`, or `u = null`, or `u = b` for one of `B`, or `R(x, y)`.
    ReachCut(u32, Vec<TermRef>, TermRef, TermRef, TermRef),
    /// Version `h` was made by a write of `next` to address `a`, and `a` is in `B` (the same term):
    /// `R(x, y)` if and only if `reach[g, B](x, y)`, where `g` is `h - 1` lowered. Two clauses.
    ReachWrite(u32, Vec<TermRef>, TermRef, TermRef),
    /// With `R` = `reach[h, {b}]` (`next` of `h` lowered): if `ordered(a, b)` in `h`, then `R(a,
    /// b)`.
    OrderedReaches(u32, TermRef, TermRef),
    /// And then `R(a, x)`, `R(x, b)`, `R(a, y)`, `R(y, b)`, `R(x, y)` give `x = y` or `x.data <
    /// y.data`.
    OrderedGrows(u32, TermRef, TermRef, TermRef, TermRef),
    /// If not, then not `R(a, b)`, or with `x = First(h, a, b)` and `y = Second(h, a, b)`: `R(a,
    /// x)`, `R(x, b)`, `R(a, y)`, `R(y, b)`, `R(x, y)`, `x != y`, `le(y.data, x.data)`: seven
    /// clauses.
    NotOrdered(u32, TermRef, TermRef),
}

/// How a [`Field`] is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Field", rename_all = "snake_case")]
enum FieldName {
    Next,
    Data,
    Lockid,
}

impl Lemma {
    /// The name of its axiom, as certificates have it.
    pub fn axiom(&self) -> String {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(named)) => named.keys().next().cloned(),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// The terms that it is about, to be replaced.
    pub fn terms_mut(&mut self) -> Vec<&mut TermRef> {
        use Lemma::*;
        match self {
            OfNull(..) => Vec::new(),
            Split(x) | Read(_, _, x) | Extreme(x) => vec![x],
            Congruent(_, _, x, y) | Total(x, y) | Antisymmetric(x, y) => vec![x, y],
            NotSame(x, y) | NotSubset(x, y) | Some(x, y) | Least(x, y) => vec![x, y],
            ElemOf(_, x, y) | Carrier(_, x, y) => vec![x, y],
            OrderedReaches(_, x, y) | NotOrdered(_, x, y) => vec![x, y],
            Transitive(x, y, z) | LeTransitive(x, y, z) | Same(x, y, z) => vec![x, y, z],
            Subset(x, y, z) | Member(x, y, z) => vec![x, y, z],
            OrderedGrows(_, a, b, x, y) => vec![a, b, x, y],
            Farkas(forms) => forms.iter_mut().map(|(form, _)| form).collect(),
            ReachStep(_, cut, x) => cut.iter_mut().chain([x]).collect(),
            ReachEqual(_, cut, x, y)
            | ReachUnfold(_, cut, x, y)
            | ReachPredecessor(_, cut, x, y)
            | ReachWrite(_, cut, x, y) => cut.iter_mut().chain([x, y]).collect(),
            ReachTransitive(_, cut, x, y, z)
            | ReachLinear(_, cut, x, y, z)
            | ReachCycle(_, cut, x, y, z)
            | ReachCut(_, cut, x, y, z) => cut.iter_mut().chain([x, y, z]).collect(),
            ReachLoop(_, cut, cells, y) => cut.iter_mut().chain(cells).chain([y]).collect(),
        }
    }
}

impl fmt::Display for TermRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
