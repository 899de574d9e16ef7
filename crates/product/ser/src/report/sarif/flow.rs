//! A counterexample as a result with a code flow.

use super::{fingerprint, located, place, result};
use ser_model::{NetworkSystem, VariableId};
use ser_serializability_search::{Refutation, SerialRuns};
use ser_session::trace::TraceStep;
use ser_session::{Report, words};
use ser_syntax::Span;
use serde_json::{Map, Value, json};

/// At most so many globals are listed with a step.
const MAX_STATE: usize = 40;

/// The result.
pub fn counterexample(
    report: &Report,
    system: &NetworkSystem,
    refutation: &Refutation,
    steps: &[TraceStep],
    serial: &SerialRuns,
) -> Value {
    let responses = words::responses(system, &refutation.outcome).join("; ");
    let mut text = format!("not serializable: no serial order gives these responses: {responses}");
    let causes = report.causes.as_ref();
    for pause in causes.iter().flat_map(|c| &c.pauses) {
        if let Some(verdict) = words::causes::verdict(pause) {
            text += &format!(". Line {}: {verdict}", pause.line);
        }
    }
    if let SerialRuns::Closest(runs) = serial
        && let Some(run) = runs.first()
    {
        text +=
            &format!(". One after the other, the closest is: {}", words::serial_run(system, run));
    }
    let blamed = causes.and_then(|c| c.to_blame()).map(|p| p.span);
    let first = steps.iter().flat_map(|s| s.lines.first()).map(|l| l.span).next();
    let span = blamed.or(first);
    let mut entry = result(report, "not-serializable", "error", &text, span);
    // Other responses are another finding; other lines are not.
    let print = fingerprint(report, &["not-serializable", &responses]);
    entry["partialFingerprints"] = json!({ "ser/v1": print });
    let related = related(report, system);
    if !related.is_empty() {
        entry["relatedLocations"] = json!(related);
    }
    let locations: Vec<Value> =
        steps.iter().enumerate().map(|(i, step)| location(report, system, i, step)).collect();
    let message = format!(
        "{} in {}: one line for each step, indented by request",
        words::count(refutation.requests, "request"),
        words::count(steps.len(), "step")
    );
    entry["codeFlows"] = json!([{
        "message": { "text": message },
        "threadFlows": [{
            "initialState": state(system, system.valuation(system.initial_global())),
            "locations": locations,
        }],
    }]);
    entry
}

/// The accesses that leave no order, and what others do during the pauses.
fn related(report: &Report, system: &NetworkSystem) -> Vec<Value> {
    let Some(causes) = &report.causes else { return Vec::new() };
    let mut out = Vec::new();
    let mut add = |span: Option<Span>, text: String| {
        if span.is_some() {
            let mut location = located(report, span, &text);
            location["id"] = json!(out.len() + 1);
            out.push(location);
        }
    };
    for order in &causes.orders {
        let text = words::causes::order(system, order);
        add(order.earlier.span, text.clone());
        add(order.later.span, text);
    }
    for pause in &causes.pauses {
        add(
            Some(pause.span),
            format!("a pause that lets it happen: {}", words::causes::pause(pause)),
        );
    }
    out
}

/// One step.
fn location(report: &Report, system: &NetworkSystem, at: usize, step: &TraceStep) -> Value {
    let span = step.lines.iter().map(|l| l.span).reduce(Span::to);
    let text =
        format!("step {}: {}", at + 1, words::steps::step(system, report.source.as_ref(), step));
    let mut location = place(report, span);
    location["message"] = json!({ "text": text });
    location["logicalLocations"] =
        json!([{ "name": system.request_name(step.request), "kind": "function" }]);
    let important = step.responds.is_some() || !step.changed_meanwhile.is_empty();
    json!({
        "location": location,
        "executionOrder": at + 1,
        "nestingLevel": step.number.saturating_sub(1),
        "importance": if important { "essential" } else { "important" },
        "state": state(system, system.valuation(step.global)),
    })
}

/// The values of the globals.
fn state(system: &NetworkSystem, values: &[i64]) -> Value {
    let entries = values.iter().enumerate().take(MAX_STATE).map(|(i, value)| {
        let text = system.value_name(VariableId::from_index(i), *value);
        (system.variables()[i].name.clone(), json!({ "text": text }))
    });
    Value::Object(entries.collect::<Map<String, Value>>())
}
