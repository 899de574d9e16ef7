//! A question about the markings that a net reaches.

use crate::PlaceId;

/// A question about the reachable markings of a net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    pub name: String,
    /// Whether some reachable marking satisfies the formula, or all of them do.
    pub quantifier: Quantifier,
    pub formula: Formula,
}

/// Over which markings a query speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Some reachable marking (EF).
    Possibly,
    /// All reachable markings (AG).
    Always,
}

/// A formula about one marking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// All of them; true if there are none.
    And(Vec<Formula>),
    /// One of them; false if there are none.
    Or(Vec<Formula>),
    /// The opposite.
    Not(Box<Formula>),
    /// The first sum in relation to the second.
    Compare(Sum, Relation, Sum),
}

/// How two numbers may be related.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    Different,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// Token counts, each so many times, and a constant. Sorted by place, each place once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    /// Coefficients of token counts, none of them zero.
    pub terms: Vec<(PlaceId, i64)>,
    pub constant: i64,
}
