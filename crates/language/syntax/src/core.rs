//! What methods read: a program without sugar.
//!
//! The tree of [`ast`](crate::ast) keeps what a person wrote; `elaborate` turns it into this one.
//! Here there are only numbers. Records, tuples and arrays are one variable for each of their
//! parts (`Plan[0]`, `order.status`), members of enumerations are numbers with a [`Shape`] that
//! says how they are written, constants have been replaced by their values, functions stand where
//! they were called, and every way out of a loop or a function leaves a block with a label. Places
//! are those of the source. Names with a `.` at the start are hidden: no user can write them.

pub use crate::ast::{BinaryOp, ClaimKind, Name, Node, UnaryOp};
use ser_base::Span;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::sync::Arc;

/// A whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The constants, and the members of enumerations as `member` and `Enumeration.member`: names
    /// that questions may use.
    pub constants: BTreeMap<String, i64>,
    /// The variables that all requests share and that are declared or have an initial value, in
    /// the order of the source. The others start at 0.
    pub globals: Vec<Global>,
    /// The request handlers.
    pub requests: Vec<Request>,
    /// What the file asks, besides whether it is serializable, in the order of the source.
    pub questions: Vec<Question>,
}

/// Of arguments that may be any number, the core has these.
pub const SMALL: (i64, i64) = (-1, 2);

impl Program {
    /// Whether clients may choose arguments that are not among those of this core: any number, or
    /// values of a type of which the core has a few only. Its runs are runs of the program all the
    /// same, and all runs of the program with these arguments are among them, serial ones and
    /// others; so a counterexample is one. What holds of it need not hold of the program.
    pub fn is_open(&self) -> bool {
        self.requests.iter().flat_map(|it| &it.parameters).any(|it| it.open)
    }
}

impl Parameter {
    /// Whether it is of a type with any number of values.
    pub fn is_key(&self) -> bool {
        self.open && matches!(self.shape, Shape::Member(_))
    }
}

/// The element of an array that is counted by a type with any number of values: the name without
/// it, the type, and which one of it. No other name has a `#`.
pub fn element(name: &str) -> Option<(String, &str, usize)> {
    let (before, rest) = name.split_once('#')?;
    let (number, behind) = rest.split_once(']')?;
    let (array, of) = before.rsplit_once('[')?;
    let number: usize = number.parse().ok()?;
    Some((format!("{array}[{of}]{behind}"), of, number.checked_sub(1)?))
}

/// What a file asks about the states that it can be in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub kind: ClaimKind,
    /// What the source calls it.
    pub name: Option<String>,
    /// A request that may come at any time, changes nothing, and fails with [`Fault::Claim`] where
    /// the condition of `reach` is true, or that of `invariant` is not. Of `deadlock`, it does
    /// nothing.
    pub observer: Request,
    /// The whole item.
    pub span: Span,
}

/// A global variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    pub name: Name,
    /// Its value before anything runs.
    pub first: i64,
    /// How its values are written.
    pub shape: Shape,
    /// The smallest and the largest value that it ever has, if it is declared with them.
    pub range: Option<(i64, i64)>,
    /// The whole item.
    pub span: Span,
}

/// A handler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub name: Name,
    /// Each combination of their values is a request label of its own.
    pub parameters: Vec<Parameter>,
    /// Local variables whose values are no plain numbers.
    pub locals: BTreeMap<String, Shape>,
    pub body: Block,
    /// The whole item.
    pub span: Span,
}

/// A local variable that clients choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub name: Name,
    /// The smallest value.
    pub low: i64,
    /// The largest value.
    pub high: i64,
    /// Whether there are others: of `int`, or of a type with any number of values.
    pub open: bool,
    /// How its values are written.
    pub shape: Shape,
    /// The whole parameter.
    pub span: Span,
}

/// Expressions in sequence; the value is the last one's, or 0 if there is none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    pub exprs: Vec<Expr>,
    pub span: Span,
}

/// An expression with its place.
pub type Expr = Node<ExprKind>;

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    Number(i64),
    /// Any value from the first to the second, both included.
    Choose(i64, i64),
    /// A parameter, local or global variable.
    Read(Name),
    /// Its value is the value assigned.
    Assign(Name, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The condition, what is done if it is not 0, and what is done otherwise.
    If(Box<Expr>, Block, Block),
    /// Its value is 0.
    While(Box<Expr>, Block),
    /// Other requests may run here; its value is 0.
    Yield,
    /// The request responds and ends.
    Return(Response),
    /// The request ends without a response that counts.
    Abort,
    /// Goes on if the value is not 0, otherwise this path does not exist; its value is 0.
    Assume(Box<Expr>),
    /// Something went wrong: the request stands here forever.
    Fail(Fault),
    /// A block that [`Leave`](ExprKind::Leave) can end.
    Labelled(Label, Block),
    /// Ends the block around it that has this label; that is then the block's value.
    Leave(Label, Box<Expr>),
    Group(Block),
    /// Something that could not be understood; an error was reported for it.
    Error,
}

/// Tells blocks of one handler apart.
pub type Label = u32;

/// What a request responds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Response {
    /// The numbers that it is made of, in the order in which they are evaluated.
    pub parts: Vec<Expr>,
    /// How they are written.
    pub shape: Shape,
}

/// What a program must not do.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// `assert(e)`, and `e` does not hold.
    Assertion,
    /// A variable would get a value outside of its range.
    Range { variable: String, low: i64, high: i64 },
    /// There is no such element of an array.
    Index { array: String },
    /// A division by zero.
    Division,
    /// A lock is given back that is free.
    Unlock { lock: String },
    /// A state that this question asks for.
    Claim(u32),
}

impl Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Assertion => f.write_str("the assertion fails"),
            Fault::Range { variable, low, high } => {
                write!(f, "`{variable}` leaves its range {low}..{high}")
            }
            Fault::Index { array } => write!(f, "`{array}` has no such element"),
            Fault::Division => f.write_str("something is divided by 0"),
            Fault::Unlock { lock } => write!(f, "`{lock}` is given back, and nobody holds it"),
            Fault::Claim(_) => f.write_str("this is so"),
        }
    }
}

/// How values are written.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Shape {
    #[default]
    Number,
    /// 0 is `false`, everything else is `true`.
    Bool,
    /// The members of an enumeration: 0 is the first.
    Member(Arc<[String]>),
    /// `(a, b)`.
    Tuple(Vec<Shape>),
    /// `Name(field: a, other: b)`.
    Record(String, Vec<(String, Shape)>),
    /// `[a, b]`.
    Array(Vec<Shape>),
}

impl Shape {
    /// How many numbers a value has.
    pub fn width(&self) -> usize {
        match self {
            Shape::Number | Shape::Bool | Shape::Member(_) => 1,
            Shape::Tuple(parts) | Shape::Array(parts) => parts.iter().map(Shape::width).sum(),
            Shape::Record(_, fields) => fields.iter().map(|(_, shape)| shape.width()).sum(),
        }
    }

    /// What the values 0, 1, ... are called, if they are not called by their numbers.
    pub fn symbols(&self) -> Option<Vec<String>> {
        match self {
            Shape::Bool => Some(vec!["false".to_owned(), "true".to_owned()]),
            Shape::Member(names) => Some(names.to_vec()),
            _ => None,
        }
    }

    /// A value in words, where each of its numbers is shown by `number` if it stands for nothing
    /// else. There must be as many numbers as the shape is wide.
    ///
    /// ```
    /// use ser_syntax::core::Shape;
    /// let pair = Shape::Tuple(vec![Shape::Bool, Shape::Number]);
    /// assert_eq!(pair.write(&[1, 2], &|n| Some(*n)), "(true, 2)");
    /// ```
    pub fn write<V: Display>(&self, values: &[V], number: &dyn Fn(&V) -> Option<i64>) -> String {
        let mut text = String::new();
        self.write_into(&mut values.iter(), number, &mut text);
        text
    }

    fn write_into<'v, V: Display + 'v>(
        &self,
        values: &mut dyn Iterator<Item = &'v V>,
        number: &dyn Fn(&V) -> Option<i64>,
        text: &mut String,
    ) {
        match self {
            Shape::Number | Shape::Bool | Shape::Member(_) => {
                let Some(value) = values.next() else { return };
                let known = number(value);
                let named = match self {
                    Shape::Bool => known.map(|n| if n == 0 { "false" } else { "true" }),
                    Shape::Member(names) => {
                        known.and_then(|n| names.get(usize::try_from(n).ok()?)).map(String::as_str)
                    }
                    _ => None,
                };
                match named {
                    Some(name) => text.push_str(name),
                    None => {
                        let _ = write!(text, "{value}");
                    }
                }
            }
            Shape::Tuple(parts) | Shape::Array(parts) => {
                let brackets =
                    if matches!(self, Shape::Tuple(_)) { ["(", ")"] } else { ["[", "]"] };
                text.push_str(brackets[0]);
                for (index, part) in parts.iter().enumerate() {
                    text.push_str(if index > 0 { ", " } else { "" });
                    part.write_into(values, number, text);
                }
                text.push_str(brackets[1]);
            }
            Shape::Record(name, fields) => {
                let _ = write!(text, "{name}(");
                for (index, (field, shape)) in fields.iter().enumerate() {
                    let _ = write!(text, "{}{field}: ", if index > 0 { ", " } else { "" });
                    shape.write_into(values, number, text);
                }
                text.push(')');
            }
        }
    }
}

impl Program {
    /// Whether these are processes, each of which is there once, as
    /// [`processes_as_requests`](crate::processes_as_requests) gives them.
    pub fn is_once(&self) -> bool {
        self.globals.iter().any(|it| it.name.text.starts_with("Begun "))
    }

    /// Whether something could fail, other than what is asked.
    ///
    /// ```
    /// assert!(ser_syntax::parse("request main { assert(X == 0) }").program.may_fail());
    /// assert!(!ser_syntax::parse("request main { X }  reach X == 1").program.may_fail());
    /// ```
    pub fn may_fail(&self) -> bool {
        fn inside(expr: &Expr) -> bool {
            let mut found = match &expr.kind {
                ExprKind::Fail(Fault::Claim(_)) => false,
                ExprKind::Fail(_) => true,
                _ => false,
            };
            expr.for_each_child(&mut |child| found = found || inside(child));
            found
        }
        let observers = self.questions.iter().map(|it| &it.observer);
        let handlers = self.requests.iter().chain(observers);
        handlers.flat_map(|request| &request.body.exprs).any(inside)
    }
}

impl Question {
    /// When a `reach` is reached or an `invariant` violated: a condition over global variables, if
    /// it can be said with operators alone.
    ///
    /// ```
    /// let text = "request main { X := 1 }  invariant small: X <= 1";
    /// let program = ser_syntax::parse(text).program;
    /// let condition = program.questions[0].condition().unwrap();
    /// assert_eq!(ser_syntax::evaluate(&condition, &[("X".to_owned(), 2)].into()), Some(1));
    /// ```
    pub fn condition(&self) -> Option<Expr> {
        let conditions = self.observer.body.exprs.iter().map(|expr| match &expr.kind {
            ExprKind::If(condition, ..) if is_quiet(condition) => Some(condition.as_ref().clone()),
            _ => None,
        });
        let conditions = conditions.collect::<Option<Vec<Expr>>>()?;
        let and = |left: Expr, right: Expr| {
            let kind = ExprKind::Binary(BinaryOp::And, Box::new(left), Box::new(right));
            Expr { kind, span: self.span }
        };
        let all = conditions.into_iter().reduce(and)?;
        Some(match self.kind {
            ClaimKind::Reach => all,
            _ => Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(all)), span: self.span },
        })
    }
}

/// Whether an expression is made of numbers, variables and operators only.
pub(crate) fn is_quiet(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Read(_) => true,
        ExprKind::Unary(_, operand) => is_quiet(operand),
        ExprKind::Binary(_, left, right) => is_quiet(left) && is_quiet(right),
        ExprKind::Group(block) => matches!(block.exprs.as_slice(), [only] if is_quiet(only)),
        _ => false,
    }
}

impl Request {
    /// The label with these values of the parameters.
    ///
    /// ```
    /// let text = "enum Seat { free, held }  request pick(s in Seat, n in 1..2) { n }";
    /// let program = ser_syntax::parse(text).program;
    /// assert_eq!(program.requests[0].label(&[1, 2]), "pick(held,2)");
    /// ```
    pub fn label(&self, values: &[i64]) -> String {
        if values.is_empty() {
            return self.name.text.clone();
        }
        let values = values.iter().zip(&self.parameters);
        let values = values.map(|(value, it)| it.shape.write(&[*value], &|it| Some(*it)));
        format!("{}({})", self.name.text, values.collect::<Vec<String>>().join(","))
    }
}

impl Response {
    /// A plain number.
    pub fn number(value: Expr) -> Response {
        Response { parts: vec![value], shape: Shape::Number }
    }
}

impl Expr {
    /// Hands over the expressions directly inside this one, those in its blocks included, in the
    /// order of the source.
    pub fn for_each_child<'e>(&'e self, each: &mut dyn FnMut(&'e Expr)) {
        match &self.kind {
            ExprKind::Number(_)
            | ExprKind::Choose(..)
            | ExprKind::Read(_)
            | ExprKind::Yield
            | ExprKind::Abort
            | ExprKind::Fail(_)
            | ExprKind::Error => {}
            ExprKind::Assign(_, inside)
            | ExprKind::Unary(_, inside)
            | ExprKind::Leave(_, inside)
            | ExprKind::Assume(inside) => each(inside),
            ExprKind::Binary(_, left, right) => {
                each(left);
                each(right);
            }
            ExprKind::If(condition, then, otherwise) => {
                each(condition);
                then.exprs.iter().for_each(&mut *each);
                otherwise.exprs.iter().for_each(each);
            }
            ExprKind::While(condition, body) => {
                each(condition);
                body.exprs.iter().for_each(each);
            }
            ExprKind::Return(response) => response.parts.iter().for_each(each),
            ExprKind::Labelled(_, block) | ExprKind::Group(block) => {
                block.exprs.iter().for_each(each);
            }
        }
    }
}

/// The value of an expression made of numbers, operators and variables whose values are given;
/// nothing if it is more than that, or has no value.
///
/// ```
/// let text = "request main { X == 2 && !(Y > 3) }";
/// let program = ser_syntax::parse(text).program;
/// let values = [("X".to_owned(), 2), ("Y".to_owned(), 3)].into();
/// assert_eq!(ser_syntax::evaluate(&program.requests[0].body.exprs[0], &values), Some(1));
/// ```
pub fn evaluate(expr: &Expr, values: &BTreeMap<String, i64>) -> Option<i64> {
    match &expr.kind {
        ExprKind::Number(value) => Some(*value),
        ExprKind::Read(name) => values.get(&name.text).copied(),
        ExprKind::Unary(op, operand) => op.apply(evaluate(operand, values)?),
        ExprKind::Binary(op, left, right) => {
            op.apply(evaluate(left, values)?, evaluate(right, values)?)
        }
        ExprKind::Group(block) => match block.exprs.as_slice() {
            [only] => evaluate(only, values),
            _ => None,
        },
        _ => None,
    }
}
