//! What a file asks, and how it is proved.

pub use crate::inv::ast::Premise;

use super::{Expr, Name};
use ser_base::Span;

/// `reach "name": condition`, `invariant name(i, j): condition`, `deadlock`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    pub kind: ClaimKind,
    /// What the source calls it.
    pub name: Option<Name>,
    /// Any threads, the same one more than once included.
    pub parameters: Vec<Name>,
    /// All of these hold; one for `reach`, none for `deadlock`.
    pub conjuncts: Vec<Conjunct>,
    /// The whole item.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClaimKind {
    /// Can it be true?
    Reach,
    /// Is it always true?
    Invariant,
    /// Can somebody wait forever?
    Deadlock,
}

impl ClaimKind {
    /// The word that it starts with.
    pub fn word(self) -> &'static str {
        match self {
            ClaimKind::Reach => "reach",
            ClaimKind::Invariant => "invariant",
            ClaimKind::Deadlock => "deadlock",
        }
    }
}

/// `name: condition`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conjunct {
    pub name: Option<Name>,
    pub condition: Expr,
}

/// `a` or `a..b`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceRange {
    pub first: Place,
    pub last: Option<Place>,
}

/// `link` or `insert.link`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub procedure: Option<Name>,
    pub name: Name,
}

impl Place {
    pub fn span(&self) -> Span {
        self.procedure.as_ref().map_or(self.name.span, |it| it.span.to(self.name.span))
    }
}

impl PlaceRange {
    pub fn span(&self) -> Span {
        self.last.as_ref().map_or(self.first.span(), |last| self.first.span().to(last.span()))
    }
}

/// `proof acyclic { ... }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The word `proof`.
    pub span: Span,
    pub acyclic: bool,
    pub entries: Vec<Entry>,
}

/// `mutex from a, b;`, `mutex { at wait self use a; }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub invariant: Name,
    pub span: Span,
    /// The word `follows`.
    pub follows: Option<Span>,
    pub from: Vec<Support>,
    pub cases: Vec<Case>,
}

/// `order` or `order.bounded`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Support {
    pub invariant: Name,
    pub conjunct: Option<Name>,
}

/// `at take, leave other use notsame;`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub span: Span,
    pub places: Vec<PlaceRange>,
    pub premise: Option<Premise>,
    pub uses: Vec<Support>,
}
