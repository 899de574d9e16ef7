//! Handlers as straight code for a small stack machine.
//!
//! Every expression leaves exactly one value on the stack. A request in flight is then a
//! place in the code, the values of its local variables, and the stack of half-evaluated
//! expressions: `yield` may stand anywhere, also inside an operand.

use crate::VariableId;
use ser_base::Span;
use ser_syntax::core::{BinaryOp, Fault, Program, Shape, UnaryOp};

/// A place in the code.
pub type Pc = u32;

/// A local variable or parameter of one handler.
pub type Slot = u32;

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instr {
    /// Pushes a number.
    Push(i64),
    /// Drops the top of the stack.
    Pop,
    /// Pushes a local variable.
    LoadLocal(Slot),
    /// Copies the top of the stack into a local variable.
    StoreLocal(Slot),
    /// Pushes a global variable.
    LoadGlobal(VariableId),
    /// Copies the top of the stack into a global variable.
    StoreGlobal(VariableId),
    /// Replaces the top of the stack.
    Unary(UnaryOp),
    /// Replaces the two topmost values. Never `And` or `Or`: those are jumps.
    Binary(BinaryOp),
    /// Pushes any number of a range, both ends included.
    Choose(i64, i64),
    /// Goes on elsewhere.
    Jump(Pc),
    /// Pops, and goes on elsewhere if it was 0.
    JumpIfZero(Pc),
    /// Pops; if it was 0, this path does not exist. Otherwise pushes 0.
    Assume,
    /// Ends the step; when the request goes on, pushes 0.
    Yield,
    /// Pops the response, which has as many values as this shape of [`Code::shapes`] is wide; the
    /// request is complete.
    Return(u32),
    /// Something went wrong, namely this one of [`Code::faults`]: this path does not exist.
    Fail(u32),
    /// Removes so many values below the top of the stack.
    Drop(u32),
    /// The request is complete, without a response that counts.
    Abort,
}

/// The code of one handler.
#[derive(Clone, Debug)]
pub struct Handler {
    pub name: String,
    /// Where it starts.
    pub entry: Pc,
    /// Local variables; the first ones are the parameters.
    pub slots: Vec<String>,
    /// What their values 0, 1, ... are called, if not by their numbers.
    pub symbols: Vec<Option<Vec<String>>>,
    /// The values of each parameter, both ends included.
    pub parameters: Vec<(i64, i64)>,
    /// How they are written.
    pub shapes: Vec<Shape>,
}

/// The code of a whole program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The instructions of all handlers, one handler after the other.
    pub instrs: Vec<Instr>,
    /// The expression that each instruction belongs to.
    pub spans: Vec<Span>,
    /// The handlers, in the order of their code.
    pub handlers: Vec<Handler>,
    /// The global variables by name.
    pub globals: Vec<String>,
    /// Their first values.
    pub initial: Vec<i64>,
    /// What their values 0, 1, ... are called, if not by their numbers.
    pub symbols: Vec<Option<Vec<String>>>,
    /// How responses are written; the first are numbers.
    pub shapes: Vec<Shape>,
    /// What may go wrong, and where.
    pub faults: Vec<(Fault, Span)>,
    /// Whether a request that goes wrong ends in a state that says so; otherwise, such a step does
    /// not happen.
    pub keeps_failures: bool,
    /// Whether several paths meet here, or a loop closes.
    pub is_join: Vec<bool>,
}

impl Code {
    /// The code of a program that has no errors.
    ///
    /// ```
    /// use ser_model::{Code, Instr};
    /// let code = Code::new(&ser_syntax::parse("request main { X := 2 }").program);
    /// assert_eq!(code.instrs, [Instr::Push(2), Instr::StoreGlobal(ser_model::VariableId(0)), Instr::Return(0)]);
    /// ```
    pub fn new(program: &Program) -> Code {
        super::lower::lower(program)
    }

    /// The names of the local variables of a handler.
    pub fn slots(&self, handler: &str) -> &[String] {
        self.handlers.iter().find(|h| h.name == handler).map_or(&[], |h| &h.slots)
    }

    /// The handler that `pc` belongs to.
    pub fn handler_of(&self, pc: Pc) -> usize {
        self.handlers.partition_point(|h| h.entry <= pc).saturating_sub(1)
    }
}
