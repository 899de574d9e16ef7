//! Expressions and their types.
//!
//! The type that is wanted goes down, for `{}`, which has no elements to tell its type; the type
//! that is found comes back up.

use super::Resolver;
use super::types::{ADDR, ELEM, INT, SETS, TID, describe};
use crate::ast::{self, Argument, BinaryOp, ExprKind as Source, Name, UnaryOp};
use crate::inv::ast::{Expr, ExprKind, Scalar, Type};
use crate::report::{Messages as _, count_of, error};
use ser_base::{Diagnostic, Span};

/// An expression without the parentheses around it.
pub(super) fn bare(expr: &ast::Expr) -> &ast::Expr {
    match &expr.kind {
        Source::Group(block) => match block.exprs.as_slice() {
            [inside] => bare(inside),
            _ => expr,
        },
        _ => expr,
    }
}

/// The number that is written there.
pub(super) fn number_in(expr: &ast::Expr) -> Option<i64> {
    match &bare(expr).kind {
        Source::Number(value) => Some(*value),
        Source::Unary(UnaryOp::Negate, inside) => match inside.kind {
            Source::Number(value) if value >= 0 => Some(-value),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the type of this cannot be told from itself.
pub(super) fn is_untyped(expr: &ast::Expr) -> bool {
    match &bare(expr).kind {
        Source::Elements(elements) => elements.is_empty(),
        Source::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right) => {
            is_untyped(left) && is_untyped(right)
        }
        _ => false,
    }
}

/// Whether this is something that can have a value here.
pub(super) fn is_value(expr: &ast::Expr) -> bool {
    use Source::{At, Binary, Bool, Call, Elements, Field, Index, Number, Read, Relation, Unary};
    matches!(
        bare(expr).kind,
        Number(_)
            | Bool(_)
            | Read(_)
            | Index(..)
            | Field(..)
            | At(..)
            | Elements(_)
            | Call(..)
            | Unary(..)
            | Binary(..)
            | Relation(..)
    )
}

/// What an expression is, and its type.
pub(super) type Meaning = (ExprKind, Type);

impl<'f> Resolver<'f, '_> {
    /// An expression of this type.
    pub(super) fn expect(&mut self, written: &'f ast::Expr, wanted: Type) -> Option<Expr> {
        let expr = self.expr(written, Some(wanted))?;
        if expr.ty == wanted {
            return Some(expr);
        }
        let number = number_in(written);
        if wanted == TID && number.is_some() {
            return self.thread_constant(written);
        }
        let mut diagnostic = self.mismatch(wanted, expr.ty, expr.span);
        if wanted == Type::Bool && matches!(number, Some(0 | 1)) {
            diagnostic = diagnostic.with_help("truth values are `true` and `false`");
        }
        diagnostic.none(self)
    }

    /// An expression; if its type is not clear, it is `wanted`.
    pub(super) fn expr(&mut self, written: &'f ast::Expr, wanted: Option<Type>) -> Option<Expr> {
        let (span, written) = (written.span, bare(written));
        if let Some(number) = number_in(written) {
            return Some(Expr { span, ty: INT, kind: ExprKind::Int(number) });
        }
        let (kind, ty) = match &written.kind {
            Source::Bool(value) => (ExprKind::Bool(*value), Type::Bool),
            Source::Read(name) => return self.named(name, span),
            Source::Index(of, index) => {
                let (procedure, name) = match &of.kind {
                    Source::Read(name) => (None, name),
                    Source::Field(before, name) => match &before.kind {
                        Source::Read(procedure) => (Some(procedure), name),
                        _ => return self.index_of_expression(of.span, span),
                    },
                    Source::Error => return None,
                    _ => return self.index_of_expression(of.span, span),
                };
                self.indexed(procedure, name, index, span)?
            }
            Source::Field(of, name) => {
                if let Source::Read(of) = &of.kind
                    && let Some(found) = self.member_of(of, name, span)
                {
                    return found;
                }
                let field = self.field(name);
                let address = self.address(of);
                let (field, ty) = field?;
                (ExprKind::Field(Box::new(address?), field), ty)
            }
            Source::At(thread, places) => self.at(thread, places, span)?,
            Source::Elements(elements) => self.set(elements, span, wanted)?,
            Source::Call(name, _) if name.text == "malloc" => {
                return self.alone("`malloc`", span, "x := malloc(e, null)");
            }
            Source::Call(name, arguments) => return self.function(name, arguments, span),
            Source::Unary(UnaryOp::Not, inside) => {
                (ExprKind::Not(Box::new(self.negated(inside)?)), Type::Bool)
            }
            Source::Unary(UnaryOp::Negate, inside) => {
                (ExprKind::Negate(Box::new(self.number(inside)?)), INT)
            }
            Source::Binary(op, left, right) => self.binary(*op, left, right, wanted, span)?,
            Source::Relation(op, left, right) => self.relation(*op, left, right)?,
            Source::Error => return None,
            Source::Quantified(..) => {
                let help = "the parameters of an invariant stand for all threads: \
                            `invariant mutex(i, j): i != j -> ...`";
                self.not_here(written.kind.described(), span, help);
                return None;
            }
            _ => return self.no_value(written),
        };
        Some(Expr { span, ty, kind })
    }

    /// Arguments, which have no names here.
    pub(super) fn values_of_arguments(
        &mut self,
        arguments: &'f [Argument],
    ) -> impl Iterator<Item = &'f ast::Expr> + Clone + use<'f> {
        for Argument { name, value } in arguments {
            if let Some(name) = name {
                let edit = Span::new(name.span.start, value.span.start);
                error("named-argument", "arguments have no names", name.span, "unexpected name")
                    .with_fix("leave it out", edit, "")
                    .report(self.form);
            }
        }
        arguments.iter().map(|it| &it.value)
    }

    fn index_of_expression<T>(&mut self, operand: Span, span: Span) -> Option<T> {
        error("malformed-index", "only locals have an index", span, "unexpected `[` here")
            .with_secondary(operand, "this is not the name of a local")
            .with_help("the local `x` of the thread `i` is `x[i]`")
            .none(self.form)
    }

    /// What stands behind `!`.
    fn negated(&mut self, written: &'f ast::Expr) -> Option<Expr> {
        let inside = self.expr(written, Some(Type::Bool))?;
        if inside.ty == Type::Bool {
            return Some(inside);
        }
        self.mismatch(Type::Bool, inside.ty, inside.span)
            .with_help("`!` binds tightly: write `!(a == b)`, or `a != b`")
            .none(self)
    }

    /// What stands before `.next`.
    fn address(&mut self, written: &'f ast::Expr) -> Option<Expr> {
        let address = self.expr(written, Some(ADDR))?;
        if address.ty == ADDR {
            return Some(address);
        }
        let message = format!("only cells have fields, and this is {}", describe(address.ty));
        error("not-an-address", message, address.span, "expected an address").none(self)
    }

    /// `{a, b}`.
    fn set(
        &mut self,
        elements: &'f [ast::Expr],
        span: Span,
        wanted: Option<Type>,
    ) -> Option<Meaning> {
        let mut element = match wanted {
            Some(Type::Set(scalar)) => Some(scalar),
            _ => None,
        };
        if elements.is_empty() {
            if let Some(scalar) = element {
                return Some((ExprKind::Set(Vec::new()), Type::Set(scalar)));
            }
            // Another type is wanted, or none is known.
            let (message, help) = match wanted {
                Some(wanted) => {
                    (format!("expected {}, found a set", describe(wanted)), "`{}` is the empty set")
                }
                None => (
                    "it is not clear of what this is a set".to_owned(),
                    "compare it with a variable, or assign it to one",
                ),
            };
            return error("type-mismatch", message, span, "a set without elements")
                .with_help(help)
                .none(self);
        }
        // The first element tells the type, unless something else is wanted of all of them.
        let mut done = Vec::new();
        for written in elements {
            done.extend(self.expr(written, element.map(Type::Scalar)).and_then(|expr| {
                let Type::Scalar(scalar) = expr.ty else {
                    let is = describe(expr.ty);
                    let help = match expr.ty {
                        Type::Set(_) => "to put sets together, write `s + t`",
                        _ => SETS,
                    };
                    let message = format!("sets have no elements like this: it is {is}");
                    return error("type-mismatch", message, expr.span, format!("this is {is}"))
                        .with_help(help)
                        .none(self);
                };
                let wanted = *element.get_or_insert(scalar);
                if wanted == scalar {
                    return Some(expr);
                }
                if wanted == Scalar::Tid && number_in(written).is_some() {
                    return self.thread_constant(written);
                }
                self.mismatch(Type::Scalar(wanted), expr.ty, expr.span)
                    .with_help("all elements of a set have the same type")
                    .none(self)
            }));
        }
        let scalar = element.filter(|_| done.len() == elements.len())?;
        Some((ExprKind::Set(done), Type::Set(scalar)))
    }

    /// `min(s)`, ..., or a shorthand.
    fn function(&mut self, name: &'f Name, given: &'f [Argument], span: Span) -> Option<Expr> {
        const SET: Type = Type::Set(Scalar::Addr);
        let text = name.text.as_str();
        let arguments: Vec<&'f ast::Expr> = self.values_of_arguments(given).collect();
        let (kind, ty) = match text {
            "min" | "max" => {
                let set = match arguments.as_slice() {
                    // Of two numbers: of the set of both.
                    &[left, right] => {
                        let (left, right) = (self.number(left), self.number(right));
                        let (kind, ty) =
                            (ExprKind::Set(vec![left?, right?]), Type::Set(Scalar::Int));
                        Box::new(Expr { span, ty, kind })
                    }
                    _ => {
                        let wanted = [Type::Set(Scalar::Int)];
                        let [set] = self.arguments(name, &arguments, wanted, span)?;
                        set
                    }
                };
                (if text == "min" { ExprKind::Min(set) } else { ExprKind::Max(set) }, INT)
            }
            "addr2set" => {
                let [address] = self.arguments(name, &arguments, [ADDR], span)?;
                (ExprKind::Cells(address), SET)
            }
            "set2elem" => {
                let [set] = self.arguments(name, &arguments, [SET], span)?;
                (ExprKind::Elems(set), Type::Set(Scalar::Elem))
            }
            "reach" | "ordered" => {
                let [from, to] = self.arguments(name, &arguments, [ADDR, ADDR], span)?;
                let make = if text == "reach" { ExprKind::Reach } else { ExprKind::Ordered };
                (make(from, to), Type::Bool)
            }
            _ => return self.shorthand(name, &arguments, span),
        };
        Some(Expr { span, ty, kind })
    }

    /// Arguments of these types.
    fn arguments<const N: usize>(
        &mut self,
        name: &Name,
        arguments: &[&'f ast::Expr],
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

    /// The field with that name, and its type.
    pub(super) fn field(&mut self, name: &Name) -> Option<(crate::inv::ast::Field, Type)> {
        use crate::inv::ast::Field;
        match name.text.as_str() {
            "next" => Some((Field::Next, ADDR)),
            "data" => Some((Field::Data, ELEM)),
            "lockid" => Some((Field::Lockid, TID)),
            _ => {
                let known = crate::inv::words::FIELDS.into_iter();
                let (next, data, owner) = (describe(ADDR), describe(ELEM), describe(TID));
                let help = format!(
                    "the fields of a cell are `next` ({next}), `data` ({data}) and `lockid` ({owner})"
                );
                self.unknown("unknown-field", format!("field {name}"), name, known, &help)
                    .none(self)
            }
        }
    }

    /// Something that stands alone behind `:=`.
    fn alone<T>(&mut self, what: &str, span: Span, example: &str) -> Option<T> {
        let message = format!("{what} stands alone behind `:=`");
        error("expected-expression", message, span, "not expected inside of an expression")
            .with_help(format!("write `{example}` before"))
            .none(self.form)
    }

    /// Something that has no value here.
    pub(super) fn no_value<T>(&mut self, expr: &ast::Expr) -> Option<T> {
        let what = expr.kind.described();
        let (what, help) = match &expr.kind {
            Source::Error => return None,
            Source::Choose(_) | Source::Where(..) => {
                return self.alone(what, expr.span, "x := choose(int)");
            }
            Source::Coin => (
                "`?`",
                "for any truth value, write `x := choose(bool)` before; \
                 to do one thing or another, `choose { ... } or { ... }`",
            ),
            Source::Tuple(_) => ("tuple", "take several variables"),
            Source::List(_) => ("list", "sets are written with braces: `{a, b}`"),
            Source::Ghost(..) => {
                let message = "ghost code stands behind a statement, and is done in its step";
                return error("ghost-alone", message, expr.span, "there is no statement before it")
                    .none(self.form);
            }
            _ => {
                let message = format!("{what} has no value in a model of threads");
                let label = "expected an expression here";
                return Diagnostic::error("expected-expression", message, expr.span)
                    .with_label(label)
                    .with_help("make it a statement of its own")
                    .none(self.form);
            }
        };
        self.not_here(what, expr.span, help);
        None
    }
}
