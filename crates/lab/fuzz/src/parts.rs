//! What an expression is made of, with its sequences told from its other parts.

use ser_syntax::ast::{Block, Else, Expr, ExprKind};

/// A part of an expression.
pub(crate) enum Part<'a> {
    /// An expression in a place where there is room for one only.
    Expression(&'a Expr),
    /// A place for several, one after the other.
    Sequence(&'a Block),
}

/// The parts directly inside an expression, in the order of the source.
pub(crate) fn parts(expr: &Expr) -> Vec<Part<'_>> {
    match &expr.kind {
        ExprKind::If(condition, then, otherwise) => {
            let mut all = vec![Part::Expression(condition), Part::Sequence(then)];
            all.extend(otherwise.as_ref().map(|otherwise| match otherwise {
                Else::Block(block) => Part::Sequence(block),
                Else::If(expr) => Part::Expression(expr),
            }));
            all
        }
        ExprKind::While(condition, body) => {
            vec![Part::Expression(condition), Part::Sequence(body)]
        }
        ExprKind::With(lock, body) => vec![Part::Expression(lock), Part::Sequence(body)],
        ExprKind::Group(block) | ExprKind::Loop(block) | ExprKind::For(_, _, block) => {
            vec![Part::Sequence(block)]
        }
        ExprKind::Either(blocks) => blocks.iter().map(Part::Sequence).collect(),
        _ => {
            let mut all = Vec::new();
            expr.for_each_child(&mut |child| all.push(Part::Expression(child)));
            all
        }
    }
}

/// The text with something else in a range.
pub(crate) fn replaced(text: &str, range: &std::ops::Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}
