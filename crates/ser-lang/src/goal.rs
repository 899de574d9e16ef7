//! Conditions on states: what may stand in them.

use crate::Diagnostic;
use crate::ast::{Block, Expr, ExprKind, Name};
use crate::sink::Sink;

/// A condition with every name replaced by what `resolve` makes of it. Nothing if something in it has no
/// meaning; that is reported.
pub(crate) fn condition(
    expr: &Expr,
    sink: &mut Sink,
    resolve: &mut dyn FnMut(&Name, &mut Sink) -> Option<Expr>,
) -> Option<Expr> {
    let span = expr.span;
    let kind = match &expr.kind {
        ExprKind::Number(value) => ExprKind::Number(*value),
        ExprKind::Read(name) => return resolve(name, sink),
        ExprKind::Unary(op, operand) => {
            ExprKind::Unary(*op, Box::new(condition(operand, sink, resolve)?))
        }
        ExprKind::Binary(op, left, right) => {
            let left = condition(left, sink, resolve);
            let right = condition(right, sink, resolve);
            ExprKind::Binary(*op, Box::new(left?), Box::new(right?))
        }
        ExprKind::Group(block) => match block.exprs.as_slice() {
            [inside] => {
                let inside = condition(inside, sink, resolve)?;
                ExprKind::Group(Block { exprs: vec![inside], span: block.span })
            }
            _ => return out_of_place(expr, "a sequence of expressions", sink),
        },
        ExprKind::Error => return None,
        ExprKind::Assign(..) => return out_of_place(expr, "an assignment", sink),
        ExprKind::Coin => return out_of_place(expr, "`?`", sink),
        ExprKind::Choose(..) => return out_of_place(expr, "`choose`", sink),
        ExprKind::If(..) => return out_of_place(expr, "`if`", sink),
        ExprKind::While(..) => return out_of_place(expr, "`while`", sink),
        ExprKind::Yield => return out_of_place(expr, "`yield`", sink),
        ExprKind::Return(_) => return out_of_place(expr, "`return`", sink),
        ExprKind::Assume(_) => return out_of_place(expr, "`assume`", sink),
    };
    Some(Expr { kind, span })
}

fn out_of_place(expr: &Expr, what: &str, sink: &mut Sink) -> Option<Expr> {
    let message = format!("{what} cannot stand here");
    let mut diagnostic = Diagnostic::error("not-a-condition", message, expr.span)
        .with_label("only variables, constants, numbers and operators can");
    if matches!(expr.kind, ExprKind::Assign(..)) {
        diagnostic = diagnostic.with_help("to compare, write `==`");
    }
    sink.push(diagnostic);
    None
}
