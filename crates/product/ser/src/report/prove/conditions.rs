//! Every condition: its premise, its line, who has shown it, and with what.

use super::table::procedure;
use crate::report::human::{BAD, FAINT, STRONG, paint};
use ser_invariance_search::paths::Control;
use ser_invariance_search::prove::{Condition, Status};
use ser_session::invariants::told::Words;
use ser_session::invariants::{Checked, unknown_words};
use ser_session::words::count;
use ser_syntax::inv::ast::{ActionKind, InvId, LocId, Step, StmtKind};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A condition in words.
struct Row {
    premise: String,
    line: String,
    place: String,
    by: String,
    support: String,
    bad: bool,
}

/// All conditions, grouped by invariant.
pub fn human(out: &mut String, checked: &Checked) {
    let words = Words::of(checked);
    let control = Control::new(&checked.system);
    for judged in &checked.invariants {
        let title = format!(
            "{}: {}",
            words.invariant(judged.invariant),
            count(judged.conditions.len(), "condition")
        );
        table(out, checked, &control, &title, Some(judged.invariant), &judged.conditions);
    }
    let safety = &checked.safety.conditions;
    if !safety.is_empty() {
        let title = format!("no step is an error: {}", count(safety.len(), "condition"));
        table(out, checked, &control, &title, None, safety);
    }
}

fn table(
    out: &mut String,
    checked: &Checked,
    control: &Control<'_>,
    title: &str,
    invariant: Option<InvId>,
    conditions: &[Condition],
) {
    let rows: Vec<Row> = conditions.iter().map(|it| row(checked, control, invariant, it)).collect();
    let wide =
        |of: fn(&Row) -> &str| rows.iter().map(|it| of(it).chars().count()).max().unwrap_or(0);
    let (premise, line, place, by) =
        (wide(|it| &it.premise), wide(|it| &it.line), wide(|it| &it.place), wide(|it| &it.by));
    let _ = writeln!(out, "  {}\n", paint(STRONG, title));
    for it in &rows {
        let text = format!(
            "{:premise$}  {:>line$}  {:place$}  {:by$}  {}",
            it.premise, it.line, it.place, it.by, it.support
        );
        let text = text.trim_end();
        let style = if it.bad { BAD } else { FAINT };
        let shown =
            if it.bad || it.by != "locations" { text.to_owned() } else { paint(FAINT, text) };
        let shown = if it.bad { paint(style, text) } else { shown };
        let _ = writeln!(out, "    {shown}");
    }
    out.push('\n');
}

fn row(
    checked: &Checked,
    control: &Control<'_>,
    invariant: Option<InvId>,
    condition: &Condition,
) -> Row {
    let words = Words::of(checked);
    let (line, place) = match condition.location {
        None => (String::new(), String::new()),
        Some(id) => {
            let place = words.place(id);
            let which = match which(control, id, condition.transition) {
                Some(which) => format!(" ({which})"),
                None => String::new(),
            };
            let name = place.name.map(|it| format!("{it}: ")).unwrap_or_default();
            (
                place.line.to_string(),
                format!("{}{which}", shortened(&format!("{name}{}", place.statement))),
            )
        }
    };
    let (by, support, bad) = match &condition.status {
        Status::Valid { procedure: it, .. } => {
            let support = support(checked, condition);
            let support = if support.is_empty() {
                String::new()
            } else {
                format!("with {}", support.join(", "))
            };
            (procedure(*it).to_owned(), support, false)
        }
        Status::Fails(_) => ("FAILS".to_owned(), String::new(), true),
        Status::Unknown(reason) => ("unknown".to_owned(), unknown_words(reason).0, true),
    };
    let premise = words.premise(invariant, condition.premise, &checked.anchors);
    Row { premise, line, place, by, support, bad }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 44;
    match text.chars().count() > MOST {
        true => text.chars().take(MOST - 3).chain("...".chars()).collect(),
        false => text.to_owned(),
    }
}

/// Which of the transitions of a location, if there are several.
fn which(control: &Control<'_>, id: LocId, transition: u32) -> Option<String> {
    let all = control.counted(id);
    if all < 2 {
        return None;
    }
    Some(match &control.at(id).statement.kind {
        // Counted as in the paper: the test of a `loop` never fails.
        StmtKind::While { forever: true, .. } => {
            if transition == 0 { "goes in" } else { "never" }.to_owned()
        }
        StmtKind::If { .. } | StmtKind::While { .. } if all == 2 => {
            if transition == 0 { "holds" } else { "does not" }.to_owned()
        }
        StmtKind::Step(Step::Action(action)) if matches!(action.kind, ActionKind::Await(_)) => {
            if transition == 0 { "goes on" } else { "waits" }.to_owned()
        }
        _ => format!("way {}", transition + 1),
    })
}

/// What a proof has used: `notsame`, `order.bounded`.
fn support(checked: &Checked, condition: &Condition) -> Vec<String> {
    let words = Words::of(checked);
    let Status::Valid { support, .. } = &condition.status else { return Vec::new() };
    let name = |(id, conjunct): &(InvId, u32)| {
        let tag = words.conjunct(*id, *conjunct).and_then(|it| it.tag.as_ref());
        let invariant = words.invariant(*id);
        tag.map_or(invariant.to_owned(), |tag| format!("{invariant}.{}", tag.text))
    };
    let mut names: Vec<String> = support.iter().map(name).collect();
    names.dedup();
    names
}

/// A condition as JSON.
pub fn json(
    checked: &Checked,
    control: &Control<'_>,
    invariant: Option<InvId>,
    condition: &Condition,
) -> Value {
    let words = Words::of(checked);
    let mut object = json!({
        "premise": words.premise(invariant, condition.premise, &checked.anchors),
        "cases": condition.cases,
    });
    if let Some(id) = condition.location {
        let place = words.place(id);
        object["line"] = json!(place.line);
        object["location"] = json!(place.number);
        object["name"] = json!(place.name);
        object["transition"] = json!(condition.transition + 1);
        if let Some(which) = which(control, id, condition.transition) {
            object["which"] = json!(which);
        }
    }
    match &condition.status {
        Status::Valid { procedure: it, .. } => {
            object["status"] = json!("valid");
            object["by"] = json!(procedure(*it));
            object["support"] = json!(support(checked, condition));
        }
        Status::Fails(_) => object["status"] = json!("fails"),
        Status::Unknown(reason) => {
            object["status"] = json!("unknown");
            object["reason"] = json!(unknown_words(reason).0);
        }
    }
    object
}
