//! Between which numbers the local variables of a process stay.
//!
//! Every local variable starts at 0 and gets the values of the expressions that are assigned to it,
//! in whatever order: a fixpoint over intervals. What still grows after a few rounds is said to be
//! unknown.

use std::collections::BTreeMap;

use super::scope::Scope;
use crate::ast::process::{Body, Process, StatementKind};
use crate::ast::{Expr, ExprKind, Name};
use crate::check::Checker;
use crate::intervals::{Interval, interval, join, point};

/// After so many rounds, whatever grows has no bounds.
const GROWING: usize = 8;

/// After so many rounds, nothing more is found out.
const ROUNDS: usize = 64;

/// What is known about the names that a process uses.
#[derive(Default)]
pub(super) struct Locals<'i> {
    known: BTreeMap<&'i str, Option<Interval>>,
}

impl<'i> Locals<'i> {
    /// What is known about the local variables of a process that has no errors.
    pub(super) fn of(
        process: &'i Process,
        scope: &Scope<'i>,
        checker: &mut Checker<'i, '_>,
    ) -> Locals<'i> {
        let mut locals = Locals::default();
        let mut sources = Vec::new();
        gather(&process.body, scope, checker, &mut sources);
        for parameter in &process.parameters {
            let range = checker.ends_of(parameter);
            let range = range.map(|(low, high)| (low.into(), high.into()));
            locals.known.insert(&parameter.name.text, range);
        }
        for round in 0.. {
            let mut changed = false;
            for (name, source) in &sources {
                let value = match source {
                    Source::Expr(expr) => locals.interval(expr, scope, checker),
                    Source::Item(known) => Some(*known),
                };
                let before = locals.known.get(name).copied().unwrap_or(Some(point(0)));
                let after = before.zip(value).map(|(before, value)| join(before, value));
                if after != before {
                    locals.known.insert(name, if round < GROWING { after } else { None });
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            if round >= ROUNDS {
                // A long chain of variables; nothing is lost but a shorter translation.
                for (name, _) in &sources {
                    locals.known.insert(name, None);
                }
                break;
            }
        }
        locals
    }

    /// What is known about the value of an expression.
    pub(super) fn interval(
        &self,
        expr: &Expr,
        scope: &Scope<'_>,
        checker: &Checker<'_, '_>,
    ) -> Option<Interval> {
        interval(expr, &|name: &Name| match self.known.get(name.text.as_str()) {
            Some(known) => *known,
            None if name.is_global() || scope.call(name).is_some() => scope.interval(name, checker),
            None if checker.constants.contains(&name.text) => scope.interval(name, checker),
            // Never assigned.
            None => Some(point(0)),
        })
    }
}

/// Where a local variable gets its values from.
enum Source<'i> {
    Expr(&'i Expr),
    /// An item of a queue, or the numbers of a `for`.
    Item(Interval),
}

fn gather<'i>(
    body: &'i Body,
    scope: &Scope<'i>,
    checker: &Checker<'i, '_>,
    sources: &mut Vec<(&'i str, Source<'i>)>,
) {
    for statement in &body.statements {
        if let StatementKind::Receive(queue, Some(variable)) = &statement.kind
            && let Some(items) = scope.values(&super::queue::slot(&queue.text, 0))
            && !variable.is_global()
        {
            sources.push((&variable.text, Source::Item(items.interval())));
        }
        if let StatementKind::For(name, low, high, _) = &statement.kind
            && let (Ok(low), Ok(high)) =
                (checker.constants.value(low), checker.constants.value(high))
        {
            // One more when it is over.
            let known = (low.into(), i128::from(high.max(low)) + 1);
            sources.push((&name.text, Source::Item(known)));
        }
        statement.for_each_own_expr(&mut |expr| assignments(expr, sources));
        statement.for_each_body(&mut |body| gather(body, scope, checker, sources));
    }
}

fn assignments<'i>(expr: &'i Expr, sources: &mut Vec<(&'i str, Source<'i>)>) {
    if let ExprKind::Assign(name, value) = &expr.kind
        && !name.is_global()
    {
        sources.push((&name.text, Source::Expr(value)));
    }
    expr.for_each_child(&mut |child| assignments(child, sources));
}
