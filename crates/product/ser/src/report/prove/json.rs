//! One JSON object for each file with invariants.

use super::table::{By, rule};
use super::words::{accepted, open_models, status, support};
use super::{breach, conditions, run, words};
use crate::report::json::{diagnostic, source_errors};
use ser_invariance_search::answer::Verdict;
use ser_invariance_search::decide::Reason;
use ser_invariance_search::paths::Control;
use ser_invariance_search::prove::Judged;
use ser_session::invariants::told;
use ser_session::invariants::{Checked, Inferred, ProveReport, Proven, unknown_words};
use ser_session::words::source_error;
use serde_json::{Value, json};
use std::time::Duration;

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// The report about one file; with every condition if that is asked for.
pub fn json(report: &ProveReport, all: bool) -> Value {
    let mut object = json!({
        "file": report.name,
        "verdict": report.verdict(),
        "time_ms": milliseconds(report.time),
    });
    let lines = report.source.as_ref().map(|it| &it.lines);
    if !report.warnings.is_empty() {
        object["warnings"] = report.warnings.iter().map(|it| diagnostic(lines, it)).collect();
    }
    match &report.result {
        Proven::Answer(checked) => answer(&mut object, checked, all),
        Proven::Stopped(stop) => object["reason"] = json!(stop.to_string()),
        Proven::Unchecked(message) => {
            object["reason"] = json!(format!("{}: {message}", crate::report::UNCHECKED));
        }
        Proven::Internal(message) => {
            object["reason"] = json!(format!("{}: {message}", crate::report::INTERNAL));
        }
        Proven::Error(error) => {
            object["reason"] = json!(source_error(error));
            object["errors"] = source_errors(error, lines);
        }
    }
    object
}

fn answer(object: &mut Value, checked: &Checked, all: bool) {
    let control = Control::new(&checked.system);
    let invariants = checked.invariants.iter().map(|it| invariant(checked, &control, it, all));
    object["invariants"] = invariants.collect();
    let safety = &checked.safety;
    object["safety"] = json!({
        "conditions": safety.conditions.len(),
        "by": by(&By::of(&safety.conditions)),
        "proved": safety.proved,
        "time_ms": milliseconds(safety.time),
    });
    if all {
        let list = safety.conditions.iter().map(|it| conditions::json(checked, &control, None, it));
        object["safety"]["all"] = list.collect();
    }
    let explored = checked.explored.iter().map(
        |it| json!({ "threads": it.threads, "states": it.states, "complete": it.is_complete() }),
    );
    object["explored"] = explored.collect();
    match &checked.verdict {
        Verdict::Proved => {
            object["proof"] = json!({
                "method": "parametrized-invariance",
                "threads": checked.system.threads,
            });
        }
        Verdict::Unknown(reason) => object["reason"] = json!(unknown_words(reason).0),
        _ => object["reason"] = json!(words::verdict(checked)),
    }
    if let Some((first, others)) = checked.runs.split_first() {
        object["counterexample"] = run::json(checked, first);
        if !others.is_empty() {
            object["more_counterexamples"] =
                others.iter().map(|it| run::json(checked, it)).collect();
        }
    }
    let models = open_models(checked, true);
    if !models.is_empty() {
        let models = models.iter().map(|it| breach::json(checked, it, &told::breach(checked, it)));
        object["counter_models"] = models.collect();
    }
    match &checked.inferred {
        Some(Inferred::Found(found)) => {
            object["inferred"] = json!({
                "candidates": found.tried.candidates,
                "plausible": found.tried.plausible,
                "inductive": found.tried.inductive,
                "minimal": found.minimal,
                "sentences": found.sentences,
                "before": found.before,
                "settled": found.before - found.open.len(),
                "open": found.open.iter().map(|it| json!({
                    "invariant": it.invariant,
                    "place": it.place,
                })).collect::<Vec<Value>>(),
                "added": found.added,
                "text": found.text,
            });
        }
        Some(other) => object["inferred"] = json!({ "reason": words::inferred(other) }),
        None => {}
    }
    if let Some(words) = accepted(checked) {
        object["checked"] = json!(words);
    }
}

fn by(by: &By) -> Value {
    json!({ "locations": by.locations, "numbers": by.numbers, "sets": by.sets, "lists": by.lists })
}

fn invariant(checked: &Checked, control: &Control<'_>, judged: &Judged, all: bool) -> Value {
    let words = told::Words::of(checked);
    let declared = checked.system.invariants.get(judged.invariant.0 as usize);
    let support: Vec<&str> = support(judged).iter().map(|it| words.invariant(*it)).collect();
    let mut object = json!({
        "name": words.invariant(judged.invariant),
        "index": declared.map_or(0, |it| it.parameters.len()),
        "line": declared.map(|it| checked.source.lines.line(it.span.start)),
        "rule": rule(judged),
        "conditions": judged.conditions.len(),
        "by": by(&By::of(&judged.conditions)),
        "proved": judged.proved && checked.verdict != Verdict::Unknown(Reason::NoStart),
        "result": status(checked, judged),
        "support": support,
        "time_ms": milliseconds(judged.time),
    });
    if all {
        let list = judged.conditions.iter();
        let list = list.map(|it| conditions::json(checked, control, Some(judged.invariant), it));
        object["all"] = list.collect();
    }
    object
}
