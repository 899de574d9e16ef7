//! Reads and checks certificates.

use crate::certificate::{Certificate, Claim, FORMAT, VERSION};
use crate::control::Control;
use crate::interpreter::replay;
use crate::proof;
use crate::rejection::{Reason, Rejection};
use crate::run::Shows;
use ser_base::Limits;
use ser_base::LineIndex;
use ser_syntax::inv::System;
use thiserror::Error;

/// What was shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// These invariants hold in every reachable state, for every number of threads. A run ends with
    /// the first step that is an error.
    Proved {
        /// Their names, in the order of the certificate.
        invariants: Vec<String>,
        /// Whether it was shown that no step is an error.
        safe: bool,
        /// How many cases were checked.
        conditions: usize,
        /// In how many of them something had to be shown at all, because the step could touch what
        /// is claimed.
        shown: usize,
        /// For how many of these the solver had to search.
        searched: usize,
        /// How many lemmas were used.
        lemmas: usize,
    },
    /// An invariant is violated, or a step is an error.
    Refuted {
        /// What the run shows.
        shows: Shows,
        /// How many threads it has.
        threads: u32,
        steps: usize,
    },
}

/// A text that is no certificate.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: this is no certificate of invariants: {what}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

/// Reads a certificate.
///
/// ```
/// let error = ser_invariance_checker::read("{}").unwrap_err();
/// assert!(error.to_string().contains("format"), "{error}");
/// ```
pub fn read(text: &str) -> Result<Certificate, ReadError> {
    serde_json::from_str(text).map_err(|error| ReadError {
        line: error.line(),
        column: error.column(),
        what: error.to_string(),
    })
}

/// Checks a certificate: its claim about its file holds if this gives a verdict.
pub fn check(certificate: &Certificate, limits: &Limits) -> Result<Verdict, Rejection> {
    let Certificate { format, version, source, claim } = certificate;
    if format != FORMAT || *version != VERSION {
        return Err(Reason::Format { format: format.clone(), version: *version }.into());
    }
    let parse = ser_syntax::inv::parse(source);
    if let Some(error) = parse.diagnostics.iter().find(|it| it.is_error()) {
        return Err(Reason::Source { what: error.message.clone() }.into());
    }
    check_claim(&parse.system, &LineIndex::new(source), claim, limits)
}

/// Checks a claim about a system.
pub(crate) fn check_claim(
    system: &System,
    lines: &LineIndex,
    claim: &Claim,
    limits: &Limits,
) -> Result<Verdict, Rejection> {
    let control = Control::new(system)?;
    match claim {
        Claim::Proved { terms, nodes, safety } => {
            let safety = safety.as_deref();
            proof::check(system, &control, lines, limits, proof::Parts { terms, nodes, safety })
        }
        Claim::Refuted(run) => {
            replay(system, &control, lines, run, limits, &mut |_| {})?;
            Ok(Verdict::Refuted {
                shows: run.shows.clone(),
                threads: run.threads,
                steps: run.steps.len(),
            })
        }
    }
}
