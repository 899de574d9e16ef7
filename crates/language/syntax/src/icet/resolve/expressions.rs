//! Expressions and their types.

use super::types::{fits, is_address};
use super::{NamedValue, Resolver, Thing};
use crate::ast::{self, Argument, BinaryOp, Expr as Written, Name, UnaryOp};
use crate::icet::ast::{Expr, ExprKind, Operator, SetKind, Type, VarId};
use crate::icet::symbols::Symbol;
use crate::report::{Messages as _, Report as _, different, error};
use ser_base::{Diagnostic, Span};

/// An expression that is right, with its type.
type Typed = (Expr, Type);

/// What an expression is, and its type.
pub(super) type Meaning = (ExprKind, Type);

impl<'f> Resolver<'f, '_> {
    /// An expression of this type.
    pub(super) fn expect(&mut self, expr: &'f Written, wanted: Type) -> Option<Expr> {
        let (expr, found) = self.expr(expr)?;
        if fits(found, wanted) {
            return Some(expr);
        }
        let mut diagnostic = self.mismatch(wanted, found, expr.span);
        diagnostic = match (wanted, found) {
            (Type::Bool, Type::Int) => {
                diagnostic.with_help("compare it with something, for example `x == 1`")
            }
            (Type::Member(set), found) if is_address(found) => {
                let set = &self.protocol.set(set).name.text;
                diagnostic.with_help(format!(
                    "declare the field or variable as `{set}` where it comes from, or this one as `pid`"
                ))
            }
            _ => diagnostic,
        };
        self.report(diagnostic);
        None
    }

    /// Any expression, with its type; nothing if it is wrong, which was reported.
    pub(super) fn expr(&mut self, expr: &'f Written) -> Option<Typed> {
        let span = expr.span;
        let (kind, ty) = match &expr.kind {
            ast::ExprKind::Number(value) => (ExprKind::Int(*value), Type::Int),
            ast::ExprKind::Bool(value) => (ExprKind::Bool(*value), Type::Bool),
            ast::ExprKind::Read(name) => self.named(name)?,
            ast::ExprKind::Call(name, fields) => self.message(name, fields, span)?,
            ast::ExprKind::Unary(UnaryOp::Not, inside) => {
                (ExprKind::Not(Box::new(self.expect(inside, Type::Bool)?)), Type::Bool)
            }
            ast::ExprKind::Unary(UnaryOp::Negate, inside) => {
                if let ast::ExprKind::Number(value) = inside.kind
                    && let Some(value) = value.checked_neg()
                {
                    return Some((Expr { span, kind: ExprKind::Int(value) }, Type::Int));
                }
                let inside = self.number(inside)?;
                (ExprKind::Negate(Box::new(inside)), Type::Int)
            }
            ast::ExprKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ast::ExprKind::Group(inside) => match inside.exprs.as_slice() {
                [inside] => return self.expr(inside),
                _ => {
                    let message = "statements cannot stand inside an expression";
                    return error("statement-as-value", message, span, "has no value")
                        .with_help("write them before it, one after the other")
                        .none(self);
                }
            },
            ast::ExprKind::Field(of, member) => self.member_of(of, member, expr)?,
            _ => return self.not_a_value(expr),
        };
        Some((Expr { span, kind }, ty))
    }

    /// The type of `self`.
    fn my_type(&self) -> Option<Type> {
        match self.scope.set {
            Some(set) => Some(Type::Member(set)),
            None if self.scope.is_member => None,
            None => Some(Type::Pid),
        }
    }

    /// A variable that is read.
    pub(super) fn variable(&mut self, name: &'f Name) -> Option<(VarId, Type)> {
        if self.scope.find(&name.text).is_none() {
            // Says what is wrong with it; what is right is not a variable.
            let (_, ty) = self.named(name)?;
            let found = self.describe(ty);
            return Diagnostic::error(
                "not-a-variable",
                format!("`{}` is not a variable", name.text),
                name.span,
            )
            .with_label(format!("this is {found}"))
            .with_help("`match` looks at a variable: `w := recv Work; match w { ... }`")
            .none(self);
        }
        match self.named(name)? {
            (ExprKind::Variable(id), ty) => Some((id, ty)),
            _ => None,
        }
    }

    /// What a name in an expression stands for.
    fn named(&mut self, name: &'f Name) -> Option<Meaning> {
        let text = name.text.as_str();
        if text == "self" {
            return Some((ExprKind::Me, self.my_type()?));
        }
        if self.scope.is_me(text) {
            if let Some(process) = self.scope.process {
                self.occurs(name.span, Symbol::Me(process), false);
            }
            return Some((ExprKind::Me, self.my_type()?));
        }
        if let Some(id) = self.scope.find(text) {
            self.variable_occurs(name.span, id, false);
            let info = self.scope.info(id)?;
            if info.of_loop && !info.open {
                let first = info.name.span;
                return Diagnostic::error(
                    "loop-variable-outside",
                    format!("`{text}` is known in its loop only"),
                    name.span,
                )
                .with_label("the loop is over")
                .with_secondary(first, "the variable of this loop")
                .with_help("keep the value in another variable inside the loop")
                .none(self);
            }
            return Some((ExprKind::Variable(id), info.ty?));
        }
        match self.values.get(text).copied() {
            Some((NamedValue::Enum(id, place), _)) => {
                self.occurs(name.span, Symbol::EnumValue(id, place), false);
                return Some((ExprKind::Enum(id, place), Type::Enum(id)));
            }
            Some((NamedValue::Constructor(..), _)) => return self.message(name, &[], name.span),
            Some((NamedValue::Number(value, place), _)) => {
                self.occurs(name.span, Symbol::Constant(place), false);
                return Some((ExprKind::Int(value), Type::Int));
            }
            None => {}
        }
        match self.thing(text) {
            Some((Thing::Process(id), declared)) => self.process_named(name, id, declared),
            Some((Thing::Set(id), declared)) => {
                self.occurs(name.span, Symbol::Set(id), false);
                self.set_as_value(name, self.protocol.set(id).kind, declared);
                None
            }
            Some((Thing::Message(id), declared)) => {
                self.occurs(name.span, Symbol::Message(id), false);
                let constructors = &self.protocol.message(id).constructors;
                let known: Vec<&str> =
                    constructors.iter().map(|it| it.name.text.as_str()).take(4).collect();
                let help = format!("its constructors are `{}`", known.join("`, `"));
                Diagnostic::error(
                    "type-as-value",
                    format!("`{text}` is a message type, not a message"),
                    name.span,
                )
                .with_label("expected a message")
                .declared(declared)
                .with_help(help)
                .none(self)
            }
            Some((Thing::Enum(_), declared)) => Diagnostic::error(
                "type-as-value",
                format!("`{text}` is an enumeration, not a value"),
                name.span,
            )
            .with_label("expected one of its values")
            .declared(declared)
            .none(self),
            None => {
                self.unknown_name(name);
                None
            }
        }
    }

    fn process_named(
        &mut self,
        name: &Name,
        id: crate::icet::ast::ProcessId,
        declared: Span,
    ) -> Option<Meaning> {
        self.occurs(name.span, Symbol::Process(id), false);
        match self.sets_of_processes.get(id.0 as usize).copied().flatten() {
            None => Some((ExprKind::Process(id), Type::Pid)),
            Some(set) => {
                let text = &name.text;
                let message = format!(
                    "`{text}` is the code of all members of `{}`, not one process",
                    set.text
                );
                error("set-as-process", message, name.span, "which of them?")
                    .declared(declared)
                    .with_help(format!("for all of them, write `for x in {} {{ ... }}`", set.text))
                    .with_help(format!("to receive from any of them, write `from {}`", set.text))
                    .with_help("a member tells others its address by sending `self`")
                    .none(self)
            }
        }
    }

    fn set_as_value(&mut self, name: &Name, kind: SetKind, declared: Span) {
        let text = &name.text;
        let (message, all) = match kind {
            SetKind::Processes => {
                (format!("`{text}` is a set of processes, not one process"), "processes")
            }
            SetKind::Indices => (format!("`{text}` is a set of numbers, not a number"), "numbers"),
        };
        error("set-as-value", message, name.span, "a whole set")
            .declared(declared)
            .with_help(format!("for all of its {all}, write `for x in {text} {{ ... }}`"))
            .with_help(format!("for one of them, write `x := choose({text})` before"))
            .report(self);
    }

    fn unknown_name(&mut self, name: &Name) {
        let text = name.text.as_str();
        if let Some(later) = self.scope.first_value(text) {
            error("unassigned", format!("`{text}` has no value yet"), name.span, "read here")
                .with_secondary(later, "gets its first value here")
                .with_help("give it a value before it is read, at the start of the process")
                .report(self);
            return;
        }
        let processes = self.names_of(|thing| matches!(thing, Thing::Process(_)));
        let values = self.values.keys().copied().chain(["self", "true", "false"]);
        let me = self.scope.me.map(|me| me.text.as_str());
        let known = self.scope.names().chain(me).chain(values).chain(processes);
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let closest = self.sink.closest(text, known.into_iter());
        let message = format!("there is no variable, process or constructor `{text}`");
        let diagnostic = error("unknown-name", message, name.span, "not known here");
        let diagnostic = match closest {
            Some(right) => diagnostic.meant(right),
            None if text.starts_with(char::is_uppercase) => {
                diagnostic.with_help(format!("declare it at top level: `msg {text} = {text}`"))
            }
            None => diagnostic
                .with_help(format!(
                    "declare the process `process {text} {{ ... }}`, or give the variable a value"
                ))
                .with_help("every process has its own variables"),
        };
        self.report(diagnostic);
    }

    /// `Task(a, b)`.
    fn message(&mut self, name: &'f Name, fields: &'f [Argument], span: Span) -> Option<Meaning> {
        let Some(&(NamedValue::Constructor(message, constructor), _)) =
            self.values.get(name.text.as_str())
        else {
            self.unknown_constructor(name, None);
            for field in fields {
                self.expr(&field.value);
            }
            return None;
        };
        self.fields_without_names(fields)?;
        self.occurs(name.span, Symbol::Constructor(message, constructor), false);
        let types = self.field_types(message, constructor);
        if types.len() != fields.len() {
            self.wrong_number_of_fields(name, message, constructor, fields.len(), span);
            for field in fields {
                self.expr(&field.value);
            }
            return None;
        }
        let fields = fields.iter().zip(types);
        let checked: Vec<Option<Expr>> =
            fields.map(|(field, ty)| self.expect(&field.value, ty)).collect();
        let fields: Option<Vec<Expr>> = checked.into_iter().collect();
        Some((ExprKind::Message(message, constructor, fields?), Type::Message(message)))
    }

    /// Fields of messages have places, and no names.
    pub(super) fn fields_without_names(&mut self, fields: &[Argument]) -> Option<()> {
        let Some(name) = fields.iter().find_map(|field| field.name.as_ref()) else {
            return Some(());
        };
        error("named-field", "the fields of a message have no names", name.span, "not known here")
            .with_help("write the values alone, in the order of the declaration: `Task(p, 1)`")
            .none(self)
    }

    /// `Colour.red`.
    fn member_of(&mut self, of: &'f Written, member: &Name, whole: &'f Written) -> Option<Meaning> {
        let ast::ExprKind::Read(name) = &of.kind else { return self.not_a_value(whole) };
        let Some((Thing::Enum(id), declared)) = self.thing(&name.text) else {
            return self.not_a_value(whole);
        };
        self.occurs(name.span, Symbol::Enum(id), false);
        let values = self.protocol.enums.get(id.0 as usize).map(|it| it.values.as_slice());
        let place = values.unwrap_or_default().iter().position(|it| it.text == member.text);
        let Some(place) = place else {
            let message = format!("`{}` has no value {member}", name.text);
            return error("unknown-name", message, member.span, "not one of its values")
                .declared(declared)
                .none(self);
        };
        self.occurs(member.span, Symbol::EnumValue(id, place as u32), false);
        Some((ExprKind::Enum(id, place as u32), Type::Enum(id)))
    }

    /// Where the operator between two expressions stands.
    fn between(&self, left: &Written, right: &Written) -> Span {
        let span = Span::new(left.span.end, right.span.start.max(left.span.end));
        let text = self.text.get(span.range()).unwrap_or_default();
        let start = span.start + (text.len() - text.trim_start().len()) as u32;
        Span::new(start, start + text.trim().len() as u32)
    }

    /// A number to compute with.
    fn number(&mut self, expr: &'f Written) -> Option<Expr> {
        let (expr, ty) = self.expr(expr)?;
        match ty {
            Type::Int => Some(expr),
            ty if is_address(ty) => {
                let message = "addresses cannot be computed with";
                error("address-arithmetic", message, expr.span, "this is an address")
                    .with_help("addresses can be compared with `==` and `!=`, sent, and sent to")
                    .with_help("for numbers, declare `index I`")
                    .none(self)
            }
            ty => self.mismatch(Type::Int, ty, expr.span).none(self),
        }
    }

    /// A number to compare by size.
    fn ordered(&mut self, expr: &'f Written) -> Option<Expr> {
        let (expr, ty) = self.expr(expr)?;
        match ty {
            Type::Int => Some(expr),
            ty if is_address(ty) => {
                let message =
                    "addresses have no order: they can be compared with `==` and `!=` only";
                error("address-order", message, expr.span, "this is an address")
                    .with_help("all members of a set are alike; for numbers, declare `index I`")
                    .none(self)
            }
            ty => {
                let help = "only numbers can be compared by size";
                self.mismatch(Type::Int, ty, expr.span).with_help(help).none(self)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &'f Written, right: &'f Written) -> Option<Meaning> {
        let make = |op, left, right| ExprKind::Binary(op, Box::new(left), Box::new(right));
        let operator = match op {
            BinaryOp::Add => Operator::Add,
            BinaryOp::Subtract => Operator::Subtract,
            BinaryOp::Multiply => Operator::Multiply,
            BinaryOp::Equal => Operator::Equal,
            BinaryOp::NotEqual => Operator::NotEqual,
            BinaryOp::Less | BinaryOp::Greater => Operator::Less,
            BinaryOp::LessEqual | BinaryOp::GreaterEqual => Operator::LessEqual,
            BinaryOp::And => Operator::And,
            BinaryOp::Or => Operator::Or,
            BinaryOp::Divide | BinaryOp::Remainder => {
                let message = format!("`{}` is not supported", op.symbol());
                let place = self.between(left, right);
                return error("unsupported-operator", message, place, "not supported")
                    .with_help("processes that send messages have `+`, `-`, `*` and comparisons")
                    .none(self);
            }
        };
        match operator {
            Operator::Add | Operator::Subtract | Operator::Multiply => {
                let (left, right) = (self.number(left), self.number(right));
                Some((make(operator, left?, right?), Type::Int))
            }
            Operator::Less | Operator::LessEqual => {
                let (left, right) = (self.ordered(left), self.ordered(right));
                let (left, right) = match op {
                    BinaryOp::Greater | BinaryOp::GreaterEqual => (right?, left?),
                    _ => (left?, right?),
                };
                Some((make(operator, left, right), Type::Bool))
            }
            Operator::And | Operator::Or => {
                let (left, right) = (self.expect(left, Type::Bool), self.expect(right, Type::Bool));
                Some((make(operator, left?, right?), Type::Bool))
            }
            Operator::Equal | Operator::NotEqual => {
                let place = self.between(left, right);
                let (left, right) = (self.expr(left), self.expr(right));
                let ((left, first), (right, second)) = (left?, right?);
                if first != second && !(is_address(first) && is_address(second)) {
                    let (one, other) = (self.describe(first), self.describe(second));
                    let message = format!("{one} cannot be compared with {other}");
                    let (left, right) = ((left.span, &*one), (right.span, &*other));
                    return different(message, place, left, right).none(self);
                }
                Some((make(operator, left, right), Type::Bool))
            }
        }
    }
}
