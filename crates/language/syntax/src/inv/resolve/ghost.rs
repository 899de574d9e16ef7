//! That ghost code has no influence on what happens: without it, the program would do the same.
//!
//! Ghost variables are written by assignments to them, and read by other ghost variables, by
//! `assert` and by invariants. Nothing else may depend on them, and nothing that is done for them
//! may wait or write to the heap.

use super::Resolver;
use super::actions::Target;
use crate::inv::ast::{Expr, ExprKind, Place};
use crate::report::{Messages as _, error};
use ser_base::{Diagnostic, Span};

impl Resolver<'_, '_> {
    /// The first ghost variable that is read there.
    fn ghost_read(&self, expr: &Expr) -> Option<(Span, String, Span)> {
        let (ghost, name) = match expr.kind {
            ExprKind::Global(id) => {
                let global = &self.system.globals[id.index()];
                (global.ghost, Some(&global.name))
            }
            ExprKind::Local(id, _) => {
                let local = &self.system.locals[id.index()];
                (local.ghost, Some(&local.name))
            }
            _ => (false, None),
        };
        if let Some(name) = name.filter(|_| ghost) {
            return Some((expr.span, name.text.clone(), name.span));
        }
        expr.children().into_iter().find_map(|child| self.ghost_read(child))
    }

    /// Reports a ghost variable in what decides what happens; `what` it is.
    pub(super) fn without_ghosts(&mut self, expr: &Expr, what: &str) {
        let Some((span, name, declared)) = self.ghost_read(expr) else { return };
        let message = format!("`{name}` is a ghost variable, and this is {what}");
        error("ghost-interference", message, span, "would decide what the program does")
            .declared(declared)
            .with_help(
                "ghost variables are there for the proof only; \
                 without `ghost`, the variable is a part of the program",
            )
            .report(self);
    }

    /// Something that cannot stand in `ghost { ... }`; `what` it does.
    pub(super) fn not_in_ghost<T>(&mut self, what: &str, span: Span) -> Option<T> {
        let message = format!("ghost code does not {what}");
        error("ghost-action", message, span, "cannot stand in `ghost { ... }`")
            .with_help("ghost code assigns ghost variables, and nothing else")
            .with_help("to do several things in one step, write `atomic { ... }`")
            .none(self)
    }

    /// Whether this can be assigned in `ghost { ... }`.
    pub(super) fn ghost_target(&mut self, target: &Target, span: Span) -> Option<()> {
        if target.ghost {
            return Some(());
        }
        let ghosts = ("ghost code assigns ghost variables only", "not a ghost variable");
        let ((message, label), declared) = match &target.place {
            Place::Field(..) => (("ghost code does not write to the heap", "a field"), None),
            Place::Global(id) => (ghosts, Some(self.system.globals[id.index()].name.span)),
            Place::Local(id) => (ghosts, Some(self.system.locals[id.index()].name.span)),
        };
        error("ghost-action", message, span, label)
            .declared(declared)
            .with_help("to do several things in one step, write `atomic { ... }`")
            .none(self)
    }

    /// `g := havoc where ...` of a ghost variable.
    pub(super) fn waiting_ghost(&mut self, condition: Span) {
        let message = "a thread would wait for a ghost variable";
        Diagnostic::error("ghost-interference", message, condition)
            .with_label("if there is no such value, the thread waits")
            .with_help("leave out `where`, or assign a value")
            .report(self);
    }

    /// `g := malloc(...)` of a ghost variable.
    pub(super) fn ghost_cell(&mut self, target: Span) {
        let message = "`malloc` changes the heap, and this is a ghost variable";
        error("ghost-interference", message, target, "a ghost variable")
            .with_help(
                "take a variable of the program, and copy it: \
                 `x := malloc(e, null) ghost { g := x }`",
            )
            .report(self);
    }
}
