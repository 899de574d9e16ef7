//! Expressions of processes as expressions of programs.

use super::desugar::Desugar;
use super::queue;
use super::store::store;
use crate::ast::process::Function;
use crate::ast::{Block, Else, Expr, ExprKind, Name};
use crate::check::Checker;
use crate::intervals::{Interval, outside};
use crate::make;
use crate::report::Messages as _;
use crate::types::Values;
use ser_base::Diagnostic;

impl<'i> Desugar<'_, 'i, '_> {
    /// An expression with hidden names for calls, and assignments that stay in their ranges.
    pub(super) fn expr(&mut self, expr: &'i Expr) -> Expr {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Read(name) => match self.scope.call(name) {
                Some(Function::Len(queue)) => {
                    let text = queue::length(&queue.text);
                    ExprKind::Read(Name { text, span: name.span })
                }
                _ => ExprKind::Read(name.clone()),
            },
            ExprKind::Assign(name, value) => {
                let known = self.locals.interval(value, self.scope, self.checker);
                let stored = self.expr(value);
                match self.scope.values(&name.text) {
                    Some(values) if name.is_global() => {
                        self.impossible(name, &values, value, known);
                        self.add(32, span);
                        return store(&name.text, &values, stored, known, span);
                    }
                    _ => ExprKind::Assign(name.clone(), Box::new(stored)),
                }
            }
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, Box::new(self.expr(operand))),
            ExprKind::Binary(op, left, right) => {
                ExprKind::Binary(*op, Box::new(self.expr(left)), Box::new(self.expr(right)))
            }
            ExprKind::If(condition, then, otherwise) => ExprKind::If(
                Box::new(self.expr(condition)),
                self.block(then),
                otherwise.as_ref().map(|otherwise| match otherwise {
                    Else::Block(block) => Else::Block(self.block(block)),
                    Else::If(expr) => Else::If(Box::new(self.expr(expr))),
                }),
            ),
            ExprKind::While(condition, body) => {
                ExprKind::While(Box::new(self.expr(condition)), self.block(body))
            }
            ExprKind::Assume(condition) => ExprKind::Assume(Box::new(self.expr(condition))),
            ExprKind::Group(block) => ExprKind::Group(self.block(block)),
            _ => expr.kind.clone(),
        };
        make::expr(kind, span)
    }

    fn block(&mut self, block: &'i Block) -> Block {
        make::block(block.exprs.iter().map(|expr| self.expr(expr)).collect(), block.span)
    }

    /// Warns about an assignment that never fits.
    fn impossible(&mut self, name: &Name, values: &Values, value: &Expr, known: Option<Interval>) {
        let known = known.filter(|_| !values.wraps);
        let Some((one, label)) = known.and_then(|known| outside(known, values.interval())) else {
            return;
        };
        let (text, Values { low, high, .. }) = (&name.text, values);
        let message = match one {
            Some(one) => format!("{one} is not one of the values of {name}"),
            None => format!("this is never one of the values of {name}"),
        };
        Diagnostic::warning("assignment-out-of-range", message, value.span)
            .with_label(label)
            .with_help(format!(
                "`{text}` can have the values {low} to {high}; this assignment never happens"
            ))
            .report(self.checker.sink);
    }
}

/// Whether an expression reads or writes a shared variable.
pub(super) fn touches_shared(expr: &Expr, checker: &Checker<'_, '_>) -> bool {
    let shared = |name: &Name| name.is_global() && !checker.constants.contains(&name.text);
    match &expr.kind {
        ExprKind::Read(name) if shared(name) => true,
        ExprKind::Assign(name, _) if shared(name) => true,
        _ => {
            let mut found = false;
            expr.for_each_child(&mut |child| found |= touches_shared(child, checker));
            found
        }
    }
}

/// Whether evaluating an expression twice is the same as once.
pub(super) fn is_repeatable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Coin
        | ExprKind::Choose(..)
        | ExprKind::Assign(..)
        | ExprKind::Assume(_)
        | ExprKind::Return(_)
        | ExprKind::Abort => false,
        _ => {
            let mut repeatable = true;
            expr.for_each_child(&mut |child| repeatable &= is_repeatable(child));
            repeatable
        }
    }
}
