//! What a model of threads says, before names have a meaning.
//!
//! `reader` makes it of the tree of the language, and says what this world does not have;
//! [`resolve`](super::resolve) turns it into a [`System`](super::System).

use super::ast::Type;
use crate::ast::{BinaryOp, Name, Node, PlaceRange, Proof, Relation, Size};
use ser_base::Span;

/// A whole file; each kind of items in the order written.
#[derive(Default)]
pub(crate) struct File<'t> {
    /// `set Threads`: their number, where something is said about it.
    pub(crate) size: Option<Size>,
    /// What the set is called.
    pub(crate) set: Option<&'t Name>,
    /// What a thread calls itself.
    pub(crate) member: Option<&'t Name>,
    pub(crate) globals: Vec<Variable<'t>>,
    pub(crate) assumptions: Vec<Written<'t>>,
    /// The process, and the functions that have a body.
    pub(crate) procedures: Vec<ProcedureItem<'t>>,
    /// The functions that are shorthands.
    pub(crate) lets: Vec<LetItem<'t>>,
    pub(crate) invariants: Vec<InvariantItem<'t>>,
    pub(crate) proofs: &'t [Proof],
    /// Whether a declaration or a name of a place was not understood, and is missing.
    pub(crate) holes: bool,
}

/// `ghost var avail: int = 0`.
pub(crate) struct Variable<'t> {
    pub(crate) ghost: bool,
    pub(crate) name: &'t Name,
    pub(crate) ty: Type,
    pub(crate) initial: Option<Written<'t>>,
}

/// `process thread for self in Threads { ... }` or `fn insert(e: elem): bool { ... }`.
pub(crate) struct ProcedureItem<'t> {
    pub(crate) is_thread: bool,
    pub(crate) name: &'t Name,
    pub(crate) parameters: Vec<(&'t Name, Type)>,
    pub(crate) result: Option<(Type, Span)>,
    pub(crate) locals: Vec<Variable<'t>>,
    pub(crate) body: Block<'t>,
}

/// `{ ... }`.
pub(crate) struct Block<'t> {
    pub(crate) statements: Vec<Stmt<'t>>,
    /// The closing brace.
    pub(crate) close: Span,
}

/// A statement.
pub(crate) struct Stmt<'t> {
    /// `take:` before it.
    pub(crate) name: Option<&'t Name>,
    /// Its first line: without its name, blocks and ghost code.
    pub(crate) span: Span,
    pub(crate) kind: StmtKind<'t>,
    /// `ghost { ... }` behind it.
    pub(crate) ghost: Vec<Action<'t>>,
}

pub(crate) enum StmtKind<'t> {
    /// `active: { ... }`.
    Label(&'t Name, Block<'t>),
    Action(Action<'t>),
    Atomic(Vec<Action<'t>>),
    Call {
        target: Option<Written<'t>>,
        procedure: &'t Name,
        arguments: Vec<Written<'t>>,
    },
    Return(Option<Written<'t>>),
    If {
        condition: Written<'t>,
        then: Block<'t>,
        otherwise: Option<Block<'t>>,
    },
    While {
        condition: Written<'t>,
        body: Block<'t>,
    },
    Loop(Block<'t>),
    Choice(Vec<Block<'t>>),
}

/// A part of a step.
pub(crate) type Action<'t> = Node<ActionKind<'t>>;

pub(crate) enum ActionKind<'t> {
    Assign {
        target: Written<'t>,
        value: Written<'t>,
    },
    /// `x := choose(int) where x > 0`.
    Havoc {
        target: Written<'t>,
        values: Node<Type>,
        condition: Option<Written<'t>>,
    },
    Malloc {
        target: Written<'t>,
        data: Written<'t>,
        next: Written<'t>,
    },
    Lock(Written<'t>),
    Unlock(Written<'t>),
    Await(Written<'t>),
    Assert(Written<'t>),
    Skip,
    If {
        condition: Written<'t>,
        then: Vec<Action<'t>>,
        otherwise: Vec<Action<'t>>,
    },
}

/// `fn active(i) = at(i, wait) || at(i, crit)`.
pub(crate) struct LetItem<'t> {
    pub(crate) name: &'t Name,
    pub(crate) parameters: Vec<&'t Name>,
    pub(crate) value: Written<'t>,
}

/// `invariant mutex(i, j): formula`.
pub(crate) struct InvariantItem<'t> {
    pub(crate) name: &'t Name,
    pub(crate) parameters: Vec<&'t Name>,
    pub(crate) conjuncts: Vec<(Option<&'t Name>, Written<'t>)>,
    pub(crate) span: Span,
}

/// An expression as it is written.
pub(crate) type Written<'t> = Node<WrittenKind<'t>>;

pub(crate) enum WrittenKind<'t> {
    Number(i64),
    Bool(bool),
    Null,
    Nobody,
    Lowest,
    Highest,
    Name(&'t Name),
    /// `x[i]` or `p.x[i]`.
    Indexed {
        procedure: Option<&'t Name>,
        name: &'t Name,
        index: Box<Written<'t>>,
    },
    /// `a.next`.
    Field(Box<Written<'t>>, &'t Name),
    /// `at(i, places)`.
    At(Box<Written<'t>>, &'t [PlaceRange]),
    Set(Vec<Written<'t>>),
    /// `min(s)`, or a shorthand with arguments.
    Call(&'t Name, Vec<Written<'t>>),
    Not(Box<Written<'t>>),
    Negate(Box<Written<'t>>),
    /// The place is that of the operator.
    Binary(Sign, Span, Box<Written<'t>>, Box<Written<'t>>),
    /// Reported.
    Error,
}

/// An operator between two expressions.
#[derive(Clone, Copy)]
pub(crate) enum Sign {
    Common(BinaryOp),
    Relation(Relation),
}
