//! Operators.

use super::Resolver;
use super::expressions::{Meaning, is_untyped};
use super::types::{ADDR, ALIKE, INT, TID, describe};
use crate::ast::{BinaryOp, Relation};
use crate::inv::ast::{Expr, ExprKind, Operator, Scalar, Type};
use crate::inv::syntax::{Sign, Written, WrittenKind};
use crate::report::{Messages as _, Report as _, different, error};
use ser_base::{Diagnostic, Span};

fn make(op: Operator, left: Expr, right: Expr) -> ExprKind {
    ExprKind::Binary(op, Box::new(left), Box::new(right))
}

/// The value of an expression without variables.
fn constant(expr: &Expr) -> Option<Result<i64, Overflow>> {
    let both = |left: &Expr, right: &Expr| Some((constant(left)?, constant(right)?));
    let (left, right, op): (_, _, fn(i64, i64) -> Option<i64>) = match &expr.kind {
        ExprKind::Int(value) => return Some(Ok(*value)),
        ExprKind::Negate(inside) => (Ok(0), constant(inside)?, i64::checked_sub),
        ExprKind::Binary(op, left, right) => {
            let (left, right) = both(left, right)?;
            let op = match op {
                Operator::Add => i64::checked_add,
                Operator::Subtract => i64::checked_sub,
                Operator::Multiply => i64::checked_mul,
                _ => return None,
            };
            (left, right, op)
        }
        _ => return None,
    };
    Some(match (left, right) {
        (Ok(left), Ok(right)) => op(left, right).ok_or(Overflow),
        _ => Err(Overflow),
    })
}

/// A constant that does not fit into 64 bits.
struct Overflow;

impl<'f> Resolver<'f, '_> {
    /// Both sides, which should have the same type; one can tell the other's.
    fn pair(
        &mut self,
        left: &'f Written<'f>,
        right: &'f Written<'f>,
        wanted: Option<Type>,
    ) -> Option<(Expr, Expr)> {
        if is_untyped(left) && !is_untyped(right) {
            let second = self.expr(right, wanted);
            let known = second.as_ref().map(|it| it.ty).or(wanted);
            let first = match (&second, known) {
                (None, None) => None,
                (_, known) => self.expr(left, known),
            };
            return Some((first?, second?));
        }
        let first = self.expr(left, wanted);
        let known = first.as_ref().map(|it| it.ty).or(wanted);
        let second = match (&first, known) {
            // Its type cannot be known, and that is not its fault.
            (None, None) if is_untyped(right) => None,
            (_, known) => self.expr(right, known),
        };
        Some((first?, second?))
    }

    pub(super) fn binary(
        &mut self,
        op: Sign,
        place: Span,
        left: &'f Written<'f>,
        right: &'f Written<'f>,
        wanted: Option<Type>,
    ) -> Option<Meaning> {
        match op {
            Sign::Common(op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply)) => {
                self.arithmetic(op, place, left, right, wanted)
            }
            Sign::Common(op @ (BinaryOp::Equal | BinaryOp::NotEqual)) => {
                let op = if op == BinaryOp::Equal { Operator::Equal } else { Operator::NotEqual };
                let (first, second) = self.pair(left, right, None)?;
                if first.ty != second.ty {
                    return self.not_comparable(place, (left, &first), (right, &second));
                }
                Some((make(op, first, second), Type::Bool))
            }
            Sign::Relation(Relation::In) => {
                let element = self.expr(left, None);
                let scalar = match element.as_ref().map(|it| it.ty) {
                    Some(Type::Scalar(scalar)) => Some(scalar),
                    _ => None,
                };
                let hint = scalar.map(Type::Set).filter(|_| is_untyped(right));
                let set = self.expr(right, hint);
                let (element, set) = (element?, set?);
                self.member(place, left, element, set)
            }
            Sign::Relation(Relation::Subset) => {
                let (first, second) = self.pair(left, right, None)?;
                for side in [&first, &second] {
                    if !matches!(side.ty, Type::Set(_)) {
                        return self.not_a_set(side);
                    }
                }
                if first.ty != second.ty {
                    return self.not_comparable(place, (left, &first), (right, &second));
                }
                Some((make(Operator::Subset, first, second), Type::Bool))
            }
            Sign::Common(BinaryOp::And) => self.connective(Operator::And, left, right),
            Sign::Common(BinaryOp::Or) => self.connective(Operator::Or, left, right),
            Sign::Relation(Relation::Implies) => self.connective(Operator::Implies, left, right),
            Sign::Relation(Relation::Iff) => self.connective(Operator::Iff, left, right),
            Sign::Common(op) => self.order(op, place, left, right),
        }
    }

    fn connective(
        &mut self,
        op: Operator,
        left: &'f Written<'f>,
        right: &'f Written<'f>,
    ) -> Option<Meaning> {
        let (left, right) = (self.expect(left, Type::Bool), self.expect(right, Type::Bool));
        Some((make(op, left?, right?), Type::Bool))
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        place: Span,
        left: &'f Written<'f>,
        right: &'f Written<'f>,
        wanted: Option<Type>,
    ) -> Option<Meaning> {
        let (first, second) = self.pair(left, right, wanted)?;
        for side in [&first, &second] {
            if !matches!(side.ty, INT | Type::Set(_)) {
                return self.no_arithmetic(side);
            }
        }
        if first.ty != second.ty {
            let (one, other) = (describe(first.ty), describe(second.ty));
            let message = format!("{one} and {other} cannot be put together");
            return different(message, place, (first.span, one), (second.span, other))
                .with_help("for the set with one element, write `{x}`")
                .none(self);
        }
        let ty = first.ty;
        if let Type::Set(_) = ty {
            let op = match op {
                BinaryOp::Add => Operator::Union,
                BinaryOp::Subtract => Operator::Difference,
                _ => Operator::Intersection,
            };
            return Some((make(op, first, second), ty));
        }
        match op {
            BinaryOp::Add => Some((make(Operator::Add, first, second), ty)),
            BinaryOp::Subtract => Some((make(Operator::Subtract, first, second), ty)),
            _ => self.product(place, first, second).map(|kind| (kind, ty)),
        }
    }

    /// `x * 2`: one side is a number that is known.
    fn product(&mut self, place: Span, left: Expr, right: Expr) -> Option<ExprKind> {
        let known = |side: Expr| match constant(&side) {
            None => Ok(side),
            Some(Ok(value)) => Ok(Expr { kind: ExprKind::Int(value), ..side }),
            Some(Err(Overflow)) => Err(side.span),
        };
        let both = known(left).and_then(|left| known(right).map(|right| (left, right)));
        let product = both.and_then(|(left, right)| match (&left.kind, &right.kind) {
            (ExprKind::Int(one), ExprKind::Int(other)) => {
                let product = one.checked_mul(*other).ok_or(left.span.to(right.span))?;
                Ok(Some(ExprKind::Int(product)))
            }
            (ExprKind::Int(_), _) | (_, ExprKind::Int(_)) => {
                Ok(Some(make(Operator::Multiply, left, right)))
            }
            _ => {
                Diagnostic::error(
                    "not-linear",
                    "two variables cannot be multiplied: only linear arithmetic is possible",
                    place,
                )
                .with_label("neither side is a constant")
                .with_secondary(left.span, "not a constant")
                .with_secondary(right.span, "not a constant")
                .with_help("multiply by a number, as in `2 * x`")
                .report(self);
                Ok(None)
            }
        });
        product.unwrap_or_else(|span| {
            let message = "the value of this does not fit into 64 bits";
            error("number-out-of-range", message, span, "too large").none(self)
        })
    }

    /// A number to compute with.
    pub(super) fn number(&mut self, written: &'f Written<'f>) -> Option<Expr> {
        let expr = self.expr(written, Some(INT))?;
        if expr.ty == INT {
            return Some(expr);
        }
        self.no_arithmetic(&expr)
    }

    /// Something that cannot be computed with.
    fn no_arithmetic<T>(&mut self, expr: &Expr) -> Option<T> {
        let diagnostic = match expr.ty {
            TID => {
                Diagnostic::error("thread-arithmetic", "threads cannot be computed with", expr.span)
                    .with_label("this is a thread")
                    .with_help(ALIKE)
            }
            ty => self.mismatch(INT, ty, expr.span),
        };
        diagnostic.none(self)
    }

    /// `<` and the like.
    fn order(
        &mut self,
        op: BinaryOp,
        place: Span,
        left: &'f Written<'f>,
        right: &'f Written<'f>,
    ) -> Option<Meaning> {
        let (first, second) = self.pair(left, right, None)?;
        for side in [&first, &second] {
            if matches!(side.ty, INT | Type::Scalar(Scalar::Elem)) {
                continue;
            }
            let found = describe(side.ty);
            let diagnostic = match side.ty {
                TID => {
                    let message = "threads have no order";
                    error("thread-order", message, place, "cannot compare threads by size")
                        .with_secondary(side.span, "this is a thread")
                        .with_help(ALIKE)
                }
                ADDR => Diagnostic::error("address-order", "addresses have no order", place)
                    .with_label("cannot compare addresses by size")
                    .with_secondary(side.span, "this is an address")
                    .with_help("compare what stands there: `a.data < b.data`"),
                Type::Set(_) => Diagnostic::error(
                    "type-mismatch",
                    "sets are compared with `subset`, `==` and `!=`",
                    place,
                )
                .with_label("cannot compare sets by size")
                .with_secondary(side.span, format!("this is {found}")),
                _ => {
                    let message = format!("{found} cannot be compared by size");
                    Diagnostic::error("type-mismatch", message, place)
                        .with_label("only numbers and elements have an order")
                        .with_secondary(side.span, format!("this is {found}"))
                }
            };
            return diagnostic.none(self);
        }
        if first.ty != second.ty {
            return self.not_comparable(place, (left, &first), (right, &second));
        }
        let kind = match op {
            BinaryOp::Less => make(Operator::Less, first, second),
            BinaryOp::LessEqual => make(Operator::LessEqual, first, second),
            BinaryOp::Greater => make(Operator::Less, second, first),
            _ => make(Operator::LessEqual, second, first),
        };
        Some((kind, Type::Bool))
    }

    /// `a in s`.
    fn member(
        &mut self,
        place: Span,
        left: &Written<'_>,
        element: Expr,
        set: Expr,
    ) -> Option<Meaning> {
        let Type::Set(scalar) = set.ty else { return self.not_a_set(&set) };
        if element.ty == Type::Scalar(scalar) {
            return Some((make(Operator::In, element, set), Type::Bool));
        }
        if scalar == Scalar::Tid && matches!(left.kind, WrittenKind::Number(_)) {
            return self.thread_constant(left);
        }
        let (one, other) = (describe(element.ty), describe(set.ty));
        let message = format!("{one} is never in {other}");
        let diagnostic = different(message, place, (element.span, one), (set.span, other));
        self.report(match element.ty == set.ty {
            true => diagnostic.with_help("write `s subset t`"),
            false => diagnostic,
        });
        None
    }

    fn not_a_set<T>(&mut self, expr: &Expr) -> Option<T> {
        let found = describe(expr.ty);
        let message = format!("expected a set, found {found}");
        error("type-mismatch", message, expr.span, format!("this is {found} (`{}`)", expr.ty))
            .with_help("sets look like `{a, b}`, or have a type like `set<int>`")
            .none(self)
    }

    /// A comparison of things of different types.
    fn not_comparable<T>(
        &mut self,
        place: Span,
        left: (&Written<'_>, &Expr),
        right: (&Written<'_>, &Expr),
    ) -> Option<T> {
        for ((written, expr), (_, other)) in [(left, right), (right, left)] {
            if other.ty == TID && expr.ty == INT && matches!(written.kind, WrittenKind::Number(_)) {
                return self.thread_constant(written);
            }
        }
        let (one, other) = (describe(left.1.ty), describe(right.1.ty));
        let message = format!("{one} cannot be compared with {other}");
        different(message, place, (left.1.span, one), (right.1.span, other)).none(self)
    }
}
