//! Errors, warnings and the verdict, on their places.

use crate::document::Document;
use crate::findings::{Remark, Weight};
use crate::settings::Settings;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, PublishDiagnosticsParams,
};
use ser_syntax::{Severity, Span};

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
    let warnings = document.findings.as_ref().and_then(|f| f.warnings.as_ref());
    warnings.unwrap_or(&document.parse.diagnostics)
}

/// The verdict as diagnostics, unless all is well.
pub fn verdict(document: &Document, settings: &Settings) -> Vec<Diagnostic> {
    let remarks = document.findings.iter().flat_map(|findings| &findings.remarks);
    remarks.map(|it| remark(document, settings, it)).collect()
}

fn remark(document: &Document, settings: &Settings, remark: &Remark) -> Diagnostic {
    let Remark { span, weight, code, message, related } = remark;
    let severity = match weight {
        Weight::Error => DiagnosticSeverity::ERROR,
        Weight::Warning => DiagnosticSeverity::WARNING,
        Weight::Information => DiagnosticSeverity::INFORMATION,
    };
    // What is about the whole stands where the first request does.
    let first = || document.parse.program.requests.first().map(|r| r.name.span);
    let span = span.or_else(first).unwrap_or_default();
    diagnostic(document, settings, span, severity, code, message.clone(), related)
}

/// A message of the front end as a diagnostic.
pub fn message(document: &Document, settings: &Settings, d: &ser_syntax::Diagnostic) -> Diagnostic {
    let severity = match d.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    let mut words = d.message.clone();
    if !d.primary.message.is_empty() {
        words += &format!("\n{}", d.primary.message);
    }
    for help in &d.help {
        words += &format!("\nhelp: {}", help.message);
    }
    let related: Vec<(Span, String)> =
        d.secondary.iter().map(|label| (label.span, label.message.clone())).collect();
    let mut out = diagnostic(document, settings, d.primary.span, severity, d.code, words, &related);
    // Editors show these faded.
    if matches!(d.code, "unreachable-code" | "unreached-yield" | "unused-constant" | "never-read") {
        out.tags = Some(vec![DiagnosticTag::UNNECESSARY]);
    }
    out
}

fn diagnostic(
    document: &Document,
    settings: &Settings,
    span: Span,
    severity: DiagnosticSeverity,
    code: &str,
    mut message: String,
    related: &[(Span, String)],
) -> Diagnostic {
    let mut information = None;
    if settings.related_information {
        let place = |span| Location::new(document.uri.clone(), document.text.range(span));
        let all = related.iter().map(|(span, words)| DiagnosticRelatedInformation {
            location: place(*span),
            message: words.clone(),
        });
        information = Some(all.collect()).filter(|all: &Vec<_>| !all.is_empty());
    } else {
        for (span, words) in related {
            message += &format!("\nline {}: {words}", document.line(span.start));
        }
    }
    Diagnostic {
        range: document.text.range(span),
        severity: Some(severity),
        code: Some(NumberOrString::String(code.to_owned())),
        source: Some("ser".to_owned()),
        message,
        related_information: information,
        ..Diagnostic::default()
    }
}
