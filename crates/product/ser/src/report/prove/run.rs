//! A run that violates an invariant, step by step.

use super::breach::heap;
use crate::report::human::{BAD, FAINT, STRONG, paint};
use ser_invariance_search::answer::Wrong;
use ser_session::invariants::told::{self, Moment, Told};
use ser_session::invariants::{Checked, Shown};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Longer runs are shown by their beginning and end.
const MAX_ROWS: usize = 60;

/// Statements are cut to this length.
const STATEMENT: usize = 48;

/// For people.
pub fn human(out: &mut String, checked: &Checked, shown: &Shown) {
    let told = told::run(checked, shown);
    start(out, &told);
    let count = told.moments.len();
    let wide = told.threads.iter().map(|it| it.chars().count()).max().unwrap_or(0).max(6);
    let statements: Vec<String> = told.moments.iter().map(statement).collect();
    let statement = statements.iter().map(|it| it.chars().count()).max().unwrap_or(0);
    if count > 0 {
        let header = format!("  step  {:wide$}  line  statement", "thread");
        let _ = writeln!(out, "{}", paint(STRONG, header));
    }
    let skipped = MAX_ROWS / 2..count.saturating_sub(MAX_ROWS / 2);
    for (number, (moment, text)) in told.moments.iter().zip(&statements).enumerate() {
        if count > MAX_ROWS && skipped.contains(&number) {
            if number == skipped.start {
                let text = format!("... {} more steps; --format json shows all ...", skipped.len());
                let _ = writeln!(out, "        {}", paint(FAINT, text));
            }
            continue;
        }
        let name = told::thread_name(&told.threads, moment.thread);
        let mut what = moment.words.clone();
        if let Some(fault) = &moment.fault {
            what = paint(BAD, fault);
        }
        let line = format!(
            "{:>6}  {name:wide$}  {:>4}  {text:statement$}  {what}",
            number + 1,
            moment.place.line
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let sentence = match told.parts.is_empty() {
        true => format!("{}.", told.end),
        false => format!("{}: this part of it does not.", told.end),
    };
    let _ = writeln!(out, "\n  {}", paint(BAD, super::capitalised(&sentence)));
    for part in &told.parts {
        let _ = writeln!(out, "\n      {part}");
    }
    end(out, &told);
}

fn start(out: &mut String, told: &Told) {
    if told.start.is_empty() && told.heap.is_empty() {
        return;
    }
    let values: Vec<String> =
        told.start.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let _ = writeln!(out, "  {} {}", paint(STRONG, "At the start:"), values.join(", "));
    heap(out, "heap", &told.heap);
    out.push('\n');
}

fn end(out: &mut String, told: &Told) {
    if !told.standing.is_empty() {
        out.push('\n');
    }
    for (name, place) in &told.standing {
        let _ = writeln!(out, "    {name} is at {}", place.words());
    }
    if !told.values.is_empty() {
        out.push('\n');
        let wide = told.values.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, value) in &told.values {
            let _ = writeln!(out, "    {name:wide$} = {value}");
        }
    }
    heap(out, "heap", &told.heap_after);
}

/// A statement with the way that is taken.
fn statement(moment: &Moment) -> String {
    let text = &moment.place.statement;
    let text = match text.chars().count() > STATEMENT {
        true => text.chars().take(STATEMENT - 3).chain("...".chars()).collect(),
        false => text.clone(),
    };
    match &moment.branch {
        Some(branch) => format!("{text}: {branch}"),
        None => text,
    }
}

/// As JSON.
pub fn json(checked: &Checked, shown: &Shown) -> Value {
    let told = told::run(checked, shown);
    let words = told::Words::of(checked);
    let steps = told.moments.iter().map(|it| {
        let changes = it
            .changes
            .iter()
            .map(|(name, before, after)| json!({ "name": name, "before": before, "after": after }));
        let mut step = json!({
            "thread": told::thread_name(&told.threads, it.thread),
            "line": it.place.line,
            "location": it.place.number,
            "statement": it.place.statement,
            "changes": changes.collect::<Vec<_>>(),
        });
        if let Some(branch) = &it.branch {
            step["branch"] = json!(branch);
        }
        if let Some(fault) = &it.fault {
            step["error"] = json!(fault);
        }
        step
    });
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
        Wrong::Error(kind, location) => {
            let place = words.place(*location);
            json!({ "kind": "error", "line": place.line, "text": kind.to_string() })
        }
    };
    let standing = told
        .standing
        .iter()
        .map(|(name, place)| json!({ "thread": name, "line": place.line, "at": place.name }));
    json!({
        "shows": what,
        "threads": shown.refutation.run.threads,
        "start": { "values": pairs(&told.start), "heap": told.heap },
        "steps": steps.collect::<Vec<_>>(),
        "end": {
            "text": told.end,
            "parts": told.parts,
            "threads": standing.collect::<Vec<_>>(),
            "values": pairs(&told.values),
            "heap": told.heap_after,
        },
    })
}
