//! What unwindings, and questions on the command line, are made of before they are checked.

use super::{Constant, Enumeration, Expr, Name, Node, Type};
use ser_base::Span;

/// The items of a `.unw` file, each kind in the order of the text.
#[derive(Default)]
pub(crate) struct Items {
    /// `const N = 3`, and the members of enumerations with their numbers.
    pub(crate) constants: Vec<Constant>,
    pub(crate) enumerations: Vec<Enumeration>,
    pub(crate) places: Vec<PlaceItem>,
    pub(crate) transitions: Vec<TransitionItem>,
    pub(crate) targets: Vec<Name>,
}

/// Something in a question that looks like a call. In its place stands a
/// [`Read`](super::ExprKind::Read) of a name with brackets, which no variable can have; the place
/// leads here.
pub(crate) struct Call {
    pub(crate) function: Function,
    pub(crate) span: Span,
}

pub(crate) enum Function {
    /// `done`, `done(instance)`.
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
