//! Between which numbers the value of an expression lies.
//!
//! Interval arithmetic with 128 bits, so that nothing overflows on the way. `None` says that
//! nothing is known; what is known is always a superset of what can happen.

use crate::ast::{BinaryOp, Else, Expr, ExprKind, Name, TypeKind, UnaryOp};

/// From the smallest to the largest value, both included.
pub(crate) type Interval = (i128, i128);

/// The truth values.
const TRUTH: Interval = (0, 1);

/// Larger numbers do not occur in runs, and must not overflow here.
const LARGEST: i128 = 1 << 80;

/// What is known about the value of `expr`, where `lookup` knows about names.
pub(crate) fn interval(
    expr: &Expr,
    lookup: &dyn Fn(&Name) -> Option<Interval>,
) -> Option<Interval> {
    let known = match &expr.kind {
        ExprKind::Number(value) => point(i128::from(*value)),
        ExprKind::Coin => TRUTH,
        ExprKind::Choose(values) => match &values.kind {
            TypeKind::Range(low, high) => (interval(low, lookup)?.0, interval(high, lookup)?.1),
            _ => return None,
        },
        ExprKind::Read(name) => lookup(name)?,
        // What a shared variable gets may be wrapped around, or not happen at all.
        ExprKind::Assign(name, _) if name.is_global() => lookup(name)?,
        ExprKind::Assign(_, value) => interval(value, lookup)?,
        ExprKind::Unary(UnaryOp::Negate, operand) => {
            let (low, high) = interval(operand, lookup)?;
            (-high, -low)
        }
        ExprKind::Unary(UnaryOp::Not, _) => TRUTH,
        ExprKind::Binary(op, left, right) => return binary(*op, left, right, lookup),
        ExprKind::If(_, then, otherwise) => {
            let then = block(&then.exprs, lookup)?;
            let otherwise = match otherwise {
                None => point(0),
                Some(Else::Block(other)) => block(&other.exprs, lookup)?,
                Some(Else::If(expr)) => interval(expr, lookup)?,
            };
            join(then, otherwise)
        }
        ExprKind::Group(inside) => return block(&inside.exprs, lookup),
        ExprKind::While(..) | ExprKind::Yield | ExprKind::Assume(_) => point(0),
        _ => return None,
    };
    Some(known)
}

fn block(exprs: &[Expr], lookup: &dyn Fn(&Name) -> Option<Interval>) -> Option<Interval> {
    exprs.last().map_or(Some(point(0)), |last| interval(last, lookup))
}

fn binary(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    lookup: &dyn Fn(&Name) -> Option<Interval>,
) -> Option<Interval> {
    if !matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply) {
        return Some(TRUTH);
    }
    let (a, b) = interval(left, lookup)?;
    let (c, d) = interval(right, lookup)?;
    let corners = match op {
        BinaryOp::Add => [a + c, b + d, a + c, b + d],
        BinaryOp::Subtract => [a - d, b - c, a - d, b - c],
        _ => [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?],
    };
    let (low, high) = (corners.into_iter().min()?, corners.into_iter().max()?);
    (low >= -LARGEST && high <= LARGEST).then_some((low, high))
}

/// Just this number.
pub(crate) fn point(value: i128) -> Interval {
    (value, value)
}

/// The smallest interval that contains both.
pub(crate) fn join(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

/// What to say about values that are all out of range: which they are if there is just one, and
/// the label.
pub(crate) fn outside(known: Interval, (low, high): Interval) -> Option<(Option<i128>, String)> {
    match known {
        (first, last) if high < first || last < low => Some(match first == last {
            true => (Some(first), format!("not in {low}..{high}")),
            false => (None, format!("from {first} to {last}, and never in {low}..{high}")),
        }),
        _ => None,
    }
}
