//! Expressions and their types.
//!
//! The type that is wanted goes down, for `{}`, which has no elements to tell its type; the type
//! that is found comes back up.

use super::types::{ADDR, ELEM, INT, TID, describe};
use super::{Context, Resolver};
use crate::ast::{BinaryOp, Name};
use crate::inv::ast::{Expr, ExprKind, Scalar, Thread, Type};
use crate::inv::symbols::Symbol;
use crate::inv::syntax::{Sign, Written, WrittenKind};
use crate::report::{Messages as _, Report as _, count_of, error};
use ser_base::{Diagnostic, Span};

/// Whether the type of this cannot be told from itself.
pub(super) fn is_untyped(expr: &Written<'_>) -> bool {
    match &expr.kind {
        WrittenKind::Set(elements) => elements.is_empty(),
        WrittenKind::Binary(
            Sign::Common(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply),
            _,
            left,
            right,
        ) => is_untyped(left) && is_untyped(right),
        _ => false,
    }
}

/// What an expression is, and its type.
pub(super) type Meaning = (ExprKind, Type);

impl<'f> Resolver<'f, '_> {
    /// An expression of this type.
    pub(super) fn expect(&mut self, written: &'f Written<'f>, wanted: Type) -> Option<Expr> {
        let expr = self.expr(written, Some(wanted))?;
        if expr.ty == wanted {
            return Some(expr);
        }
        if wanted == TID && matches!(written.kind, WrittenKind::Number(_)) {
            return self.thread_constant(written);
        }
        let mut diagnostic = self.mismatch(wanted, expr.ty, expr.span);
        if wanted == Type::Bool && matches!(written.kind, WrittenKind::Number(0 | 1)) {
            diagnostic = diagnostic.with_help("truth values are `true` and `false`");
        }
        self.report(diagnostic);
        None
    }

    /// An expression; if its type is not clear, it is `wanted`.
    pub(super) fn expr(&mut self, written: &'f Written<'f>, wanted: Option<Type>) -> Option<Expr> {
        let span = written.span;
        let (kind, ty) = match &written.kind {
            WrittenKind::Error => return None,
            WrittenKind::Number(value) => (ExprKind::Int(*value), INT),
            WrittenKind::Bool(value) => (ExprKind::Bool(*value), Type::Bool),
            WrittenKind::Null => (ExprKind::Null, ADDR),
            WrittenKind::Nobody => (ExprKind::Nobody, TID),
            WrittenKind::Lowest => (ExprKind::Lowest, ELEM),
            WrittenKind::Highest => (ExprKind::Highest, ELEM),
            WrittenKind::Name(name) => return self.named(name, span),
            WrittenKind::Indexed { procedure, name, index } => {
                self.indexed(*procedure, name, index, span)?
            }
            WrittenKind::Field(address, name) => {
                let field = self.field(name);
                let address = self.address(address);
                let (field, ty) = field?;
                (ExprKind::Field(Box::new(address?), field), ty)
            }
            WrittenKind::At(thread, places) => self.at(thread, places, span)?,
            WrittenKind::Set(elements) => self.set(elements, span, wanted)?,
            WrittenKind::Call(name, arguments) => {
                return self.function(name, arguments, span);
            }
            WrittenKind::Not(inside) => {
                let inside = self.negated(inside)?;
                (ExprKind::Not(Box::new(inside)), Type::Bool)
            }
            WrittenKind::Negate(inside) => {
                let inside = self.number(inside)?;
                (ExprKind::Negate(Box::new(inside)), INT)
            }
            WrittenKind::Binary(op, place, left, right) => {
                self.binary(*op, *place, left, right, wanted)?
            }
        };
        Some(Expr { span, ty, kind })
    }

    /// What stands behind `!`.
    fn negated(&mut self, written: &'f Written<'f>) -> Option<Expr> {
        let inside = self.expr(written, Some(Type::Bool))?;
        if inside.ty == Type::Bool {
            return Some(inside);
        }
        self.mismatch(Type::Bool, inside.ty, inside.span)
            .with_help("`!` binds tightly: write `!(a == b)`, or `a != b`")
            .none(self)
    }

    /// Whether this is what a thread calls itself.
    pub(super) fn is_member(&self, name: &Name) -> bool {
        self.member.is_some_and(|member| member.text == name.text)
    }

    /// The one that does the step.
    pub(super) fn me(&mut self, name: &Name) -> Option<Meaning> {
        let span = name.span;
        let help = match self.context {
            Context::Statement(_) | Context::LocalInitial => {
                self.occurs(span, Symbol::Member, false);
                return Some((ExprKind::Thread(Thread::Me), TID));
            }
            Context::Initial | Context::Assumption => {
                "this is about the start, before any thread does anything"
            }
            Context::Invariant(_) | Context::Let(_) => {
                "an invariant is about its parameters: `invariant mutex(i, j): ...`"
            }
        };
        Diagnostic::error("me-outside-statements", format!("nobody is {name} here"), span)
            .with_label(format!("{name} is the thread that does a step"))
            .with_help(help)
            .none(self)
    }

    /// What stands before `.next`.
    fn address(&mut self, written: &'f Written<'f>) -> Option<Expr> {
        let address = self.expr(written, Some(ADDR))?;
        if address.ty == ADDR {
            return Some(address);
        }
        let found = describe(address.ty);
        let message = format!("only cells have fields, and this is {found}");
        error("not-an-address", message, address.span, "expected an address").none(self)
    }

    /// `{a, b}`.
    fn set(
        &mut self,
        elements: &'f [Written<'f>],
        span: Span,
        wanted: Option<Type>,
    ) -> Option<Meaning> {
        let mut element = match wanted {
            Some(Type::Set(scalar)) => Some(scalar),
            _ => None,
        };
        if elements.is_empty() {
            let Some(scalar) = element else {
                // Another type is wanted, or none is known.
                let (message, help) = match wanted {
                    Some(wanted) if !matches!(wanted, Type::Set(_)) => (
                        format!("expected {}, found a set", describe(wanted)),
                        "`{}` is the empty set",
                    ),
                    _ => (
                        "it is not clear of what this is a set".to_owned(),
                        "compare it with a variable, or assign it to one",
                    ),
                };
                return error("type-mismatch", message, span, "a set without elements")
                    .with_help(help)
                    .none(self);
            };
            return Some((ExprKind::Set(Vec::new()), Type::Set(scalar)));
        }
        // The first element tells the type, unless something else is wanted of all of them.
        let mut done = Vec::new();
        let mut complete = true;
        for written in elements {
            let wanted = element.map(Type::Scalar);
            let Some(expr) = self.expr(written, wanted) else {
                complete = false;
                continue;
            };
            let Type::Scalar(scalar) = expr.ty else {
                let message =
                    format!("sets have no elements like this: it is {}", describe(expr.ty));
                let help = match expr.ty {
                    Type::Set(_) => "to put sets together, write `s + t`",
                    _ => "sets are `set of int`, `set of addr`, `set of elem`, and sets of threads",
                };
                Diagnostic::error("type-mismatch", message, expr.span)
                    .with_label(format!("this is {}", describe(expr.ty)))
                    .with_help(help)
                    .report(self);
                complete = false;
                continue;
            };
            match element {
                None => element = Some(scalar),
                Some(wanted) if wanted != scalar => {
                    self.other_element::<()>(written, &expr, wanted);
                    complete = false;
                    continue;
                }
                Some(_) => {}
            }
            done.push(expr);
        }
        let scalar = element.filter(|_| complete)?;
        Some((ExprKind::Set(done), Type::Set(scalar)))
    }

    fn other_element<T>(
        &mut self,
        written: &Written<'_>,
        expr: &Expr,
        wanted: Scalar,
    ) -> Option<T> {
        if wanted == Scalar::Tid && matches!(written.kind, WrittenKind::Number(_)) {
            return self.thread_constant(written);
        }
        self.mismatch(Type::Scalar(wanted), expr.ty, expr.span)
            .with_help("all elements of a set have the same type")
            .none(self)
    }

    /// `min(s)`, ..., or a `let`.
    fn function(
        &mut self,
        name: &'f Name,
        arguments: &'f [Written<'f>],
        span: Span,
    ) -> Option<Expr> {
        const SET: Type = Type::Set(Scalar::Addr);
        let text = name.text.as_str();
        let (kind, ty) = match text {
            "min" | "max" => {
                let [set] = self.arguments(name, arguments, [Type::Set(Scalar::Int)], span)?;
                (if text == "min" { ExprKind::Min(set) } else { ExprKind::Max(set) }, INT)
            }
            "addr2set" => {
                let [address] = self.arguments(name, arguments, [ADDR], span)?;
                (ExprKind::Cells(address), SET)
            }
            "set2elem" => {
                let [set] = self.arguments(name, arguments, [SET], span)?;
                (ExprKind::Elems(set), Type::Set(Scalar::Elem))
            }
            "reach" | "ordered" => {
                let [from, to] = self.arguments(name, arguments, [ADDR, ADDR], span)?;
                let make = if text == "reach" { ExprKind::Reach } else { ExprKind::Ordered };
                (make(from, to), Type::Bool)
            }
            _ => return self.shorthand(name, Some(arguments), span),
        };
        Some(Expr { span, ty, kind })
    }

    /// Arguments of these types.
    fn arguments<const N: usize>(
        &mut self,
        name: &Name,
        arguments: &'f [Written<'f>],
        wanted: [Type; N],
        span: Span,
    ) -> Option<[Box<Expr>; N]> {
        let found = arguments.len();
        if found != N {
            let letters = wanted.map(|ty| if matches!(ty, Type::Set(_)) { "s" } else { "a" });
            let letters = if N == 2 { "a, b".to_owned() } else { letters.join(", ") };
            let message = format!("{name} takes {}, found {found}", count_of(N, "argument"));
            return error("wrong-number-of-arguments", message, span, format!("found {found}"))
                .with_help(format!("it looks like `{}({letters})`", name.text))
                .none(self);
        }
        let each = arguments.iter().zip(wanted).map(|(it, ty)| self.expect(it, ty).map(Box::new));
        let each: Vec<Option<Box<Expr>>> = each.collect();
        each.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()
    }
}
