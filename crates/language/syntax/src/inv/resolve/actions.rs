//! The parts of a step, and what can be assigned.

use super::types::{ADDR, ELEM, describe};
use super::{Context, Resolver, Thing};
use crate::ast::{Name, Node};
use crate::inv::ast::{Action, ActionKind, Expr, Field, Place, Type};
use crate::inv::symbols::Symbol;
use crate::inv::syntax;
use crate::inv::syntax::{Written, WrittenKind};
use crate::report::{Messages as _, error};
use ser_base::Diagnostic;

/// Something that can be assigned.
pub(super) struct Target {
    pub(super) place: Place,
    pub(super) ty: Type,
    /// Whether it is there for the proof only.
    pub(super) ghost: bool,
}

impl<'f> Resolver<'f, '_> {
    /// Actions in a row; `in_ghost` if they stand in `ghost { ... }`.
    pub(super) fn actions(
        &mut self,
        actions: &'f [syntax::Action<'f>],
        in_ghost: bool,
    ) -> Vec<Action> {
        actions.iter().filter_map(|action| self.action(action, in_ghost)).collect()
    }

    /// One action; nothing for `skip`, and if it is wrong.
    pub(super) fn action(
        &mut self,
        action: &'f syntax::Action<'f>,
        in_ghost: bool,
    ) -> Option<Action> {
        if in_ghost {
            self.allowed_in_ghost(action)?;
        }
        let kind = match &action.kind {
            syntax::ActionKind::Skip => None,
            syntax::ActionKind::Assign { target, value } => self.assign(target, value, in_ghost),
            syntax::ActionKind::Havoc { target, values, condition } => {
                self.havoc(target, values, condition.as_ref(), in_ghost)
            }
            syntax::ActionKind::Malloc { target, data, next } => self.malloc(target, data, next),
            syntax::ActionKind::Lock(address) => {
                self.locked(address, "the address of a lock").map(ActionKind::Lock)
            }
            syntax::ActionKind::Unlock(address) => {
                self.locked(address, "the address of a lock").map(ActionKind::Unlock)
            }
            syntax::ActionKind::Await(condition) => self.guard(condition).map(ActionKind::Await),
            syntax::ActionKind::Assert(condition) => {
                self.expect(condition, Type::Bool).map(ActionKind::Assert)
            }
            syntax::ActionKind::If { condition, then, otherwise } => {
                let condition = match in_ghost {
                    true => self.expect(condition, Type::Bool),
                    false => self.guard(condition),
                };
                let then = self.actions(then, in_ghost);
                let otherwise = self.actions(otherwise, in_ghost);
                condition.map(|condition| ActionKind::If { condition, then, otherwise })
            }
        };
        kind.map(|kind| Action { span: action.span, kind })
    }

    fn locked(&mut self, address: &'f Written<'f>, what: &str) -> Option<Expr> {
        let address = self.expect(address, ADDR)?;
        self.without_ghosts(&address, what);
        Some(address)
    }

    fn assign(
        &mut self,
        target: &'f Written<'f>,
        value: &'f Written<'f>,
        in_ghost: bool,
    ) -> Option<ActionKind> {
        let Some(place) = self.place(target) else {
            self.expr(value, None);
            return None;
        };
        if in_ghost {
            self.ghost_target(&place, target.span)?;
        }
        let value = self.expect(value, place.ty)?;
        if !place.ghost {
            self.without_ghosts(
                &value,
                match place.place {
                    Place::Field(..) => "the value of a field",
                    _ => "the value of a variable that is not ghost",
                },
            );
        }
        Some(ActionKind::Assign { target: place.place, value })
    }

    fn havoc(
        &mut self,
        target: &'f Written<'f>,
        values: &Node<Type>,
        condition: Option<&'f Written<'f>>,
        in_ghost: bool,
    ) -> Option<ActionKind> {
        let place = self.variable(target, "choose");
        let condition = match condition {
            Some(condition) => Some(self.expect(condition, Type::Bool)?),
            None => None,
        };
        let place = place?;
        if place.ty != values.kind {
            let what = format!("to be assigned to this, {}", describe(place.ty));
            let diagnostic = self.mismatch(place.ty, values.kind, values.span);
            return diagnostic.with_secondary(target.span, what).none(self);
        }
        if in_ghost {
            self.ghost_target(&place, target.span)?;
        }
        match &condition {
            Some(condition) if place.ghost => self.waiting_ghost(condition.span),
            Some(condition) => {
                self.without_ghosts(condition, "a condition that can make a thread wait");
            }
            None => {}
        }
        Some(ActionKind::Havoc { target: place.place, condition })
    }

    fn malloc(
        &mut self,
        target: &'f Written<'f>,
        data: &'f Written<'f>,
        next: &'f Written<'f>,
    ) -> Option<ActionKind> {
        let place = self.variable(target, "malloc");
        let data = self.expect(data, ELEM);
        let next = self.expect(next, ADDR);
        for value in [&data, &next].into_iter().flatten() {
            self.without_ghosts(value, "the value of a field");
        }
        let place = place?;
        if place.ty != ADDR {
            return self
                .mismatch(ADDR, place.ty, target.span)
                .with_help("a new cell is known by its address")
                .none(self);
        }
        if place.ghost {
            self.ghost_cell(target.span);
        }
        Some(ActionKind::Malloc { target: place.place, data: data?, next: next? })
    }

    /// A place that is a variable.
    fn variable(&mut self, target: &'f Written<'f>, what: &str) -> Option<Target> {
        let place = self.place(target)?;
        if let Place::Field(..) = place.place {
            let message = format!("`{what}` gives a value to a variable, not to a field");
            return error("not-a-variable", message, target.span, "this is a field")
                .with_help(format!("take a local: `atomic {{ x := {what}(...); a.next := x }}`"))
                .none(self);
        }
        Some(place)
    }

    /// What stands before `:=`.
    pub(super) fn place(&mut self, target: &'f Written<'f>) -> Option<Target> {
        match &target.kind {
            WrittenKind::Name(name) => self.assigned_name(name),
            WrittenKind::Field(address, name) => {
                let field = self.field(name);
                let address = self.expect(address, ADDR);
                let (field, ty) = field?;
                let address = address?;
                self.without_ghosts(&address, "the address of a field that is written");
                if field == Field::Lockid {
                    return Diagnostic::error(
                        "assigned-lock",
                        "`.lockid` is not assigned: it changes by `lock` and `unlock`",
                        target.span,
                    )
                    .with_label("who has locked the cell")
                    .with_help("write `lock a` or `unlock a`")
                    .none(self);
                }
                Some(Target { place: Place::Field(address, field), ty, ghost: false })
            }
            WrittenKind::Indexed { .. } => {
                // Nothing has an index in statements: this says so.
                self.expr(target, None);
                None
            }
            WrittenKind::Error => None,
            _ => self.not_assignable(target, "this"),
        }
    }

    fn not_assignable<T>(&mut self, target: &Written<'_>, what: &str) -> Option<T> {
        let message = format!("{what} cannot be assigned");
        error("not-assignable", message, target.span, "expected a variable or a field")
            .with_help("assign a variable (`x := 1`) or a field (`a.next := b`)")
            .none(self)
    }

    fn assigned_name(&mut self, name: &'f Name) -> Option<Target> {
        if self.is_member(name) {
            return name
                .error("not-assignable", "cannot be assigned", "this is the thread itself")
                .none(self);
        }
        if let Context::Statement(procedure) = self.context
            && let Some(info) = self.procedures.get(procedure.0 as usize)
            && let Some(&id) = info.locals.get(name.text.as_str())
        {
            self.occurs(name.span, Symbol::Local(id), false);
            let local = &self.system.locals[id.index()];
            return Some(Target { place: Place::Local(id), ty: local.ty, ghost: local.ghost });
        }
        match self.thing(&name.text) {
            Some((Thing::Global(id), _)) => {
                self.occurs(name.span, Symbol::Global(id), false);
                self.assigned[id.index()].get_or_insert(name.span);
                let global = &self.system.globals[id.index()];
                Some(Target { place: Place::Global(id), ty: global.ty, ghost: global.ghost })
            }
            Some((thing, declared)) => {
                let what = match thing {
                    Thing::Procedure(_) => "a procedure",
                    _ => "a shorthand",
                };
                name.wrong("not-assignable", format!("is {what} and cannot be assigned"))
                    .with_label("expected a variable or a field")
                    .declared(declared)
                    .none(self)
            }
            None => self.unknown_name(name),
        }
    }

    /// The field with that name, and its type.
    pub(super) fn field(&mut self, name: &Name) -> Option<(Field, Type)> {
        use super::types::TID;
        match name.text.as_str() {
            "next" => Some((Field::Next, ADDR)),
            "data" => Some((Field::Data, ELEM)),
            "lockid" => Some((Field::Lockid, TID)),
            _ => {
                let what = format!("field {name}");
                let known = crate::inv::words::FIELDS.into_iter();
                let (next, data, owner) = (describe(ADDR), describe(ELEM), describe(TID));
                let help = format!(
                    "the fields of a cell are `next` ({next}), `data` ({data}) and `lockid` ({owner})"
                );
                self.unknown("unknown-field", what, name, known, &help).none(self)
            }
        }
    }
}
