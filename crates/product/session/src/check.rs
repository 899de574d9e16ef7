//! Checking one source: from its text to an answer that the independent checker has accepted.

use crate::cause::Causes;
use crate::explain::{Explanation, explain, explain_rules, pauses};
use crate::source::{Kind, Model, ModelError, Source, SourceError, all_warnings};
use crate::stages::{StageName, Stages, Stopwatch};
use crate::trace::{TraceStep, trace};
use ser_model::{ExploreError, Limits, ProgramModel, RunBound, Stop, program_rules};
use ser_net::SerialAutomaton;
use ser_serializability_checker::{Accepted, Certificate, Reason, Rejection};
use ser_serializability_search::{
    Answer, LargeAnswer, LargeOptions, LargeUnknown, Options, PartRefutation, Progress, Proof,
    Refutation, RefuteOptions, SerialRuns, Sizes, Strategy, Unknown, certify, certify_part,
    certify_rules, closest_serial_runs, decide, decide_large, refute_suspects,
};
use ser_syntax::ast::Program;
use ser_syntax::{Diagnostic, Parse};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// With more choices of arguments than this, a solver is asked for them before parts are looked at one by one.
const MANY_ARGUMENTS: usize = 64;

/// A solver is asked for so many requests at most, for so long.
const EVENTS_REQUESTS: usize = 3;
const EVENTS_TIME: Duration = Duration::from_secs(2);

/// How many request labels a program has beyond one for each handler. Handlers alone are no reason to ask a solver: it
/// would have to look at each of them as everybody else does.
fn argument_choices(program: &Program) -> usize {
    let constants = ser_syntax::constants(program);
    let value = |expr: &ser_syntax::ast::Expr| ser_syntax::evaluate(expr, &constants).unwrap_or(0);
    let labels = |request: &ser_syntax::ast::Request| {
        let sizes = request.parameters.iter().map(|p| {
            let size = value(&p.high).saturating_sub(value(&p.low)).saturating_add(1);
            usize::try_from(size).unwrap_or(1)
        });
        sizes.fold(1usize, usize::saturating_mul)
    };
    let more = |request| labels(request).saturating_sub(1);
    program.requests.iter().map(more).fold(0, usize::saturating_add)
}

/// What `ser check` has to say about one file.
#[derive(Clone, Debug)]
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
    /// Why it breaks, once somebody has asked for it (see [`crate::find_causes`]).
    pub causes: Option<Causes>,
    /// What was found out about a large program without listing its global states.
    pub in_parts: Option<InParts>,
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
    /// The pauses that are not known to be harmless, in words.
    pub pauses: Vec<String>,
}

/// The answer about one file.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every outcome is serial. The certificate has been accepted.
    Serializable {
        /// The proof, in words.
        explanation: Explanation,
        /// The proof itself; nothing for one about rules, which the certificate tells in full.
        proof: Option<Box<Proof>>,
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
    /// A limit was reached before the engine could tell how far it got, or it was left behind
    /// because it did not look at the limit.
    Stopped {
        /// The limit.
        stop: Stop,
        /// What it was doing, if it has told.
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

/// Reads and checks one file.
pub fn check_file(
    name: &str,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> Report {
    let started = Instant::now();
    match crate::source::read(name, limits) {
        Ok(source) => {
            let report = check_source(source, options, limits, progress);
            Report { time: started.elapsed(), ..report }
        }
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
            causes: None,
            in_parts: None,
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
) -> Report {
    let started = Instant::now();
    let watch = Stopwatch::start(started);
    let progress = |p: Progress| {
        watch.progress(p);
        progress(p);
    };
    let task = Task { source: &source, options, limits, progress: &progress, watch: &watch };
    let mut report = task.report().unwrap_or_else(|error| {
        Report::failed(
            &source.name,
            None,
            match error {
                ModelError::Source(error) => Verdict::Error(error),
                ModelError::Explore(error) => too_large(error),
            },
        )
    });
    report.source = Some(source);
    report.stages = watch.read();
    report.time = started.elapsed();
    report
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
    fn report(&self) -> Result<Report, ModelError> {
        let source = self.source;
        if source.kind == Kind::System {
            let (model, warnings) = crate::source::model(source, self.limits)?;
            return Ok(self.decide(model, warnings));
        }
        let Parse { program, diagnostics, .. } =
            crate::source::program(source).map_err(ModelError::Source)?;
        self.watch.enter(StageName::Explore);
        let small = ProgramModel::small(&program, &source.text, self.limits);
        let warnings = match &small {
            Some(model) => all_warnings(diagnostics.clone(), model),
            None => diagnostics.clone(),
        };
        // With many arguments, there are too many parts to look at one by one.
        let is_large = small.is_none()
            && self.options.rules.events
            && argument_choices(&program) > MANY_ARGUMENTS;
        let events_first = self.options.strategy == Strategy::EventsFirst;
        if (is_large || events_first)
            && self.options.methods.refute
            && let Some(report) = self.by_events(&program, &warnings)
        {
            return Ok(report);
        }
        // A proof on rules is cheap, whatever the number of global states. Parts of a program are
        // worth a look only if the whole is too large.
        let in_parts = match self.by_rules(&program, small.is_none(), &warnings) {
            Ok(unknown) => unknown,
            Err(report) => return Ok(*report),
        };
        if let Some(model) = small {
            return Ok(self.decide(Model::Program(Box::new(model)), warnings));
        }
        self.watch.enter(StageName::Explore);
        match ProgramModel::new(&program, &source.text, self.limits) {
            Ok(model) => {
                let warnings = all_warnings(diagnostics, &model);
                let report = self.decide(Model::Program(Box::new(model)), warnings);
                Ok(Report { in_parts, ..report })
            }
            Err(error) => {
                let report = self.empty(too_large(error));
                Ok(Report { in_parts, warnings: diagnostics, ..report })
            }
        }
    }

    /// Decides a network system.
    fn decide(&self, model: Model, warnings: Vec<Diagnostic>) -> Report {
        self.watch.enter(StageName::Net);
        let (answer, sizes) = decide(model.system(), self.options, self.limits, self.progress);
        self.watch.enter(StageName::Certify);
        let verdict = match certify(&answer, model.system(), &self.source.name, self.bytes()) {
            Some(certificate) => {
                self.checked(certificate, &model, |certificate, accepted| match answer {
                    Answer::Serializable(proof) => Verdict::Serializable {
                        explanation: explain(self.source, &model, &proof),
                        proof: Some(proof),
                        certificate,
                        accepted,
                    },
                    Answer::NotSerializable(found) => {
                        self.refuted(&model, *found, certificate, accepted)
                    }
                    Answer::Unknown(unknown) => Verdict::Unknown(*unknown),
                })
            }
            None => match answer {
                Answer::Unknown(unknown) => Verdict::Unknown(*unknown),
                _ => Verdict::Internal("there is no certificate for the answer".into()),
            },
        };
        Report { model: Some(model), warnings, sizes, ..self.empty(verdict) }
    }

    /// Asks a solver for requests with responses that no serial run has, and looks for a counterexample with just these.
    fn by_events(&self, program: &Program, warnings: &[Diagnostic]) -> Option<Report> {
        let source = self.source;
        let left = self.limits.deadline.map(|(at, _)| at.saturating_duration_since(Instant::now()));
        let budget = left.map_or(EVENTS_TIME, |left| EVENTS_TIME.min(left / 4));
        let limits = Limits {
            deadline: Instant::now().checked_add(budget).map(|at| (at, budget)),
            ..self.limits.clone()
        };
        let part = |labels: &BTreeSet<String>, bound: RunBound, limits: &Limits| {
            ProgramModel::part(program, &source.text, labels, bound, limits)
        };
        for requests in 2..=EVENTS_REQUESTS.min(self.options.refute.max_requests) {
            // Whatever goes wrong here, others may have an answer.
            let suspects =
                ser_reachability_search::suspects(program, &source.text, requests, &limits).ok()?;
            let Some(suspects) = suspects else { continue };
            let found = refute_suspects(&suspects, &part, self.options.refute, self.limits).ok()?;
            let Some(found) = found else { continue };
            self.watch.enter(StageName::Certify);
            let certificate = certify_part(&found, &source.name, self.bytes());
            let model = Model::Program(Box::new(found.model));
            let verdict = self.checked(certificate, &model, |certificate, accepted| {
                self.refuted(&model, found.refutation, certificate, accepted)
            });
            let warnings = warnings.to_vec();
            return Some(Report { model: Some(model), warnings, ..self.empty(verdict) });
        }
        None
    }

    /// Decides a program without listing its global states, if that is possible.
    fn by_rules(
        &self,
        program: &Program,
        parts: bool,
        warnings: &[Diagnostic],
    ) -> Result<Option<InParts>, Box<Report>> {
        let (source, limits) = (self.source, self.limits);
        let (methods, rules) = (self.options.methods, self.options.rules);
        let most = self.options.refute.max_states.min(LARGE_SEARCH);
        let options = LargeOptions {
            prove: Some(rules).filter(|rules| rules.prove),
            refute: (methods.refute && parts && rules.parts)
                .then_some(RefuteOptions { max_states: most, ..self.options.refute }),
        };
        if options.prove.is_none() && options.refute.is_none() {
            return Ok(None);
        }
        let Ok(rules) = program_rules(program, &source.text, limits) else {
            return Ok(None);
        };
        let part = |labels: &BTreeSet<String>, bound: RunBound, limits: &Limits| {
            ProgramModel::part(program, &source.text, labels, bound, limits)
        };
        let answer = decide_large(&rules, &part, options, limits, self.progress);
        self.watch.enter(StageName::Certify);
        let (model, verdict) = match answer {
            LargeAnswer::Unknown(unknown) => {
                let pauses = pauses(source, rules.frame(), &unknown.yield_points);
                return Ok(Some(InParts { unknown, pauses }));
            }
            LargeAnswer::Serializable(proof) => {
                let certificate = certify_rules(&proof, rules.frame(), &source.name, self.bytes());
                let model = Model::Rules(Box::new(rules));
                let explanation = explain_rules(source, &model, &proof);
                let verdict = self.checked(certificate, &model, |certificate, accepted| {
                    Verdict::Serializable { explanation, proof: None, certificate, accepted }
                });
                (model, verdict)
            }
            LargeAnswer::NotSerializable(found) => {
                let certificate = certify_part(&found, &source.name, self.bytes());
                let PartRefutation { model, refutation, .. } = *found;
                let model = Model::Program(Box::new(model));
                let verdict = self.checked(certificate, &model, |certificate, accepted| {
                    self.refuted(&model, refutation, certificate, accepted)
                });
                (model, verdict)
            }
        };
        let warnings = warnings.to_vec();
        Err(Box::new(Report { model: Some(model), warnings, ..self.empty(verdict) }))
    }

    fn empty(&self, verdict: Verdict) -> Report {
        Report::failed(&self.source.name, None, verdict)
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
            Ok(accepted) => verdict(certificate, accepted),
            Err(Withheld::Unchecked(words)) => Verdict::Unchecked(words),
            Err(Withheld::Internal(words)) => Verdict::Internal(words),
        }
    }

    /// A counterexample, with all that a person wants to know about it.
    fn refuted(
        &self,
        model: &Model,
        refutation: Refutation,
        certificate: Certificate,
        accepted: Accepted,
    ) -> Verdict {
        let limits = checking_limits(self.limits);
        let serial = match SerialAutomaton::new(model.system(), &limits) {
            Ok(automaton) => closest_serial_runs(&automaton, &refutation.outcome, &limits),
            Err(_) => SerialRuns::TooMany,
        };
        let steps = trace(self.source, model, &refutation.run);
        Verdict::NotSerializable { refutation, steps, serial, certificate, accepted }
    }
}

/// How many states the search for counterexamples in parts of a large program may visit.
const LARGE_SEARCH: usize = 200_000;

/// An answer that is found in the last moment gets a little more time to be checked.
pub const CHECKING_GRACE: Duration = Duration::from_millis(300);

/// The answer is there; checking it gets the same memory and a little more time. The limit on
/// states is about the program, and has been kept.
pub(crate) fn checking_limits(limits: &Limits) -> Limits {
    let max_states = limits.max_states.max(Limits::default().max_states);
    let later =
        |(at, timeout): (Instant, Duration)| Some((at.checked_add(CHECKING_GRACE)?, timeout));
    Limits { max_states, deadline: limits.deadline.and_then(later), ..limits.clone() }
}

/// What to say about states that cannot be enumerated. Being interrupted says nothing about them.
pub fn too_large(error: ExploreError) -> Verdict {
    match error {
        ExploreError::TooManyStates { stop: Stop::Cancelled, .. } => {
            Verdict::Stopped { stop: Stop::Cancelled, doing: None }
        }
        error => Verdict::TooLarge(error),
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

/// Has the certificate of an answer checked before the answer is given, within the same limits and a
/// little more.
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
        Model::Rules(rules) => {
            ser_serializability_checker::check_rules(certificate, source, rules, limits)
        }
        _ => ser_serializability_checker::check(certificate, source, model.system(), limits),
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
            | Verdict::TooLarge(_)
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

/// The exit code over several files: the most serious one, in the order 2, 1, 3, 0.
pub fn most_serious(codes: impl IntoIterator<Item = u8>) -> u8 {
    codes.into_iter().max_by_key(|code| [0, 2, 3, 1][usize::from(*code).min(3)]).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{argument_choices, most_serious};

    #[test]
    fn handlers_without_arguments_are_no_choice_of_arguments() {
        let choices = |text: &str| argument_choices(&ser_syntax::parse(text).program);
        let many: String = (0..100).map(|i| format!("request r{i} {{ {i} }}\n")).collect();
        assert_eq!(choices(&many), 0);
        assert_eq!(choices("request r(a in 0..9, b in 1..9) { a + b }\nrequest s { 1 }"), 89);
    }

    #[test]
    fn the_most_serious_code_wins() {
        assert_eq!(most_serious([]), 0);
        assert_eq!(most_serious([0, 3]), 3);
        assert_eq!(most_serious([3, 1, 0]), 1);
        assert_eq!(most_serious([1, 2, 3]), 2);
    }
}
