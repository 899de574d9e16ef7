//! `match`: one step that looks at a value and goes on with the case that fits.

use super::Resolver;
use super::declarations::within;
use super::statements::Around;
use super::types::INT;
use crate::ast::{self, Arm, ExprKind as Source, Pattern};
use crate::inv::ast::{Action, ActionKind, Expr, ExprKind, Operator, Stmt, StmtKind, Type};
use crate::report::{Messages as _, different, error};
use ser_base::Span;

/// The condition of a case, and what is done in it; no condition: everything else.
type Case<'f> = (Option<Expr>, &'f [ast::Expr]);

fn truth(kind: ExprKind, span: Span) -> Expr {
    Expr { span, ty: Type::Bool, kind }
}

fn either(left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    truth(ExprKind::Binary(Operator::Or, Box::new(left), Box::new(right)), span)
}

/// What a case does.
fn body(arm: &Arm) -> &[ast::Expr] {
    match &arm.body.kind {
        Source::Group(block) | Source::Block(block) => &block.exprs,
        _ => std::slice::from_ref(&arm.body),
    }
}

impl<'f> Resolver<'f, '_> {
    /// `match` as a statement.
    pub(super) fn match_statement(
        &mut self,
        (expr, value, arms): (&'f ast::Expr, &'f ast::Expr, &'f [Arm]),
        span: Span,
        around: Around<'f, '_>,
        done: &mut Vec<Stmt>,
    ) {
        let location = self.location(around.name, span);
        let cases = self.cases(expr, value, arms, false);
        let mut before: Option<Expr> = None;
        let mut branches = Vec::new();
        for (condition, body) in cases {
            // Whatever fits an earlier case is not in this one: so exactly one case fits.
            let others = before.clone().map(|before| {
                let span = before.span;
                truth(ExprKind::Not(Box::new(before)), span)
            });
            let exact = match (others, condition.clone()) {
                (Some(others), Some(own)) => {
                    let kind = ExprKind::Binary(Operator::And, Box::new(others), Box::new(own));
                    truth(kind, span)
                }
                (others, own) => others.or(own).unwrap_or(truth(ExprKind::Bool(true), span)),
            };
            before = match (before, condition) {
                (Some(before), Some(own)) => Some(either(before, own)),
                (before, own) => before.or(own),
            };
            branches.push((exact, self.nested(body, around.tail)));
        }
        let ghost = self.ghosts(around.ghosts);
        done.push(Stmt { location, kind: StmtKind::Match(branches), ghost });
    }

    /// `match` in one step with others.
    pub(super) fn match_action(
        &mut self,
        expr: &'f ast::Expr,
        value: &'f ast::Expr,
        arms: &'f [Arm],
        in_ghost: bool,
        done: &mut Vec<Action>,
    ) {
        let mut cases = Vec::new();
        for (condition, body) in self.cases(expr, value, arms, in_ghost) {
            let mut actions = Vec::new();
            body.iter().for_each(|part| self.action(part, in_ghost, &mut actions));
            cases.push((condition, actions));
        }
        let mut rest = Vec::new();
        for (condition, then) in cases.into_iter().rev() {
            rest = match condition {
                None => then,
                Some(condition) => {
                    let kind = ActionKind::If { condition, then, otherwise: rest };
                    vec![Action { span: expr.span, kind }]
                }
            };
        }
        done.append(&mut rest);
    }

    fn cases(
        &mut self,
        expr: &'f ast::Expr,
        value: &'f ast::Expr,
        arms: &'f [Arm],
        in_ghost: bool,
    ) -> Vec<Case<'f>> {
        let looked_at = self.expr(value, None);
        if let Some(value) = looked_at.as_ref().filter(|_| !in_ghost) {
            self.without_ghosts(value, "what is looked at");
        }
        let mut rest: Option<Span> = None;
        let mut covered = Vec::new();
        let mut cases = Vec::new();
        for arm in arms {
            let mut condition: Option<Expr> = None;
            for pattern in &arm.patterns {
                let span = match pattern {
                    Pattern::Value(value) => value.span,
                    Pattern::Range(low, high) => low.span.to(high.span),
                    Pattern::Anything(span) => *span,
                };
                if let Some(rest) = rest {
                    let (message, label) =
                        ("this case is never reached", "everything is covered before");
                    error("unreachable-case", message, span, label)
                        .with_secondary(rest, "this covers everything")
                        .report(self);
                }
                let Pattern::Anything(_) = pattern else {
                    let Some(value) = &looked_at else { continue };
                    if let Some(fits) = self.fits(value, pattern, &mut covered) {
                        condition = Some(match condition {
                            Some(before) => either(before, fits),
                            None => fits,
                        });
                    }
                    continue;
                };
                rest = Some(span);
                condition = None;
            }
            cases.push((condition, body(arm)));
        }
        if let Some(value) = looked_at.filter(|_| rest.is_none()) {
            self.all_covered(expr, &value, &covered);
        }
        cases
    }

    /// That a value is what a pattern says; `covered` gets the numbers of members and truth values.
    fn fits(&mut self, value: &Expr, pattern: &'f Pattern, covered: &mut Vec<i64>) -> Option<Expr> {
        let (low, high) = match pattern {
            Pattern::Range(low, high) => (low, high),
            Pattern::Value(pattern) => {
                let found = self.expr(pattern, Some(value.ty))?;
                let of = [self.enumeration(value), self.enumeration(&found)];
                if found.ty != value.ty || of[0] != of[1] {
                    let is = self.described(value.ty, of[0]);
                    let other = self.described(found.ty, of[1]);
                    let message = format!("{is} is never {other}");
                    return different(message, found.span, (value.span, &is), (found.span, &other))
                        .none(self);
                }
                match &found.kind {
                    ExprKind::Int(number) => covered.push(*number),
                    ExprKind::Bool(truth) => covered.push(i64::from(*truth)),
                    ExprKind::Null | ExprKind::Nobody | ExprKind::Lowest | ExprKind::Highest => {}
                    _ => {
                        let label = "expected a value that is known";
                        return error("not-constant", "a case is a constant", found.span, label)
                            .with_help("compare with `if` and `else if`")
                            .none(self);
                    }
                }
                let span = found.span;
                let kind =
                    ExprKind::Binary(Operator::Equal, Box::new(value.clone()), Box::new(found));
                return Some(truth(kind, span));
            }
            Pattern::Anything(_) => return None,
        };
        let span = low.span.to(high.span);
        if value.ty != INT {
            let message = "a range is one of numbers";
            return error("type-mismatch", message, span, "does not fit")
                .with_secondary(value.span, self.described(value.ty, None))
                .none(self);
        }
        let range = self.bounds(low, high)?;
        let few = range.1.checked_sub(range.0).is_some_and(|size| size < 1000);
        covered.extend((range.0..=range.1).take(if few { 1000 } else { 0 }));
        Some(within(value.kind.clone(), range, span))
    }

    fn all_covered(&mut self, expr: &'f ast::Expr, value: &Expr, covered: &[i64]) {
        let names: Vec<&str> = match (value.ty, self.enumeration(value)) {
            (_, Some(id)) => {
                let item = &self.tree.enumerations[id as usize];
                item.members.iter().map(|member| member.text.as_str()).collect()
            }
            (Type::Bool, _) => vec!["false", "true"],
            _ => Vec::new(),
        };
        let missing = names.iter().zip(0..).filter(|(_, number)| !covered.contains(number));
        let missing: Vec<&str> = missing.map(|(name, _)| *name).collect();
        if names.is_empty() || !missing.is_empty() {
            let label = match missing.is_empty() {
                true => "other values are not covered".to_owned(),
                false => format!("not covered: {}", missing.join(", ")),
            };
            let message = "this `match` does not cover everything";
            error("missing-case", message, expr.span, label)
                .with_help("everything else is `_ => ...`")
                .report(self);
        }
    }
}
