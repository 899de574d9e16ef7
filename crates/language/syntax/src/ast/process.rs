//! What processes and unwindings are made of, before it has been checked.
//!
//! The parser leaves this of a `.unw` file, and `processes` make it of the tree of a program;
//! `processes` and `unwindings` make the public trees of it.

use super::{Constant, Enumeration, Expr, Name, Node, Parameter};
use ser_base::Span;

/// The items of a file, each kind in the order of the text.
#[derive(Default)]
pub(crate) struct Items {
    /// `const N = 3`, and the members of enumerations with their numbers.
    pub(crate) constants: Vec<Constant>,
    pub(crate) enumerations: Vec<Enumeration>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) processes: Vec<Process>,
    pub(crate) goals: Vec<GoalItem>,
    pub(crate) places: Vec<PlaceItem>,
    pub(crate) transitions: Vec<TransitionItem>,
    pub(crate) targets: Vec<Name>,
}

/// `var name: type = first`.
pub(crate) struct Variable {
    pub(crate) name: Name,
    pub(crate) values: Type,
    pub(crate) first: Option<Expr>,
}

/// Which values there are.
pub(crate) type Type = Node<TypeKind>;

pub(crate) enum TypeKind {
    /// `low..high`.
    Range(Expr, Expr),
    /// `bool`.
    Bool,
    /// `bits n`.
    Bits(Expr),
    /// `unit`: a token and nothing else, in unwindings.
    Unit,
    /// The name of an enumeration.
    Named(Name),
    /// `queue[capacity] of type`.
    Queue(Expr, Box<Type>),
    /// Reported.
    Error,
}

/// `process name(parameters) { body }`.
pub(crate) struct Process {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Body,
    pub(crate) span: Span,
}

/// `reach "name": condition`.
pub(crate) struct GoalItem {
    pub(crate) name: Option<String>,
    pub(crate) condition: Expr,
    pub(crate) span: Span,
}

/// Statements in braces.
pub(crate) struct Body {
    pub(crate) statements: Vec<Statement>,
    pub(crate) span: Span,
}

pub(crate) type Statement = Node<StatementKind>;

pub(crate) enum StatementKind {
    /// An assignment, or something that makes no sense as a statement.
    Expr(Expr),
    /// `await(condition)`, perhaps with a body that belongs to the same action.
    Await(Expr, Option<Body>),
    /// `atomic { ... }`.
    Atomic(Body),
    /// `if (condition) { ... } else { ... }`; an `else if` is a body with one statement.
    If(Expr, Body, Option<Body>),
    /// `while (condition) { ... }`.
    While(Expr, Body),
    /// `for name in low..high { ... }`.
    For(Name, Expr, Expr, Body),
    /// `choose { ... } or { ... }`.
    Choose(Vec<Body>),
    /// `send value to queue`.
    Send(Name, Expr),
    /// `variable := recv queue`, or just `recv queue`.
    Receive(Name, Option<Name>),
    /// `skip`.
    Skip,
    /// `return`.
    Return,
    /// Reported.
    Error,
}

/// Something in an expression that looks like a call. In its place stands a
/// [`Read`](super::ExprKind::Read) of a name with brackets, which no variable can have; the place
/// leads here.
pub(crate) struct Call {
    pub(crate) function: Function,
    pub(crate) span: Span,
}

pub(crate) enum Function {
    /// `len(queue)`.
    Len(Name),
    /// `done`, `done(process)`, `done(instance)`.
    Done(Option<Reference>),
    /// `label[index]`: the response of a request.
    Response(Reference),
}

/// `name`, `name(arguments)`, `name[index]`, `name(arguments)[index]`.
pub(crate) struct Reference {
    pub(crate) name: Name,
    pub(crate) arguments: Option<Vec<Expr>>,
    pub(crate) index: Option<Expr>,
    pub(crate) span: Span,
}

/// `place name : type, ...`.
pub(crate) struct PlaceItem {
    pub(crate) name: Name,
    pub(crate) components: Vec<Type>,
    pub(crate) span: Span,
}

/// `transition name { ... }`.
pub(crate) struct TransitionItem {
    pub(crate) name: Name,
    pub(crate) parts: Vec<TransitionPart>,
    pub(crate) span: Span,
}

pub(crate) type TransitionPart = Node<TransitionPartKind>;

pub(crate) enum TransitionPartKind {
    /// `in place(expr, ...)`, `test ...`, `out ...`.
    Arc(super::ArcKind, Name, Vec<Expr>),
    /// `when condition`.
    When(Expr),
    /// `var name : type`.
    Var(Name, Type),
    /// Reported.
    Error,
}

impl Statement {
    /// Hands over the expression of this statement itself, not those of statements inside it.
    pub(crate) fn for_each_own_expr<'s>(&'s self, each: &mut dyn FnMut(&'s Expr)) {
        match &self.kind {
            StatementKind::Expr(expr)
            | StatementKind::Send(_, expr)
            | StatementKind::Await(expr, _)
            | StatementKind::If(expr, ..)
            | StatementKind::While(expr, _) => each(expr),
            StatementKind::For(_, low, high, _) => {
                each(low);
                each(high);
            }
            StatementKind::Atomic(_)
            | StatementKind::Choose(_)
            | StatementKind::Receive(..)
            | StatementKind::Skip
            | StatementKind::Return
            | StatementKind::Error => {}
        }
    }

    /// Hands over the statements directly inside this one.
    pub(crate) fn for_each_body<'s>(&'s self, each: &mut dyn FnMut(&'s Body)) {
        match &self.kind {
            StatementKind::Await(_, Some(body))
            | StatementKind::Atomic(body)
            | StatementKind::While(_, body)
            | StatementKind::For(_, _, _, body) => each(body),
            StatementKind::If(_, then, otherwise) => {
                each(then);
                otherwise.iter().for_each(each);
            }
            StatementKind::Choose(bodies) => bodies.iter().for_each(each),
            _ => {}
        }
    }
}
