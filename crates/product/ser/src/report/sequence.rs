//! Reports about protocols: for people, as JSON and as SARIF.
//!
//! The verdict comes first, in plain words. A protocol that is sequentialized is shown as the sequential program;
//! otherwise what is in the way is shown on its lines, then how far the rewriting came, then the run that goes
//! wrong, if there is one.

mod json;
mod run;
pub(crate) mod sarif;
mod words;

pub use json::json;

use super::human::{
    BAD, DOUBT, FAINT, GOOD, STRONG, capitalised, duration, helps, paint, paragraph, wrapped,
};
use crate::diagnostics;
use ser_model::Limits;
use ser_sequentialization_search::{Style, Verdict, nodes, simplify, small_instances, text_of};
use ser_session::sequence::{Checked, Instance, SequenceReport, Sequenced};
use ser_session::source::SourceError;
use ser_session::words::{count, grouped, visible};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::StmtId;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// How to report for people.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many columns there are.
    pub width: usize,
    /// Whether to show the sequential program with everything in it.
    pub raw: bool,
    /// Whether to leave the sequential program out.
    pub quiet: bool,
}

/// A sequential program as text.
pub(super) fn program(
    protocol: &Protocol,
    sequential: &[ser_sequentialization_checker::Sequential],
    unproved: &[StmtId],
    raw: bool,
) -> String {
    let unproved: BTreeSet<StmtId> = unproved.iter().copied().collect();
    let lines = match raw {
        true => nodes(protocol, sequential, Style::Raw),
        false => nodes(protocol, &simplify(protocol, sequential, &Limits::default()), Style::Readable),
    };
    match text_of(&lines, &unproved) {
        text if text.is_empty() => "skip; // nothing is assigned\n".to_owned(),
        text => text,
    }
}

/// The report for the terminal.
pub fn human(report: &SequenceReport, wanted: Wanted) -> String {
    let mut out = String::new();
    let style = match report.exit_code() {
        0 => GOOD,
        3 => DOUBT,
        _ => BAD,
    };
    let verdict = match &report.result {
        Sequenced::Instance(instance) => instance_verdict(instance),
        _ => report.verdict(),
    };
    let _ = writeln!(
        out,
        "{}: {} {}\n",
        paint(STRONG, visible(&report.name)),
        paint(style, verdict),
        paint(FAINT, format!("({})", duration(report.time))),
    );
    let width = wanted.width;
    match &report.result {
        Sequenced::Answer(checked) => answer(&mut out, report, checked, wanted),
        Sequenced::Instance(it) => instance(&mut out, report, it, wanted),
        Sequenced::Stopped(stop) => {
            paragraph(&mut out, "", &capitalised(&stop.to_string()), width);
            helps(&mut out, &["raise --timeout or --memory".to_owned()], width);
            out.push('\n');
        }
        Sequenced::Internal(message) => {
            paragraph(&mut out, "", &capitalised(super::INTERNAL), width);
            paragraph(&mut out, "", message, width);
            out.push('\n');
        }
        Sequenced::Error(_) => {}
    }
    out
}

fn instance_verdict(instance: &Instance) -> &'static str {
    match (instance.findings.none(), &instance.stopped) {
        (false, _) => "refuted",
        (true, None) => "nothing goes wrong",
        (true, Some(_)) => "unknown",
    }
}

fn answer(out: &mut String, report: &SequenceReport, checked: &Checked, wanted: Wanted) {
    let (protocol, answer, width) = (&checked.protocol, &checked.answer, wanted.width);
    match (&answer.outcome, answer.verdict) {
        (Some(_), Verdict::Verified) => paragraph(out, "", &words::verified(checked), width),
        (Some(_), _) => paragraph(out, "", words::only_deadlock_free(checked), width),
        (None, Verdict::Refuted) => paragraph(out, "", &words::goes_wrong(checked), width),
        (None, _) => {
            let text = "Neither a sequential program was found nor a run that goes wrong.";
            paragraph(out, "", text, width);
        }
    }
    out.push('\n');
    // What small instances say is said anyhow if there is a run to show.
    let said = small_instances(protocol, answer).filter(|_| answer.run.is_some());
    for diagnostic in &checked.diagnostics {
        let mut diagnostic = diagnostic.clone();
        diagnostic.help.retain(|help| Some(&help.message) != said.as_ref());
        if let Some(source) = &report.source {
            let name = visible(&report.name);
            let _ = writeln!(out, "{}\n", diagnostics::render(&name, &source.text, &diagnostic));
        }
    }
    if let Some(outcome) = &answer.outcome
        && !wanted.quiet
    {
        paragraph(out, "", words::program_title(checked), width);
        out.push('\n');
        let text = program(protocol, &outcome.sequential, &answer.unproved, wanted.raw);
        indented(out, &text);
        out.push('\n');
    }
    for note in words::server_notes(checked) {
        wrapped(out, "  note: ", "        ", &note, width);
        out.push('\n');
    }
    if let Some(failure) = &answer.failure
        && let (Some(prefix), false) = (&failure.prefix, wanted.quiet)
    {
        so_far(out, report, protocol, prefix, wanted);
    }
    if let (Some(run), Some(witness)) = (&answer.run, &answer.witness) {
        run::human(out, report, protocol, run, witness);
        out.push('\n');
    } else if answer.verdict == Verdict::Unknown
        && checked.diagnostics.is_empty()
        && let Some(small) = small_instances(protocol, answer)
    {
        paragraph(out, "", &capitalised(&small), width);
        out.push('\n');
    }
    if let Some(words) = words::accepted(checked) {
        let _ = writeln!(out, "  {}\n", paint(FAINT, format!("Checked independently: {words}.")));
    }
}

/// The longest prefix, what is left, and what is under way.
fn so_far(
    out: &mut String,
    report: &SequenceReport,
    protocol: &Protocol,
    prefix: &ser_sequentialization_checker::Prefix,
    wanted: Wanted,
) {
    let text = program(protocol, &prefix.sequential, &[], wanted.raw);
    if !prefix.sequential.is_empty() && !text.starts_with("skip") {
        let _ = writeln!(out, "  Sequentialized so far:\n");
        indented(out, &text);
        out.push('\n');
    }
    let left = words::left(report, protocol, prefix);
    if !left.is_empty() {
        let _ = writeln!(out, "  What is left:\n");
        let wide = left.iter().map(|it| it.who.chars().count()).max().unwrap_or(0);
        for it in &left {
            let more = match it.more {
                0 => String::new(),
                more => format!("   ... and {} after it", count(more, "statement")),
            };
            let line = paint(FAINT, format!("{:>4}", it.line));
            let _ =
                writeln!(out, "    {:wide$}  {line}  {}{}", it.who, it.text, paint(FAINT, more));
        }
        out.push('\n');
    }
    let under_way = words::under_way(report, protocol, prefix);
    if !under_way.is_empty() {
        let _ = writeln!(out, "  Messages under way:\n");
        for words in under_way {
            let _ = writeln!(out, "    {words}");
        }
        out.push('\n');
    }
}

fn instance(out: &mut String, report: &SequenceReport, instance: &Instance, wanted: Wanted) {
    let states = grouped(instance.states);
    let sizes = ser_sequentialization_search::sizes_text(&instance.protocol, &instance.sizes);
    let with = if sizes.is_empty() { String::new() } else { format!(" with {sizes}") };
    let text = match (&instance.stopped, instance.findings.none()) {
        (None, true) if instance.protocol.processes.iter().any(|it| it.server) => format!(
            "All runs{with} end well: nobody who is no server waits for ever, nobody fails, and every message is received, but perhaps for those that servers send unasked ({states} states)."
        ),
        (None, true) => format!(
            "All runs{with} end well: nobody waits for ever, nobody fails, and every message is received ({states} states)."
        ),
        (Some(stop), true) => {
            format!("Nothing goes wrong{with} in the {states} states that were looked at: {stop}.")
        }
        (_, false) => format!("Of the runs{with}, {}.", words::findings(instance)),
    };
    paragraph(out, "", &text, wanted.width);
    out.push('\n');
    if let (Some(run), Some(witness)) = (&instance.run, &instance.witness) {
        run::human(out, report, &instance.protocol, run, witness);
        out.push('\n');
    }
}

fn indented(out: &mut String, text: &str) {
    for line in text.lines() {
        let _ = writeln!(out, "      {line}");
    }
}

/// Errors and warnings about the source, for standard error.
pub fn complaint(report: &SequenceReport, warnings: bool) -> String {
    let mut out = String::new();
    let name = visible(&report.name);
    let text = report.source.as_ref().map_or("", |it| it.text.as_str());
    let mut show = |diagnostic: &ser_syntax::Diagnostic| {
        let _ = writeln!(out, "{}\n", diagnostics::render(&name, text, diagnostic));
    };
    match &report.result {
        Sequenced::Error(SourceError::Diagnostics(list)) => {
            list.iter().filter(|it| warnings || it.is_error()).for_each(&mut show);
        }
        Sequenced::Error(SourceError::Unreadable { message, help }) => {
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
    for (name, style) in
        [("sequentialized", GOOD), ("refuted", BAD), ("unknown", DOUBT), ("error", BAD)]
    {
        match verdicts.iter().filter(|it| **it == name).count() {
            0 => {}
            n if name == "error" => parts.push(paint(style, format!("{} with errors", grouped(n)))),
            n => parts.push(paint(style, format!("{} {name}", grouped(n)))),
        }
    }
    format!("{}: {}", count(verdicts.len(), "file"), parts.join(", "))
}
