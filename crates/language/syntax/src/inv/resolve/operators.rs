//! Operators.

use super::Resolver;
use super::expressions::{Meaning, is_untyped, number_in};
use super::types::{ADDR, ALIKE, INT, TID, describe};
use crate::ast::{self, BinaryOp, Relation};
use crate::inv::ast::{Expr, ExprKind, Operator, Scalar, Type};
use crate::report::{Messages as _, different, error};
use ser_base::{Diagnostic, Span};

/// A constant does not fit into 64 bits, or is divided by 0.
struct NoValue;

/// The value of an expression without variables.
fn constant(expr: &Expr) -> Option<Result<i64, NoValue>> {
    let (left, right, op): (_, _, BinaryOp) = match &expr.kind {
        ExprKind::Int(value) => return Some(Ok(*value)),
        ExprKind::Negate(inside) => (Ok(0), constant(inside)?, BinaryOp::Subtract),
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (constant(left)?, constant(right)?);
            let op = match op {
                Operator::Add => BinaryOp::Add,
                Operator::Subtract => BinaryOp::Subtract,
                Operator::Multiply => BinaryOp::Multiply,
                _ => return None,
            };
            (left, right, op)
        }
        _ => return None,
    };
    Some(match (left, right) {
        (Ok(left), Ok(right)) => op.apply(left, right).ok_or(NoValue),
        _ => Err(NoValue),
    })
}

fn make(op: Operator, left: Expr, right: Expr) -> ExprKind {
    ExprKind::Binary(op, Box::new(left), Box::new(right))
}

impl<'f> Resolver<'f, '_> {
    /// The place of what stands between two operands.
    fn between(&self, left: Span, right: Span) -> Span {
        let first = self.tokens.partition_point(|token| token.span.start < left.end);
        let there = self.tokens.get(first..).unwrap_or_default().iter();
        let there = there.take_while(|token| token.span.end <= right.start);
        let mut there = there.filter(|token| !token.kind.is_trivia());
        let Some(first) = there.next() else { return left.to(right) };
        there.last().map_or(first.span, |last| first.span.to(last.span))
    }

    /// Both sides, which should have the same type; one can tell the other's.
    fn pair(
        &mut self,
        left: &'f ast::Expr,
        right: &'f ast::Expr,
        wanted: Option<Type>,
    ) -> Option<(Expr, Expr)> {
        let turned = is_untyped(left) && !is_untyped(right);
        let (one, other) = if turned { (right, left) } else { (left, right) };
        let first = self.expr(one, wanted);
        let known = first.as_ref().map(|it| it.ty).or(wanted);
        let second = match (&first, known) {
            // Its type cannot be known, and that is not its fault.
            (None, None) if is_untyped(other) => None,
            (_, known) => self.expr(other, known),
        };
        let (first, second) = (first?, second?);
        Some(if turned { (second, first) } else { (first, second) })
    }

    pub(super) fn relation(
        &mut self,
        op: Relation,
        left: &'f ast::Expr,
        right: &'f ast::Expr,
    ) -> Option<Meaning> {
        match op {
            Relation::In => self.member_in(left, right),
            Relation::Subset => {
                let (first, second) = self.pair(left, right, None)?;
                for side in [&first, &second] {
                    if !matches!(side.ty, Type::Set(_)) {
                        return self.not_a_set(side);
                    }
                }
                self.compare(Operator::Subset, (left, first), (right, second))
            }
            Relation::Implies => self.connective(Operator::Implies, left, right),
            Relation::Iff => self.connective(Operator::Iff, left, right),
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &'f ast::Expr,
        right: &'f ast::Expr,
        wanted: Option<Type>,
        span: Span,
    ) -> Option<Meaning> {
        use BinaryOp as Op;
        match op {
            Op::Add | Op::Subtract | Op::Multiply => self.arithmetic(op, left, right, wanted),
            Op::Divide | Op::Remainder => {
                let (first, second) = (self.number(left)?, self.number(right)?);
                if let (Some(Ok(first)), Some(Ok(second))) = (constant(&first), constant(&second))
                    && let Some(value) = op.apply(first, second)
                {
                    return Some((ExprKind::Int(value), INT));
                }
                let message = "only constants are divided: only linear arithmetic is possible";
                error("not-linear", message, span, "not constant, or divided by 0")
                    .with_help(
                        "say what is wanted: `q := choose(int) where 2 * q <= x && x < 2 * q + 2`",
                    )
                    .none(self)
            }
            Op::Equal | Op::NotEqual => {
                let op = if op == Op::Equal { Operator::Equal } else { Operator::NotEqual };
                let (first, second) = self.pair(left, right, None)?;
                self.compare(op, (left, first), (right, second))
            }
            Op::And => self.connective(Operator::And, left, right),
            Op::Or => self.connective(Operator::Or, left, right),
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
                let (first, second) = self.ordered(left, right)?;
                let is_strict = matches!(op, Op::Less | Op::Greater);
                let sign = if is_strict { Operator::Less } else { Operator::LessEqual };
                match op {
                    Op::Less | Op::LessEqual => self.compare(sign, (left, first), (right, second)),
                    _ => self.compare(sign, (right, second), (left, first)),
                }
            }
        }
    }

    fn connective(
        &mut self,
        op: Operator,
        left: &'f ast::Expr,
        right: &'f ast::Expr,
    ) -> Option<Meaning> {
        let (left, right) = (self.expect(left, Type::Bool), self.expect(right, Type::Bool));
        Some((make(op, left?, right?), Type::Bool))
    }

    /// A comparison of things that must have the same type.
    fn compare(
        &mut self,
        op: Operator,
        left: (&ast::Expr, Expr),
        right: (&ast::Expr, Expr),
    ) -> Option<Meaning> {
        let of = [self.enumeration(&left.1), self.enumeration(&right.1)];
        if left.1.ty == right.1.ty && self.are_alike(&left.1, &right.1) {
            return Some((make(op, left.1, right.1), Type::Bool));
        }
        for ((written, expr), (_, other)) in [(&left, &right), (&right, &left)] {
            if other.ty == TID && expr.ty == INT && number_in(written).is_some() {
                return self.thread_constant(written);
            }
        }
        // In the order of the text, also for `>`.
        let (mut left, mut right) = ((left.1, of[0]), (right.1, of[1]));
        if left.0.span.start > right.0.span.start {
            (left, right) = (right, left);
        }
        let place = self.between(left.0.span, right.0.span);
        let one = self.described(left.0.ty, left.1);
        let other = self.described(right.0.ty, right.1);
        let message = format!("{one} cannot be compared with {other}");
        different(message, place, (left.0.span, &one), (right.0.span, &other)).none(self)
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: &'f ast::Expr,
        right: &'f ast::Expr,
        wanted: Option<Type>,
    ) -> Option<Meaning> {
        let place = self.between(left.span, right.span);
        let (first, second) = self.pair(left, right, wanted)?;
        for side in [&first, &second] {
            if !matches!(side.ty, INT | Type::Set(_)) {
                return self.no_arithmetic(side);
            }
            self.is_from(side, None)?;
        }
        if first.ty != second.ty {
            let (one, other) = (describe(first.ty), describe(second.ty));
            let message = format!("{one} and {other} cannot be put together");
            return different(message, place, (first.span, one), (second.span, other))
                .with_help("for the set with one element, write `{x}`")
                .none(self);
        }
        let ty = first.ty;
        let op = match (ty, op) {
            (Type::Set(_), BinaryOp::Add) => Operator::Union,
            (Type::Set(_), BinaryOp::Subtract) => Operator::Difference,
            (Type::Set(_), _) => Operator::Intersection,
            (_, BinaryOp::Add) => Operator::Add,
            (_, BinaryOp::Subtract) => Operator::Subtract,
            _ => return self.product(place, first, second).map(|kind| (kind, ty)),
        };
        Some((make(op, first, second), ty))
    }

    /// `x * 2`: one side is a number that is known.
    fn product(&mut self, place: Span, left: Expr, right: Expr) -> Option<ExprKind> {
        let mut known = |side: Expr| match constant(&side) {
            None => Some(side),
            Some(Ok(value)) => Some(Expr { kind: ExprKind::Int(value), ..side }),
            Some(Err(NoValue)) => self.too_large(side.span),
        };
        let (left, right) = (known(left)?, known(right)?);
        match (&left.kind, &right.kind) {
            (ExprKind::Int(one), ExprKind::Int(other)) => match one.checked_mul(*other) {
                Some(product) => Some(ExprKind::Int(product)),
                None => self.too_large(left.span.to(right.span)),
            },
            (ExprKind::Int(_), _) | (_, ExprKind::Int(_)) => {
                Some(make(Operator::Multiply, left, right))
            }
            _ => {
                let message =
                    "two variables cannot be multiplied: only linear arithmetic is possible";
                error("not-linear", message, place, "neither side is a constant")
                    .with_secondary(left.span, "not a constant")
                    .with_secondary(right.span, "not a constant")
                    .with_help("multiply by a number, as in `2 * x`")
                    .none(self)
            }
        }
    }

    fn too_large<T>(&mut self, span: Span) -> Option<T> {
        let message = "the value of this does not fit into 64 bits";
        error("number-out-of-range", message, span, "too large").none(self)
    }

    /// A number to compute with.
    pub(super) fn number(&mut self, written: &'f ast::Expr) -> Option<Expr> {
        let expr = self.expr(written, Some(INT))?;
        if expr.ty != INT {
            return self.no_arithmetic(&expr);
        }
        self.is_from(&expr, None)?;
        Some(expr)
    }

    /// Something that cannot be computed with.
    fn no_arithmetic<T>(&mut self, expr: &Expr) -> Option<T> {
        let diagnostic = match expr.ty {
            TID => {
                let message = "threads cannot be computed with";
                error("thread-arithmetic", message, expr.span, "this is a thread").with_help(ALIKE)
            }
            ty => self.mismatch(INT, ty, expr.span),
        };
        diagnostic.none(self)
    }

    /// Both sides of `<` and the like.
    fn ordered(&mut self, left: &'f ast::Expr, right: &'f ast::Expr) -> Option<(Expr, Expr)> {
        let (first, second) = self.pair(left, right, None)?;
        let place = self.between(left.span, right.span);
        for side in [&first, &second] {
            let found = describe(side.ty);
            let diagnostic = match side.ty {
                INT | Type::Scalar(Scalar::Elem) => continue,
                TID => {
                    let label = "cannot compare threads by size";
                    error("thread-order", "threads have no order", place, label).with_help(ALIKE)
                }
                ADDR => {
                    let label = "cannot compare addresses by size";
                    error("address-order", "addresses have no order", place, label)
                        .with_help("compare what stands there: `a.data < b.data`")
                }
                Type::Set(_) => {
                    let message = "sets are compared with `subset`, `==` and `!=`";
                    error("type-mismatch", message, place, "cannot compare sets by size")
                }
                _ => {
                    let message = format!("{found} cannot be compared by size");
                    let label = "only numbers and elements have an order";
                    Diagnostic::error("type-mismatch", message, place).with_label(label)
                }
            };
            return diagnostic.with_secondary(side.span, format!("this is {found}")).none(self);
        }
        Some((first, second))
    }

    /// `a in s`.
    fn member_in(&mut self, left: &'f ast::Expr, right: &'f ast::Expr) -> Option<Meaning> {
        if let ast::ExprKind::Range(low, high) = &right.kind {
            let span = left.span.to(right.span);
            let below = self.binary(BinaryOp::LessEqual, low, left, None, span)?;
            let above = self.binary(BinaryOp::LessEqual, left, high, None, span)?;
            let [below, above] = [below, above].map(|(kind, ty)| Box::new(Expr { span, ty, kind }));
            return Some((ExprKind::Binary(Operator::And, below, above), Type::Bool));
        }
        let element = self.expr(left, None);
        let hint = match element.as_ref().map(|it| it.ty) {
            Some(Type::Scalar(scalar)) if is_untyped(right) => Some(Type::Set(scalar)),
            _ => None,
        };
        let set = self.expr(right, hint);
        let (element, set) = (element?, set?);
        let Type::Set(scalar) = set.ty else { return self.not_a_set(&set) };
        if element.ty == Type::Scalar(scalar) {
            return Some((make(Operator::In, element, set), Type::Bool));
        }
        if scalar == Scalar::Tid && number_in(left).is_some() {
            return self.thread_constant(left);
        }
        let place = self.between(left.span, right.span);
        let (one, other) = (describe(element.ty), describe(set.ty));
        let message = format!("{one} is never in {other}");
        let diagnostic = different(message, place, (element.span, one), (set.span, other));
        match element.ty == set.ty {
            true => diagnostic.with_help("write `s subset t`"),
            false => diagnostic,
        }
        .none(self)
    }

    fn not_a_set<T>(&mut self, expr: &Expr) -> Option<T> {
        let found = describe(expr.ty);
        let message = format!("expected a set, found {found}");
        error("type-mismatch", message, expr.span, format!("this is {found} (`{}`)", expr.ty))
            .with_help("sets look like `{a, b}`, or have a type like `set of int`")
            .none(self)
    }
}
