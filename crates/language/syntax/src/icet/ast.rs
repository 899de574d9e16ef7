//! What a file with messages says, with every name resolved and every expression typed.
//!
//! Everything that is declared has a number ([`SetId`], [`ProcessId`], ...), which is its place in
//! the list of its kind in [`Protocol`]. Statements are numbered over the whole file in the order
//! in which they are written ([`StmtId`]): certificates and messages speak of them by number.

use crate::ast::{Name, Node, trees};
use ser_base::Span;

ser_base::ids! {
    /// A set that `set` or `index` declares: place in [`Protocol::sets`].
    SetId,
    /// A `process`, single or one for each member of a set: place in [`Protocol::processes`].
    ProcessId,
    /// A `msg` type: place in [`Protocol::messages`].
    MessageId,
    /// An `enum`: place in [`Protocol::enums`].
    EnumId,
    /// A variable of one process: place in [`Process::variables`].
    VarId,
    /// A statement: numbers count from 0 over the whole file, a statement before those inside it.
    StmtId,
    /// A constructor of a message type: place in [`MessageType::constructors`].
    ConstructorId,
}

trees! {
    /// A whole file.
    #[derive(Default)]
    pub struct Protocol {
        /// `set` and `index`, in their order.
        pub sets: Vec<SetDecl>,
        /// `enum`, in their order.
        pub enums: Vec<EnumDecl>,
        /// `msg`, in their order.
        pub messages: Vec<MessageType>,
        /// `process`, in their order. Every set of processes has exactly one.
        pub processes: Vec<Process>,
        /// How many statements there are; all [`StmtId`]s are below.
        pub statements: u32,
    }

    /// `set Q >= 1` or `index I`.
    pub struct SetDecl {
        pub name: Name,
        /// What its members are.
        pub kind: SetKind,
        /// It has at least so many members; 0 if nothing is said.
        pub at_least: u32,
    }

    /// What the members of a set are.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    pub enum SetKind {
        /// Processes that run the same code. Members can be compared with `==` and `!=` only; loops
        /// visit them in any order.
        Processes,
        /// The numbers 0, 1, ..., which loops visit in this order.
        Indices,
    }

    /// `enum Colour { Red, Green }`.
    pub struct EnumDecl {
        pub name: Name,
        /// Its values, by number from 0.
        pub values: Vec<Name>,
    }

    /// `msg Work = Task(pid, int) | None`: messages of one type between two processes stay in
    /// order, messages of different types do not.
    pub struct MessageType {
        pub name: Name,
        /// Its constructors, at least one.
        pub constructors: Vec<Constructor>,
    }

    /// `Task(pid, int)`.
    pub struct Constructor {
        pub name: Name,
        pub fields: Vec<Type>,
    }

    #[derive(Copy, PartialOrd, Ord, Hash)]
    pub enum Type {
        /// A whole number.
        Int,
        /// `true` or `false`.
        Bool,
        /// The address of any process.
        Pid,
        /// The address of a member of a set of processes. Fits where [`Type::Pid`] is wanted.
        Member(SetId),
        /// A value of an enumeration.
        Enum(EnumId),
        Message(MessageId),
    }

    /// `process p { ... }` or `process worker for w in W { ... }`.
    pub struct Process {
        /// Its name; of a single process also its address in expressions.
        pub name: Name,
        /// Whether it may wait forever.
        pub server: bool,
        /// The set with one copy for each member; nothing if there is just one.
        pub set: Option<SetId>,
        /// What a member of the set calls itself (besides `self`).
        pub me: Option<Name>,
        /// All its variables, with those of loops and patterns, in the order of their first
        /// appearance.
        pub variables: Vec<Variable>,
        /// What it does.
        pub body: Vec<Stmt>,
    }

    /// A variable of a process.
    pub struct Variable {
        /// Its name, where it appears first.
        pub name: Name,
        /// Its type: one and the same everywhere.
        pub ty: Type,
        /// Whether it is the variable of a `for` loop: assigned nowhere else, gone after the loop.
        pub of_loop: bool,
    }

    /// A statement.
    pub struct Stmt {
        /// Its number.
        pub id: StmtId,
        /// Where it stands; of a statement with a block, all of it.
        pub span: Span,
        /// What it does.
        pub kind: StmtKind,
    }

    /// What a statement does.
    pub enum StmtKind {
        /// `send expr to pid`. Never waits. The values are those of now.
        /// `payload`: what is sent, of type `Message(message)`.
        /// `to`: to whom: an expression of type [`Type::Pid`] or [`Type::Member`].
        Send { payload: Expr, message: MessageId, to: Expr },
        /// `pattern := recv TYPE from source`. Waits for a message and takes the oldest of its
        /// sender. `message`: the type of message that is wanted.
        Receive { pattern: Pattern, message: MessageId, from: Source },
        /// `x := expr`.
        Assign { variable: VarId, value: Expr },
        /// `x := choose(ty)`: some value of the type of the variable (not an address).
        Any { variable: VarId },
        /// `x := choose(SET)`: some member; waits forever if there is none. The variable has the
        /// type [`Type::Member`], or [`Type::Int`] if it is a set of indices.
        Pick { variable: VarId, set: SetId },
        /// `if cond { ... } else { ... }`.
        /// `condition`: the condition; nothing for `?`, where either may happen.
        If { condition: Option<Expr>, then: Vec<Stmt>, otherwise: Vec<Stmt> },
        /// `match x { Task(m, t) => { ... } None => { ... } }`: every constructor is covered by
        /// exactly one arm. `variable`: the variable, of a message type.
        Match { variable: VarId, arms: Vec<Arm> },
        /// `while cond { ... }`.
        While { condition: Expr, body: Vec<Stmt> },
        /// `loop { ... }`: until a `break`.
        Loop { body: Vec<Stmt> },
        /// `break`: leaves the innermost `while` or `loop`.
        Break { of: StmtId },
        /// `for x in SET { ... }`: once for each member, in any order (processes) or ascending
        /// (indices). `body`: what is repeated; there is no `break` out of it.
        For { variable: VarId, set: SetId, body: Vec<Stmt> },
        /// `assert expr`.
        Assert { condition: Expr },
        /// `assert false`: must not be reached.
        Fail,
        /// `skip`.
        Skip,
    }

    /// An arm of a `match`.
    pub struct Arm {
        /// The constructors that it covers, ascending: one for `Task(m, t)`, all the others for
        /// `_`.
        pub constructors: Vec<ConstructorId>,
        /// The variables for its fields, if it is an arm for one constructor: one for each field,
        /// nothing for `_`. Empty for the arm `_`.
        pub fields: Vec<Option<VarId>>,
        /// What is done.
        pub body: Vec<Stmt>,
    }

    /// What becomes of a message that arrives.
    pub enum Pattern {
        /// Nothing: `_` or no pattern.
        Ignore,
        /// It is kept in a variable.
        Variable(VarId),
        /// Its fields are; a message with another constructor is a failure.
        /// `fields`: the variables for its fields, nothing for `_`.
        Constructor { constructor: ConstructorId, fields: Vec<Option<VarId>> },
    }

    /// From whom a message is wanted.
    pub enum Source {
        /// `from pid`: an expression of type [`Type::Pid`] or [`Type::Member`].
        Pid(Expr),
        /// `from SET`.
        Set(SetId),
        /// No `from`.
        Anyone,
    }
}

/// An expression.
pub type Expr = Node<ExprKind>;

trees! {
    /// What an expression is.
    pub enum ExprKind {
        /// A number.
        Int(i64),
        /// `true`, `false`.
        Bool(bool),
        /// A value of an enumeration, by its place in [`EnumDecl::values`].
        Enum(EnumId, u32),
        Message(MessageId, ConstructorId, Vec<Expr>),
        /// A variable of the process.
        Variable(VarId),
        /// `self`, or what a member of a set calls itself.
        Me,
        /// The address of a single process.
        Process(ProcessId),
        /// `!e`.
        Not(Box<Expr>),
        /// `-e`.
        Negate(Box<Expr>),
        /// `l op r`.
        Binary(Operator, Box<Expr>, Box<Expr>),
    }

    /// An operator between two expressions.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    pub enum Operator {
        /// `+`, of numbers.
        Add,
        /// `-`, of numbers.
        Subtract,
        /// `*`, of numbers.
        Multiply,
        /// `==`, of values of one type (addresses of any kind are of one type).
        Equal,
        /// `!=`.
        NotEqual,
        /// `<`, of numbers. (`a > b` is `b < a`.)
        Less,
        /// `<=`, of numbers.
        LessEqual,
        /// `&&`.
        And,
        /// `||`.
        Or,
    }
}

impl Protocol {
    /// The set with this number.
    pub fn set(&self, id: SetId) -> &SetDecl {
        &self.sets[id.0 as usize]
    }

    /// The process with this number.
    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[id.0 as usize]
    }

    /// The message type with this number.
    pub fn message(&self, id: MessageId) -> &MessageType {
        &self.messages[id.0 as usize]
    }

    /// The process that the members of a set of processes run.
    pub fn members_of(&self, set: SetId) -> Option<ProcessId> {
        let place = self.processes.iter().position(|process| process.set == Some(set));
        place.map(|place| ProcessId(place as u32))
    }

    /// All processes with their numbers.
    pub fn each_process(&self) -> impl Iterator<Item = (ProcessId, &Process)> {
        self.processes.iter().enumerate().map(|(place, it)| (ProcessId(place as u32), it))
    }
}

impl Stmt {
    /// The blocks directly inside.
    pub fn blocks(&self) -> Vec<&[Stmt]> {
        match &self.kind {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::Match { arms, .. } => arms.iter().map(|arm| &arm.body[..]).collect(),
            StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::For { body, .. } => {
                vec![body]
            }
            _ => Vec::new(),
        }
    }

    /// Calls `visit` for this statement and all inside it, in the order in which they are written.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Stmt)) {
        visit(self);
        for block in self.blocks() {
            for inner in block {
                inner.walk(visit);
            }
        }
    }
}
