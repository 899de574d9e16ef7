//! Network systems as text and DOT. JSON is in [`crate::write_json`].

use crate::NetworkSystem;
use std::fmt::Write as _;

/// A string as DOT wants it: quoted, with quotes and backslashes escaped.
pub fn dot_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// One line for each request, response and step, with footprints.
pub fn system_text(system: &NetworkSystem) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "initial global state: {}", system.global_name(system.initial_global()));
    let _ = writeln!(out, "global states: {}", system.globals().len());
    let _ = writeln!(out, "local states: {}", system.local_count());
    let _ = writeln!(out, "requests: {}", system.spawns().len());
    for (request, local) in system.spawns() {
        let (request, local) = (system.request_name(*request), system.local_name(*local));
        let _ = writeln!(out, "  {request} starts in {local}");
    }
    let _ = writeln!(out, "responses: {}", system.replies().len());
    for (local, response) in system.replies() {
        let (local, response) = (system.local_name(*local), system.response_name(*response));
        let _ = writeln!(out, "  {local} responds {response}");
    }
    let _ = writeln!(out, "steps: {}", system.steps().len());
    for step in system.steps() {
        let footprint = system.footprint(step.footprint);
        let list = |entries: &[(crate::VariableId, i64)]| {
            let words: Vec<String> = entries
                .iter()
                .map(|(v, x)| {
                    format!("{}={}", system.variables()[v.index()].name, system.value_name(*v, *x))
                })
                .collect();
            if words.is_empty() { "nothing".to_owned() } else { words.join(" ") }
        };
        let _ = writeln!(
            out,
            "  {} , {} -> {} , {}   reads {}, writes {}",
            system.local_name(step.from),
            system.global_name(step.before),
            system.local_name(step.to),
            system.global_name(step.after),
            list(&footprint.reads),
            list(&footprint.writes),
        );
    }
    out
}

/// The system for Graphviz: local states as boxes, steps labelled with the change of the globals.
pub fn system_dot(system: &NetworkSystem) -> String {
    let mut out =
        String::from("digraph system {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n");
    for i in 0..system.local_count() {
        let local = crate::LocalId::from_index(i);
        let _ = writeln!(out, "  l{i} [label={}];", dot_string(system.local_name(local)));
    }
    for (i, name) in system.requests().iter().enumerate() {
        let _ = writeln!(
            out,
            "  q{i} [label={}, shape=diamond, style=filled, fillcolor=palegreen];",
            dot_string(name)
        );
    }
    for (i, name) in system.responses().iter().enumerate() {
        let _ = writeln!(
            out,
            "  r{i} [label={}, shape=diamond, style=filled, fillcolor=lightpink];",
            dot_string(name)
        );
    }
    for (request, local) in system.spawns() {
        let _ = writeln!(out, "  q{} -> l{};", request.0, local.0);
    }
    for (local, response) in system.replies() {
        let _ = writeln!(out, "  l{} -> r{};", local.0, response.0);
    }
    for step in system.steps() {
        let label =
            format!("{} -> {}", system.global_name(step.before), system.global_name(step.after));
        let _ =
            writeln!(out, "  l{} -> l{} [label={}];", step.from.0, step.to.0, dot_string(&label));
    }
    out.push_str("}\n");
    out
}
