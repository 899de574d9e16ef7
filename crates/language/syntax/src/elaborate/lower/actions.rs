//! Where others run between the actions of a process.
//!
//! The lowering leaves a `yield` before every statement. Here it becomes one right after each
//! *action*, before anything else of the process, and none inside of one: a `yield` goes where no
//! shared variable has been touched since the last one. So an action that cannot happen never takes
//! back the one before it, local code that runs for ever takes back nothing, and code that touches
//! local variables only happens together with the next action.
//!
//! Where branches meet that do not agree, those in which an action has happened get a `yield` of
//! their own, unless somebody needs the value of the branches; then the next `yield` stays, which
//! is a step that does nothing for those in which none has happened. At the end of a process
//! nothing is put: its last action ends it.

use super::{either, node};
use crate::core::{Block, Expr, ExprKind, Label, evaluate};
use crate::report::Messages as _;
use ser_base::{Diagnostic, Sink, Span};
use std::collections::BTreeMap;

/// What has happened since the last `yield`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Since {
    /// The process is not here: it has ended, or gone on elsewhere.
    Gone,
    /// No action.
    Nothing,
    /// An action, on some path.
    Action,
}

/// Whether the value of an expression is used, and whether nothing of the process comes after it.
#[derive(Clone, Copy)]
struct Place {
    is_used: bool,
    is_last: bool,
}

/// Puts the `yield`s of a body in place; whether the process comes to its end.
pub(super) fn separate(body: &mut Block, sink: &mut Sink) -> bool {
    let mut walk = Walk { leaves: BTreeMap::new(), sink };
    let place = Place { is_used: false, is_last: true };
    walk.block(body, Since::Nothing, place) != Since::Gone
}

struct Walk<'s> {
    /// What has happened where labelled blocks are left.
    leaves: BTreeMap<Label, Since>,
    sink: &'s mut Sink,
}

impl Walk<'_> {
    fn block(&mut self, block: &mut Block, mut since: Since, place: Place) -> Since {
        let exprs = std::mem::take(&mut block.exprs);
        let end = exprs.iter().rposition(|expr| !is_nothing(expr) && !is_step(expr)).unwrap_or(0);
        let count = exprs.len();
        let mut after_pause = false;
        for (index, mut expr) in exprs.into_iter().enumerate() {
            let is_used = place.is_used && index + 1 == count;
            if since == Since::Gone {
                // What has a place in the text, and is not put in by the lowering.
                if after_pause && expr.span.start < expr.span.end {
                    Diagnostic::warning("unreachable-code", "this code never runs", expr.span)
                        .with_label("never runs")
                        .report(self.sink);
                    break;
                }
                after_pause = expr.kind == ExprKind::Yield;
                continue;
            }
            if expr.kind == ExprKind::Yield {
                if since == Since::Action {
                    block.exprs.push(expr);
                    since = Since::Nothing;
                }
                continue;
            }
            if !is_used && is_nothing(&expr) {
                continue;
            }
            let inside = Place { is_used, is_last: place.is_last && index >= end };
            since = self.expr(&mut expr, since, inside);
            block.exprs.push(expr);
        }
        since
    }

    /// An operand: its value is used, and it is not the end.
    fn operand(&mut self, expr: &mut Expr, since: Since) -> Since {
        self.expr(expr, since, Place { is_used: true, is_last: false })
    }

    fn expr(&mut self, expr: &mut Expr, since: Since, place: Place) -> Since {
        let span = expr.span;
        match &mut expr.kind {
            ExprKind::Number(_) | ExprKind::Choose(..) | ExprKind::Error => since,
            ExprKind::Read(name) => touched(name.is_global(), since),
            ExprKind::Assign(name, value) => {
                let shared = name.is_global();
                touched(shared, self.operand(value, since))
            }
            ExprKind::Unary(_, operand) => self.operand(operand, since),
            ExprKind::Assume(condition) => self.operand(condition, since),
            ExprKind::Binary(_, left, right) => {
                let left = self.operand(left, since);
                left.max(self.operand(right, left))
            }
            ExprKind::If(condition, then, otherwise) => {
                let since = self.operand(condition, since);
                // Inside an action there is no place where others run.
                let is_apart = has_pause(then) || has_pause(otherwise);
                let first = self.block(then, since, place);
                let second = self.block(otherwise, since, place);
                let differ = first != second && first != Since::Gone && second != Since::Gone;
                if !differ || !is_apart || place.is_last || place.is_used {
                    return first.max(second);
                }
                for (branch, since) in [(then, first), (otherwise, second)] {
                    if since == Since::Action {
                        branch.exprs.push(pause(branch.span.end));
                    }
                }
                Since::Nothing
            }
            ExprKind::While(condition, body) => self.repeat(condition, body, since, place, span),
            // A block takes care of those between statements.
            ExprKind::Yield => Since::Nothing,
            ExprKind::Return(response) => {
                for part in &mut response.parts {
                    self.operand(part, since);
                }
                Since::Gone
            }
            ExprKind::Abort | ExprKind::Fail(_) => Since::Gone,
            ExprKind::Labelled(label, block) => {
                let label = *label;
                let end = self.block(block, since, place);
                let left = self.leaves.remove(&label).unwrap_or(Since::Gone);
                end.max(left)
            }
            ExprKind::Leave(label, value) => {
                let label = *label;
                let since = self.operand(value, since);
                let known = self.leaves.entry(label).or_insert(Since::Gone);
                *known = (*known).max(since);
                Since::Gone
            }
            ExprKind::Group(block) => self.block(block, since, place),
        }
    }

    /// A loop. One in which others run ends with a `yield`, so that each round begins after one.
    fn repeat(
        &mut self,
        condition: &mut Expr,
        body: &mut Block,
        since: Since,
        place: Place,
        span: Span,
    ) -> Since {
        let is_apart = matches!(body.exprs.last().map(|it| &it.kind), Some(ExprKind::Yield));
        let always = evaluate(condition, &BTreeMap::new()).is_some_and(|value| value != 0);
        let each = self.operand(condition, since);
        if !is_apart {
            let end = self.block(body, each, Place { is_used: false, is_last: false });
            return if always { Since::Gone } else { each.max(end) };
        }
        body.exprs.pop();
        let again = is_repeatable(condition) && !always;
        let is_last = place.is_last && !place.is_used && again && each == Since::Nothing;
        let end = self.block(body, each, Place { is_used: false, is_last });
        let mut after = each;
        if end == Since::Action {
            let pause = pause(body.span.end);
            if is_last {
                // The last round ends the process, too.
                let goes_on = condition.clone();
                body.exprs.push(either(goes_on, vec![pause], Vec::new(), span));
                after = Since::Action;
            } else {
                body.exprs.push(pause);
            }
        }
        if always { Since::Gone } else { after }
    }
}

fn touched(is_shared: bool, since: Since) -> Since {
    if is_shared && since != Since::Gone { Since::Action } else { since }
}

fn pause(at: u32) -> Expr {
    node(ExprKind::Yield, Span::empty(at))
}

/// Whether it does nothing, and its value is known.
fn is_nothing(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Number(_))
}

/// Whether it counts the rounds of a loop: nothing that others see, and in no need of a `yield`.
fn is_step(expr: &Expr) -> bool {
    fn is_local(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Number(_) => true,
            ExprKind::Read(name) => !name.is_global(),
            ExprKind::Binary(_, left, right) => is_local(left) && is_local(right),
            _ => false,
        }
    }
    matches!(&expr.kind, ExprKind::Assign(name, value) if !name.is_global() && is_local(value))
}

/// Whether there is a place in it where others may run.
fn has_pause(block: &Block) -> bool {
    fn inside(expr: &Expr) -> bool {
        let mut found = expr.kind == ExprKind::Yield;
        expr.for_each_child(&mut |child| found = found || inside(child));
        found
    }
    block.exprs.iter().any(inside)
}

/// Whether evaluating an expression twice is the same as once.
fn is_repeatable(expr: &Expr) -> bool {
    let own = matches!(
        expr.kind,
        ExprKind::Number(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Group(_)
    );
    let mut repeatable = own;
    expr.for_each_child(&mut |child| repeatable = repeatable && is_repeatable(child));
    repeatable
}
