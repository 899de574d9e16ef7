//! Programs near the border between serializable and not.
//!
//! A program of another generator is changed a little: one that is serializable is weakened (a
//! yield point more, a statement less, a lock that somebody else takes), one that is not is
//! protected (a lock around a handler, a yield point less). Changes are made in the text, at the
//! places of the syntax tree.

use super::{expressions, locking, program};
use crate::Random;
use crate::parts::{Part, parts, replaced};
use ser_syntax::ast::{Block, Expr, ExprKind, Program, Request};
use std::ops::Range;

/// The source of such a program.
///
/// ```
/// let text = ser_fuzz::border(&mut ser_fuzz::Random::new(1));
/// assert!(!ser_syntax::parse(&text).has_errors());
/// ```
pub fn border(random: &mut Random) -> String {
    let mut text = match random.below(10) {
        0..=4 => locking(random),
        5..=7 => program(random),
        _ => expressions(random),
    };
    for _ in 0..random.between(1, 3) {
        // Some changes are not possible, for instance that of a parameter; then another one is
        // tried.
        for _ in 0..10 {
            let changed = change(&text, random);
            if changed != text && !ser_syntax::parse(&changed).has_errors() {
                text = changed;
                break;
            }
        }
    }
    text
}

/// The places of a program where something can be changed.
#[derive(Default)]
struct Places {
    /// Expressions in a sequence, with those after them in the same sequence.
    statements: Vec<Vec<Range<usize>>>,
    /// Expressions of all kinds.
    expressions: Vec<Range<usize>>,
    yields: Vec<Range<usize>>,
    numbers: Vec<Range<usize>>,
    /// Names that are read or written.
    names: Vec<Range<usize>>,
    /// The insides of handlers.
    bodies: Vec<Range<usize>>,
}

impl Places {
    fn new(program: &Program) -> Places {
        let mut places = Places::default();
        for Request { body, .. } in &program.requests {
            if let (Some(first), Some(last)) = (body.exprs.first(), body.exprs.last()) {
                places.bodies.push(first.span.to(last.span).range());
            }
            places.block(body);
        }
        places
    }

    fn block(&mut self, block: &Block) {
        self.statements.push(block.exprs.iter().map(|e| e.span.range()).collect());
        block.exprs.iter().for_each(|e| self.expression(e));
    }

    fn expression(&mut self, expr: &Expr) {
        let range = expr.span.range();
        self.expressions.push(range.clone());
        match &expr.kind {
            ExprKind::Yield => self.yields.push(range),
            ExprKind::Number(_) => self.numbers.push(range),
            ExprKind::Read(name) | ExprKind::Assign(name, _) => {
                self.names.push(name.span.range());
            }
            _ => {}
        }
        // The ends of ranges are constants.
        if matches!(expr.kind, ExprKind::Choose(..)) {
            return;
        }
        for part in parts(expr) {
            match part {
                Part::Expression(expr) => self.expression(expr),
                Part::Sequence(block) => self.block(block),
            }
        }
    }
}

/// One change; the text as it is if there is no place for it.
fn change(text: &str, random: &mut Random) -> String {
    let places = Places::new(&ser_syntax::parse(text).tree);
    let one = |list: &[Range<usize>], random: &mut Random| match list {
        [] => None,
        list => Some(random.pick(list).clone()),
    };
    let sequences: Vec<&Vec<Range<usize>>> =
        places.statements.iter().filter(|s| !s.is_empty()).collect();
    if sequences.is_empty() {
        return text.to_owned();
    }
    let sequence: &[Range<usize>] = random.pick::<&Vec<Range<usize>>>(&sequences);
    let at = random.below(sequence.len());
    let statement = sequence[at].clone();
    let own = text[statement.clone()].to_owned();
    let changed = match random.below(12) {
        // A yield point more, before or after.
        0 | 1 => Some(replaced(text, &statement, &format!("yield; {own}"))),
        2 => one(&places.yields, random).map(|range| replaced(text, &range, "0")),
        // A statement less, or twice.
        3 | 4 => Some(replaced(text, &statement, "0")),
        5 => Some(replaced(text, &statement, &format!("{own}; {own}"))),
        // Two statements in the other order.
        6 => sequence.get(at + 1).map(|next| {
            let swapped = replaced(text, next, &own);
            replaced(&swapped, &statement, &text[next.clone()])
        }),
        7 => one(&places.numbers, random).map(|range| {
            let number = text[range.clone()].parse::<i64>().unwrap_or(0);
            let other = if random.chance(50) { number + 1 } else { (number - 1).max(0) };
            replaced(text, &range, &other.to_string())
        }),
        8 => one(&places.names, random).zip(one(&places.names, random)).map(|(name, other)| {
            let other = text[other].to_owned();
            replaced(text, &name, &other)
        }),
        // An expression in the place of another one.
        9 => one(&places.expressions, random).zip(one(&places.expressions, random)).map(
            |(range, other)| {
                let other = format!("({})", &text[other]);
                replaced(text, &range, &other)
            },
        ),
        // A lock around everything that a handler does.
        10 => one(&places.bodies, random).map(|body| {
            let inside = &text[body.clone()];
            let lock = ["L0", "L1", "Lock"][random.below(3)];
            let enter = if random.chance(50) {
                format!("while ({lock} == 1) {{ yield }}")
            } else {
                format!("assume({lock} == 0)")
            };
            let locked = format!("{enter}; {lock} := 1; whole := ({inside}); {lock} := 0; whole");
            replaced(text, &body, &locked)
        }),
        // A statement that now has a condition.
        _ => one(&places.names, random).map(|name| {
            let name = &text[name];
            let guarded = match random.below(4) {
                0 => format!("if ({name} == 0) {{ {own} }}"),
                1 => format!("assume({name} != 1); {own}"),
                2 => format!("if ({name} == 1) {{ abort }}; {own}"),
                _ => format!("while ({name} == 1) {{ yield }}; {own}"),
            };
            replaced(text, &statement, &guarded)
        }),
    };
    changed.unwrap_or_else(|| text.to_owned())
}
