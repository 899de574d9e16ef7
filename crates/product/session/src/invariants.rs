//! The reports about invariants that the command line and the editor still render themselves.

pub use crate::invariance::{Checked, Inferred, Invariance as Wish, Shown, unknown_words};

/// What is known about invariants, in words.
pub mod told {
    pub use crate::invariance::Draft;
    pub use crate::invariance::breach::{Breach, Broken, Standing, breach, kinds, remark};
    pub use crate::invariance::run::{Moment, Told, run, run_remark, start};
    pub use crate::invariance::words::*;
    pub use ser_report::text::and as list;
}

use crate::invariance::{self, Found};
use crate::source::{Kind, Source, SourceError};
use ser_invariance_checker::Certificate;
use ser_invariance_search::answer::Verdict;
use ser_model::{Limits, Stop};
use ser_syntax::Diagnostic;
use ser_syntax::inv::System;
use std::time::{Duration, Instant};

/// What is known about one file.
#[derive(Debug)]
pub struct ProveReport {
    /// How the user calls it.
    pub name: String,
    /// The source, if it could be read. Places in the result are places in [`Checked::source`].
    pub source: Option<Source>,
    /// What is odd about it.
    pub warnings: Vec<Diagnostic>,
    /// How long it took.
    pub time: Duration,
    /// What was found.
    pub result: Proven,
}

/// What was found about a file.
#[derive(Debug)]
pub enum Proven {
    /// An answer whose certificate the checker has accepted (if it has one).
    Answer(Box<Checked>),
    /// The limits came first.
    Stopped(Stop),
    /// There is an answer, but the limits were not enough to check it.
    Unchecked(String),
    /// The checker did not accept the answer, or it contradicts itself. It is therefore withheld.
    Internal(String),
    /// The source is wrong.
    Error(SourceError),
}

impl ProveReport {
    /// A report without an answer.
    pub fn new(name: &str, source: Option<Source>, result: Proven) -> ProveReport {
        let (name, time) = (name.to_owned(), Duration::ZERO);
        ProveReport { name, source, warnings: Vec::new(), time, result }
    }

    /// How the verdict is called in reports.
    pub fn verdict(&self) -> &'static str {
        match self.exit_code() {
            0 => "proved",
            1 => "refuted",
            2 => "error",
            4 => "not_inductive",
            _ => "unknown",
        }
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match &self.result {
            Proven::Answer(checked) => match checked.verdict {
                Verdict::Proved => 0,
                Verdict::Refuted(_) => 1,
                Verdict::NotInductive => 4,
                Verdict::Unknown(_) | Verdict::Contradiction(_) => 3,
            },
            Proven::Stopped(_) | Proven::Unchecked(_) | Proven::Internal(_) => 3,
            Proven::Error(_) => 2,
        }
    }

    /// The answer, if there is one.
    pub fn checked(&self) -> Option<&Checked> {
        match &self.result {
            Proven::Answer(checked) => Some(checked),
            _ => None,
        }
    }

    /// The certificate that the checker has accepted.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.checked()?.certificate.as_ref()
    }
}

/// The exit code over several files: the most serious one, in the order 2, 1, 4, 3, 0.
pub fn most_serious(codes: impl IntoIterator<Item = u8>) -> u8 {
    codes.into_iter().max_by_key(|code| [0, 3, 4, 1, 2][usize::from(*code).min(4)]).unwrap_or(0)
}

/// The system in a source, and what is odd about it.
pub fn system_of(source: &Source) -> Result<(System, Vec<Diagnostic>), SourceError> {
    let unreadable = |message: &str, help: &str| Err(SourceError::unreadable(message, help));
    match source.kind {
        Kind::Invariants | Kind::Net => {}
        Kind::Program => {
            return unreadable(
                "these are request handlers, and `ser prove` reads threads with invariants (.inv)",
                "`ser check` tells whether they are serializable",
            );
        }
        Kind::System => {
            return unreadable(
                "this is a network system, and `ser prove` reads threads with invariants (.inv)",
                "`ser check` tells whether it is serializable",
            );
        }
        Kind::Processes | Kind::Unwinding => {
            return unreadable(
                "`ser prove` reads threads with invariants (.inv)",
                "`ser trace` tells what this file can reach",
            );
        }
        Kind::Protocol => {
            return unreadable(
                "these are processes that send messages, and `ser prove` reads threads with invariants (.inv)",
                "`ser sequentialize` looks at them",
            );
        }
    }
    invariance::system_of(&source.text).map_err(SourceError::Diagnostics)
}

/// Answers what is known about the invariants in a source.
pub fn prove_source(source: &Source, wish: &Wish, limits: &Limits) -> ProveReport {
    let start = Instant::now();
    let failed = |error| ProveReport::new(&source.name, Some(source.clone()), Proven::Error(error));
    if let Err(error) = system_of(source) {
        return failed(error);
    }
    let (found, warnings) = match wish.found(source, limits, &|_| {}) {
        Ok(both) => both,
        Err(error) => return failed(error),
    };
    let result = match found {
        Found::Answer(checked) => Proven::Answer(checked),
        Found::Nothing => Proven::Error(invariance::nothing_to_prove()),
        Found::Stopped(stop) => Proven::Stopped(stop),
        Found::Unchecked(words) => Proven::Unchecked(words),
        Found::Rejected(words) => Proven::Internal(words),
    };
    let (name, time) = (source.name.clone(), start.elapsed());
    ProveReport { name, source: Some(source.clone()), warnings, time, result }
}
