//! The reports about protocols that the command line and the editor still render themselves.

pub use crate::sequentialization::{Assertions, Checked, Instance};

use crate::sequentialization::{self, Found, Sequentialization};
use crate::source::{Kind, Source, SourceError};
use ser_model::{Limits, Stop};
use ser_sequentialization_checker::Certificate;
use ser_sequentialization_search::Verdict;
use ser_syntax::Diagnostic;
use ser_syntax::icet::Protocol;
use std::time::{Duration, Instant};
/// What is known about one file.
#[derive(Debug)]
pub struct SequenceReport {
    /// How the user calls it.
    pub name: String,
    /// The source, if it could be read.
    pub source: Option<Source>,
    /// What is odd about it.
    pub warnings: Vec<Diagnostic>,
    /// How long it took.
    pub time: Duration,
    /// What was found.
    pub result: Sequenced,
}
/// What was found about a file.
#[derive(Debug)]
pub enum Sequenced {
    /// An answer whose certificate the kernel has accepted (if it has one).
    Answer(Box<Checked>),
    /// What runs with some sizes do.
    Instance(Box<Instance>),
    /// The limits came first.
    Stopped(Stop),
    /// The kernel did not accept the answer, which is therefore withheld.
    Internal(String),
    /// The source is wrong.
    Error(SourceError),
}
impl SequenceReport {
    /// A report without an answer.
    pub fn new(name: &str, source: Option<Source>, result: Sequenced) -> SequenceReport {
        let (name, time) = (name.to_owned(), Duration::ZERO);
        SequenceReport { name, source, warnings: Vec::new(), time, result }
    }

    /// How the verdict is called in reports.
    pub fn verdict(&self) -> &'static str {
        match self.exit_code() {
            0 => "sequentialized",
            1 => "refuted",
            2 => "error",
            _ => "unknown",
        }
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match &self.result {
            Sequenced::Answer(checked) => match checked.answer.verdict {
                Verdict::Verified => 0,
                Verdict::Refuted => 1,
                Verdict::Unknown => 3,
            },
            Sequenced::Instance(instance) if !instance.findings.none() => 1,
            Sequenced::Instance(instance) if instance.stopped.is_none() => 0,
            Sequenced::Instance(_) | Sequenced::Stopped(_) | Sequenced::Internal(_) => 3,
            Sequenced::Error(_) => 2,
        }
    }

    /// The certificate that the kernel has accepted.
    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.result {
            Sequenced::Answer(checked) => checked.answer.certificate.as_ref(),
            _ => None,
        }
    }

    /// Whether nobody who is no server waits for ever, for all sizes, is known.
    pub fn is_deadlock_free(&self) -> bool {
        match &self.result {
            Sequenced::Answer(checked) => checked.answer.outcome.is_some(),
            _ => false,
        }
    }
}
/// The protocol in a source, and what is odd about it.
pub fn protocol_of(source: &Source) -> Result<(Protocol, Vec<Diagnostic>), SourceError> {
    let unreadable = |message: &str, help: &str| Err(SourceError::unreadable(message, help));
    match source.kind {
        Kind::Protocol => {}
        Kind::Program => {
            return unreadable(
                "these are request handlers, and `ser sequentialize` reads protocols (.icet)",
                "`ser check` tells whether they are serializable",
            );
        }
        Kind::System => {
            return unreadable(
                "this is a network system, and `ser sequentialize` reads protocols (.icet)",
                "`ser check` tells whether it is serializable",
            );
        }
        Kind::Processes | Kind::Unwinding => {
            return unreadable(
                "`ser sequentialize` reads protocols (.icet)",
                "`ser trace` tells what this file can reach",
            );
        }
        Kind::Invariants | Kind::Net => {
            return unreadable(
                "these are threads with invariants, and `ser sequentialize` reads protocols (.icet)",
                "`ser prove` proves the invariants",
            );
        }
    }
    let parse = ser_editing::icet::parse(&source.text);
    if parse.has_errors() {
        return Err(SourceError::Diagnostics(parse.diagnostics));
    }
    Ok((parse.protocol, parse.diagnostics))
}

/// Answers what is known about the protocol in a source.
pub fn sequentialize_source(source: &Source, limits: &Limits) -> SequenceReport {
    answered(source, &Sequentialization::default(), limits)
}

/// Tells what all runs with sets of these sizes have in common.
pub fn explore_source(source: &Source, sizes: &[(String, u32)], limits: &Limits) -> SequenceReport {
    let method = Sequentialization { sizes: Some(sizes.to_vec()), raw: false, promela: false };
    answered(source, &method, limits)
}

fn answered(source: &Source, method: &Sequentialization, limits: &Limits) -> SequenceReport {
    let start = Instant::now();
    let (result, warnings) = match protocol_of(source) {
        Err(error) => (Sequenced::Error(error), Vec::new()),
        Ok((protocol, warnings)) => {
            let found = match &method.sizes {
                None => Ok(sequentialization::sequentialized(&source.text, protocol, limits)),
                Some(sizes) => sizes_of(&protocol, sizes).map(|sizes| {
                    sequentialization::explored(&source.text, protocol, sizes, limits)
                }),
            };
            let result = match found {
                Ok(Found::Answer(checked)) => Sequenced::Answer(checked),
                Ok(Found::Instance(instance)) => Sequenced::Instance(instance),
                Ok(Found::Stopped(stop)) => Sequenced::Stopped(stop),
                Ok(Found::Unchecked(words) | Found::Rejected(words)) => Sequenced::Internal(words),
                Err((message, help)) => Sequenced::Error(SourceError::unreadable(message, help)),
            };
            (result, warnings)
        }
    };
    let (name, time) = (source.name.clone(), start.elapsed());
    SequenceReport { name, source: Some(source.clone()), warnings, time, result }
}

/// The sizes of all sets, in the order of the file; or what is wrong, and what to do.
pub fn sizes_of(
    protocol: &Protocol,
    given: &[(String, u32)],
) -> Result<Vec<u32>, (String, String)> {
    sequentialization::sizes_of(protocol, given).map_err(|error| match error {
        ser_report::SourceError::Unreadable { message, help } => {
            (message, help.unwrap_or_default())
        }
        error => (error.sentence(), String::new()),
    })
}
