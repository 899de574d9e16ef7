//! What the parser understood, before names have a meaning.
//!
//! [`resolve`](super::resolve) turns it into a [`Protocol`](super::Protocol).

use crate::ast::{Name, Node};
use crate::grammar::Expr;
use crate::icet::ast::{EnumDecl, SetDecl};

/// A whole file, in the order written.
pub(crate) type File = crate::grammar::File<Item>;

/// Something at top level.
pub(crate) enum Item {
    Set(SetDecl),
    Enum(EnumDecl),
    Message(MessageItem),
    Process(ProcessItem),
}

/// `msg Work = Task(pid, int) | None;`.
pub(crate) struct MessageItem {
    pub(crate) name: Name,
    pub(crate) constructors: Vec<ConstructorItem>,
}

/// `Task(pid, int)`.
pub(crate) struct ConstructorItem {
    pub(crate) name: Name,
    pub(crate) fields: Vec<TypeName>,
}

/// `server proc worker for w in W { ... }`.
pub(crate) struct ProcessItem {
    pub(crate) server: bool,
    pub(crate) name: Name,
    /// What a member calls itself, and its set.
    pub(crate) member: Option<(Name, Name)>,
    pub(crate) body: Vec<Stmt>,
}

/// A type as it is written.
pub(crate) type TypeName = Node<TypeNameKind>;

pub(crate) enum TypeNameKind {
    Int,
    Bool,
    Pid,
    /// `pid in Q`.
    Member(Name),
    /// An enumeration, one hopes.
    Named(Name),
}

/// A statement.
pub(crate) type Stmt = Node<StmtKind>;

pub(crate) enum StmtKind {
    Send { payload: Expr, to: Expr },
    Receive { pattern: Option<Pattern>, message: Name, from: Option<Expr> },
    Assign { name: Name, value: Value },
    If { condition: Option<Expr>, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    Match { name: Name, arms: Vec<Arm> },
    While { condition: Expr, body: Vec<Stmt> },
    Loop { body: Vec<Stmt> },
    Break,
    For { name: Name, set: Name, body: Vec<Stmt> },
    Assert { condition: Expr },
    Fail,
    Skip,
}

/// What stands behind `:=`.
pub(crate) enum Value {
    Expr(Expr),
    Any(TypeName),
    Pick(Name),
}

/// `Task(m, t) => { ... }`.
pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) body: Vec<Stmt>,
}

/// `_`, `x`, `None`, `Task(m, _)`.
pub(crate) type Pattern = Node<PatternKind>;

pub(crate) enum PatternKind {
    Ignore,
    /// A variable, or a constructor without fields.
    Name(Name),
    Constructor(Name, Vec<Option<Name>>),
}

crate::icet::ast::blocks!();
