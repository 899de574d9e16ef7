//! What a report about invariants tells to programs, beyond what all methods tell.

use super::table::{rule, shown_by};
use super::{conditions, sentences};
use crate::invariance::breach::{Breach, breach};
use crate::invariance::run::{Moment, Told, run as told_run};
use crate::invariance::words::Words;
use crate::invariance::{Checked, Inferred, Shown};
use sentences::{open_models, status, support, violated};
use ser_invariance_search::answer::{Verdict, Wrong};
use ser_invariance_search::counter::CounterModel;
use ser_invariance_search::decide::Reason;
use ser_invariance_search::paths::Control;
use ser_invariance_search::prove::{Condition, Judged, Premise};
use serde_json::{Map, Value, json};
use std::time::Duration;

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn as_object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// For an answer; with every condition if that is asked for.
pub fn answer(checked: &Checked, all: bool) -> Map<String, Value> {
    let control = Control::new(&checked.system);
    let invariants = checked.invariants.iter().map(|it| invariant(checked, &control, it, all));
    let safety = &checked.safety;
    let explored = checked.explored.iter().map(
        |it| json!({ "threads": it.threads, "states": it.states, "complete": it.is_complete() }),
    );
    let mut object = json!({
        "threads": checked.system.threads,
        "invariants": invariants.collect::<Vec<_>>(),
        "safety": {
            "conditions": safety.conditions.len(),
            "by": by(&safety.conditions),
            "proved": safety.proved,
            "time_ms": milliseconds(safety.time),
        },
        "explored": explored.collect::<Vec<_>>(),
    });
    if all {
        let list = safety.conditions.iter().map(|it| conditions::data(checked, &control, None, it));
        object["safety"]["all"] = list.collect();
    }
    if checked.verdict == Verdict::NotInductive {
        object["reason"] = json!(sentences::verdict(checked));
    }
    let models = open_models(checked, true);
    if !models.is_empty() {
        let models = models.iter().map(|it| counter_model(checked, it, &breach(checked, it)));
        object["counter_models"] = models.collect();
    }
    if checked.runs.len() > 1 {
        let others = checked.runs.iter().skip(1).map(|it| Value::Object(run(checked, it)));
        object["other_counterexamples"] = others.collect();
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
                "text": ser_base::first_file(&found.text),
            });
        }
        Some(other) => object["inferred"] = json!({ "reason": sentences::inferred(other) }),
        None => {}
    }
    as_object(object)
}

fn by(conditions: &[Condition]) -> Value {
    shown_by(conditions).into_iter().collect()
}

fn invariant(checked: &Checked, control: &Control<'_>, judged: &Judged, all: bool) -> Value {
    let words = Words::of(checked);
    let declared = checked.system.invariants.get(judged.invariant.0 as usize);
    let support: Vec<&str> = support(judged).iter().map(|it| words.invariant(*it)).collect();
    let mut object = json!({
        "name": words.invariant(judged.invariant),
        "index": declared.map_or(0, |it| it.parameters.len()),
        "line": declared.map(|it| checked.source.lines.line(it.span.start)),
        "rule": rule(judged),
        "conditions": judged.conditions.len(),
        "by": by(&judged.conditions),
        "proved": judged.proved && checked.verdict != Verdict::Unknown(Reason::NoStart),
        "result": status(checked, judged),
        "support": support,
        "time_ms": milliseconds(judged.time),
    });
    if all {
        let list = judged.conditions.iter();
        let list = list.map(|it| conditions::data(checked, control, Some(judged.invariant), it));
        object["all"] = list.collect();
    }
    object
}

pub fn run(checked: &Checked, shown: &Shown) -> Map<String, Value> {
    let told = told_run(checked, shown);
    let words = Words::of(checked);
    let pairs = |list: &[(String, String)]| -> Vec<Value> {
        list.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
    };
    let what = match &shown.refutation.what {
        Wrong::Violated(id, conjunct) => {
            let formula = words.conjunct(*id, *conjunct as u32).map(|it| it.formula.span);
            json!({
                "kind": "violated",
                "invariant": words.invariant(*id),
                "conjunct": words.conjunct(*id, *conjunct as u32).and_then(|it| it.tag.as_ref()).map(|it| &it.text),
                "line": formula.map(|it| checked.source.lines.line(it.start)),
                "text": formula.map(|it| words.on_one_line(it.range())),
            })
        }
        Wrong::Waits(thread) => {
            json!({ "kind": "waits", "thread": told.threads.get(*thread as usize) })
        }
        Wrong::Error(kind, location) => {
            let place = words.place(*location);
            json!({ "kind": "error", "line": place.line, "text": kind.to_string() })
        }
    };
    let standing = told
        .standing
        .iter()
        .map(|(name, place)| json!({ "thread": name, "line": place.line, "at": place.name }));
    as_object(json!({
        "shows": what,
        "threads": shown.refutation.run.threads,
        "initial": { "values": pairs(&told.start), "heap": told.heap },
        "moves": told.moments.iter().map(|it| moved(&told, it)).collect::<Vec<_>>(),
        "end": {
            "text": told.end,
            "parts": told.parts,
            "threads": standing.collect::<Vec<_>>(),
            "values": pairs(&told.values),
            "heap": told.heap_after,
        },
    }))
}

/// A step of a run, with the values before and after it.
fn moved(told: &Told, moment: &Moment) -> Value {
    let changes = moment.changes.iter();
    let changes = changes
        .map(|(name, before, after)| json!({ "name": name, "before": before, "after": after }));
    json!({
        "thread": told.threads.get(moment.thread as usize),
        "line": moment.place.line,
        "location": moment.place.number,
        "name": moment.place.name,
        "statement": moment.place.statement,
        "branch": moment.branch,
        "changes": changes.collect::<Vec<_>>(),
        "error": moment.fault,
    })
}

/// A condition that fails.
fn counter_model(checked: &Checked, model: &CounterModel, breach: &Breach) -> Value {
    let name = |it: &CounterModel| {
        it.invariant
            .and_then(|it| checked.system.invariants.get(it.0 as usize))
            .map(|it| &it.name.text)
    };
    let threads = breach.threads.iter().map(|it| {
        json!({
            "name": it.name,
            "also": it.also,
            "role": it.role,
            "location": it.at.number,
            "at": it.at.name,
            "line": it.at.line,
            "to_line": it.to.as_ref().map(|to| &to.line),
        })
    });
    let values = breach
        .values
        .iter()
        .map(|(name, before, after)| json!({ "name": name, "before": before, "after": after }));
    let broken = breach.broken.iter().map(|it| {
        let parts = it.parts.iter().map(|it| it.text.as_str()).collect::<Vec<_>>();
        json!({ "name": it.name, "text": it.text, "parts": parts })
    });
    let premise = match model.premise {
        Premise::Initiation => "initiation",
        Premise::Own(_) => "self",
        Premise::Other => "other",
        Premise::Follows => "follows",
        Premise::Safety => "safety",
    };
    let real = model.invariant.is_some_and(|it| violated(checked).contains(&it));
    json!({
        "invariant": name(model),
        "premise": premise,
        "mover": model.mover.and_then(|it| breach.threads.get(it as usize)).map(|it| &it.name),
        "step": breach.step.as_ref().map(|(place, branch)| json!({
            "location": place.number,
            "name": place.name,
            "line": place.line,
            "statement": place.statement,
            "branch": branch,
        })),
        "message": breach.remark.message,
        "help": breach.remark.help.iter().map(|it| it.message.as_str()).collect::<Vec<_>>(),
        "threads": threads.collect::<Vec<_>>(),
        "others": breach.others,
        "values": values.collect::<Vec<_>>(),
        "heap": breach.heap,
        "heap_after": breach.heap_after,
        "broken": broken.collect::<Vec<_>>(),
        "excluded_by": breach.excluded_by,
        "draft": breach.draft.as_ref().map(|it| json!({
            "text": it.text,
            "names": it.names.iter().map(|(name, line)| json!({ "name": name, "line": line })).collect::<Vec<_>>(),
        })),
        "class": if real { "real" } else { "not_inductive" },
    })
}
