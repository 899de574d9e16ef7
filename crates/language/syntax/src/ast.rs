//! The syntax tree: what the parser understood, with the place of everything.
//!
//! The language is a language of expressions: everything inside a handler has a value,
//! and the value of a handler's last expression is the request's response. The tree keeps
//! what a person wrote (parentheses, `else if`), so that it can be shown and laid out again.
//! What each construct means is told in `docs/language.md`.

/// Types that trees are made of.
macro_rules! trees {
    ($($(#[$attribute:meta])* $visibility:vis $kind:ident $name:ident $body:tt)+) => {$(
        #[derive(Clone, PartialEq, Eq, Debug)]
        $(#[$attribute])*
        $visibility $kind $name $body
    )+};
}

pub(crate) use trees;

mod model;
pub(crate) mod process;
mod unwinding;

pub use model::{Goal, Model, Range};
pub use unwinding::{Arc, ArcKind, Component, Place, Transition, TransitionVariable, Unwinding};

use ser_base::Span;

/// A whole source file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// `const N = 3`.
    pub constants: Vec<Constant>,
    /// `A := 100` at top level; globals that are not listed start at 0.
    pub initial_values: Vec<InitialValue>,
    /// The request handlers.
    pub requests: Vec<Request>,
}

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name itself.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl std::fmt::Display for Name {
    /// In quotes, as in messages.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`", self.text)
    }
}

impl Name {
    /// Whether this names a global variable: its first letter is uppercase.
    /// (Constants are looked up first; they may be written either way.)
    pub fn is_global(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }
}

/// `const name = value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    pub name: Name,
    /// An expression over numbers and earlier constants.
    pub value: Expr,
    /// The whole item.
    pub span: Span,
}

/// `Name := value` at top level: the value of a global variable before anything runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InitialValue {
    /// The global variable.
    pub name: Name,
    /// An expression over numbers and constants.
    pub value: Expr,
    /// The whole item.
    pub span: Span,
}

/// `request name(parameters) { body }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The name of the handler.
    pub name: Name,
    /// Its parameters; each combination of their values is a request label of its own.
    pub parameters: Vec<Parameter>,
    /// What it does.
    pub body: Block,
    /// The whole item.
    pub span: Span,
}

/// `name in low..high`, both ends included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The parameter, a local variable that cannot be assigned.
    pub name: Name,
    /// The smallest value.
    pub low: Expr,
    /// The largest value.
    pub high: Expr,
    /// The whole parameter.
    pub span: Span,
}

/// Expressions in sequence; the value is the last one's, or 0 if there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The expressions, in order.
    pub exprs: Vec<Expr>,
    /// The whole block, with its braces or parentheses.
    pub span: Span,
}

/// Something with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node<K> {
    pub kind: K,
    /// Where it stands.
    pub span: Span,
}

/// An expression with its place.
pub type Expr = Node<ExprKind>;

impl Expr {
    /// Hands over the expressions directly inside this one, those in its blocks included, in the
    /// order of the source.
    ///
    /// ```
    /// let parse = ser_syntax::parse("request main { if (X == 1) { Y := 2; 3 } else { 4 } }");
    /// let mut spans = Vec::new();
    /// parse.program.requests[0].body.exprs[0].for_each_child(&mut |e| spans.push(e.span.start));
    /// assert_eq!(spans, [18, 29, 37, 48]);
    /// ```
    pub fn for_each_child<'e>(&'e self, each: &mut dyn FnMut(&'e Expr)) {
        match &self.kind {
            ExprKind::Number(_)
            | ExprKind::Coin
            | ExprKind::Read(_)
            | ExprKind::Yield
            | ExprKind::Return(None)
            | ExprKind::Abort
            | ExprKind::Error => {}
            ExprKind::Assign(_, inside)
            | ExprKind::Unary(_, inside)
            | ExprKind::Return(Some(inside))
            | ExprKind::Assume(inside) => each(inside),
            ExprKind::Choose(left, right) | ExprKind::Binary(_, left, right) => {
                each(left);
                each(right);
            }
            ExprKind::If(condition, then, otherwise) => {
                each(condition);
                then.exprs.iter().for_each(&mut *each);
                match otherwise {
                    None => {}
                    Some(Else::Block(block)) => block.exprs.iter().for_each(each),
                    Some(Else::If(expr)) => each(expr),
                }
            }
            ExprKind::While(condition, body) => {
                each(condition);
                body.exprs.iter().for_each(each);
            }
            ExprKind::Group(block) => block.exprs.iter().for_each(each),
        }
    }
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `42`.
    Number(i64),
    /// `?`: 0 or 1.
    Coin,
    /// `choose(low..high)`: any value of the range, both ends included.
    Choose(Box<Expr>, Box<Expr>),
    /// A constant, parameter, local or global variable.
    Read(Name),
    /// `name := value`; its value is the value assigned.
    Assign(Name, Box<Expr>),
    /// `-e`, `!e`.
    Unary(UnaryOp, Box<Expr>),
    /// `left op right`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `if (condition) { then } else ...`.
    If(Box<Expr>, Block, Option<Else>),
    /// `while (condition) { body }`; its value is 0.
    While(Box<Expr>, Block),
    /// `yield`: other requests may run here; its value is 0.
    Yield,
    /// `return value`: the request responds and ends; `return` alone responds 0.
    Return(Option<Box<Expr>>),
    /// `abort`: the request ends without a response that counts.
    Abort,
    /// `assume(e)`: goes on if `e` is true, otherwise this path does not exist; its value is 0.
    Assume(Box<Expr>),
    /// `(e; ...; e)`.
    Group(Block),
    /// Something that could not be understood; an error was reported for it.
    Error,
}

impl ExprKind {
    /// What it is called in messages.
    pub(crate) fn described(&self) -> &'static str {
        match self {
            ExprKind::Number(_) => "a number",
            ExprKind::Read(_) => "a variable",
            ExprKind::Unary(..) | ExprKind::Binary(..) => "an operator",
            ExprKind::Group(_) => "a sequence of expressions",
            ExprKind::Assign(..) => "an assignment",
            ExprKind::Coin => "`?`",
            ExprKind::Choose(..) => "`choose`",
            ExprKind::If(..) => "`if`",
            ExprKind::While(..) => "`while`",
            ExprKind::Yield => "`yield`",
            ExprKind::Return(_) => "`return`",
            ExprKind::Abort => "`abort`",
            ExprKind::Assume(_) => "`assume`",
            ExprKind::Error => "an error",
        }
    }
}

/// What follows `else`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Else {
    /// `else { ... }`.
    Block(Block),
    /// `else if ...`; the expression is an [`ExprKind::If`].
    If(Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-e`.
    Negate,
    /// `!e` or `not e`: 1 if `e` is 0, otherwise 0.
    Not,
}

/// Operators with two operands. Comparisons give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `&&` or `and`: the right side is evaluated only if the left side is true; gives 0 or 1.
    And,
    /// `||` or `or`: the right side is evaluated only if the left side is false; gives 0 or 1.
    Or,
}

impl UnaryOp {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Negate => "-",
            UnaryOp::Not => "!",
        }
    }

    /// Its value, or `None` if it does not fit into 64 bits.
    pub fn apply(self, operand: i64) -> Option<i64> {
        match self {
            UnaryOp::Negate => operand.checked_neg(),
            UnaryOp::Not => Some(i64::from(operand == 0)),
        }
    }
}

impl BinaryOp {
    /// Whether it compares, so that it cannot be chained.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// Its value once both sides are known, or `None` if it does not fit into 64 bits.
    /// `&&` and `||` skip their right side where they can; that is up to the caller.
    pub fn apply(self, left: i64, right: i64) -> Option<i64> {
        let truth = |b: bool| Some(i64::from(b));
        match self {
            BinaryOp::Add => left.checked_add(right),
            BinaryOp::Subtract => left.checked_sub(right),
            BinaryOp::Multiply => left.checked_mul(right),
            BinaryOp::Equal => truth(left == right),
            BinaryOp::NotEqual => truth(left != right),
            BinaryOp::Less => truth(left < right),
            BinaryOp::LessEqual => truth(left <= right),
            BinaryOp::Greater => truth(left > right),
            BinaryOp::GreaterEqual => truth(left >= right),
            BinaryOp::And => truth(left != 0 && right != 0),
            BinaryOp::Or => truth(left != 0 || right != 0),
        }
    }
}
