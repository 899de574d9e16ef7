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

mod claim;
pub(crate) mod items;
mod unwinding;

pub use claim::{
    Case, Claim, ClaimKind, Conjunct, Entry, Place as ProofPlace, PlaceRange, Premise, Proof,
    Support,
};

pub use unwinding::{Arc, ArcKind, Component, Place, Transition, TransitionVariable, Unwinding};

use ser_base::Span;

/// A whole source file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// `use "stock.ser"`.
    pub uses: Vec<Use>,
    /// `const N = 3`.
    pub constants: Vec<Constant>,
    /// `enum Seat { free, held }`.
    pub enumerations: Vec<Enumeration>,
    /// `record Order { seat: Seat, amount: 0..3 }`.
    pub records: Vec<Record>,
    /// `type Row = 0..3`.
    pub aliases: Vec<Alias>,
    /// `var Free: 0..3 = 3`, `Free := 3` and `lock Till`: what all requests share.
    pub globals: Vec<Variable>,
    /// `fn first(low: int) { ... }`.
    pub functions: Vec<Function>,
    /// The request handlers.
    pub requests: Vec<Request>,
    /// `set Workers`, `index Jobs`.
    pub sets: Vec<Set>,
    /// `msg Work = Job(int) | Done`.
    pub messages: Vec<Message>,
    /// `process worker for w in Workers { ... }`.
    pub processes: Vec<Process>,
    /// `assume condition`: what holds before anything runs.
    pub assumptions: Vec<Expr>,
    /// `reach`, `invariant`, `deadlock`: what the file asks.
    pub claims: Vec<Claim>,
    /// `proof { ... }`.
    pub proofs: Vec<Proof>,
    /// Whether an item or an expression was not understood.
    pub holes: bool,
}

/// `use "path"`: everything that another file declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// As it is written.
    pub path: String,
    /// The whole item.
    pub span: Span,
}

impl Program {
    /// Whether there are items for others to use.
    pub(crate) fn only_defines(&self) -> bool {
        let Program { constants, enumerations, records, aliases, globals, functions, .. } = self;
        let definitions = constants.len() + enumerations.len() + records.len() + aliases.len();
        definitions + globals.len() + functions.len() > 0
    }
}

/// `set Workers`, `set Workers >= 1`, `set Threads == 2`: processes; `index Jobs`: the numbers from
/// 0 on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Set {
    pub name: Name,
    pub is_index: bool,
    pub size: Size,
    /// The whole item.
    pub span: Span,
}

/// How many members a set has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    Any,
    /// At least so many; the place of the number.
    AtLeast(u32, Span),
    Exactly(u32, Span),
}

/// `msg name = constructor | constructor`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    pub name: Name,
    pub constructors: Vec<(Name, Vec<Type>)>,
    /// The whole item.
    pub span: Span,
}

/// `server process name(parameters) for member in set { body }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// Whether it may be left waiting.
    pub server: bool,
    pub name: Name,
    /// Each combination of their values is a process of its own.
    pub parameters: Vec<Parameter>,
    /// What a member calls itself, and its set: there is one for each.
    pub member: Option<(Name, Name)>,
    pub body: Block,
    /// The whole item.
    pub span: Span,
}

/// What a file is a model of, and so who reads it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum World {
    /// Requests that come in any number.
    Requests,
    /// A few processes with shared variables and queues.
    Processes,
    /// Processes that send each other messages, in sets of any size.
    Messages,
    /// Any number of threads with shared variables and a heap.
    Threads,
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

/// `enum name { member, ... }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    pub name: Name,
    pub members: Vec<Name>,
    /// `type name`: it has any number of values, which have no names.
    pub open: bool,
    /// The whole item.
    pub span: Span,
}

/// `record name { field: type, ... }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub name: Name,
    pub fields: Vec<(Name, Type)>,
    /// The whole item.
    pub span: Span,
}

/// `type name = type`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    pub name: Name,
    pub meaning: Type,
    /// The whole item.
    pub span: Span,
}

/// A variable that is declared, at top level or in a handler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: Name,
    pub declared: Declared,
    /// `ghost var`: there for proofs only.
    pub ghost: bool,
    /// Its first value; if it is left out, 0, or else the smallest value.
    pub value: Option<Expr>,
    /// The whole item.
    pub span: Span,
}

/// How a variable is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declared {
    /// `Name := value`: any number.
    Initial,
    /// `var name: type = value`; the type may be left out.
    Var(Option<Type>),
    /// `lock name`, or `lock name: [range]` for one lock for each index.
    Lock(Option<Index>),
}

/// Which values there are.
pub type Type = Node<TypeKind>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// `int`.
    Int,
    /// `bool`.
    Bool,
    /// `low..high`.
    Range(Box<Expr>, Box<Expr>),
    /// An enumeration, a record or another type by its name.
    Named(Name),
    /// `[index] of elements`.
    Array(Index, Box<Type>),
    /// `(a, b)`.
    Tuple(Vec<Type>),
    /// `set of elements`.
    Set(Box<Type>),
    /// `queue[capacity] of items`.
    Queue(Box<Expr>, Box<Type>),
    /// `bits n`: numbers that wrap around.
    Bits(Box<Expr>),
    /// Something that could not be understood; an error was reported for it.
    Error,
}

/// What the elements of an array are counted with: a range, or a type with finitely many values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index(pub Box<Type>);

/// `fn name(parameters) { body }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: Name,
    /// Their types may be left out.
    pub parameters: Vec<(Name, Option<Type>)>,
    /// What it gives, where that is said.
    pub result: Option<Type>,
    pub body: Block,
    /// Whether it is `fn name(parameters) = value`: a shorthand.
    pub is_shorthand: bool,
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

/// `name in low..high` or `name in type`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The parameter, a local variable that cannot be assigned.
    pub name: Name,
    /// Its values: a type that has finitely many.
    pub values: Type,
    /// The whole parameter.
    pub span: Span,
}

impl Parameter {
    /// The ends of its range, if it has one.
    pub fn range(&self) -> Option<(&Expr, &Expr)> {
        match &self.values.kind {
            TypeKind::Range(low, high) => Some((low, high)),
            _ => None,
        }
    }
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
    /// parse.tree.requests[0].body.exprs[0].for_each_child(&mut |e| spans.push(e.span.start));
    /// assert_eq!(spans, [18, 29, 37, 48]);
    /// ```
    pub fn for_each_child<'e>(&'e self, each: &mut dyn FnMut(&'e Expr)) {
        match &self.kind {
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Coin
            | ExprKind::Read(_)
            | ExprKind::Yield
            | ExprKind::Return(None)
            | ExprKind::Break
            | ExprKind::Continue
            | ExprKind::Abort
            | ExprKind::Skip
            | ExprKind::Receive(_, None)
            | ExprKind::Error => {}
            ExprKind::Receive(_, Some(inside))
            | ExprKind::Acquire(inside)
            | ExprKind::Release(inside)
            | ExprKind::Named(_, inside)
            | ExprKind::At(inside, _) => each(inside),
            ExprKind::Relation(_, left, right)
            | ExprKind::Range(left, right)
            | ExprKind::Where(left, right)
            | ExprKind::Send(left, right) => {
                each(left);
                each(right);
            }
            ExprKind::Ghost(inside, block) | ExprKind::Await(inside, block) => {
                each(inside);
                block.exprs.iter().for_each(each);
            }
            ExprKind::Atomic(block) | ExprKind::Block(block) => block.exprs.iter().for_each(each),
            ExprKind::Elements(parts) => parts.iter().for_each(each),
            ExprKind::Assign(_, inside)
            | ExprKind::Unary(_, inside)
            | ExprKind::Field(inside, _)
            | ExprKind::Return(Some(inside))
            | ExprKind::Assert(inside)
            | ExprKind::Assume(inside) => each(inside),
            ExprKind::Store(left, right)
            | ExprKind::Index(left, right)
            | ExprKind::Binary(_, left, right) => {
                each(left);
                each(right);
            }
            ExprKind::Choose(values) => values.for_each_expr(each),
            ExprKind::Call(_, arguments) => arguments.iter().for_each(|it| each(&it.value)),
            ExprKind::Tuple(parts) | ExprKind::List(parts) => parts.iter().for_each(each),
            ExprKind::If(condition, then, otherwise) => {
                each(condition);
                then.exprs.iter().for_each(&mut *each);
                match otherwise {
                    None => {}
                    Some(Else::Block(block)) => block.exprs.iter().for_each(each),
                    Some(Else::If(expr)) => each(expr),
                }
            }
            ExprKind::Match(value, arms) => {
                each(value);
                arms.iter().for_each(|arm| {
                    arm.patterns.iter().for_each(|pattern| match pattern {
                        Pattern::Value(value) => each(value),
                        Pattern::Range(low, high) => {
                            each(low);
                            each(high);
                        }
                        Pattern::Anything(_) => {}
                    });
                    each(&arm.body);
                });
            }
            ExprKind::For(_, values, body) => {
                values.for_each_expr(each);
                body.exprs.iter().for_each(each);
            }
            ExprKind::Quantified(_, _, values, condition) => {
                values.for_each_expr(each);
                each(condition);
            }
            ExprKind::While(left, body) | ExprKind::With(left, body) => {
                each(left);
                body.exprs.iter().for_each(each);
            }
            ExprKind::Either(blocks) => {
                blocks.iter().flat_map(|block| &block.exprs).for_each(each);
            }
            ExprKind::Var(variable) => {
                if let Declared::Var(Some(values)) = &variable.declared {
                    values.for_each_expr(each);
                }
                variable.value.iter().for_each(each);
            }
            ExprKind::Loop(block) | ExprKind::Group(block) => block.exprs.iter().for_each(each),
        }
    }
}

impl Type {
    /// Hands over the expressions in it: the ends of ranges.
    pub fn for_each_expr<'e>(&'e self, each: &mut dyn FnMut(&'e Expr)) {
        match &self.kind {
            TypeKind::Range(low, high) => {
                each(low);
                each(high);
            }
            TypeKind::Array(index, elements) => {
                index.0.for_each_expr(each);
                elements.for_each_expr(each);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| part.for_each_expr(each)),
            TypeKind::Set(elements) => elements.for_each_expr(each),
            TypeKind::Queue(capacity, items) => {
                each(capacity);
                items.for_each_expr(each);
            }
            TypeKind::Bits(bits) => each(bits),
            TypeKind::Int | TypeKind::Bool | TypeKind::Named(_) | TypeKind::Error => {}
        }
    }
}

/// `patterns => body`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arm {
    pub patterns: Vec<Pattern>,
    pub body: Expr,
}

/// What a value is compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// A constant.
    Value(Expr),
    /// `low..high`.
    Range(Expr, Expr),
    /// `_`.
    Anything(Span),
}

/// `value` or `name: value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    pub name: Option<Name>,
    pub value: Expr,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `42`.
    Number(i64),
    /// `true`, `false`.
    Bool(bool),
    /// `?`: 0 or 1.
    Coin,
    /// `choose(values)`: any value of a range or of a type.
    Choose(Type),
    /// A constant, member of an enumeration, parameter, local or global variable.
    Read(Name),
    /// `array[index]`.
    Index(Box<Expr>, Box<Expr>),
    /// `record.field`, `Enumeration.member`.
    Field(Box<Expr>, Name),
    /// `function(arguments)`, `Record(field: value)`.
    Call(Name, Vec<Argument>),
    /// `(a, b)`.
    Tuple(Vec<Expr>),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `name := value`; its value is the value assigned.
    Assign(Name, Box<Expr>),
    /// `array[index] := value`, `record.field := value`, `(x, y) := value`.
    Store(Box<Expr>, Box<Expr>),
    /// `var name: type = value` in a handler.
    Var(Box<Variable>),
    /// `-e`, `!e`.
    Unary(UnaryOp, Box<Expr>),
    /// `left op right`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `if (condition) { then } else ...`.
    If(Box<Expr>, Block, Option<Else>),
    /// `match value { patterns => body, ... }`.
    Match(Box<Expr>, Vec<Arm>),
    /// `while (condition) { body }`; its value is 0.
    While(Box<Expr>, Block),
    /// `for name in values { body }`; its value is 0.
    For(Name, Type, Block),
    /// `loop { body }`.
    Loop(Block),
    /// `choose { a } or { b }`.
    Either(Vec<Block>),
    /// `with lock { body }`.
    With(Box<Expr>, Block),
    /// `break`: ends the loop.
    Break,
    /// `continue`: ends this round of the loop.
    Continue,
    /// `yield`: other requests may run here; its value is 0.
    Yield,
    /// `return value`: the request responds and ends; `return` alone responds 0.
    Return(Option<Box<Expr>>),
    /// `abort`: the request ends without a response that counts.
    Abort,
    /// `assume(e)`: goes on if `e` is true, otherwise this path does not exist; its value is 0.
    Assume(Box<Expr>),
    /// `assert(e)`: `e` is claimed to hold here; its value is 0.
    Assert(Box<Expr>),
    /// `(e; ...; e)`.
    Group(Block),
    /// `skip`: nothing is done, in a step of its own.
    Skip,
    /// `atomic { body }`: one step.
    Atomic(Block),
    /// `await condition { body }`: waits until the condition holds, and goes on in the same step.
    Await(Box<Expr>, Block),
    /// `send value to receiver`.
    Send(Box<Expr>, Box<Expr>),
    /// `recv message from sender`, or `recv queue`.
    Receive(Name, Option<Box<Expr>>),
    /// `lock cell`.
    Acquire(Box<Expr>),
    /// `unlock cell`.
    Release(Box<Expr>),
    /// `name: statement`; of a block, the name of all that is in it.
    Named(Name, Box<Expr>),
    /// `{ ... }` behind a name.
    Block(Block),
    /// `statement ghost { ... }`: more that is done in the same step, for proofs only.
    Ghost(Box<Expr>, Block),
    /// `choose(type) where condition`.
    Where(Box<Expr>, Box<Expr>),
    /// `{a, b}`: a set.
    Elements(Vec<Expr>),
    /// `for all name in values: condition`, or `for some`.
    Quantified(Quantifier, Name, Type, Box<Expr>),
    /// `low..high`, behind `in`.
    Range(Box<Expr>, Box<Expr>),
    /// `at(thread, places)`.
    At(Box<Expr>, Vec<PlaceRange>),
    /// `a in b`, `a -> b`, ...
    Relation(Relation, Box<Expr>, Box<Expr>),
    /// Something that could not be understood; an error was reported for it.
    Error,
}

/// For how many values a condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// `for all`.
    All,
    /// `for some`.
    Some,
}

/// Operators of claims and threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// `a in s`.
    In,
    /// `s subset t`.
    Subset,
    /// `a -> b`.
    Implies,
    /// `a <-> b`.
    Iff,
}

impl Relation {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::In => "in",
            Relation::Subset => "subset",
            Relation::Implies => "->",
            Relation::Iff => "<->",
        }
    }
}

impl ExprKind {
    /// What it is called in messages.
    pub(crate) fn described(&self) -> &'static str {
        match self {
            ExprKind::Number(_) => "a number",
            ExprKind::Read(_) => "a variable",
            ExprKind::Unary(..) | ExprKind::Binary(..) => "an operator",
            ExprKind::Group(_) => "a sequence of expressions",
            ExprKind::Assign(..) | ExprKind::Store(..) => "an assignment",
            ExprKind::Coin => "`?`",
            ExprKind::Choose(..) => "`choose`",
            ExprKind::If(..) => "`if`",
            ExprKind::While(..) => "`while`",
            ExprKind::Yield => "`yield`",
            ExprKind::Return(_) => "`return`",
            ExprKind::Abort => "`abort`",
            ExprKind::Assume(_) => "`assume`",
            ExprKind::Assert(_) => "`assert`",
            ExprKind::Bool(_) => "a truth value",
            ExprKind::Index(..) => "an element of an array",
            ExprKind::Field(..) => "a field",
            ExprKind::Call(..) => "a call",
            ExprKind::Tuple(_) => "a tuple",
            ExprKind::List(_) => "a list",
            ExprKind::Var(_) => "`var`",
            ExprKind::Match(..) => "`match`",
            ExprKind::For(..) => "`for`",
            ExprKind::Quantified(Quantifier::All, ..) => "`for all`",
            ExprKind::Quantified(Quantifier::Some, ..) => "`for some`",
            ExprKind::Loop(_) => "`loop`",
            ExprKind::Either(_) => "`choose`",
            ExprKind::With(..) => "`with`",
            ExprKind::Break => "`break`",
            ExprKind::Continue => "`continue`",
            ExprKind::Skip => "`skip`",
            ExprKind::Atomic(_) => "`atomic`",
            ExprKind::Await(..) => "`await`",
            ExprKind::Send(..) => "`send`",
            ExprKind::Receive(..) => "`recv`",
            ExprKind::Acquire(_) => "`lock`",
            ExprKind::Release(_) => "`unlock`",
            ExprKind::Named(..) => "a statement with a name",
            ExprKind::Block(_) => "a block",
            ExprKind::Ghost(..) => "`ghost`",
            ExprKind::Where(..) => "`where`",
            ExprKind::Elements(_) => "a set",
            ExprKind::Range(..) => "a range",
            ExprKind::At(..) => "`at`",
            ExprKind::Relation(Relation::In, ..) => "`in`",
            ExprKind::Relation(Relation::Subset, ..) => "`subset`",
            ExprKind::Relation(Relation::Implies, ..) => "`->`",
            ExprKind::Relation(Relation::Iff, ..) => "`<->`",
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
    /// `/`: rounded down.
    Divide,
    /// `%`: what is left after division; it has the sign of the right side.
    Remainder,
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
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
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
            BinaryOp::Divide => {
                let quotient = left.checked_div(right)?;
                Some(quotient - i64::from(left % right != 0 && (left < 0) != (right < 0)))
            }
            BinaryOp::Remainder => {
                let rest = left.checked_rem(right)?;
                Some(if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest })
            }
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
