//! What is wrong or missing: errors, warnings, and why there is no answer.

use super::{Text, linked};
use crate::report::human::capitalised;
use crate::report::{INTERNAL, UNCHECKED};
use ser_session::source::SourceError;
use ser_session::words;
use ser_session::{Report, Verdict};
use ser_syntax::Diagnostic;
use std::fmt::Write as _;

/// At most so many errors or warnings.
const MAX_SHOWN: usize = 50;

/// The section; empty if there is nothing to say.
pub fn section(report: &Report) -> String {
    let mut out = String::new();
    match &report.verdict {
        Verdict::Error(SourceError::Diagnostics(list)) => {
            diagnostics(&mut out, report, "What is wrong", list);
        }
        Verdict::Error(SourceError::At { path, message, help }) => {
            one(&mut out, message, &format!("at {path}"), help.as_deref());
        }
        Verdict::Error(SourceError::Unreadable { message, help }) => {
            one(&mut out, message, "", help.as_deref());
        }
        Verdict::Unknown(unknown) => {
            let (reason, help) = words::unknown(unknown);
            no_answer(&mut out, &reason, &words::tried(unknown), &help);
        }
        Verdict::TooLarge(error) => {
            let (mut reason, span, help) = words::too_large(&report.name, error);
            if let Some(line) = span.and_then(|s| words::line_of(report, s)) {
                let _ = write!(reason, " (line {line})");
            }
            let known: Vec<String> = report.in_parts.iter().flat_map(words::in_parts).collect();
            no_answer(&mut out, &reason, &known, &help);
        }
        Verdict::Stopped { stop, doing } => {
            let (reason, help) = words::stopped(&report.name, stop, *doing);
            no_answer(&mut out, &reason, &[], &help);
        }
        Verdict::NotChecked => {
            let (reason, help) = words::not_checked();
            no_answer(&mut out, &reason, &[], &help);
        }
        Verdict::Unchecked(message) => {
            let help = ["raise --timeout, --memory or --max-states".to_owned()];
            no_answer(&mut out, UNCHECKED, std::slice::from_ref(message), &help);
        }
        Verdict::Internal(message) => {
            no_answer(&mut out, INTERNAL, std::slice::from_ref(message), &[]);
        }
        Verdict::Error(SourceError::Argument { .. })
        | Verdict::Serializable { .. }
        | Verdict::NotSerializable { .. } => {}
    }
    if !report.warnings.is_empty() {
        let title = words::count(report.warnings.len(), "warning");
        diagnostics(&mut out, report, &title, &report.warnings);
    }
    out
}

fn one(out: &mut String, message: &str, place: &str, help: Option<&str>) {
    let _ = write!(
        out,
        "<section class=\"trouble\"><h2>What is wrong</h2><ul class=\"notes\"><li class=\"error\"><p>{}</p>",
        linked(&capitalised(message))
    );
    if !place.is_empty() {
        let _ = write!(out, "<p class=\"place\">{}</p>", Text(place));
    }
    if let Some(help) = help {
        let _ = write!(out, "<p class=\"help\"><b>Help:</b> {}</p>", linked(help));
    }
    out.push_str("</li></ul></section>");
}

fn diagnostics(out: &mut String, report: &Report, title: &str, list: &[Diagnostic]) {
    let _ = write!(out, "<section class=\"trouble\"><h2>{}</h2><ul class=\"notes\">", Text(title));
    for d in list.iter().take(MAX_SHOWN) {
        let class = if d.is_error() { "error" } else { "warning" };
        let _ = write!(out, "<li class=\"{class}\"><p>{}</p>", linked(&capitalised(&d.message)));
        if let Some(source) = &report.source {
            let at = source.lines.position(d.primary.span.start);
            let place = format!("line {}, column {}", at.line, at.column);
            let label = match &d.primary.message {
                text if text.is_empty() => String::new(),
                text => format!(": {text}"),
            };
            let _ = write!(out, "<p class=\"place\">{}</p>", linked(&format!("{place}{label}")));
        }
        for help in &d.help {
            let _ = write!(out, "<p class=\"help\"><b>Help:</b> {}</p>", linked(&help.message));
        }
        out.push_str("</li>");
    }
    if list.len() > MAX_SHOWN {
        let _ = write!(out, "<li>… and {} more</li>", list.len() - MAX_SHOWN);
    }
    out.push_str("</ul></section>");
}

fn no_answer(out: &mut String, reason: &str, tried: &[String], help: &[String]) {
    let _ = write!(
        out,
        "<section class=\"trouble\"><h2>Why there is no answer</h2><p class=\"lead\">{}.</p>",
        linked(&capitalised(reason.trim_end_matches('.')))
    );
    if !tried.is_empty() {
        out.push_str("<h3>What was tried</h3><ul class=\"plain\">");
        for words in tried {
            let _ = write!(out, "<li>{}.</li>", linked(&capitalised(words)));
        }
        out.push_str("</ul>");
    }
    if !help.is_empty() {
        out.push_str("<h3>What may help</h3><ul class=\"plain\">");
        for words in help {
            let _ = write!(out, "<li>{}.</li>", linked(&capitalised(words)));
        }
        out.push_str("</ul>");
    }
    out.push_str("</section>");
}
