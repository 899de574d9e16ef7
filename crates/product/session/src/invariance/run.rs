//! A run of a few threads, step by step, up to what is wrong.

use super::breach::mentioned;
use super::heap::chains;
use super::parts::failing;
use super::words::{Place, Words, thread_name};
use super::{Checked, Shown};
use ser_invariance_checker::run::Shows;
use ser_invariance_search::answer::Wrong;
use ser_invariance_search::explore::{Changed, State};
use ser_invariance_search::paths::Control;
use ser_report::text::{and, count};
use ser_syntax::Diagnostic;
use std::collections::BTreeSet;

/// A run for people.
#[derive(Clone, Debug)]
pub struct Told {
    /// The names of the threads.
    pub threads: Vec<String>,
    /// What holds at the start, if it is not the same for all runs.
    pub start: Vec<(String, String)>,
    /// The heap at the start.
    pub heap: Vec<String>,
    pub moments: Vec<Moment>,
    /// What is wrong at the end, in a sentence.
    pub end: String,
    /// The parts of the invariant because of which it does not hold, if these are not all of it.
    pub parts: Vec<String>,
    /// Where the threads are at the end, if an invariant is violated.
    pub standing: Vec<(String, Place)>,
    /// The values at the end that the invariant speaks of.
    pub values: Vec<(String, String)>,
    /// The heap at the end, if it matters.
    pub heap_after: Vec<String>,
}

/// A step of a run.
#[derive(Clone, Debug)]
pub struct Moment {
    pub thread: u32,
    pub place: Place,
    /// Which way, if there are several.
    pub branch: Option<String>,
    /// What changes: name, before, after.
    pub changes: Vec<(String, String, String)>,
    /// What it must not have done.
    pub fault: Option<String>,
}

/// Threads of a run are called by numbers, from 1.
fn thread_names(threads: u32) -> Vec<String> {
    (1..=threads).map(|number| format!("t{number}")).collect()
}

/// What a run starts with that the file does not say: globals and locals without an initial value.
pub fn start(words: &Words<'_>, shown: &Shown) -> Vec<(String, String)> {
    let run = &shown.refutation.run;
    let names = thread_names(run.threads);
    let mut found = Vec::new();
    for (id, (global, it)) in (0..).zip(words.system.globals.iter().zip(&run.globals)) {
        if global.initial.is_none() {
            let of = Changed::Global(ser_syntax::inv::ast::GlobalId(id));
            found.push((global.name.text.clone(), words.value(of, it, &names)));
        }
    }
    for (name, locals) in names.iter().zip(&run.locals) {
        for (number, (local, it)) in (0..).zip(words.system.locals.iter().zip(locals)) {
            if local.initial.is_none() && !is_set_first(words, local) {
                let id = ser_syntax::inv::ast::LocalId(number);
                let of = Changed::Local(0, id);
                let shown = words.value(of, it, &names);
                found.push((format!("{}[{name}]", words.local(id)), shown));
            }
        }
    }
    found
}

/// Whether the value that a local starts with is of no interest: parameters are set by calls.
fn is_set_first(words: &Words<'_>, local: &ser_syntax::inv::ast::Local) -> bool {
    local.procedure.0 != 0 && words.system.procedures.len() > 1
}

/// A run for people.
pub fn run(checked: &Checked, shown: &Shown) -> Told {
    let words = Words::of(checked);
    let control = Control::new(&checked.system);
    let run = &shown.refutation.run;
    let threads = thread_names(run.threads);
    let moments = shown.witness.steps.iter().map(|step| {
        let name = |what| match what {
            // Whose it is stands in front of the line.
            Changed::Local(thread, id) if thread == step.thread => words.local(id),
            what => words.changed(what, &threads),
        };
        let changes = step.changes.iter();
        Moment {
            thread: step.thread,
            place: words.place(step.from),
            branch: words.branch(&control, step.from, step.path),
            changes: changes
                .map(|it| {
                    let shown =
                        [&it.before, &it.after].map(|of| words.value(it.what, of, &threads));
                    let [before, after] = shown;
                    (name(it.what), before, after)
                })
                .collect(),
            fault: step.fault.map(|it| it.kind.to_string()),
        }
    });
    let moments = moments.collect();
    let states = &shown.witness.states;
    let mut told = Told {
        start: start(&words, shown),
        heap: states.first().map(|it| heap_of(&words, it, &threads)).unwrap_or_default(),
        moments,
        end: end(&words, shown, &threads),
        parts: Vec::new(),
        standing: Vec::new(),
        values: Vec::new(),
        heap_after: Vec::new(),
        threads,
    };
    let Some(last) = states.last() else { return told };
    match (&shown.refutation.what, &run.shows) {
        (Wrong::Violated(id, conjunct), Shows::Violated { threads: tuple, .. }) => {
            let (mut found, mut heap) = (BTreeSet::new(), false);
            if let Some(it) = words.conjunct(*id, *conjunct as u32) {
                mentioned(&it.formula, last, tuple, None, &mut found, &mut heap);
                let parts = failing(&words, last, &it.formula, tuple);
                told.parts =
                    parts.into_iter().filter(|it| !it.is_whole).map(|it| it.text).collect();
            }
            told.values = values(&words, last, found, &told.threads);
            let places = last.threads.iter().map(|it| words.place(it.location));
            told.standing = told.threads.iter().cloned().zip(places).collect();
            if heap {
                told.heap_after = chains(&words, last, &told.threads);
            }
        }
        (Wrong::Waits(_), _) => {
            let places = last.threads.iter().map(|it| words.place(it.location));
            told.standing = told.threads.iter().cloned().zip(places).collect();
        }
        _ => told.heap_after = heap_of(&words, last, &told.threads),
    }
    told
}

fn heap_of(words: &Words<'_>, state: &State, threads: &[String]) -> Vec<String> {
    if state.cells.is_empty() { Vec::new() } else { chains(words, state, threads) }
}

fn values(
    words: &Words<'_>,
    state: &State,
    wanted: BTreeSet<Changed>,
    threads: &[String],
) -> Vec<(String, String)> {
    let one = |what| {
        let it = words.value_in(state, what)?;
        Some((words.changed(what, threads), words.value(what, &it, threads)))
    };
    wanted.into_iter().filter_map(one).collect()
}

/// What is wrong at the end.
fn end(words: &Words<'_>, shown: &Shown, threads: &[String]) -> String {
    match (&shown.refutation.what, &shown.refutation.run.shows) {
        (Wrong::Violated(id, conjunct), Shows::Violated { threads: tuple, .. }) => {
            let name = words.conjunct_name(*id, *conjunct as u32);
            let parameters = words.system.invariants.get(id.0 as usize).map(|it| &it.parameters);
            let pairs = parameters.into_iter().flatten().zip(tuple);
            let pairs: Vec<String> = pairs
                .map(|(name, thread)| format!("{} = {}", name.text, thread_name(threads, *thread)))
                .collect();
            match pairs.is_empty() {
                true => format!("{name} does not hold"),
                false => format!("{name} does not hold for {}", and(&pairs)),
            }
        }
        (Wrong::Waits(thread), _) => {
            format!(
                "{} can never come to its end, or to the end of a round, whatever the others do",
                thread_name(threads, *thread)
            )
        }
        (Wrong::Error(kind, _), _) => format!("this must not happen: {kind}"),
        _ => "something is wrong".to_owned(),
    }
}

/// What to say about a run on source lines.
pub fn run_remark(checked: &Checked, shown: &Shown) -> Diagnostic {
    let words = Words::of(checked);
    let run = &shown.refutation.run;
    let with = count(run.threads as usize, "thread");
    let steps = count(shown.witness.steps.len(), "step");
    match &shown.refutation.what {
        Wrong::Violated(id, conjunct) => {
            let span = words.conjunct(*id, *conjunct as u32).map(|it| it.formula.span);
            let message = match shown.witness.steps.is_empty() {
                true => {
                    format!("`{}` does not hold at the start, with {with}", words.invariant(*id))
                }
                false => format!(
                    "`{}` does not hold: {with} violate it after {steps}",
                    words.invariant(*id)
                ),
            };
            let message =
                if run.threads == 1 { message.replace("violate", "violates") } else { message };
            let remark = Diagnostic::error("violated", message, span.unwrap_or_default())
                .with_label("there is a run that violates this");
            match shown.witness.steps.last() {
                Some(last) => remark.with_secondary(last.span, "the last step of the run"),
                None => remark,
            }
        }
        Wrong::Waits(thread) => {
            let stands =
                shown.witness.states.last().and_then(|it| it.threads.get(*thread as usize));
            let place = stands.and_then(|it| checked.system.locations.get(it.location.0 as usize));
            let span = place.map(|it| it.span).unwrap_or_default();
            let message = match shown.witness.steps.is_empty() {
                true => "a thread waits forever, right from the start".to_owned(),
                false => format!("a thread waits forever: there is a run of {with} with {steps}"),
            };
            Diagnostic::error("waits-forever", message, span)
                .with_label("here it waits, whatever the others do")
        }
        Wrong::Error(kind, location) => {
            let fault = shown.witness.steps.last().and_then(|it| it.fault);
            let place = checked.system.locations.get(location.0 as usize).map(|it| it.span);
            let span = fault.map(|it| it.span).or(place).unwrap_or_default();
            let message = format!("{kind}: there is a run of {with} with {steps}");
            Diagnostic::error("error-step", message, span).with_label("in the last step of the run")
        }
    }
}
