//! Pictures of the stages: one description of each, for DOT and for SVG.

use crate::export::{ExportedNet, PlaceKind};
use ser_draw::{Edge, Graph, Node, Shape, Tone};
use ser_model::{LocalId, NetworkSystem};
use ser_net::SerialAutomaton;

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
    ser_session::serializability::part_of_automaton(name, system, automaton, &|_| true, &|g| {
        system.global_name(g)
    })
}
