//! Statements.

use super::patterns::Shape;
use super::scope::Enclosing;
use super::types::{fits, is_address};
use super::{Resolver, Thing};
use crate::ast::{self, Block, Declared, Else, Expr as Written, Name, TypeKind, Variable};
use crate::icet::MAX_VARIABLES;
use crate::icet::ast::{
    Expr, ExprKind, MessageId, Pattern, SetId, SetKind, Source, Stmt, StmtId, StmtKind, Type, VarId,
};
use crate::icet::symbols::Symbol;
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

/// How many blocks can be left to choose from, in all choices around a statement.
const MAX_CHOICES: usize = 32;

fn member_type((id, kind): (SetId, SetKind)) -> Type {
    match kind {
        SetKind::Processes => Type::Member(id),
        SetKind::Indices => Type::Int,
    }
}

impl<'f> Resolver<'f, '_> {
    pub(super) fn block(&mut self, block: &'f Block) -> Vec<Stmt> {
        self.statements(&block.exprs)
    }

    pub(super) fn statements(&mut self, statements: &'f [Written]) -> Vec<Stmt> {
        statements.iter().filter_map(|statement| self.statement(statement)).collect()
    }

    fn new_statement(&mut self) -> StmtId {
        self.protocol.statements += 1;
        StmtId(self.protocol.statements - 1)
    }

    fn statement(&mut self, statement: &'f Written) -> Option<Stmt> {
        use ast::ExprKind as Written;
        let span = statement.span;
        let id = self.new_statement();
        let kind = match &statement.kind {
            Written::Send(payload, to) => self.send(payload, to),
            Written::Receive(message, from) => self.receive(None, message, from.as_deref()),
            Written::Assign(name, value) => self.assign(name, value, None),
            Written::Store(target, value) => self.taken_apart(target, value, statement),
            Written::Var(variable) => self.declared(variable),
            Written::If(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let then = self.block(then);
                let otherwise = match otherwise {
                    None => Vec::new(),
                    Some(Else::Block(block)) => self.block(block),
                    Some(Else::If(another)) => self.statements(std::slice::from_ref(another)),
                };
                condition.map(|condition| StmtKind::If { condition, then, otherwise })
            }
            Written::Either(blocks) => self.either(blocks, span),
            Written::Match(value, arms) => self.matching(value, arms, span),
            Written::While(condition, body) => {
                let condition = match condition.kind {
                    Written::Coin => self.while_coin(condition.span),
                    _ => self.expect(condition, Type::Bool),
                };
                let body = self.repeated(Enclosing::Loop(id), body);
                condition.map(|condition| StmtKind::While { condition, body })
            }
            Written::Loop(body) => {
                Some(StmtKind::Loop { body: self.repeated(Enclosing::Loop(id), body) })
            }
            Written::Break => self.leave_loop(span),
            Written::For(name, set, body) => self.for_loop(name, set, body),
            Written::Assert(condition) => match condition.kind {
                Written::Bool(false) => Some(StmtKind::Fail),
                _ => {
                    let condition = self.expect(condition, Type::Bool);
                    condition.map(|condition| StmtKind::Assert { condition })
                }
            },
            Written::Skip => Some(StmtKind::Skip),
            _ => self.not_a_statement(statement),
        };
        kind.map(|kind| Stmt { id, span, kind })
    }

    /// The condition of an `if`: nothing for `?`, where either may happen.
    fn condition(&mut self, condition: &'f Written) -> Option<Option<Expr>> {
        match condition.kind {
            ast::ExprKind::Coin => Some(None),
            _ => self.expect(condition, Type::Bool).map(Some),
        }
    }

    /// `choose { ... } or { ... }`: with more than two, a choice between the first and the rest.
    fn either(&mut self, blocks: &'f [Block], span: Span) -> Option<StmtKind> {
        let [first, rest @ ..] = blocks else { return None };
        let then = self.block(first);
        let otherwise = match rest {
            [] => {
                let place = Span::new(span.start, span.start + "choose".len() as u32);
                return error("one-choice", "there is nothing to choose from", place, "one block")
                    .with_help("several are written `choose { ... } or { ... }`")
                    .none(self);
            }
            [last] => self.block(last),
            [next, ..] => {
                // Each makes the tree higher than the text shows.
                if self.scope.choices >= MAX_CHOICES {
                    let message = "too many blocks to choose from";
                    return error("too-many-choices", message, next.span, "one too many")
                        .with_help("choose a number first, and look at it with `if`")
                        .none(self);
                }
                self.scope.choices += 1;
                let id = self.new_statement();
                let span = next.span.to(span);
                let kind = self.either(rest, span);
                self.scope.choices -= 1;
                vec![Stmt { id, span, kind: kind? }]
            }
        };
        Some(StmtKind::If { condition: None, then, otherwise })
    }

    fn while_coin<T>(&mut self, span: Span) -> Option<T> {
        error("while-coin", "a `while` needs a condition", span, "`?` stands after `if` only")
            .with_help("to stop at any time, write `loop { if ? { break } ... }`")
            .none(self)
    }

    fn repeated(&mut self, around: Enclosing, body: &'f Block) -> Vec<Stmt> {
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
                    "declare `msg Value = Value({field})` at top level, \
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
                "name a process, a variable that holds an address, or the variable of a `for`",
            )
            .none(self)
    }

    fn receive(
        &mut self,
        pattern: Option<Shape<'f>>,
        message: &'f Name,
        from: Option<&'f Written>,
    ) -> Option<StmtKind> {
        let message = self.message_named(message);
        let from = match from {
            None => Some(Source::Anyone),
            Some(from) => self.source(from),
        };
        let pattern = match pattern {
            None => Some(Pattern::Ignore),
            Some(pattern) => self.received(&pattern, message),
        };
        Some(StmtKind::Receive { pattern: pattern?, message: message?, from: from? })
    }

    /// What stands behind `from`.
    fn source(&mut self, from: &'f Written) -> Option<Source> {
        if let ast::ExprKind::Read(name) = &from.kind
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
                .with_help("to say who it is from, write `recv Ping from p`")
                .none(self);
        }
        let messages = self.names_of(|thing| matches!(thing, Thing::Message(_)));
        let help = format!("declare it at top level: `msg {0} = {0}`", name.text);
        let what = format!("message type {name}");
        self.unknown("unknown-message-type", what, name, messages, &help).none(self)
    }

    /// `name := value`; `declared` is the type that it is declared with.
    fn assign(
        &mut self,
        name: &'f Name,
        value: &'f Written,
        declared: Option<Type>,
    ) -> Option<StmtKind> {
        match &value.kind {
            ast::ExprKind::Receive(message, from) => {
                self.receive(Some(Shape::of_name(name)), message, from.as_deref())
            }
            ast::ExprKind::Choose(values) => self.chosen(name, values, declared),
            ast::ExprKind::Coin => {
                let ty = declared.or(Some(Type::Bool));
                let variable = self.bind(name, ty, value.span, Binder::Assignment)?;
                self.fits_declared(Type::Bool, declared, value.span)?;
                Some(StmtKind::Any { variable })
            }
            _ => {
                let value = match declared {
                    Some(declared) => self.expect(value, declared).map(|value| (value, declared)),
                    None => self.expr(value),
                };
                let ty = value.as_ref().map(|(_, ty)| *ty);
                let span = value.as_ref().map_or(name.span, |(value, _)| value.span);
                let variable = self.bind(name, ty.or(declared), span, Binder::Assignment)?;
                Some(StmtKind::Assign { variable, value: value?.0 })
            }
        }
    }

    /// `name := choose(values)`: any value of a type, or any member of a set.
    fn chosen(
        &mut self,
        name: &'f Name,
        values: &'f ast::Type,
        declared: Option<Type>,
    ) -> Option<StmtKind> {
        if let TypeKind::Named(set) = &values.kind
            && let Some((Thing::Set(_), _)) = self.thing(&set.text)
        {
            let set = self.set(set, None);
            let ty = set.map(member_type);
            let bound = declared.or(ty);
            let variable = self.bind(name, bound, values.span, Binder::Assignment)?;
            self.fits_declared(ty?, declared, values.span)?;
            return Some(StmtKind::Pick { variable, set: set?.0 });
        }
        let ty = match self.type_named(values) {
            Some(Type::Pid) => {
                error("any-pid", "`choose` does not choose any process", values.span, "an address")
                    .with_help("for some member of a set, write `choose(Q)`")
                    .none(self)
            }
            ty => ty,
        };
        let variable = self.bind(name, declared.or(ty), values.span, Binder::Assignment)?;
        self.fits_declared(ty?, declared, values.span)?;
        Some(StmtKind::Any { variable })
    }

    /// Whether what is chosen has the type of the variable: nothing is chosen for another one.
    fn fits_declared(&mut self, found: Type, declared: Option<Type>, span: Span) -> Option<()> {
        match declared {
            Some(wanted) if !fits(found, wanted) => self.mismatch(wanted, found, span).none(self),
            _ => Some(()),
        }
    }

    /// `var name: type = value`: the first place where it gets a value.
    fn declared(&mut self, variable: &'f Variable) -> Option<StmtKind> {
        let name = &variable.name;
        if variable.ghost {
            return self.no_ghosts(variable.span);
        }
        if let Some(first) = self.scope.find(&name.text).and_then(|id| self.scope.info(id)) {
            let first = first.name.span;
            self.name_clash(name, first);
            return None;
        }
        let Some(value) = &variable.value else {
            return error(
                "no-first-value",
                format!("{name} has no value yet"),
                name.span,
                "declared here",
            )
            .with_help(format!("say what it starts with: `var {} = 0`", name.text))
            .none(self);
        };
        match &variable.declared {
            Declared::Var(Some(written)) => {
                let ty = self.type_named(written)?;
                self.assign(name, value, Some(ty))
            }
            _ => self.assign(name, value, None),
        }
    }

    /// `Task(m, t) := recv Work`.
    fn taken_apart(
        &mut self,
        target: &'f Written,
        value: &'f Written,
        whole: &'f Written,
    ) -> Option<StmtKind> {
        match (&target.kind, &value.kind) {
            (ast::ExprKind::Call(..), ast::ExprKind::Receive(message, from)) => {
                let shape = self.shape(target)?;
                self.receive(Some(shape), message, from.as_deref())
            }
            (ast::ExprKind::Call(name, _), _) => {
                let message = "only what is received can be taken apart here";
                error("malformed-pattern", message, target.span, "a message, not a variable")
                    .with_help(format!(
                        "for a message in a variable, write `match m {{ {}(...) => {{ ... }} }}`",
                        name.text
                    ))
                    .none(self)
            }
            (ast::ExprKind::Tuple(_), ast::ExprKind::Receive(message, _)) => {
                let said = "a message is taken apart with its constructor";
                error("malformed-pattern", said, target.span, "which constructor?")
                    .with_help(format!("it looks like `Task(a, b) := recv {}`", message.text))
                    .none(self)
            }
            _ => self.not_a_statement(whole),
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
        if name.text == "self" || self.scope.is_me(&name.text) {
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
        values: &'f ast::Type,
        body: &'f Block,
    ) -> Option<StmtKind> {
        let set = match &values.kind {
            TypeKind::Named(set) => self.set(set, None),
            _ => self.for_over_no_set(values),
        };
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
        if name.text == "self" || self.scope.is_me(&name.text) {
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
