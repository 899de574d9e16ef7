//! SARIF 2.1.0: one run with a result for each file that is not shown serializable.
//!
//! A counterexample is one result. Its place is the pause that lets it happen, where a person would
//! change something. Its code flow is one thread flow over all steps, because order is what matters
//! and viewers show several flows one after the other: every step is told with the request that takes
//! it, indented by the number of the request, with the values of the globals after it.

mod flow;
pub(super) mod rules;

use ser_session::source::SourceError;
use ser_session::words;
use ser_session::{Report, Verdict, most_serious};
use ser_syntax::{Diagnostic, Span};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// All reports as one SARIF log.
pub fn log(reports: &[Report]) -> Value {
    let whole = Whole {
        about: "Decides serializability for any number of requests",
        rules: rules::all(),
        // A run that could not look at all of its input has not done its work.
        successful: !reports
            .iter()
            .any(|r| matches!(r.verdict, Verdict::Internal(_) | Verdict::Error(_))),
        code: most_serious(reports.iter().map(|r| r.verdict.exit_code())),
        notifications: reports.iter().filter_map(notification).collect(),
        artifacts: reports.iter().map(artifact).collect(),
        results: reports.iter().flat_map(results).collect(),
    };
    whole.log()
}

/// What goes into a log.
pub(super) struct Whole {
    pub about: &'static str,
    pub rules: Vec<Value>,
    pub successful: bool,
    pub code: u8,
    pub notifications: Vec<Value>,
    pub artifacts: Vec<Value>,
    pub results: Vec<Value>,
}

impl Whole {
    /// The log.
    pub fn log(mut self) -> Value {
        number_twins(&mut self.results);
        let Whole { about, rules, successful, code, notifications, artifacts, results } = self;
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "ser",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "shortDescription": { "text": about },
                    "rules": rules,
                }},
                "invocations": [{
                    "executionSuccessful": successful,
                    "exitCode": code,
                    "toolExecutionNotifications": notifications,
                }],
                "artifacts": artifacts,
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        })
    }
}

/// A file that was checked.
pub(super) fn artifact(report: &Report) -> Value {
    let mut object =
        json!({ "location": { "uri": uri(&report.name) }, "roles": ["analysisTarget"] });
    if let Some(source) = &report.source {
        let hash: String =
            Sha256::digest(source.text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
        object["length"] = json!(source.text.len());
        object["hashes"] = json!({ "sha-256": hash });
    }
    object
}

/// A defect of ser itself.
pub(super) fn notification(report: &Report) -> Option<Value> {
    let Verdict::Internal(message) = &report.verdict else { return None };
    let text = format!("{}: {message}", super::INTERNAL);
    Some(json!({ "level": "error", "message": { "text": text } }))
}

fn results(report: &Report) -> Vec<Value> {
    let warnings = report.warnings.iter();
    let mut out: Vec<Value> =
        warnings.map(|d| diagnostic(report, "warning", "warning", d)).collect();
    let unknown = |(reason, help): (String, Vec<String>), span| {
        let text = match help.is_empty() {
            true => reason,
            false => format!("{reason}. To go on: {}", help.join("; or ")),
        };
        result(report, "unknown", "note", &text, span)
    };
    match &report.verdict {
        Verdict::Serializable { .. } => {}
        Verdict::NotSerializable { refutation, steps, serial, .. } => {
            let Some(model) = &report.model else { return out };
            out.push(flow::counterexample(report, model.system(), refutation, steps, serial));
        }
        Verdict::Unknown(why) => out.push(unknown(words::unknown(why), None)),
        Verdict::TooLarge(error) => {
            let (reason, span, help) = words::too_large(&report.name, error);
            out.push(unknown((reason, help), span));
        }
        Verdict::Stopped { stop, doing } => {
            out.push(unknown(words::stopped(&report.name, stop, *doing), None))
        }
        Verdict::NotChecked => out.push(unknown(words::not_checked(), None)),
        Verdict::Unchecked(message) => {
            let text = format!("{}: {message}", super::UNCHECKED);
            out.push(unknown((text, Vec::new()), None));
        }
        Verdict::Internal(message) => {
            let text = format!("{}: {message}", super::INTERNAL);
            out.push(result(report, "unknown", "error", &text, None));
        }
        Verdict::Error(SourceError::Diagnostics(diagnostics)) => {
            out.extend(diagnostics.iter().map(|d: &Diagnostic| {
                let level = if d.is_error() { "error" } else { "warning" };
                diagnostic(report, "input", level, d)
            }));
        }
        Verdict::Error(error) => {
            out.push(result(report, "input", "error", &words::source_error(error), None));
        }
    }
    out
}

/// An error or a warning about the source, with the other places that explain it.
pub(super) fn diagnostic(report: &Report, rule: &str, level: &str, d: &Diagnostic) -> Value {
    let mut text = d.message.clone();
    for help in &d.help {
        text += &format!(". Help: {}", help.message);
    }
    let mut entry = result(report, rule, level, &text, Some(d.primary.span));
    let others: Vec<Value> =
        d.secondary.iter().map(|label| located(report, Some(label.span), &label.message)).collect();
    if !others.is_empty() {
        entry["relatedLocations"] = json!(others);
    }
    entry["properties"] = json!({ "code": d.code });
    entry
}

/// A result at a place, or about the file as a whole.
pub(super) fn result(
    report: &Report,
    rule: &str,
    level: &str,
    text: &str,
    span: Option<Span>,
) -> Value {
    // How far a search got differs from run to run.
    let stable = if rule == "unknown" { "" } else { text };
    json!({
        "ruleId": rule,
        "ruleIndex": rules::index(rule),
        "level": level,
        "message": { "text": text },
        "locations": [place(report, span)],
        "partialFingerprints": { "ser/v1": fingerprint(report, &[rule, stable, line_text(report, span)]) },
    })
}

/// The text of the line that a span begins on.
fn line_text(report: &Report, span: Option<Span>) -> &str {
    match (&report.source, span) {
        (Some(source), Some(span)) => source.lines.line_text(source.lines.line(span.start)).trim(),
        _ => "",
    }
}

/// What stays the same when lines move: words, not numbers of lines.
fn fingerprint(report: &Report, words: &[&str]) -> String {
    let mut hash = Sha256::new();
    for word in std::iter::once(report.name.as_str()).chain(words.iter().copied()) {
        hash.update((word.len() as u64).to_le_bytes());
        hash.update(word.as_bytes());
    }
    hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect()
}

/// Results that are the same in words still are different results.
fn number_twins(results: &mut [Value]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for result in results {
        let Some(print) = result["partialFingerprints"]["ser/v1"].as_str().map(str::to_owned)
        else {
            continue;
        };
        let count = seen.entry(print.clone()).or_insert(0);
        *count += 1;
        result["partialFingerprints"]["ser/v1"] = json!(format!("{print}:{count}"));
    }
}

/// A place with words.
pub(super) fn located(report: &Report, span: Option<Span>, text: &str) -> Value {
    let mut location = place(report, span);
    location["message"] = json!({ "text": text });
    location
}

/// A place in the file; without a span, the file as a whole.
fn place(report: &Report, span: Option<Span>) -> Value {
    let mut location =
        json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&report.name) } } });
    if let (Some(span), Some(source)) = (span, &report.source) {
        let (start, end) = (source.lines.position(span.start), source.lines.position(span.end));
        location["physicalLocation"]["region"] = json!({
            "startLine": start.line, "startColumn": start.column,
            "endLine": end.line, "endColumn": end.column,
        });
    }
    location
}

/// A file name as a relative reference or a `file:` address.
fn uri(name: &str) -> String {
    let name = name.replace('\\', "/");
    let mut out = String::new();
    if name.starts_with('/') {
        out.push_str("file://");
    }
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn names_become_addresses() {
        assert_eq!(uri("examples/spin_lock.ser"), "examples/spin_lock.ser");
        assert_eq!(uri("a b\\<c>.ser"), "a%20b/%3Cc%3E.ser");
        assert_eq!(uri("/a/b.ser"), "file:///a/b.ser");
    }
}
