//! The verdict above the file and above each request.

use crate::document::Document;
use crate::findings::{Conclusion, Findings};
use crate::protocol::commands;
use lsp_types::{CodeLens, Command};
use ser_session::source::Kind;
use ser_syntax::Span;
use serde_json::json;
use std::collections::BTreeMap;

/// The lenses of a document.
pub fn lenses(document: &Document) -> Vec<CodeLens> {
    if !document.is_checked() || document.parse.has_errors() {
        return Vec::new();
    }
    let mut out = Vec::new();
    let top = first_item(document);
    let Some(findings) = &document.findings else {
        out.push(lens(document, top, "checking…".to_owned(), ""));
        return out;
    };
    match findings.conclusion {
        Conclusion::Error => {}
        Conclusion::Sequentialized
        | Conclusion::Refuted
        | Conclusion::Proved
        | Conclusion::NotInductive => {
            out.push(lens(document, top, findings.summary.clone(), ""));
        }
        Conclusion::Unknown if matches!(document.kind, Kind::Protocol | Kind::Invariants) => {
            out.push(lens(document, top, findings.summary.clone(), ""));
        }
        Conclusion::Serializable => {
            out.push(lens(document, top, findings.summary.clone(), commands::REPORT));
        }
        Conclusion::NotSerializable => {
            let length = findings.interleaving.as_ref().map(|i| i.length()).unwrap_or_default();
            let title = format!("not serializable: {length}; show");
            out.push(lens(document, top, title, commands::SHOW_INTERLEAVING));
            out.push(lens(document, top, "report".to_owned(), commands::REPORT));
            if document.kind == Kind::Program {
                out.push(lens(document, top, "repair".to_owned(), commands::REPAIR));
            }
        }
        Conclusion::Unknown => {
            out.push(lens(document, top, findings.summary.clone(), commands::REPORT));
        }
    }
    let mut pauses: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, request) in document.symbols.yields() {
        *pauses.entry(*request).or_default() += 1;
    }
    for (index, request) in document.parse.program.requests.iter().enumerate() {
        let pauses = pauses.get(&index).copied().unwrap_or(0);
        if let Some((title, command)) = on_request(findings, &request.name.text, pauses) {
            out.push(lens(document, request.span, title, command));
        }
    }
    out
}

fn on_request(findings: &Findings, name: &str, pauses: usize) -> Option<(String, &'static str)> {
    match findings.conclusion {
        Conclusion::Serializable => Some(match pauses {
            0 => ("serializable: runs without a pause".to_owned(), ""),
            1 => ("serializable: its pause is harmless".to_owned(), ""),
            n => (
                format!("serializable: its {} are harmless", ser_report::text::count(n, "pause")),
                "",
            ),
        }),
        Conclusion::NotSerializable => Some(match findings.interleaving.as_ref()?.part_of(name) {
            Some(numbers) => (
                format!("not serializable: {numbers} of the interleaving; show"),
                commands::SHOW_INTERLEAVING,
            ),
            None => ("not part of the interleaving found".to_owned(), ""),
        }),
        Conclusion::Sequentialized
        | Conclusion::Refuted
        | Conclusion::Proved
        | Conclusion::NotInductive
        | Conclusion::Unknown
        | Conclusion::Error => None,
    }
}

/// The first item of a program.
fn first_item(document: &Document) -> Span {
    let program = &document.parse.program;
    let constants = program.constants.iter().map(|c| c.span);
    let initial = program.initial_values.iter().map(|i| i.span);
    let requests = program.requests.iter().map(|r| r.span);
    let processes = document.protocol.protocol.processes.iter().map(|p| p.name.span);
    let system = &document.invariants.system;
    let threads = system.procedures.first().map(|p| p.name.span);
    let globals = system.globals.iter().map(|g| g.name.span).chain(threads);
    let all = constants.chain(initial).chain(requests).chain(processes).chain(globals);
    all.min().unwrap_or_default()
}

fn lens(document: &Document, span: Span, title: String, command: &str) -> CodeLens {
    let at = document.text.position(span.start);
    let arguments = (!command.is_empty()).then(|| vec![json!(document.uri.as_str())]);
    CodeLens {
        range: lsp_types::Range::new(at, at),
        command: Some(Command { title, command: command.to_owned(), arguments }),
        data: None,
    }
}
