//! Nets and automata as text and JSON, with the names of the network system.

use crate::{Effect, Net, Outcome, Place, PlaceId, SerialAutomaton};
use ser_model::{GlobalId, NetworkSystem};
use serde_json::{Value, json};
use std::fmt::Write as _;

fn place_name(system: &NetworkSystem, place: &Place) -> String {
    let (request, local) =
        (system.request_name(place.request), system.local_name(place.members[0]));
    // A program's local states already carry the name of their handler.
    if local.starts_with(&format!("{request}@")) {
        return local.to_owned();
    }
    format!("{request}:{local}")
}

fn outcome_json(system: &NetworkSystem, outcome: Outcome) -> Value {
    json!([system.request_name(outcome.request), system.response_name(outcome.response)])
}

/// One line for each transition: `X=0 + main@1:2 -> X=1 + main/0`.
pub fn net_text(system: &NetworkSystem, net: &Net) -> String {
    let mut out = String::new();
    let global = |g: GlobalId| system.global_name(g);
    let place = |p: PlaceId| place_name(system, &net.places[p.index()]);
    let _ = writeln!(out, "initial global state: {}", global(net.initial));
    let _ = writeln!(out, "in-flight places: {}", net.places.len());
    for p in &net.places {
        let others = p.members.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} alike)") };
        let _ = writeln!(out, "  {}{more}", place_name(system, p));
    }
    let _ = writeln!(out, "transitions: {}", net.transitions.len());
    for t in &net.transitions {
        let takes = t.takes.map_or(String::new(), |p| format!(" + {}", place(p)));
        let gives = match t.effect {
            Effect::InFlight(p) => place(p),
            Effect::Respond(outcome) => outcome.name(system),
        };
        let _ = writeln!(out, "  {}{takes} -> {} + {gives}", global(t.before), global(t.after));
    }
    out
}

/// The net as JSON.
pub fn net_json(system: &NetworkSystem, net: &Net) -> Value {
    let place = |p: PlaceId| place_name(system, &net.places[p.index()]);
    let transitions: Vec<Value> = net
        .transitions
        .iter()
        .map(|t| {
            let mut object = json!({
                "before": system.global_name(t.before),
                "after": system.global_name(t.after),
            });
            if let Some(p) = t.takes {
                object["takes"] = json!(place(p));
            }
            match t.effect {
                Effect::InFlight(p) => object["gives"] = json!(place(p)),
                Effect::Respond(outcome) => object["responds"] = outcome_json(system, outcome),
            }
            object
        })
        .collect();
    let places: Vec<Value> = net
        .places
        .iter()
        .map(|p| {
            let members: Vec<&str> = p.members.iter().map(|l| system.local_name(*l)).collect();
            json!({"name": place_name(system, p), "request": system.request_name(p.request), "local_states": members})
        })
        .collect();
    json!({"initial_global": system.global_name(net.initial), "places": places, "transitions": transitions})
}

/// One line for each edge: `X=0 --main/1--> X=1`.
pub fn automaton_text(system: &NetworkSystem, automaton: &SerialAutomaton) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "initial state: {}", system.global_name(automaton.initial));
    let _ = writeln!(out, "states: {}", automaton.states.len());
    let _ = writeln!(out, "edges: {}", automaton.edges.len());
    for e in &automaton.edges {
        let (before, after) = (system.global_name(e.before), system.global_name(e.after));
        let _ = writeln!(out, "  {before} --{}--> {after}", e.outcome.name(system));
    }
    out
}

/// The automaton as JSON; an edge is `[before, [request, response], after]`.
pub fn automaton_json(system: &NetworkSystem, automaton: &SerialAutomaton) -> Value {
    let name = |g: GlobalId| system.global_name(g);
    let states: Vec<String> = automaton.states.iter().map(|g| name(*g)).collect();
    let edges: Vec<Value> = automaton
        .edges
        .iter()
        .map(|e| json!([name(e.before), outcome_json(system, e.outcome), name(e.after)]))
        .collect();
    json!({"initial": name(automaton.initial), "states": states, "edges": edges})
}
