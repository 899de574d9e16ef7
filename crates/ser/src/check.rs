//! Checking one source: from its text to an answer that the independent checker has accepted.

use crate::explain::{Explanation, explain};
use crate::smtlib;
use crate::source::{Model, ModelError, Source, SourceError};
use crate::trace::{TraceStep, trace};
use ser_cert::{Accepted, Certificate, Reason};
use ser_engine::{
    Answer, Options, Progress, Proof, Refutation, SerialRuns, Sizes, Unknown, certify,
    closest_serial_runs, decide,
};
use ser_lang::Diagnostic;
use ser_model::{ExploreError, Limits};
use ser_net::SerialAutomaton;
use std::time::{Duration, Instant};

/// What `ser check` has to say about one file.
#[derive(Debug)]
pub struct Report {
    /// How the user calls the file.
    pub name: String,
    /// The source, unless it could not be read.
    pub source: Option<Source>,
    /// The meaning of the source, if it has one.
    pub model: Option<Model>,
    /// Warnings about the source.
    pub warnings: Vec<Diagnostic>,
    /// The answer.
    pub verdict: Verdict,
    /// Sizes of the net.
    pub sizes: Sizes,
    /// Wall time from reading the source to the checked answer.
    pub time: Duration,
}

impl Report {
    /// The proof as an SMT-LIB script, if there is a proof.
    pub fn smtlib(&self) -> Option<String> {
        let (Some(model), Verdict::Serializable { proof, certificate, .. }) =
            (&self.model, &self.verdict)
        else {
            return None;
        };
        smtlib::script(model.system(), proof, certificate)
    }
}

/// The answer about one file.
#[derive(Debug)]
pub enum Verdict {
    /// Every outcome is serial. The certificate has been accepted.
    Serializable {
        /// The proof, in words.
        explanation: Explanation,
        /// The proof itself.
        proof: Box<Proof>,
        /// The certificate.
        certificate: Certificate,
        /// What the checker established.
        accepted: Accepted,
    },
    /// Some outcome is not serial. The certificate has been accepted.
    NotSerializable {
        /// The run.
        refutation: Refutation,
        /// The run, for people.
        steps: Vec<TraceStep>,
        /// Serial runs of the same requests.
        serial: SerialRuns,
        /// The certificate.
        certificate: Certificate,
        /// What the checker established.
        accepted: Accepted,
    },
    /// The engine found neither a proof nor a counterexample.
    Unknown(Unknown),
    /// The states of the program cannot be enumerated.
    TooLarge(ExploreError),
    /// The source is wrong.
    Error(SourceError),
    /// There is an answer, but the limits were not enough to check its certificate.
    Unchecked(String),
    /// A defect of ser itself: its own checker rejected its answer, which is therefore withheld.
    Internal(String),
}

/// Reads and checks one file.
pub fn check_file(
    name: &str,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> Report {
    let started = Instant::now();
    match Source::read(name) {
        Ok(source) => check_source(source, options, limits, progress, started),
        Err(error) => {
            let report = Report::failed(name, None, Verdict::Error(error));
            Report { time: started.elapsed(), ..report }
        }
    }
}

impl Report {
    /// A report without a model.
    pub fn failed(name: &str, source: Option<Source>, verdict: Verdict) -> Report {
        Report {
            name: name.to_owned(),
            source,
            model: None,
            warnings: Vec::new(),
            verdict,
            sizes: Sizes::default(),
            time: Duration::ZERO,
        }
    }
}

fn check_source(
    source: Source,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
    started: Instant,
) -> Report {
    let mut report = Report::failed(&source.name, None, Verdict::Internal(String::new()));
    report.verdict = match source.model(limits) {
        Err(ModelError::Source(error)) => Verdict::Error(error),
        Err(ModelError::Explore(error)) => Verdict::TooLarge(error),
        Ok((model, warnings)) => {
            let (answer, sizes) = decide(model.system(), options, limits, progress);
            report.sizes = sizes;
            report.warnings = warnings;
            let verdict = verdict(&source, &model, answer, limits);
            report.model = Some(model);
            verdict
        }
    };
    report.source = Some(source);
    report.time = started.elapsed();
    report
}

/// Turns an answer into a verdict, if the checker agrees.
fn verdict(source: &Source, model: &Model, answer: Answer, limits: &Limits) -> Verdict {
    let system = model.system();
    let bytes = source.text.as_bytes();
    let Some(certificate) = certify(&answer, system, &source.name, bytes) else {
        return match answer {
            Answer::Unknown(unknown) => Verdict::Unknown(*unknown),
            _ => Verdict::Internal("there is no certificate for the answer".into()),
        };
    };
    // The answer is there; checking it gets as much time again, and the same memory.
    // The limit on states is about the program, and has been kept.
    let max_states = limits.max_states.max(Limits::default().max_states);
    let limits = Limits { max_states, ..limits.clone() };
    let limits = match limits.deadline {
        Some((_, timeout)) => limits.with_timeout(timeout),
        None => limits,
    };
    let accepted = match ser_cert::check(&certificate, bytes, system, &limits) {
        Ok(accepted) => accepted,
        Err(rejection) => {
            let words = rejection.to_string();
            return match rejection.reason {
                Reason::Stopped(_) | Reason::TooManyEntries { .. } | Reason::TooMuchWork { .. } => {
                    Verdict::Unchecked(words)
                }
                _ => Verdict::Internal(words),
            };
        }
    };
    match answer {
        Answer::Serializable(proof) => {
            let explanation = explain(source, model, &proof);
            Verdict::Serializable { explanation, proof, certificate, accepted }
        }
        Answer::NotSerializable(refutation) => {
            let serial = match SerialAutomaton::new(system, &limits) {
                Ok(automaton) => closest_serial_runs(&automaton, &refutation.outcome),
                Err(_) => SerialRuns::TooMany,
            };
            let steps = trace(source, model, &refutation.run);
            Verdict::NotSerializable {
                refutation: *refutation,
                steps,
                serial,
                certificate,
                accepted,
            }
        }
        Answer::Unknown(unknown) => Verdict::Unknown(*unknown),
    }
}

impl Verdict {
    /// The exit code of `ser check` for this answer alone.
    pub fn exit_code(&self) -> u8 {
        match self {
            Verdict::Serializable { .. } => 0,
            Verdict::NotSerializable { .. } => 1,
            Verdict::Error(_) => 2,
            Verdict::Unknown(_)
            | Verdict::TooLarge(_)
            | Verdict::Unchecked(_)
            | Verdict::Internal(_) => 3,
        }
    }

    /// The name of the verdict in machine-readable output.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Serializable { .. } => "serializable",
            Verdict::NotSerializable { .. } => "not_serializable",
            Verdict::Error(_) => "error",
            Verdict::Unknown(_)
            | Verdict::TooLarge(_)
            | Verdict::Unchecked(_)
            | Verdict::Internal(_) => "unknown",
        }
    }

    /// The certificate, if there is one.
    pub fn certificate(&self) -> Option<&Certificate> {
        match self {
            Verdict::Serializable { certificate, .. }
            | Verdict::NotSerializable { certificate, .. } => Some(certificate),
            _ => None,
        }
    }
}

/// The exit code over several files: the most serious one, in the order 2, 1, 3, 0.
pub fn most_serious(codes: impl IntoIterator<Item = u8>) -> u8 {
    codes.into_iter().max_by_key(|code| [0, 2, 3, 1][usize::from(*code).min(3)]).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::most_serious;

    #[test]
    fn the_most_serious_code_wins() {
        assert_eq!(most_serious([]), 0);
        assert_eq!(most_serious([0, 3]), 3);
        assert_eq!(most_serious([3, 1, 0]), 1);
        assert_eq!(most_serious([1, 2, 3]), 2);
    }
}
