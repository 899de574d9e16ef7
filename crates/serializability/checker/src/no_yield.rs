//! `no_yield`: no request can yield, so that nothing can interleave.
//!
//! A `yield` is *in reach* unless a constant condition keeps requests from it: it stands in the
//! branch that an `if` never takes, or in a loop that is never entered. Constants have the values
//! that the language gives them, and everything else may have any value.
//!
//! *Theorem.* If no `yield` is in reach, the program is serializable, whatever values its
//! variables take. *Proof.* A step of a request ends at a `yield` or with its response. By
//! induction on the length of an execution, only expressions in reach are executed, so every step
//! ends with a response. In a complete run, each request then arrives, takes one step, and
//! responds. Neither arrivals nor responses look at global variables or change them: move each
//! arrival right, to just before the step of its request, and each response left, to just after
//! it. The result is a serial run with the same steps in the same order, and so with the same
//! outcome. ∎

use crate::accept::{Accepted, Argument};
use crate::{Reason, Rejection};
use ser_base::Span;
use ser_syntax::core::{Block, Expr, ExprKind, Program, evaluate};
use std::collections::BTreeMap;

/// Checks that no request of a program without errors can yield.
pub(crate) fn check(program: &Program) -> Result<Accepted, Rejection> {
    match first_yield(program) {
        Some(span) => Err(Reason::Yields { at: span.start as usize }.at("proof")),
        None => Ok(Accepted::Serializable {
            argument: Argument::NoYield { handlers: program.requests.len() },
            transitions: 0,
            places: 0,
            serial_states: 0,
            in_real_time: true,
        }),
    }
}

/// The first `yield` in reach, if there is one.
///
/// ```
/// use ser_serializability_checker::first_yield;
/// let yields = |text: &str| first_yield(&ser_syntax::parse(text).program).is_some();
/// assert!(yields("request main { if (X) { yield }; X := 1 }"));
/// assert!(!yields("const LOUD = 0 request main { if (LOUD) { yield }; X := X + 1 }"));
/// ```
pub fn first_yield(program: &Program) -> Option<Span> {
    program.requests.iter().find_map(|request| in_block(&request.body))
}

fn in_block(block: &Block) -> Option<Span> {
    block.exprs.iter().find_map(in_expr)
}

fn in_expr(expr: &Expr) -> Option<Span> {
    let within = in_expr;
    let known = |expr: &Expr| evaluate(expr, &BTreeMap::new());
    match &expr.kind {
        ExprKind::Yield => Some(expr.span),
        ExprKind::Number(_)
        | ExprKind::Choose(..)
        | ExprKind::Read(_)
        | ExprKind::Fail(_)
        | ExprKind::Abort => None,
        ExprKind::Assign(_, operand)
        | ExprKind::Unary(_, operand)
        | ExprKind::Leave(_, operand)
        | ExprKind::Assume(operand) => within(operand),
        ExprKind::Binary(_, left, right) => within(left).or_else(|| within(right)),
        ExprKind::Return(response) => response.parts.iter().find_map(within),
        ExprKind::Group(block) | ExprKind::Labelled(_, block) => in_block(block),
        ExprKind::If(condition, then, otherwise) => match known(condition) {
            Some(0) => in_block(otherwise),
            Some(_) => in_block(then),
            None => {
                let branches = || in_block(then).or_else(|| in_block(otherwise));
                within(condition).or_else(branches)
            }
        },
        ExprKind::While(condition, body) => match known(condition) {
            Some(0) => None,
            _ => within(condition).or_else(|| in_block(body)),
        },
        // A program with errors is not checked; better to expect the worst.
        ExprKind::Error => Some(expr.span),
    }
}
