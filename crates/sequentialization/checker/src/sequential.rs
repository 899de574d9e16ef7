//! Sequential programs: what a derivation leaves of a protocol.
//!
//! One program over the variables of all processes, without sends, receives and interleaving.

use crate::derivation::{Bag, Symbol};
use ser_syntax::icet::ast::{ConstructorId, Expr, MessageId, ProcessId, SetId, StmtId, VarId};

/// A process, by name or by the symbol of a member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Who {
    Process(ProcessId),
    /// A member of a set of processes.
    Member(Symbol),
}

/// A value that was sent, from the send to the receive: a variable that no program mentions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ghost(pub u32);

/// What can be assigned to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// A variable of a process.
    Variable(Who, VarId),
    /// A ghost of a process (every member of a set has its own).
    Ghost(Who, Ghost),
}

/// What is assigned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// An expression over the variables of a process.
    Expr(Who, Expr),
    /// The value of a place.
    Place(Place),
    /// The member or index of that name.
    Symbol(Symbol),
    /// A field of a message with that constructor.
    Field(Box<Term>, ConstructorId, u32),
}

/// A statement of a sequential program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sequential {
    /// `place := value`.
    Assign {
        place: Place,
        value: Term,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// `variable := any`.
    Any {
        who: Who,
        variable: VarId,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// From here to the end of the block, the symbol is some member of the set.
    Pick { symbol: Symbol, set: SetId },
    /// `if condition { ... } else { ... }`; no condition: either.
    If {
        /// Whose variables the condition is about.
        who: Who,
        condition: Option<Expr>,
        /// If it holds.
        then: Vec<Sequential>,
        /// If not.
        otherwise: Vec<Sequential>,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// One block for each constructor that the message may have.
    Match {
        /// Whose variable is looked at.
        who: Who,
        variable: VarId,
        message: MessageId,
        /// The cases, ascending; a message with no case cannot be there.
        cases: Vec<(ConstructorId, Vec<Sequential>)>,
        /// The statement of the protocol.
        from: StmtId,
    },
    /// Once for every member, in any order (processes) or ascending (indices).
    For { symbol: Symbol, set: SetId, body: Vec<Sequential> },
    /// `assert condition`; no condition: `fail`.
    Assert {
        /// Whose variables the condition is about.
        who: Who,
        condition: Option<Expr>,
        /// The statement of the protocol.
        from: StmtId,
        /// Whether the facts that are known here decide that it holds.
        holds: bool,
    },
    /// The value is put into the bag.
    Put { bag: Bag, value: Term },
    /// Any value of the bag is taken out.
    Take {
        bag: Bag,
        /// Where it is kept.
        place: Place,
    },
}
