//! What is known about invariants, in sentences.

use crate::invariance::breach;
use crate::invariance::words::{Words, sets};
use crate::invariance::{Checked, Inferred, Shown};
use ser_base::Stop;
use ser_invariance_search::answer::{Verdict, Wrong};
use ser_invariance_search::counter::CounterModel;
use ser_invariance_search::decide::Reason;
use ser_invariance_search::explore::Explored;
use ser_invariance_search::infer::{Open, Tried, Undiscovered};
use ser_invariance_search::prove::{Judged, Status};
use ser_report::text::{and, capitalised, count, grouped};
use ser_syntax::inv::ast::InvId;
use std::collections::BTreeSet;

/// `for any number of threads`, or for how many.
fn threads(checked: &Checked) -> String {
    match checked.system.threads {
        None => "for any number of threads".to_owned(),
        Some(fixed) => format!("for {}", count(fixed as usize, "thread")),
    }
}

fn holds(number: usize) -> &'static str {
    if number == 1 { "holds" } else { "hold" }
}

/// The verdict in a sentence or two; nothing if the answer says it all.
pub fn verdict(checked: &Checked) -> Option<String> {
    let (all, proved) = (checked.invariants.len(), checked.proved());
    Some(match &checked.verdict {
        Verdict::Proved => {
            let safe = if checked.safety.conditions.is_empty() && !is_safe_by_counting(checked) {
                ""
            } else {
                ", and no step is an error"
            };
            match all {
                0 => format!("There are no invariants; {} no step is an error.", threads(checked)),
                _ => format!(
                    "{} {} {}{safe}.",
                    count(all, "invariant"),
                    holds(all),
                    threads(checked)
                ),
            }
        }
        Verdict::Refuted(_) => {
            let mut parts = Vec::new();
            let violated = violated(checked);
            if !violated.is_empty() {
                let verb = if violated.len() == 1 { "is" } else { "are" };
                parts.push(format!("{} {verb} violated", and(&names(checked, &violated))));
            }
            if checked.runs.iter().any(|it| matches!(it.refutation.what, Wrong::Error(..))) {
                parts.push("a step can be an error".to_owned());
            }
            let rest = match proved {
                0 => String::new(),
                _ if checked.safety.proved => {
                    let names = and(&proved_names(checked));
                    format!(" {} {} {}.", capitalised(&names), holds(proved), threads(checked))
                }
                _ => String::new(),
            };
            format!("{}: there is a run that shows it.{rest}", capitalised(&and(&parts)))
        }
        Verdict::NotInductive => format!("{} {}", partly(checked), not_inductive(checked)),
        Verdict::Unknown(Reason::NoStart) => return None,
        Verdict::Unknown(Reason::Stopped(Stop::Cancelled)) => match proved {
            0 => return None,
            _ => partly(checked),
        },
        Verdict::Unknown(_) | Verdict::Contradiction(_) => {
            let rest = if proved == 0 { "Some" } else { "For the rest, some" };
            let partly = partly(checked);
            format!("{partly} {rest} conditions were neither proved nor refuted.")
        }
    })
}

/// Whether it was counted that no step is an error, and there are steps that could be.
fn is_safe_by_counting(checked: &Checked) -> bool {
    let text = &checked.source.text;
    checked.counted.is_some()
        && checked.safety.proved
        && ser_syntax::lexer::lex(text).iter().any(|it| it.text(text) == "assert")
}

/// What is known of something that has no proof and no run against it.
fn not_inductive(checked: &Checked) -> String {
    let (instance, states) = (instance(checked), states(checked));
    let wrong = match (checked.system.threads.is_some(), is_complete(checked)) {
        (true, true) => {
            return format!(
                "No run of {instance} violates what is claimed ({states} looked at). But that is no proof that can be \
                 checked: the argument step by step does not go through, because it lacks support."
            );
        }
        (true, false) => "larger values or longer runs",
        (false, true) => "more threads",
        (false, false) => "more threads or larger values",
    };
    let violates = if is_complete(checked) { "violates" } else { "was found that violates" };
    format!(
        "No run of {instance} {violates} what is claimed ({states} looked at), but the proof does not go through: it lacks \
         support, or what is claimed is wrong for {wrong}."
    )
}

/// Whether all states of all instances that were looked at were seen.
pub fn is_complete(checked: &Checked) -> bool {
    !checked.explored.is_empty() && checked.explored.iter().all(Explored::is_complete)
}

/// How much is proved.
fn partly(checked: &Checked) -> String {
    let (all, proved) = (checked.invariants.len(), checked.proved());
    match (all, proved) {
        (0, _) => "There are no invariants.".to_owned(),
        (_, 0) => "None of the invariants is proved.".to_owned(),
        (all, proved) if all == proved => {
            format!("{} {}, unless a step is an error.", count(all, "invariant"), holds(all))
        }
        (all, proved) => format!(
            "{proved} of {} {} proved.",
            count(all, "invariant"),
            if proved == 1 { "is" } else { "are" }
        ),
    }
}

fn names(checked: &Checked, ids: &BTreeSet<InvId>) -> Vec<String> {
    let words = Words::of(checked);
    ids.iter().map(|it| format!("`{}`", words.invariant(*it))).collect()
}

fn proved_names(checked: &Checked) -> Vec<String> {
    let ids: BTreeSet<InvId> =
        checked.invariants.iter().filter(|it| it.proved).map(|it| it.invariant).collect();
    names(checked, &ids)
}

/// The invariants that a run violates.
pub fn violated(checked: &Checked) -> BTreeSet<InvId> {
    let violated = checked.runs.iter().filter_map(|it| match it.refutation.what {
        Wrong::Violated(id, _) => Some(id),
        Wrong::Error(..) | Wrong::Waits(_) => None,
    });
    violated.collect()
}

/// `up to 3 threads`.
pub fn instance(checked: &Checked) -> String {
    let most = checked.explored.iter().map(|it| it.threads).max().unwrap_or(0);
    match checked.system.threads {
        Some(fixed) => count(fixed as usize, "thread"),
        None => format!("up to {}", count(most as usize, "thread")),
    }
}

/// `1,200 states`, or `all 1,200 states` if nothing was left out.
pub fn states(checked: &Checked) -> String {
    let states: usize = checked.explored.iter().map(|it| it.states).sum();
    match is_complete(checked) {
        true if states > 1 => format!("all {} states", grouped(states)),
        _ => count(states, "state"),
    }
}

/// The counter-models that are worth showing: of invariants that a run violates, the run says more.
pub fn open_models(checked: &Checked, all: bool) -> Vec<&CounterModel> {
    let violated = violated(checked);
    let errors = checked.runs.iter().any(|it| matches!(it.refutation.what, Wrong::Error(..)));
    let is_open = |it: &&CounterModel| match it.invariant {
        _ if all => true,
        Some(id) => !violated.contains(&id),
        None => !errors,
    };
    checked.counter_models.iter().filter(is_open).collect()
}

/// Who moves in a counter-model: `` `j` ``.
pub fn mover(checked: &Checked, model: &CounterModel) -> Option<String> {
    let breach = breach::breach(checked, model);
    let mover = breach.threads.get(model.mover? as usize)?;
    Some(format!("`{}`", mover.name))
}

/// A run in one sentence.
pub fn shown(checked: &Checked, shown: &Shown) -> String {
    let words = Words::of(checked);
    let run = &shown.refutation.run;
    let with = format!(
        "by a run of {} with {}",
        count(run.threads as usize, "thread"),
        count(shown.witness.steps.len(), "step")
    );
    match &shown.refutation.what {
        Wrong::Violated(id, conjunct) => {
            format!("{} is violated, too, {with}.", words.conjunct_name(*id, *conjunct as u32))
        }
        Wrong::Waits(thread) => format!("thread {} waits forever, {with}.", thread + 1),
        Wrong::Error(kind, location) => {
            format!("at {} this happens, {with}: {kind}.", words.place(*location).words())
        }
    }
}

/// What became of the search for support.
pub fn inferred(inferred: &Inferred) -> String {
    match inferred {
        Inferred::Unneeded => {
            "No support had to be found: the proof goes through as it is.".to_owned()
        }
        Inferred::Hopeless => "No support was looked for: what is claimed is wrong.".to_owned(),
        Inferred::Found(found) if found.open.is_empty() => {
            let needs = if found.minimal { "needs" } else { "uses" };
            format!("Found: {}; the proof {needs} these:", looked_at(&found.tried))
        }
        Inferred::Found(found) => {
            let settled = found.before - found.open.len();
            format!(
                "Found {} that {} {settled} of {}; still open: {}. ({}.)",
                count(found.sentences, "invariant"),
                if found.sentences == 1 { "settles" } else { "settle" },
                count(found.before, "condition"),
                still_open(&found.open),
                capitalised(&looked_at(&found.tried)),
            )
        }
        Inferred::Nothing(Undiscovered::TooWeak(tried)) => {
            let why = match tried.inductive {
                0 => format!("none of {} is inductive", count(tried.candidates, "candidate")),
                some => format!(
                    "of {} {} {} inductive, but {} not settle any further condition",
                    count(tried.candidates, "candidate"),
                    grouped(some),
                    if some == 1 { "is" } else { "are" },
                    if some == 1 { "that does" } else { "they do" },
                ),
            };
            format!("No support was found: {why}. {}", not_tried(tried))
        }
        Inferred::Nothing(why) => format!("No support was found: {why}."),
    }
}

/// How many candidates there were, and what became of them.
fn looked_at(tried: &Tried) -> String {
    let hurried = if tried.hurried { "; there was no time for the rest" } else { "" };
    format!(
        "of {}, small instances left {} and {} {} inductive{hurried}",
        count(tried.candidates, "candidate"),
        grouped(tried.plausible),
        grouped(tried.inductive),
        if tried.inductive == 1 { "was" } else { "were" },
    )
}

/// The conditions that are still open: `` `mutex` at `leave` ``.
fn still_open(open: &[Open]) -> String {
    const SHOWN: usize = 4;
    let mut all: Vec<String> = Vec::new();
    for it in open {
        let what = match &it.invariant {
            Some(name) => format!("`{name}`"),
            None => "a step that may be an error".to_owned(),
        };
        let text = match (&it.location, &it.place) {
            (None, _) => format!("{what} at the start"),
            (_, Some(place)) => format!("{what} at `{place}`"),
            _ => what,
        };
        if !all.contains(&text) {
            all.push(text);
        }
    }
    let more = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    if more > 0 {
        all.push(format!("{} more", grouped(more)));
    }
    and(&all)
}

/// What was looked at, and what never is.
fn not_tried(tried: &Tried) -> String {
    const SHOWN: usize = 8;
    let mut names: Vec<String> = tried.variables.iter().map(|it| format!("`{it}`")).collect();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    if more > 0 {
        names.push(format!("{} more", grouped(more)));
    }
    let of = if names.is_empty() { String::new() } else { format!(" of {}", and(&names)) };
    let left_out = match tried.left_out {
        0 => String::new(),
        some => format!(" ({} that are farther from the goal were left out)", grouped(some)),
    };
    format!(
        "Tried: comparisons, memberships and owners{of}, at each place of one or two threads, some under a condition{left_out}. \
         Not tried: sums, how many threads are somewhere, and what takes three threads or several conditions to say."
    )
}

/// What the checker has looked at.
pub fn accepted(checked: &Checked) -> Option<String> {
    if checked.verdict == Verdict::Unknown(Reason::NoStart) {
        return None;
    }
    let shown = [checked.accepted.as_ref(), checked.besides.as_ref()];
    let words = shown.into_iter().flatten().filter_map(|it| match it {
        ser_invariance_checker::Verdict::Proved { conditions, lemmas, .. } => {
            let cases = format!("{} with {}", count(*conditions, "case"), count(*lemmas, "lemma"));
            match checked.verdict {
                Verdict::Proved => Some(cases),
                _ if checked.proved() == 0 => None,
                _ => Some(format!("what is proved ({cases})")),
            }
        }
        ser_invariance_checker::Verdict::Covered { boxes, steps, .. } => {
            let sets = format!("{} with {}", sets(*boxes), count(*steps, "step"));
            match checked.verdict {
                Verdict::Proved => Some(sets),
                _ if checked.proved() == 0 => None,
                _ => Some(format!("what is proved ({sets})")),
            }
        }
        ser_invariance_checker::Verdict::Finishing { .. } => None,
        ser_invariance_checker::Verdict::Refuted { steps, .. } => {
            Some(format!("a run of {}", count(*steps, "step")))
        }
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| and(&words))
}

/// What there is to say about an invariant in one or two words.
pub fn status(checked: &Checked, judged: &Judged) -> String {
    if checked.verdict == Verdict::Unknown(Reason::NoStart) {
        return "no start".to_owned();
    }
    if judged.proved {
        return "proved".to_owned();
    }
    if violated(checked).contains(&judged.invariant) {
        return "violated".to_owned();
    }
    let of = |wanted: fn(&Status) -> bool| {
        judged.conditions.iter().filter(|it| wanted(&it.status)).count()
    };
    let fails = of(|it| matches!(it, Status::Fails(_)));
    let unknown = of(|it| matches!(it, Status::Unknown(_)));
    match (fails, unknown) {
        (0, 0) => {
            let missing = needed(checked, judged);
            let missing: Vec<String> = names(checked, &missing);
            match missing.is_empty() {
                true => "not checked".to_owned(),
                false => format!("needs {}", and(&missing)),
            }
        }
        (0, unknown) => format!("{unknown} unknown"),
        (1, _) => "1 fails".to_owned(),
        (fails, _) => format!("{fails} fail"),
    }
}

/// What a proof uses and is not proved.
fn needed(checked: &Checked, judged: &Judged) -> BTreeSet<InvId> {
    let proved: BTreeSet<InvId> =
        checked.invariants.iter().filter(|it| it.proved).map(|it| it.invariant).collect();
    support(judged).into_iter().filter(|it| !proved.contains(it)).collect()
}

/// What the conditions of an invariant have used.
pub fn support(judged: &Judged) -> BTreeSet<InvId> {
    let used = judged.conditions.iter().filter_map(|it| match &it.status {
        Status::Valid { support, .. } => Some(support.iter().map(|(id, _)| *id)),
        _ => None,
    });
    used.flatten().collect()
}
