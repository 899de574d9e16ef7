//! The parts of a step.

use super::Reader;
use crate::ast::{self, Else, ExprKind};
use crate::inv::syntax::{Action, ActionKind, Written, WrittenKind};
use crate::report::{Messages as _, error};
use ser_base::Span;

impl<'t> Reader<'t, '_> {
    /// What is done in `atomic`, in `ghost` or behind `await`.
    pub(super) fn actions(&mut self, block: &'t ast::Block) -> Vec<Action<'t>> {
        let mut actions = Vec::new();
        for expr in &block.exprs {
            self.action(expr, &mut actions);
        }
        actions
    }

    fn action(&mut self, expr: &'t ast::Expr, actions: &mut Vec<Action<'t>>) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition);
                let then = self.actions(then);
                let otherwise = match otherwise {
                    None => Vec::new(),
                    Some(Else::Block(block)) => self.actions(block),
                    Some(Else::If(another)) => {
                        let mut actions = Vec::new();
                        self.action(another, &mut actions);
                        actions
                    }
                };
                actions.push(Action { span, kind: ActionKind::If { condition, then, otherwise } });
            }
            ExprKind::Atomic(block) => actions.extend(self.actions(block)),
            ExprKind::Named(name, _) => {
                let message = "what stands in `atomic` or `ghost` has no name";
                error("named-action", message, name.span, "unexpected name here")
                    .with_help("the whole step is one location: `take: atomic { ... }`")
                    .report(self);
            }
            ExprKind::While(..)
            | ExprKind::Loop(_)
            | ExprKind::Either(_)
            | ExprKind::Return(_)
            | ExprKind::Ghost(..)
            | ExprKind::Var(_) => self.in_one_step(expr.kind.described(), span),
            ExprKind::Call(name, _) if self.is_procedure(name) => {
                self.in_one_step("a call", span);
            }
            ExprKind::Assign(_, value) if matches!(&value.kind, ExprKind::Call(name, _) if self.is_procedure(name)) =>
            {
                self.in_one_step("a call", span);
            }
            _ => {
                let simple = self.simple(expr);
                actions.extend(simple.unwrap_or_default());
            }
        }
    }

    fn in_one_step(&mut self, what: &str, span: Span) {
        let message = format!("{what} cannot stand in `atomic` or `ghost`");
        error("statement-in-atomic", message, span, "not expected here")
            .with_help(
                "in one step there are assignments, `await`, `assert`, `lock`, `unlock`, \
                 `skip` and `if`",
            )
            .report(self);
    }

    /// An action that is no `if`; more than one for `await` with a body. Nothing if it is none, which
    /// is reported.
    pub(super) fn simple(&mut self, expr: &'t ast::Expr) -> Option<Vec<Action<'t>>> {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Skip => ActionKind::Skip,
            ExprKind::Assert(condition) => ActionKind::Assert(self.expr(condition)),
            ExprKind::Acquire(cell) => ActionKind::Lock(self.expr(cell)),
            ExprKind::Release(cell) => ActionKind::Unlock(self.expr(cell)),
            ExprKind::Await(condition, block) => {
                let span = Span::new(span.start, condition.span.end);
                let kind = ActionKind::Await(self.expr(condition));
                let mut actions = vec![Action { span, kind }];
                actions.extend(self.actions(block));
                return Some(actions);
            }
            ExprKind::Assign(name, value) => {
                let target = match name.text.as_str() {
                    "null" => WrittenKind::Null,
                    "nobody" => WrittenKind::Nobody,
                    "lowest" => WrittenKind::Lowest,
                    "highest" => WrittenKind::Highest,
                    _ => WrittenKind::Name(name),
                };
                self.assigned(Written { span: name.span, kind: target }, value)?
            }
            ExprKind::Store(target, value) => {
                let target = self.expr(target);
                self.assigned(target, value)?
            }
            ExprKind::Error => return None,
            _ => {
                self.no_statement(expr);
                return None;
            }
        };
        Some(vec![Action { span, kind }])
    }

    /// What stands behind `:=`.
    fn assigned(&mut self, target: Written<'t>, value: &'t ast::Expr) -> Option<ActionKind<'t>> {
        let (chosen, condition) = match &value.kind {
            ExprKind::Where(chosen, condition) => (&**chosen, Some(&**condition)),
            _ => (value, None),
        };
        match &chosen.kind {
            ExprKind::Choose(values) => {
                let values = self.values(values);
                let condition = condition.map(|condition| self.expr(condition));
                Some(ActionKind::Havoc { target, values: values?, condition })
            }
            ExprKind::Call(name, arguments) if name.text == "malloc" && condition.is_none() => {
                let [data, next] = arguments.as_slice() else {
                    let message = "`malloc` takes 2 arguments";
                    let help = "a new cell gets its data and its next cell: `a := malloc(e, null)`";
                    error(
                        "malformed-malloc",
                        message,
                        chosen.span,
                        "expected `malloc(data, next)`",
                    )
                    .with_help(help)
                    .report(self);
                    return None;
                };
                let (data, next) = (self.expr(&data.value), self.expr(&next.value));
                Some(ActionKind::Malloc { target, data, next })
            }
            _ => Some(ActionKind::Assign { target, value: self.expr(value) }),
        }
    }

    /// Something that does nothing here.
    fn no_statement(&mut self, expr: &'t ast::Expr) {
        let span = expr.span;
        let what = expr.kind.described();
        let help = match &expr.kind {
            ExprKind::Yield => "every statement is one step: others run between any two of them",
            ExprKind::Abort => "`return` ends a thread",
            ExprKind::Break | ExprKind::Continue => {
                "loops end by their condition: write `while c { ... }`, or leave a function with `return`"
            }
            ExprKind::For(..) => "count in a variable: `while n < 3 { n := n + 1 }`",
            ExprKind::Match(..) => "write `if x == 0 { ... } else if x == 1 { ... }`",
            ExprKind::With(..) => {
                "cells have locks: `lock a` and `unlock a`; for others, write `await !busy { busy := true }`"
            }
            ExprKind::Send(..) | ExprKind::Receive(..) => {
                "threads share variables, sets, and cells of the heap"
            }
            ExprKind::Assume(_) => {
                "`assume` is about the start, and stands at top level; to wait until something holds, write `await c`"
            }
            ExprKind::Read(name) => {
                let help = match name.text.as_str() {
                    "critical" | "noncritical" => "for a step that does nothing, write `skip`",
                    _ => "statements look like `x := 1`, `await x == 1`, `p(x)`",
                };
                let message = format!("{name} alone does nothing");
                error("expected-statement", message, span, "expected a statement here")
                    .with_help(help)
                    .report(self);
                return;
            }
            ExprKind::Call(name, _) if matches!(name.text.as_str(), "lock" | "unlock") => {
                let message = format!("{name} stands before a cell, without parentheses");
                error("expected-statement", message, span, "looks like a call")
                    .with_help(format!("write `{} a`", name.text))
                    .report(self);
                return;
            }
            ExprKind::Call(name, arguments) => {
                // Says what is wrong with it; what is right has a value, and does nothing.
                if !self.functions.iter().any(|it| it.name.text == name.text)
                    && !super::FUNCTIONS.contains(&name.text.as_str())
                    && name.text != "malloc"
                {
                    let message = format!("there is no procedure {name}");
                    let help = format!("declare it at top level: `fn {}() {{ ... }}`", name.text);
                    let known = self.functions.iter().filter(|it| !it.is_shorthand);
                    let known = known.map(|it| it.name.text.as_str());
                    let diagnostic =
                        error("unknown-procedure", message, name.span, "not known here");
                    let diagnostic = match self.sink.closest(&name.text, known) {
                        Some(right) => diagnostic.meant(right),
                        None => diagnostic.with_help(help),
                    };
                    diagnostic.report(self);
                    return;
                }
                let _ = arguments;
                let message = format!("{name} has a value, and does nothing");
                error("expected-statement", message, span, "expected a statement here")
                    .with_help("assign it: `x := ...`")
                    .report(self);
                return;
            }
            ExprKind::Block(_) => {
                let message = "what stands in these braces has no name";
                error("expected-statement", message, span, "expected a statement here")
                    .with_help("a place is named like this: `crit: { ... }`")
                    .report(self);
                return;
            }
            _ => {
                let message = format!("{what} alone does nothing");
                error("expected-statement", message, span, "expected a statement here")
                    .with_help("statements look like `x := 1`, `await x == 1`, `p(x)`")
                    .report(self);
                return;
            }
        };
        self.not_here(what, span, help);
    }
}
