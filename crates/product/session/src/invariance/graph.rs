//! The proof graph: who supports whom, at which steps.
//!
//! Edges go from support to what it supports, labelled with the places where the proof has used it:
//! the name or line of the statement, and whether the mover is one of the threads of the invariant
//! (`self`) or not (`other`). What the file allows and the proof did not need is not drawn.

use super::Checked;
use super::tell::rule;
use super::words::Words;
use ser_draw::{Edge, Graph, Line, Node, Shape, Tone};
use ser_invariance_search::prove::{Condition, Premise, Status};
use ser_report::Picture;
use ser_syntax::inv::ast::InvId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// So many places are written on an edge of a picture; the text has all.
const LABELS: usize = 3;

/// Who supports whom: the places of each pair.
type Uses = BTreeMap<(InvId, Option<InvId>), Vec<String>>;

/// How a graph is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphFormat {
    Svg,
    Dot,
    Text,
}

impl GraphFormat {
    /// The format that the name of a file asks for; in a folder graphs are SVGs.
    pub fn of(path: &str, is_folder: bool) -> Result<GraphFormat, String> {
        let extension = Path::new(path).extension().and_then(|it| it.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "svg" => Ok(GraphFormat::Svg),
            _ if is_folder => Ok(GraphFormat::Svg),
            "dot" | "gv" => Ok(GraphFormat::Dot),
            "txt" | "" => Ok(GraphFormat::Text),
            other => Err(format!(
                "--graph {path}: graphs are not drawn as .{other}\n  \
                 help: name a file that ends in .svg, .dot or .txt"
            )),
        }
    }

    /// How names of such files end.
    pub fn extension(self) -> &'static str {
        match self {
            GraphFormat::Svg => "svg",
            GraphFormat::Dot => "dot",
            GraphFormat::Text => "txt",
        }
    }

    /// The graph of an answer.
    pub fn draw(self, name: &str, checked: &Checked) -> Result<String, String> {
        match self {
            GraphFormat::Text => Ok(text(name, checked)),
            GraphFormat::Dot => Ok(graph(name, checked).dot()),
            GraphFormat::Svg => graph(name, checked).svg().map_err(|error| {
                format!("--graph: {error}\n  help: name a file that ends in .dot or .txt")
            }),
        }
    }
}

/// The graph for the page; nothing if nothing supports anything.
pub fn picture(name: &str, checked: &Checked) -> Option<Picture> {
    let graph = graph(name, checked);
    (!graph.edges.is_empty()).then(|| Picture {
        title: "Who supports whom".to_owned(),
        about: graph.description.clone(),
        shown: graph.nodes.len(),
        all: graph.nodes.len(),
        noun: "invariant".to_owned(),
        graph,
    })
}

fn uses(checked: &Checked) -> Uses {
    let mut uses = Uses::new();
    for judged in &checked.invariants {
        for condition in &judged.conditions {
            note(checked, Some(judged.invariant), condition, &mut uses);
        }
    }
    for condition in &checked.safety.conditions {
        note(checked, None, condition, &mut uses);
    }
    uses
}

fn note(checked: &Checked, of: Option<InvId>, condition: &Condition, uses: &mut Uses) {
    let Status::Valid { support, .. } = &condition.status else { return };
    let words = Words::of(checked);
    let place = condition.location.map(|it| words.place(it)).map(|it| match it.name {
        Some(name) => name,
        None => format!("line {}", it.line),
    });
    let moves = match condition.premise {
        Premise::Own(_) => " self",
        Premise::Other => " other",
        _ => "",
    };
    let label = match place {
        Some(place) => format!("{place}{moves}"),
        None => "follows".to_owned(),
    };
    let supporters: BTreeSet<InvId> = support.iter().map(|(id, _)| *id).collect();
    for supporter in supporters {
        let labels = uses.entry((supporter, of)).or_default();
        if !labels.contains(&label) {
            labels.push(label.clone());
        }
    }
}

/// As lines of text.
fn text(name: &str, checked: &Checked) -> String {
    let words = Words::of(checked);
    let uses = uses(checked);
    let mut out = String::new();
    let _ = writeln!(out, "{name}: who supports whom\n");
    let mut node = |title: String, of: Option<InvId>| {
        let _ = writeln!(out, "{title}");
        for ((supporter, _), labels) in uses.iter().filter(|((_, whom), _)| *whom == of) {
            let _ = writeln!(out, "  from {}: {}", words.invariant(*supporter), labels.join(", "));
        }
    };
    for judged in &checked.invariants {
        let rule = rule(judged).unwrap_or("no proof");
        let proved = if judged.proved { "proved" } else { "not proved" };
        node(
            format!("{} ({rule}, {proved})", words.invariant(judged.invariant)),
            Some(judged.invariant),
        );
    }
    if !checked.safety.conditions.is_empty() {
        let proved = if checked.safety.proved { "proved" } else { "not proved" };
        node(format!("no step is an error ({proved})"), None);
    }
    out
}

/// As a graph to be drawn.
fn graph(name: &str, checked: &Checked) -> Graph {
    let mut graph = Graph::new("proof", format!("{name}: proof graph"));
    graph.description =
        "Invariants are boxes; an arrow goes from support to what it supports, with the steps \
                         where it is needed. What is not proved is not filled."
            .to_owned();
    let mut places: BTreeMap<Option<InvId>, usize> = BTreeMap::new();
    for judged in &checked.invariants {
        let Some(invariant) = checked.system.invariants.get(judged.invariant.0 as usize) else {
            continue;
        };
        let parameters: Vec<&str> =
            invariant.parameters.iter().map(|it| it.text.as_str()).collect();
        let label = format!("{}({})", invariant.name.text, parameters.join(", "));
        let tone = if judged.proved { Tone::Shared } else { Tone::Plain };
        let rule = rule(judged).unwrap_or("no proof");
        let hint = format!("{rule}, {} conditions", judged.conditions.len());
        let id = format!("i{}", judged.invariant.0);
        let place = graph.add(Node::new(id, label, Shape::Rounded).toned(tone).hinted(hint));
        places.insert(Some(judged.invariant), place);
    }
    if !checked.safety.conditions.is_empty() {
        let tone = if checked.safety.proved { Tone::End } else { Tone::Plain };
        let node = Node::new("safety", "no step is an error", Shape::Box).toned(tone);
        places.insert(None, graph.add(node));
    }
    for ((supporter, of), labels) in uses(checked) {
        let (Some(from), Some(to)) = (places.get(&Some(supporter)), places.get(&of)) else {
            continue;
        };
        // One below the other: pictures are wide enough.
        let mut label = labels.iter().take(LABELS).cloned().collect::<Vec<_>>().join("\n");
        if labels.len() > LABELS {
            label += &format!("\nand {} more", labels.len() - LABELS);
        }
        let proved = checked.invariants.iter().any(|it| it.invariant == supporter && it.proved);
        let line = if proved { Line::Solid } else { Line::Dashed };
        graph.edges.push(Edge::new(*from, *to).labelled(label).lined(line));
    }
    graph
}
