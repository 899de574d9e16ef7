//! Values.

use super::Reader;
use crate::ast::{self, ExprKind, UnaryOp};
use crate::inv::syntax::{Sign, Written, WrittenKind};
use crate::report::{Messages as _, error};
use ser_base::Span;

impl<'t> Reader<'t, '_> {
    pub(super) fn expr(&mut self, expr: &'t ast::Expr) -> Written<'t> {
        let kind = self.kind(expr);
        Written { span: expr.span, kind }
    }

    fn boxed(&mut self, expr: &'t ast::Expr) -> Box<Written<'t>> {
        Box::new(self.expr(expr))
    }

    fn kind(&mut self, expr: &'t ast::Expr) -> WrittenKind<'t> {
        match &expr.kind {
            ExprKind::Number(value) => WrittenKind::Number(*value),
            ExprKind::Bool(value) => WrittenKind::Bool(*value),
            ExprKind::Read(name) => match name.text.as_str() {
                "null" => WrittenKind::Null,
                "nobody" => WrittenKind::Nobody,
                "lowest" => WrittenKind::Lowest,
                "highest" => WrittenKind::Highest,
                _ => WrittenKind::Name(name),
            },
            ExprKind::Index(of, index) => {
                let (procedure, name) = match &of.kind {
                    ExprKind::Read(name) => (None, name),
                    ExprKind::Field(before, name) => match &before.kind {
                        ExprKind::Read(procedure) => (Some(procedure), name),
                        _ => return self.index_of_expression(of.span, expr.span),
                    },
                    ExprKind::Error => return WrittenKind::Error,
                    _ => return self.index_of_expression(of.span, expr.span),
                };
                WrittenKind::Indexed { procedure, name, index: self.boxed(index) }
            }
            ExprKind::Field(of, name) => WrittenKind::Field(self.boxed(of), name),
            ExprKind::At(thread, places) => WrittenKind::At(self.boxed(thread), places),
            ExprKind::Elements(elements) => WrittenKind::Set(self.all(elements)),
            ExprKind::Call(name, _) if name.text == "malloc" => {
                self.alone("`malloc`", expr.span, "x := malloc(e, null)")
            }
            ExprKind::Call(name, arguments) => WrittenKind::Call(name, self.arguments(arguments)),
            ExprKind::Group(block) => match block.exprs.as_slice() {
                [inside] => self.kind(inside),
                _ => self.no_value(expr),
            },
            ExprKind::Unary(UnaryOp::Negate, inside) => match &inside.kind {
                ExprKind::Number(value) if *value >= 0 => WrittenKind::Number(-value),
                _ => WrittenKind::Negate(self.boxed(inside)),
            },
            ExprKind::Unary(UnaryOp::Not, inside) => WrittenKind::Not(self.boxed(inside)),
            ExprKind::Binary(op, left, right) => self.binary(Sign::Common(*op), left, right),
            ExprKind::Relation(op, left, right) => self.binary(Sign::Relation(*op), left, right),
            ExprKind::Error => WrittenKind::Error,
            _ => self.no_value(expr),
        }
    }

    fn binary(&mut self, sign: Sign, left: &'t ast::Expr, right: &'t ast::Expr) -> WrittenKind<'t> {
        let place = self.between(left.span, right.span);
        WrittenKind::Binary(sign, place, self.boxed(left), self.boxed(right))
    }

    /// The place of what stands between two operands.
    fn between(&self, left: Span, right: Span) -> Span {
        let first = self.tokens.partition_point(|token| token.span.start < left.end);
        let there = self.tokens.get(first..).unwrap_or_default().iter();
        let mut there = there
            .take_while(|token| token.span.end <= right.start)
            .filter(|token| !token.kind.is_trivia());
        let Some(first) = there.next() else { return left.to(right) };
        there.last().map_or(first.span, |last| first.span.to(last.span))
    }

    pub(super) fn arguments(&mut self, arguments: &'t [ast::Argument]) -> Vec<Written<'t>> {
        let mut values = Vec::new();
        for argument in arguments {
            if let Some(name) = &argument.name {
                let message = "arguments have no names";
                let edit = Span::new(name.span.start, argument.value.span.start);
                error("named-argument", message, name.span, "unexpected name")
                    .with_fix("leave it out", edit, "")
                    .report(self);
            }
            values.push(self.expr(&argument.value));
        }
        values
    }

    fn index_of_expression(&mut self, operand: Span, span: Span) -> WrittenKind<'t> {
        error("malformed-index", "only locals have an index", span, "unexpected `[` here")
            .with_secondary(operand, "this is not the name of a local")
            .with_help("the local `x` of the thread `i` is `x[i]`")
            .report(self);
        WrittenKind::Error
    }

    /// Something that stands alone behind `:=`.
    fn alone(&mut self, what: &str, span: Span, example: &str) -> WrittenKind<'t> {
        let message = format!("{what} stands alone behind `:=`");
        error("expected-expression", message, span, "not expected inside of an expression")
            .with_help(format!("write `{example}` before"))
            .report(self);
        WrittenKind::Error
    }

    /// Something that has no value here.
    fn no_value(&mut self, expr: &'t ast::Expr) -> WrittenKind<'t> {
        let what = expr.kind.described();
        match &expr.kind {
            ExprKind::Choose(_) | ExprKind::Where(..) => {
                return self.alone(what, expr.span, "x := choose(int)");
            }
            ExprKind::Coin => {
                let help = "for any truth value, write `x := choose(bool)` before; \
                            to do one thing or another, `choose { ... } or { ... }`";
                self.not_here("`?`", expr.span, help);
            }
            ExprKind::Tuple(_) => self.not_here("tuple", expr.span, "take several variables"),
            ExprKind::List(_) => {
                let help = "sets are written with braces: `{a, b}`";
                self.not_here("list", expr.span, help);
            }
            ExprKind::Ghost(..) => {
                let message = "ghost code stands behind a statement, and is done in its step";
                error("ghost-alone", message, expr.span, "there is no statement before it")
                    .report(self);
            }
            _ => {
                let message = format!("{what} has no value in a model of threads");
                error("expected-expression", message, expr.span, "expected an expression here")
                    .with_help("make it a statement of its own")
                    .report(self);
            }
        }
        WrittenKind::Error
    }
}
