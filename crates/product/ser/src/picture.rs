//! Pictures of the stages: one description of each, for DOT and for SVG.

mod token_trace;

pub use token_trace::token_trace;

use crate::export::{ExportedNet, PlaceKind};
use ser_draw::{Edge, Graph, Node, Shape, Tone};
use ser_model::{GlobalId, LocalId, NetworkSystem, Step, VariableId};
use ser_net::SerialAutomaton;
use std::collections::{BTreeMap, BTreeSet};

/// A network system: local states are boxes, steps say how the global state changes.
pub fn system(name: &str, system: &NetworkSystem) -> Graph {
    let mut graph = Graph::new("system", format!("{name}: network system"));
    graph.description = format!(
        "{} requests, {} local states, {} responses and {} steps; steps are labelled with the \
         change of the global state.",
        system.requests().len(),
        system.local_count(),
        system.responses().len(),
        system.steps().len()
    );
    let node = |letter: char, at: usize, name: &str, shape| {
        Node::new(format!("{letter}{at}"), name, shape)
    };
    let mut requests = Vec::new();
    for (at, name) in system.requests().iter().enumerate() {
        requests.push(graph.add(node('q', at, name, Shape::Diamond).toned(Tone::Begin)));
    }
    let mut locals = Vec::new();
    for at in 0..system.local_count() {
        let name = system.local_name(LocalId::from_index(at));
        locals.push(graph.add(node('l', at, name, Shape::Box)));
    }
    let mut responses = Vec::new();
    for (at, name) in system.responses().iter().enumerate() {
        responses.push(graph.add(node('r', at, name, Shape::Diamond).toned(Tone::End)));
    }
    for (request, local) in system.spawns() {
        graph.edges.push(Edge::new(requests[request.index()], locals[local.index()]));
    }
    for step in system.steps() {
        let (before, after) = (system.global_name(step.before), system.global_name(step.after));
        let label = if before == after { before } else { format!("{before} → {after}") };
        let edge = Edge::new(locals[step.from.index()], locals[step.to.index()]);
        graph.edges.push(edge.labelled(label));
    }
    for (local, response) in system.replies() {
        graph.edges.push(Edge::new(locals[local.index()], responses[response.index()]));
    }
    graph
}

/// A part of a network system that is small enough to be looked at: the local states that are wanted,
/// with steps labelled by what they read and write.
pub fn part_of_system(
    name: &str,
    system: &NetworkSystem,
    wanted: &dyn Fn(LocalId) -> bool,
) -> Graph {
    let mut graph = Graph::new("system", format!("{name}: network system"));
    graph.description = "Local states are boxes; steps say what they read and write.".into();
    let mut locals: BTreeMap<LocalId, usize> = BTreeMap::new();
    for local in (0..system.local_count()).map(LocalId::from_index).filter(|l| wanted(*l)) {
        let node = Node::new(format!("l{}", local.0), system.local_name(local), Shape::Box);
        locals.insert(local, graph.add(node));
    }
    let mut edges: BTreeSet<(usize, usize, String)> = BTreeSet::new();
    let mut ends: BTreeMap<(char, usize), usize> = BTreeMap::new();
    let mut end = |graph: &mut Graph, letter: char, at: usize, name: &str, tone| {
        *ends.entry((letter, at)).or_insert_with(|| {
            graph.add(Node::new(format!("{letter}{at}"), name, Shape::Diamond).toned(tone))
        })
    };
    for (request, local) in system.spawns() {
        if let Some(to) = locals.get(local) {
            let name = system.request_name(*request);
            let from = end(&mut graph, 'q', request.index(), name, Tone::Begin);
            edges.insert((from, *to, String::new()));
        }
    }
    for (local, response) in system.replies() {
        if let Some(from) = locals.get(local) {
            let name = system.response_name(*response);
            let to = end(&mut graph, 'r', response.index(), name, Tone::End);
            edges.insert((*from, to, String::new()));
        }
    }
    for step in system.steps() {
        if let (Some(from), Some(to)) = (locals.get(&step.from), locals.get(&step.to)) {
            edges.insert((*from, *to, footprint(system, step)));
        }
    }
    graph.edges = edges.into_iter().map(|(a, b, label)| Edge::new(a, b).labelled(label)).collect();
    graph
}

/// `X=0→1 Y=2`: what a step reads and writes.
fn footprint(system: &NetworkSystem, step: &Step) -> String {
    let footprint = system.footprint(step.footprint);
    let mut words = Vec::new();
    let name = |v: VariableId| &system.variables()[v.index()].name;
    for (variable, read) in &footprint.reads {
        let written = footprint.writes.iter().find(|(v, _)| v == variable);
        let read = system.value_name(*variable, *read);
        words.push(match written {
            Some((_, new)) => {
                format!("{}={read}→{}", name(*variable), system.value_name(*variable, *new))
            }
            None => format!("{}={read}", name(*variable)),
        });
    }
    for (variable, new) in &footprint.writes {
        if !footprint.reads.iter().any(|(v, _)| v == variable) {
            words.push(format!("{}:={}", name(*variable), system.value_name(*variable, *new)));
        }
    }
    words.join(" ")
}

/// A net: global states are boxes, places circles, transitions bars.
pub fn net(name: &str, title: &str, exported: &ExportedNet) -> Graph {
    let net = &exported.net;
    let mut graph = Graph::new("net", format!("{name}: {title}"));
    graph.description = format!(
        "A Petri net with {} places and {} transitions. Boxes are global states, circles requests in \
         flight, double circles responses, bars transitions.",
        net.places.len(),
        net.transitions.len()
    );
    for (place, kind) in net.places.iter().zip(&exported.kinds) {
        let (shape, tone) = match kind {
            PlaceKind::Global => (Shape::Rounded, Tone::Shared),
            PlaceKind::InFlight => (Shape::Circle, Tone::Plain),
            PlaceKind::Sink(_) => (Shape::DoubleCircle, Tone::End),
        };
        let node = Node::new(&place.name, &place.name, shape).toned(tone).hinted(&place.label);
        graph.add(if place.initial > 0 { node.marked() } else { node });
    }
    for transition in &net.transitions {
        let bar = Node::new(&transition.name, "", Shape::Bar).hinted(&transition.label);
        let bar = graph.add(bar);
        for (place, _) in &transition.takes {
            graph.edges.push(Edge::new(place.index(), bar));
        }
        for (place, _) in &transition.gives {
            graph.edges.push(Edge::new(bar, place.index()));
        }
    }
    graph
}

/// A serial automaton: one request at a time leads from one global state to the next.
pub fn automaton(name: &str, system: &NetworkSystem, automaton: &SerialAutomaton) -> Graph {
    part_of_automaton(name, system, automaton, &|_| true, &|g| system.global_name(g))
}

/// The states of a serial automaton that are wanted, under the names that they are given, with the
/// edges between them.
pub fn part_of_automaton(
    name: &str,
    system: &NetworkSystem,
    automaton: &SerialAutomaton,
    wanted: &dyn Fn(GlobalId) -> bool,
    label: &dyn Fn(GlobalId) -> String,
) -> Graph {
    let mut graph = Graph::new("serial", format!("{name}: serial automaton"));
    graph.description = format!(
        "{} global states; {} edges, each a request that runs alone, with its response.",
        automaton.states.len(),
        automaton.edges.len()
    );
    let start = graph.add(Node::new("start", "", Shape::Point));
    let mut places = BTreeMap::new();
    for state in automaton.states.iter().filter(|s| wanted(**s)) {
        let id = format!("g{}", state.0);
        let node = Node::new(id, label(*state), Shape::Rounded).toned(Tone::Shared);
        let node = if *state == automaton.initial { node.marked() } else { node };
        places.insert(*state, graph.add(node));
    }
    if let Some(initial) = places.get(&automaton.initial) {
        graph.edges.push(Edge::new(start, *initial));
    }
    for edge in &automaton.edges {
        if let (Some(from), Some(to)) = (places.get(&edge.before), places.get(&edge.after)) {
            graph.edges.push(Edge::new(*from, *to).labelled(edge.outcome.name(system)));
        }
    }
    graph
}
