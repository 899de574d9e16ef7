//! Assignments to shared variables, which must not leave their range.

use crate::ast::{BinaryOp, Expr};
use crate::intervals::Interval;
use crate::make;
use crate::types::Values;
use ser_base::Span;

/// The hidden local variable that holds a value until it is known to fit.
const CARRIED: &str = ".t";

/// `name := value`, where the value is known to lie in `known`. If it does not fit, it is wrapped
/// around where that is asked for; otherwise the assignment cannot happen.
pub(super) fn store(
    name: &str,
    values: &Values,
    value: Expr,
    known: Option<Interval>,
    span: Span,
) -> Expr {
    let (low, high) = values.interval();
    if known.is_some_and(|known| low <= known.0 && known.1 <= high) {
        return make::assign(name, value, span);
    }
    let mut exprs = Vec::new();
    if values.wraps {
        wrap(values, value, known, span, &mut exprs);
    } else {
        exprs.push(make::assign(CARRIED, value, span));
        let mut conditions = Vec::new();
        if known.is_none_or(|known| known.0 < low) {
            conditions.push(make::compare(CARRIED, BinaryOp::GreaterEqual, values.low, span));
        }
        if known.is_none_or(|known| known.1 > high) {
            conditions.push(make::compare(CARRIED, BinaryOp::LessEqual, values.high, span));
        }
        exprs.push(make::assume(make::all(conditions, span), span));
    }
    exprs.push(make::assign(name, make::read(CARRIED, span), span));
    make::group(exprs, span)
}

/// Takes a value modulo 2^n, with comparisons and subtractions only.
///
/// Where it is known how far away the value can be, a multiple of 2^n makes it positive, and then
/// halving multiples are subtracted where they fit: as many comparisons as there are extra bits.
/// Otherwise a loop does it.
fn wrap(values: &Values, value: Expr, known: Option<Interval>, span: Span, exprs: &mut Vec<Expr>) {
    let size = values.high + 1;
    let step = |op, amount| make::step(CARRIED, op, amount, span);
    if let Some((shift, bits)) = known.and_then(|known| plan(known, size)) {
        let value = match shift {
            0 => value,
            _ => make::binary(BinaryOp::Add, value, make::number(shift, span), span),
        };
        exprs.push(make::assign(CARRIED, value, span));
        for bit in (0..bits).rev() {
            let amount = size << bit;
            let fits = make::compare(CARRIED, BinaryOp::GreaterEqual, amount, span);
            exprs.push(make::when(fits, vec![step(BinaryOp::Subtract, amount)], span));
        }
    } else {
        exprs.push(make::assign(CARRIED, value, span));
        let above = make::compare(CARRIED, BinaryOp::Greater, values.high, span);
        exprs.push(make::repeat_while(above, vec![step(BinaryOp::Subtract, size)], span));
        let below = make::compare(CARRIED, BinaryOp::Less, 0, span);
        exprs.push(make::repeat_while(below, vec![step(BinaryOp::Add, size)], span));
    }
}

/// What to add to make every value positive, and how many multiples to try then; nothing if the
/// numbers would not fit into 64 bits.
fn plan(known: Interval, size: i64) -> Option<(i64, u32)> {
    const LARGEST: i128 = 1 << 62;
    let wide = i128::from(size);
    let shift = if known.0 < 0 { (-known.0 + wide - 1) / wide * wide } else { 0 };
    let high = known.1 + shift;
    if shift > LARGEST || high > LARGEST || known.0 < -LARGEST {
        return None;
    }
    let mut bits = 0;
    while wide << bits <= high {
        bits += 1;
    }
    Some((i64::try_from(shift).ok()?, bits))
}
