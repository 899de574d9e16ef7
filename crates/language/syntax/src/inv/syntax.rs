//! What the parser understood, before names have a meaning.
//!
//! [`resolve`](super::resolve) turns it into a [`System`](super::System).

use super::ast::{Premise, Type};
use crate::ast::{Name, Node};
use crate::grammar::{Expr, Range};
use ser_base::Span;

/// A whole file, in the order written.
pub(crate) type File = crate::grammar::File<Item>;

/// Something at top level.
pub(crate) enum Item {
    /// `system NAME;`.
    System(Name),
    /// `threads N;`, with the place of the number.
    Threads(u32, Span),
    /// `global x : int = 0;`.
    Global(Variables),
    /// `assume formula;`.
    Assume(Expr),
    /// `thread { ... }` or `proc p() { ... }`.
    Procedure(ProcedureItem),
    /// `let name(i) = expr;`.
    Let(LetItem),
    /// `invariant name(i) = formula;`.
    Invariant(InvariantItem),
    /// `proof { ... }`.
    Proof(ProofItem),
}

/// `ghost global a, b : int = 0;`, or with `local`.
pub(crate) struct Variables {
    pub(crate) ghost: bool,
    pub(crate) names: Vec<Name>,
    pub(crate) ty: Type,
    pub(crate) initial: Option<Expr>,
}

/// `thread { ... }`, whose name is the word itself, or `proc insert(e : elem) : bool { ... }`.
pub(crate) struct ProcedureItem {
    pub(crate) is_thread: bool,
    pub(crate) name: Name,
    pub(crate) parameters: Vec<(Name, Type)>,
    pub(crate) result: Option<(Type, Span)>,
    pub(crate) locals: Vec<Variables>,
    pub(crate) body: Block,
}

/// `{ ... }`.
pub(crate) struct Block {
    pub(crate) statements: Vec<Stmt>,
    /// The closing brace.
    pub(crate) close: Span,
}

/// A statement.
pub(crate) struct Stmt {
    /// `take:` before it.
    pub(crate) name: Option<Name>,
    /// Its first line: without its name, the `;`, blocks and ghost code.
    pub(crate) span: Span,
    pub(crate) kind: StmtKind,
    /// `ghost { ... }` behind it.
    pub(crate) ghost: Vec<Action>,
}

pub(crate) enum StmtKind {
    Label(Name, Block),
    Action(Action),
    Noncritical,
    Critical,
    Atomic(Vec<Action>),
    Call { target: Option<Expr>, procedure: Name, arguments: Vec<Expr> },
    Return(Option<Expr>),
    If { condition: Expr, then: Block, otherwise: Option<Block> },
    While { condition: Expr, body: Block },
    Loop(Block),
    Choice(Vec<Block>),
}

/// A part of a step.
pub(crate) type Action = Node<ActionKind>;

pub(crate) enum ActionKind {
    Assign { target: Expr, value: Expr },
    Havoc { target: Expr, condition: Option<Expr> },
    Malloc { target: Expr, data: Expr, next: Expr },
    Lock(Expr),
    Unlock(Expr),
    Await(Expr),
    Assert(Expr),
    Skip,
    If { condition: Expr, then: Vec<Action>, otherwise: Vec<Action> },
}

/// `let active(i) = at(i, wait) || at(i, crit);`.
pub(crate) struct LetItem {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Name>,
    pub(crate) value: Expr,
}

/// `invariant mutex(i, j) = formula;`.
pub(crate) struct InvariantItem {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Name>,
    pub(crate) conjuncts: Vec<(Option<Name>, Expr)>,
    pub(crate) span: Span,
}

/// `proof acyclic { ... }`.
pub(crate) struct ProofItem {
    /// The word `proof`.
    pub(crate) span: Span,
    pub(crate) acyclic: bool,
    pub(crate) entries: Vec<EntryItem>,
}

/// `mutex from a, b;`, `mutex { at wait self use a; }`.
pub(crate) struct EntryItem {
    pub(crate) invariant: Name,
    pub(crate) span: Span,
    /// The word `follows`.
    pub(crate) follows: Option<Span>,
    pub(crate) from: Vec<SupportName>,
    pub(crate) cases: Vec<CaseItem>,
}

/// `order` or `order.bounded`.
pub(crate) struct SupportName {
    pub(crate) invariant: Name,
    pub(crate) conjunct: Option<Name>,
}

/// `at take, leave other use notsame;`.
pub(crate) struct CaseItem {
    pub(crate) span: Span,
    pub(crate) places: Vec<Range>,
    pub(crate) premise: Option<Premise>,
    pub(crate) uses: Vec<SupportName>,
}
