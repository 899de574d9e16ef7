//! Pieces of syntax trees for things that are not written in the source.

use crate::ast::{BinaryOp, Expr, ExprKind, Name};
use ser_base::Span;

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

pub(crate) fn number(value: i64, span: Span) -> Expr {
    expr(ExprKind::Number(value), span)
}

pub(crate) fn read(name: impl Into<String>, span: Span) -> Expr {
    expr(ExprKind::Read(Name { text: name.into(), span }), span)
}

/// All of these hold; balanced, so that the tree stays low.
pub(crate) fn all(mut conditions: Vec<Expr>, span: Span) -> Expr {
    if conditions.len() <= 1 {
        return conditions.pop().unwrap_or_else(|| number(1, span));
    }
    let right = conditions.split_off(conditions.len() / 2);
    let (left, right) = (Box::new(all(conditions, span)), Box::new(all(right, span)));
    expr(ExprKind::Binary(BinaryOp::And, left, right), span)
}
