//! The syntax tree as a plain tree of labels, for `ser show --stage ast`.

use super::{Trouble, picture, pretty, title};
use crate::cli::ShowFormat;
use ser_draw::{Direction, Edge, Graph, Node, Shape};
use ser_session::source::{Kind, Source};
use ser_syntax::ast::{Block, Else, Expr, ExprKind, Program};
use ser_syntax::{LineIndex, Span};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A node: what it is, where it is, what is in it.
struct Tree {
    label: String,
    span: Option<Span>,
    children: Vec<Tree>,
}

impl Tree {
    fn new(label: impl Into<String>, span: Span, children: Vec<Tree>) -> Tree {
        Tree { label: label.into(), span: Some(span), children }
    }

    /// Indented text with line and column.
    fn text(&self, lines: &LineIndex) -> String {
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
    fn json(&self, lines: &LineIndex) -> Value {
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

    /// As a picture.
    fn graph(&self, title: String, lines: &LineIndex) -> Graph {
        let mut graph = Graph::new("ast", title);
        graph.direction = Direction::Down;
        self.draw(&mut graph, lines);
        graph.description = format!("A tree of {} nodes.", graph.nodes.len());
        graph
    }

    fn draw(&self, graph: &mut Graph, lines: &LineIndex) -> usize {
        let id = format!("n{}", graph.nodes.len());
        let mut node = Node::new(id, &self.label, Shape::Box);
        if let Some(span) = self.span {
            node = node.hinted(format!("line {}", lines.position(span.start).line));
        }
        let this = graph.add(node);
        for child in &self.children {
            let to = child.draw(graph, lines);
            graph.edges.push(Edge::new(this, to));
        }
        this
    }
}

/// The syntax tree of a source.
pub fn show(source: &Source, format: ShowFormat) -> Result<String, Trouble> {
    if source.kind == Kind::System {
        let message = "a network system has no syntax tree".to_owned();
        return Err(Trouble::Nothing(message, vec!["use --stage ns".to_owned()]));
    }
    let parse = ser_session::source::program(source).map_err(Trouble::Source)?;
    let tree = program(&parse.program);
    match format {
        ShowFormat::Json => Ok(pretty(tree.json(&source.lines))),
        ShowFormat::Dot | ShowFormat::Svg => {
            let title = format!("{}: syntax tree", title(source));
            picture(&tree.graph(title, &source.lines), format)
        }
        _ => Ok(tree.text(&source.lines)),
    }
}

/// The whole program.
fn program(program: &Program) -> Tree {
    let mut children = Vec::new();
    for c in &program.constants {
        children.push(Tree::new(format!("const {}", c.name.text), c.span, vec![expr(&c.value)]));
    }
    for v in &program.initial_values {
        children.push(Tree::new(
            format!("initially {}", v.name.text),
            v.span,
            vec![expr(&v.value)],
        ));
    }
    for r in &program.requests {
        let mut inside: Vec<Tree> = r
            .parameters
            .iter()
            .map(|p| {
                let label = format!("parameter {}", p.name.text);
                Tree::new(label, p.span, vec![expr(&p.low), expr(&p.high)])
            })
            .collect();
        inside.push(block("body", &r.body));
        children.push(Tree::new(format!("request {}", r.name.text), r.span, inside));
    }
    Tree { label: "program".into(), span: None, children }
}

fn block(label: &str, block: &Block) -> Tree {
    Tree::new(label, block.span, block.exprs.iter().map(expr).collect())
}

fn expr(e: &Expr) -> Tree {
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
        ExprKind::Abort => ("abort".into(), vec![]),
        ExprKind::Return(value) => ("return".into(), value.iter().map(|v| expr(v)).collect()),
        ExprKind::Assume(condition) => ("assume".into(), vec![expr(condition)]),
        ExprKind::Group(b) => return block("group", b),
        ExprKind::Error => ("error".into(), vec![]),
    };
    Tree::new(label, e.span, children)
}
