//! One JSON object for each file, on a line of its own.

use super::subject::Subject;
use ser_model::{GlobalId, NetworkSystem, VariableId};
use ser_net::Outcome;
use ser_serializability_search::SerialRuns;
use ser_session::cause::{Order, OrderedAccess, PauseBlame};
use ser_session::shown::{Shown, Value as Shows, is_hidden};
use ser_session::source::SourceError;
use ser_session::trace::TraceStep;
use ser_session::words;
use ser_session::{Causes, Report, Verdict};
use ser_syntax::{Diagnostic, LineIndex};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The report as one JSON object.
pub fn report(report: &Report) -> Value {
    let mut object = json!({
        "file": report.name,
        "verdict": report.verdict.name(),
        "time_ms": (report.time.as_secs_f64() * 1e6).round() / 1e3,
    });
    let lines = report.source.as_ref().map(|s| &s.lines);
    if !report.warnings.is_empty() {
        object["warnings"] = report.warnings.iter().map(|w| diagnostic(lines, w)).collect();
    }
    if let Some(model) = &report.model {
        let system = model.system();
        object["size"] = json!({
            "global_states": system.globals().len(),
            "local_states": system.local_count(),
            "steps": system.steps().len(),
            "places": report.sizes.before.0,
            "transitions": report.sizes.before.1,
            "places_reduced": report.sizes.after.0,
            "transitions_reduced": report.sizes.after.1,
            "places_moved": report.sizes.moved.0,
            "transitions_moved": report.sizes.moved.1,
        });
    }
    match &report.verdict {
        Verdict::Serializable { explanation, accepted, .. } => {
            object["proof"] = json!({
                "method": explanation.method,
                "explanation": explanation.headline,
                "points": explanation.points,
                "checked": accepted.to_string(),
            });
        }
        Verdict::NotSerializable { refutation, steps, serial, accepted, .. } => {
            // A verdict without a model does not exist.
            let Some(model) = &report.model else { return object };
            let system = model.system();
            let outcome = counted(system, &refutation.outcome);
            let runs: Vec<Value> = match serial {
                SerialRuns::Closest(runs) => runs
                    .iter()
                    .map(|run| run.iter().map(|o| letter(system, *o)).collect())
                    .collect(),
                SerialRuns::Impossible | SerialRuns::TooMany => Vec::new(),
            };
            let shown = &Shown::new(system, &BTreeMap::new());
            let source = report.source.as_ref();
            let subject = Subject { source, system, shown, names: None, responds: true };
            object["counterexample"] = json!({
                "requests": refutation.requests,
                "fewest_requests": refutation.fewest,
                "outcome": outcome,
                "steps": steps.iter().map(|s| step(subject, s)).collect::<Vec<_>>(),
                "closest_serial_runs": runs,
                "states_searched": refutation.states,
                "checked": accepted.to_string(),
            });
            if let Some(causes) = &report.causes {
                object["counterexample"]["why"] = why(report, system, causes);
            }
        }
        Verdict::Unknown(unknown) => {
            let (reason, help) = words::unknown(unknown);
            object["reason"] = json!(reason);
            object["help"] = json!(help);
            if let Some(searched) = &unknown.searched {
                object["searched"] = json!({
                    "states": searched.states,
                    "bytes": searched.bytes,
                    "requests_by_in_flight": searched.layers,
                });
            }
            object["tried"] = json!(words::tried(unknown));
        }
        Verdict::TooLarge(error) => {
            let (reason, span, help) = words::too_large(&report.name, error);
            let line = span.and_then(|s| words::line_of(report, s));
            object["reason"] = match line {
                Some(line) => json!(format!("{reason} (line {line})")),
                None => json!(reason),
            };
            object["help"] = json!(help);
            let known: Vec<String> = report.in_parts.iter().flat_map(words::in_parts).collect();
            if !known.is_empty() {
                object["tried"] = json!(known);
            }
            if let Some(line) = line {
                object["line"] = json!(line);
            }
        }
        Verdict::Stopped { stop, doing } => {
            let (reason, help) = words::stopped(&report.name, stop, *doing);
            object["reason"] = json!(reason);
            object["help"] = json!(help);
        }
        Verdict::NotChecked => {
            let (reason, help) = words::not_checked();
            object["reason"] = json!(reason);
            object["help"] = json!(help);
        }
        Verdict::Unchecked(message) => {
            object["reason"] = json!(format!("{}: {message}", super::UNCHECKED));
            object["help"] = json!(["raise --timeout, --memory or --max-states"]);
        }
        Verdict::Internal(message) => {
            object["reason"] = json!(format!("{}: {message}", super::INTERNAL));
        }
        Verdict::Error(error) => {
            object["reason"] = json!(words::source_error(error));
            object["errors"] = source_errors(error, lines);
        }
    }
    object
}

/// Why it breaks.
fn why(report: &Report, system: &NetworkSystem, causes: &Causes) -> Value {
    let access = |a: &OrderedAccess| {
        let kind = if a.writes { "write" } else { "read" };
        json!({ "step": a.step + 1, "line": a.line, "access": kind })
    };
    let order = |o: &Order| {
        json!({
            "first": o.first,
            "second": o.second,
            "variable": system.variables()[o.variable.index()].name,
            "earlier": access(&o.earlier),
            "later": access(&o.later),
            "text": words::causes::order(system, o),
        })
    };
    let pause = |p: &PauseBlame| {
        let column = report.source.as_ref().map(|s| s.lines.position(p.span.start).column);
        let races: Vec<Value> = p
            .races
            .iter()
            .map(|r| json!({ "line": r.line, "handler": r.handler, "variables": r.variables }))
            .collect();
        json!({
            "line": p.line,
            "column": column,
            "handler": p.handler,
            "removal_repairs": p.removal_repairs,
            "enough_alone": p.enough_alone,
            "races": races,
            "text": words::causes::pause(p),
        })
    };
    json!({
        "contradiction": counted(system, &causes.contradiction),
        "orders": causes.orders.iter().map(order).collect::<Vec<_>>(),
        "pauses": causes.pauses.iter().map(pause).collect::<Vec<_>>(),
    })
}

fn counted(system: &NetworkSystem, outcome: &[(Outcome, u32)]) -> Value {
    let entry = |(o, n): &(Outcome, u32)| {
        let mut entry = letter(system, *o);
        entry["count"] = json!(n);
        entry
    };
    outcome.iter().map(entry).collect()
}

fn letter(system: &NetworkSystem, outcome: Outcome) -> Value {
    json!({
        "request": system.request_name(outcome.request),
        "response": system.response_name(outcome.response),
    })
}

fn value(value: &Shows) -> Value {
    match value {
        Shows::Number(number) => json!(number),
        Shows::Name(name) => json!(name),
        Shows::List(values) => values.iter().map(self::value).collect(),
    }
}

/// Values of variables as they are shown; queues as they are in `all`.
fn values(subject: Subject<'_>, list: &[(VariableId, i64)], all: GlobalId) -> Value {
    let all = subject.system.valuation(all);
    let shown = list.iter().filter_map(|(v, x)| subject.shown.value_of(*v, *x, all));
    let entries = shown.map(|(name, x)| (name.to_owned(), value(&x)));
    Value::Object(entries.collect::<Map<String, Value>>())
}

/// A step of a run.
pub(super) fn step(subject: Subject<'_>, step: &TraceStep) -> Value {
    let Subject { system, shown, names, .. } = subject;
    let after = system.valuation(step.global);
    let globals = shown.columns.iter().map(|c| (c.name.clone(), value(&c.value(after))));
    let globals = Value::Object(globals.collect::<Map<String, Value>>());
    let name = match names {
        Some(_) => subject.who(step),
        None => system.request_name(step.request).to_owned(),
    };
    let mut object = json!({
        "request": step.number,
        "name": name,
        "arrives": step.arrives,
        "lines": step.lines.iter().map(|l| l.line).collect::<Vec<_>>(),
        "reads": values(subject, &step.reads, step.before),
        "writes": values(subject, &step.writes, step.global),
        "globals": globals,
    });
    if let Some((before, after)) = step.locals.as_ref().filter(|_| subject.responds) {
        object["local_before"] = json!(before);
        object["local_after"] = json!(after);
    }
    if let Some(pause) = &step.pause {
        let locals = pause.locals.iter().filter(|(name, _)| !is_hidden(name));
        let locals = locals.map(|(name, value)| (name.clone(), json!(value)));
        object["locals"] = Value::Object(locals.collect());
    }
    if let Some(response) = step.responds.filter(|_| subject.responds) {
        object["responds"] = json!(system.response_name(response));
    }
    let changed = shown.changed_meanwhile(system, step).into_iter();
    let changed: Map<String, Value> =
        changed.map(|(n, then, now)| (n.to_owned(), json!([value(&then), value(&now)]))).collect();
    if !changed.is_empty() {
        object["changed_meanwhile"] = Value::Object(changed);
    }
    object
}

/// A message about a text, of which the lines are given.
pub(super) fn diagnostic(lines: Option<&LineIndex>, d: &Diagnostic) -> Value {
    let severity = if d.is_error() { "error" } else { "warning" };
    let mut object = json!({ "severity": severity, "code": d.code, "message": d.message });
    if let Some(lines) = lines {
        let at = lines.position(d.primary.span.start);
        object["line"] = json!(at.line);
        object["column"] = json!(at.column);
    }
    if let Some(help) = d.help.first() {
        object["help"] = json!(help.message);
    }
    object
}

/// What is wrong with a source.
pub(super) fn source_errors(error: &SourceError, lines: Option<&LineIndex>) -> Value {
    match error {
        SourceError::Diagnostics(diagnostics) => {
            diagnostics.iter().map(|d| diagnostic(lines, d)).collect()
        }
        SourceError::Argument { diagnostics, .. } => {
            diagnostics.iter().map(|d| diagnostic(None, d)).collect()
        }
        SourceError::At { path, message, help } => json!([{
            "severity": "error", "path": path, "message": message, "help": help,
        }]),
        SourceError::Unreadable { message, help } => {
            json!([{ "severity": "error", "message": message, "help": help }])
        }
    }
}
