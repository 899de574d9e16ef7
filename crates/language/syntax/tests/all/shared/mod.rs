//! Shows messages and trees as text, for snapshots.

pub mod threads;

use std::fmt::Write;

use ser_base::{Diagnostic, LineIndex};
use ser_syntax::core::{Block, Expr, ExprKind, Program};

/// Messages as a person would see them.
pub fn messages(text: &str, diagnostics: &[Diagnostic]) -> String {
    let lines = LineIndex::new(text);
    let place = |offset| {
        let position = lines.position(offset);
        format!("{}:{}", position.line, position.column)
    };
    let mut shown = String::new();
    for d in diagnostics {
        let severity = if d.is_error() { "" } else { "warning " };
        let start = place(d.primary.span.start);
        let _ = writeln!(shown, "{severity}{} @ {start}: {}", d.code, d.message);
        if !d.primary.message.is_empty() {
            let end = place(d.primary.span.end);
            let _ = writeln!(shown, "    {start}-{end}: {}", d.primary.message);
        }
        for label in &d.secondary {
            let (start, end) = (place(label.span.start), place(label.span.end));
            let _ = writeln!(shown, "    {start}-{end}: {}", label.message);
        }
        for help in &d.help {
            let _ = write!(shown, "    help: {}", help.message);
            if let Some(edit) = &help.edit {
                let (start, end) = (place(edit.span.start), place(edit.span.end));
                let _ = write!(shown, " [{start}-{end} -> `{}`]", edit.replacement);
            }
            shown.push('\n');
        }
    }
    shown
}

/// A program: ranges with first values, handlers, questions.
pub fn model(program: &Program) -> String {
    let mut shown = String::new();
    for global in &program.globals {
        let values = global.range.map_or("any number".to_owned(), |(l, h)| format!("{l}..{h}"));
        let _ = writeln!(shown, "{} in {values} := {}", global.name.text, global.first);
    }
    for request in &program.requests {
        let parameters: Vec<&str> =
            request.parameters.iter().map(|p| p.name.text.as_str()).collect();
        let _ = writeln!(
            shown,
            "{}({}) {}",
            request.name.text,
            parameters.join(", "),
            block(&request.body)
        );
    }
    for question in &program.questions {
        let name = question.name.as_ref().map_or(String::new(), |name| format!(" {name:?}"));
        let condition =
            question.condition().map_or_else(|| block(&question.observer.body), |it| expr(&it));
        let _ = writeln!(shown, "{}{name}: {condition}", question.kind.word());
    }
    shown
}

pub fn block(block: &Block) -> String {
    let exprs: Vec<String> = block.exprs.iter().map(expr).collect();
    format!("{{ {} }}", exprs.join("; "))
}

pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Choose(0, 1) => "?".to_owned(),
        ExprKind::Choose(low, high) => format!("choose({low}..{high})"),
        ExprKind::Read(name) => name.text.clone(),
        ExprKind::Assign(name, value) => format!("{} := {}", name.text, expr(value)),
        ExprKind::Unary(op, operand) => format!("{}{}", op.symbol(), expr(operand)),
        ExprKind::Binary(op, left, right) => {
            format!("[{} {} {}]", expr(left), op.symbol(), expr(right))
        }
        ExprKind::If(condition, then, otherwise) => {
            let otherwise = match otherwise.exprs.as_slice() {
                [] => String::new(),
                _ => format!(" else {}", block(otherwise)),
            };
            format!("if ({}) {}{otherwise}", expr(condition), block(then))
        }
        ExprKind::While(condition, body) => format!("while ({}) {}", expr(condition), block(body)),
        ExprKind::Yield => "yield".to_owned(),
        ExprKind::Abort => "abort".to_owned(),
        ExprKind::Return(response) => {
            let parts: Vec<String> = response.parts.iter().map(expr).collect();
            format!("return {}", parts.join(", "))
        }
        ExprKind::Fail(fault) => format!("<{fault}>"),
        ExprKind::Labelled(label, inside) => format!("{label}: {}", block(inside)),
        ExprKind::Leave(label, value) => format!("leave {label} {}", expr(value)),
        ExprKind::Assume(condition) => format!("assume({})", expr(condition)),
        ExprKind::Group(inside) => {
            let exprs: Vec<String> = inside.exprs.iter().map(expr).collect();
            format!("({})", exprs.join("; "))
        }
        ExprKind::Error => "<error>".to_owned(),
    }
}
