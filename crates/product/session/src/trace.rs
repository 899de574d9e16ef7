//! A counterexample as a table of steps that a person can follow.
//!
//! The events of a run are gathered into steps: a request arrives with its first step and
//! responds with its last. Each step knows its source lines, what it read and wrote, and what
//! other requests changed since this request last ran.

use crate::shown::{Shown, is_hidden};
use crate::source::{Kind, Model, Source};
use ser_model::{
    Action, GlobalId, LocalId, NetworkSystem, RequestId, ResponseId, Step, StepEvent, VariableId,
};
use ser_serializability_search::{Event, Run};
use ser_syntax::{Line, Span};
use std::collections::BTreeMap;

/// One step of the interleaving.
#[derive(Clone, Debug)]
pub struct TraceStep {
    /// The request's number, from 1 in the order of arrival.
    pub number: u32,
    /// Its label.
    pub request: RequestId,
    /// Whether the request arrives with this step.
    pub arrives: bool,
    /// The local states before and after, by name; empty for a response without a step.
    pub locals: Option<(String, String)>,
    /// The source lines on which something happened, in order, each with what was read there.
    pub lines: Vec<TraceLine>,
    /// The globals that were read and written, in order, on their lines.
    pub accesses: Vec<Access>,
    /// The `yield` that the step ends at.
    pub pauses_at: Option<Span>,
    /// What `?` and `choose` came to, in order.
    pub chooses: Vec<i64>,
    /// Globals that were read, with their values.
    pub reads: Vec<(VariableId, i64)>,
    /// Globals that were written, with their values.
    pub writes: Vec<(VariableId, i64)>,
    /// Globals that this step reads or writes and that other requests changed since this
    /// request last ran: the value it left behind and the value it finds.
    pub changed_meanwhile: Vec<(VariableId, i64, i64)>,
    /// The response, if the request is complete.
    pub responds: Option<ResponseId>,
    /// The global state before the step.
    pub before: GlobalId,
    /// The global state after the step.
    pub global: GlobalId,
    /// Where the request stands after the step; nothing once it has responded.
    pub pause: Option<Pause>,
}

/// Where a request in flight stands, and what it remembers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pause {
    /// What it does next, in the source.
    pub next: Option<Span>,
    /// The local variables that still matter, with their values.
    pub locals: Vec<(String, String)>,
}

/// A global variable is read or written in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    pub variable: VariableId,
    /// Whether it is written; otherwise it is read.
    pub writes: bool,
    /// Whether the value changes.
    pub changes: bool,
    /// Where, if the source is a program.
    pub span: Option<Span>,
}

/// A source line in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceLine {
    /// The line, from 1.
    pub line: Line,
    /// The part of the line that was executed.
    pub span: Span,
    /// What happened there, in words: `X is 0`, `chooses 1`.
    pub notes: Vec<String>,
}

/// Gathers the events of a run into steps.
pub fn trace(source: &Source, model: &Model, run: &Run) -> Vec<TraceStep> {
    let shown = Shown::new(model.system(), &BTreeMap::new(), false);
    trace_shown(source, model, run, &shown)
}

/// The same, with shared variables as they are [`Shown`].
pub fn trace_shown(source: &Source, model: &Model, run: &Run, shown: &Shown) -> Vec<TraceStep> {
    let system = model.system();
    let mut steps: Vec<TraceStep> = Vec::new();
    let mut labels: BTreeMap<u32, RequestId> = BTreeMap::new();
    let mut arriving: Option<u32> = None;
    let mut global = system.initial_global();
    // The global state in which each request last yielded.
    let mut left: BTreeMap<u32, GlobalId> = BTreeMap::new();
    for event in &run.events {
        match event {
            Event::Arrive { number, request, .. } => {
                labels.insert(*number, *request);
                arriving = Some(*number);
            }
            Event::Step { number, step } => {
                let Some(request) = labels.get(number).copied() else { continue };
                let footprint = system.footprint(step.footprint);
                let touched = |v: VariableId| {
                    footprint.reads.iter().chain(&footprint.writes).any(|(w, _)| *w == v)
                };
                let changed_meanwhile = match left.get(number) {
                    Some(then) => changes(system, *then, global)
                        .into_iter()
                        .filter(|(v, _, _)| touched(*v))
                        .collect(),
                    None => Vec::new(),
                };
                global = step.after;
                left.insert(*number, global);
                let before = system.valuation(step.before);
                let note = |name: &str, value: i64| {
                    let variable = system.variables().iter().position(|v| v.name == name)?;
                    let (name, value) =
                        shown.value_of(VariableId::from_index(variable), value, before)?;
                    Some(format!("{name} is {value}"))
                };
                let events = match model {
                    Model::Program(program) => program.step_events(step),
                    _ => Vec::new(),
                };
                // What the source does not say is not worth a line.
                let is_seen = |event: &&StepEvent| match &event.action {
                    Action::ReadGlobal(name, _) | Action::WriteGlobal(name, _) => {
                        let index = system.variables().iter().position(|v| v.name == *name);
                        index.is_some_and(|i| shown.column_of(VariableId::from_index(i)).is_some())
                    }
                    Action::WriteLocal(name, _) => !is_hidden(name),
                    Action::Yield | Action::Respond | Action::Abort => {
                        source.kind != Kind::Processes
                    }
                    // The lines of the branch show which one it is.
                    Action::Choose(_) => !begins_branches(source, event.span),
                    Action::Evaluate => true,
                };
                let seen: Vec<StepEvent> = events.iter().filter(is_seen).cloned().collect();
                steps.push(TraceStep {
                    number: *number,
                    request,
                    arrives: arriving.take() == Some(*number),
                    locals: Some((
                        system.local_name(step.from).to_owned(),
                        system.local_name(step.to).to_owned(),
                    )),
                    lines: lines(source, system.local(step.from).span, &seen, &note),
                    accesses: accesses(system, step, &events),
                    pauses_at: events.last().filter(|h| h.action == Action::Yield).map(|h| h.span),
                    chooses: chooses(&events),
                    reads: footprint.reads.clone(),
                    writes: footprint.writes.clone(),
                    changed_meanwhile,
                    responds: None,
                    before: step.before,
                    global,
                    pause: Some(pause(system, step.to)),
                });
            }
            Event::Respond { number, response } => {
                let Some(request) = labels.get(number).copied() else { continue };
                match steps.last_mut() {
                    Some(last) if last.number == *number && last.responds.is_none() => {
                        last.responds = Some(*response);
                        last.pause = None;
                    }
                    _ => steps.push(TraceStep {
                        number: *number,
                        request,
                        arrives: arriving.take() == Some(*number),
                        locals: None,
                        lines: Vec::new(),
                        accesses: Vec::new(),
                        pauses_at: None,
                        chooses: Vec::new(),
                        reads: Vec::new(),
                        writes: Vec::new(),
                        changed_meanwhile: Vec::new(),
                        responds: Some(*response),
                        before: global,
                        global,
                        pause: None,
                    }),
                }
            }
        }
    }
    steps
}

/// Whether `choose { ... } or { ... }` begins here.
fn begins_branches(source: &Source, span: Span) -> bool {
    let text = source.text.get(span.start as usize..).and_then(|t| t.strip_prefix("choose"));
    source.kind == Kind::Processes && text.is_some_and(|t| t.trim_start().starts_with('{'))
}

fn chooses(events: &[StepEvent]) -> Vec<i64> {
    let choice = |h: &StepEvent| match h.action {
        Action::Choose(value) => Some(value),
        _ => None,
    };
    events.iter().filter_map(choice).collect()
}

fn pause(system: &NetworkSystem, local: LocalId) -> Pause {
    let state = system.local(local);
    Pause { next: state.span, locals: state.variables.clone() }
}

/// The variables that differ between two global states, with both values.
fn changes(system: &NetworkSystem, then: GlobalId, now: GlobalId) -> Vec<(VariableId, i64, i64)> {
    let pairs = system.valuation(then).iter().zip(system.valuation(now)).enumerate();
    pairs
        .filter(|(_, (a, b))| a != b)
        .map(|(i, (a, b))| (VariableId::from_index(i), *a, *b))
        .collect()
}

/// What a step reads and writes, in order; without a program, what its footprint says.
fn accesses(system: &NetworkSystem, step: &Step, events: &[StepEvent]) -> Vec<Access> {
    if events.is_empty() {
        let footprint = system.footprint(step.footprint);
        let before = system.valuation(step.before);
        let access = |writes: bool| {
            move |(variable, value): &(VariableId, i64)| {
                let changes = writes && before[variable.index()] != *value;
                Access { variable: *variable, writes, changes, span: None }
            }
        };
        let reads = footprint.reads.iter().map(access(false));
        return reads.chain(footprint.writes.iter().map(access(true))).collect();
    }
    let mut values = system.valuation(step.before).to_vec();
    let find = |name: &str| system.variables().iter().position(|v| v.name == name);
    let mut found = Vec::new();
    for event in events {
        let (name, value, writes) = match &event.action {
            Action::ReadGlobal(name, value) => (name, *value, false),
            Action::WriteGlobal(name, value) => (name, *value, true),
            _ => continue,
        };
        let Some(index) = find(name) else { continue };
        let changes = writes && values[index] != value;
        values[index] = value;
        let variable = VariableId::from_index(index);
        found.push(Access { variable, writes, changes, span: Some(event.span) });
    }
    found
}

/// The lines on which something worth showing happened. A loop that comes back to a line adds to
/// the line's notes rather than repeating it. The step begins at `start`; `read` says what is read
/// with a variable.
fn lines(
    source: &Source,
    start: Option<Span>,
    events: &[StepEvent],
    read: &dyn Fn(&str, i64) -> Option<String>,
) -> Vec<TraceLine> {
    let mut out: Vec<TraceLine> = Vec::new();
    for (i, event) in events.iter().enumerate() {
        let note = match &event.action {
            Action::ReadGlobal(name, value) => read(name, *value),
            Action::Choose(value) => Some(format!("chooses {value}")),
            Action::WriteGlobal(..) | Action::WriteLocal(..) => None,
            Action::Yield | Action::Respond | Action::Abort => None,
            Action::Evaluate => continue,
        };
        let mut span = source.lines.first_line_of(event.span);
        if span != event.span {
            // `x := if (...) { ...; 1 }` over several lines: what happens now is where the value
            // is.
            let inside = |s: &Span| {
                *s != event.span && event.span.start <= s.start && s.end <= event.span.end
            };
            let earlier = events[..i].iter().map(|h| h.span).chain(start);
            if let Some(value) = earlier.filter(inside).max_by_key(|s| s.start) {
                span = source.lines.first_line_of(value);
            }
        }
        let line = source.lines.line(span.start);
        let entry = match out.iter_mut().find(|l| l.line == line) {
            Some(entry) => entry,
            None => {
                out.push(TraceLine { line, span, notes: Vec::new() });
                let last = out.len() - 1;
                &mut out[last]
            }
        };
        entry.span = entry.span.to(span);
        if let Some(note) = note
            && !entry.notes.contains(&note)
        {
            entry.notes.push(note);
        }
    }
    out
}
