//! Shorthands, written out where they are used.
//!
//! A `let` is resolved once, with its parameters as threads; a use of it is a copy with other threads.
//! A `let` can use those before it only, so there are no circles. Copies of copies grow fast: their size is
//! counted over the whole file, and their height must stay below the limit for what is written by hand.

use super::measure::{height, size};
use super::{Context, Resolver, Thing};
use crate::ast::Name;
use crate::grammar;
use crate::inv::ast::{Expr, ExprKind, Thread};
use crate::inv::symbols::Symbol;
use crate::parser::MAX_DEPTH;
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};

/// A copy of an expression, with other threads for the parameters.
fn instance(expr: &Expr, threads: &[Thread]) -> Expr {
    let thread = |thread: Thread| match thread {
        Thread::Index(place) => threads.get(place as usize).copied().unwrap_or(thread),
        other => other,
    };
    let boxed = |inside: &Expr| Box::new(instance(inside, threads));
    let kind = match &expr.kind {
        ExprKind::Thread(it) => match thread(*it) {
            Thread::Global(id) => ExprKind::Global(id),
            it => ExprKind::Thread(it),
        },
        ExprKind::Local(id, it) => ExprKind::Local(*id, thread(*it)),
        ExprKind::At(it, places) => ExprKind::At(thread(*it), places.clone()),
        ExprKind::Field(inside, field) => ExprKind::Field(boxed(inside), *field),
        ExprKind::Not(inside) => ExprKind::Not(boxed(inside)),
        ExprKind::Negate(inside) => ExprKind::Negate(boxed(inside)),
        ExprKind::Min(inside) => ExprKind::Min(boxed(inside)),
        ExprKind::Max(inside) => ExprKind::Max(boxed(inside)),
        ExprKind::Cells(inside) => ExprKind::Cells(boxed(inside)),
        ExprKind::Elems(inside) => ExprKind::Elems(boxed(inside)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, boxed(left), boxed(right)),
        ExprKind::Reach(left, right) => ExprKind::Reach(boxed(left), boxed(right)),
        ExprKind::Ordered(left, right) => ExprKind::Ordered(boxed(left), boxed(right)),
        ExprKind::Set(elements) => {
            ExprKind::Set(elements.iter().map(|it| instance(it, threads)).collect())
        }
        other @ (ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Null
        | ExprKind::Nobody
        | ExprKind::Lowest
        | ExprKind::Highest
        | ExprKind::Global(_)) => other.clone(),
    };
    Expr { span: expr.span, ty: expr.ty, kind }
}

/// Whether threads are spoken of.
fn mentions_threads(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Thread(_) | ExprKind::Local(..) | ExprKind::At(..))
        || expr.children().into_iter().any(mentions_threads)
}

impl<'f> Resolver<'f, '_> {
    /// The values of all `let`s, in their order.
    pub(super) fn shorthands(&mut self) {
        for number in 0..self.lets.len() {
            let Some(info) = self.lets.get(number) else { return };
            let item = info.item;
            let id = number as u32;
            let fits =
                self.declare_parameters(&item.parameters, &|place| Symbol::LetParameter(id, place));
            self.context = Context::Let(id);
            self.parameters = &item.parameters;
            let value = if fits { self.expr(&item.value, None) } else { None };
            let value = value.filter(|it| self.not_too_high(it).is_some());
            self.parameters = &[];
            if let Some(info) = self.lets.get_mut(number) {
                info.nodes = value.as_ref().map_or(0, size);
                info.value = value;
                info.resolved = true;
            }
        }
    }

    /// A use of a `let`: `inside`, `active(i)`.
    pub(super) fn shorthand(
        &mut self,
        name: &'f Name,
        arguments: Option<&'f [grammar::Expr]>,
        span: Span,
    ) -> Option<Expr> {
        let Some((Thing::Let(id), declared)) = self.thing(&name.text) else {
            self.not_a_function(name);
            return None;
        };
        self.occurs(name.span, Symbol::Let(id), false);
        let info = self.lets.get(id as usize)?;
        let (item, resolved) = (info.item, info.resolved);
        match self.context {
            Context::Invariant(_) | Context::Let(_) | Context::Assumption => {}
            _ => {
                return Diagnostic::error(
                    "let-in-statement",
                    format!("`{}` is a shorthand for invariants", name.text),
                    span,
                )
                .with_label("not expected here")
                .declared(declared)
                .with_help("write it out")
                .none(self);
            }
        }
        if !resolved {
            let itself = self.context == Context::Let(id);
            let message = match itself {
                true => format!("`{}` is used in its own definition", name.text),
                false => format!("`{}` is declared later", name.text),
            };
            return error("let-order", message, name.span, "not known yet")
                .declared(declared)
                .with_help("a `let` can use those before it")
                .none(self);
        }
        let written = arguments.unwrap_or_default();
        if written.len() != item.parameters.len() {
            let wanted = match item.parameters.len() {
                0 => "no threads".to_owned(),
                1 => "1 thread".to_owned(),
                count => format!("{count} threads"),
            };
            let message = format!("`{}` is about {wanted}, found {}", name.text, written.len());
            return Diagnostic::error("wrong-number-of-arguments", message, span)
                .with_label(format!("found {}", written.len()))
                .declared(declared)
                .none(self);
        }
        let threads: Vec<Option<Thread>> = written.iter().map(|it| self.thread(it)).collect();
        let threads = threads.into_iter().collect::<Option<Vec<Thread>>>()?;
        let nodes = self.lets.get(id as usize)?.nodes;
        self.write_out(nodes, span)?;
        let value = self.lets.get(id as usize)?.value.as_ref()?;
        let mut value = instance(value, &threads);
        value.span = span;
        if self.context == Context::Assumption && mentions_threads(&value) {
            return Diagnostic::error("thread-at-start", "threads cannot be spoken of here", span)
                .with_label("this is about threads")
                .declared(declared)
                .with_help("an assumption is about globals and the heap at the start")
                .none(self);
        }
        Some(value)
    }

    fn not_a_function(&mut self, name: &'f Name) {
        let text = name.text.as_str();
        if let Some((thing, declared)) = self.thing(text) {
            let (message, help) = match thing {
                Thing::Procedure(_) => (
                    format!("`{text}` is a procedure, not a value"),
                    format!("to call it, write `x := call {text}(...);` as a statement"),
                ),
                _ => (
                    format!("`{text}` is a variable"),
                    format!("leave the parentheses out: `{text}`"),
                ),
            };
            error("not-a-function", message, name.span, "unexpected `(` behind this")
                .declared(declared)
                .with_help(help)
                .report(self);
            return;
        }
        let lets = self.names_of(|thing| matches!(thing, Thing::Let(_)));
        let closest = self.closest(name, lets.chain(crate::inv::words::FUNCTIONS));
        let message = format!("there is no function `{text}`");
        let help = "there are `min`, `max`, `addr2set`, `set2elem`, `reach`, `ordered`, \
                    and what `let` declares";
        self.unknown("unknown-function", message, name, closest, help).report(self);
    }

    /// That a tree with its shorthands written out is not too high to be walked.
    pub(super) fn not_too_high(&mut self, expr: &Expr) -> Option<()> {
        if height(expr) <= MAX_DEPTH {
            return Some(());
        }
        let message = format!(
            "with its shorthands written out, this is nested more than {MAX_DEPTH} levels deep"
        );
        error("nested-too-deeply", message, expr.span, "too deep")
            .with_help("split it into several invariants")
            .none(self)
    }
}
