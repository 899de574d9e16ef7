//! The steps of a run as data for the script: where each request stands and what changes.

use super::escape::visible;
use crate::report::sentence;
use ser_model::{NetworkSystem, VariableId};
use ser_session::Report;
use ser_session::trace::TraceStep;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// With more variables, only those that the run touches are shown.
const MAX_VARIABLES: usize = 60;

/// The run: variables, requests, and steps that say what changes.
pub fn data(report: &Report, system: &NetworkSystem, steps: &[TraceStep]) -> Value {
    let source = report.source.as_ref();
    let shown = shown_variables(system, steps);
    let places: BTreeMap<usize, usize> = shown.iter().enumerate().map(|(at, v)| (*v, at)).collect();
    let value = |variable: usize, value: i64| {
        visible(&system.value_name(VariableId::from_index(variable), value))
    };
    let initial = system.valuation(system.initial_global());
    let variables: Vec<Value> = shown
        .iter()
        .map(|v| json!({ "name": visible(&system.variables()[*v].name), "value": value(*v, initial[*v]) }))
        .collect();
    let mut requests: BTreeMap<u32, &str> = BTreeMap::new();
    let mut before = system.initial_global();
    let mut list = Vec::new();
    for step in steps {
        requests.entry(step.number).or_insert(system.request_name(step.request));
        let (old, new) = (system.valuation(before), system.valuation(step.global));
        let changes: Vec<Value> = (0..new.len())
            .filter(|v| old[*v] != new[*v])
            .filter_map(|v| Some(json!([places.get(&v)?, value(v, new[v])])))
            .collect();
        before = step.global;
        let mut entry = json!({
            "request": step.number,
            "lines": step.lines.iter().map(|l| l.line).collect::<Vec<_>>(),
            "changes": changes,
            "say": visible(&sentence::step(system, source, step)),
        });
        if let Some(response) = step.responds {
            entry["responds"] = json!(visible(system.response_name(response)));
        }
        if let Some(pause) = &step.pause {
            let line = pause.next.zip(source).map(|(span, s)| s.lines.line(span.start));
            entry["stands"] = match (line, &step.locals) {
                (Some(line), _) => json!({ "line": line }),
                (None, Some((_, after))) => json!({ "state": visible(after) }),
                (None, None) => json!({}),
            };
            entry["locals"] = pause
                .locals
                .iter()
                .map(|(name, x)| json!([visible(name), x.to_string()]))
                .collect();
        }
        list.push(entry);
    }
    let requests: Vec<Value> = requests
        .iter()
        .map(|(number, name)| json!({ "number": number, "name": visible(name) }))
        .collect();
    json!({
        "variables": variables,
        "left_out": system.variables().len() - shown.len(),
        "requests": requests,
        "steps": list,
    })
}

/// The variables to show: all, or those that the run touches.
fn shown_variables(system: &NetworkSystem, steps: &[TraceStep]) -> Vec<usize> {
    let count = system.variables().len();
    if count <= MAX_VARIABLES {
        return (0..count).collect();
    }
    let touched = |v: usize| {
        let id = VariableId::from_index(v);
        steps.iter().any(|s| s.reads.iter().chain(&s.writes).any(|(w, _)| *w == id))
    };
    (0..count).filter(|v| touched(*v)).take(MAX_VARIABLES * 5).collect()
}
