//! Checking one source: from its text to an answer that the independent checker has accepted.

use super::causes::Causes;
use super::explain::{
    Explanation, explain, explain_no_yield, explain_rules, explain_slices, explain_symbolic, pauses,
};
use super::stages::{StageName, Stages, Stopwatch};
use crate::method::checking_limits;
use crate::source::{Kind, Model, ModelError, Source, SourceError, all_warnings};
use crate::trace::{TraceStep, trace};
use ser_base::{Limits, Stop};
use ser_model::{ExploreError, ProgramModel};
use ser_serializability_checker::{
    self as checker, Accepted, Certificate, Reason, Rejection, Scope, Slice,
};
use ser_serializability_search::{
    Answer, Decided, DecidedSlice, LargeUnknown, Options, PartRefutation, Progress, Proof,
    Refutation, SerialRuns, Sizes, StepAt, Subject, Unknown, certify, certify_along,
    certify_no_yield, certify_part, certify_rules, certify_slices, certify_symbolic,
    closest_serial_runs, decide, decide_program, decide_strictly, in_slice,
};
use ser_syntax::core::Program;
use ser_syntax::{Diagnostic, Parse};
use std::time::{Duration, Instant};

/// The checked answer about one source, and all that was found on the way to it.
#[derive(Clone, Debug)]
pub struct Decision {
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
    /// Whether strict serializability was asked for.
    pub strict: bool,
    /// Why it breaks, once that was asked for (see [`crate::find_causes`]).
    pub causes: Option<Causes>,
    /// What was found out about a large program without listing its global states.
    pub in_parts: Option<InParts>,
    /// The slices of the program with what is known about each, if it was decided slice by slice
    /// and no counterexample was found.
    pub slices: Vec<(Slice, Decision)>,
    /// Sizes of the net.
    pub sizes: Sizes,
    /// Wall time from reading the source to the checked answer.
    pub time: Duration,
    /// How that time divides among the stages.
    pub stages: Stages,
}

/// What was found out about a large program, without an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InParts {
    /// How far proof and search got.
    pub unknown: LargeUnknown,
    /// The yield points that are not known to be harmless, in words.
    pub pauses: Vec<String>,
}

/// The answer about one file.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every outcome is serial. The certificate has been accepted.
    Serializable {
        /// The proof, in words.
        explanation: Explanation,
        /// The proof itself; nothing for one about rules or the text, which the certificate
        /// contains in full.
        proof: Option<Box<Proof>>,
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
        certificate: Certificate,
        /// What the checker established.
        accepted: Accepted,
    },
    /// The engine found neither a proof nor a counterexample.
    Unknown(Unknown),
    /// The states of the program cannot be enumerated. Without values, these steps do not commute.
    TooLarge(ExploreError, Option<Box<[StepAt; 2]>>),
    /// The source is wrong.
    Error(SourceError),
    /// A limit was reached before the engine could report how far it got, or it was left behind
    /// because it did not check the limit.
    Stopped {
        /// The limit.
        stop: Stop,
        /// What it was doing, if it has reported that.
        doing: Option<Progress>,
    },
    /// Interrupted before its turn came.
    NotChecked,
    /// There is an answer, but the limits were not enough to check its certificate.
    Unchecked(String),
    /// A defect of ser itself: its own checker rejected its answer, which is therefore withheld.
    Internal(String),
}

/// What to say when the limits are not enough to check an answer.
pub const UNCHECKED: &str =
    "there is an answer, but the limits were not enough to check its certificate";

/// The most states of a program to list for serial runs of the same requests.
const SERIAL_STATES: usize = 5_000;

/// Reads and checks one file.
pub fn check_file(
    name: &str,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> Decision {
    let started = Instant::now();
    match crate::source::read(name, limits) {
        Ok(source) => {
            let decision = check_source(source, options, limits, progress);
            Decision { time: started.elapsed(), ..decision }
        }
        Err(error) => {
            let decision = Decision::failed(name, None, Verdict::Error(error));
            Decision { time: started.elapsed(), ..decision }
        }
    }
}

impl Decision {
    /// A decision without a model.
    pub fn failed(name: &str, source: Option<Source>, verdict: Verdict) -> Decision {
        Decision {
            name: name.to_owned(),
            source,
            model: None,
            warnings: Vec::new(),
            verdict,
            strict: false,
            causes: None,
            in_parts: None,
            slices: Vec::new(),
            sizes: Sizes::default(),
            time: Duration::ZERO,
            stages: Stages::default(),
        }
    }
}

/// Checks a source that has been read.
pub fn check_source(
    source: Source,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> Decision {
    let started = Instant::now();
    let watch = Stopwatch::start(started);
    let progress = |p: Progress| {
        watch.progress(p);
        progress(p);
    };
    let task = Task { source: &source, options, limits, progress: &progress, watch: &watch };
    let mut decision = task.decision().unwrap_or_else(|error| {
        Decision::failed(
            &source.name,
            None,
            match error {
                ModelError::Source(error) => Verdict::Error(error),
                ModelError::Explore(error) => too_large(error, None),
            },
        )
    });
    decision.source = Some(source);
    decision.stages = watch.read();
    decision.time = started.elapsed();
    decision
}

/// One source to check, and how.
struct Task<'a> {
    source: &'a Source,
    options: &'a Options,
    limits: &'a Limits,
    progress: &'a dyn Fn(Progress),
    watch: &'a Stopwatch,
}

impl Task<'_> {
    fn decision(&self) -> Result<Decision, ModelError> {
        let Task { source, options, limits, progress, watch } = *self;
        if source.kind == Kind::System {
            let (model, warnings) = crate::source::model(source, limits)?;
            let decide = if options.strict { decide_strictly } else { decide };
            let (answer, sizes) = decide(model.system(), options, limits, progress);
            let verdict = self.answered(&model, answer);
            return Ok(Decision { model: Some(model), warnings, sizes, ..self.empty(verdict) });
        }
        let Parse { program, diagnostics, .. } =
            crate::source::program(source).map_err(ModelError::Source)?;
        watch.enter(StageName::Explore);
        let small = ProgramModel::small(&program, &source.text, limits);
        let warnings =
            small.as_ref().map(|model| all_warnings(diagnostics.clone(), model, &source.text));
        // Whatever goes wrong there, others may have an answer.
        let suspects = |program: &Program, requests: usize, limits: &Limits| {
            ser_reachability_search::suspects(program, &source.text, requests, limits).ok()?
        };
        let subject = Subject { program: &program, text: &source.text, small, suspects: &suspects };
        let (decided, in_parts) = decide_program(subject, options, limits, progress);
        let in_parts = in_parts.map(|found| self.in_parts(found));
        // A part of a program does not reach what the whole reaches, so it warns of nothing.
        let warnings = match (&decided, warnings) {
            (_, Some(warnings)) => warnings,
            (Decided::Whole(model, ..), None) => all_warnings(diagnostics, model, &source.text),
            _ => diagnostics,
        };
        let decision = match decided {
            Decided::Slice(found) => self.refuted_in_slice(*found, program),
            Decided::Slices(slices) => self.by_slices(slices, program),
            decided => {
                let (model, verdict, sizes) = self.certified(decided, program);
                Decision { model, sizes, in_parts, ..self.empty(verdict) }
            }
        };
        Ok(Decision { warnings, ..decision })
    }

    fn in_parts(&self, (rules, unknown): ser_serializability_search::InParts) -> InParts {
        let pauses = pauses(self.source, rules.frame(), &unknown.yield_points);
        InParts { unknown, pauses }
    }

    /// The checked verdict about a program with a counterexample in one of its slices.
    fn refuted_in_slice(&self, found: DecidedSlice, program: Program) -> Decision {
        self.watch.enter(StageName::Certify);
        let (name, bytes) = (&self.source.name, self.bytes());
        let (model, refutation, certificate, sizes) = match found.decided {
            Decided::Part(part) => {
                let certificate = Some(certify_part(&part, name, bytes));
                let PartRefutation { model, refutation, .. } = *part;
                (model, refutation, certificate, Sizes::default())
            }
            Decided::Whole(model, answer, sizes) => {
                let certificate = certify(&answer, model.system(), name, bytes);
                let Answer::NotSerializable(refutation) = answer else {
                    return self.no_certificate();
                };
                (*model, *refutation, certificate, sizes)
            }
            Decided::Along(model, refutation) => {
                let certificate = certify_along(&refutation, model.system(), name, bytes);
                (*model, *refutation, Some(certificate), Sizes::default())
            }
            _ => return self.no_certificate(),
        };
        let Some(certificate) = certificate else { return self.no_certificate() };
        let scope = certificate.scope();
        let certificate = in_slice(certificate, &found.slice);
        let model = Model::Program(Box::new(model));
        let verdict = self.checked(certificate, &Model::text(program), |certificate, accepted| {
            self.refuted(&model, refutation, certificate, accepted)
        });
        let (model, verdict) = self.with_serial_runs(&scope, &found.program, model, verdict);
        Decision { model: Some(model), sizes, ..self.empty(verdict) }
    }

    /// The checked verdict about a program with slices, none of which has a counterexample.
    fn by_slices(&self, found: Vec<DecidedSlice>, program: Program) -> Decision {
        let decided = |it: DecidedSlice| {
            let (model, verdict, sizes) = self.certified(it.decided, it.program);
            let in_parts = it.in_parts.map(|found| self.in_parts(found));
            (it.slice, Decision { model, sizes, in_parts, ..self.empty(verdict) })
        };
        let slices: Vec<(Slice, Decision)> = found.into_iter().map(decided).collect();
        let mut proofs = Vec::new();
        let mut explanations = Vec::new();
        for (slice, decision) in &slices {
            let Verdict::Serializable { explanation, certificate, .. } = &decision.verdict else {
                // What is open about it is open about the whole.
                let open = decision.clone();
                return Decision { slices, ..open };
            };
            let checker::Verdict::Serializable(proof) = &certificate.verdict else {
                return self.no_certificate();
            };
            proofs.push((slice.clone(), proof.clone()));
            explanations.push((slice, explanation));
        }
        let explanation = explain_slices(&explanations);
        let certificate = certify_slices(proofs, &self.source.name, self.bytes());
        let model = Model::text(program);
        let verdict = self.checked(certificate, &model, |certificate, accepted| {
            Verdict::Serializable { explanation, proof: None, certificate, accepted }
        });
        Decision { model: Some(model), slices, ..self.empty(verdict) }
    }

    fn no_certificate(&self) -> Decision {
        self.empty(Verdict::Internal("there is no certificate for the answer".into()))
    }

    /// The checked verdict about a program, and what it is about.
    fn certified(&self, decided: Decided, program: Program) -> (Option<Model>, Verdict, Sizes) {
        let name = &self.source.name;
        self.watch.enter(StageName::Certify);
        match decided {
            Decided::TooLarge(error, conflict) => {
                (None, too_large(error, conflict), Sizes::default())
            }
            Decided::Whole(model, answer, sizes) => {
                let model = Model::Program(model);
                let verdict = self.answered(&model, answer);
                (Some(model), verdict, sizes)
            }
            Decided::NoYield => {
                let certificate = certify_no_yield(name, self.bytes());
                let model = Model::text(program);
                let explanation = explain_no_yield();
                let verdict = self.checked(certificate, &model, |certificate, accepted| {
                    Verdict::Serializable { explanation, proof: None, certificate, accepted }
                });
                (Some(model), verdict, Sizes::default())
            }
            Decided::Rules(rules, proof) => {
                let certificate = certify_rules(&proof, &rules, name, self.bytes());
                let model = Model::Rules(rules);
                let explanation = explain_rules(self.source, &model, &proof);
                let verdict = self.checked(certificate, &model, |certificate, accepted| {
                    Verdict::Serializable { explanation, proof: None, certificate, accepted }
                });
                (Some(model), verdict, Sizes::default())
            }
            Decided::Symbolic(found) => {
                let certificate = certify_symbolic(&found, name, self.bytes());
                let model = Model::text(program);
                let explanation = explain_symbolic(self.source, &found);
                let verdict = self.checked(certificate, &model, |certificate, accepted| {
                    Verdict::Serializable { explanation, proof: None, certificate, accepted }
                });
                (Some(model), verdict, Sizes::default())
            }
            Decided::Along(model, refutation) => {
                let certificate = certify_along(&refutation, model.system(), name, self.bytes());
                let scope = certificate.scope();
                let model = Model::Program(model);
                let verdict = self.checked(certificate, &model, |certificate, accepted| {
                    self.refuted(&model, *refutation, certificate, accepted)
                });
                let (model, verdict) = self.with_serial_runs(&scope, &program, model, verdict);
                (Some(model), verdict, Sizes::default())
            }
            Decided::Part(found) => {
                let certificate = certify_part(&found, name, self.bytes());
                let PartRefutation { model, refutation, .. } = *found;
                let model = Model::Program(Box::new(model));
                let verdict = self.checked(certificate, &model, |certificate, accepted| {
                    self.refuted(&model, refutation, certificate, accepted)
                });
                (Some(model), verdict, Sizes::default())
            }
            // A slice has no slices.
            Decided::Slice(_) | Decided::Slices(_) => {
                (None, self.no_certificate().verdict, Sizes::default())
            }
        }
    }

    /// The checked verdict about a network system.
    fn answered(&self, model: &Model, answer: Answer) -> Verdict {
        self.watch.enter(StageName::Certify);
        match certify(&answer, model.system(), &self.source.name, self.bytes()) {
            Some(certificate) => {
                self.checked(certificate, model, |certificate, accepted| match answer {
                    Answer::Serializable(proof) => Verdict::Serializable {
                        explanation: explain(self.source, model, &proof),
                        proof: Some(proof),
                        certificate,
                        accepted,
                    },
                    Answer::NotSerializable(found) => {
                        self.refuted(model, *found, certificate, accepted)
                    }
                    Answer::Unknown(unknown) => Verdict::Unknown(*unknown),
                })
            }
            None => match answer {
                Answer::Unknown(unknown) => Verdict::Unknown(*unknown),
                _ => Verdict::Internal("there is no certificate for the answer".into()),
            },
        }
    }

    fn empty(&self, verdict: Verdict) -> Decision {
        Decision::failed(&self.source.name, None, verdict)
    }

    fn bytes(&self) -> &[u8] {
        self.source.text.as_bytes()
    }

    /// The verdict of a certificate, if the checker agrees.
    fn checked(
        &self,
        certificate: Certificate,
        model: &Model,
        verdict: impl FnOnce(Certificate, Accepted) -> Verdict,
    ) -> Verdict {
        self.watch.enter(StageName::Check);
        let checked = checked(&certificate, self.bytes(), model, self.limits);
        self.watch.enter(StageName::Explain);
        match checked {
            // The proofs that are asked for have this by their shape.
            Ok(Accepted::Serializable { in_real_time: false, .. }) if self.options.strict => {
                Verdict::Unknown(Unknown { searched: None, tried: Vec::new(), stop: None })
            }
            Ok(accepted) => verdict(certificate, accepted),
            Err(Withheld::Unchecked(words)) => Verdict::Unchecked(words),
            Err(Withheld::Internal(words)) => Verdict::Internal(words),
        }
    }

    /// What is along a run has no serial runs with other responses than its own. To tell which of
    /// them come closest, it takes all serial runs of the same requests, as far as those can be
    /// listed.
    fn with_serial_runs(
        &self,
        scope: &Scope,
        program: &Program,
        model: Model,
        verdict: Verdict,
    ) -> (Model, Verdict) {
        let Scope::Along(outline) = scope else { return (model, verdict) };
        let Verdict::NotSerializable { refutation, steps, certificate, accepted, .. } = verdict
        else {
            return (model, verdict);
        };
        let limits = Limits { max_states: SERIAL_STATES, ..checking_limits(self.limits) };
        let around = ProgramModel::around(program, &self.source.text, outline, &limits);
        let (model, serial) = match around {
            Ok(around) => {
                let serial = closest_serial_runs(around.system(), &refutation.outcome, &limits);
                (Model::Program(Box::new(around)), serial)
            }
            Err(_) => (model, SerialRuns::TooMany),
        };
        let verdict = Verdict::NotSerializable { refutation, steps, serial, certificate, accepted };
        (model, verdict)
    }

    /// A counterexample, with all that a person needs to know about it.
    fn refuted(
        &self,
        model: &Model,
        mut refutation: Refutation,
        certificate: Certificate,
        accepted: Accepted,
    ) -> Verdict {
        // There may be fewer that are only out of order; a single one never is.
        if self.options.strict && !refutation.strict {
            refutation.fewest &= refutation.requests <= 2;
        }
        let limits = checking_limits(self.limits);
        let serial = closest_serial_runs(model.system(), &refutation.outcome, &limits);
        let steps = trace(self.source, model, &refutation.run);
        Verdict::NotSerializable { refutation, steps, serial, certificate, accepted }
    }
}

/// What to say about states that cannot be enumerated. Being interrupted says nothing about them.
pub fn too_large(error: ExploreError, conflict: Option<Box<[StepAt; 2]>>) -> Verdict {
    match error {
        ExploreError::TooManyStates { stop: Stop::Cancelled, .. } => {
            Verdict::Stopped { stop: Stop::Cancelled, doing: None }
        }
        error => Verdict::TooLarge(error, conflict),
    }
}

/// Why an answer is not given although there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Withheld {
    /// The limits were not enough to check its certificate.
    Unchecked(String),
    /// The checker rejected it.
    Internal(String),
}

/// Has the certificate of an answer checked before the answer is given, within the same limits and
/// a little more.
pub fn checked(
    certificate: &Certificate,
    source: &[u8],
    model: &Model,
    limits: &Limits,
) -> Result<Accepted, Withheld> {
    check_certificate(certificate, source, model, &checking_limits(limits)).map_err(|rejection| {
        let words = rejection.to_string();
        match rejection.reason {
            Reason::Stopped(_) | Reason::TooManyEntries { .. } | Reason::TooMuchWork { .. } => {
                Withheld::Unchecked(words)
            }
            _ => Withheld::Internal(words),
        }
    })
}

/// Has a certificate checked against what it is about.
pub fn check_certificate(
    certificate: &Certificate,
    source: &[u8],
    model: &Model,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    match model {
        Model::Rules(rules) => checker::check_rules(certificate, source, rules, limits),
        Model::Text(program, _) => checker::check_text(certificate, source, program, limits),
        _ => checker::check(certificate, source, model.system(), limits),
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
            | Verdict::TooLarge(..)
            | Verdict::Stopped { .. }
            | Verdict::NotChecked
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
            | Verdict::TooLarge(..)
            | Verdict::Stopped { .. }
            | Verdict::NotChecked
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
