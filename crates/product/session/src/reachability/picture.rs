//! A picture of a token trace: events as boxes, tokens as arrows.
//!
//! Arrows go from the event that puts a token to the one that takes it; they are dashed where it
//! only reads. A dotted arrow has no token: the first event reads one that the second takes
//! away. Everything else may happen in any order, or at the same time.

use super::order::{Link, Order, OrderEvent, Role};
use ser_draw::{Direction, Edge, Graph, Line, Node, Shape, Tone};
use std::collections::{BTreeMap, BTreeSet};

/// So many lines of code are written on an event.
const MAX_CODE: usize = 4;

/// The picture of an order; `title` is the goal, for people.
pub fn token_trace(title: &str, order: &Order) -> Graph {
    let mut graph = Graph::new("token_trace", title);
    graph.direction = Direction::Down;
    graph.description = format!(
        "A token trace with {} events and {} tokens that are read. Arrows go from the event that puts a \
         token to the one that takes it, dashed if it only looks; dotted arrows only say what comes first.",
        order.events.len(),
        order.links.len()
    );
    let processes: BTreeSet<&String> =
        order.events.iter().filter_map(|e| e.process.as_ref()).collect();
    let processes: BTreeMap<&String, u8> =
        processes.into_iter().zip((0..=u8::MAX).cycle()).collect();
    for (index, event) in order.events.iter().enumerate() {
        let tone = match (&event.process, event.role) {
            (Some(process), _) => Tone::Group(processes.get(process).copied().unwrap_or(0)),
            (None, Role::Start) => Tone::Begin,
            (None, Role::Goal) => Tone::End,
            (None, Role::Step) => Tone::Shared,
        };
        let shape = if event.role == Role::Step { Shape::Box } else { Shape::Rounded };
        graph.add(Node::new(format!("e{index}"), label(event), shape).toned(tone));
    }
    let mut edges: Vec<Edge> = Vec::new();
    for link in order.links.iter().filter(|link| is_drawn(order, link)) {
        let line = if link.takes { Line::Solid } else { Line::Dashed };
        let edge = Edge::new(link.from, link.to).labelled(link.label.clone()).lined(line);
        edges.push(edge);
    }
    let dotted = order.before.iter().map(|(a, b)| Edge::new(*a, *b).lined(Line::Dotted));
    edges.extend(dotted);
    graph.edges = edges;
    graph
}

/// Where a process starts says nothing, and a queue is shown once.
fn is_drawn(order: &Order, link: &Link) -> bool {
    if link.is_detail {
        return false;
    }
    let starts = order.events.get(link.from).is_some_and(|event| event.role == Role::Start);
    let is_only = !order.links.iter().any(|l| l.to == link.to && !l.label.is_empty());
    !starts || !link.label.is_empty() || is_only
}

fn label(event: &OrderEvent) -> String {
    let Some(process) = &event.process else {
        return match event.role {
            Role::Start if event.name == "init" => "start".to_owned(),
            _ => event.name.clone(),
        };
    };
    let place = match (event.lines.first(), event.lines.last()) {
        (Some(first), Some(last)) if first == last => format!(" · line {first}"),
        (Some(first), Some(last)) => format!(" · lines {first}–{last}"),
        _ => String::new(),
    };
    let mut lines = vec![format!("{process}{place}")];
    lines.extend(
        event
            .code
            .iter()
            .take(MAX_CODE)
            .map(|code| code.trim_end_matches([';', '{', ' ']).to_owned()),
    );
    if event.code.len() > MAX_CODE {
        lines.push("...".to_owned());
    }
    lines.join("\n")
}
