//! The syntax tree as a plain tree of labels, for `ser show --stage ast`.

use super::{Trouble, picture, pretty, title};
use crate::cli::ShowFormat;
use ser_draw::{Direction, Edge, Graph, Node, Shape};
use ser_session::source::{Kind, Source};
use ser_syntax::ast::{
    Arm, Block, Declared, Else, Expr, ExprKind, Name, Pattern, Program, Quantifier, Type, TypeKind,
    Variable,
};
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
    let tree = program(&parse.tree);
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
    for e in &program.enumerations {
        let members = e.members.iter().map(|m| Tree::new(&*m.text, m.span, Vec::new())).collect();
        children.push(Tree::new(format!("enum {}", e.name.text), e.span, members));
    }
    for r in &program.records {
        let field = |(name, ty): &(Name, Type)| {
            Tree::new(format!("field {}", name.text), name.span, vec![values(ty)])
        };
        let fields = r.fields.iter().map(field).collect();
        children.push(Tree::new(format!("record {}", r.name.text), r.span, fields));
    }
    for a in &program.aliases {
        let label = format!("type {}", a.name.text);
        children.push(Tree::new(label, a.span, vec![values(&a.meaning)]));
    }
    children.extend(program.globals.iter().map(variable));
    for f in &program.functions {
        let mut inside: Vec<Tree> = f
            .parameters
            .iter()
            .map(|(name, ty)| {
                let inside = ty.iter().map(values).collect();
                Tree::new(format!("parameter {}", name.text), name.span, inside)
            })
            .collect();
        inside.push(block("body", &f.body));
        children.push(Tree::new(format!("fn {}", f.name.text), f.span, inside));
    }
    for r in &program.requests {
        let mut inside: Vec<Tree> = r
            .parameters
            .iter()
            .map(|p| {
                let label = format!("parameter {}", p.name.text);
                Tree::new(label, p.span, vec![values(&p.values)])
            })
            .collect();
        inside.push(block("body", &r.body));
        children.push(Tree::new(format!("request {}", r.name.text), r.span, inside));
    }
    for p in &program.processes {
        let label = format!("process {}", p.name.text);
        children.push(Tree::new(label, p.span, vec![block("body", &p.body)]));
    }
    for c in &program.claims {
        let name = c.name.as_ref().map_or(String::new(), |name| format!(" {}", name.text));
        let conditions = c.conjuncts.iter().map(|it| expr(&it.condition)).collect();
        children.push(Tree::new(format!("{}{name}", c.kind.word()), c.span, conditions));
    }
    Tree { label: "program".into(), span: None, children }
}

fn variable(v: &Variable) -> Tree {
    let mut inside = Vec::new();
    let word = match &v.declared {
        Declared::Initial => "initially",
        Declared::Var(ty) => {
            inside.extend(ty.iter().map(values));
            "var"
        }
        Declared::Lock(index) => {
            inside.extend(index.iter().map(|index| values(&index.0)));
            "lock"
        }
    };
    inside.extend(v.value.iter().map(expr));
    Tree::new(format!("{word} {}", v.name.text), v.span, inside)
}

fn values(ty: &Type) -> Tree {
    let (label, children) = match &ty.kind {
        TypeKind::Int => ("int".into(), vec![]),
        TypeKind::Bool => ("bool".into(), vec![]),
        TypeKind::Range(low, high) => ("range".to_owned(), vec![expr(low), expr(high)]),
        TypeKind::Named(name) => (name.text.clone(), vec![]),
        TypeKind::Array(index, of) => ("array".into(), vec![values(&index.0), values(of)]),
        TypeKind::Tuple(parts) => ("tuple".into(), parts.iter().map(values).collect()),
        TypeKind::Set(of) => ("set".into(), vec![values(of)]),
        TypeKind::Queue(room, of) => ("queue".into(), vec![expr(room), values(of)]),
        TypeKind::Bits(bits) => ("bits".into(), vec![expr(bits)]),
        TypeKind::Error => ("error".into(), vec![]),
    };
    Tree::new(label, ty.span, children)
}

fn arm(arm: &Arm) -> Tree {
    let pattern = |pattern: &Pattern| match pattern {
        Pattern::Value(value) => expr(value),
        Pattern::Range(low, high) => {
            Tree::new("range", low.span.to(high.span), vec![expr(low), expr(high)])
        }
        Pattern::Anything(span) => Tree::new("_", *span, Vec::new()),
    };
    let mut inside: Vec<Tree> = arm.patterns.iter().map(pattern).collect();
    inside.push(expr(&arm.body));
    Tree::new("case", arm.body.span, inside)
}

fn block(label: &str, block: &Block) -> Tree {
    Tree::new(label, block.span, block.exprs.iter().map(expr).collect())
}

fn expr(e: &Expr) -> Tree {
    let (label, children) = match &e.kind {
        ExprKind::Number(n) => (n.to_string(), vec![]),
        ExprKind::Coin => ("?".into(), vec![]),
        ExprKind::Choose(ty) => ("choose".into(), vec![values(ty)]),
        ExprKind::Bool(value) => (value.to_string(), vec![]),
        ExprKind::Index(of, index) => ("element".into(), vec![expr(of), expr(index)]),
        ExprKind::Field(of, field) => (format!(".{}", field.text), vec![expr(of)]),
        ExprKind::Call(name, arguments) => {
            let arguments = arguments.iter().map(|it| expr(&it.value)).collect();
            (format!("{}()", name.text), arguments)
        }
        ExprKind::Tuple(parts) => ("tuple".into(), parts.iter().map(expr).collect()),
        ExprKind::List(parts) => ("list".into(), parts.iter().map(expr).collect()),
        ExprKind::Store(place, value) => (":=".into(), vec![expr(place), expr(value)]),
        ExprKind::Var(item) => return variable(item),
        ExprKind::Match(value, arms) => {
            let mut children = vec![expr(value)];
            children.extend(arms.iter().map(arm));
            ("match".into(), children)
        }
        ExprKind::Quantified(quantifier, name, ty, condition) => {
            let word = if *quantifier == Quantifier::All { "all" } else { "some" };
            (format!("for {word} {}", name.text), vec![values(ty), expr(condition)])
        }
        ExprKind::For(name, ty, body) => {
            (format!("for {}", name.text), vec![values(ty), block("body", body)])
        }
        ExprKind::Loop(body) => ("loop".into(), vec![block("body", body)]),
        ExprKind::Either(blocks) => {
            ("choose".into(), blocks.iter().map(|it| block("one", it)).collect())
        }
        ExprKind::With(lock, body) => ("with".into(), vec![expr(lock), block("body", body)]),
        ExprKind::Break => ("break".into(), vec![]),
        ExprKind::Continue => ("continue".into(), vec![]),
        ExprKind::Assert(condition) => ("assert".into(), vec![expr(condition)]),
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
        ExprKind::Skip => ("skip".into(), vec![]),
        ExprKind::Atomic(b) => return block("atomic", b),
        ExprKind::Block(b) => return block("block", b),
        ExprKind::Await(condition, b) => ("await".into(), vec![expr(condition), block("then", b)]),
        ExprKind::Send(value, to) => ("send".into(), vec![expr(value), expr(to)]),
        ExprKind::Receive(name, from) => {
            (format!("recv {}", name.text), from.iter().map(|it| expr(it)).collect())
        }
        ExprKind::Acquire(cell) => ("lock".into(), vec![expr(cell)]),
        ExprKind::Release(cell) => ("unlock".into(), vec![expr(cell)]),
        ExprKind::Named(name, inside) => (format!("{}:", name.text), vec![expr(inside)]),
        ExprKind::Ghost(before, b) => ("ghost".into(), vec![expr(before), block("ghost", b)]),
        ExprKind::Where(choice, condition) => ("where".into(), vec![expr(choice), expr(condition)]),
        ExprKind::Range(low, high) => ("..".into(), vec![expr(low), expr(high)]),
        ExprKind::Elements(parts) => ("set".into(), parts.iter().map(expr).collect()),
        ExprKind::At(thread, _) => ("at".into(), vec![expr(thread)]),
        ExprKind::Relation(relation, left, right) => {
            (relation.symbol().into(), vec![expr(left), expr(right)])
        }
        ExprKind::Error => ("error".into(), vec![]),
    };
    Tree::new(label, e.span, children)
}
