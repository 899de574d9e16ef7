//! Smaller inputs with the same fault.
//!
//! Greedy: of all ways to leave something out, the first one that keeps the fault is taken, until
//! none does. Programs lose handlers, statements and parts of expressions; systems lose entries.

use crate::parts::{Part, parts, replaced};
use ser_syntax::ast::{Block, Else, Expr, ExprKind};
use serde_json::Value;
use std::ops::Range;

/// The smallest program that can be found with the same fault.
///
/// ```
/// use ser_fuzz::shrink::shrink_program;
/// let text = "request r { a := X; yield; if (a == 1) { X := 2 }; a } request s { X := 1 }";
/// let small = shrink_program(text, &mut |text| text.contains("yield"));
/// assert_eq!(small.trim(), "request r { yield }");
/// ```
pub fn shrink_program(text: &str, has_fault: &mut dyn FnMut(&str) -> bool) -> String {
    let mut text = text.to_owned();
    while let Some(smaller) = smaller_programs(&text).into_iter().find(|t| has_fault(t)) {
        text = smaller;
    }
    text
}

/// The smallest network system, in JSON, that can be found with the same fault.
pub fn shrink_system(text: &str, has_fault: &mut dyn FnMut(&str) -> bool) -> String {
    let mut text = text.to_owned();
    while let Some(smaller) = smaller_systems(&text).into_iter().find(|t| has_fault(t)) {
        text = smaller;
    }
    text
}

fn smaller_systems(text: &str) -> Vec<String> {
    let Ok(json) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let mut all = Vec::new();
    for key in ["requests", "transitions", "responses"] {
        let entries = json[key].as_array().map_or(0, Vec::len);
        for at in 0..entries {
            let mut smaller = json.clone();
            if let Some(list) = smaller[key].as_array_mut() {
                list.remove(at);
            }
            all.push(smaller.to_string());
        }
    }
    all
}

/// Programs without errors that are a little shorter, larger cuts first.
fn smaller_programs(text: &str) -> Vec<String> {
    let program = ser_syntax::parse(text).tree;
    let mut cuts = Cuts { text, all: Vec::new() };
    for request in &program.requests {
        cuts.all.push((range(request.span.start, request.span.end), String::new()));
    }
    for item in &program.globals {
        cuts.all.push((range(item.span.start, item.span.end), String::new()));
    }
    for item in &program.constants {
        cuts.all.push((range(item.span.start, item.span.end), String::new()));
    }
    for function in &program.functions {
        cuts.all.push((range(function.span.start, function.span.end), String::new()));
    }
    let types = program.enumerations.iter().map(|item| item.span);
    let types = types.chain(program.records.iter().map(|item| item.span));
    for span in types.chain(program.aliases.iter().map(|item| item.span)) {
        cuts.all.push((range(span.start, span.end), String::new()));
    }
    let functions = program.functions.iter().map(|function| &function.body);
    for body in program.requests.iter().map(|request| &request.body).chain(functions) {
        cuts.block(body);
    }
    let all = cuts.all.into_iter().map(|(range, by)| replaced(text, &range, &by));
    let shorter = all.filter(|t| t.len() < text.len());
    shorter.filter(|t| !ser_syntax::parse(t).has_errors()).collect()
}

fn range(start: u32, end: u32) -> Range<usize> {
    start as usize..end as usize
}

struct Cuts<'a> {
    text: &'a str,
    /// What is replaced, and by what.
    all: Vec<(Range<usize>, String)>,
}

impl Cuts<'_> {
    fn block(&mut self, block: &Block) {
        for (at, expr) in block.exprs.iter().enumerate() {
            // Together with the `;` after it, or before it if it is the last one.
            let cut = match (at.checked_sub(1), block.exprs.get(at + 1)) {
                (_, Some(next)) => range(expr.span.start, next.span.start),
                (Some(before), None) => range(block.exprs[before].span.end, expr.span.end),
                (None, None) => range(expr.span.start, expr.span.end),
            };
            self.all.push((cut, String::new()));
        }
        block.exprs.iter().for_each(|e| self.expression(e));
    }

    fn expression(&mut self, expr: &Expr) {
        let whole = range(expr.span.start, expr.span.end);
        let mut inside = Vec::new();
        expr.for_each_child(&mut |e| inside.push(e));
        for child in &inside {
            let text = &self.text[range(child.span.start, child.span.end)];
            self.all.push((whole.clone(), text.to_owned()));
        }
        self.all.push((whole, "0".into()));
        if let ExprKind::If(_, then, Some(otherwise)) = &expr.kind {
            let end = match otherwise {
                Else::Block(block) => block.span.end,
                Else::If(expr) => expr.span.end,
            };
            self.all.push((range(then.span.end, end), String::new()));
        }
        for part in parts(expr) {
            match part {
                Part::Expression(expr) => self.expression(expr),
                Part::Sequence(block) => self.block(block),
            }
        }
    }
}
