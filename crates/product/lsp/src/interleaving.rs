//! A counterexample on the text: its steps, and what happened during each pause.
//!
//! The pauses come twice: what others did meanwhile is known at once; whether a pause alone is to
//! blame takes more checks, and follows.

use ser_session::serializability::causes::PauseBlame;
use ser_session::serializability::words;
use ser_session::{Causes, Decision, Verdict};
use ser_syntax::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A run that no serial order explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interleaving {
    /// Its steps in order.
    pub steps: Vec<StepNote>,
    /// The numbers of the requests of each handler, by the handler's name.
    pub numbers: BTreeMap<String, BTreeSet<u32>>,
    /// What happened during the pauses, by the place of the `yield`.
    pub pauses: BTreeMap<Span, PauseBlame>,
    /// The `yield`s at which a request pauses, disturbed or not.
    pub paused: BTreeSet<Span>,
    /// The place to blame: a pause during which something happened, or the last response.
    pub blame: Span,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepNote {
    /// The request's number, from 1 in the order of arrival.
    pub number: u32,
    /// Its label.
    pub request: String,
    /// Where it happened.
    pub span: Span,
    /// What happened, in words.
    pub message: String,
}

impl Interleaving {
    /// The run of a report that has one.
    pub fn of(report: &Decision) -> Option<Interleaving> {
        let Verdict::NotSerializable { steps, .. } = &report.verdict else {
            return None;
        };
        let system = report.model.as_ref()?.system();
        let mut numbers: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let mut notes: Vec<StepNote> = Vec::new();
        for step in steps {
            let request = system.request_name(step.request).to_owned();
            let handler = system.handler_name(step.request).to_owned();
            numbers.entry(handler).or_default().insert(step.number);
            let message = words::steps::step(system, report.source.as_ref(), step);
            let first = step.lines.first().map(|l| l.span);
            let span = first.unwrap_or_default();
            notes.push(StepNote { number: step.number, request, span, message });
        }
        let last = steps.last().and_then(|s| s.lines.last()).map(|l| l.span);
        let pauses = pauses(report.causes.as_ref());
        let blamed = report.causes.as_ref().and_then(Causes::to_blame).map(|pause| pause.span);
        let blame = blamed.or(last).unwrap_or_default();
        let paused = steps.iter().filter_map(|s| s.pauses_at).collect();
        Some(Interleaving { steps: notes, numbers, pauses, paused, blame })
    }

    /// `#1, #2` if a handler takes part, and nothing otherwise.
    pub fn part_of(&self, handler: &str) -> Option<String> {
        let numbers = self.numbers.get(handler)?;
        let numbers: Vec<String> = numbers.iter().map(|n| format!("#{n}")).collect();
        Some(numbers.join(", "))
    }

    /// How long it is, in words.
    pub fn length(&self) -> String {
        let requests = self.numbers.values().map(BTreeSet::len).sum();
        format!(
            "{}, {}",
            ser_report::text::count(requests, "request"),
            ser_report::text::count(self.steps.len(), "step")
        )
    }
}

/// The pauses that others disturbed, by the place of the `yield`.
pub fn pauses(causes: Option<&Causes>) -> BTreeMap<Span, PauseBlame> {
    causes.iter().flat_map(|c| &c.pauses).map(|pause| (pause.span, pause.clone())).collect()
}
