//! From the core of a program to code.

use super::code::{Code, Handler, Instr, Pc};
use crate::VariableId;
use ser_base::Span;
use ser_syntax::core::{
    BinaryOp, Block, Expr, ExprKind, Label, Name, Program, Request, Response, Shape, UnaryOp,
};
use std::collections::BTreeMap;

/// Translates a program that has no errors.
pub(crate) fn lower(program: &Program) -> Code {
    let mut lowering = Lowering {
        code: Code { shapes: vec![Shape::Number], ..Code::default() },
        globals: BTreeMap::new(),
        slots: BTreeMap::new(),
        depth: 0,
        blocks: Vec::new(),
    };
    for global in &program.globals {
        let variable = lowering.global(&global.name).index();
        lowering.code.initial[variable] = global.first;
        lowering.code.symbols[variable] = global.shape.symbols();
    }
    for request in &program.requests {
        lowering.request(request);
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
    globals: BTreeMap<String, VariableId>,
    /// Local variables of the handler at hand.
    slots: BTreeMap<String, u32>,
    /// How many values are on the stack.
    depth: u32,
    /// The labelled blocks around the code at hand: how many values were on the stack, and the
    /// jumps to their ends.
    blocks: Vec<(Label, u32, Vec<usize>)>,
}

impl Lowering {
    fn request(&mut self, request: &Request) {
        self.slots.clear();
        let mut handler = Handler {
            name: request.name.text.clone(),
            entry: self.here(),
            slots: Vec::new(),
            symbols: Vec::new(),
            parameters: Vec::new(),
            shapes: Vec::new(),
        };
        for parameter in &request.parameters {
            self.slot(&parameter.name);
            handler.parameters.push((parameter.low, parameter.high));
            handler.shapes.push(parameter.shape.clone());
        }
        self.depth = 0;
        self.block(&request.body);
        let end = request.body.exprs.last().map_or(request.body.span, |e| e.span);
        self.emit(Instr::Return(0), end);
        let mut slots: Vec<(u32, String)> =
            std::mem::take(&mut self.slots).into_iter().map(|(n, s)| (s, n)).collect();
        slots.sort();
        handler.slots = slots.into_iter().map(|(_, name)| name).collect();
        let parameters = request.parameters.iter().map(|it| (&it.name.text, &it.shape));
        let shapes: BTreeMap<&String, &Shape> = parameters.chain(&request.locals).collect();
        let symbols = handler.slots.iter().map(|name| shapes.get(name)?.symbols());
        handler.symbols = symbols.collect();
        self.code.handlers.push(handler);
    }

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

    fn global(&mut self, name: &Name) -> VariableId {
        if let Some(id) = self.globals.get(&name.text) {
            return *id;
        }
        let id = VariableId::from_index(self.code.globals.len());
        self.globals.insert(name.text.clone(), id);
        self.code.globals.push(name.text.clone());
        self.code.initial.push(0);
        self.code.symbols.push(None);
        id
    }

    fn slot(&mut self, name: &Name) -> u32 {
        let next = self.slots.len() as u32;
        *self.slots.entry(name.text.clone()).or_insert(next)
    }

    fn block(&mut self, block: &Block) {
        let Some((last, rest)) = block.exprs.split_last() else {
            self.emit(Instr::Push(0), block.span);
            self.depth += 1;
            return;
        };
        for expr in rest {
            self.expr(expr);
            self.emit(Instr::Pop, expr.span);
            self.depth -= 1;
        }
        self.expr(last);
    }

    /// The code of an expression: it puts one value on the stack.
    fn expr(&mut self, expr: &Expr) {
        let depth = self.depth;
        self.expr_here(expr);
        self.depth = depth + 1;
    }

    fn expr_here(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(value) => {
                self.emit(Instr::Push(*value), span);
            }
            ExprKind::Choose(low, high) => {
                self.emit(Instr::Choose(*low, *high), span);
            }
            ExprKind::Read(name) => {
                let instr = if name.is_global() {
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
                self.depth -= 1;
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
                self.depth -= 1;
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
                self.depth -= 1;
                let depth = self.depth;
                self.block(then);
                let end = self.emit(Instr::Jump(0), condition.span);
                self.land(to_else);
                self.depth = depth;
                self.block(otherwise);
                self.land(end);
            }
            ExprKind::While(condition, body) => {
                let head = self.here();
                self.expr(condition);
                let end = self.emit(Instr::JumpIfZero(0), condition.span);
                self.depth -= 1;
                self.block(body);
                self.emit(Instr::Pop, condition.span);
                self.emit(Instr::Jump(head), condition.span);
                self.land(end);
                self.emit(Instr::Push(0), condition.span);
            }
            ExprKind::Yield => {
                self.emit(Instr::Yield, span);
            }
            ExprKind::Return(response) => self.respond(response, span),
            ExprKind::Abort => {
                self.emit(Instr::Abort, span);
            }
            ExprKind::Assume(condition) => {
                self.expr(condition);
                self.emit(Instr::Assume, span);
            }
            ExprKind::Fail(fault) => {
                self.code.faults.push((fault.clone(), span));
                self.emit(Instr::Fail(self.code.faults.len() as u32 - 1), span);
            }
            ExprKind::Labelled(label, block) => {
                self.blocks.push((*label, self.depth, Vec::new()));
                self.block(block);
                let ends = self.blocks.pop().map_or(Vec::new(), |(_, _, ends)| ends);
                ends.into_iter().for_each(|end| self.land(end));
            }
            ExprKind::Leave(label, value) => {
                self.expr(value);
                let around = self.blocks.iter().rposition(|(known, ..)| known == label);
                let Some(around) = around else { return };
                let left_over = self.depth - 1 - self.blocks[around].1;
                if left_over > 0 {
                    self.emit(Instr::Drop(left_over), span);
                }
                let jump = self.emit(Instr::Jump(0), span);
                self.blocks[around].2.push(jump);
            }
            ExprKind::Group(block) => self.block(block),
            // A program with errors is never lowered; 0 keeps the stack in shape.
            ExprKind::Error => {
                self.emit(Instr::Push(0), span);
            }
        }
    }

    fn respond(&mut self, response: &Response, span: Span) {
        response.parts.iter().for_each(|part| self.expr(part));
        let shapes = &mut self.code.shapes;
        let known = shapes.iter().position(|shape| *shape == response.shape);
        let shape = known.unwrap_or_else(|| {
            shapes.push(response.shape.clone());
            shapes.len() - 1
        });
        self.emit(Instr::Return(shape as u32), span);
    }

    /// The value of `expr` as 0 or 1.
    fn truth(&mut self, expr: &Expr) {
        self.expr(expr);
        self.emit(Instr::Unary(UnaryOp::Not), expr.span);
        self.emit(Instr::Unary(UnaryOp::Not), expr.span);
    }
}
