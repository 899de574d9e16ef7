//! Where the names of a file stand, and what they stand for, for editors.

use super::ast::{GlobalId, InvId, LocId, LocalId, ProcId, Scalar, Type};
use crate::ast::Name;
use std::fmt;

/// Something that has a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// What a thread calls itself.
    Member,
    /// A constant: its place in the program.
    Constant(u32),
    /// An enumeration: its place in [`System::enumerations`](super::System::enumerations).
    Enumeration(u32),
    /// A value of an enumeration.
    Value(u32, u32),
    /// A type with a name: its place in the program.
    Alias(u32),
    /// A global variable.
    Global(GlobalId),
    /// A local variable or a parameter of a procedure.
    Local(LocalId),
    /// A function with a body, or the process.
    Procedure(ProcId),
    /// A named statement.
    Statement(LocId),
    /// The name of a block: its place in [`InvParse::labels`](super::InvParse::labels).
    Label(u32),
    /// A shorthand: its place in [`InvParse::lets`](super::InvParse::lets).
    Let(u32),
    /// A parameter of a shorthand.
    LetParameter(u32, u32),
    Invariant(InvId),
    /// A parameter of an invariant.
    Parameter(InvId, u32),
    /// A conjunct of an invariant.
    Conjunct(InvId, u32),
}

/// `crit: { ... }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub name: Name,
    /// The procedure in which it stands.
    pub procedure: ProcId,
    /// Its first location.
    pub first: LocId,
    /// Its last location.
    pub last: LocId,
}

/// `fn active(i) = formula`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Let {
    pub name: Name,
    /// Its thread variables.
    pub parameters: Vec<Name>,
    /// The type of its value; nothing if it was not understood.
    pub ty: Option<Type>,
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scalar::Int => "int",
            Scalar::Tid => "Threads",
            Scalar::Addr => "addr",
            Scalar::Elem => "elem",
        })
    }
}

/// As it is written: `int`, `set of addr`; a thread by the usual name of their set.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Scalar(scalar) => scalar.fmt(f),
            Type::Set(scalar) => write!(f, "set of {scalar}"),
        }
    }
}
