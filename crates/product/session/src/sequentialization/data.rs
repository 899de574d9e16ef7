//! Data for programs that only reports about protocols have.

use super::words::{Place, in_flight, left};
use super::{Checked, Instance, tell, words};
use ser_report::Source;
use ser_sequentialization_checker::run::{Run, Shows};
use ser_sequentialization_search::{Node, Style, actor_name, nodes};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{ProcessId, StmtId};
use ser_syntax::{Diagnostic, Line};
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// For an answer about all sizes.
pub fn answer(source: &Source, checked: &Checked) -> Object {
    let (protocol, answer) = (&checked.protocol, &checked.answer);
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("deadlock_free", json!(answer.outcome.is_some()));
    if let Some(outcome) = &answer.outcome {
        let lines = |list: &[StmtId]| -> Vec<Line> {
            let places = list.iter().filter_map(|it| Place::of(source, protocol, *it));
            places.map(|it| it.line).collect()
        };
        let names = |list: &[ProcessId]| -> Vec<&str> {
            list.iter().map(|it| protocol.process(*it).name.text.as_str()).collect()
        };
        let assertions = &checked.assertions;
        put(
            "assertions",
            json!({ "proved": lines(&assertions.proved), "unproved": lines(&assertions.unproved) }),
        );
        let simple = &answer.simplified;
        let text = tell::program(protocol, simple, &answer.unproved, false);
        put("sequentialization", json!(text));
        put("program", tree(source, protocol, &nodes(protocol, simple, Style::Readable)));
        put(
            "servers",
            json!({ "active": names(&outcome.active), "unvisited": names(&outcome.unvisited) }),
        );
    }
    if let Some((first, others)) = checked.diagnostics.split_first() {
        put("failure", failure(source, checked, first, others));
    }
    if !answer.searched.is_empty() {
        put("searched", json!(answer.searched));
    }
    object
}

/// What is in the way; `first` is what is said first about it.
fn failure(source: &Source, checked: &Checked, first: &Diagnostic, others: &[Diagnostic]) -> Value {
    let protocol = &checked.protocol;
    let line = |at: u32| source.lines.line(at);
    let kind = match &checked.answer.failure {
        Some(failure) => failure.kind.name().to_owned(),
        None => first.code.replace('-', "_"),
    };
    let told = |it: &Diagnostic| {
        let related = it
            .secondary
            .iter()
            .map(|it| json!({ "line": line(it.span.start), "message": it.message }));
        json!({
            "code": it.code,
            "line": line(it.primary.span.start),
            "message": it.message,
            "label": it.primary.message,
            "related": related.collect::<Vec<_>>(),
            "help": it.help.iter().map(|help| help.message.as_str()).collect::<Vec<_>>(),
        })
    };
    let mut object = told(first);
    object["kind"] = json!(kind);
    if !others.is_empty() {
        object["others"] = others.iter().map(told).collect();
    }
    if let Some(prefix) = checked.answer.failure.as_ref().and_then(|it| it.prefix.as_ref()) {
        object["prefix"] = json!(tell::program(protocol, &prefix.sequential, &[], false));
        let remaining = left(source, protocol, prefix);
        let remaining = remaining.iter().map(
            |it| json!({ "process": it.who, "line": it.line, "text": it.text, "more": it.more }),
        );
        object["left"] = remaining.collect();
        object["in_flight"] = json!(in_flight(source, protocol, prefix));
    }
    object
}

/// For what all runs of an instance have in common.
pub fn instance(instance: &Instance) -> Object {
    let findings = &instance.findings;
    let object = json!({
        "sizes": sizes(&instance.protocol, &instance.sizes),
        "states": instance.states,
        "complete": instance.stopped.is_none(),
        "findings": {
            "deadlock": findings.deadlock.is_some(),
            "failure": findings.failure.is_some(),
            "superfluous": findings.orphan.is_some(),
            "blocked": findings.blocked.map(|it| actor_name(&instance.protocol, it)),
        },
    });
    as_object(object)
}

/// For the run.
pub fn run(protocol: &Protocol, run: &Run) -> Object {
    let kind = match run.shows {
        Shows::Deadlock(_) => "deadlock",
        Shows::Failure(_) => "failure",
        Shows::Orphan { .. } => "superfluous_send",
    };
    as_object(json!({
        "sizes": sizes(protocol, &run.sizes),
        "shows": { "kind": kind, "text": words::shown(protocol, &run.shows) },
    }))
}

fn as_object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

fn sizes(protocol: &Protocol, sizes: &[u32]) -> Value {
    let pairs = protocol.sets.iter().zip(sizes);
    Value::Object(pairs.map(|(set, size)| (set.name.text.clone(), json!(size))).collect())
}

/// The sequential program as a tree.
fn tree(source: &Source, protocol: &Protocol, nodes: &[Node]) -> Value {
    let below = |nodes: &[Node]| tree(source, protocol, nodes);
    let line = |from: &StmtId| Place::of(source, protocol, *from).map(|it| it.line);
    let node = |node: &Node| match node {
        Node::Line { kind, text, from } => {
            json!({ "kind": kind, "text": text, "line": from.as_ref().and_then(line) })
        }
        Node::If { condition, then, otherwise, from } => json!({
            "kind": "if",
            "condition": condition,
            "line": line(from),
            "then": below(then),
            "else": below(otherwise),
        }),
        Node::Match { subject, cases, from } => {
            let cases = cases
                .iter()
                .map(|(pattern, body)| json!({ "pattern": pattern, "body": below(body) }));
            json!({
                "kind": "match",
                "subject": subject,
                "line": line(from),
                "cases": cases.collect::<Vec<_>>(),
            })
        }
        Node::For { variable, set, body } => {
            json!({ "kind": "for", "variable": variable, "set": set, "body": below(body) })
        }
    };
    nodes.iter().map(node).collect()
}
