//! SARIF 2.1.0: one run with a result for each file that is not shown serializable.

use ser_check::source::SourceError;
use ser_check::words;
use ser_check::{Report, Verdict};
use ser_lang::{Diagnostic, Span};
use serde_json::{Value, json};

/// All reports as one SARIF log.
pub fn log(reports: &[Report]) -> Value {
    let results: Vec<Value> = reports.iter().flat_map(results).collect();
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "ser",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [
                    rule("not-serializable", "Responses that no serial order of the requests gives"),
                    rule("unknown", "Neither a proof of serializability nor a counterexample"),
                    rule("input", "The source cannot be understood"),
                    rule("warning", "The source has a meaning, but perhaps not the intended one"),
                ],
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn results(report: &Report) -> Vec<Value> {
    let mut out: Vec<Value> = report
        .warnings
        .iter()
        .map(|w| result(report, "warning", "warning", &w.message, Some(w.primary.span)))
        .collect();
    match &report.verdict {
        Verdict::Serializable { .. } => {}
        Verdict::NotSerializable { refutation, steps, .. } => {
            let Some(model) = &report.model else { return out };
            let system = model.system();
            let words = words::responses(system, &refutation.outcome).join("; ");
            let text = format!("not serializable: no serial order gives these responses: {words}");
            let line = steps.first().and_then(|s| s.lines.first()).map(|l| l.line);
            let mut entry = result(report, "not-serializable", "error", &text, None);
            if let Some(line) = line {
                entry["locations"] = json!([at_line(report, line)]);
            }
            let flow: Vec<Value> = steps
                .iter()
                .enumerate()
                .map(|(i, step)| {
                    let who = format!("#{} {}", step.number, system.request_name(step.request));
                    let mut message = format!("step {}, request {who}", i + 1);
                    if let Some(response) = step.responds {
                        message += &format!(", responds {}", system.response_name(response));
                    }
                    message += &format!("; after it {}", system.global_name(step.global));
                    let mut location = match step.lines.first() {
                        Some(line) => at_line(report, line.line),
                        None => whole_file(report),
                    };
                    location["message"] = json!({ "text": message });
                    json!({ "location": location, "executionOrder": i + 1 })
                })
                .collect();
            entry["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
            out.push(entry);
        }
        Verdict::Unknown(unknown) => {
            out.push(result(report, "unknown", "note", &words::unknown(unknown).0, None));
        }
        Verdict::TooLarge(error) => {
            let (reason, span, _) = words::too_large(error);
            out.push(result(report, "unknown", "note", &reason, span));
        }
        Verdict::Stopped { stop, doing } => {
            let text = words::stopped(stop, *doing).0;
            out.push(result(report, "unknown", "note", &text, None));
        }
        Verdict::NotChecked => {
            out.push(result(report, "unknown", "note", &words::not_checked().0, None));
        }
        Verdict::Unchecked(message) => {
            let text = format!("{}: {message}", super::UNCHECKED);
            out.push(result(report, "unknown", "note", &text, None));
        }
        Verdict::Internal(message) => {
            let text = format!("{}: {message}", super::INTERNAL);
            out.push(result(report, "unknown", "error", &text, None));
        }
        Verdict::Error(SourceError::Program(diagnostics)) => {
            out.extend(diagnostics.iter().map(|d: &Diagnostic| {
                let level = if d.is_error() { "error" } else { "warning" };
                result(report, "input", level, &d.message, Some(d.primary.span))
            }));
        }
        Verdict::Error(error) => {
            out.push(result(report, "input", "error", &words::source_error(error), None));
        }
    }
    out
}

fn result(report: &Report, rule: &str, level: &str, text: &str, span: Option<Span>) -> Value {
    let mut location = whole_file(report);
    if let (Some(span), Some(source)) = (span, &report.source) {
        let (start, end) = (source.lines.position(span.start), source.lines.position(span.end));
        location["physicalLocation"]["region"] = json!({
            "startLine": start.line, "startColumn": start.column,
            "endLine": end.line, "endColumn": end.column,
        });
    }
    json!({ "ruleId": rule, "level": level, "message": { "text": text }, "locations": [location] })
}

fn whole_file(report: &Report) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": report.name.replace('\\', "/") } } })
}

fn at_line(report: &Report, line: u32) -> Value {
    let mut location = whole_file(report);
    location["physicalLocation"]["region"] = json!({ "startLine": line });
    location
}
