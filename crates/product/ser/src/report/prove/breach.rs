//! A step that breaks an invariant: the threads, the values, the heap.

use super::words::{instance, is_complete, states, violated};
use crate::report::human::{BAD, FAINT, STRONG, paint, paragraph};
use ser_invariance_search::counter::CounterModel;
use ser_invariance_search::prove::Premise;
use ser_session::invariants::Checked;
use ser_session::invariants::told::{Breach, Broken, Standing, list};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// For people, below the snippet.
pub fn human(
    out: &mut String,
    checked: &Checked,
    model: &CounterModel,
    breach: &Breach,
    width: usize,
) {
    let title = match model.premise {
        Premise::Initiation => "A state at the start:",
        Premise::Follows => "A state in which all of its support holds:",
        _ => "The step, in a state in which everything that is assumed holds:",
    };
    let _ = writeln!(out, "  {}\n", paint(STRONG, title));
    let names: Vec<String> = breach
        .threads
        .iter()
        .map(|it| [&it.name].into_iter().chain(&it.also).cloned().collect::<Vec<_>>().join(" = "))
        .collect();
    let all = names.iter().chain(&breach.others);
    let wide = all.map(|it| it.chars().count()).max().unwrap_or(0);
    for ((number, thread), name) in (0..).zip(&breach.threads).zip(&names) {
        let _ = writeln!(out, "    {name:wide$}  {}", standing(breach, number, thread));
    }
    for name in &breach.others {
        let _ = writeln!(out, "    {name:wide$}  is somebody else, wherever");
    }
    values(out, &breach.values);
    heap(out, "heap", &breach.heap);
    heap(out, "heap after the step", &breach.heap_after);
    if !breach.broken.is_empty() {
        out.push('\n');
        for Broken { name, text, parts } in &breach.broken {
            if parts.iter().all(|it| it.is_whole) {
                let title = format!("then {name} does not hold:");
                let _ = writeln!(out, "    {} {text}", paint(BAD, title));
            }
            for part in parts.iter().filter(|it| !it.is_whole) {
                let title = format!("then this part of {name} does not hold:");
                let _ = writeln!(out, "    {} {}", paint(BAD, title), part.text);
            }
        }
    }
    out.push('\n');
    paragraph(out, "", &class(checked, model), width);
}

/// A line that excludes the state.
pub fn draft(out: &mut String, breach: &Breach, width: usize) {
    let Some(draft) = &breach.draft else { return };
    let title = "A draft that excludes this state (a guess: small instances do not violate it, and no more is known of it):";
    out.push('\n');
    paragraph(out, "", title, width);
    let _ = writeln!(out, "\n      {}", draft.text);
    if !draft.names.is_empty() {
        let names = draft.names.iter();
        let names: Vec<String> = names
            .map(|(name, line)| format!("line {line} has to be named: `{name}: ...`"))
            .collect();
        out.push('\n');
        paragraph(out, "", &format!("For it, {}.", list(&names)), width);
    }
}

/// Where a thread is, and where it goes.
fn standing(breach: &Breach, number: u32, thread: &Standing) -> String {
    let role = thread.role.as_ref().map(|it| format!("{it}, ")).unwrap_or_default();
    let at = thread.at.words();
    let moves = breach.mover == Some(number);
    let way = breach.step.as_ref().and_then(|(_, branch)| branch.as_deref());
    let way = way.map(|it| format!(" ({it})")).unwrap_or_default();
    match (moves, &thread.to) {
        (true, Some(to)) => format!("{role}moves: from {at}{way} to {}", to.words()),
        (true, None) => format!("{role}moves: at {at}{way}"),
        (false, _) => format!("{role}is at {at}"),
    }
}

/// `name  before -> after`.
fn values(out: &mut String, values: &[(String, String, Option<String>)]) {
    if values.is_empty() {
        return;
    }
    out.push('\n');
    let wide = values.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    for (name, before, after) in values {
        let after = after.as_ref().map(|it| format!(" -> {}", paint(STRONG, it)));
        let _ = writeln!(out, "    {name:wide$} = {before}{}", after.unwrap_or_default());
    }
}

/// Chains of cells.
pub fn heap(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n    {}", paint(FAINT, format!("{title}:")));
    for line in lines {
        let _ = writeln!(out, "      {line}");
    }
}

/// Whether this can really happen, as far as it is known.
fn class(checked: &Checked, model: &CounterModel) -> String {
    if model.invariant.is_some_and(|it| violated(checked).contains(&it)) {
        return "Real: a run violates this invariant (see above).".to_owned();
    }
    if model.premise == Premise::Follows {
        return "The state need not be reachable: that it follows is claimed for all states."
            .to_owned();
    }
    let (reaches, bounds) = match is_complete(checked) {
        true => ("reaches", ""),
        false => ("was found that reaches", "; larger values and longer runs were not looked at"),
    };
    format!(
        "Not inductive: no run of {} {reaches} this ({} explored{bounds}).",
        instance(checked),
        states(checked)
    )
}

/// As JSON.
pub fn json(checked: &Checked, model: &CounterModel, breach: &Breach) -> Value {
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
            "to_line": it.to.as_ref().map(|to| to.line),
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
