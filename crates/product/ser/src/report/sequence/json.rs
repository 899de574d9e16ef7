//! One JSON object for each protocol.

use super::words::{accepted, left, place, shown, under_way};
use super::{program, run};
use crate::report::json::{diagnostic, source_errors};
use ser_sequentialization_checker::run::{Run, Shows};
use ser_sequentialization_checker::Witness;
use ser_sequentialization_search::actor_name;
use ser_sequentialization_search::{Node, Style, nodes, small_instances};
use ser_session::sequence::{Checked, Instance, SequenceReport, Sequenced};
use ser_session::words::source_error;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::StmtId;
use serde_json::{Map, Value, json};

/// The report about one file.
pub fn json(report: &SequenceReport) -> Value {
    let milliseconds = (report.time.as_secs_f64() * 1e6).round() / 1e3;
    let mut object = json!({
        "file": report.name,
        "verdict": report.verdict(),
        "time_ms": milliseconds,
    });
    let lines = report.source.as_ref().map(|it| &it.lines);
    if !report.warnings.is_empty() {
        object["warnings"] = report.warnings.iter().map(|it| diagnostic(lines, it)).collect();
    }
    match &report.result {
        Sequenced::Answer(checked) => answer(&mut object, report, checked),
        Sequenced::Instance(it) => instance(&mut object, report, it),
        Sequenced::Stopped(stop) => object["reason"] = json!(stop.to_string()),
        Sequenced::Internal(message) => {
            object["reason"] = json!(format!("{}: {message}", crate::report::INTERNAL));
        }
        Sequenced::Error(error) => {
            object["reason"] = json!(source_error(error));
            object["errors"] = source_errors(error, lines);
        }
    }
    object
}

fn answer(object: &mut Value, report: &SequenceReport, checked: &Checked) {
    let (protocol, answer) = (&checked.protocol, &checked.answer);
    object["deadlock_free"] = json!(answer.outcome.is_some());
    let lines = |list: &[StmtId]| -> Vec<usize> {
        list.iter().filter_map(|it| place(report, protocol, *it)).map(|(line, _)| line).collect()
    };
    if let Some(outcome) = &answer.outcome {
        object["assertions"] = json!({
            "proved": lines(&checked.assertions.proved),
            "unproved": lines(&checked.assertions.unproved),
        });
        let text = program(protocol, &outcome.sequential, &answer.unproved, false);
        object["sequentialization"] = json!(text);
        let simple = &answer.simplified;
        object["program"] = tree(report, protocol, &nodes(protocol, simple, Style::Readable));
        let names = |list: &[ser_syntax::icet::ast::ProcessId]| -> Vec<&str> {
            list.iter().map(|it| protocol.process(*it).name.text.as_str()).collect()
        };
        object["servers"] = json!({
            "active": names(&outcome.active),
            "unvisited": names(&outcome.unvisited),
        });
    }
    if let Some(first) = checked.diagnostics.first() {
        object["failure"] = failure(report, checked, first);
    }
    if let (Some(run), Some(witness)) = (&answer.run, &answer.witness) {
        object["run"] = whole_run(report, protocol, run, witness);
    }
    if let Some(small) = small_instances(protocol, answer) {
        object["reason"] = json!(small);
        object["searched"] = json!(answer.searched);
    }
    if let Some(words) = accepted(checked) {
        object["checked"] = json!(words);
    }
}

/// What is in the way; `first` is what is told first about it.
fn failure(report: &SequenceReport, checked: &Checked, first: &ser_syntax::Diagnostic) -> Value {
    let (protocol, lines) = (&checked.protocol, report.source.as_ref().map(|it| &it.lines));
    let line = |at: u32| lines.map_or(0, |it| it.line(at) as usize);
    let kind = match &checked.answer.failure {
        Some(failure) => failure.kind.name().to_owned(),
        None => first.code.replace('-', "_"),
    };
    let related = first
        .secondary
        .iter()
        .map(|it| json!({ "line": line(it.span.start), "message": it.message }));
    let help: Vec<&str> = first.help.iter().map(|it| it.message.as_str()).collect();
    let mut object = json!({
        "kind": kind,
        "code": first.code,
        "line": line(first.primary.span.start),
        "message": first.message,
        "label": first.primary.message,
        "related": related.collect::<Vec<_>>(),
        "help": help,
    });
    if checked.diagnostics.len() > 1 {
        let others = checked.diagnostics.iter().skip(1).map(|it| diagnostic(lines, it));
        object["others"] = others.collect();
    }
    if let Some(prefix) = checked.answer.failure.as_ref().and_then(|it| it.prefix.as_ref()) {
        object["prefix"] = json!(program(protocol, &prefix.sequential, &[], false));
        let remaining = left(report, protocol, prefix);
        let remaining = remaining.iter().map(
            |it| json!({ "process": it.who, "line": it.line, "text": it.text, "more": it.more }),
        );
        object["left"] = remaining.collect();
        object["under_way"] = json!(under_way(report, protocol, prefix));
    }
    object
}

fn instance(object: &mut Value, report: &SequenceReport, instance: &Instance) {
    let findings = &instance.findings;
    object["sizes"] = sizes(&instance.protocol, &instance.sizes);
    object["states"] = json!(instance.states);
    object["complete"] = json!(instance.stopped.is_none());
    if let Some(stop) = &instance.stopped {
        object["reason"] = json!(stop.to_string());
    }
    object["findings"] = json!({
        "deadlock": findings.deadlock.is_some(),
        "failure": findings.failure.is_some(),
        "superfluous": findings.orphan.is_some(),
        "blocked": findings.blocked.map(|it| actor_name(&instance.protocol, it)),
    });
    if let (Some(run), Some(witness)) = (&instance.run, &instance.witness) {
        object["run"] = whole_run(report, &instance.protocol, run, witness);
    }
}

fn sizes(protocol: &Protocol, sizes: &[u32]) -> Value {
    let pairs = protocol.sets.iter().zip(sizes);
    Value::Object(
        pairs.map(|(set, size)| (set.name.text.clone(), json!(size))).collect::<Map<_, _>>(),
    )
}

fn whole_run(report: &SequenceReport, protocol: &Protocol, run: &Run, witness: &Witness) -> Value {
    let rows = run::rows(report, protocol, witness);
    let steps = rows.iter().map(
        |row| json!({ "who": actor_name(protocol, row.who), "line": row.line, "text": row.words }),
    );
    let ends = witness.ends.iter().map(
        |it| json!({ "who": actor_name(protocol, it.who), "text": run::end(report, protocol, it) }),
    );
    let kind = match run.shows {
        Shows::Deadlock(_) => "deadlock",
        Shows::Failure(_) => "failure",
        Shows::Orphan { .. } => "superfluous_send",
    };
    json!({
        "sizes": sizes(protocol, &run.sizes),
        "steps": steps.collect::<Vec<_>>(),
        "shows": { "kind": kind, "text": shown(protocol, &run.shows) },
        "ends": ends.collect::<Vec<_>>(),
    })
}

/// The sequential program as a tree.
fn tree(report: &SequenceReport, protocol: &Protocol, nodes: &[Node]) -> Value {
    let below = |nodes: &[Node]| tree(report, protocol, nodes);
    let line = |from: &StmtId| place(report, protocol, *from).map(|(line, _)| line);
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
