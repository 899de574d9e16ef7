//! Conditions on states: what may stand in them.

use crate::ast::{Block, Expr, ExprKind, Name};
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, KEPT_DIAGNOSTICS};

/// A condition with every name replaced by what `resolve` makes of it. Nothing if something in it
/// has no meaning; why, is added to `report`.
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
        ExprKind::Group(block) if block.exprs.len() == 1 => {
            let inside = condition(block.exprs.first()?, report, resolve)?;
            ExprKind::Group(Block { exprs: vec![inside], span: block.span })
        }
        ExprKind::Error => return None,
        _ => return out_of_place(expr, report),
    };
    Some(Expr { kind, span })
}

fn out_of_place(expr: &Expr, report: &mut Vec<Diagnostic>) -> Option<Expr> {
    let message = format!("{} cannot stand here", expr.kind.described());
    let label = "only variables, constants, numbers and operators can";
    let diagnostic = error("not-a-condition", message, expr.span, label);
    match expr.kind {
        ExprKind::Assign(..) => diagnostic.with_help("to compare, write `==`"),
        _ => diagnostic,
    }
    .none(report)
}
