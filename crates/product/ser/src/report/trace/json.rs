//! One JSON object for each goal.

use super::{firing, goal, stats, words};
use crate::partial_order::{self, Replayed};
use crate::report::json::{diagnostic, source_errors, step};
use crate::report::subject::Subject;
use ser_reachability_search::{Covered, Net};
use ser_session::events::{Answer, EventReport, Evidence, Reaching, Witness, Wrong};
use ser_session::words::source_error;
use ser_syntax::LineIndex;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The report as objects, one for each goal.
pub fn json(report: &EventReport) -> Vec<Value> {
    match &report.answers {
        Ok(answers) => answers.iter().map(|answer| about(report, answer)).collect(),
        Err(wrong) => vec![error(report, wrong)],
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn about(report: &EventReport, answer: &Answer) -> Value {
    let mut object = json!({
        "file": report.name,
        "goal": goal(report, answer),
        "verdict": answer.verdict.name(),
        "time_ms": milliseconds(answer.time),
    });
    let source = report.source.as_ref();
    if let Some(name) = &answer.name {
        object["name"] = json!(name);
    }
    if let (Some(span), Some(source)) = (answer.span, source) {
        object["line"] = json!(source.lines.line(span.start));
    }
    warn(&mut object, report);
    if let Some(covered) = covered(&answer.covered) {
        object["covered"] = covered;
    }
    if answer.formula != (0, 0) {
        object["formula"] = stats::json(answer);
    }
    match &answer.verdict {
        Reaching::Reachable(witness) => object["witness"] = run(report, witness),
        Reaching::Unreachable(evidence) => match evidence {
            Evidence::Proof { proof, .. } => {
                object["proof"] = json!({
                    "method": "clauses",
                    "checked": true,
                    "clauses": proof.clauses,
                    "learnt_clauses": proof.learnt,
                });
            }
            Evidence::Listed(states) => {
                object["proof"] = json!({ "method": "listing", "states": states });
            }
            Evidence::Said => {
                object["proof"] = json!({ "method": "none", "checked": false });
            }
        },
        Reaching::Unknown(reason) => {
            let (reason, help) = words::unknown(reason, source.map(|s| s.kind));
            object["reason"] = json!(reason);
            object["help"] = json!(help);
        }
    }
    object
}

fn warn(object: &mut Value, report: &EventReport) {
    let lines = report.source.as_ref().map(|s| &s.lines);
    if !report.warnings.is_empty() {
        object["warnings"] = report.warnings.iter().map(|w| diagnostic(lines, w)).collect();
    }
}

fn covered(covered: &Covered) -> Option<Value> {
    match covered {
        Covered::All => Some(json!("all")),
        Covered::Rounds(rounds) => {
            let rounds = rounds.iter().map(|(process, n)| (process.clone(), json!(n)));
            Some(json!({ "rounds": rounds.collect::<Map<String, Value>>() }))
        }
        Covered::Steps(steps) => Some(json!({ "steps": steps })),
        Covered::Nothing => None,
    }
}

fn run(report: &EventReport, witness: &Witness) -> Value {
    match witness {
        Witness::Run { model, shown, processes, responds, steps, events, trace, .. } => {
            let (source, system) = (report.source.as_ref(), model.system());
            let subject =
                Subject { source, system, shown, names: Some(processes), responds: *responds };
            let all: Vec<Value> = steps.iter().map(|s| step(subject, s)).collect();
            let mut object = json!({ "steps": all });
            if let Some(trace) = trace {
                let run = Replayed { source, trace, system, shown, steps, events };
                object["order"] = partial(&partial_order::of_run(run));
            }
            object
        }
        Witness::Firing { net, trace, execution } => {
            let events = execution.steps.iter().map(|step| {
                let binding = firing::binding(net, step).into_iter();
                let binding: Map<String, Value> =
                    binding.map(|(name, value)| (name, json!(value))).collect();
                let tokens = |kind| tokens(net, step, kind);
                json!({
                    "transition": net.transition(step.transition).name,
                    "values": binding,
                    "takes": tokens(ser_reachability_search::ArcKind::Input),
                    "tests": tokens(ser_reachability_search::ArcKind::Test),
                    "puts": tokens(ser_reachability_search::ArcKind::Output),
                })
            });
            json!({
                "events": events.collect::<Vec<_>>(),
                "tokens": firing::tokens_left(net, &trace.residual(net)),
                "order": partial(&partial_order::of_firing(net, trace, execution)),
            })
        }
    }
}

fn tokens(
    net: &Net,
    step: &ser_reachability_search::Step,
    kind: ser_reachability_search::ArcKind,
) -> Vec<Value> {
    let arcs = net.arcs_of(step.transition, kind).map(|arc| net.arc(arc));
    arcs.map(|arc| {
        let token = step.token(net, arc).unwrap_or_default();
        json!({ "place": net.place(arc.place).name, "token": token })
    })
    .collect()
}

/// Events, who reads whose tokens, and who only has to come earlier.
fn partial(order: &partial_order::Order) -> Value {
    let events = order.events.iter().map(|event| match &event.process {
        Some(process) => {
            json!({ "process": process, "lines": event.lines, "steps": event.steps })
        }
        None => json!({ "transition": event.name }),
    });
    let links = order.links.iter().map(|link| {
        let kind = if link.takes { "take" } else { "test" };
        json!({
            "from": link.from, "to": link.to,
            "place": link.place, "token": link.token, "kind": kind,
        })
    });
    json!({
        "events": events.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "before": order.before,
    })
}

fn error(report: &EventReport, wrong: &Wrong) -> Value {
    let mut object = json!({
        "file": report.name,
        "verdict": "error",
        "time_ms": milliseconds(report.time),
    });
    warn(&mut object, report);
    match wrong {
        Wrong::Source(error) => {
            let lines = report.source.as_ref().map(|s| &s.lines);
            object["reason"] = json!(source_error(error));
            object["errors"] = source_errors(error, lines);
        }
        Wrong::Argument { argument, text, diagnostics } => {
            let lines = LineIndex::new(text);
            let errors: Vec<Value> =
                diagnostics.iter().map(|d| diagnostic(Some(&lines), d)).collect();
            object["reason"] = json!(format!("{argument} has errors"));
            object["argument"] = json!(argument);
            object["errors"] = json!(errors);
        }
        Wrong::Question(message, help) => {
            object["reason"] = json!(message);
            object["help"] = json!([help]);
            object["errors"] = json!([{ "severity": "error", "message": message, "help": help }]);
        }
    }
    object
}
