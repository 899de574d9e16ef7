//! Shorthands, written out where they are used.
//!
//! A `let` is resolved once, with its parameters as threads; a use of it is a copy with other
//! threads. A `let` can use those before it only, so there are no circles. Copies of copies grow
//! fast: their size is counted over the whole file, and their height must stay below the limit for
//! what is written by hand.

use super::names::thread_at_start;
use super::{Context, Resolver, Thing};
use crate::ast::{self, Name};
use crate::inv::MAX_EXPANDED;
use crate::inv::ast::{Expr, ExprKind, Thread};
use crate::inv::symbols::Symbol;
use crate::parser::MAX_DEPTH;
use crate::report::{Messages as _, count_of, error};
use ser_base::{Diagnostic, Span};

/// How many nodes an expression has; places of `at` count too.
fn size(expr: &Expr) -> usize {
    let places = if let ExprKind::At(_, places) = &expr.kind { places.len() } else { 0 };
    1 + places + expr.children().into_iter().map(size).sum::<usize>()
}

/// How high the tree is.
fn height(expr: &Expr) -> usize {
    1 + expr.children().into_iter().map(height).max().unwrap_or(0)
}

/// A copy of an expression, with other threads for the parameters.
fn instance(expr: &Expr, threads: &[Thread]) -> Expr {
    let mut instance = expr.clone();
    instantiate(&mut instance, threads);
    instance
}

fn instantiate(expr: &mut Expr, threads: &[Thread]) {
    let thread = |thread: Thread| match thread {
        Thread::Index(place) => threads.get(place as usize).copied().unwrap_or(thread),
        other => other,
    };
    match &mut expr.kind {
        ExprKind::Thread(it) => match thread(*it) {
            Thread::Global(id) => expr.kind = ExprKind::Global(id),
            other => *it = other,
        },
        ExprKind::Local(_, it) | ExprKind::At(it, _) => *it = thread(*it),
        _ => expr.children_mut().into_iter().for_each(|child| instantiate(child, threads)),
    }
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
            self.context = Context::Let(id);
            let parameters = item.parameters.iter().map(|(name, _)| name).collect();
            let symbol = |place| Symbol::LetParameter(id, place);
            let fits = self.declare_parameters(parameters, &symbol);
            let value = item.body.exprs.first().filter(|_| fits);
            let value = value.and_then(|value| self.expr(value, None));
            let value = value.filter(|it| self.not_too_high(it).is_some());
            self.parameters.clear();
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
        written: &[&'f ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        let Some((Thing::Let(id), declared)) = self.thing(&name.text) else {
            return self.not_a_function(name).none(self);
        };
        self.occurs(name.span, Symbol::Let(id), false);
        let info = self.lets.get(id as usize)?;
        let (item, resolved) = (info.item, info.resolved);
        match self.context {
            Context::Invariant(_) | Context::Let(_) | Context::Assumption => {}
            _ => {
                let message = format!("{name} is a shorthand for invariants");
                return error("let-in-statement", message, span, "not expected here")
                    .declared(declared)
                    .with_help("write it out")
                    .none(self);
            }
        }
        if !resolved {
            let itself = self.context == Context::Let(id);
            let why = if itself { "is used in its own definition" } else { "is declared later" };
            return name
                .error("let-order", why, "not known yet")
                .declared(declared)
                .with_help("a shorthand can use those before it")
                .none(self);
        }
        if written.len() != item.parameters.len() {
            let (wanted, found) = (count_of(item.parameters.len(), "thread"), written.len());
            let message = format!("{name} is about {wanted}, found {found}");
            return error("wrong-number-of-arguments", message, span, format!("found {found}"))
                .declared(declared)
                .none(self);
        }
        let threads: Vec<Option<Thread>> = written.iter().map(|it| self.thread(it)).collect();
        let threads = threads.into_iter().collect::<Option<Vec<Thread>>>()?;
        self.write_out(self.lets.get(id as usize)?.nodes, span)?;
        let value = self.lets.get(id as usize)?.value.as_ref()?;
        let (mut value, of) = (instance(value, &threads), self.enumeration(value));
        value.span = span;
        self.written.extend(of.map(|of| (span, of)));
        if self.context == Context::Assumption && mentions_threads(&value) {
            return thread_at_start(span, "this is about threads")
                .declared(declared)
                .with_help("an assumption is about globals and the heap at the start")
                .none(self);
        }
        Some(value)
    }

    fn not_a_function(&self, name: &'f Name) -> Diagnostic {
        let text = name.text.as_str();
        if let Some((thing, declared)) = self.thing(text) {
            let (what, help) = match thing {
                Thing::Enumeration(_) | Thing::Alias(_) => {
                    ("is a type", "values are written by their names alone".to_owned())
                }
                Thing::Constant(_) => {
                    ("is a constant", format!("leave the parentheses out: {name}"))
                }
                Thing::Procedure(_) => (
                    "is a procedure, not a value",
                    format!("to call it, write `x := {text}(...)` as a statement"),
                ),
                _ => ("is a variable", format!("leave the parentheses out: {name}")),
            };
            return name
                .error("not-a-function", what, "unexpected `(` behind this")
                .declared(declared)
                .with_help(help);
        }
        let lets = self.names_of(|thing| matches!(thing, Thing::Let(_)));
        let known = lets.chain(crate::inv::words::FUNCTIONS);
        let help = "there are `min`, `max`, `addr2set`, `set2elem`, `reach`, `ordered`, \
                    and shorthands: `fn name(i) = ...`";
        self.unknown("unknown-function", format!("function {name}"), name, known, help)
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

    /// Counts what is written out; says so if it is too much. The text of a file is bounded, but
    /// what its shorthands and ranges stand for is not.
    pub(super) fn write_out(&mut self, nodes: usize, span: Span) -> Option<()> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes <= MAX_EXPANDED {
            return Some(());
        }
        if !self.nodes_reported {
            self.nodes_reported = true;
            let message = format!(
                "with its shorthands written out, this file has more than {MAX_EXPANDED} terms"
            );
            error("expanded-too-large", message, span, "too large here")
                .with_help(
                    "every use of a shorthand is a copy of it, and `at` lists all its places",
                )
                .report(self);
        }
        None
    }
}
