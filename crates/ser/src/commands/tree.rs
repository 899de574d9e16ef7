//! The syntax tree as a plain tree of labels, for `ser show --stage ast`.

use ser_lang::ast::{Block, Else, Expr, ExprKind, Program};
use ser_lang::{LineIndex, Span};
use ser_model::dot_string;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A node: what it is, where it is, what is in it.
pub struct Node {
    label: String,
    span: Option<Span>,
    children: Vec<Node>,
}

impl Node {
    fn new(label: impl Into<String>, span: Span, children: Vec<Node>) -> Node {
        Node { label: label.into(), span: Some(span), children }
    }

    /// Indented text with line and column.
    pub fn text(&self, lines: &LineIndex) -> String {
        let mut out = String::new();
        self.write_text(lines, 0, &mut out);
        out
    }

    fn write_text(&self, lines: &LineIndex, depth: usize, out: &mut String) {
        let place = self.span.map_or(String::new(), |span| {
            let at = lines.position(span.start);
            format!("  @{}:{}", at.line, at.column)
        });
        let _ = writeln!(out, "{}{}{place}", "  ".repeat(depth), self.label);
        for child in &self.children {
            child.write_text(lines, depth + 1, out);
        }
    }

    /// As nested objects.
    pub fn json(&self, lines: &LineIndex) -> Value {
        let mut object = json!({ "node": self.label });
        if let Some(span) = self.span {
            let (start, end) = (lines.position(span.start), lines.position(span.end));
            object["start"] = json!([start.line, start.column]);
            object["end"] = json!([end.line, end.column]);
        }
        if !self.children.is_empty() {
            object["children"] = self.children.iter().map(|c| c.json(lines)).collect();
        }
        object
    }

    /// For Graphviz.
    pub fn dot(&self) -> String {
        let mut out = String::from("digraph ast {\n  node [shape=box, fontsize=10];\n");
        let mut next = 0;
        self.write_dot(&mut next, &mut out);
        out.push_str("}\n");
        out
    }

    fn write_dot(&self, next: &mut usize, out: &mut String) -> usize {
        let id = *next;
        *next += 1;
        let _ = writeln!(out, "  n{id} [label={}];", dot_string(&self.label));
        for child in &self.children {
            let to = child.write_dot(next, out);
            let _ = writeln!(out, "  n{id} -> n{to};");
        }
        id
    }
}

/// The whole program.
pub fn program(program: &Program) -> Node {
    let mut children = Vec::new();
    for c in &program.constants {
        children.push(Node::new(format!("const {}", c.name.text), c.span, vec![expr(&c.value)]));
    }
    for v in &program.initial_values {
        children.push(Node::new(
            format!("initially {}", v.name.text),
            v.span,
            vec![expr(&v.value)],
        ));
    }
    for r in &program.requests {
        let mut inside: Vec<Node> = r
            .parameters
            .iter()
            .map(|p| {
                let label = format!("parameter {}", p.name.text);
                Node::new(label, p.span, vec![expr(&p.low), expr(&p.high)])
            })
            .collect();
        inside.push(block("body", &r.body));
        children.push(Node::new(format!("request {}", r.name.text), r.span, inside));
    }
    Node { label: "program".into(), span: None, children }
}

fn block(label: &str, block: &Block) -> Node {
    Node::new(label, block.span, block.exprs.iter().map(expr).collect())
}

fn expr(e: &Expr) -> Node {
    let (label, children) = match &e.kind {
        ExprKind::Number(n) => (n.to_string(), vec![]),
        ExprKind::Coin => ("?".into(), vec![]),
        ExprKind::Choose(low, high) => ("choose".into(), vec![expr(low), expr(high)]),
        ExprKind::Read(name) => (name.text.clone(), vec![]),
        ExprKind::Assign(name, value) => (format!("{} :=", name.text), vec![expr(value)]),
        ExprKind::Unary(op, operand) => (op.symbol().into(), vec![expr(operand)]),
        ExprKind::Binary(op, left, right) => (op.symbol().into(), vec![expr(left), expr(right)]),
        ExprKind::If(condition, then, otherwise) => {
            let mut children = vec![expr(condition), block("then", then)];
            match otherwise {
                Some(Else::Block(b)) => children.push(block("else", b)),
                Some(Else::If(e)) => children.push(expr(e)),
                None => {}
            }
            ("if".into(), children)
        }
        ExprKind::While(condition, body) => {
            ("while".into(), vec![expr(condition), block("body", body)])
        }
        ExprKind::Yield => ("yield".into(), vec![]),
        ExprKind::Return(value) => ("return".into(), value.iter().map(|v| expr(v)).collect()),
        ExprKind::Assume(condition) => ("assume".into(), vec![expr(condition)]),
        ExprKind::Group(b) => return block("group", b),
        ExprKind::Error => ("error".into(), vec![]),
    };
    Node::new(label, e.span, children)
}
