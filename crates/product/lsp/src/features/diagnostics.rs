//! Errors, warnings and answers, on their places.

use crate::document::Document;
use crate::settings::Settings;
use crate::verdict::{sentence, steps};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, NumberOrString,
    PublishDiagnosticsParams,
};
use ser_report::{Answer, Finding, Level, Report, Rule, SourceError};
use ser_syntax::{ONLY_DEFINITIONS, Severity, Span};

/// More findings of one answer are not shown: whoever repairs one of them asks again.
const MOST: usize = 10;

/// All that is known about the text as it is now.
pub fn publish(document: &Document, settings: &Settings) -> PublishDiagnosticsParams {
    let mut diagnostics: Vec<Diagnostic> =
        messages(document).iter().map(|d| message(document, settings, d)).collect();
    diagnostics.extend(verdict(document, settings));
    PublishDiagnosticsParams {
        uri: document.uri.clone(),
        diagnostics,
        version: Some(document.version),
    }
}

/// What is wrong or odd about the text; with what only the model can see, once that is there.
pub fn messages(document: &Document) -> &[ser_syntax::Diagnostic] {
    let first = document.reports.as_ref().and_then(|reports| reports.first());
    match first.map(|report| (&report.answer, &report.warnings)) {
        Some((Answer::Error(SourceError::Diagnostics(errors)), _)) => errors,
        None | Some((Answer::Error(_) | Answer::Withheld(_), _)) => &document.parse.diagnostics,
        Some((_, warnings)) => warnings,
    }
}

/// The answers as diagnostics, unless all is well.
pub fn verdict(document: &Document, settings: &Settings) -> Vec<Diagnostic> {
    let reports = document.reports.iter().flatten();
    let remarks = reports.flat_map(|report| remarks(document, report));
    remarks.map(|remark| diagnostic(document, settings, remark)).collect()
}

/// Something to say at a place, with other places that explain it.
struct Remark {
    /// The place; nothing if it is about the whole.
    span: Option<Span>,
    severity: DiagnosticSeverity,
    code: &'static str,
    message: String,
    related: Vec<(Span, String)>,
}

/// What a report has to say.
fn remarks(document: &Document, report: &Report) -> Vec<Remark> {
    let remark = |rule: Rule, severity, message: String, span: Option<Span>| Remark {
        span: span.or(report.question.span),
        severity,
        code: rule.id(),
        message,
        related: Vec::new(),
    };
    let unknown = |span: Option<Span>, help: &[String]| {
        // Ways out are options of the command line, except those that name no option.
        let help = help.iter().filter(|it| !it.contains("--")).map(|it| format!("\nhelp: {it}"));
        let message = std::iter::once(sentence(report)).chain(help).collect();
        remark(Rule::Unknown, DiagnosticSeverity::INFORMATION, message, span)
    };
    let findings = &report.findings;
    let mut out: Vec<Remark> = findings.iter().take(MOST).map(|it| found(report, it)).collect();
    match &report.answer {
        Answer::Holds(_) => {}
        Answer::Violated(_) | Answer::NotInductive if !findings.is_empty() => {}
        Answer::Violated(_) | Answer::NotInductive => {
            let rule = Rule::of(&report.answer, report.question.method);
            out.push(remark(rule, DiagnosticSeverity::WARNING, sentence(report), None));
        }
        Answer::Unknown(_) if findings.iter().any(|it| it.rule == Rule::Unknown) => {}
        Answer::Unknown(why) => out.push(unknown(why.span, &why.help)),
        Answer::Withheld(_) => {
            let help = "this is a defect of ser; please report it with this file".to_owned();
            out.push(unknown(None, &[help]));
        }
        // A text's own errors are among its messages.
        Answer::Error(SourceError::Diagnostics(_) | SourceError::Argument { .. }) => {}
        Answer::Error(SourceError::Unreadable { message, help }) => {
            let message = with_help(message, help.as_ref());
            out.push(remark(Rule::Input, DiagnosticSeverity::ERROR, message, None));
        }
        Answer::Error(SourceError::At { path, message, help }) => {
            let message = with_help(&format!("{message} (at {path})"), help.as_ref());
            let span = line_and_column(document.text.as_str(), path);
            out.push(remark(Rule::Input, DiagnosticSeverity::ERROR, message, span));
        }
    }
    out
}

/// A finding, with the run that shows it step by step.
fn found(report: &Report, finding: &Finding) -> Remark {
    let runs = match &report.answer {
        Answer::Violated(violation) => violation.runs.as_slice(),
        _ => &[],
    };
    let run = finding.run.and_then(|number| runs.get(number));
    let steps = run.into_iter().flat_map(|run| steps(report, run)).enumerate();
    let steps = steps.map(|(i, (_, span, words))| (span, format!("{}. {words}", i + 1)));
    let others = finding.related.iter().map(|it| (it.span, it.message.clone()));
    Remark {
        span: finding.span.or(report.question.span),
        // Errors are for texts that mean nothing.
        severity: match finding.level {
            Level::Error => DiagnosticSeverity::WARNING,
            Level::Warning | Level::Note => DiagnosticSeverity::INFORMATION,
        },
        code: finding.rule.id(),
        message: finding.message.clone(),
        related: steps.chain(others).collect(),
    }
}

fn with_help(message: &str, help: Option<&String>) -> String {
    help.map_or(message.to_owned(), |help| format!("{message}\nhelp: {help}"))
}

/// The place that is called `line 4, column 7`, both from 1 and in bytes.
fn line_and_column(text: &str, place: &str) -> Option<Span> {
    let (line, column) = place.strip_prefix("line ")?.split_once(", column ")?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let before = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum::<usize>();
    u32::try_from(before + column.saturating_sub(1)).ok().map(Span::empty)
}

/// A message of the front end as a diagnostic.
pub fn message(document: &Document, settings: &Settings, d: &ser_syntax::Diagnostic) -> Diagnostic {
    let severity = match d.severity {
        // Nothing is wrong with a file that is there for others.
        Severity::Error if d.code == ONLY_DEFINITIONS => DiagnosticSeverity::INFORMATION,
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    let mut message = d.message.clone();
    if !d.primary.message.is_empty() {
        message += &format!("\n{}", d.primary.message);
    }
    for help in &d.help {
        message += &format!("\nhelp: {}", help.message);
    }
    let related = d.secondary.iter().map(|label| (label.span, label.message.clone())).collect();
    let span = Some(d.primary.span);
    let mut out =
        diagnostic(document, settings, Remark { span, severity, code: d.code, message, related });
    // Editors show these faded.
    if matches!(d.code, "unreachable-code" | "unreached-yield" | "unused-constant" | "never-read") {
        out.tags = Some(vec![DiagnosticTag::UNNECESSARY]);
    }
    out
}

fn diagnostic(document: &Document, settings: &Settings, remark: Remark) -> Diagnostic {
    let Remark { span, severity, code, mut message, mut related } = remark;
    if let Some(elsewhere) = span.filter(|span| !document.is_own(*span)) {
        related.insert(0, (elsewhere, message.clone()));
        message = format!("{}: {message}", document.line(elsewhere.start));
    }
    let span = span.map(|span| document.shown(span));
    let mut information = None;
    if settings.related_information {
        let all = related.into_iter().map(|(span, message)| DiagnosticRelatedInformation {
            location: document.location(span),
            message,
        });
        information = Some(all.collect()).filter(|all: &Vec<_>| !all.is_empty());
    } else {
        for (span, words) in related {
            message += &format!("\nline {}: {words}", document.line(span.start));
        }
    }
    Diagnostic {
        range: document.text.range(span.unwrap_or_else(|| document.heading())),
        severity: Some(severity),
        code: Some(NumberOrString::String(code.to_owned())),
        source: Some("ser".to_owned()),
        message,
        related_information: information,
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_words_is_found_again() {
        assert_eq!(line_and_column("ab\ncd", "line 2, column 2"), Some(Span::empty(4)));
        assert_eq!(line_and_column("ab", "line 0, column 2"), None);
        assert_eq!(line_and_column("ab", "transitions[3]"), None);
    }
}
