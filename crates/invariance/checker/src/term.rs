//! Terms, each of which exists once: equal terms have equal numbers.
//!
//! The meaning of [`TermKind::New`] and of heap versions depends on the path that is looked at; a
//! term is only what is written.

use crate::linear::Linear;
use ser_syntax::inv::ast::{Scalar, Type};

/// The number of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct TermId(pub u32);

/// The type of a term. The empty set has elements of any type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sort {
    Scalar(Scalar),
    Set(Option<Scalar>),
}

impl Sort {
    /// Of a variable; there are no terms of type `bool`.
    pub fn of(ty: Type) -> Option<Sort> {
        match ty {
            Type::Bool => None,
            Type::Scalar(scalar) => Some(Sort::Scalar(scalar)),
            Type::Set(scalar) => Some(Sort::Set(Some(scalar))),
        }
    }

    /// The type of both, if they have the same.
    pub fn with(self, other: Sort) -> Option<Sort> {
        match (self, other) {
            (Sort::Set(None), Sort::Set(_)) => Some(other),
            (Sort::Set(_), Sort::Set(None)) => Some(self),
            _ => (self == other).then_some(self),
        }
    }
}

/// What a term is: see [`crate::Term`]. Heap versions are lowered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TermKind {
    Global(u32),
    Local(u32, u32),
    New(u32, Type),
    Thread(u32),
    Nobody,
    Null,
    Lowest,
    Highest,
    /// A form that is not just one term.
    Sum(Linear),
    Min(TermId),
    Max(TermId),
    Next(u32, TermId),
    Data(u32, TermId),
    Lockid(u32, TermId),
    Differ(TermId, TermId),
    Outside(TermId, TermId),
    First(u32, TermId, TermId),
    Second(u32, TermId, TermId),
    Carrier(u32, TermId, TermId),
    Empty,
    Singleton(TermId),
    Union(TermId, TermId),
    Intersection(TermId, TermId),
    Difference(TermId, TermId),
    Cells(u32, TermId),
    Elems(u32, TermId),
}

impl TermKind {
    /// What it is made of, but for the parts of a sum (which are no sums, and have no deep parts
    /// but sets).
    pub fn parts(&self) -> [Option<TermId>; 2] {
        use TermKind::*;
        match self {
            Global(_) | Local(..) | New(..) | Thread(_) | Nobody | Null | Lowest | Highest
            | Empty => [None, None],
            Sum(form) => [form.parts.iter().map(|(part, _)| *part).max(), None],
            Min(t) | Max(t) | Singleton(t) => [Some(*t), None],
            Next(_, t) | Data(_, t) | Lockid(_, t) | Cells(_, t) | Elems(_, t) => [Some(*t), None],
            Differ(s, t) | Outside(s, t) | Union(s, t) | Intersection(s, t) | Difference(s, t) => {
                [Some(*s), Some(*t)]
            }
            First(_, s, t) | Second(_, s, t) | Carrier(_, s, t) => [Some(*s), Some(*t)],
        }
    }

    /// Whether two of these that are not the same term are different values.
    pub fn is_constant(&self) -> bool {
        use TermKind::{Highest, Lowest, Nobody, Thread};
        matches!(self, Thread(_) | Nobody | Lowest | Highest)
    }
}
