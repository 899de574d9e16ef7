//! Questions on the command line: numbers and operators, and nothing to find out.

use crate::ast::{self, ExprKind as Source};
use crate::core::{Block, Expr, ExprKind};
use std::collections::BTreeMap;

type Constants = BTreeMap<String, i64>;

/// The core of an expression that uses nothing but numbers.
pub(crate) fn plain_expr(expr: &ast::Expr, constants: &Constants) -> Expr {
    let sub = |expr: &ast::Expr| Box::new(plain_expr(expr, constants));
    let kind = match &expr.kind {
        Source::Number(value) => ExprKind::Number(*value),
        Source::Read(name) => match constants.get(&name.text) {
            Some(value) => ExprKind::Number(*value),
            None => ExprKind::Read(name.clone()),
        },
        Source::Unary(op, operand) => ExprKind::Unary(*op, sub(operand)),
        Source::Binary(op, left, right) => ExprKind::Binary(*op, sub(left), sub(right)),
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
