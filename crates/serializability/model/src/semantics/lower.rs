//! From the syntax tree to code.

use super::code::{Code, Handler, Instr, Pc};
use crate::VariableId;
use ser_base::Span;
use ser_syntax::ast::{BinaryOp, Block, Else, Expr, ExprKind, Name, Program, UnaryOp};
use std::collections::BTreeMap;

/// Translates a program that has no errors.
pub(crate) fn lower(program: &Program) -> Code {
    let constants = ser_syntax::constants(program);
    let mut lowering = Lowering {
        code: Code::default(),
        constants,
        globals: BTreeMap::new(),
        slots: BTreeMap::new(),
    };
    for item in &program.initial_values {
        let variable = lowering.global(&item.name);
        let value = lowering.constant(&item.value);
        lowering.code.initial[variable.index()] = value;
    }
    for request in &program.requests {
        lowering.slots.clear();
        let mut handler = Handler {
            name: request.name.text.clone(),
            entry: lowering.here(),
            slots: Vec::new(),
            parameters: Vec::new(),
        };
        for parameter in &request.parameters {
            lowering.slot(&parameter.name);
            let range = (lowering.constant(&parameter.low), lowering.constant(&parameter.high));
            handler.parameters.push(range);
        }
        lowering.block(&request.body);
        let end = request.body.exprs.last().map_or(request.body.span, |e| e.span);
        lowering.emit(Instr::Return, end);
        let mut slots: Vec<(u32, String)> =
            std::mem::take(&mut lowering.slots).into_iter().map(|(n, s)| (s, n)).collect();
        slots.sort();
        handler.slots = slots.into_iter().map(|(_, name)| name).collect();
        lowering.code.handlers.push(handler);
    }
    let mut code = lowering.code;
    code.is_join = vec![false; code.instrs.len()];
    for instr in &code.instrs {
        if let Instr::Jump(target) | Instr::JumpIfZero(target) = instr {
            code.is_join[*target as usize] = true;
        }
    }
    code
}

struct Lowering {
    code: Code,
    constants: BTreeMap<String, i64>,
    globals: BTreeMap<String, VariableId>,
    /// Local variables of the handler at hand.
    slots: BTreeMap<String, u32>,
}

impl Lowering {
    fn here(&self) -> Pc {
        self.code.instrs.len() as Pc
    }

    fn emit(&mut self, instr: Instr, span: Span) -> usize {
        self.code.instrs.push(instr);
        self.code.spans.push(span);
        self.code.instrs.len() - 1
    }

    /// Lets an earlier jump lead here.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        if let Instr::Jump(target) | Instr::JumpIfZero(target) = &mut self.code.instrs[jump] {
            *target = here;
        }
    }

    fn constant(&self, expr: &Expr) -> i64 {
        ser_syntax::evaluate(expr, &self.constants).unwrap_or(0)
    }

    fn global(&mut self, name: &Name) -> VariableId {
        if let Some(id) = self.globals.get(&name.text) {
            return *id;
        }
        let id = VariableId::from_index(self.code.globals.len());
        self.globals.insert(name.text.clone(), id);
        self.code.globals.push(name.text.clone());
        self.code.initial.push(0);
        id
    }

    fn slot(&mut self, name: &Name) -> u32 {
        let next = self.slots.len() as u32;
        *self.slots.entry(name.text.clone()).or_insert(next)
    }

    fn block(&mut self, block: &Block) {
        let Some((last, rest)) = block.exprs.split_last() else {
            self.emit(Instr::Push(0), block.span);
            return;
        };
        for expr in rest {
            self.expr(expr);
            self.emit(Instr::Pop, expr.span);
        }
        self.expr(last);
    }

    fn expr(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(value) => {
                self.emit(Instr::Push(*value), span);
            }
            ExprKind::Coin => {
                self.emit(Instr::Choose(0, 1), span);
            }
            ExprKind::Choose(low, high) => {
                let range = (self.constant(low), self.constant(high));
                self.emit(Instr::Choose(range.0, range.1), span);
            }
            ExprKind::Read(name) => {
                let instr = if let Some(value) = self.constants.get(&name.text) {
                    Instr::Push(*value)
                } else if name.is_global() {
                    Instr::LoadGlobal(self.global(name))
                } else {
                    Instr::LoadLocal(self.slot(name))
                };
                self.emit(instr, span);
            }
            ExprKind::Assign(name, value) => {
                self.expr(value);
                let instr = if name.is_global() {
                    Instr::StoreGlobal(self.global(name))
                } else {
                    Instr::StoreLocal(self.slot(name))
                };
                self.emit(instr, span);
            }
            ExprKind::Unary(op, operand) => {
                self.expr(operand);
                self.emit(Instr::Unary(*op), span);
            }
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.expr(left);
                let skip = self.emit(Instr::JumpIfZero(0), span);
                self.truth(right);
                let end = self.emit(Instr::Jump(0), span);
                self.land(skip);
                self.emit(Instr::Push(0), span);
                self.land(end);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                self.expr(left);
                let go_on = self.emit(Instr::JumpIfZero(0), span);
                self.emit(Instr::Push(1), span);
                let end = self.emit(Instr::Jump(0), span);
                self.land(go_on);
                self.truth(right);
                self.land(end);
            }
            ExprKind::Binary(op, left, right) => {
                self.expr(left);
                self.expr(right);
                self.emit(Instr::Binary(*op), span);
            }
            ExprKind::If(condition, then, otherwise) => {
                self.expr(condition);
                let to_else = self.emit(Instr::JumpIfZero(0), condition.span);
                self.block(then);
                let end = self.emit(Instr::Jump(0), condition.span);
                self.land(to_else);
                match otherwise {
                    Some(Else::Block(block)) => self.block(block),
                    Some(Else::If(expr)) => self.expr(expr),
                    None => {
                        self.emit(Instr::Push(0), condition.span);
                    }
                }
                self.land(end);
            }
            ExprKind::While(condition, body) => {
                let head = self.here();
                self.expr(condition);
                let end = self.emit(Instr::JumpIfZero(0), condition.span);
                self.block(body);
                self.emit(Instr::Pop, condition.span);
                self.emit(Instr::Jump(head), condition.span);
                self.land(end);
                self.emit(Instr::Push(0), condition.span);
            }
            ExprKind::Yield => {
                self.emit(Instr::Yield, span);
            }
            ExprKind::Return(value) => {
                match value {
                    Some(value) => self.expr(value),
                    None => {
                        self.emit(Instr::Push(0), span);
                    }
                }
                self.emit(Instr::Return, span);
            }
            ExprKind::Abort => {
                self.emit(Instr::Abort, span);
            }
            ExprKind::Assume(condition) => {
                self.expr(condition);
                self.emit(Instr::Assume, span);
            }
            ExprKind::Group(block) => self.block(block),
            // A program with errors is never lowered; 0 keeps the stack in shape.
            ExprKind::Error => {
                self.emit(Instr::Push(0), span);
            }
        }
    }

    /// The value of `expr` as 0 or 1.
    fn truth(&mut self, expr: &Expr) {
        self.expr(expr);
        self.emit(Instr::Unary(UnaryOp::Not), expr.span);
        self.emit(Instr::Unary(UnaryOp::Not), expr.span);
    }
}
