//! Every condition: its premise, its line, who has shown it, and with what.

use super::table::procedure;
use crate::invariance::words::Words;
use crate::invariance::{Checked, unknown_words};
use ser_invariance_search::paths::Control;
use ser_invariance_search::prove::{Condition, Status};
use ser_report::text::count;
use ser_report::{Block, Detail, Section, Table};
use ser_syntax::inv::ast::{ActionKind, InvId, LocId, Step, StmtKind};
use serde_json::{Value, json};

/// All conditions, a section for each invariant.
pub fn sections(checked: &Checked) -> Vec<Section> {
    let words = Words::of(checked);
    let control = Control::new(&checked.system);
    let section = |name: &str, invariant: Option<InvId>, conditions: &[Condition]| {
        let title = format!("{name}: {}", count(conditions.len(), "condition"));
        let header = ["premise", "line", "statement", "shown by", "with"].map(str::to_owned);
        let rows = conditions.iter().map(|it| row(checked, &control, invariant, it));
        let table = Table { header: header.to_vec(), rows: rows.collect() };
        Section::titled(title, [Block::Table(table)]).with_detail(Detail::Verbose)
    };
    let invariants = checked.invariants.iter();
    let mut sections: Vec<Section> = invariants
        .map(|it| section(words.invariant(it.invariant), Some(it.invariant), &it.conditions))
        .collect();
    let safety = &checked.safety.conditions;
    if !safety.is_empty() {
        sections.push(section("no step is an error", None, safety));
    }
    sections
}

fn row(
    checked: &Checked,
    control: &Control<'_>,
    invariant: Option<InvId>,
    condition: &Condition,
) -> Vec<String> {
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
    let (by, support) = match &condition.status {
        Status::Valid { procedure: it, .. } => {
            (procedure(*it).to_owned(), support(checked, condition).join(", "))
        }
        Status::Fails(_) => ("FAILS".to_owned(), String::new()),
        Status::Unknown(reason) => ("unknown".to_owned(), unknown_words(reason).0),
    };
    let premise = words.premise(invariant, condition.premise, &checked.anchors);
    vec![premise, line, place, by, support]
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
        StmtKind::Match(_) => format!("case {}", transition + 1),
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

/// A condition for programs.
pub fn data(
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
