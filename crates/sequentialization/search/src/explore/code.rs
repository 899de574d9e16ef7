//! The code of a process as instructions with numbered places, so that what is left of it is one
//! number.
//!
//! Every statement is one instruction; what comes after the end of a block is known when the block
//! is translated. Which members a `for` has visited is kept apart, one number for each `for` of the
//! process.

use ser_syntax::icet::ast::{
    ConstructorId, Expr, MessageId, Pattern, Process, SetId, Source, Stmt, StmtId, StmtKind, VarId,
};

/// A place in the code: of an instruction, or [`END`].
pub(crate) type Pc = u32;

/// Nothing is left.
pub(crate) const END: Pc = 0;

/// A statement and where the process goes from there.
#[derive(Clone, Debug)]
pub(crate) struct Instruction<'p> {
    /// The statement; nothing at the end.
    pub(crate) stmt: Option<StmtId>,
    /// What is done.
    pub(crate) operation: Operation<'p>,
    /// What comes next; of a loop, what comes after it.
    pub(crate) next: Pc,
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub(crate) enum Operation<'p> {
    /// Nothing is left.
    End,
    Send {
        payload: &'p Expr,
        message: MessageId,
        to: &'p Expr,
    },
    Receive {
        pattern: &'p Pattern,
        message: MessageId,
        from: &'p Source,
    },
    Assign {
        variable: VarId,
        value: &'p Expr,
    },
    Any {
        variable: VarId,
    },
    Pick {
        variable: VarId,
        set: SetId,
    },
    If {
        condition: Option<&'p Expr>,
        then: Pc,
        otherwise: Pc,
    },
    Match {
        variable: VarId,
        arms: Vec<Case<'p>>,
    },
    While {
        condition: &'p Expr,
        body: Pc,
    },
    Loop {
        body: Pc,
    },
    Break {
        to: Pc,
    },
    /// `progress` says where the members that were visited are kept.
    For {
        variable: VarId,
        set: SetId,
        body: Pc,
        progress: usize,
    },
    Assert {
        condition: &'p Expr,
    },
    Fail,
    Skip,
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub(crate) struct Case<'p> {
    pub(crate) constructors: &'p [ConstructorId],
    pub(crate) fields: &'p [Option<VarId>],
    pub(crate) body: Pc,
}

/// The code of one process.
#[derive(Clone, Debug)]
pub(crate) struct Code<'p> {
    instructions: Vec<Instruction<'p>>,
    /// Where it begins.
    pub(crate) start: Pc,
    /// How many `for` loops there are.
    pub(crate) loops: usize,
}

impl<'p> Code<'p> {
    /// Translates the body of a process.
    pub(crate) fn new(process: &'p Process) -> Code<'p> {
        let end = Instruction { stmt: None, operation: Operation::End, next: END };
        let mut code = Code { instructions: vec![end], start: END, loops: 0 };
        let mut exits = Vec::new();
        code.start = code.block(&process.body, END, &mut exits);
        code
    }

    /// The instruction at a place.
    pub(crate) fn at(&self, pc: Pc) -> &Instruction<'p> {
        &self.instructions[pc as usize]
    }

    fn put(&mut self, stmt: StmtId, operation: Operation<'p>, next: Pc) -> Pc {
        self.instructions.push(Instruction { stmt: Some(stmt), operation, next });
        (self.instructions.len() - 1) as Pc
    }

    /// Translates a block; `exits` are the loops around it, with what comes after each.
    fn block(&mut self, stmts: &'p [Stmt], next: Pc, exits: &mut Vec<(StmtId, Pc)>) -> Pc {
        stmts.iter().rev().fold(next, |next, stmt| self.stmt(stmt, next, exits))
    }

    fn stmt(&mut self, stmt: &'p Stmt, next: Pc, exits: &mut Vec<(StmtId, Pc)>) -> Pc {
        let operation = match &stmt.kind {
            StmtKind::Send { payload, message, to } => {
                Operation::Send { payload, message: *message, to }
            }
            StmtKind::Receive { pattern, message, from } => {
                Operation::Receive { pattern, message: *message, from }
            }
            StmtKind::Assign { variable, value } => {
                Operation::Assign { variable: *variable, value }
            }
            StmtKind::Any { variable } => Operation::Any { variable: *variable },
            StmtKind::Pick { variable, set } => Operation::Pick { variable: *variable, set: *set },
            StmtKind::Assert { condition } => Operation::Assert { condition },
            StmtKind::Fail => Operation::Fail,
            StmtKind::Skip => Operation::Skip,
            StmtKind::Break { of } => {
                let exit = exits.iter().rev().find(|(id, _)| id == of);
                Operation::Break { to: exit.map_or(next, |(_, to)| *to) }
            }
            StmtKind::If { condition, then, otherwise } => {
                let then = self.block(then, next, exits);
                let otherwise = self.block(otherwise, next, exits);
                Operation::If { condition: condition.as_ref(), then, otherwise }
            }
            StmtKind::Match { variable, arms } => {
                let arms = arms
                    .iter()
                    .map(|arm| Case {
                        constructors: &arm.constructors,
                        fields: &arm.fields,
                        body: self.block(&arm.body, next, exits),
                    })
                    .collect();
                Operation::Match { variable: *variable, arms }
            }
            StmtKind::While { .. } | StmtKind::Loop { .. } | StmtKind::For { .. } => {
                return self.repeated(stmt, next, exits);
            }
        };
        self.put(stmt.id, operation, next)
    }

    /// Loops: their own place is what comes after their body, so it is reserved first.
    fn repeated(&mut self, stmt: &'p Stmt, next: Pc, exits: &mut Vec<(StmtId, Pc)>) -> Pc {
        let head = self.put(stmt.id, Operation::Skip, next);
        let operation = match &stmt.kind {
            StmtKind::For { variable, set, body } => {
                let progress = self.loops;
                self.loops += 1;
                let body = self.block(body, head, exits);
                Operation::For { variable: *variable, set: *set, body, progress }
            }
            StmtKind::While { condition, body } => {
                exits.push((stmt.id, next));
                let body = self.block(body, head, exits);
                exits.pop();
                Operation::While { condition, body }
            }
            StmtKind::Loop { body } => {
                exits.push((stmt.id, next));
                let body = self.block(body, head, exits);
                exits.pop();
                Operation::Loop { body }
            }
            _ => Operation::Skip,
        };
        self.instructions[head as usize].operation = operation;
        head
    }
}
