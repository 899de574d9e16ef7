//! What a check has found out, as an editor wants it: remarks on places of the text.
//!
//! A [`Decision`] holds the whole model and stays in the thread that made it. What the server keeps
//! for each document is this: plain data, small, and tied to the text that was checked by the
//! revision it travels with.

mod invariants;

use crate::interleaving::Interleaving;
use ser_session::sequence::{SequenceReport, Sequenced};
use ser_session::serializability::causes::PauseBlame;
use ser_session::serializability::explain::ExplanationKind;
use ser_session::serializability::words;
use ser_session::source::{Kind, SourceError};
use ser_session::{Decision, Verdict};
use ser_syntax::{Diagnostic, Span};
use std::collections::BTreeMap;
use std::time::Duration;

/// The verdict in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// Proved.
    Serializable,
    /// There is an interleaving that no serial order explains.
    NotSerializable,
    /// A protocol is a sequential program, for any number of processes.
    Sequentialized,
    /// A run of a protocol goes wrong, or violates an invariant.
    Refuted,
    /// Invariants hold, for any number of threads.
    Proved,
    /// No run violates an invariant, but the proof does not go through.
    NotInductive,
    /// Neither proof nor counterexample.
    Unknown,
    /// The source has no meaning.
    Error,
}

impl Conclusion {
    /// As `ser check --format json`, `ser sequentialize --format json` and `ser prove --format json` say it.
    pub fn name(self) -> &'static str {
        match self {
            Conclusion::Serializable => "serializable",
            Conclusion::NotSerializable => "not_serializable",
            Conclusion::Sequentialized => "sequentialized",
            Conclusion::Refuted => "refuted",
            Conclusion::Proved => "proved",
            Conclusion::NotInductive => "not_inductive",
            Conclusion::Unknown => "unknown",
            Conclusion::Error => "error",
        }
    }
}

/// How much a remark wants to be seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weight {
    /// The source has no meaning.
    Error,
    /// The program does what it probably should not.
    Warning,
    /// Good to know.
    Information,
}

/// Something to say at a place, with other places that explain it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The place; nothing if it is about the whole.
    pub span: Option<Span>,
    /// How much it wants to be seen.
    pub weight: Weight,
    /// A stable name.
    pub code: &'static str,
    /// What to say.
    pub message: String,
    /// Other places, in order.
    pub related: Vec<(Span, String)>,
}

/// What a check has found out about one text.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The verdict.
    pub conclusion: Conclusion,
    /// The verdict in one sentence.
    pub summary: String,
    /// The reason of a proof in one sentence, if it is one.
    pub proof: Option<String>,
    /// How long the check took.
    pub time: Duration,
    /// Warnings, those that only the model can give included; nothing if the check could give none.
    pub warnings: Option<Vec<Diagnostic>>,
    /// The verdict as remarks, unless all is well.
    pub remarks: Vec<Remark>,
    /// The run that no serial order explains.
    pub interleaving: Option<Interleaving>,
}

impl Findings {
    /// Nothing is known.
    fn empty(time: Duration) -> Findings {
        Findings {
            conclusion: Conclusion::Unknown,
            summary: String::new(),
            proof: None,
            time,
            warnings: None,
            remarks: Vec::new(),
            interleaving: None,
        }
    }

    /// What a report says.
    pub fn new(report: &Decision) -> Findings {
        let mut findings = Findings::empty(report.time);
        let is_program = report.source.as_ref().is_some_and(|s| s.kind == Kind::Program);
        if is_program && !matches!(report.verdict, Verdict::Error(_)) {
            findings.warnings = Some(report.warnings.clone());
        }
        match &report.verdict {
            Verdict::Serializable { explanation, .. } => {
                findings.conclusion = Conclusion::Serializable;
                findings.summary = format!("serializable: {}", in_short(explanation.kind));
                findings.proof = Some(explanation.headline.clone());
            }
            Verdict::NotSerializable { .. } => findings.refuted(report),
            Verdict::Error(error) => {
                findings.conclusion = Conclusion::Error;
                findings.summary = format!("error: {}", words::source_error(error));
                findings.remarks.extend(source_remark(report, error));
            }
            Verdict::Unknown(unknown) => {
                let (reason, help) = words::unknown(unknown);
                findings.unknown(reason, None, &help);
            }
            Verdict::TooLarge(error) => {
                let (reason, span, help) = words::too_large(&report.name, error);
                findings.unknown(reason, span, &help);
            }
            Verdict::Stopped { stop, doing } => {
                let (reason, help) = words::stopped(&report.name, stop, *doing);
                findings.unknown(reason, None, &help);
            }
            Verdict::NotChecked => findings.unknown(words::not_checked().0, None, &[]),
            Verdict::Unchecked(message) => {
                let reason =
                    format!("the answer could not be checked within the limits: {message}");
                findings.unknown(reason, None, &[]);
            }
            Verdict::Internal(message) => {
                let reason =
                    format!("a defect of ser: its own checker rejected the answer: {message}");
                findings.unknown(reason, None, &[]);
            }
        }
        findings
    }

    /// What a report about a protocol says.
    pub fn of_protocol(report: &SequenceReport) -> Findings {
        let mut findings = Findings::empty(report.time);
        match &report.result {
            Sequenced::Answer(checked) => {
                findings.warnings = Some(report.warnings.clone());
                let first = checked.diagnostics.first();
                let message = first.map_or("", |it| it.message.as_str());
                (findings.conclusion, findings.summary) = match checked.answer.verdict {
                    ser_sequentialization_search::Verdict::Verified => (
                        Conclusion::Sequentialized,
                        "sequentialized: nobody waits for ever, for any number of processes"
                            .to_owned(),
                    ),
                    ser_sequentialization_search::Verdict::Refuted => {
                        (Conclusion::Refuted, format!("refuted: {message}"))
                    }
                    ser_sequentialization_search::Verdict::Unknown => {
                        (Conclusion::Unknown, format!("unknown: {message}"))
                    }
                };
                let weight = match findings.conclusion {
                    Conclusion::Refuted => Weight::Warning,
                    _ => Weight::Information,
                };
                findings.remarks.extend(first.map(|it| told(it, weight)));
            }
            Sequenced::Stopped(stop) => findings.unknown(stop.to_string(), None, &[]),
            Sequenced::Internal(message) => {
                let reason = format!("a defect of ser: the kernel rejected the answer: {message}");
                findings.unknown(reason, None, &[]);
            }
            Sequenced::Error(error) => {
                findings.conclusion = Conclusion::Error;
                findings.summary = format!("error: {}", words::source_error(error));
            }
            // Nobody asks the server for one instance.
            Sequenced::Instance(_) => {}
        }
        findings
    }

    fn refuted(&mut self, report: &Decision) {
        self.conclusion = Conclusion::NotSerializable;
        let (Some(interleaving), Some(model)) = (Interleaving::of(report), &report.model) else {
            return;
        };
        let Verdict::NotSerializable { refutation, .. } = &report.verdict else { return };
        let requests = ser_report::text::count(refutation.requests, "request");
        let responses = words::responses(model.system(), &refutation.outcome).join("; ");
        let verb = if refutation.requests == 1 { "ends" } else { "end" };
        self.summary = format!(
            "not serializable: {requests} can {verb} with responses that no serial order gives: {responses}"
        );
        let steps = interleaving.steps.iter().enumerate();
        let related =
            steps.map(|(i, step)| (step.span, format!("{}. {}", i + 1, step.message))).collect();
        let blame = interleaving.pauses.get(&interleaving.blame);
        let blame = blame.and_then(words::causes::verdict);
        let blame = blame.map_or(String::new(), |words| format!("\n{words}."));
        self.remarks.push(Remark {
            span: Some(interleaving.blame),
            weight: Weight::Warning,
            code: "not-serializable",
            message: format!("{}{blame}", self.summary),
            related,
        });
        self.interleaving = Some(interleaving);
    }

    fn unknown(&mut self, reason: String, span: Option<Span>, help: &[String]) {
        self.summary = format!("unknown: {reason}");
        // Ways out are options of the command line, except those that name no option.
        let help = help.iter().filter(|h| !h.contains("--")).map(|h| format!("\nhelp: {h}"));
        let message = std::iter::once(self.summary.clone()).chain(help).collect();
        self.remarks.push(Remark {
            span,
            weight: Weight::Information,
            code: "unknown",
            message,
            related: Vec::new(),
        });
    }

    /// What is known about the pauses, by the place of their `yield`.
    pub fn pauses(&self) -> Option<&BTreeMap<Span, PauseBlame>> {
        self.interleaving.as_ref().map(|i| &i.pauses)
    }
}

/// What is in the way of a sequential program or of a proof.
fn told(told: &Diagnostic, weight: Weight) -> Remark {
    let label = match told.primary.message.as_str() {
        "" => String::new(),
        label => format!(": {label}"),
    };
    let help = told.help.iter().map(|help| format!("\nhelp: {}", help.message));
    Remark {
        span: Some(told.primary.span),
        weight,
        code: told.code,
        message: std::iter::once(format!("{}{label}", told.message)).chain(help).collect(),
        related: told.secondary.iter().map(|it| (it.span, it.message.clone())).collect(),
    }
}

/// A proof in a few words.
fn in_short(kind: ExplanationKind) -> &'static str {
    match kind {
        ExplanationKind::AtOnce => "nothing can interleave",
        ExplanationKind::Harmless => "every pause is harmless",
        ExplanationKind::Inclusion | ExplanationKind::Arithmetic => {
            "every outcome is also that of a serial order"
        }
    }
}

/// What is wrong with a source that is not a program; a program's errors are known from its text.
fn source_remark(report: &Decision, error: &SourceError) -> Option<Remark> {
    let (message, span) = match error {
        SourceError::Diagnostics(_) | SourceError::Argument { .. } => return None,
        SourceError::Unreadable { message, help } => (with_help(message, help.as_ref()), None),
        SourceError::At { path, message, help } => {
            let text = report.source.as_ref().map_or("", |s| &s.text);
            let message = format!("{message} (at {path})");
            (with_help(&message, help.as_ref()), line_and_column(text, path))
        }
    };
    Some(Remark { span, weight: Weight::Error, code: "input", message, related: Vec::new() })
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
