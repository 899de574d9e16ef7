//! Statements.

use super::scope::Enclosing;
use super::types::{fits, is_address};
use super::{Resolver, Thing};
use crate::ast::Name;
use crate::grammar::{self, Expr as Written};
use crate::icet::MAX_VARIABLES;
use crate::icet::ast::{
    Expr, ExprKind, MessageId, SetId, SetKind, Source, Stmt, StmtId, StmtKind, Type, VarId,
};
use crate::icet::symbols::Symbol;
use crate::icet::syntax::{self, Value};
use crate::report::{Messages as _, Report as _, error};
use ser_base::{Diagnostic, Span};
use std::fmt::Display;

/// How a variable gets a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binder {
    /// `:=`.
    Assignment,
    Pattern,
}

fn member_type((id, kind): (SetId, SetKind)) -> Type {
    match kind {
        SetKind::Processes => Type::Member(id),
        SetKind::Indices => Type::Int,
    }
}

impl<'f> Resolver<'f, '_> {
    pub(super) fn block(&mut self, statements: &'f [syntax::Stmt]) -> Vec<Stmt> {
        statements.iter().filter_map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: &'f syntax::Stmt) -> Option<Stmt> {
        let id = StmtId(self.protocol.statements);
        self.protocol.statements += 1;
        let kind = match &statement.kind {
            syntax::StmtKind::Send { payload, to } => self.send(payload, to),
            syntax::StmtKind::Receive { pattern, message, from } => {
                self.receive(pattern.as_ref(), message, from.as_ref())
            }
            syntax::StmtKind::Assign { name, value } => self.assign(name, value),
            syntax::StmtKind::If { condition, then, otherwise } => {
                let checked = condition.as_ref().map(|it| self.expect(it, Type::Bool));
                let then = self.block(then);
                let otherwise = self.block(otherwise);
                let condition = match checked {
                    Some(condition) => Some(condition?),
                    None => None,
                };
                Some(StmtKind::If { condition, then, otherwise })
            }
            syntax::StmtKind::Match { name, arms } => self.matching(name, arms, statement.span),
            syntax::StmtKind::While { condition, body } => {
                let condition = self.expect(condition, Type::Bool);
                let body = self.repeated(Enclosing::Loop(id), body);
                condition.map(|condition| StmtKind::While { condition, body })
            }
            syntax::StmtKind::Loop { body } => {
                Some(StmtKind::Loop { body: self.repeated(Enclosing::Loop(id), body) })
            }
            syntax::StmtKind::Break => self.leave_loop(statement.span),
            syntax::StmtKind::For { name, set, body } => self.for_loop(name, set, body),
            syntax::StmtKind::Assert { condition } => {
                self.expect(condition, Type::Bool).map(|condition| StmtKind::Assert { condition })
            }
            syntax::StmtKind::Fail => Some(StmtKind::Fail),
            syntax::StmtKind::Skip => Some(StmtKind::Skip),
        };
        kind.map(|kind| Stmt { id, span: statement.span, kind })
    }

    fn repeated(&mut self, around: Enclosing, body: &'f [syntax::Stmt]) -> Vec<Stmt> {
        self.scope.around.push(around);
        let body = self.block(body);
        self.scope.around.pop();
        body
    }

    fn leave_loop(&mut self, span: Span) -> Option<StmtKind> {
        let diagnostic = match self.scope.around.last().copied() {
            Some(Enclosing::Loop(of)) => return Some(StmtKind::Break { of }),
            Some(Enclosing::For(variable)) => {
                let message = "a `for` visits all members: there is no `break` out of it";
                error("break-in-for", message, span, "would leave the `for`")
                    .with_secondary(variable, "this loop")
                    .with_help(
                        "remember in a variable that the rest is not needed, and ask it with `if`",
                    )
            }
            None => Diagnostic::error("break-outside-loop", "`break` outside a loop", span)
                .with_label("there is nothing to leave here")
                .with_help("`break` stands in `loop { ... }` and `while c { ... }`"),
        };
        self.report(diagnostic);
        None
    }

    fn send(&mut self, payload: &'f Written, to: &'f Written) -> Option<StmtKind> {
        let sent = self.expr(payload);
        let to = self.address(to);
        let (payload, ty) = sent?;
        let Type::Message(message) = ty else {
            let found = self.describe(ty);
            let field = match ty {
                Type::Bool => "bool",
                Type::Pid | Type::Member(_) => "pid",
                _ => "int",
            };
            let message = format!("only messages can be sent, found {found}");
            return error("not-a-message", message, payload.span, format!("this is {found}"))
                .with_help(format!(
                    "declare `msg Value = Value({field});` at top level, \
                     and write `send Value(...) to ...`"
                ))
                .none(self);
        };
        let to = to?;
        if self.is_myself(&to) {
            let message = "a process cannot send to itself";
            return error("self-send", message, to.span, "this is the process itself")
                .with_help("to remember something, assign it to a variable")
                .none(self);
        }
        Some(StmtKind::Send { payload, message, to })
    }

    /// Whether this is the address of the process whose code it is.
    fn is_myself(&self, address: &Expr) -> bool {
        match address.kind {
            ExprKind::Me => true,
            ExprKind::Process(id) => Some(id) == self.scope.process,
            _ => false,
        }
    }

    /// An expression for a single process.
    fn address(&mut self, expr: &'f Written) -> Option<Expr> {
        let (expr, ty) = self.expr(expr)?;
        if is_address(ty) {
            return Some(expr);
        }
        let found = self.describe(ty);
        let message = format!("expected a process, found {found}");
        error("not-a-process", message, expr.span, "this is not the address of a process")
            .with_help(
                "name a `proc`, a variable that holds an address, or the variable of a `for`",
            )
            .none(self)
    }

    fn receive(
        &mut self,
        pattern: Option<&'f syntax::Pattern>,
        message: &'f Name,
        from: Option<&'f Written>,
    ) -> Option<StmtKind> {
        let message = self.message_named(message);
        let from = match from {
            None => Some(Source::Anyone),
            Some(from) => self.source(from),
        };
        let pattern = self.received(pattern, message);
        Some(StmtKind::Receive { pattern: pattern?, message: message?, from: from? })
    }

    /// What stands behind `from`.
    fn source(&mut self, from: &'f Written) -> Option<Source> {
        if let grammar::ExprKind::Name(name) = &from.kind
            && !self.scope.knows(&name.text)
            && let Some((Thing::Set(_), _)) = self.thing(&name.text)
        {
            let (set, _) = self.set(name, Some(SetKind::Processes))?;
            return Some(Source::Set(set));
        }
        let address = self.address(from)?;
        if self.is_myself(&address) {
            let message = "a process gets no messages from itself";
            return error("self-receive", message, address.span, "this is the process itself")
                .with_help("leave `from` out, or name the sender")
                .none(self);
        }
        Some(Source::Pid(address))
    }

    /// The message type with that name.
    fn message_named(&mut self, name: &Name) -> Option<MessageId> {
        if let Some((Thing::Message(id), _)) = self.thing(&name.text) {
            self.occurs(name.span, Symbol::Message(id), false);
            return Some(id);
        }
        if let Some(&(super::NamedValue::Constructor(id, _), span)) =
            self.values.get(name.text.as_str())
        {
            let ty = self.protocol.message(id).name.text.clone();
            return name
                .error(
                    "not-a-message-type",
                    format!("is a constructor; its message type is `{ty}`"),
                    "expected a message type",
                )
                .declared(span)
                .with_fix(format!("write `{ty}`"), name.span, ty)
                .none(self);
        }
        if let Some((_, span)) = self.thing(&name.text) {
            return name
                .error("not-a-message-type", "is not a message type", "expected a message type")
                .declared(span)
                .with_help("to say who it is from, write `recv Ping from p;`")
                .none(self);
        }
        let messages = self.names_of(|thing| matches!(thing, Thing::Message(_)));
        let help = format!("declare it at top level: `msg {0} = {0};`", name.text);
        let what = format!("message type {name}");
        self.unknown("unknown-message-type", what, name, messages, &help).none(self)
    }

    fn assign(&mut self, name: &'f Name, value: &'f Value) -> Option<StmtKind> {
        match value {
            Value::Expr(value) => {
                let value = self.expr(value);
                let ty = value.as_ref().map(|(_, ty)| *ty);
                let span = value.as_ref().map_or(name.span, |(value, _)| value.span);
                let variable = self.bind(name, ty, span, Binder::Assignment)?;
                Some(StmtKind::Assign { variable, value: value?.0 })
            }
            Value::Any(written) => {
                let ty = self.type_named(written);
                let ty = match ty {
                    Some(ty) if is_address(ty) => {
                        let set = match ty {
                            Type::Member(set) => &self.protocol.set(set).name.text,
                            _ => "Q",
                        };
                        let help =
                            format!("for some member of the set `{set}`, write `pick {set}`");
                        let message = "`any` does not choose processes";
                        let diagnostic = error("any-pid", message, written.span, "an address");
                        diagnostic.with_help(help).none(self)
                    }
                    ty => ty,
                };
                let variable = self.bind(name, ty, written.span, Binder::Assignment)?;
                ty.map(|_| StmtKind::Any { variable })
            }
            Value::Pick(set_name) => {
                let set = self.set(set_name, None);
                let ty = set.map(member_type);
                let variable = self.bind(name, ty, set_name.span, Binder::Assignment)?;
                Some(StmtKind::Pick { variable, set: set?.0 })
            }
        }
    }

    /// A variable gets a value of this type, which stands at `span`.
    pub(super) fn bind(
        &mut self,
        name: &'f Name,
        ty: Option<Type>,
        span: Span,
        binder: Binder,
    ) -> Option<VarId> {
        if self.scope.is_me(&name.text) {
            let me = self.scope.me.map(|me| me.span);
            return self.not_assignable(name, "is the process itself and cannot be assigned", me);
        }
        if let Some(id) = self.scope.find(&name.text) {
            return self.bind_again(id, name, ty, span);
        }
        if let Some(declared) = self.taken(&name.text) {
            let what = match self.thing(&name.text) {
                Some((Thing::Process(_), _)) => "a process",
                Some((Thing::Set(_), _)) => "a set",
                Some((Thing::Enum(_), _)) => "an enumeration",
                Some((Thing::Message(_), _)) => "a message type",
                None => "the name of a value",
            };
            let but = match binder {
                Binder::Assignment => "cannot be assigned",
                Binder::Pattern => "no variable",
            };
            return self.not_assignable(name, format!("is {what} and {but}"), Some(declared));
        }
        self.new_variable(name, ty, false)
    }

    fn new_variable(&mut self, name: &'f Name, ty: Option<Type>, of_loop: bool) -> Option<VarId> {
        if self.scope.len() >= MAX_VARIABLES {
            if !self.scope.full {
                self.scope.full = true;
                let message = format!("a process has at most {MAX_VARIABLES} variables");
                error("too-many-variables", message, name.span, "one too many")
                    .with_help("use a variable again where its value is not needed any more")
                    .report(self);
            }
            return None;
        }
        let id = self.scope.add(name, ty, of_loop);
        self.variable_occurs(name.span, id, true);
        Some(id)
    }

    pub(super) fn variable_occurs(&mut self, span: Span, id: VarId, defines: bool) {
        if let Some(process) = self.scope.process {
            self.occurs(span, Symbol::Variable(process, id), defines);
        }
    }

    /// A variable that was there before gets another value.
    fn bind_again(
        &mut self,
        id: VarId,
        name: &'f Name,
        ty: Option<Type>,
        span: Span,
    ) -> Option<VarId> {
        self.variable_occurs(name.span, id, false);
        let info = self.scope.info(id)?;
        let first = info.name.span;
        if info.of_loop {
            let what = "is the variable of a loop and cannot be assigned";
            return self.not_assignable(name, what, Some(first));
        }
        let (Some(wanted), Some(found)) = (info.ty, ty) else {
            let info = self.scope.info_mut(id)?;
            info.ty = info.ty.or(ty);
            return Some(id);
        };
        if fits(found, wanted) {
            return Some(id);
        }
        let text = &name.text;
        let held = self.describe(wanted);
        let (found_words, secondary) =
            (self.describe(found), format!("`{text}` is {held} since its first value here"));
        let message = format!("`{text}` holds {held}, and cannot become {found_words}");
        let mut diagnostic = Diagnostic::error("type-mismatch", message, span)
            .with_label(format!("this is {found_words}"))
            .with_secondary(first, secondary);
        diagnostic = match (wanted, found) {
            (Type::Member(_), found) if is_address(found) => diagnostic
                .with_help(
                    "a variable for addresses of several kinds has to start with one of type `pid`",
                )
                .with_help("use another variable, and send in both branches"),
            _ => diagnostic.with_help("a variable keeps its type: use another variable"),
        };
        self.report(diagnostic);
        None
    }

    fn not_assignable<T>(
        &mut self,
        name: &Name,
        what: impl Display,
        declared: Option<Span>,
    ) -> Option<T> {
        name.error("not-assignable", what, "cannot get a value here")
            .declared(declared)
            .with_help("use a variable with another name")
            .none(self)
    }

    fn for_loop(
        &mut self,
        name: &'f Name,
        set: &'f Name,
        body: &'f [syntax::Stmt],
    ) -> Option<StmtKind> {
        let set = self.set(set, None);
        let ty = set.map(member_type);
        let variable = self.loop_variable(name, ty);
        let body = self.repeated(Enclosing::For(name.span), body);
        if let Some(info) = variable.and_then(|id| self.scope.info_mut(id)) {
            info.open = false;
        }
        Some(StmtKind::For { variable: variable?, set: set?.0, body })
    }

    /// The variable of a loop: a new one, or that of an earlier loop over the same kind of members.
    fn loop_variable(&mut self, name: &'f Name, ty: Option<Type>) -> Option<VarId> {
        if let Some(first) = self.taken(&name.text) {
            self.name_clash(name, first);
            return None;
        }
        if self.scope.is_me(&name.text) {
            let first = self.scope.me.map_or(name.span, |me| me.span);
            self.name_clash(name, first);
            return None;
        }
        let Some(id) = self.scope.find(&name.text) else {
            return self.new_variable(name, ty, true);
        };
        let info = self.scope.info(id)?;
        let (first, known) = (info.name.span, info.ty);
        if !info.of_loop {
            return self.loop_variable_elsewhere(name, first, "an ordinary variable here");
        }
        if info.open {
            let label = "the variable of a loop around this one";
            return self.loop_variable_elsewhere(name, first, label);
        }
        if let (Some(known), Some(ty)) = (known, ty)
            && known != ty
        {
            let (before, now) = (self.describe(known), self.describe(ty));
            return name
                .error(
                    "type-mismatch",
                    format!("was {before}, and would now be {now}"),
                    format!("now {now}"),
                )
                .with_secondary(first, format!("{before} in this loop"))
                .with_help("choose another name for one of the variables")
                .none(self);
        }
        self.variable_occurs(name.span, id, false);
        if let Some(info) = self.scope.info_mut(id) {
            info.open = true;
            info.ty = info.ty.or(ty);
        }
        Some(id)
    }

    fn loop_variable_elsewhere<T>(&mut self, name: &Name, at: Span, label: &str) -> Option<T> {
        name.wrong("loop-variable-clash", "cannot be the variable of this loop")
            .with_label("needs a name of its own")
            .with_secondary(at, label)
            .with_help("choose another name for the variable of the loop")
            .none(self)
    }
}
