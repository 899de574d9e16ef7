//! Reports about invariants: for people, as JSON and as SARIF.
//!
//! The verdict comes first, in plain words, then a table with a row for each invariant, then what is in the way: the run that violates an
//! invariant, or the step that breaks it and the state in which it does.

mod breach;
mod conditions;
pub(crate) mod graph;
mod json;
pub(crate) mod locations;
mod run;
pub(crate) mod sarif;
mod table;
mod words;

pub use json::json;

use super::human::{
    BAD, DOUBT, FAINT, GOOD, STRONG, capitalised, duration, helps, paint, paragraph,
};
use crate::diagnostics;
use ser_invariance_search::answer::Verdict;
use ser_invariance_search::decide::Reason;
use ser_model::Stop;
use ser_session::invariants::{Checked, Inferred, ProveReport, Proven, told, unknown_words};
use ser_session::source::SourceError;
use ser_session::words::{count, grouped, visible};
use std::fmt::Write as _;

/// How to report for people.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many columns there are.
    pub width: usize,
    /// Whether to tell about every condition, run and state.
    pub all: bool,
}

/// So many states that break a condition are shown.
const SHOWN: usize = 3;

/// The report for the terminal.
pub fn human(report: &ProveReport, wanted: Wanted) -> String {
    let mut out = String::new();
    let style = match report.exit_code() {
        0 => GOOD,
        3 | 4 => DOUBT,
        _ => BAD,
    };
    let _ = writeln!(
        out,
        "{}: {} {}\n",
        paint(STRONG, visible(&report.name)),
        paint(style, report.verdict().replace('_', " ")),
        paint(FAINT, format!("({})", duration(report.time))),
    );
    let width = wanted.width;
    match &report.result {
        Proven::Answer(checked) => answer(&mut out, report, checked, wanted),
        Proven::Stopped(stop) => {
            let help = match stop {
                Stop::Cancelled => None,
                Stop::Memory { .. } => Some("raise --memory"),
                _ => Some("raise --timeout"),
            };
            paragraph(&mut out, "", &format!("{}.", capitalised(&stop.to_string())), width);
            if let Some(help) = help {
                helps(&mut out, &[help.to_owned()], width);
            }
            out.push('\n');
        }
        Proven::Unchecked(message) => {
            paragraph(&mut out, "", &capitalised(super::UNCHECKED), width);
            paragraph(&mut out, "", message, width);
            helps(&mut out, &["raise --timeout or --memory".to_owned()], width);
            out.push('\n');
        }
        Proven::Internal(message) => {
            paragraph(&mut out, "", &capitalised(super::INTERNAL), width);
            paragraph(&mut out, "", message, width);
            out.push('\n');
        }
        Proven::Error(_) => {}
    }
    out
}

fn answer(out: &mut String, report: &ProveReport, checked: &Checked, wanted: Wanted) {
    let width = wanted.width;
    paragraph(out, "", &words::verdict(checked), width);
    out.push('\n');
    inferred(out, report, checked, width);
    out.push_str(&table::human(checked));
    out.push('\n');
    if wanted.all {
        conditions::human(out, checked);
    }
    runs(out, report, checked, wanted);
    breaches(out, report, checked, wanted);
    if let Verdict::Unknown(reason) = &checked.verdict {
        let (words, help) = unknown_words(reason);
        // For these the verdict has said it.
        let is_cut_short = matches!(reason, Reason::Stopped(Stop::Cancelled));
        if !is_cut_short && *reason != Reason::NoStart {
            paragraph(out, "", &format!("{}.", capitalised(&words)), width);
        }
        if !is_cut_short {
            helps(out, &[help], width);
            out.push('\n');
        }
    }
    if let Some(words) = words::accepted(checked) {
        let _ = writeln!(out, "  {}\n", paint(FAINT, format!("Checked independently: {words}.")));
    }
}

/// What became of the search for support.
fn inferred(out: &mut String, report: &ProveReport, checked: &Checked, width: usize) {
    let Some(inferred) = &checked.inferred else { return };
    paragraph(out, "", &words::inferred(inferred), width);
    if let Inferred::Found(found) = inferred {
        out.push('\n');
        for line in found.added.iter().flat_map(|it| it.trim_end().lines()) {
            let _ = writeln!(out, "      {line}");
        }
        let named = report.source.as_ref().map(|it| told::named(it, checked, &found.added));
        let named = named.unwrap_or_default();
        if !named.is_empty() {
            let places: Vec<String> =
                named.iter().map(|(name, line)| format!("`{name}` is line {line}")).collect();
            let text = format!(
                "In this, {}: places that have no name in the file. `--write` names them.",
                told::list(&places)
            );
            out.push('\n');
            paragraph(out, "", &text, width);
        }
    }
    out.push('\n');
}

/// The runs of a refutation: the first one, or all.
fn runs(out: &mut String, report: &ProveReport, checked: &Checked, wanted: Wanted) {
    let shown = if wanted.all { checked.runs.len() } else { 1 };
    for (number, it) in checked.runs.iter().enumerate() {
        if number < shown {
            snippet(out, report, checked, &told::run_remark(checked, it));
            run::human(out, checked, it);
            out.push('\n');
        }
    }
    let others: Vec<String> =
        checked.runs.iter().skip(shown).map(|it| words::shown(checked, it)).collect();
    if !others.is_empty() {
        for words in &others {
            paragraph(out, "", &capitalised(words), wanted.width);
        }
        let hint = format!("--conditions shows {}.", if others.len() == 1 { "it" } else { "them" });
        let _ = writeln!(out, "  {}\n", paint(FAINT, hint));
    }
}

/// The conditions that fail, but for those of invariants that a run violates: the run says more.
fn breaches(out: &mut String, report: &ProveReport, checked: &Checked, wanted: Wanted) {
    let models = words::open_models(checked, wanted.all);
    let kinds = told::kinds(&models);
    let shown = if wanted.all { kinds.len() } else { SHOWN };
    for (model, others) in kinds.iter().take(shown) {
        let breach = told::breach(checked, model);
        snippet(out, report, checked, &breach.remark);
        breach::human(out, checked, model, &breach, wanted.width);
        let own = words::mover(checked, model);
        let mut names: Vec<String> = Vec::new();
        for name in others.iter().filter_map(|it| words::mover(checked, it)) {
            if Some(&name) != own.as_ref() && !names.contains(&name) {
                names.push(name);
            }
        }
        if !names.is_empty() {
            let text = format!("The same step of {} need not keep it, either.", told::list(&names));
            paragraph(out, "", &text, wanted.width);
        }
        breach::draft(out, &breach, wanted.width);
        out.push('\n');
    }
    let more: usize = kinds.iter().skip(shown).map(|(_, others)| 1 + others.len()).sum();
    if more > 0 {
        let fail = if more == 1 { "fails" } else { "fail" };
        let hint = format!("{} {fail}; --conditions shows all.", count(more, "more condition"));
        let _ = writeln!(out, "  {}\n", paint(FAINT, hint));
    }
}

/// A remark on source lines.
fn snippet(
    out: &mut String,
    report: &ProveReport,
    checked: &Checked,
    remark: &ser_syntax::Diagnostic,
) {
    let name = match report.source.as_ref().is_some_and(|it| it.text == checked.source.text) {
        true => visible(&report.name),
        false => format!("{} with what was found", visible(&report.name)),
    };
    let _ = writeln!(out, "{}\n", diagnostics::render(&name, &checked.source.text, remark));
}

/// Errors and warnings about the source, for standard error.
pub fn complaint(report: &ProveReport, warnings: bool) -> String {
    let mut out = String::new();
    let name = visible(&report.name);
    let text = report.source.as_ref().map_or("", |it| it.text.as_str());
    let mut show = |diagnostic: &ser_syntax::Diagnostic| {
        let _ = writeln!(out, "{}\n", diagnostics::render(&name, text, diagnostic));
    };
    match &report.result {
        Proven::Error(SourceError::Diagnostics(list)) => {
            list.iter().filter(|it| warnings || it.is_error()).for_each(&mut show);
        }
        Proven::Error(SourceError::Unreadable { message, help }) => {
            let _ = writeln!(out, "{}: {name}: {message}", paint(BAD, "error"));
            if let Some(help) = help {
                let _ = writeln!(out, "  help: {help}");
            }
            return out;
        }
        _ => {}
    }
    if warnings {
        report.warnings.iter().for_each(show);
    }
    out
}

/// One line about many files, of which the names of the verdicts are given.
pub fn summary(verdicts: &[&str]) -> String {
    let mut parts = Vec::new();
    for (name, words, style) in [
        ("proved", "proved", GOOD),
        ("refuted", "refuted", BAD),
        ("not_inductive", "not inductive", DOUBT),
        ("unknown", "unknown", DOUBT),
        ("error", "with errors", BAD),
    ] {
        match verdicts.iter().filter(|it| **it == name).count() {
            0 => {}
            n => parts.push(paint(style, format!("{} {words}", grouped(n)))),
        }
    }
    format!("{}: {}", count(verdicts.len(), "file"), parts.join(", "))
}
