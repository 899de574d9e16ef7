//! One action: statements without a `yield` between them.

use super::desugar::{Desugar, balanced};
use super::goals::{self, Instance};
use super::queue;
use super::scope::Shared;
use super::store::store;
use crate::ast::process::{Body, Statement, StatementKind};
use crate::ast::{BinaryOp, Expr, ExprKind, Name};
use crate::make;
use ser_base::Span;

impl<'i> Desugar<'_, 'i, '_> {
    /// A statement as part of one action.
    pub(super) fn atomic(&mut self, statement: &'i Statement) -> Vec<Expr> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Expr(expr) => vec![self.expr(expr)],
            StatementKind::Await(condition, body) => {
                let mut exprs = vec![make::assume(self.expr(condition), span)];
                exprs.extend(body.iter().flat_map(|body| self.atomic_body(body)));
                exprs
            }
            StatementKind::Atomic(body) => self.atomic_body(body),
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition);
                let then = make::block(self.atomic_body(then), then.span);
                let other = match otherwise {
                    Some(other) => make::block(self.atomic_body(other), other.span),
                    None => make::block(Vec::new(), span),
                };
                vec![make::either(condition, then, other, span)]
            }
            StatementKind::While(condition, body) => {
                let condition = Box::new(self.expr(condition));
                let body = make::block(self.atomic_body(body), body.span);
                vec![make::expr(ExprKind::While(condition, body), span)]
            }
            StatementKind::For(name, low, high, body) => {
                let (low, high) = self.ends(low, high);
                let counter = self.counter(name);
                let mut inside = self.atomic_body(body);
                inside.push(make::step(&counter, BinaryOp::Add, 1, span));
                let goes_on = make::compare(&counter, BinaryOp::LessEqual, high, span);
                vec![
                    make::assign(&counter, make::number(low, span), span),
                    make::repeat_while(goes_on, inside, span),
                ]
            }
            StatementKind::Choose(alternatives) => {
                let arms = self.nested(alternatives, span, |it, body| {
                    make::block(it.atomic_body(body), body.span)
                });
                balanced(arms, span).exprs
            }
            StatementKind::Send(name, value) => {
                let known = self.locals.interval(value, self.scope, self.checker);
                let value = self.expr(value);
                let Some(Shared::Queue { capacity, items }) =
                    self.scope.shared.get(name.text.as_str())
                else {
                    return Vec::new();
                };
                self.add(8 * *capacity as usize, span);
                vec![queue::send(&name.text, *capacity, items, value, known, span)]
            }
            StatementKind::Receive(name, variable) => {
                let Some(Shared::Queue { capacity, items }) =
                    self.scope.shared.get(name.text.as_str())
                else {
                    return Vec::new();
                };
                self.add(4 * *capacity as usize, span);
                let put = |item| {
                    let Name { text, .. } = variable.as_ref()?;
                    Some(match self.scope.values(text) {
                        Some(values) if variable.as_ref().is_some_and(Name::is_global) => {
                            store(text, &values, item, Some(items.interval()), span)
                        }
                        _ => make::assign(text, item, span),
                    })
                };
                vec![queue::receive(&name.text, *capacity, items, put, span)]
            }
            StatementKind::Return => {
                let mut exprs = self.set_done(span);
                exprs.push(make::expr(ExprKind::Return(None), span));
                exprs
            }
            StatementKind::Skip | StatementKind::Error => Vec::new(),
        }
    }

    fn atomic_body(&mut self, body: &'i Body) -> Vec<Expr> {
        body.statements.iter().flat_map(|statement| self.atomic(statement)).collect()
    }

    /// Says that the process ends here, if anybody wants to know.
    pub(super) fn set_done(&mut self, span: Span) -> Vec<Expr> {
        self.add(8 * self.instances.len(), span);
        let parameters = &self.process.parameters;
        let set = |instance: &Instance| {
            let set = make::assign(goals::done(&instance.label), make::number(1, span), span);
            let same = parameters.iter().zip(&instance.values).map(|(parameter, value)| {
                make::compare(&parameter.name.text, BinaryOp::Equal, *value, span)
            });
            let same: Vec<Expr> = same.collect();
            if same.is_empty() { set } else { make::when(make::all(same, span), vec![set], span) }
        };
        self.instances.iter().map(set).collect()
    }
}
