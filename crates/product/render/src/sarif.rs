//! Reports as a SARIF 2.1.0 log: one run with a result for each finding.
//!
//! A finding stands where a person would change something. If a run shows it, its code flow is one
//! thread flow over all steps, because order is what matters and viewers show several flows one
//! after the other: every step says who takes it, indented by lane, with the shared values
//! after it.

mod flow;
mod rules;

use crate::address;
use crate::text::WITHHELD;
use rules::{description, index, level_name};
use ser_report::{Answer, Finding, Level, Report, Rule, SourceError, Unknown, most_serious};
use ser_syntax::{Diagnostic, Span};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// All reports as one SARIF log.
pub fn log(reports: &[Report]) -> Value {
    let mut results: Vec<Value> = reports.iter().flat_map(results).collect();
    number_twins(&mut results);
    let mut files = BTreeSet::new();
    let sources = reports.iter().filter(|report| files.insert(&report.file));
    let artifacts: Vec<Value> = sources.map(artifact).collect();
    let notifications: Vec<Value> = reports.iter().filter_map(notification).collect();
    // A run that could not read all of its input has not done its work.
    let has_failed =
        |report: &Report| matches!(report.answer, Answer::Withheld(_) | Answer::Error(_));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "ser",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "shortDescription": { "text": ABOUT },
                "rules": rules::all(),
            }},
            "invocations": [{
                "executionSuccessful": !reports.iter().any(has_failed),
                "exitCode": most_serious(reports.iter().map(Report::exit_code)),
                "toolExecutionNotifications": notifications,
            }],
            "artifacts": artifacts,
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

const ABOUT: &str = "Decides serializability, reachability and invariants of concurrent programs, \
    and has every answer checked independently";

/// A file that was checked.
fn artifact(report: &Report) -> Value {
    let location = json!({ "uri": address::reference(&report.file) });
    let mut object = json!({ "location": location, "roles": ["analysisTarget"] });
    if let Some(source) = &report.source {
        object["length"] = json!(source.own_text().len());
        let digest = Sha256::digest(source.own_text().as_bytes());
        object["hashes"] = json!({ "sha-256": hex(&digest) });
    }
    object
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A defect of ser itself.
fn notification(report: &Report) -> Option<Value> {
    let Answer::Withheld(message) = &report.answer else { return None };
    Some(json!({ "level": "error", "message": { "text": withheld(message) } }))
}

fn withheld(message: &str) -> String {
    format!("{WITHHELD}: {message}")
}

fn results(report: &Report) -> Vec<Value> {
    let warnings = report.warnings.iter().map(|it| diagnostic(report, Rule::Warning, it));
    let mut out: Vec<Value> = warnings.collect();
    out.extend(report.findings.iter().map(|it| finding(report, it)));
    let has = |rule: Rule| report.findings.iter().any(|finding| finding.rule == rule);
    match &report.answer {
        Answer::Holds(_) => {}
        Answer::Violated(_) | Answer::NotInductive if !report.findings.is_empty() => {}
        Answer::Violated(_) | Answer::NotInductive => {
            let words = report.answer.words(report.question.method);
            let text = [words, &report.meaning].join(": ");
            let text = text.trim_end_matches(": ");
            let rule = Rule::of(&report.answer, report.question.method);
            out.push(result(report, rule, None, text, report.question.span));
        }
        Answer::Unknown(_) if has(Rule::Unknown) => {}
        Answer::Unknown(why) => {
            out.push(result(report, Rule::Unknown, None, &unknown(why), why.span));
        }
        Answer::Withheld(message) => {
            let text = withheld(message);
            out.push(result(report, Rule::Unknown, Some(Level::Error), &text, None));
        }
        Answer::Error(error) => source_error(&mut out, report, error),
    }
    out
}

fn unknown(why: &Unknown) -> String {
    match why.help.is_empty() {
        true => why.reason.clone(),
        false => format!("{}. To go on: {}", why.reason, why.help.join("; or ")),
    }
}

fn source_error(out: &mut Vec<Value>, report: &Report, error: &SourceError) {
    match error {
        SourceError::Diagnostics(diagnostics) => {
            out.extend(diagnostics.iter().map(|it| diagnostic(report, Rule::Input, it)));
        }
        // What is on the command line has no place in a file.
        SourceError::Argument { argument, diagnostics, .. } => {
            out.extend(diagnostics.iter().map(|it| {
                let text = format!("{argument}: {}", with_help(it));
                result(report, Rule::Input, Some(severity(it)), &text, None)
            }));
        }
        SourceError::Unreadable { help, .. } | SourceError::At { help, .. } => {
            let help = help.as_ref().map_or(String::new(), |help| format!(". Help: {help}"));
            let text = error.sentence() + &help;
            out.push(result(report, Rule::Input, None, &text, None));
        }
    }
}

fn finding(report: &Report, finding: &Finding) -> Value {
    let Finding { rule, level, message, span, related, run, identity } = finding;
    let mut entry = result(report, *rule, Some(*level), message, *span);
    if !identity.is_empty() {
        let words = [rule.id()].into_iter().chain(identity.iter().map(String::as_str));
        entry["partialFingerprints"] = json!({ "ser/v1": fingerprint(report, words) });
    }
    let related: Vec<Value> =
        related.iter().map(|it| located(report, Some(it.span), &it.message)).collect();
    add_related(&mut entry, related);
    let runs = match &report.answer {
        Answer::Violated(violation) => violation.runs.as_slice(),
        _ => &[],
    };
    if let Some(run) = run.and_then(|number| runs.get(number)) {
        entry["codeFlows"] = json!([flow::code_flow(report, run)]);
    }
    entry
}

/// An error or a warning about the source, with the other places that explain it.
fn diagnostic(report: &Report, rule: Rule, it: &Diagnostic) -> Value {
    let span = Some(it.primary.span);
    let mut entry = result(report, rule, Some(severity(it)), &with_help(it), span);
    let others = it.secondary.iter().map(|it| located(report, Some(it.span), &it.message));
    add_related(&mut entry, others.collect());
    entry["properties"] = json!({ "code": it.code });
    entry
}

fn severity(it: &Diagnostic) -> Level {
    if it.is_error() { Level::Error } else { Level::Warning }
}

fn with_help(it: &Diagnostic) -> String {
    let helps = it.help.iter().map(|help| format!(". Help: {}", help.message));
    std::iter::once(it.message.clone()).chain(helps).collect()
}

fn add_related(entry: &mut Value, mut places: Vec<Value>) {
    for (number, place) in places.iter_mut().enumerate() {
        place["id"] = json!(number + 1);
    }
    if !places.is_empty() {
        entry["relatedLocations"] = json!(places);
    }
}

/// A result at a place, or about the file as a whole, at the level that its rule usually has or at
/// another one.
fn result(
    report: &Report,
    rule: Rule,
    level: Option<Level>,
    text: &str,
    span: Option<Span>,
) -> Value {
    let known = description(rule);
    // How far a search got differs from run to run.
    let stable = if rule == Rule::Unknown { "" } else { text };
    json!({
        "ruleId": rule.id(),
        "ruleIndex": index(rule),
        "level": level_name(level.unwrap_or(known.level)),
        "message": { "text": text },
        "locations": [place(report, span)],
        "partialFingerprints": {
            "ser/v1": fingerprint(report, [rule.id(), stable, line_text(report, span)]),
        },
    })
}

/// The text of the line that a span begins on.
fn line_text(report: &Report, span: Option<Span>) -> &str {
    match (&report.source, span) {
        (Some(source), Some(span)) => source.lines.row_text(source.lines.row(span.start)).trim(),
        _ => "",
    }
}

/// What stays the same when lines move: words, not numbers of lines.
fn fingerprint<'a>(report: &'a Report, words: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for word in [report.file.as_str()].into_iter().chain(words) {
        hash.update((word.len() as u64).to_le_bytes());
        hash.update(word.as_bytes());
    }
    hex(hash.finalize().get(..16).unwrap_or_default())
}

/// Results that are the same in words still are different results.
fn number_twins(results: &mut [Value]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for result in results {
        let print = &mut result["partialFingerprints"]["ser/v1"];
        let Some(words) = print.as_str().map(str::to_owned) else { continue };
        let count = seen.entry(words.clone()).or_insert(0);
        *count += 1;
        *print = json!(format!("{words}:{count}"));
    }
}

/// A place with words.
fn located(report: &Report, span: Option<Span>, text: &str) -> Value {
    let mut location = place(report, span);
    location["message"] = json!({ "text": text });
    location
}

/// A place in the file; without a span, the file as a whole.
fn place(report: &Report, span: Option<Span>) -> Value {
    let at = |file: &str| {
        let file = json!({ "uri": address::reference(file) });
        json!({ "physicalLocation": { "artifactLocation": file } })
    };
    let mut location = at(&report.file);
    if let (Some(span), Some(source)) = (span, &report.source) {
        location = at(&source.file_of(&source.lines.line(span.start)));
        let (start, end) = (source.lines.position(span.start), source.lines.position(span.end));
        location["physicalLocation"]["region"] = json!({
            "startLine": start.line.number, "startColumn": start.column,
            "endLine": end.line.number, "endColumn": end.column,
        });
    }
    location
}
