//! The parts of a step, and what can be assigned.

use super::expressions::{bare, is_value};
use super::locks::taken_by;
use super::types::{ADDR, ELEM, Values};
use super::{Resolver, Thing};
use crate::ast::{self, Block, Else, ExprKind as Source, Name};
use crate::inv::ast::{Action, ActionKind, Expr, ExprKind, Field, Operator, Place, Type};
use crate::inv::symbols::Symbol;
use crate::report::{Messages as _, error};
use ser_base::Span;

/// Something that can be assigned.
pub(super) struct Target {
    pub(super) place: Place,
    pub(super) ty: Type,
    pub(super) enumeration: Option<u32>,
    /// Whether it is there for the proof only.
    pub(super) ghost: bool,
}

impl<'f> Resolver<'f, '_> {
    /// What is done in `atomic`, behind `await`, or in `ghost { ... }` if `in_ghost`.
    pub(super) fn actions(&mut self, block: &'f Block, in_ghost: bool) -> Vec<Action> {
        let mut done = Vec::new();
        for expr in &block.exprs {
            self.action(expr, in_ghost, &mut done);
        }
        done
    }

    /// One part; nothing for `skip`, and if it is wrong.
    pub(super) fn action(&mut self, expr: &'f ast::Expr, in_ghost: bool, done: &mut Vec<Action>) {
        let span = expr.span;
        let kind = match &expr.kind {
            Source::If(condition, then, otherwise) => {
                let condition = match in_ghost {
                    true => self.expect(condition, Type::Bool),
                    false => self.guard(condition),
                };
                let then = self.actions(then, in_ghost);
                let mut other = Vec::new();
                match otherwise {
                    None => {}
                    Some(Else::Block(block)) => other = self.actions(block, in_ghost),
                    Some(Else::If(another)) => self.action(another, in_ghost, &mut other),
                }
                condition.map(|condition| ActionKind::If { condition, then, otherwise: other })
            }
            Source::Match(value, arms) => {
                return self.match_action(expr, value, arms, in_ghost, done);
            }
            Source::Atomic(block) => {
                return done.extend(self.actions(block, in_ghost));
            }
            Source::Named(name, _) => {
                let message = "what stands in `atomic` or `ghost` has no name";
                error("named-action", message, name.span, "unexpected name here")
                    .with_help("the whole step is one location: `take: atomic { ... }`")
                    .none(self.form)
            }
            Source::While(..)
            | Source::Loop(_)
            | Source::Either(_)
            | Source::Return(_)
            | Source::Break
            | Source::Continue
            | Source::With(..)
            | Source::Ghost(..)
            | Source::Var(_) => self.in_one_step(expr.kind.described(), span),
            _ if self.called_by(expr).is_some() => self.in_one_step("a call", span),
            Source::Await(condition, block) => {
                if in_ghost {
                    self.not_in_ghost::<()>("wait", span);
                } else {
                    let span = Span::new(span.start, condition.span.end);
                    let kind = self.guard(condition).map(ActionKind::Await);
                    done.extend(kind.map(|kind| Action { span, kind }));
                }
                return done.extend(self.actions(block, in_ghost));
            }
            Source::Skip => None,
            Source::Assert(condition) => self.expect(condition, Type::Bool).map(ActionKind::Assert),
            Source::Acquire(_) | Source::Release(_) if in_ghost => self.not_in_ghost("lock", span),
            Source::Acquire(cell) => self.locked(cell).map(ActionKind::Lock),
            Source::Release(cell) => self.locked(cell).map(ActionKind::Unlock),
            Source::Assign(name, value) => {
                let target = self.assigned_name(name);
                self.assigned(target, name.span, value, in_ghost)
            }
            Source::Store(target, value) => {
                let place = self.place(target);
                self.assigned(place, target.span, value, in_ghost)
            }
            _ => self.no_statement(expr),
        };
        done.extend(kind.map(|kind| Action { span, kind }));
    }

    fn in_one_step<T>(&mut self, what: &str, span: Span) -> Option<T> {
        let message = format!("{what} cannot stand in `atomic` or `ghost`");
        error("statement-in-atomic", message, span, "not expected here")
            .with_help(
                "in one step there are assignments, `await`, `assert`, `lock`, `unlock`, \
                 `skip`, `if` and `match`",
            )
            .none(self.form)
    }

    /// The cell of `lock` and `unlock`.
    fn locked(&mut self, cell: &'f ast::Expr) -> Option<Expr> {
        if let Source::Read(name) = &bare(cell).kind
            && let Some((Thing::Global(id), _)) = self.thing(&name.text)
            && self.locks.contains(&id)
        {
            return name
                .error("lock-as-cell", "is held for as long as a block runs", "not a cell")
                .with_help(format!("write `with {} {{ ... }}`", name.text))
                .none(self);
        }
        let address = self.expect(cell, ADDR)?;
        self.without_ghosts(&address, "the address of a lock");
        Some(address)
    }

    /// What stands behind `:=`.
    fn assigned(
        &mut self,
        target: Option<Target>,
        place: Span,
        value: &'f ast::Expr,
        in_ghost: bool,
    ) -> Option<ActionKind> {
        let (chosen, condition) = match &value.kind {
            Source::Where(chosen, condition) => (&**chosen, Some(&**condition)),
            _ => (value, None),
        };
        match &chosen.kind {
            Source::Choose(values) => self.havoc(target, place, values, condition, in_ghost),
            Source::Call(name, arguments) if name.text == "malloc" && condition.is_none() => {
                if in_ghost {
                    return self.not_in_ghost("make cells", place.to(value.span));
                }
                let [data, next] = arguments.as_slice() else {
                    let (message, label) =
                        ("`malloc` takes 2 arguments", "expected `malloc(data, next)`");
                    let help = "a new cell gets its data and its next cell: `a := malloc(e, null)`";
                    return error("malformed-malloc", message, chosen.span, label)
                        .with_help(help)
                        .none(self.form);
                };
                self.malloc(target, place, &data.value, &next.value)
            }
            _ => self.assign(target, place, value, in_ghost),
        }
    }

    fn assign(
        &mut self,
        target: Option<Target>,
        span: Span,
        value: &'f ast::Expr,
        in_ghost: bool,
    ) -> Option<ActionKind> {
        let Some(target) = target else {
            self.expr(value, None);
            return None;
        };
        if in_ghost {
            self.ghost_target(&target, span)?;
        }
        let value = self.expect(value, target.ty)?;
        self.is_from(&value, target.enumeration)?;
        let what = match target.place {
            Place::Field(..) => "the value of a field",
            _ => "the value of a variable that is not ghost",
        };
        if !target.ghost {
            self.without_ghosts(&value, what);
        }
        Some(ActionKind::Assign { target: target.place, value })
    }

    fn havoc(
        &mut self,
        target: Option<Target>,
        span: Span,
        values: &'f ast::Type,
        condition: Option<&'f ast::Expr>,
        in_ghost: bool,
    ) -> Option<ActionKind> {
        let target = target.and_then(|target| self.variable(target, span, "choose"));
        let chosen = self.values(values);
        let condition = match condition {
            Some(condition) => Some(self.expect(condition, Type::Bool)?),
            None => None,
        };
        let (target, Values { ty, range, enumeration }) = (target?, chosen?);
        if target.ty != ty || target.enumeration != enumeration {
            let wanted = self.described(target.ty, target.enumeration);
            let diagnostic = match target.ty == ty {
                true => {
                    let is = self.described(ty, enumeration);
                    let message = format!("expected {wanted}, found {is}");
                    error("type-mismatch", message, values.span, format!("this is {is}"))
                }
                false => self.mismatch(target.ty, ty, values.span),
            };
            let what = format!("to be assigned to this, {wanted}");
            return diagnostic.with_secondary(span, what).none(self);
        }
        if in_ghost {
            self.ghost_target(&target, span)?;
        }
        match &condition {
            Some(condition) if target.ghost => self.waiting_ghost(condition.span),
            Some(condition) => {
                self.without_ghosts(condition, "a condition that can make a thread wait");
            }
            None => {}
        }
        // One of a range is any number that is in it.
        let range = range.and_then(|range| {
            let of = match target.place {
                Place::Global(id) => ExprKind::Global(id),
                Place::Local(id) => ExprKind::Local(id, crate::inv::ast::Thread::Me),
                Place::Field(..) => return None,
            };
            Some(super::declarations::within(of, range, values.span))
        });
        let condition = match (range, condition) {
            (Some(range), Some(condition)) => {
                let (span, range) = (condition.span, Box::new(range));
                let kind = ExprKind::Binary(Operator::And, range, Box::new(condition));
                Some(Expr { span, ty: Type::Bool, kind })
            }
            (range, condition) => range.or(condition),
        };
        Some(ActionKind::Havoc { target: target.place, condition })
    }

    fn malloc(
        &mut self,
        target: Option<Target>,
        span: Span,
        data: &'f ast::Expr,
        next: &'f ast::Expr,
    ) -> Option<ActionKind> {
        let target = target.and_then(|target| self.variable(target, span, "malloc"));
        let (data, next) = (self.expect(data, ELEM), self.expect(next, ADDR));
        for value in [&data, &next].into_iter().flatten() {
            self.without_ghosts(value, "the value of a field");
        }
        let target = target?;
        if target.ty != ADDR {
            return self
                .mismatch(ADDR, target.ty, span)
                .with_help("a new cell is known by its address")
                .none(self);
        }
        if target.ghost {
            self.ghost_cell(span);
        }
        Some(ActionKind::Malloc { target: target.place, data: data?, next: next? })
    }

    /// A target that is a variable.
    fn variable(&mut self, target: Target, span: Span, what: &str) -> Option<Target> {
        if let Place::Field(..) = target.place {
            let message = format!("`{what}` gives a value to a variable, not to a field");
            return error("not-a-variable", message, span, "this is a field")
                .with_help(format!("take a local: `atomic {{ x := {what}(...); a.next := x }}`"))
                .none(self);
        }
        Some(target)
    }

    /// What stands before `:=`.
    pub(super) fn place(&mut self, target: &'f ast::Expr) -> Option<Target> {
        match &bare(target).kind {
            Source::Read(name) => self.assigned_name(name),
            Source::Field(address, name) => {
                let field = self.field(name);
                let address = self.expect(address, ADDR);
                let (field, ty) = field?;
                let address = address?;
                self.without_ghosts(&address, "the address of a field that is written");
                if field == Field::Lockid {
                    let message = "`.lockid` is not assigned: it changes by `lock` and `unlock`";
                    return error("assigned-lock", message, target.span, "who has locked the cell")
                        .with_help("write `lock a` or `unlock a`")
                        .none(self);
                }
                let place = Place::Field(address, field);
                Some(Target { place, ty, enumeration: None, ghost: false })
            }
            // Nothing has an index in statements: this says so.
            Source::Index(..) => {
                self.expr(target, None);
                None
            }
            _ if !is_value(target) => self.no_value(target),
            _ => self.not_assignable("this", target.span),
        }
    }

    fn not_assignable<T>(&mut self, what: &str, span: Span) -> Option<T> {
        let message = format!("{what} cannot be assigned");
        error("not-assignable", message, span, "expected a variable or a field")
            .with_help("assign a variable (`x := 1`) or a field (`a.next := b`)")
            .none(self)
    }

    pub(super) fn assigned_name(&mut self, name: &'f Name) -> Option<Target> {
        if matches!(name.text.as_str(), "null" | "nobody" | "lowest" | "highest") {
            return self.not_assignable("this", name.span);
        }
        if self.is_member(name) {
            return name
                .error("not-assignable", "cannot be assigned", "this is the thread itself")
                .none(self);
        }
        if let Some(id) = self.own_local(name) {
            let crate::inv::ast::Local { ty, enumeration, ghost, .. } =
                self.system.locals[id.index()];
            return Some(Target { place: Place::Local(id), ty, enumeration, ghost });
        }
        let (what, declared) = match self.thing(&name.text) {
            Some((Thing::Global(id), declared)) => {
                self.occurs(name.span, Symbol::Global(id), false);
                if self.locks.contains(&id) {
                    return taken_by(name).declared(declared).none(self);
                }
                self.assigned[id.index()].get_or_insert(name.span);
                let crate::inv::ast::Global { ty, enumeration, ghost, .. } =
                    self.system.globals[id.index()];
                return Some(Target { place: Place::Global(id), ty, enumeration, ghost });
            }
            Some((Thing::Procedure(_), declared)) => ("a procedure", declared),
            Some((Thing::Let(_), declared)) => ("a shorthand", declared),
            Some((Thing::Constant(_), declared)) => ("a constant", declared),
            Some((_, declared)) => ("a type", declared),
            None => match self.taken(&name.text) {
                Some(declared) => ("a value of an enumeration", declared),
                None => return self.unknown_name(name),
            },
        };
        name.wrong("not-assignable", format!("is {what} and cannot be assigned"))
            .with_label("expected a variable or a field")
            .declared(declared)
            .none(self)
    }
}
