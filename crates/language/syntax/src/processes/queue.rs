//! Queues as variables: a length and one variable for each slot.
//!
//! The items stand in the first slots, the oldest in slot 0. The other slots have a fixed value:
//! two queues with the same items are the same state.

use super::store::store;
use crate::ast::{BinaryOp, Expr};
use crate::intervals::Interval;
use crate::make;
use crate::types::Values;
use ser_base::Span;

/// The hidden variable with the length of a queue.
pub(super) fn length(queue: &str) -> String {
    format!("{queue}.len")
}

/// The hidden variable of a slot.
pub(super) fn slot(queue: &str, index: i64) -> String {
    format!("{queue}.{index}")
}

/// The hidden local variable that holds an item on its way.
const ITEM: &str = ".item";

/// `send value to queue`: not while the queue is full. A value that is no item cannot be sent.
pub(super) fn send(
    queue: &str,
    capacity: i64,
    items: &Values,
    value: Expr,
    known: Option<Interval>,
    span: Span,
) -> Expr {
    let length = length(queue);
    let mut exprs =
        vec![make::assume(make::compare(&length, BinaryOp::Less, capacity, span), span)];
    // With one slot, there is no question where the item goes.
    if capacity == 1 {
        exprs.push(store(&slot(queue, 0), items, value, known, span));
        exprs.push(make::assign(length, make::number(1, span), span));
        return make::group(exprs, span);
    }
    exprs.push(store(ITEM, items, value, known, span));
    for index in 0..capacity {
        let here = make::compare(&length, BinaryOp::Equal, index, span);
        let put = make::assign(slot(queue, index), make::read(ITEM, span), span);
        exprs.push(make::when(here, vec![put], span));
    }
    exprs.push(make::step(&length, BinaryOp::Add, 1, span));
    make::group(exprs, span)
}

/// `variable := recv queue`: not while the queue is empty; everything moves up. `put` stores the
/// item, if anybody wants it.
pub(super) fn receive(
    queue: &str,
    capacity: i64,
    items: &Values,
    put: impl FnOnce(Expr) -> Option<Expr>,
    span: Span,
) -> Expr {
    let length = length(queue);
    let mut exprs = vec![make::assume(make::compare(&length, BinaryOp::Greater, 0, span), span)];
    exprs.extend(put(make::read(slot(queue, 0), span)));
    for index in 1..capacity {
        let next = make::read(slot(queue, index), span);
        exprs.push(make::assign(slot(queue, index - 1), next, span));
    }
    let rest = make::number(items.rest(), span);
    exprs.push(make::assign(slot(queue, capacity - 1), rest, span));
    exprs.push(make::step(&length, BinaryOp::Subtract, 1, span));
    make::group(exprs, span)
}
