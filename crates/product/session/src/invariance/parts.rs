//! Which part of a formula does not hold: of `a && b` perhaps only `b`.

use super::words::Words;
use ser_invariance_checker::run::Value;
use ser_invariance_search::explore::{State, evaluate};
use ser_syntax::Span;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Expr, ExprKind, Operator};

/// A part of a formula that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub span: Span,
    /// What it says, with what it is said of.
    pub text: String,
    /// Whether it is the whole formula.
    pub is_whole: bool,
    /// Whether something stands before it: `a -> ...`.
    pub is_conditional: bool,
}

/// The parts of a formula that does not hold in a state, for these threads, because of which it
/// does not.
pub(super) fn failing(
    words: &Words<'_>,
    state: &State,
    formula: &Expr,
    tuple: &[u32],
) -> Vec<Part> {
    let mut found = Vec::new();
    descend(words.system, state, formula, tuple, &mut Vec::new(), &mut found);
    let part = |(premises, expr): &(Vec<&Expr>, &Expr)| {
        let mut text = String::new();
        for premise in premises {
            text += &premise_text(words, premise);
            text += " -> ";
        }
        text += &trimmed(&words.on_one_line(expr.span.range()));
        let is_whole = expr.span == formula.span;
        Part { span: expr.span, text, is_whole, is_conditional: !premises.is_empty() }
    };
    found.iter().map(part).collect()
}

fn descend<'e>(
    system: &System,
    state: &State,
    expr: &'e Expr,
    tuple: &[u32],
    premises: &mut Vec<&'e Expr>,
    found: &mut Vec<(Vec<&'e Expr>, &'e Expr)>,
) {
    let fails = |it: &Expr| evaluate(system, state, it, tuple) == Ok(Value::Bool(false));
    match &expr.kind {
        ExprKind::Binary(Operator::And, left, right) if fails(left) || fails(right) => {
            for side in [left, right].into_iter().filter(|it| fails(it)) {
                descend(system, state, side, tuple, premises, found);
            }
        }
        ExprKind::Binary(Operator::Implies, premise, conclusion) => {
            let mut inner = Vec::new();
            premises.push(premise);
            descend(system, state, conclusion, tuple, premises, &mut inner);
            premises.pop();
            match inner.iter().any(|(_, it)| it.span == conclusion.span) {
                true => found.push((premises.clone(), expr)),
                false => found.extend(inner),
            }
        }
        _ => found.push((premises.clone(), expr)),
    }
}

/// What stands to the left of `->`.
fn premise_text(words: &Words<'_>, premise: &Expr) -> String {
    let text = trimmed(&words.on_one_line(premise.span.range()));
    match &premise.kind {
        ExprKind::Binary(Operator::Implies | Operator::Iff, ..) => format!("({text})"),
        _ => text,
    }
}

/// Without parentheses around all of it.
fn trimmed(text: &str) -> String {
    let Some(inner) = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) else {
        return text.to_owned();
    };
    let mut depth = 1;
    for c in inner.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return text.to_owned();
        }
    }
    inner.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_syntax::LineIndex;

    #[test]
    fn only_the_part_that_fails_is_told() {
        let text = "var x: int = 0; var y: int = 0; var b: bool = false; set Threads  process thread for self in Threads { skip; }
            invariant a: (x == 0) && (b -> y == 1) && (!b -> x == 0 && y == 1);
            invariant c: x == 1 || y == 1;
            invariant d: x == 1 && (x == 0 -> y == 2);";
        let system = ser_syntax::inv::parse(text).system;
        let words = Words { system: &system, text, lines: &LineIndex::new(text) };
        let globals = vec![Value::Int(0), Value::Int(0), Value::Bool(false)];
        let state = State { globals, threads: Vec::new(), cells: Default::default() };
        let told = |invariant: usize| {
            let formula = &system.invariants[invariant].conjuncts[0].formula;
            let parts = failing(&words, &state, formula, &[]);
            parts.into_iter().map(|it| (it.text, it.is_whole)).collect::<Vec<_>>()
        };
        assert_eq!(told(0), [("!b -> y == 1".to_owned(), false)]);
        assert_eq!(told(1), [("x == 1 || y == 1".to_owned(), true)]);
        assert_eq!(told(2), [("x == 1".to_owned(), false), ("x == 0 -> y == 2".to_owned(), false)]);
    }
}
