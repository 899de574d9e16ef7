//! What is wrong or missing: errors, warnings, and why there is no answer.

use super::words::{linked, sentence};
use crate::text::WITHHELD;
use ser_draw::Text;
use ser_report::text::{capitalised, count};
use ser_report::{Answer, Report, SourceError, Unknown};
use ser_syntax::{Diagnostic, LineIndex, Span};
use std::fmt::Write as _;

/// At most so many errors or warnings.
const MAX_SHOWN: usize = 50;

/// What is wrong, or why there is no answer; empty if there is nothing to say.
pub fn section(report: &Report) -> String {
    let lines = report.source.as_ref().map(|source| &source.lines);
    match &report.answer {
        Answer::Holds(_) | Answer::Violated(_) | Answer::NotInductive => String::new(),
        Answer::Error(SourceError::Diagnostics(list)) => {
            diagnostics("What is wrong", list, |it| snippet(it, Place { lines, other: None }))
        }
        Answer::Error(SourceError::Argument { argument, text, diagnostics: list }) => {
            let lines = LineIndex::new(text);
            let place = Place { lines: Some(&lines), other: Some(argument) };
            diagnostics("What is wrong", list, |it| snippet(it, place))
        }
        Answer::Error(SourceError::At { path, message, help }) => {
            one(message, &format!("at {path}"), help.as_deref())
        }
        Answer::Error(SourceError::Unreadable { message, help }) => {
            one(message, "", help.as_deref())
        }
        Answer::Unknown(unknown) => no_answer(unknown, lines),
        Answer::Withheld(message) => {
            let tried = vec![message.clone()];
            no_answer(&Unknown { reason: WITHHELD.to_owned(), tried, ..Unknown::default() }, lines)
        }
    }
}

/// The warnings; empty if there are none.
pub fn warnings(report: &Report) -> String {
    if report.warnings.is_empty() {
        return String::new();
    }
    let lines = report.source.as_ref().map(|source| &source.lines);
    let title = count(report.warnings.len(), "warning");
    diagnostics(&title, &report.warnings, |it| snippet(it, Place { lines, other: None }))
}

fn one(message: &str, place: &str, help: Option<&str>) -> String {
    let mut out = format!(
        "<section class=\"trouble\"><h2>What is wrong</h2><ul class=\"notes\">\
         <li class=\"error\"><p>{}</p>",
        linked(&capitalised(message))
    );
    if !place.is_empty() {
        let _ = write!(out, "<p class=\"place\">{}</p>", Text(place));
    }
    if let Some(help) = help {
        let _ = write!(out, "<p class=\"help\"><b>Help:</b> {}</p>", linked(help));
    }
    out + "</li></ul></section>"
}

fn diagnostics(
    title: &str,
    list: &[Diagnostic],
    snippet: impl Fn(&Diagnostic) -> String,
) -> String {
    let shown: String = list.iter().take(MAX_SHOWN).map(snippet).collect();
    let more = match list.len().saturating_sub(MAX_SHOWN) {
        0 => String::new(),
        more => format!("<li>… and {more} more</li>"),
    };
    format!(
        "<section class=\"trouble\"><h2>{}</h2><ul class=\"notes\">{shown}{more}</ul></section>",
        Text(title)
    )
}

/// Where the places of a diagnostic are.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub lines: Option<&'a LineIndex>,
    /// The name of the text, if it is not the source that the page shows.
    pub other: Option<&'a str>,
}

impl Place<'_> {
    /// `line 12, column 3: what to say there`, with the line itself if the page does not show it.
    fn paragraph(&self, span: Span, label: &str) -> String {
        let Some(lines) = self.lines else { return String::new() };
        let at = lines.position(span.start);
        let label = if label.is_empty() { String::new() } else { format!(": {label}") };
        let words = format!("line {}, column {}{label}", at.line, at.column);
        match self.other {
            None => format!("<p class=\"place\">{}</p>", linked(&words)),
            Some(name) => format!(
                "<p class=\"place\">{}, {}</p><pre class=\"excerpt\"><code>{}</code></pre>",
                Text(name),
                Text(&words),
                Text(lines.row_text(at.line.row).trim())
            ),
        }
    }
}

/// A message about a place, as an entry of a list.
pub fn snippet(it: &Diagnostic, place: Place<'_>) -> String {
    let class = if it.is_error() { "error" } else { "warning" };
    let message = linked(&capitalised(&it.message));
    let mut out = format!("<li class=\"{class}\"><p>{message}</p>");
    out += &place.paragraph(it.primary.span, &it.primary.message);
    for label in &it.secondary {
        out += &place.paragraph(label.span, &label.message);
    }
    for help in &it.help {
        let _ = write!(out, "<p class=\"help\"><b>Help:</b> {}</p>", linked(&help.message));
    }
    out + "</li>"
}

fn no_answer(unknown: &Unknown, lines: Option<&LineIndex>) -> String {
    let line = unknown.span.zip(lines).map(|(span, lines)| lines.line(span.start));
    let at = line.map_or(String::new(), |line| format!(" (line {line})"));
    let reason = format!("{}{at}", unknown.reason.trim_end_matches('.'));
    let mut out = format!(
        "<section class=\"trouble\"><h2>Why there is no answer</h2><p class=\"lead\">{}</p>",
        sentence(&reason)
    );
    for (title, list) in [("What was tried", &unknown.tried), ("What may help", &unknown.help)] {
        if !list.is_empty() {
            let _ = write!(out, "<h3>{title}</h3>{}", points(list));
        }
    }
    out + "</section>"
}

/// At most so many points of a list.
const MAX_POINTS: usize = 300;

/// Sentences as a list.
pub fn points(list: &[String]) -> String {
    let mut out = String::from("<ul class=\"plain\">");
    for words in list.iter().take(MAX_POINTS) {
        let _ = write!(out, "<li>{}</li>", sentence(words));
    }
    if list.len() > MAX_POINTS {
        let _ = write!(out, "<li>… and {} more</li>", list.len() - MAX_POINTS);
    }
    out + "</ul>"
}
