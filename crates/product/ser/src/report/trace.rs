//! Reports about goals: for people, and as JSON.
//!
//! Each goal has an answer of its own. A run is the same table that `ser check` prints; for an unwinding
//! it is the sequence of events. What cannot be reached comes with how far was looked, in plain words.

mod firing;
mod json;
mod stats;
mod words;

pub use json::json;

use super::human::table;
use super::human::{
    BAD, DOUBT, FAINT, GOOD, STRONG, capitalised, duration, helps, paint, paragraph, wrapped,
};
use super::subject::Subject;
use crate::diagnostics;
use ser_session::events::{Answer, EventReport, NoAnswer, Reaching, Witness, Wrong};
use ser_session::source::{Kind, SourceError};
use ser_session::trace::TraceStep;
use ser_session::words::{count, grouped, visible};
use ser_syntax::Diagnostic;
use std::fmt::Write as _;

/// How to report for people.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many columns there are.
    pub width: usize,
    /// Whether to tell how large formulas were.
    pub stats: bool,
}

/// The report for the terminal: one part for each goal.
pub fn human(report: &EventReport, wanted: Wanted) -> String {
    let mut out = String::new();
    match &report.answers {
        Ok(answers) => answers.iter().for_each(|answer| {
            tell(&mut out, report, answer, wanted);
            let _ = writeln!(out);
        }),
        Err(_) => {
            let (name, error) = (visible(&report.name), paint(BAD, "error"));
            let time = paint(FAINT, format!("({})", duration(report.time)));
            let _ = writeln!(out, "{}: {error} {time}\n", paint(STRONG, name));
        }
    }
    out
}

/// One answer.
fn tell(out: &mut String, report: &EventReport, answer: &Answer, wanted: Wanted) {
    let width = wanted.width;
    let style = match &answer.verdict {
        Reaching::Reachable(_) => BAD,
        Reaching::Unreachable(_) => GOOD,
        Reaching::Unknown(_) => DOUBT,
    };
    let _ = writeln!(
        out,
        "{}: {} {}\n",
        paint(STRONG, visible(&report.name)),
        paint(style, answer.verdict.name()),
        paint(FAINT, format!("({})", duration(answer.time))),
    );
    if !answer.goal.is_empty() {
        wrapped(out, "  ", "      ", &visible(&goal(report, answer)), width);
        let _ = writeln!(out);
    }
    let kind = report.source.as_ref().map(|s| s.kind);
    match &answer.verdict {
        Reaching::Reachable(witness) => reached(out, report, witness, width),
        Reaching::Unreachable(evidence) => {
            paragraph(out, "", &words::covered(&answer.covered, kind), width);
            let _ = writeln!(out);
            wrapped(out, "  ", "  ", &words::evidence(evidence), width);
            helps(out, &words::further(&answer.covered), width);
        }
        Reaching::Unknown(reason) => {
            let (reason, help) = words::unknown(reason, kind);
            paragraph(out, "", &format!("{}.", capitalised(&reason)), width);
            if let Some(so_far) = words::so_far(&answer.covered, kind) {
                paragraph(out, "", &so_far, width);
            }
            helps(out, &help, width);
        }
    }
    if wanted.stats {
        let _ = writeln!(out);
        stats::human(out, answer);
    }
}

/// The goal as it is written, or as one would write it.
fn goal(report: &EventReport, answer: &Answer) -> String {
    match report.source.as_ref().map(|s| s.kind) {
        Some(Kind::Unwinding) => format!("target {}", answer.goal),
        Some(Kind::Processes) => answer.goal.clone(),
        _ => format!("reach {}", answer.goal),
    }
}

fn reached(out: &mut String, report: &EventReport, witness: &Witness, width: usize) {
    match witness {
        Witness::Run { model, shown, processes, responds, steps, .. } => {
            if steps.is_empty() {
                let first = shown.all(model.system(), model.system().initial_global());
                let at = if first.is_empty() { String::new() } else { format!(": {first}") };
                paragraph(out, "", &format!("It holds at the start{at}."), width);
                return;
            }
            let switches = count(switches(steps), "context switch");
            let _ = writeln!(out, "  {}, {switches}:\n", count(steps.len(), "step"));
            let subject = Subject {
                source: report.source.as_ref(),
                system: model.system(),
                shown,
                names: Some(processes),
                responds: *responds,
            };
            out.push_str(&table::render(subject, steps, width));
            let replayed = "Replayed on the original, step by step, before it was shown.";
            let _ = writeln!(out, "\n  {}", paint(FAINT, replayed));
        }
        Witness::Firing { net, execution, trace } => {
            firing::human(out, net, execution, &trace.residual(net), width);
            let fired = "Fired on the net, one event after the other, before it was shown.";
            let _ = writeln!(out, "\n  {}", paint(FAINT, fired));
        }
    }
}

/// How often the run changes from one process to another.
fn switches(steps: &[TraceStep]) -> usize {
    let pairs = steps.iter().zip(steps.iter().skip(1));
    pairs.filter(|(one, next)| one.number != next.number).count()
}

/// Errors and warnings, for standard error.
pub fn complaint(report: &EventReport) -> String {
    let mut out = String::new();
    let mut show = |name: &str, text: &str, d: &Diagnostic| {
        let _ = writeln!(out, "{}\n", diagnostics::render(name, text, d));
    };
    let name = visible(&report.name);
    let text = report.source.as_ref().map_or("", |s| &s.text);
    match &report.answers {
        Ok(_) | Err(Wrong::Source(SourceError::Argument { .. })) => {}
        Err(Wrong::Source(SourceError::Diagnostics(list))) => {
            list.iter().for_each(|d| show(&name, text, d));
        }
        Err(Wrong::Argument { argument, text, diagnostics }) => {
            diagnostics.iter().for_each(|d| show(argument, text, d));
        }
        Err(Wrong::Source(SourceError::At { path, message, .. })) => {
            let _ = writeln!(out, "{}: {}", paint(BAD, "error"), visible(message));
            return out + &format!("  --> {name}: {}\n", visible(path));
        }
        Err(Wrong::Source(SourceError::Unreadable { message, help })) => {
            let _ = writeln!(out, "{}: {name}: {message}", paint(BAD, "error"));
            if let Some(help) = help {
                let _ = writeln!(out, "  help: {help}");
            }
            return out;
        }
        Err(Wrong::Question(message, help)) => {
            let _ = writeln!(out, "{}: {name}: {message}", paint(BAD, "error"));
            let _ = writeln!(out, "  help: {help}");
            return out;
        }
    }
    report.warnings.iter().for_each(|d| show(&name, text, d));
    out
}

/// Whether there is no answer only because the process was interrupted.
pub fn is_cut_short(answer: &Answer) -> bool {
    matches!(&answer.verdict, Reaching::Unknown(NoAnswer::Stopped(ser_model::Stop::Cancelled)))
}

/// One line about many goals, given the names of the verdicts.
pub fn summary(verdicts: &[&str]) -> String {
    let mut parts = Vec::new();
    for (name, style) in
        [("unreachable", GOOD), ("reachable", BAD), ("unknown", DOUBT), ("error", BAD)]
    {
        match verdicts.iter().filter(|v| **v == name).count() {
            0 => {}
            n => parts.push(paint(style, format!("{} {name}", grouped(n)))),
        }
    }
    format!("{}: {}", count(verdicts.len(), "goal"), parts.join(", "))
}

/// The names of the verdicts of a report.
pub fn verdicts(report: &EventReport) -> Vec<&'static str> {
    match &report.answers {
        Ok(answers) => answers.iter().map(|a| a.verdict.name()).collect(),
        Err(_) => vec!["error"],
    }
}
