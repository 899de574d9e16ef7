//! Network systems as text. JSON is in [`crate::write_json`].

use crate::NetworkSystem;
use std::fmt::Write as _;

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
    for (local, id) in system.replies() {
        let (local, response) = (system.local_name(*local), system.response_name(*id));
        let counts = if system.counts(*id) { "" } else { ", which does not count" };
        let _ = writeln!(out, "  {local} responds {response}{counts}");
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
