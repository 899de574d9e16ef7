//! Sequentialization: from processes that send messages to a sequential program, or to what is in
//! its way.
//!
//! [`Sequentialization`] walks a protocol through `ser-sequentialization-search` and lets the
//! kernel check the certificate, whatever it claims: without the kernel's word there is no verdict.
//! With sizes, it says what all runs of one instance have in common instead. `tell` makes the
//! report.

mod data;
mod run;
mod tell;
mod verify;
mod words;

pub use verify::verify;

use crate::method::{self, Command, Context};
use ser_base::{Limits, Stop};
use ser_report::{Attachment, Kind, Question, Report, Source, SourceError};
use ser_sequentialization_checker::run::Run;
use ser_sequentialization_checker::{
    Certificate, Claim, Reason, Rejection, Verdict as Shown, Witness, replay_run,
};
use ser_sequentialization_search::explore::{self, Findings, explore};
use ser_sequentialization_search::promela::{PromelaOptions, export};
use ser_sequentialization_search::{Answer, Options, Verdict, sequentialize};
use ser_syntax::Diagnostic;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{StmtId, StmtKind};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// The method with its options.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sequentialization {
    /// Try all runs with sets of exactly these sizes, and look for no sequential program.
    pub sizes: Option<Vec<(String, u32)>>,
    /// Show the sequential program with everything that the derivation needs.
    pub raw: bool,
    /// Whether the instance of these sizes is wanted in Promela, for Spin.
    pub promela: bool,
}

impl method::Method for Sequentialization {
    fn command(&self) -> Command {
        let reads = &[Kind::Protocol];
        Command { name: "sequentialize", method: ser_report::Method::Sequentialization, reads }
    }

    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
        let start = Instant::now();
        let mut report = match self.found(source, context) {
            Ok((found, warnings)) => {
                let report = tell::report(source, &found, self.raw, context.wants);
                Report { warnings, ..report }
            }
            Err(error) => Report::error(&source.name, Question::of(self.method()), error),
        };
        report.source = Some(Arc::clone(source));
        report.timing.total = start.elapsed();
        if let (true, Some(sizes)) = (self.promela, &self.sizes) {
            (context.settle)(vec![report.clone()]);
            let text = promela(source, sizes).map_err(|error| error.sentence());
            report.attachments.push(Attachment { option: "--promela", text });
        }
        report.timing.total = start.elapsed();
        vec![report]
    }
}

impl Sequentialization {
    fn found(
        &self,
        source: &Source,
        context: &Context<'_>,
    ) -> Result<(Found, Vec<Diagnostic>), SourceError> {
        let (protocol, warnings) = protocol_of(&source.text).map_err(SourceError::Diagnostics)?;
        let found = match &self.sizes {
            None => {
                (context.progress)("looking for a sequential program".to_owned());
                sequentialized(&source.text, protocol, context.limits)
            }
            Some(sizes) => {
                let sizes = sizes_of(&protocol, sizes)?;
                (context.progress)("trying all runs".to_owned());
                explored(&source.text, protocol, sizes, context.limits)
            }
        };
        Ok((found, warnings))
    }
}

/// What was found about a protocol.
#[derive(Debug)]
enum Found {
    /// An answer whose certificate the kernel has accepted (if it has one).
    Answer(Box<Checked>),
    /// What runs with some sizes do.
    Instance(Box<Instance>),
    /// The limits came first.
    Stopped(Stop),
    /// There is an answer, but the kernel would need too much work to check it.
    Unchecked(String),
    /// The kernel did not accept the answer, which is therefore withheld.
    Rejected(String),
}

/// An answer together with what is needed to report it.
#[derive(Debug)]
struct Checked {
    pub protocol: Protocol,
    pub answer: Answer,
    /// What is in the way, on source lines.
    pub diagnostics: Vec<Diagnostic>,
    pub assertions: Assertions,
}

/// The assertions of a protocol that has a sequential program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Assertions {
    pub proved: Vec<StmtId>,
    /// Those for which it is not known.
    pub unproved: Vec<StmtId>,
}

/// What all runs of one instance have in common.
#[derive(Debug)]
struct Instance {
    pub protocol: Protocol,
    /// In the order of the file.
    pub sizes: Vec<u32>,
    /// How many states there are.
    pub states: usize,
    /// Why not all of them were explored, if so.
    pub stopped: Option<explore::Stop>,
    /// What is wrong.
    pub findings: Findings,
    /// The worst of it, as a run.
    pub run: Option<Run>,
    /// The run in terms of the protocol.
    pub witness: Option<Witness>,
    /// The run as the kernel has accepted it.
    pub certificate: Option<Certificate>,
}

/// The protocol in a text with warnings about it, or its errors.
fn protocol_of(text: &str) -> Result<(Protocol, Vec<Diagnostic>), Vec<Diagnostic>> {
    let parse = ser_editing::icet::parse(text);
    match parse.has_errors() {
        true => Err(parse.diagnostics),
        false => Ok((parse.protocol, parse.diagnostics)),
    }
}

/// What is known about a protocol, for all sizes of its sets.
fn sequentialized(text: &str, protocol: Protocol, limits: &Limits) -> Found {
    let small =
        Limits { max_states: limits.max_states.max(1000).saturating_mul(2), ..limits.clone() };
    let answer = sequentialize(text, &protocol, &Options::default(), &small);
    match (answer.verdict, limits.check_clock()) {
        (Verdict::Unknown, Err(stop)) if answer.outcome.is_none() => Found::Stopped(stop),
        _ => match check(&answer, limits) {
            Ok(()) => checked(text, protocol, answer),
            Err(withheld) => withheld,
        },
    }
}

/// Lets the kernel check what the answer claims.
fn check(answer: &Answer, limits: &Limits) -> Result<(), Found> {
    let wrong = |words: &str| Err(Found::Rejected(words.to_owned()));
    let Some(certificate) = &answer.certificate else {
        return match answer.verdict {
            Verdict::Unknown => Ok(()),
            _ => wrong("there is no certificate"),
        };
    };
    let shown = ser_sequentialization_checker::check(certificate, limits).map_err(rejected)?;
    let fits = match (shown, answer.verdict) {
        (Shown::Sequentialized { unproved, .. }, Verdict::Verified) => unproved.is_empty(),
        (Shown::Sequentialized { unproved, .. }, Verdict::Unknown) => unproved == answer.unproved,
        (Shown::Refuted { .. }, Verdict::Refuted) => true,
        _ => false,
    };
    if fits { Ok(()) } else { wrong("the certificate shows something else") }
}

fn rejected(rejection: Rejection) -> Found {
    match *rejection.reason {
        Reason::Budget => Found::Unchecked(rejection.to_string()),
        Reason::Stopped(stop) => Found::Stopped(stop),
        _ => Found::Rejected(rejection.to_string()),
    }
}

fn checked(text: &str, protocol: Protocol, answer: Answer) -> Found {
    let diagnostics = ser_sequentialization_search::diagnose(&protocol, text, &answer);
    let assertions = assertions(&protocol, &answer);
    Found::Answer(Box::new(Checked { protocol, answer, diagnostics, assertions }))
}

fn assertions(protocol: &Protocol, answer: &Answer) -> Assertions {
    if answer.outcome.is_none() {
        return Assertions::default();
    }
    let unproved: BTreeSet<StmtId> = answer.unproved.iter().copied().collect();
    let mut proved = statements_that_can_fail(protocol);
    proved.retain(|it| !unproved.contains(it));
    Assertions { proved, unproved: answer.unproved.clone() }
}

fn statements_that_can_fail(protocol: &Protocol) -> Vec<StmtId> {
    let mut found = Vec::new();
    for statement in protocol.processes.iter().flat_map(|it| &it.body) {
        statement.walk(&mut |it| {
            if matches!(it.kind, StmtKind::Assert { .. } | StmtKind::Fail) {
                found.push(it.id);
            }
        });
    }
    found
}

/// What all runs with sets of these sizes have in common.
fn explored(text: &str, protocol: Protocol, sizes: Vec<u32>, limits: &Limits) -> Found {
    let large = Limits { max_states: 20_000_000, ..limits.clone() };
    let exploration = explore(&protocol, &sizes, &large);
    let findings = exploration.findings;
    if let Some(explore::Stop::Limit(stop)) = &exploration.stopped
        && !matches!(stop, Stop::States { .. })
        && findings.none()
    {
        return Found::Stopped(stop.clone());
    }
    let runs = [&findings.failure, &findings.deadlock, &findings.orphan];
    let run = runs.into_iter().flatten().next().cloned();
    let certificate = run
        .as_ref()
        .map(|run| Certificate { source: text.to_owned(), claim: Claim::Refuted(run.clone()) });
    let verdict = certificate.as_ref().map(|it| ser_sequentialization_checker::check(it, limits));
    if let Some(Err(rejection)) = verdict {
        return rejected(rejection);
    }
    let witness = run.as_ref().and_then(|run| replay_run(&protocol, run).ok());
    Found::Instance(Box::new(Instance {
        protocol,
        sizes,
        states: exploration.states,
        stopped: exploration.stopped,
        findings,
        run,
        witness,
        certificate,
    }))
}

/// The protocol in a source with sets of these sizes, in Promela, for Spin.
pub fn promela(source: &Source, sizes: &[(String, u32)]) -> Result<String, SourceError> {
    let (protocol, _) = protocol_of(&source.text).map_err(SourceError::Diagnostics)?;
    let sizes = sizes_of(&protocol, sizes)?;
    export(&protocol, &sizes, &PromelaOptions::default())
        .map_err(|error| SourceError::Unreadable { message: error.to_string(), help: None })
}

/// The sizes of all sets, in the order of the file; or what is wrong with those that were given.
pub(crate) fn sizes_of(
    protocol: &Protocol,
    given: &[(String, u32)],
) -> Result<Vec<u32>, SourceError> {
    let names: Vec<&str> = protocol.sets.iter().map(|set| set.name.text.as_str()).collect();
    if let Some((unknown, _)) = given.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        let help = match names.as_slice() {
            [] => {
                "this file declares no sets: leave --sizes out, or write `--sizes none`".to_owned()
            }
            names => format!("its sets are {}", names.join(", ")),
        };
        let message = format!("--sizes: there is no set `{unknown}` in this file");
        return Err(SourceError::unreadable(message, help));
    }
    let wrong = |message: String| {
        let sizes =
            protocol.sets.iter().map(|it| format!("{}={}", it.name.text, it.at_least.max(2)));
        let help = format!("for example --sizes {}", sizes.collect::<Vec<_>>().join(","));
        Err(SourceError::unreadable(format!("--sizes: {message}"), help))
    };
    let mut sizes = Vec::new();
    for set in &protocol.sets {
        let name = &set.name.text;
        let Some((_, size)) = given.iter().find(|(it, _)| it == name) else {
            return wrong(format!("the size of the set `{name}` is missing"));
        };
        if *size < set.at_least {
            let least = ser_report::text::count(set.at_least as usize, "member");
            return wrong(format!("`{name}` is declared with at least {least}"));
        }
        if *size > explore::MAX_MEMBERS {
            return wrong(format!("a set can have at most {} members here", explore::MAX_MEMBERS));
        }
        sizes.push(*size);
    }
    Ok(sizes)
}
