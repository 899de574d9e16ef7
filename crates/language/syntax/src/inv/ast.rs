//! What a model of threads says, with every name resolved and every expression typed.
//!
//! Everything that is declared has a number ([`GlobalId`], [`LocalId`], ...), which is its place in
//! the list of its kind in [`System`]. Every statement that a thread can stand at is a *location*
//! ([`LocId`]), numbered over the whole file in the order in which they are written, from 0 (people
//! see them from 1): first those of `thread`, then those of the procedures in their order. named
//! blocks are no locations.

use crate::ast::{Enumeration, Name, Node, trees};
use ser_base::Span;

ser_base::ids! {
    /// A global variable: place in [`System::globals`].
    GlobalId,
    /// A local variable or parameter, of `thread` or of a procedure: place in [`System::locals`].
    LocalId,
    /// The body of `thread` (number 0) or a procedure: place in [`System::procedures`].
    ProcId,
    /// A location: place in [`System::locations`].
    LocId,
    /// An invariant: place in [`System::invariants`].
    InvId,
}

trees! {
    /// A whole model of threads.
    #[derive(Default)]
    pub struct System {
        /// What the set of all threads is called.
        pub set: Option<Name>,
        /// What a thread calls itself.
        pub member: Option<Name>,
        /// `set Threads == N`: a closed system with exactly so many threads; any number (at least
        /// 1) if nothing is said.
        pub threads: Option<u32>,
        /// `enum`: their members are the numbers from 0 on.
        pub enumerations: Vec<Enumeration>,
        /// `global`, in their order.
        pub globals: Vec<Global>,
        /// The locals of all procedures, in the order of the file; of one procedure its parameters
        /// come first.
        pub locals: Vec<Local>,
        /// `assume`: what holds of the globals and the heap at the start. No threads are mentioned.
        pub assumptions: Vec<Expr>,
        /// `thread` first, then the procedures. Every procedure is called at least once, none calls
        /// itself, directly or not.
        pub procedures: Vec<Procedure>,
        pub locations: Vec<Location>,
        /// First that each variable with a range stays there, then `invariant`, in their order.
        pub invariants: Vec<Invariant>,
        /// `proof`, if there is one.
        pub proof: Option<Proof>,
        /// `deadlock`, if it is asked whether a thread can wait forever: where it stands.
        pub deadlock: Option<Span>,
    }

    /// `ghost var avail: int = 0`.
    pub struct Global {
        pub name: Name,
        pub ty: Type,
        /// What its numbers are called: place in [`System::enumerations`].
        pub enumeration: Option<u32>,
        /// The smallest and the largest value that it should have. That it never leaves the range
        /// is one of [`System::invariants`].
        pub range: Option<(i64, i64)>,
        /// Whether it is there for the proof only.
        pub ghost: bool,
        /// Its value at the start; anything if there is none. Mentions no threads and no locals.
        pub initial: Option<Expr>,
        /// Whether it is of type `tid`, has no value at the start, and is never assigned. Then it
        /// is some thread, always the same one and never `nobody`.
        pub fixed: bool,
    }

    /// `var ticket: int = 0`, or a parameter.
    pub struct Local {
        /// Its name; locals of different procedures can have the same one.
        pub name: Name,
        pub ty: Type,
        /// What its numbers are called: place in [`System::enumerations`].
        pub enumeration: Option<u32>,
        /// The smallest and the largest value that it should have; of a parameter, while a thread
        /// is in its procedure.
        pub range: Option<(i64, i64)>,
        /// Whether it is there for the proof only.
        pub ghost: bool,
        /// Whose it is.
        pub procedure: ProcId,
        /// Its value when the *thread* starts (calls do not set it again); anything if there is
        /// none. May mention globals, the thread itself, and no locals.
        pub initial: Option<Expr>,
    }

    #[derive(Copy, PartialOrd, Ord, Hash)]
    pub enum Type {
        /// `true` or `false`.
        Bool,
        /// A value that sets can have as element.
        Scalar(Scalar),
        /// `set of int`: a finite set.
        Set(Scalar),
    }

    /// The types of elements of sets.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    pub enum Scalar {
        /// `int`: a whole number, of any size.
        Int,
        /// The name of the set: a thread, or `nobody`. Only `==` and `!=`.
        Tid,
        /// `addr`: the address of a cell of the heap, or `null`. Only `==` and `!=`.
        Addr,
        /// `elem`: an element of a total order from `lowest` to `highest`, which are different.
        Elem,
    }

    /// A field of a cell of the heap.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    pub enum Field {
        /// `.next`, an [`Scalar::Addr`].
        Next,
        /// `.data`, an [`Scalar::Elem`].
        Data,
        /// `.lockid`, a [`Scalar::Tid`]: who has locked the cell, or `nobody`.
        Lockid,
    }

    /// `process thread for self in Threads { ... }` or `fn insert(e: elem) { ... }`.
    pub struct Procedure {
        /// Its name; `thread` for the body of the threads.
        pub name: Name,
        pub parameters: Vec<LocalId>,
        /// The type of its result, if it has one.
        pub result: Option<Type>,
        /// What it does. Its last statement is a [`StmtKind::Return`]; if none is written there,
        /// one is added (with the closing brace as its place).
        pub body: Vec<Stmt>,
    }

    /// What is known of a location besides its statement.
    pub struct Location {
        /// The name of the statement (`take:`), if it has one.
        pub name: Option<Name>,
        pub procedure: ProcId,
        /// Where the statement stands; of one with blocks, its first line (up to the `{`).
        pub span: Span,
    }

    /// A statement: a location.
    pub struct Stmt {
        pub location: LocId,
        /// What it does.
        pub kind: StmtKind,
        /// `ghost { ... }` behind it: done in the same step, after it (after the test of an `if` or
        /// `while`, whatever its outcome). Assigns ghost variables only; and behind `return`,
        /// `break` and `continue` the locks that are given back.
        pub ghost: Vec<Action>,
    }

    /// What a statement does.
    pub enum StmtKind {
        /// Something that ends in one step, and goes on behind it.
        Step(Step),
        /// `if cond { ... } else { ... }`: the test is the step.
        If { condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
        /// `while cond { ... }`: the test is the step. `loop` has the condition `true`.
        /// `forever`: whether `loop` is written.
        While { condition: Expr, body: Vec<Stmt>, forever: bool },
        /// `choose { ... } or { ... }`: the choice is the step; at least two branches.
        Choice(Vec<Vec<Stmt>>),
        /// `match e { ... }`: the step finds out which condition holds: in every state exactly one.
        Match(Vec<(Expr, Vec<Stmt>)>),
        /// `break`: a step that goes on behind the innermost loop around it.
        Break,
        /// `continue`: a step that goes on at the innermost loop around it.
        Continue,
        /// `search(e)` or `found := search(e)`: a step that sets the parameters (all at
        /// once) and goes to the procedure. Its other locals keep the values of the last call.
        /// `target`: what becomes of the result (set in the step of the `return`, in the state in
        /// which it happens). `procedure`: the procedure, never `thread`.
        Call { target: Option<Place>, procedure: ProcId, arguments: Vec<Expr> },
        /// `return;` or `return e;`: a step that goes on behind the `call`. In `thread` it ends the
        /// thread: there is no step.
        Return(Option<Expr>),
    }

    /// What is done in one step.
    pub enum Step {
        /// `skip`: nothing.
        Skip,
        /// A single action.
        Action(Action),
        /// `atomic { ... }`: one after the other, without anybody else in between. If an action in
        /// it cannot be done (an `await`, `lock`, ...), nothing of it is done, and the thread
        /// waits.
        Atomic(Vec<Action>),
    }
}

impl System {
    /// How a number of an enumeration is written, or just a number.
    pub fn called(&self, enumeration: Option<u32>, number: i64) -> String {
        let of = enumeration.and_then(|id| self.enumerations.get(id as usize));
        let member = of.and_then(|of| of.members.get(usize::try_from(number).ok()?));
        let (Some(of), Some(member)) = (of, member) else { return number.to_string() };
        let same = |other: &&Name| other.text == member.text;
        match self.enumerations.iter().flat_map(|it| &it.members).filter(same).nth(1) {
            Some(_) => format!("{}.{}", of.name.text, member.text),
            None => member.text.clone(),
        }
    }

    /// The enumeration that the value of an expression is from, if it is a variable.
    pub fn enumeration(&self, expr: &Expr) -> Option<u32> {
        match expr.kind {
            ExprKind::Global(id) => self.globals.get(id.index())?.enumeration,
            ExprKind::Local(id, _) => self.locals.get(id.index())?.enumeration,
            _ => None,
        }
    }
}

/// A part of a step.
pub type Action = Node<ActionKind>;

trees! {
    /// What an action does.
    pub enum ActionKind {
        /// `x := e;` or `a.next := e;`. Writing through `null` is an error.
        Assign { target: Place, value: Expr },
        /// `x := choose(int)` or `x := choose(int) where formula`: some value of its type (of a
        /// `tid`: some thread or `nobody`) such that the formula holds, in which `x` is the new
        /// value; waits if there is none. `target`: the variable: [`Place::Global`] or
        /// [`Place::Local`].
        Havoc { target: Place, condition: Option<Expr> },
        /// `a := malloc(data, next);`: the address of a new cell, which nobody has locked: not
        /// `null`, not in any variable of type `set of addr`, not the value of any variable of type
        /// `addr` of anybody nor reachable from one by `next`. Ghost variables do not count.
        /// `target`: the variable of type `addr`: [`Place::Global`] or [`Place::Local`]. `data`:
        /// `.data` of the cell. `next`: `.next` of the cell.
        Malloc { target: Place, data: Expr, next: Expr },
        /// `lock a;`: waits until `a.lockid == nobody`, and sets it to the thread itself. Locking
        /// `null` is an error.
        Lock(Expr),
        /// `unlock a;`: sets `a.lockid` to `nobody`. Unlocking `null`, or what somebody else has
        /// locked, is an error.
        Unlock(Expr),
        /// `await formula;`: waits until it holds.
        Await(Expr),
        /// `assert formula;`: it is an error if it does not hold.
        Assert(Expr),
        /// `if cond { ... } else { ... }` in `atomic` or `ghost`.
        If { condition: Expr, then: Vec<Action>, otherwise: Vec<Action> },
    }

    /// What can be assigned.
    pub enum Place {
        /// A global variable.
        Global(GlobalId),
        /// A local variable of the thread that does it.
        Local(LocalId),
        /// A field of a cell: an expression of type `addr`, and which field (not
        /// [`Field::Lockid`]).
        Field(Expr, Field),
    }

    /// `invariant mutex(i, j): formula` or `invariant order(i) { a: formula; formula; }`.
    pub struct Invariant {
        pub name: Name,
        /// Its thread variables; [`Thread::Index`] is a place in this list.
        pub parameters: Vec<Name>,
        /// What it says: all of them, at least one.
        pub conjuncts: Vec<Conjunct>,
        pub span: Span,
    }

    /// A part of an invariant.
    pub struct Conjunct {
        /// `a: formula`: its name, by which a proof can use it alone.
        pub tag: Option<Name>,
        /// What it says, of type [`Type::Bool`].
        pub formula: Expr,
    }

    /// An expression.
    pub struct Expr {
        /// Where it stands.
        pub span: Span,
        pub ty: Type,
        pub kind: ExprKind,
    }

    /// A thread whose locals or location are spoken of.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    pub enum Thread {
        /// The one that does the step: in statements, and in initial values of locals.
        Me,
        /// A parameter of the invariant.
        Index(u32),
        /// A global of type `tid` that nobody assigns (an error otherwise) and that has no initial
        /// value: some thread, always the same, never `nobody`. Only in invariants.
        Global(GlobalId),
    }

    /// What an expression is.
    pub enum ExprKind {
        /// `true`, `false`.
        Bool(bool),
        /// A number.
        Int(i64),
        /// `null`, of type `addr`.
        Null,
        /// `nobody`, of type `tid`.
        Nobody,
        /// `lowest`, of type `elem`.
        Lowest,
        /// `highest`, of type `elem`.
        Highest,
        /// the thread itself, or a parameter of the invariant as a value, of type `tid`. Never
        /// [`Thread::Global`].
        Thread(Thread),
        /// A global variable.
        Global(GlobalId),
        /// `x` in statements, `x[i]` or `p.x[i]` in invariants.
        Local(LocalId, Thread),
        /// `a.next`.
        Field(Box<Expr>, Field),
        /// `at(i, L)`: the locations, ascending, at least one. Only in invariants.
        At(Thread, Vec<LocId>),
        /// `!e`.
        Not(Box<Expr>),
        /// `-e`, of type `int`.
        Negate(Box<Expr>),
        /// `l op r`.
        Binary(Operator, Box<Expr>, Box<Expr>),
        /// `{a, b}`; `{}` is a set of the type that is wanted.
        Set(Vec<Expr>),
        /// `min(s)`, of type `int`: of a set of type `set of int`. The set must not be empty: see
        /// [`crate::inv`].
        Min(Box<Expr>),
        /// `max(s)`.
        Max(Box<Expr>),
        /// `addr2set(a)`, of type `set of addr`: `a`, `a.next`, `a.next.next`, ...; with `null` if
        /// it ends there.
        Cells(Box<Expr>),
        /// `set2elem(s)`, of type `set of elem`: `a.data` for all `a` in `s`, of type
        /// `set of addr`.
        Elems(Box<Expr>),
        /// `reach(a, b)`: whether `b` is `a`, or `a.next`, or ....
        Reach(Box<Expr>, Box<Expr>),
        /// `ordered(a, b)`: `b` is reached from `a`, and `.data` grows strictly from each cell to
        /// the next, from `a` up to and with the first `b`.
        Ordered(Box<Expr>, Box<Expr>),
    }

    /// An operator between two expressions.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    pub enum Operator {
        /// `+`, of numbers.
        Add,
        /// `-`, of numbers.
        Subtract,
        /// `*`, of numbers, one of which is constant.
        Multiply,
        /// `==`, of two values of the same type (also of `bool`).
        Equal,
        /// `!=`.
        NotEqual,
        /// `<`, of `int` or `elem`. (`a > b` is `b < a`.)
        Less,
        /// `<=`, of `int` or `elem`.
        LessEqual,
        /// `a in s`.
        In,
        /// `s subset t`.
        Subset,
        /// `s + t`, of sets.
        Union,
        /// `s - t`, of sets.
        Difference,
        /// `s * t`, of sets.
        Intersection,
        /// `&&`.
        And,
        /// `||`.
        Or,
        /// `->`; binds to the right, weaker than `||`.
        Implies,
        /// `<->`; weakest, cannot be chained.
        Iff,
    }

    /// `proof { ... }`.
    pub struct Proof {
        /// Where the word stands.
        pub span: Span,
        /// `proof acyclic { ... }`: support must not go in circles (rule SP-INV); the resolver has
        /// made sure.
        pub acyclic: bool,
        /// What is said about invariants; at most one for each. Invariants without one find their
        /// support by themselves.
        pub entries: Vec<ProofEntry>,
    }

    /// What a proof says about one invariant.
    pub struct ProofEntry {
        pub invariant: InvId,
        /// Where it stands.
        pub span: Span,
        /// Whether and how it is proved.
        pub means: Means,
    }
}

/// How an invariant is to be proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Means {
    /// By induction, with support: `mutex;`, `mutex from a, b;`, `mutex { at wait self use a; }`.
    /// `everywhere`: `from a, b`: for all premises but initiation.
    /// `cases`: `at L self use a;`: for some.
    Induction { everywhere: Vec<Support>, cases: Vec<Case> },
    /// `mutex follows from a, b;`: they imply it, in every state (rule INV). The resolver makes
    /// sure that nothing follows from itself.
    Follows(Vec<Support>),
}

trees! {
    /// An invariant, or one conjunct of it: `order` or `order.bounded`.
    pub struct Support {
        pub invariant: InvId,
        /// A conjunct of it, by its place; all if there is none.
        pub conjunct: Option<u32>,
        /// Where it stands.
        pub span: Span,
    }

    /// `at take, leave other use notsame;`.
    pub struct Case {
        /// The locations of the transition, ascending.
        pub locations: Vec<LocId>,
        /// Whether only for a mover that is one of the threads of the formula (`self`), or is not
        /// (`other`).
        pub premise: Option<Premise>,
        /// What is used.
        pub uses: Vec<Support>,
        /// Where it stands.
        pub span: Span,
    }

    /// Who moves.
    #[derive(Copy, PartialOrd, Ord, Hash)]
    pub enum Premise {
        /// One of the threads of the formula.
        Own,
        /// Any other thread.
        Other,
    }
}
