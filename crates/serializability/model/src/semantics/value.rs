//! What the machine computes with: numbers, or numbers of which some are *opaque*.
//!
//! An opaque value stands for any number. What is computed from it is opaque, and a branch on it
//! goes both ways. So whatever a request does with numbers, it also does with opaque values in
//! place of some of them.

use ser_syntax::core::{BinaryOp, UnaryOp};
use std::fmt::{self, Debug, Display, Formatter};
use std::hash::Hash;

/// A value of a variable or of an expression.
pub(crate) trait Value: Copy + Eq + Hash + Debug + Display {
    /// A number.
    fn of(number: i64) -> Self;

    /// The number that it is, if that is known.
    fn number(self) -> Option<i64>;

    /// The value of `op self`; nothing if it does not fit into 64 bits.
    fn unary(self, op: UnaryOp) -> Option<Self>;

    /// The value of `self op right`; nothing if it does not fit into 64 bits.
    fn binary(self, op: BinaryOp, right: Self) -> Option<Self>;
}

impl Value for i64 {
    fn of(number: i64) -> i64 {
        number
    }

    fn number(self) -> Option<i64> {
        Some(self)
    }

    fn unary(self, op: UnaryOp) -> Option<i64> {
        op.apply(self)
    }

    fn binary(self, op: BinaryOp, right: i64) -> Option<i64> {
        op.apply(self, right)
    }
}

/// A number, or an opaque value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Veiled {
    /// This number.
    Number(i64),
    /// Any number.
    Opaque,
    /// The opaque value that the request had here when its step began: a local variable, or behind
    /// those a place on the stack.
    Kept(u32),
}

impl Value for Veiled {
    fn of(number: i64) -> Veiled {
        Veiled::Number(number)
    }

    fn number(self) -> Option<i64> {
        match self {
            Veiled::Number(number) => Some(number),
            Veiled::Opaque | Veiled::Kept(_) => None,
        }
    }

    fn unary(self, op: UnaryOp) -> Option<Veiled> {
        match self {
            Veiled::Number(number) => op.apply(number).map(Veiled::Number),
            Veiled::Opaque | Veiled::Kept(_) => Some(Veiled::Opaque),
        }
    }

    fn binary(self, op: BinaryOp, right: Veiled) -> Option<Veiled> {
        match (self, right) {
            (Veiled::Number(left), Veiled::Number(right)) => {
                op.apply(left, right).map(Veiled::Number)
            }
            _ => Some(Veiled::Opaque),
        }
    }
}

impl Veiled {
    /// Whether it is opaque.
    pub fn is_opaque(&self) -> bool {
        self.number().is_none()
    }

    /// The value between two steps.
    pub fn settled(self) -> Veiled {
        self.number().map_or(Veiled::Opaque, Veiled::Number)
    }
}

impl Display for Veiled {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Veiled::Number(number) => write!(f, "{number}"),
            Veiled::Opaque | Veiled::Kept(_) => f.write_str("?"),
        }
    }
}
