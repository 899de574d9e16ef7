//! A report as one JSON object.
//!
//! The keys that every report may have are made here, and described by `docs/report.schema.json`:
//! a test validates what is printed against it. What only one method has to say
//! ([`Report::data`]) stands beside them.

use ser_report::run::{End, Run, Step, Value as Shown};
use ser_report::{Answer, Method, Report, SourceError};
use ser_syntax::{Diagnostic, LineIndex};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The version of the schema. It grows with every change that could break a reader.
pub const SCHEMA_VERSION: u32 = 2;

/// The report as one object.
pub fn report(report: &Report, statistics: bool) -> Value {
    let lines = report.source.as_ref().map(|source| &source.lines);
    let mut object = json!({
        "schema": SCHEMA_VERSION,
        "file": report.file,
        "question": report.question.method.name(),
        "verdict": report.verdict(),
        "time_ms": milliseconds(report.timing.total),
    });
    if let Some(name) = &report.question.name {
        object["name"] = json!(name);
    }
    if let Some(text) = &report.question.text {
        object["goal"] = json!(text);
    }
    if let (Some(span), Some(lines)) = (report.question.span, lines) {
        object["line"] = json!(lines.line(span.start));
    }
    if !report.warnings.is_empty() {
        object["warnings"] = report.warnings.iter().map(|d| diagnostic(lines, d)).collect();
    }
    match &report.answer {
        Answer::Holds(proof) => {
            object["proof"] = json!({ "method": proof.method, "checked": proof.checked });
            if !proof.why.is_empty() {
                object["proof"]["why"] = json!(proof.why);
            }
            if !proof.points.is_empty() {
                object["proof"]["points"] = json!(proof.points);
            }
        }
        Answer::Violated(violation) => {
            let mut runs = violation.runs.iter().map(run);
            let mut first = runs.next().unwrap_or_else(|| json!({ "steps": [] }));
            first["checked"] = json!(violation.checked);
            if let Value::Object(first) = &mut first {
                first.extend(report.run_data.clone());
            }
            object[key(report.question.method)] = first;
            let others: Vec<Value> = runs.collect();
            if !others.is_empty() {
                object["other_counterexamples"] = json!(others);
            }
        }
        Answer::NotInductive => {}
        Answer::Unknown(unknown) => {
            object["reason"] = json!(unknown.reason);
            object["help"] = json!(unknown.help);
            object["tried"] = json!(unknown.tried);
            if let (Some(span), Some(lines)) = (unknown.span, lines) {
                object["line"] = json!(lines.line(span.start));
            }
        }
        Answer::Withheld(message) => {
            object["reason"] = json!(format!("{}: {message}", crate::text::WITHHELD));
        }
        Answer::Error(error) => {
            object["reason"] = json!(error.sentence());
            object["errors"] = errors(error, lines);
        }
    }
    if let Value::Object(object) = &mut object {
        merge(object, &report.data);
    }
    if statistics {
        object["statistics"] = self::statistics(report);
    }
    object
}

/// How a run is called: a goal that can be reached has a witness, everything else a counterexample.
fn key(method: Method) -> &'static str {
    match method {
        Method::Reachability => "witness",
        _ => "counterexample",
    }
}

/// Adds what a method has to say; objects that are there already get more entries, and so do those
/// of lists.
fn merge(object: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, value) in more {
        match (object.get_mut(name), value) {
            (Some(Value::Object(there)), Value::Object(more)) => there.extend(more.clone()),
            (Some(Value::Array(there)), Value::Array(more)) => {
                for pair in there.iter_mut().zip(more) {
                    if let (Value::Object(there), Value::Object(more)) = pair {
                        there.extend(more.clone());
                    }
                }
            }
            _ => {
                object.insert(name.clone(), value.clone());
            }
        }
    }
}

fn run(run: &Run) -> Value {
    let mut object = json!({
        "steps": run.steps.iter().map(|it| step(run, it)).collect::<Vec<_>>(),
    });
    if !run.start.is_empty() {
        object["start"] = values(run, &run.start);
    }
    if !run.ends.is_empty() {
        object["ends"] = json!(run.ends);
    }
    object
}

fn values(run: &Run, list: &[Shown]) -> Value {
    let entries = run.columns.iter().zip(list).map(|(name, it)| (name.clone(), value(it)));
    Value::Object(entries.collect())
}

fn step(run: &Run, step: &Step) -> Value {
    let named = |list: &[(String, Shown)]| {
        Value::Object(list.iter().map(|(name, it)| (name.clone(), value(it))).collect())
    };
    let label = run.lanes.get(step.lane).map_or("", |lane| &lane.label);
    let mut object = json!({
        "request": step.lane + 1,
        "name": label,
        "arrives": step.arrives,
        "lines": step.lines.iter().map(|it| &it.line).collect::<Vec<_>>(),
        "reads": named(&step.reads),
        "writes": named(&step.writes),
        "globals": values(run, &step.after),
    });
    if !step.says.is_empty() {
        object["says"] = json!(step.says);
    }
    if let Some((before, after)) = &step.local {
        object["local_before"] = json!(before);
        object["local_after"] = json!(after);
    }
    if let Some(stands) = &step.stands {
        object["locals"] = named(&stands.locals);
    }
    match &step.end {
        Some(End::Responds(response)) => object["responds"] = json!(response),
        Some(End::Aborts(response)) => {
            object["responds"] = json!(response);
            object["counts"] = json!(false);
        }
        Some(End::Ends) => object["ends"] = json!(true),
        Some(End::Fails(why)) => object["fails"] = json!(why),
        None => {}
    }
    if !step.meanwhile.is_empty() {
        let changed = step.meanwhile.iter();
        let changed =
            changed.map(|(name, then, now)| (name.clone(), json!([value(then), value(now)])));
        object["changed_meanwhile"] = Value::Object(changed.collect());
    }
    object
}

fn value(shown: &Shown) -> Value {
    match shown {
        Shown::Number(number) => json!(number),
        Shown::Name(name) => json!(name),
        Shown::List(values) => values.iter().map(value).collect(),
    }
}

/// A message about a text, of which the lines are given.
pub fn diagnostic(lines: Option<&LineIndex>, d: &Diagnostic) -> Value {
    let severity = if d.is_error() { "error" } else { "warning" };
    let mut object = json!({ "severity": severity, "code": d.code, "message": d.message });
    if let Some(lines) = lines {
        let at = lines.position(d.primary.span.start);
        object["line"] = json!(at.line);
        object["column"] = json!(at.column);
    }
    let help: Vec<&str> = d.help.iter().map(|help| help.message.as_str()).collect();
    with_help(object, (!help.is_empty()).then(|| help.join("; ")).as_deref())
}

fn errors(error: &SourceError, lines: Option<&LineIndex>) -> Value {
    match error {
        SourceError::Diagnostics(list) => list.iter().map(|d| diagnostic(lines, d)).collect(),
        SourceError::Argument { argument, text, diagnostics } => {
            let lines = LineIndex::new(text);
            let about = |d: &Diagnostic| {
                let mut object = diagnostic(Some(&lines), d);
                object["argument"] = json!(argument);
                object
            };
            diagnostics.iter().map(about).collect()
        }
        SourceError::At { path, message, help } => {
            let object = json!({ "severity": "error", "path": path, "message": message });
            json!([with_help(object, help.as_deref())])
        }
        SourceError::Unreadable { message, help } => {
            let object = json!({ "severity": "error", "message": message });
            json!([with_help(object, help.as_deref())])
        }
    }
}

fn with_help(mut object: Value, help: Option<&str>) -> Value {
    if let Some(help) = help {
        object["help"] = json!(help);
    }
    object
}

fn statistics(report: &Report) -> Value {
    let stages = report.timing.stages.iter();
    let stages = stages.map(|(name, time)| ((*name).to_owned(), json!(milliseconds(*time))));
    let mut object = json!({
        "stages_ms": stages.collect::<Map<String, Value>>(),
        "total_ms": milliseconds(report.timing.total),
    });
    if let Value::Object(object) = &mut object {
        object.extend(report.statistics_data.clone());
    }
    object
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
