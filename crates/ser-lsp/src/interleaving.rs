//! A counterexample on the text: its steps, and what happened during each pause.
//!
//! The pauses come twice: what others did meanwhile is known at once; whether a pause alone is to
//! blame takes more checks, and follows.

use ser_check::cause::PauseBlame;
use ser_check::{Causes, Report, Verdict, words};
use ser_lang::Span;
use ser_model::VariableId;
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
    pub fn of(report: &Report) -> Option<Interleaving> {
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
            let mut parts = Vec::new();
            let mut seen: Vec<&String> = Vec::new();
            for note in step.lines.iter().flat_map(|line| &line.notes) {
                if !seen.contains(&note) {
                    seen.push(note);
                    parts.push(note.clone());
                }
            }
            let name = |v: VariableId| system.variables().get(v.index()).map_or("?", |v| &v.name);
            for (variable, then, now) in &step.changed_meanwhile {
                let then = system.value_name(*variable, *then);
                let now = system.value_name(*variable, *now);
                parts.push(format!(
                    "{} was {then} before the pause and is {now} now",
                    name(*variable)
                ));
            }
            for (variable, value) in &step.writes {
                let value = system.value_name(*variable, *value);
                parts.push(format!("sets {} to {value}", name(*variable)));
            }
            parts.push(match step.responds {
                Some(response) => format!("responds {}", system.response_name(response)),
                None => "pauses".to_owned(),
            });
            let arrives = if step.arrives { " arrives" } else { "" };
            let message = format!("{request} #{}{arrives}: {}", step.number, parts.join("; "));
            let first = step.lines.first().map(|l| l.span);
            let span = first.unwrap_or_default();
            notes.push(StepNote { number: step.number, request, span, message });
        }
        let last = steps.last().and_then(|s| s.lines.last()).map(|l| l.span);
        let pauses = pauses(report.causes.as_ref());
        let blamed = pauses.iter().find(|(_, pause)| pause.removal_repairs == Some(true));
        let blamed = blamed.or_else(|| pauses.iter().next()).map(|(span, _)| *span);
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
        format!("{}, {}", words::count(requests, "request"), words::count(self.steps.len(), "step"))
    }
}

/// The pauses that others disturbed, by the place of the `yield`.
pub fn pauses(causes: Option<&Causes>) -> BTreeMap<Span, PauseBlame> {
    causes.iter().flat_map(|c| &c.pauses).map(|pause| (pause.span, pause.clone())).collect()
}

/// What others did during a pause, and what becomes of the program without it, in sentences.
pub fn sentences(pause: &PauseBlame) -> String {
    let verdict = words::causes::verdict(pause).map_or(String::new(), |v| format!(" {v}."));
    format!("Meanwhile {}.{verdict}", words::causes::races(pause))
}

/// `races with line 7 (X)`; nothing if nothing got in the way.
pub fn races(pause: &PauseBlame) -> Option<String> {
    const SHOWN: usize = 2;
    let told: Vec<String> = pause
        .races
        .iter()
        .take(SHOWN)
        .map(|race| format!("line {} ({})", race.line, race.variables.join(", ")))
        .collect();
    let more = match pause.races.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!told.is_empty()).then(|| format!("races with {}{more}", told.join(", ")))
}
