//! A counterexample on the text: its steps, and what happened during each pause.
//!
//! During a pause of one request, others run. A step of another request *races* with the pause if
//! both touch a variable and one of them writes it. Of those, writes to what this request finds
//! changed when it goes on come first: they are what a person has to look at.

use ser_check::source::{Model, Source};
use ser_check::{Report, Verdict, words};
use ser_engine::Event;
use ser_lang::Span;
use ser_model::{Action, Happening, ProgramModel, Step, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// A run that no serial order explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interleaving {
    /// Its steps in order.
    pub steps: Vec<StepNote>,
    /// The numbers of the requests of each handler, by the handler's name.
    pub numbers: BTreeMap<String, BTreeSet<u32>>,
    /// What happened during the pauses, by the place of the `yield`.
    pub pauses: BTreeMap<Span, Pause>,
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

/// A pause, with what others did meanwhile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pause {
    /// The lines that race with it, with the variables.
    pub races: BTreeMap<u32, BTreeSet<String>>,
}

impl Pause {
    /// `races with line 7 (X)`.
    pub fn words(&self) -> Option<String> {
        const SHOWN: usize = 2;
        if self.races.is_empty() {
            return None;
        }
        let races = self.races.iter().take(SHOWN).map(|(line, variables)| {
            let names: Vec<&str> = variables.iter().map(String::as_str).collect();
            format!("line {line} ({})", names.join(", "))
        });
        let races: Vec<String> = races.collect();
        let more = match self.races.len().saturating_sub(SHOWN) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        Some(format!("races with {}{more}", races.join(", ")))
    }
}

impl Interleaving {
    /// The run of a report that has one.
    pub fn of(report: &Report) -> Option<Interleaving> {
        let Verdict::NotSerializable { refutation, steps, .. } = &report.verdict else {
            return None;
        };
        let system = report.model.as_ref()?.system();
        let mut numbers: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let mut notes: Vec<StepNote> = Vec::new();
        for step in steps {
            let request = system.request_name(step.request).to_owned();
            let handler = request.split('(').next().unwrap_or(&request).to_owned();
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
            for (variable, value) in &step.writes {
                let value = system.value_name(*variable, *value);
                parts.push(format!("sets {} to {value}", name(*variable)));
            }
            for (variable, then, now) in &step.changed_meanwhile {
                let then = system.value_name(*variable, *then);
                let now = system.value_name(*variable, *now);
                parts.push(format!(
                    "{} was {then} before the pause and is {now} now",
                    name(*variable)
                ));
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
        let pauses = match (&report.model, &report.source) {
            (Some(Model::Program(program)), Some(source)) => {
                pauses(program, source, &refutation.run.events)
            }
            _ => BTreeMap::new(),
        };
        let racing = pauses.iter().find(|(_, pause)| !pause.races.is_empty());
        let blame = racing.map(|(span, _)| *span).or(last).unwrap_or_default();
        Some(Interleaving { steps: notes, numbers, pauses, blame })
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

/// A step of the run with what happened in it.
struct Moment {
    number: u32,
    step: Step,
    happenings: Vec<Happening>,
}

fn pauses(program: &ProgramModel, source: &Source, events: &[Event]) -> BTreeMap<Span, Pause> {
    let moments: Vec<Moment> = events
        .iter()
        .filter_map(|event| match event {
            Event::Step { number, step } => {
                let happenings = program.happenings(step);
                Some(Moment { number: *number, step: *step, happenings })
            }
            _ => None,
        })
        .collect();
    let mut out: BTreeMap<Span, Pause> = BTreeMap::new();
    for (i, moment) in moments.iter().enumerate() {
        let pause = moment.happenings.iter().rev().find(|h| h.action == Action::Yield);
        let Some(at) = pause else { continue };
        let pause = out.entry(at.span).or_default();
        let later = moments.iter().skip(i + 1);
        let between = later.take_while(|m| m.number != moment.number);
        let resumed = moments.iter().skip(i + 1).find(|m| m.number == moment.number);
        let changed = resumed.map_or_else(BTreeSet::new, |next| {
            let system = program.system();
            let pairs =
                system.valuation(moment.step.after).iter().zip(system.valuation(next.step.before));
            let names = system.variables().iter().zip(pairs);
            names.filter(|(_, (a, b))| a != b).map(|(v, _)| v.name.as_str()).collect()
        });
        let own = moments.iter().filter(|m| m.number == moment.number);
        let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
        for happening in own.flat_map(|m| &m.happenings) {
            match &happening.action {
                Action::ReadGlobal(name, _) => read.insert(name.as_str()),
                Action::WriteGlobal(name, _) => written.insert(name.as_str()),
                _ => false,
            };
        }
        let (mut strong, mut weak) = (Vec::new(), Vec::new());
        for happening in between.flat_map(|m| &m.happenings) {
            let line = source.lines.line(happening.span.start);
            match &happening.action {
                Action::WriteGlobal(name, _)
                    if read.contains(&**name) || written.contains(&**name) =>
                {
                    let list = if changed.contains(&**name) { &mut strong } else { &mut weak };
                    list.push((line, name.clone()));
                }
                Action::ReadGlobal(name, _) if written.contains(&**name) => {
                    weak.push((line, name.clone()));
                }
                _ => {}
            }
        }
        for (line, name) in if strong.is_empty() { weak } else { strong } {
            pause.races.entry(line).or_default().insert(name);
        }
    }
    out
}
