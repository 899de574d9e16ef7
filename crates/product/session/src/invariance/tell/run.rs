//! A run that violates an invariant, step by step.

use super::breach::heap;
use super::is_about;
use crate::invariance::run::{Moment, Told, run as told};
use crate::invariance::words::{Words, value as words_of};
use crate::invariance::{Checked, Shown};
use ser_invariance_checker::WitnessStep;
use ser_invariance_checker::run::Value as Known;
use ser_invariance_search::explore::Changed;
use ser_report::run::{End, Lane, StepLine};
use ser_report::text::{and, count};
use ser_report::{Block, Run, Source, Step, Value};
use ser_syntax::inv::ast::GlobalId;
use std::collections::BTreeSet;

/// The run for people.
pub fn run(source: &Source, checked: &Checked, shown: &Shown) -> Run {
    let words = Words::of(checked);
    let told = told(checked, shown);
    let globals = changing(shown);
    let value = |it: &Known| match it {
        Known::Int(number) => Value::Number(*number),
        it => Value::Name(words_of(it, &told.threads)),
    };
    let mut now: Vec<Value> = Vec::new();
    for id in &globals {
        let first = shown.refutation.run.globals.get(id.0 as usize);
        now.push(first.map_or_else(|| Value::Name("?".to_owned()), value));
    }
    let start = now.clone();
    let mut steps = Vec::new();
    for (step, moment) in shown.witness.steps.iter().zip(&told.moments) {
        for change in &step.changes {
            if let Changed::Global(id) = change.what
                && let Some(at) = globals.iter().position(|it| *it == id)
            {
                now[at] = value(&change.after);
            }
        }
        let line = line(step, moment);
        let (lines, says) = match is_about(source, checked) {
            true => (vec![line], Vec::new()),
            // The lines are those of another text.
            false => (Vec::new(), vec![line.code]),
        };
        steps.push(Step {
            lane: step.thread as usize,
            lines,
            says,
            writes: step
                .changes
                .iter()
                .zip(&moment.changes)
                .map(|(change, (name, ..))| (name.clone(), value(&change.after)))
                .collect(),
            end: moment.fault.clone().map(End::Fails),
            after: now.clone(),
            ..Step::default()
        });
    }
    let lanes = told.threads.iter().map(|it| Lane { name: it.clone(), label: it.clone() });
    Run {
        title: format!("A run of {}", count(told.threads.len(), "thread")),
        lanes: lanes.collect(),
        columns: globals.iter().map(|id| words.global(*id).to_owned()).collect(),
        start,
        steps,
        ends: ends(&told),
    }
}

/// The globals that some step changes.
fn changing(shown: &Shown) -> BTreeSet<GlobalId> {
    let changes = shown.witness.steps.iter().flat_map(|it| &it.changes);
    let globals = changes.filter_map(|it| match it.what {
        Changed::Global(id) => Some(id),
        _ => None,
    });
    globals.collect()
}

/// The line of a step, with the way that it takes and what it changes besides globals.
fn line(step: &WitnessStep, moment: &Moment) -> StepLine {
    let mut notes: Vec<String> = moment.branch.iter().cloned().collect();
    for (change, (name, before, after)) in step.changes.iter().zip(&moment.changes) {
        if !matches!(change.what, Changed::Global(_)) {
            notes.push(format!("{name}: {before} -> {after}"));
        }
    }
    StepLine {
        line: moment.place.line.clone(),
        span: step.span,
        code: moment.place.statement.clone(),
        notes,
    }
}

/// What is wrong at the end, where the threads are, and what is in the variables that matter.
fn ends(told: &Told) -> Vec<String> {
    let parts: Vec<String> = told.parts.iter().map(|it| format!("`{it}`")).collect();
    let mut ends = vec![match parts.as_slice() {
        [] => told.end.clone(),
        [part] => format!("{}: this part of it does not: {part}", told.end),
        parts => format!("{}: these parts of it do not: {}", told.end, and(parts)),
    }];
    ends.extend(
        told.standing.iter().map(|(name, place)| format!("{name} is at {}", place.words())),
    );
    ends.extend(told.values.iter().map(|(name, value)| format!("{name} = {value}")));
    ends
}

/// The run of this number with what it starts from and the heap that it leaves.
pub fn blocks(checked: &Checked, shown: &Shown, number: usize) -> Vec<Block> {
    let told = told(checked, shown);
    let mut blocks = Vec::new();
    if !told.start.is_empty() {
        let values: Vec<String> =
            told.start.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let values = values.join(", ");
        blocks.push(Block::Text(format!(
            "At the start: {values} (what has no first value may have any)"
        )));
    }
    blocks.extend(heap("heap at the start", &told.heap));
    blocks.push(Block::Run(number));
    blocks.extend(heap("heap at the end", &told.heap_after));
    blocks
}
