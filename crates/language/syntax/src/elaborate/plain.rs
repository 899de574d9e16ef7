//! Programs that have been made of processes: numbers only, and nothing to find out.

use crate::ast::{self, Else, ExprKind as Source, TypeKind};
use crate::constant::{constants, evaluate};
use crate::core::{self, Block, Expr, ExprKind, Global, Parameter, Request, Response, Shape};
use std::collections::BTreeMap;

type Constants = BTreeMap<String, i64>;

/// The core of a program that uses nothing but numbers.
pub(crate) fn plain_program(tree: &ast::Program) -> core::Program {
    let constants = constants(tree);
    let value = |expr: &ast::Expr| evaluate(expr, &constants).unwrap_or(0);
    let globals = tree.globals.iter().map(|item| Global {
        name: item.name.clone(),
        first: item.value.as_ref().map_or(0, value),
        shape: Shape::Number,
        span: item.span,
    });
    let parameter = |parameter: &ast::Parameter| {
        let (low, high) = parameter.range().map_or((0, 0), |(low, high)| (value(low), value(high)));
        let (name, span) = (parameter.name.clone(), parameter.span);
        Parameter { name, low, high, shape: Shape::Number, span }
    };
    let requests = tree.requests.iter().map(|request| Request {
        name: request.name.clone(),
        parameters: request.parameters.iter().map(parameter).collect(),
        locals: BTreeMap::new(),
        body: block(&request.body, &constants),
        span: request.span,
    });
    let (globals, requests) = (globals.collect(), requests.collect());
    core::Program { constants: constants.clone(), globals, requests, questions: Vec::new() }
}

/// The core of an expression that uses nothing but numbers.
pub(crate) fn plain_expr(expr: &ast::Expr, constants: &Constants) -> Expr {
    let sub = |expr: &ast::Expr| Box::new(plain_expr(expr, constants));
    let kind = match &expr.kind {
        Source::Number(value) => ExprKind::Number(*value),
        Source::Coin => ExprKind::Choose(0, 1),
        Source::Choose(values) => match &values.kind {
            TypeKind::Range(low, high) => {
                let value = |expr| evaluate(expr, constants).unwrap_or(0);
                ExprKind::Choose(value(low), value(high))
            }
            _ => ExprKind::Error,
        },
        Source::Read(name) => match constants.get(&name.text) {
            Some(value) => ExprKind::Number(*value),
            None => ExprKind::Read(name.clone()),
        },
        Source::Assign(name, value) => ExprKind::Assign(name.clone(), sub(value)),
        Source::Unary(op, operand) => ExprKind::Unary(*op, sub(operand)),
        Source::Binary(op, left, right) => ExprKind::Binary(*op, sub(left), sub(right)),
        Source::If(condition, then, otherwise) => {
            let otherwise = match otherwise {
                None => Block { exprs: Vec::new(), span: condition.span },
                Some(Else::Block(other)) => block(other, constants),
                Some(Else::If(expr)) => Block { exprs: vec![*sub(expr)], span: expr.span },
            };
            ExprKind::If(sub(condition), block(then, constants), otherwise)
        }
        Source::While(condition, body) => ExprKind::While(sub(condition), block(body, constants)),
        Source::Yield => ExprKind::Yield,
        Source::Return(value) => {
            let nothing = Expr { kind: ExprKind::Number(0), span: expr.span };
            let value = value.as_ref().map_or(nothing, |value| *sub(value));
            ExprKind::Return(Response::number(value))
        }
        Source::Abort => ExprKind::Abort,
        Source::Assume(condition) => ExprKind::Assume(sub(condition)),
        Source::Group(inside) => ExprKind::Group(block(inside, constants)),
        // Not in the languages that come here.
        _ => ExprKind::Error,
    };
    Expr { kind, span: expr.span }
}

fn block(block: &ast::Block, constants: &Constants) -> Block {
    let exprs = block.exprs.iter().map(|expr| plain_expr(expr, constants)).collect();
    Block { exprs, span: block.span }
}
