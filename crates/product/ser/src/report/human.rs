//! Reports for people: the verdict first, then what cannot happen serially, then the run.

pub(crate) mod table;

use super::subject::Subject;
use crate::diagnostics;
use crate::shell;
use anstyle::{AnsiColor, Style};
use ser_model::NetworkSystem;
use ser_serializability_search::SerialRuns;
use ser_session::shown::Shown;
use ser_session::source::SourceError;
use ser_session::words::{self, visible};
use ser_session::{Causes, Report, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(super) const DOUBT: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const STRONG: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();

/// `text` in a style.
pub(super) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// So many points of a proof are told by `ser check`; `ser explain` tells all.
const MAX_POINTS: usize = 4;

/// The report for the terminal, `width` columns wide; with all points of a proof, or the first.
pub fn report(report: &Report, width: usize, points: bool) -> String {
    let mut out = String::new();
    match &report.verdict {
        Verdict::Serializable { explanation, accepted, .. } => {
            headline(&mut out, report, GOOD, "serializable");
            let _ = writeln!(
                out,
                "  For any number of concurrent requests, every combination of responses also comes"
            );
            let _ = writeln!(out, "  from running the requests one after the other.");
            let _ = writeln!(out);
            paragraph(&mut out, "Why: ", &format!("{}.", explanation.headline), width);
            let _ = writeln!(out);
            let shown = if points { explanation.points.len() } else { MAX_POINTS };
            for point in explanation.points.iter().take(shown) {
                wrapped(&mut out, "    - ", "      ", point, width);
            }
            if explanation.points.len() > shown {
                let more = explanation.points.len() - shown;
                let text =
                    format!("... and {more} more: see `ser explain {}`", shell::file(&report.name));
                let _ = writeln!(out, "    {}", paint(FAINT, text));
            }
            if !explanation.points.is_empty() {
                let _ = writeln!(out);
            }
            let _ =
                writeln!(out, "  {}", paint(FAINT, format!("Checked independently: {accepted}.")));
        }
        Verdict::NotSerializable { refutation, steps, serial, .. } => {
            headline(&mut out, report, BAD, "NOT serializable");
            // A verdict without a model does not exist.
            let Some(model) = &report.model else { return out };
            let system = model.system();
            let requests = words::count(refutation.requests, "request");
            let verb = if refutation.requests == 1 { "ends" } else { "end" };
            let _ =
                writeln!(out, "  {requests} can {verb} with responses that no serial order gives:");
            let _ = writeln!(out);
            for words in words::responses(system, &refutation.outcome) {
                let _ = writeln!(out, "      {}", paint(STRONG, words));
            }
            let _ = writeln!(out);
            paragraph(&mut out, "", words::serial_sentence(serial), width);
            let _ = writeln!(out);
            if let SerialRuns::Closest(runs) = serial {
                for run in runs.iter().take(3) {
                    item(&mut out, &words::serial_run(system, run), width);
                }
                let _ = writeln!(out);
            }
            let switches = steps.windows(2).filter(|pair| pair[0].number != pair[1].number).count();
            let fewest = if refutation.fewest { "the fewest possible" } else { "the fewest found" };
            let _ = writeln!(
                out,
                "  The interleaving: {requests} ({fewest}), {}, {}.",
                words::count(steps.len(), "step"),
                words::count(switches, "context switch"),
            );
            let _ = writeln!(out);
            let (source, shown) = (report.source.as_ref(), &Shown::new(system, &BTreeMap::new()));
            let subject = Subject { source, system, shown, names: None, responds: true };
            out.push_str(&table::render(subject, steps, width));
            if let Some(causes) = &report.causes {
                why(&mut out, report, system, causes, width);
            }
        }
        Verdict::Unknown(unknown) => {
            headline(&mut out, report, DOUBT, "unknown");
            let (reason, help) = words::unknown(unknown);
            paragraph(&mut out, "", &capitalised(&reason), width);
            let _ = writeln!(out);
            for tried in words::tried(unknown) {
                wrapped(&mut out, "    - ", "      ", &tried, width);
            }
            let _ = writeln!(out);
            helps(&mut out, &help, width);
        }
        Verdict::TooLarge(error) => {
            headline(&mut out, report, DOUBT, "unknown");
            let (reason, span, help) = words::too_large(&report.name, error);
            paragraph(&mut out, "", &capitalised(&reason), width);
            if let (Some(span), Some(source)) = (span, &report.source) {
                let line = source.lines.line(span.start);
                let text = source.lines.line_text(line).trim();
                let _ = writeln!(out, "\n    {} {text}\n", paint(FAINT, format!("line {line}:")));
            }
            let known: Vec<String> = report.in_parts.iter().flat_map(words::in_parts).collect();
            for words in &known {
                wrapped(&mut out, "    - ", "      ", words, width);
            }
            if !known.is_empty() {
                let _ = writeln!(out);
            }
            helps(&mut out, &help, width);
        }
        Verdict::Stopped { stop, doing } => {
            headline(&mut out, report, DOUBT, "unknown");
            let (reason, help) = words::stopped(&report.name, stop, *doing);
            paragraph(&mut out, "", &capitalised(&reason), width);
            helps(&mut out, &help, width);
        }
        Verdict::NotChecked => {
            headline(&mut out, report, DOUBT, "unknown");
            paragraph(&mut out, "", &capitalised(&words::not_checked().0), width);
        }
        Verdict::Unchecked(message) => {
            headline(&mut out, report, DOUBT, "unknown");
            paragraph(&mut out, "", &capitalised(super::UNCHECKED), width);
            paragraph(&mut out, "", message, width);
            helps(&mut out, &["raise --timeout, --memory or --max-states".to_owned()], width);
        }
        Verdict::Internal(message) => {
            headline(&mut out, report, DOUBT, "unknown");
            paragraph(&mut out, "", &capitalised(super::INTERNAL), width);
            paragraph(&mut out, "", message, width);
        }
        Verdict::Error(_) => headline(&mut out, report, BAD, "error"),
    }
    out
}

/// Why no order of the requests works, and which pauses are to blame.
fn why(out: &mut String, report: &Report, system: &NetworkSystem, causes: &Causes, width: usize) {
    let Verdict::NotSerializable { refutation, .. } = &report.verdict else { return };
    if let Some(words) = words::causes::contradiction(system, causes, refutation.requests) {
        let _ = writeln!(out, "\n  The contradiction:\n");
        wrapped(out, "    - ", "      ", &words, width);
    }
    if !causes.orders.is_empty() {
        let _ = writeln!(out, "\n  Why no order of these requests works:\n");
        for order in &causes.orders {
            wrapped(out, "    - ", "      ", &words::causes::order(system, order), width);
        }
    }
    if !causes.pauses.is_empty() {
        let _ = writeln!(out, "\n  The pauses that let it happen:\n");
        for pause in &causes.pauses {
            wrapped(out, "    - ", "      ", &words::causes::pause(pause), width);
        }
        if report.name != "-" {
            let hint = format!(
                "help: `ser repair {}` looks for changes that help",
                shell::file(&report.name)
            );
            let _ = writeln!(out, "\n  {}", paint(FAINT, hint));
        }
    }
}

/// Errors and warnings about the source, for standard error.
pub fn complaints(report: &Report, warnings: bool) -> String {
    let mut out = String::new();
    match &report.verdict {
        Verdict::Error(SourceError::Diagnostics(list)) => {
            if let Some(source) = &report.source {
                for d in list.iter().filter(|d| warnings || d.is_error()) {
                    let _ = writeln!(
                        out,
                        "{}\n",
                        diagnostics::render(&visible(&report.name), &source.text, d)
                    );
                }
            }
        }
        Verdict::Error(SourceError::At { path, message, help }) => {
            let _ = writeln!(out, "{}: {}", paint(BAD, "error"), visible(message));
            let _ = writeln!(out, "  --> {}: {}", visible(&report.name), visible(path));
            if let Some(help) = help {
                let _ = writeln!(out, "  help: {help}");
            }
        }
        Verdict::Error(SourceError::Unreadable { message, help }) => {
            let _ = writeln!(out, "{}: {}: {message}", paint(BAD, "error"), visible(&report.name));
            if let Some(help) = help {
                let _ = writeln!(out, "  help: {help}");
            }
        }
        _ => {}
    }
    if let (true, Some(source)) = (warnings, &report.source) {
        for w in &report.warnings {
            let _ =
                writeln!(out, "{}\n", diagnostics::render(&visible(&report.name), &source.text, w));
        }
    }
    out
}

/// One line about many files, of which the [names](Verdict::name) of the verdicts are given.
pub fn summary(verdicts: &[&str]) -> String {
    let number = |name: &str| verdicts.iter().filter(|verdict| **verdict == name).count();
    let mut parts = Vec::new();
    for (name, words, style) in [
        ("serializable", "serializable", GOOD),
        ("not_serializable", "not serializable", BAD),
        ("unknown", "unknown", DOUBT),
        ("error", "with errors", BAD),
    ] {
        match number(name) {
            0 => {}
            n => parts.push(paint(style, format!("{} {words}", words::grouped(n)))),
        }
    }
    format!("{}: {}", words::count(verdicts.len(), "file"), parts.join(", "))
}

/// `1.6 ms`.
pub(super) fn duration(time: std::time::Duration) -> String {
    let time = time.as_secs_f64() * 1e3;
    if time < 100.0 { format!("{time:.1} ms") } else { format!("{:.2} s", time / 1e3) }
}

fn headline(out: &mut String, report: &Report, style: Style, verdict: &str) {
    let time = duration(report.time);
    let _ = writeln!(
        out,
        "{}: {} {}\n",
        paint(STRONG, visible(&report.name)),
        paint(style, verdict),
        paint(FAINT, format!("({time})")),
    );
}

pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if !text.starts_with("ser ") => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// A paragraph with two spaces in front, wrapped.
pub(super) fn paragraph(out: &mut String, start: &str, text: &str, width: usize) {
    wrapped(out, &format!("  {start}"), "  ", text, width);
}

/// An entry of a list.
fn item(out: &mut String, text: &str, width: usize) {
    wrapped(out, "      ", "        ", text, width);
}

pub(super) fn helps(out: &mut String, help: &[String], width: usize) {
    for text in help {
        wrapped(out, "  help: ", "        ", text, width);
    }
}

pub(super) fn wrapped(out: &mut String, first: &str, rest: &str, text: &str, width: usize) {
    let width = width.clamp(40, 96);
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            let _ = writeln!(out, "{line}");
            line = rest.to_owned();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    let _ = writeln!(out, "{line}");
}
