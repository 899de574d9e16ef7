//! Pieces of syntax trees for things that are not written in the source.

use crate::ast::{BinaryOp, Block, Else, Expr, ExprKind, Name};
use ser_base::Span;

pub(crate) fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

pub(crate) fn number(value: i64, span: Span) -> Expr {
    expr(ExprKind::Number(value), span)
}

pub(crate) fn read(name: impl Into<String>, span: Span) -> Expr {
    expr(ExprKind::Read(Name { text: name.into(), span }), span)
}

pub(crate) fn assign(name: impl Into<String>, value: Expr, span: Span) -> Expr {
    expr(ExprKind::Assign(Name { text: name.into(), span }, Box::new(value)), span)
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
}

/// `name op value`.
pub(crate) fn compare(name: &str, op: BinaryOp, value: i64, span: Span) -> Expr {
    binary(op, read(name, span), number(value, span), span)
}

pub(crate) fn assume(condition: Expr, span: Span) -> Expr {
    expr(ExprKind::Assume(Box::new(condition)), span)
}

pub(crate) fn pause(at: Span) -> Expr {
    expr(ExprKind::Yield, Span::empty(at.start))
}

pub(crate) fn block(exprs: Vec<Expr>, span: Span) -> Block {
    Block { exprs, span }
}

/// Several expressions as one; one is itself.
pub(crate) fn group(mut exprs: Vec<Expr>, span: Span) -> Expr {
    match exprs.pop() {
        Some(only) if exprs.is_empty() => only,
        Some(last) => {
            exprs.push(last);
            expr(ExprKind::Group(block(exprs, span)), span)
        }
        None => number(0, span),
    }
}

pub(crate) fn when(condition: Expr, then: Vec<Expr>, span: Span) -> Expr {
    expr(ExprKind::If(Box::new(condition), block(then, span), None), span)
}

pub(crate) fn either(condition: Expr, then: Block, otherwise: Block, span: Span) -> Expr {
    let otherwise = (!otherwise.exprs.is_empty()).then_some(Else::Block(otherwise));
    expr(ExprKind::If(Box::new(condition), then, otherwise), span)
}

pub(crate) fn repeat_while(condition: Expr, body: Vec<Expr>, span: Span) -> Expr {
    expr(ExprKind::While(Box::new(condition), block(body, span)), span)
}

/// All of these hold; balanced, so that the tree stays low.
pub(crate) fn all(mut conditions: Vec<Expr>, span: Span) -> Expr {
    if conditions.len() <= 1 {
        return conditions.pop().unwrap_or_else(|| number(1, span));
    }
    let right = conditions.split_off(conditions.len() / 2);
    binary(BinaryOp::And, all(conditions, span), all(right, span), span)
}

/// `name := name op amount`.
pub(crate) fn step(name: &str, op: BinaryOp, amount: i64, span: Span) -> Expr {
    let changed = binary(op, read(name, span), number(amount, span), span);
    assign(name, changed, span)
}
