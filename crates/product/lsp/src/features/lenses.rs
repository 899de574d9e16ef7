//! The verdict above the file, above each goal and above each request.

use crate::document::Document;
use crate::protocol::commands;
use crate::verdict::{sentence, words};
use lsp_types::{CodeLens, Command, Range};
use ser_report::text::count;
use ser_report::{Answer, Method, Report, Run};
use ser_syntax::Span;
use serde_json::json;

/// The lenses of a document.
pub fn lenses(document: &Document) -> Vec<CodeLens> {
    let top = document.heading();
    let Some(reports) = &document.reports else {
        return vec![lens(document, top, "checking…".to_owned(), "")];
    };
    let mut out = Vec::new();
    for report in reports {
        let at = report.question.span.unwrap_or(top);
        match (&report.answer, report.answer.run()) {
            (Answer::Error(_), _) => {}
            (_, Some(run)) => {
                let title = format!("{}: {}; show", words(report), length(report, run));
                out.push(lens(document, at, title, commands::SHOW_INTERLEAVING));
                if report.question.span.is_none() {
                    out.push(lens(document, at, "report".to_owned(), commands::REPORT));
                }
            }
            _ => out.push(lens(document, at, sentence(report), commands::REPORT)),
        }
    }
    if let Some(report) = document.of_program() {
        if report.answer.run().is_some() {
            out.push(lens(document, top, "repair".to_owned(), commands::REPAIR));
        }
        let requests = document.parse.tree.requests.iter().enumerate();
        for (index, request) in requests.filter(|(_, it)| document.is_own(it.span)) {
            let yields = document.symbols.yields().iter().filter(|(_, of)| *of == index).count();
            if let Some((title, command)) = on_request(report, &request.name.text, yields) {
                out.push(lens(document, request.span, title, command));
            }
        }
    }
    out
}

/// How long a run is, in words.
fn length(report: &Report, run: &Run) -> String {
    let steps = count(run.steps.len(), "step");
    match report.question.method {
        Method::Serializability => format!("{}, {steps}", count(run.lanes.len(), "request")),
        _ => steps,
    }
}

fn on_request(report: &Report, name: &str, pauses: usize) -> Option<(String, &'static str)> {
    match (&report.answer, report.answer.run()) {
        (Answer::Holds(_), _) => Some(match pauses {
            0 => ("serializable: runs without a pause".to_owned(), ""),
            1 => ("serializable: its pause is harmless".to_owned(), ""),
            n => (format!("serializable: its {} are harmless", count(n, "pause")), ""),
        }),
        (_, Some(run)) => Some(match part_of(run, name) {
            numbers if numbers.is_empty() => ("not part of the interleaving found".to_owned(), ""),
            numbers => (
                format!("not serializable: {numbers} of the interleaving; show"),
                commands::SHOW_INTERLEAVING,
            ),
        }),
        _ => None,
    }
}

/// `#1, #2`: who of a run are requests of this handler.
fn part_of(run: &Run, handler: &str) -> String {
    let lanes = run.lanes.iter().enumerate();
    let own = lanes.filter(|(_, lane)| lane.label.split('(').next() == Some(handler));
    let numbers: Vec<String> = own.map(|(index, _)| format!("#{}", index + 1)).collect();
    numbers.join(", ")
}

fn lens(document: &Document, span: Span, title: String, command: &str) -> CodeLens {
    let at = document.text.position(span.start);
    let arguments = (!command.is_empty()).then(|| vec![json!(document.uri.as_str())]);
    CodeLens {
        range: Range::new(at, at),
        command: Some(Command { title, command: command.to_owned(), arguments }),
        data: None,
    }
}
