//! A graph for Graphviz.

use crate::{Direction, GROUPS, Graph, Line, Node, Shape, Tone};
use std::fmt::Write as _;

/// A string for DOT: quoted, with quotes and backslashes escaped.
pub fn dot_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

impl Graph {
    /// The graph in the language of Graphviz.
    pub fn dot(&self) -> String {
        let direction = match self.direction {
            Direction::Right => "LR",
            Direction::Down => "TB",
        };
        let mut out = format!("digraph {} {{\n  rankdir={direction};\n", self.name);
        let _ = writeln!(out, "  label={}; labelloc=t;", dot_string(&self.title));
        out.push_str("  node [fontsize=10]; edge [fontsize=9];\n");
        for node in &self.nodes {
            let _ = writeln!(out, "  {} [{}];", identifier(&node.id), attributes(node));
        }
        for edge in &self.edges {
            let (Some(from), Some(to)) = (self.nodes.get(edge.from), self.nodes.get(edge.to))
            else {
                continue;
            };
            let (from, to) = (identifier(&from.id), identifier(&to.id));
            let mut attributes = Vec::new();
            if !edge.label.is_empty() {
                attributes.push(format!("label={}", dot_string(&edge.label)));
            }
            match edge.line {
                Line::Solid => {}
                Line::Dashed => attributes.push("style=dashed".to_owned()),
                Line::Dotted => attributes.push("style=dotted".to_owned()),
            }
            let _ = match attributes.is_empty() {
                true => writeln!(out, "  {from} -> {to};"),
                false => writeln!(out, "  {from} -> {to} [{}];", attributes.join(", ")),
            };
        }
        out.push_str("}\n");
        out
    }
}

/// An identifier, in quotes if it is a word of the language.
fn identifier(id: &str) -> String {
    let words = ["node", "edge", "graph", "digraph", "subgraph", "strict"];
    let is_word = words.iter().any(|word| id.eq_ignore_ascii_case(word));
    if is_word { dot_string(id) } else { id.to_owned() }
}

/// The colours of groups.
const COLOURS: [&str; GROUPS as usize] =
    ["aliceblue", "lightyellow", "lavender", "honeydew", "mistyrose", "azure2"];

fn attributes(node: &Node) -> String {
    let (shape, round) = match node.shape {
        Shape::Box => ("box", false),
        Shape::Rounded => ("box", true),
        Shape::Circle => ("circle", false),
        Shape::DoubleCircle => ("doublecircle", false),
        Shape::Bar => {
            let hint = if node.hint.is_empty() { &node.label } else { &node.hint };
            let hint = dot_string(hint);
            return format!("shape=box, label=\"\", width=0.1, height=0.3, tooltip={hint}");
        }
        Shape::Diamond => ("diamond", false),
        Shape::Point => return "shape=point".to_owned(),
    };
    let mut out = format!("shape={shape}, label={}", dot_string(&node.label));
    if !node.hint.is_empty() {
        let _ = write!(out, ", tooltip={}", dot_string(&node.hint));
    }
    let colour = match node.tone {
        _ if node.is_marked => Some("lightblue"),
        Tone::Plain => None,
        Tone::Shared => Some("aliceblue"),
        Tone::Begin => Some("palegreen"),
        Tone::End => Some("lightpink"),
        Tone::Group(group) => COLOURS.get(usize::from(group % GROUPS)).copied(),
    };
    match (round, colour) {
        (false, None) => {}
        (true, None) => out.push_str(", style=rounded"),
        (false, Some(c)) => _ = write!(out, ", style=filled, fillcolor={c}"),
        (true, Some(c)) => _ = write!(out, ", style=\"rounded,filled\", fillcolor={c}"),
    }
    out
}
