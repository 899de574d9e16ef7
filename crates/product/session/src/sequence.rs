//! Protocols: from processes that send messages to a sequential program, or to what is in its way.
//!
//! [`sequentialize_source`] walks a text through `ser-sequentialization-search` and lets the kernel check the certificate, whatever it
//! claims: without the kernel's word there is no verdict. [`explore_source`] tells what all runs of one instance have
//! in common.

use crate::source::{Kind, Source, SourceError};
use ser_model::{Limits, Stop};
use ser_sequentialization_checker::Certificate;
use ser_sequentialization_checker::run::Run;
use ser_sequentialization_checker::{Reason, Witness, replay_run};
use ser_sequentialization_search::explore::{self, Findings, explore};
use ser_sequentialization_search::{Answer, Options, Verdict, sequentialize};
use ser_syntax::Diagnostic;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{StmtId, StmtKind};
use std::collections::BTreeSet;
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

/// An answer together with what is needed to tell it.
#[derive(Debug)]
pub struct Checked {
    /// The protocol.
    pub protocol: Protocol,
    /// The answer.
    pub answer: Answer,
    /// What is in the way, on source lines.
    pub diagnostics: Vec<Diagnostic>,
    /// The run that goes wrong, in terms of the protocol.
    pub witness: Option<Witness>,
    /// All assertions of the protocol.
    pub assertions: Assertions,
}

/// The assertions of a protocol that has a sequential program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assertions {
    /// Those that hold.
    pub proved: Vec<StmtId>,
    /// Those of which it is not known.
    pub unproved: Vec<StmtId>,
}

/// What all runs of one instance have in common.
#[derive(Debug)]
pub struct Instance {
    /// The protocol.
    pub protocol: Protocol,
    /// The sizes, in the order of the file.
    pub sizes: Vec<u32>,
    /// How many states there are.
    pub states: usize,
    /// Why not all of them were looked at, if so.
    pub stopped: Option<explore::Stop>,
    /// What is wrong.
    pub findings: Findings,
    /// The worst of it, as a run.
    pub run: Option<Run>,
    /// The run in terms of the protocol.
    pub witness: Option<Witness>,
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
    let parse = ser_syntax::icet::parse(&source.text);
    if parse.has_errors() {
        return Err(SourceError::Diagnostics(parse.diagnostics));
    }
    Ok((parse.protocol, parse.diagnostics))
}

/// Answers what is known about the protocol in a source.
pub fn sequentialize_source(source: &Source, limits: &Limits) -> SequenceReport {
    let start = Instant::now();
    let (protocol, warnings) = match protocol_of(source) {
        Ok(both) => both,
        Err(error) => {
            let source = source.clone();
            return SequenceReport::new(
                &source.name.clone(),
                Some(source),
                Sequenced::Error(error),
            );
        }
    };
    let small = Limits { max_states: limits.max_states.max(1000) * 2, ..limits.clone() };
    let answer = sequentialize(&source.text, &protocol, &Options::default(), &small);
    let result = match (answer.verdict, limits.check_clock()) {
        (Verdict::Unknown, Err(stop)) if answer.outcome.is_none() => Sequenced::Stopped(stop),
        _ => checked(source, protocol, answer, limits),
    };
    let (name, time) = (source.name.clone(), start.elapsed());
    SequenceReport { name, source: Some(source.clone()), warnings, time, result }
}

/// Lets the kernel check what the answer claims.
fn checked(source: &Source, protocol: Protocol, answer: Answer, limits: &Limits) -> Sequenced {
    if let Some(certificate) = &answer.certificate {
        let claim = ser_sequentialization_checker::check(certificate, limits);
        let fits = match (&claim, answer.verdict) {
            (
                Ok(ser_sequentialization_checker::Verdict::Sequentialized { unproved, .. }),
                Verdict::Verified,
            ) => unproved.is_empty(),
            (
                Ok(ser_sequentialization_checker::Verdict::Sequentialized { unproved, .. }),
                Verdict::Unknown,
            ) => *unproved == answer.unproved,
            (Ok(ser_sequentialization_checker::Verdict::Refuted { .. }), Verdict::Refuted) => true,
            _ => false,
        };
        match claim {
            Err(rejection) => {
                return match *rejection.reason {
                    Reason::Stopped(stop) => Sequenced::Stopped(stop),
                    _ => Sequenced::Internal(rejection.to_string()),
                };
            }
            Ok(_) if !fits => {
                return Sequenced::Internal("the certificate shows something else".to_owned());
            }
            Ok(_) => {}
        }
    } else if answer.verdict != Verdict::Unknown {
        return Sequenced::Internal("there is no certificate".to_owned());
    }
    let witness = answer.witness.clone();
    let diagnostics = ser_sequentialization_search::diagnose(&protocol, &source.text, &answer);
    let assertions = assertions(&protocol, &answer);
    Sequenced::Answer(Box::new(Checked { protocol, answer, diagnostics, witness, assertions }))
}

fn assertions(protocol: &Protocol, answer: &Answer) -> Assertions {
    if answer.outcome.is_none() {
        return Assertions::default();
    }
    let unproved: BTreeSet<StmtId> = answer.unproved.iter().copied().collect();
    let mut proved = Vec::new();
    for statement in protocol.processes.iter().flat_map(|it| &it.body) {
        statement.walk(&mut |it| {
            let can_fail = matches!(it.kind, StmtKind::Assert { .. } | StmtKind::Fail);
            if can_fail && !unproved.contains(&it.id) {
                proved.push(it.id);
            }
        });
    }
    Assertions { proved, unproved: answer.unproved.clone() }
}

/// Tells what all runs with sets of these sizes have in common.
pub fn explore_source(source: &Source, sizes: &[(String, u32)], limits: &Limits) -> SequenceReport {
    let start = Instant::now();
    let failed =
        |error| SequenceReport::new(&source.name, Some(source.clone()), Sequenced::Error(error));
    let (protocol, warnings) = match protocol_of(source) {
        Ok(both) => both,
        Err(error) => return failed(error),
    };
    let sizes = match sizes_of(&protocol, sizes) {
        Ok(sizes) => sizes,
        Err((message, help)) => {
            return failed(SourceError::Unreadable { message, help: Some(help) });
        }
    };
    let large = Limits { max_states: 20_000_000, ..limits.clone() };
    let exploration = explore(&protocol, &sizes, &large);
    let findings = exploration.findings;
    let runs = [&findings.failure, &findings.deadlock, &findings.orphan];
    let run = runs.into_iter().flatten().next().cloned();
    let witness = run.as_ref().and_then(|run| replay_run(&protocol, run).ok());
    let result = match exploration.stopped {
        Some(explore::Stop::Limit(stop))
            if findings.none() && !matches!(stop, Stop::States { .. }) =>
        {
            Sequenced::Stopped(stop)
        }
        stopped => Sequenced::Instance(Box::new(Instance {
            protocol,
            sizes,
            states: exploration.states,
            stopped,
            findings,
            run,
            witness,
        })),
    };
    let (name, time) = (source.name.clone(), start.elapsed());
    SequenceReport { name, source: Some(source.clone()), warnings, time, result }
}

/// The sizes of all sets, in the order of the file; or what is wrong with those that were given, and what to do.
pub fn sizes_of(
    protocol: &Protocol,
    given: &[(String, u32)],
) -> Result<Vec<u32>, (String, String)> {
    let names: Vec<&str> = protocol.sets.iter().map(|set| set.name.text.as_str()).collect();
    if let Some((unknown, _)) = given.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        let help = match names.as_slice() {
            [] => {
                "this file declares no sets: leave --sizes out, or write `--sizes none`".to_owned()
            }
            names => format!("its sets are {}", names.join(", ")),
        };
        return Err((format!("--sizes: there is no set `{unknown}` in this file"), help));
    }
    let example = || {
        let sizes =
            protocol.sets.iter().map(|it| format!("{}={}", it.name.text, it.at_least.max(2)));
        format!("for example --sizes {}", sizes.collect::<Vec<_>>().join(","))
    };
    let mut sizes = Vec::new();
    for set in &protocol.sets {
        let name = &set.name.text;
        let Some((_, size)) = given.iter().find(|(it, _)| it == name) else {
            return Err((format!("--sizes: the size of the set `{name}` is missing"), example()));
        };
        if *size < set.at_least {
            let message =
                format!("--sizes: `{name}` is declared with at least {} members", set.at_least);
            return Err((message, example()));
        }
        if *size > explore::MAX_MEMBERS {
            let most = explore::MAX_MEMBERS;
            let message = format!("--sizes: a set can have at most {most} members here");
            return Err((message, example()));
        }
        sizes.push(*size);
    }
    Ok(sizes)
}
