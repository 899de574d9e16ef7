//! Conditions on states: what may stand in them.

use crate::ast::{Block, Expr, ExprKind, Name};
use ser_base::Diagnostic;
use ser_base::KEPT_DIAGNOSTICS;

/// A condition with every name replaced by what `resolve` makes of it. Nothing if something in it has no
/// meaning; why, is added to `report`.
pub(crate) fn condition(
    expr: &Expr,
    report: &mut Vec<Diagnostic>,
    resolve: &mut dyn FnMut(&Name, &mut Vec<Diagnostic>) -> Option<Expr>,
) -> Option<Expr> {
    if report.len() >= KEPT_DIAGNOSTICS {
        // More would not be shown.
        return None;
    }
    let span = expr.span;
    let kind = match &expr.kind {
        ExprKind::Number(value) => ExprKind::Number(*value),
        ExprKind::Read(name) => return resolve(name, report),
        ExprKind::Unary(op, operand) => {
            ExprKind::Unary(*op, Box::new(condition(operand, report, resolve)?))
        }
        ExprKind::Binary(op, left, right) => {
            let left = condition(left, report, resolve);
            let right = condition(right, report, resolve);
            ExprKind::Binary(*op, Box::new(left?), Box::new(right?))
        }
        ExprKind::Group(block) => match block.exprs.as_slice() {
            [inside] => {
                let inside = condition(inside, report, resolve)?;
                ExprKind::Group(Block { exprs: vec![inside], span: block.span })
            }
            _ => return out_of_place(expr, "a sequence of expressions", report),
        },
        ExprKind::Error => return None,
        ExprKind::Assign(..) => return out_of_place(expr, "an assignment", report),
        ExprKind::Coin => return out_of_place(expr, "`?`", report),
        ExprKind::Choose(..) => return out_of_place(expr, "`choose`", report),
        ExprKind::If(..) => return out_of_place(expr, "`if`", report),
        ExprKind::While(..) => return out_of_place(expr, "`while`", report),
        ExprKind::Yield => return out_of_place(expr, "`yield`", report),
        ExprKind::Return(_) => return out_of_place(expr, "`return`", report),
        ExprKind::Assume(_) => return out_of_place(expr, "`assume`", report),
    };
    Some(Expr { kind, span })
}

fn out_of_place(expr: &Expr, what: &str, report: &mut Vec<Diagnostic>) -> Option<Expr> {
    let message = format!("{what} cannot stand here");
    let mut diagnostic = Diagnostic::error("not-a-condition", message, expr.span)
        .with_label("only variables, constants, numbers and operators can");
    if matches!(expr.kind, ExprKind::Assign(..)) {
        diagnostic = diagnostic.with_help("to compare, write `==`");
    }
    report.push(diagnostic);
    None
}
