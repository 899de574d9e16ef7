//! What a process must satisfy beyond the grammar: names, enumerations, things out of place.

use std::collections::{BTreeMap, BTreeSet};

use super::scope::{Scope, Shared};
use crate::ast::process::{Body, Function, Process, Statement, StatementKind};
use crate::ast::{BinaryOp, Expr, ExprKind, Name};
use crate::check::Checker;
use crate::parser::instead_of;
use crate::report::{Messages as _, Report, Reported, error};
use crate::types::MAX_VALUES;
use ser_base::{Diagnostic, KEPT_DIAGNOSTICS, Span, closest_name};

/// Checks one process. Warnings, which make sense only if there are no errors, are added to
/// `warnings`.
pub(super) fn check<'i>(
    process: &'i Process,
    scope: &Scope<'i>,
    checker: &mut Checker<'i, '_>,
    warnings: &mut Vec<Diagnostic>,
) {
    let sizes = checker.sizes(&process.parameters);
    checker.enter(&process.name, &process.parameters, &sizes, "process");
    let mut walker = Walker {
        scope,
        checker,
        read: BTreeMap::new(),
        written: BTreeSet::new(),
        loops: Vec::new(),
        counted: BTreeMap::new(),
        outside: Vec::new(),
    };
    walker.body(&process.body);
    walker.outside_of_loops();
    walker.never_assigned(warnings);
}

struct Walker<'a, 'i, 's> {
    scope: &'a Scope<'i>,
    checker: &'a mut Checker<'i, 's>,
    /// Local variables with the first place where they are read.
    read: BTreeMap<&'i str, Span>,
    /// Local variables that get a value.
    written: BTreeSet<&'i str>,
    /// The variables of the `for`s around.
    loops: Vec<&'i str>,
    /// The variables of all `for`s, with the first place of each.
    counted: BTreeMap<&'i str, Span>,
    /// Local variables that are not those of a `for` around.
    outside: Vec<&'i Name>,
}

impl Report for Walker<'_, '_, '_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.checker.report(diagnostic)
    }
}

impl<'i> Walker<'_, 'i, '_> {
    fn body(&mut self, body: &'i Body) {
        for statement in &body.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'i Statement) {
        let loops = self.loops.len();
        match &statement.kind {
            StatementKind::Expr(expr) => {
                if self.effect(expr) {
                    self.expr(expr);
                }
            }
            StatementKind::Await(condition, _)
            | StatementKind::If(condition, ..)
            | StatementKind::While(condition, _) => self.expr(condition),
            StatementKind::For(name, low, high, _) => self.counter(name, low, high),
            StatementKind::Send(queue, value) => {
                self.expr(value);
                if let Some(items) = self.queue(queue) {
                    let name = format!("an item of {}", queue.text);
                    let found = self.scope.kind_of(value);
                    self.scope.fits(&name, items, found, value.span, self.checker);
                }
            }
            StatementKind::Receive(queue, None) => {
                self.queue(queue);
            }
            StatementKind::Receive(queue, Some(variable)) => {
                self.target(variable);
                self.checker.assigned(variable);
                let items = self.queue(queue);
                if let (Some(items), Some(values)) = (items, self.scope.values(&variable.text)) {
                    let (name, found) = (&variable.text, items.enumeration);
                    self.scope.fits(name, values, found, variable.span, self.checker);
                }
            }
            StatementKind::Atomic(_)
            | StatementKind::Choose(_)
            | StatementKind::Skip
            | StatementKind::Return
            | StatementKind::Error => {}
        }
        statement.for_each_body(&mut |body| self.body(body));
        self.loops.truncate(loops);
    }

    /// The variable of a `for` is its own, and its ends are numbers that are known.
    fn counter(&mut self, name: &'i Name, low: &'i Expr, high: &'i Expr) {
        let (first, last) = (self.checker.value(low), self.checker.value(high));
        if let (Some(first), Some(last)) = (first, last)
            && first <= last
        {
            self.checker.bounds(low, high, MAX_VALUES);
        }
        if name.text == "_" {
            return;
        }
        self.checker.assigned(name);
        if self.is_fixed(name) {
            return;
        }
        if name.is_global() {
            let message = format!("{name} would be shared, and a `for` counts for itself");
            error("shared-counter", message, name.span, "starts with an uppercase letter")
                .with_help("give it a name that starts with a lowercase letter")
                .report(self);
            return;
        }
        let text = name.text.as_str();
        if self.loops.contains(&text) {
            let message = format!("a `for` around this one counts with {name}, too");
            error("assign-to-counter", message, name.span, "needs a name of its own").report(self);
        }
        self.loops.push(text);
        self.counted.entry(text).or_insert(name.span);
        self.written.insert(text);
    }

    /// What a `for` counts with is known inside of it only.
    fn outside_of_loops(&mut self) {
        for name in std::mem::take(&mut self.outside) {
            let Some(&place) = self.counted.get(name.text.as_str()) else { continue };
            name.wrong("counter-outside", "is known only inside of its `for`")
                .with_label("not expected here")
                .with_secondary(place, "the `for` counts with it")
                .with_help(format!(
                    "copy it into another variable in the loop: `last := {}`",
                    name.text
                ))
                .report(self.checker);
        }
    }

    /// A statement should do something; if it does not, whether it is worth another look.
    fn effect(&mut self, expr: &Expr) -> bool {
        if has_effect(expr) {
            return true;
        }
        let diagnostic = Diagnostic::error("no-effect", "this statement does nothing", expr.span)
            .with_label("its value is not used");
        let diagnostic = match &expr.kind {
            ExprKind::Binary(BinaryOp::Equal, left, _)
                if matches!(left.kind, ExprKind::Read(_)) =>
            {
                diagnostic
                    .with_help("to assign, write `:=`")
                    .with_help("to wait until it is true, write `await(...)`")
            }
            ExprKind::Binary(..) | ExprKind::Unary(..) => {
                diagnostic.with_help("to wait until it is true, write `await(...)`")
            }
            ExprKind::Read(name) if name.text == "pass" => {
                diagnostic.with_fix("to do nothing, write `skip`", name.span, "skip")
            }
            _ => diagnostic.with_help("a process has no response; leave it out"),
        };
        self.report(diagnostic);
        !matches!(&expr.kind, ExprKind::Read(name) if name.text == "pass")
    }

    fn expr(&mut self, expr: &'i Expr) {
        match &expr.kind {
            ExprKind::Yield => {
                let message = "`yield` is not needed here";
                Diagnostic::error("yield-in-process", message, expr.span)
                    .with_label("every statement is an action of its own")
                    .with_fix("leave it out", expr.span, "")
                    .with_help("to make several statements one action, write `atomic { ... }`")
                    .report(self);
            }
            ExprKind::Return(_) => {
                let message = "`return` is a statement of its own here";
                Diagnostic::error("return-in-expression", message, expr.span)
                    .with_label("not expected inside an expression")
                    .report(self);
            }
            ExprKind::Abort => {
                let message = "`abort` is for requests: a process has no response";
                Diagnostic::error("abort-in-process", message, expr.span)
                    .with_label("not expected in a process")
                    .with_fix("to end the process, write `return`", expr.span, "return")
                    .report(self);
            }
            ExprKind::Choose(..) => {
                // Its ends are constants.
                self.checker.expr(expr);
                return;
            }
            ExprKind::Read(name) => self.read(name),
            ExprKind::Assign(name, value) => {
                self.target(name);
                self.checker.assigned(name);
                if let Some(values) = self.scope.values(&name.text) {
                    let found = self.scope.kind_of(value);
                    self.scope.fits(&name.text, values, found, value.span, self.checker);
                }
            }
            ExprKind::Binary(..) => {
                self.scope.enumerations.compared(expr, &|it| self.scope.kind_of(it), self.checker);
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.expr(child));
    }

    fn read(&mut self, name: &'i Name) {
        match self.scope.call(name) {
            Some(Function::Len(queue)) => {
                self.queue(queue);
                return;
            }
            Some(Function::Done(_) | Function::Response(_)) => {
                let message = "`done` can be asked only in `reach`";
                error("done-in-process", message, name.span, "a process cannot see this")
                    .with_help("let the other process set a shared variable at its end")
                    .report(self);
                return;
            }
            None => {}
        }
        if self.is_local(name) {
            self.read.entry(&name.text).or_insert(name.span);
            if !self.loops.contains(&name.text.as_str()) {
                self.outside.push(name);
            }
        }
    }

    /// Whether a name is that of a local variable; reports it if it is none at all.
    fn is_local(&mut self, name: &Name) -> bool {
        if self.is_fixed(name) {
            return false;
        }
        let diagnostic = match self.scope.shared.get(name.text.as_str()) {
            Some(Shared::Variable(_) | Shared::Unknown) => return false,
            Some(Shared::Queue { .. }) => self.scope.queue_as_variable(name),
            None if name.is_global() => self.scope.undefined(name, self.checker),
            None => return true,
        };
        self.report(diagnostic);
        false
    }

    /// Whether this is a constant or a parameter.
    fn is_fixed(&self, name: &Name) -> bool {
        self.checker.constants.contains(&name.text)
            || self.checker.parameters.contains_key(name.text.as_str())
    }

    /// A name that gets a value.
    fn target(&mut self, name: &'i Name) {
        if self.is_local(name) {
            self.written.insert(&name.text);
            if self.loops.contains(&name.text.as_str()) {
                let message = format!("a `for` counts with {name}, so nobody else changes it");
                error("assign-to-counter", message, name.span, "assigned here").report(self);
            } else {
                self.outside.push(name);
            }
        }
    }

    /// What a queue holds.
    fn queue(&mut self, name: &Name) -> Option<crate::types::Values> {
        match self.scope.shared.get(name.text.as_str()) {
            Some(Shared::Queue { items, .. }) => Some(*items),
            Some(Shared::Unknown) => None,
            _ => {
                let diagnostic = self.scope.not_a_queue(name, self.checker);
                self.report(diagnostic);
                None
            }
        }
    }

    /// Local variables that are always 0 are probably other names, mistyped.
    fn never_assigned(&mut self, warnings: &mut Vec<Diagnostic>) {
        for (name, span) in std::mem::take(&mut self.read) {
            if self.written.contains(name) || name.starts_with('_') {
                continue;
            }
            if warnings.len() >= KEPT_DIAGNOSTICS {
                // More would not be shown.
                break;
            }
            if let Some((message, help)) = instead_of(name) {
                // A variable that means something else than its author believes.
                let diagnostic = error("other-language", message, span, "never assigned");
                let helps = if help.is_empty() { &[][..] } else { &[help] };
                self.checker.report(diagnostic.with_helps(helps));
                continue;
            }
            let message = format!("`{name}` never gets a value in this process, so it is 0");
            let diagnostic =
                Diagnostic::warning("never-assigned", message, span).with_label("always 0");
            let parameters = self.checker.parameters.keys().copied();
            let known = self
                .written
                .iter()
                .copied()
                .chain(parameters)
                .chain(self.checker.constants.0.keys().map(String::as_str))
                .chain(self.scope.shared.keys().copied());
            let diagnostic = match closest_name(name, known) {
                Some(known) => diagnostic.meant(known),
                None => diagnostic,
            };
            warnings.push(diagnostic);
        }
    }
}

/// Whether evaluating this does something.
fn has_effect(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Assign(..)
        | ExprKind::Assume(_)
        | ExprKind::Yield
        | ExprKind::Return(_)
        | ExprKind::Abort
        | ExprKind::Error => true,
        _ => {
            let mut found = false;
            expr.for_each_child(&mut |child| found |= has_effect(child));
            found
        }
    }
}
