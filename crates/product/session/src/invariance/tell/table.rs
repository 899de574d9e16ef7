//! A row for each invariant: how many conditions, and who has shown them.

use super::sentences::status;
use crate::invariance::Checked;
use ser_invariance_search::decide::Procedure;
use ser_invariance_search::prove::{Condition, Judged, Status};
use ser_report::Table;
use ser_report::text::duration;
use std::time::Duration;

/// The procedures with their names.
pub const PROCEDURES: [(Procedure, &str); 4] = [
    (Procedure::Locations, "locations"),
    (Procedure::Numbers, "numbers"),
    (Procedure::Sets, "sets"),
    (Procedure::Lists, "lists"),
];

/// How a procedure is called.
pub fn procedure(procedure: Procedure) -> &'static str {
    PROCEDURES.into_iter().find(|(it, _)| *it == procedure).map_or("", |(_, name)| name)
}

/// How many conditions each procedure has shown.
pub fn shown_by(conditions: &[Condition]) -> [(&'static str, usize); 4] {
    PROCEDURES.map(|(wanted, name)| {
        let by = |it: &&Condition| {
            matches!(it.status, Status::Valid { procedure, .. } if procedure == wanted)
        };
        (name, conditions.iter().filter(by).count())
    })
}

/// The rule of a proof; nothing if there is none.
pub fn rule(judged: &Judged) -> Option<&'static str> {
    // What was counted has no conditions.
    (judged.proved && !judged.conditions.is_empty()).then(|| judged.rule.name())
}

const HEADER: [&str; 10] = [
    "invariant",
    "threads",
    "conditions",
    "locations",
    "numbers",
    "sets",
    "lists",
    "rule",
    "result",
    "time",
];

/// The table; nothing if there is nothing to prove.
pub fn table(checked: &Checked) -> Option<Table> {
    if checked.counted.is_some() {
        return counted(checked);
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for judged in &checked.invariants {
        let Some(invariant) = checked.system.invariants.get(judged.invariant.0 as usize) else {
            continue;
        };
        let parameters: Vec<&str> =
            invariant.parameters.iter().map(|it| it.text.as_str()).collect();
        rows.push(row(
            [invariant.name.text.clone(), parameters.join(", ")],
            &judged.conditions,
            [rule(judged).unwrap_or("-").to_owned(), status(checked, judged)],
            judged.time,
        ));
    }
    let safety = &checked.safety;
    if !safety.conditions.is_empty() {
        let bad = safety.conditions.iter().filter(|it| !matches!(it.status, Status::Valid { .. }));
        let status = match (safety.proved, bad.count()) {
            (true, _) => "proved".to_owned(),
            (false, 0) => "needs others".to_owned(),
            (false, 1) => "1 fails".to_owned(),
            (false, n) => format!("{n} fail"),
        };
        rows.push(row(
            ["(no error)".to_owned(), String::new()],
            &safety.conditions,
            ["safety".to_owned(), status],
            safety.time,
        ));
    }
    let header = HEADER.map(str::to_owned).to_vec();
    (!rows.is_empty()).then_some(Table { header, rows })
}

/// If threads were counted, there are no conditions.
fn counted(checked: &Checked) -> Option<Table> {
    let rows = checked.invariants.iter().filter_map(|judged| {
        let invariant = checked.system.invariants.get(judged.invariant.0 as usize)?;
        let parameters: Vec<&str> =
            invariant.parameters.iter().map(|it| it.text.as_str()).collect();
        Some(vec![invariant.name.text.clone(), parameters.join(", "), status(checked, judged)])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let header = ["invariant", "threads", "result"].map(str::to_owned).to_vec();
    (!rows.is_empty()).then_some(Table { header, rows })
}

fn row(
    name: [String; 2],
    conditions: &[Condition],
    result: [String; 2],
    time: Duration,
) -> Vec<String> {
    let number = |n: usize| if n == 0 { "-".to_owned() } else { n.to_string() };
    let counts = shown_by(conditions).map(|(_, count)| number(count));
    let all = [conditions.len().to_string()].into_iter().chain(counts);
    name.into_iter().chain(all).chain(result).chain([duration(time)]).collect()
}
