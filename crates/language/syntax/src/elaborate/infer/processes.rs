//! What processes have and requests have not: queues, waiting, the end of others; and what is a
//! mistake in a process alone.

use super::{Infer, LocalKind, Use};
use crate::ast::{self, Argument, BinaryOp, Block, Declared, Expr, ExprKind, Name};
use crate::elaborate::types::{Layout, Ty};
use crate::parser::instead_of;
use crate::report::{Messages as _, error};
use crate::types::unbounded_type;
use ser_base::{Diagnostic, KEPT_DIAGNOSTICS, Span};

impl<'p> Infer<'_, 'p, '_> {
    // Variables.

    /// The values of a shared variable, which are bounded.
    pub(super) fn bounded(
        &mut self,
        item: &'p ast::Variable,
        layout: Option<Layout>,
        ty: &Ty,
    ) -> Option<Layout> {
        let is_int = |it: &Layout| matches!(it, Layout::Int);
        if let (Declared::Var(Some(values)), Some(layout)) = (&item.declared, &layout)
            && self.typed.types.has(layout, &is_int)
        {
            unbounded_type(values.span).report(self.checker);
            return None;
        }
        if layout.is_some() || matches!(item.declared, Declared::Var(Some(_)) | Declared::Lock(_)) {
            return layout;
        }
        let found = self.typed.types.layout_of(&self.typed.unifier.settled(ty));
        if matches!(item.declared, Declared::Var(None)) && !self.typed.types.has(&found, &is_int) {
            return Some(found);
        }
        let Name { text, span } = &item.name;
        let first = item.value.as_ref().map_or(0, |value| match &value.kind {
            ExprKind::Number(value) => *value,
            _ => 0,
        });
        let high = first.max(10);
        let example = format!("for example `var {text}: 0..{high} = {first}`");
        let message = format!("say which values `{text}` can have");
        let diagnostic = error("unbounded-variable", message, *span, "its values have no bounds");
        match (&item.declared, &item.value) {
            (Declared::Initial, Some(value)) => {
                let until = Span::new(span.start, value.span.start);
                diagnostic.with_fix(example, until, format!("var {text}: 0..{high} = "))
            }
            _ => diagnostic.with_fix(example, Span::empty(span.end), format!(": 0..{high}")),
        }
        .report(self.checker);
        Some(Layout::Int)
    }

    /// A shared name that is not declared.
    pub(super) fn undeclared(&mut self, name: &Name) {
        let text = &name.text;
        if let Some((message, help)) = instead_of(text) {
            let helps = if help.is_empty() { &[][..] } else { &[help] };
            error("other-language", message, name.span, "not part of the language")
                .with_helps(helps)
                .report(self.checker);
            return;
        }
        let label = "no variable, queue or constant has this name";
        let diagnostic = name.error("undefined-name", "is not declared", label);
        let known = self.typed.globals.keys().copied();
        let known = known.chain(self.checker.places.keys().copied());
        match self.checker.sink.closest(text, known) {
            Some(known) => diagnostic.meant(known),
            None => diagnostic.with_help(format!(
                "say which values it can have: `var {text}: 0..10`, outside of the processes"
            )),
        }
        .report(self.checker);
    }

    /// Local variables that are always 0 are probably other names, mistyped.
    pub(super) fn never_assigned(&mut self, body: &'p Block) {
        let mut read = Vec::new();
        body.exprs.iter().for_each(|expr| reads(expr, &mut read));
        let mut said = Vec::new();
        for name in read {
            let text = name.text.as_str();
            let is_variable =
                self.locals.get(text).is_some_and(|it| it.kind == LocalKind::Variable);
            let is_known = self.assigned.contains(text) || text.starts_with('_');
            if !is_variable || is_known || said.contains(&text) {
                continue;
            }
            said.push(text);
            if self.warnings.len() >= KEPT_DIAGNOSTICS {
                // More would not be shown.
                break;
            }
            let message = format!("{name} never gets a value in this process, so it is 0");
            let diagnostic =
                Diagnostic::warning("never-assigned", message, name.span).with_label("always 0");
            let known = self.assigned.iter().chain(self.typed.globals.keys()).copied();
            let parameters = self.checker.parameters.keys().chain(self.checker.places.keys());
            let known = known.chain(parameters.copied());
            self.warnings.push(match ser_base::closest_name(text, known) {
                Some(known) => diagnostic.meant(known),
                None => diagnostic,
            });
        }
    }

    // Statements.

    /// An expression whose value nobody uses; in a process it should do something.
    pub(super) fn statement(&mut self, expr: &'p Expr) -> Ty {
        if !self.has_processes() || has_effect(expr) {
            return self.expr(expr, Use::Nothing);
        }
        let diagnostic =
            error("no-effect", "this statement does nothing", expr.span, "its value is not used");
        match &expr.kind {
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
        }
        .report(self.checker);
        match &expr.kind {
            ExprKind::Read(name) if name.text == "pass" => Ty::Int,
            _ => self.expr(expr, Use::Nothing),
        }
    }

    /// What happens in one action.
    pub(super) fn together(&mut self, body: &'p Block) {
        self.block(body, Use::Nothing);
    }

    /// What only requests have.
    pub(super) fn of_requests(&mut self, expr: &'p Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Yield => error(
                "yield-in-process",
                "`yield` is not needed here",
                span,
                "every statement is an action of its own",
            )
            .with_fix("leave it out", span, "")
            .with_help("to make several statements one action, write `atomic { ... }`"),
            _ => error(
                "abort-in-process",
                "`abort` is for requests: a process has no response",
                span,
                "not expected in a process",
            )
            .with_fix("to end the process, write `return`", span, "return"),
        }
        .report(self.checker);
    }

    /// What only threads have.
    pub(super) fn of_threads(&mut self, expr: &'p Expr) {
        let (what, help) = match &expr.kind {
            ExprKind::Named(..) | ExprKind::At(..) | ExprKind::Block(_) => {
                ("places with names", "set a shared variable where it matters, and look at that")
            }
            ExprKind::Ghost(..) => ("ghost code", "write it into the same `atomic { ... }`"),
            ExprKind::Where(..) => {
                ("`where`", "write `x := choose(0..9)`, and then `await(condition)`")
            }
            _ => ("sets", "a set stands behind `in`: `X in {1, 2}`"),
        };
        let message = format!("a process has no {what}");
        error("not-in-processes", message, expr.span, "not supported here")
            .with_help(help)
            .report(self.checker);
    }

    // Queues.

    /// `send value to queue`.
    pub(super) fn send(&mut self, value: &'p Expr, to: &'p Expr) -> Ty {
        let found = self.expr(value, Use::Value);
        match &to.kind {
            ExprKind::Read(queue) => {
                if let Some(items) = self.queue(queue) {
                    self.same(&items, &found, to.span, value.span, "an item of the queue");
                }
            }
            _ => {
                let message = "processes send to queues";
                error("variable-as-queue", message, to.span, "expected the name of a queue")
                    .with_help("it looks like `send 1 to Q`, after `var Q: queue[2] of 0..3`")
                    .report(self.checker);
            }
        }
        Ty::Int
    }

    /// `recv queue`.
    pub(super) fn receive(&mut self, queue: &'p Name, from: Option<&'p Expr>) -> Ty {
        if let Some(from) = from {
            let message = "a queue does not know who has sent what is in it";
            error("not-in-processes", message, from.span, "not supported here")
                .with_help("use one queue for each sender")
                .report(self.checker);
        }
        self.queue(queue).unwrap_or_else(|| self.typed.unifier.fresh())
    }

    /// `len(queue)`.
    pub(super) fn length(&mut self, arguments: &'p [Argument], span: Span) -> Ty {
        match arguments {
            [Argument { name: None, value: Expr { kind: ExprKind::Read(queue), .. } }] => {
                self.queue(queue);
            }
            _ => {
                error("malformed-call", "`len` is that of a queue", span, "expected `len(Q)`")
                    .report(self.checker);
            }
        }
        Ty::Int
    }

    /// What a queue holds.
    fn queue(&mut self, name: &'p Name) -> Option<Ty> {
        let text = name.text.as_str();
        let global = self.typed.globals.get(text);
        if let Some(Layout::Queue(_, items)) = global.and_then(|it| it.layout.as_ref()) {
            return Some(self.typed.types.erased(items));
        }
        if global.is_some_and(|it| it.declared.is_some() && it.layout.is_none()) {
            // Its declaration has an error.
            return None;
        }
        let is_known = global.is_some() || self.checker.constants.contains(text);
        let diagnostic = match is_known {
            true => name.error("variable-as-queue", "is not a queue", "expected a queue"),
            false => {
                let message = format!("there is no queue {name}");
                error("undefined-name", message, name.span, "not declared")
            }
        };
        let queues = self.typed.globals.iter();
        let queues = queues.filter(|(_, it)| matches!(it.layout, Some(Layout::Queue(..))));
        match self.checker.sink.closest(text, queues.map(|(name, _)| *name)) {
            Some(known) => diagnostic.meant(known),
            None => diagnostic
                .with_help(format!("a queue is declared like `var {text}: queue[2] of 0..3`")),
        }
        .none(self.checker)
    }

    /// A queue where a variable should be.
    pub(super) fn queue_as_variable(&mut self, name: &Name) {
        let text = &name.text;
        name.error("queue-as-variable", "is a queue, not a variable", "expected a variable")
            .with_help(format!("`len({text})` says how many items are in it"))
            .with_help(format!("`send 1 to {text}` and `x := recv {text}` put and take items"))
            .report(self.checker);
    }

    // The end of processes.

    /// `done`, `done(process)`, `done(process(values))`.
    pub(super) fn done(&mut self, arguments: Option<&'p [Argument]>, span: Span) -> Ty {
        let ty = self.typed.unifier.truth();
        if !self.in_claim {
            let message = "`done` can be asked only in `reach` and `invariant`";
            error("done-in-process", message, span, "a process cannot see this")
                .with_help("let the other process set a shared variable at its end")
                .report(self.checker);
            return ty;
        }
        let of = match arguments {
            None | Some([]) => {
                if self.typed.asked.len() < self.processes.len() {
                    self.typed.asked.extend(self.processes.keys().copied());
                }
                return ty;
            }
            Some([Argument { name: None, value }]) => value,
            Some(_) => {
                self.malformed_done(span);
                return ty;
            }
        };
        let (name, values) = match &of.kind {
            ExprKind::Read(name) => (name, None),
            ExprKind::Call(name, values) if values.iter().all(|it| it.name.is_none()) => {
                (name, Some(values))
            }
            ExprKind::Index(of, index) => {
                let message = "one of several processes is written with its parameters";
                let name = match &of.kind {
                    ExprKind::Read(name) => name.text.as_str(),
                    _ => "P",
                };
                error("unexpected-token", message, index.span, "unexpected index here")
                    .with_help(format!("write `done({name}(0))`"))
                    .report(self.checker);
                return ty;
            }
            _ => {
                self.malformed_done(span);
                return ty;
            }
        };
        let Some(process) = self.processes.get(name.text.as_str()).copied() else {
            let message = format!("there is no process {name}");
            let diagnostic = error("undefined-name", message, name.span, "not defined");
            let known = self.processes.keys().copied();
            match self.checker.sink.closest(&name.text, known) {
                Some(known) => diagnostic.meant(known),
                None => diagnostic,
            }
            .report(self.checker);
            return ty;
        };
        self.typed.asked.insert(&process.name.text);
        let Some(values) = values else { return ty };
        let mut fits = values.len() == process.parameters.len();
        for (value, parameter) in values.iter().zip(&process.parameters) {
            let found = self.expr(&value.value, Use::Value);
            let layout = self.typed.types.layout(&parameter.values, self.checker);
            let Some(layout) = layout else { return ty };
            let wanted = self.typed.types.erased(&layout);
            self.same(&wanted, &found, parameter.span, value.value.span, "the parameter");
            let Some(value) = self.checker.value(&value.value) else { return ty };
            let ends = self.typed.types.values(&layout);
            fits &= ends.is_none_or(|(low, high)| (low..=high).contains(&value));
        }
        if !fits {
            error(
                "undefined-name",
                "there is no such process",
                of.span,
                "its parameters have no such values",
            )
            .with_secondary(process.name.span, "defined here")
            .report(self.checker);
        }
        ty
    }

    fn malformed_done(&mut self, span: Span) {
        let message = "`done` asks whether a process has ended";
        error("malformed-call", message, span, "expected the name of a process")
            .with_help("it looks like `done`, `done(P)` or `done(P(1))`")
            .report(self.checker);
    }
}

/// The names that are read, in the order of the text.
fn reads<'p>(expr: &'p Expr, names: &mut Vec<&'p Name>) {
    if let ExprKind::Read(name) = &expr.kind {
        names.push(name);
    }
    expr.for_each_child(&mut |child| reads(child, names));
}

/// Whether evaluating this does something, or may.
fn has_effect(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(_)
        | ExprKind::Bool(_)
        | ExprKind::Coin
        | ExprKind::Choose(_)
        | ExprKind::Read(_)
        | ExprKind::Field(..)
        | ExprKind::Index(..)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Relation(..)
        | ExprKind::Range(..)
        | ExprKind::Elements(_)
        | ExprKind::Quantified(..)
        | ExprKind::Tuple(_)
        | ExprKind::List(_) => {
            let mut found = false;
            expr.for_each_child(&mut |child| found |= has_effect(child));
            found
        }
        ExprKind::Group(block) => block.exprs.iter().any(has_effect),
        _ => true,
    }
}
