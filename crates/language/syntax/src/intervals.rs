//! Between which numbers the value of an expression lies.
//!
//! Interval arithmetic with 128 bits, so that nothing overflows on the way. `None` says that
//! nothing is known; what is known is always a superset of what can happen.

use crate::ast::{BinaryOp, Expr, ExprKind, Name, UnaryOp};

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
        ExprKind::Read(name) => lookup(name)?,
        ExprKind::Unary(UnaryOp::Negate, operand) => {
            let (low, high) = interval(operand, lookup)?;
            (-high, -low)
        }
        ExprKind::Unary(UnaryOp::Not, _) => TRUTH,
        ExprKind::Binary(op, left, right) => return binary(*op, left, right, lookup),
        ExprKind::Group(inside) => match inside.exprs.as_slice() {
            [only] => return interval(only, lookup),
            _ => return None,
        },
        _ => return None,
    };
    Some(known)
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
