//! What the parser understood, before names have a meaning.
//!
//! [`resolve`](super::resolve) turns it into a [`Protocol`](super::Protocol).

use crate::ast::Name;
use crate::grammar::Expr;
use crate::icet::ast::SetKind;
use ser_base::Span;

/// A whole file, in the order written.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) items: Vec<Item>,
    /// Whether an item or a statement was not understood, and is missing here.
    pub(crate) holes: bool,
}

/// Something at top level.
#[derive(Debug)]
pub(crate) enum Item {
    Set(SetItem),
    Enum(EnumItem),
    Message(MessageItem),
    Process(ProcessItem),
}

/// `procs Q >= 1;`, `index I;`.
#[derive(Debug)]
pub(crate) struct SetItem {
    pub(crate) kind: SetKind,
    pub(crate) name: Name,
    pub(crate) at_least: u32,
}

/// `enum Colour { Red, Green }`.
#[derive(Debug)]
pub(crate) struct EnumItem {
    pub(crate) name: Name,
    pub(crate) values: Vec<Name>,
}

/// `msg Work = Task(pid, int) | None;`.
#[derive(Debug)]
pub(crate) struct MessageItem {
    pub(crate) name: Name,
    pub(crate) constructors: Vec<ConstructorItem>,
}

/// `Task(pid, int)`.
#[derive(Debug)]
pub(crate) struct ConstructorItem {
    pub(crate) name: Name,
    pub(crate) fields: Vec<TypeName>,
}

/// `server proc worker for w in W { ... }`.
#[derive(Debug)]
pub(crate) struct ProcessItem {
    pub(crate) server: bool,
    pub(crate) name: Name,
    /// What a member calls itself, and its set.
    pub(crate) member: Option<(Name, Name)>,
    pub(crate) body: Vec<Stmt>,
}

/// A type as it is written.
#[derive(Debug)]
pub(crate) struct TypeName {
    pub(crate) span: Span,
    pub(crate) kind: TypeNameKind,
}

#[derive(Debug)]
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
#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) span: Span,
    pub(crate) kind: StmtKind,
}

#[derive(Debug)]
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
#[derive(Debug)]
pub(crate) enum Value {
    Expr(Expr),
    Any(TypeName),
    Pick(Name),
}

/// `Task(m, t) => { ... }`.
#[derive(Debug)]
pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) body: Vec<Stmt>,
}

/// `_`, `x`, `None`, `Task(m, _)`.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) span: Span,
    pub(crate) kind: PatternKind,
}

#[derive(Debug)]
pub(crate) enum PatternKind {
    Ignore,
    /// A variable, or a constructor without fields.
    Name(Name),
    Constructor(Name, Vec<Option<Name>>),
}

impl Stmt {
    /// The blocks directly inside.
    pub(crate) fn blocks(&self) -> Vec<&[Stmt]> {
        match &self.kind {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::Match { arms, .. } => arms.iter().map(|arm| arm.body.as_slice()).collect(),
            StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::For { body, .. } => {
                vec![body]
            }
            _ => Vec::new(),
        }
    }
}
