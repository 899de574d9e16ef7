//! A row for each invariant: how many conditions, and who has shown them.

use super::words::status;
use crate::report::human::{FAINT, STRONG, duration, paint};
use ser_invariance_search::decide::Procedure;
use ser_invariance_search::prove::{Condition, Judged, Status};
use ser_session::invariants::Checked;
use std::fmt::Write as _;

/// How many conditions each procedure has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct By {
    pub locations: usize,
    pub numbers: usize,
    pub sets: usize,
    pub lists: usize,
}

impl By {
    pub fn of(conditions: &[Condition]) -> By {
        let mut by = By::default();
        for condition in conditions {
            if let Status::Valid { procedure, .. } = condition.status {
                match procedure {
                    Procedure::Locations => by.locations += 1,
                    Procedure::Numbers => by.numbers += 1,
                    Procedure::Sets => by.sets += 1,
                    Procedure::Lists => by.lists += 1,
                }
            }
        }
        by
    }
}

/// How a procedure is called.
pub fn procedure(procedure: Procedure) -> &'static str {
    match procedure {
        Procedure::Locations => "locations",
        Procedure::Numbers => "numbers",
        Procedure::Sets => "sets",
        Procedure::Lists => "lists",
    }
}

/// The rule of a proof; nothing if there is none.
pub fn rule(judged: &Judged) -> Option<&'static str> {
    judged.proved.then(|| judged.rule.name())
}

const TITLES: [&str; 10] = [
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

/// Whether a column has numbers.
fn is_number(column: usize) -> bool {
    (2..=6).contains(&column) || column == 9
}

/// The table.
pub fn human(checked: &Checked) -> String {
    let mut rows: Vec<[String; 10]> = Vec::new();
    let number = |n: usize| if n == 0 { "-".to_owned() } else { n.to_string() };
    for judged in &checked.invariants {
        let Some(invariant) = checked.system.invariants.get(judged.invariant.0 as usize) else {
            continue;
        };
        let by = By::of(&judged.conditions);
        let parameters: Vec<&str> =
            invariant.parameters.iter().map(|it| it.text.as_str()).collect();
        rows.push([
            invariant.name.text.clone(),
            parameters.join(", "),
            judged.conditions.len().to_string(),
            number(by.locations),
            number(by.numbers),
            number(by.sets),
            number(by.lists),
            rule(judged).unwrap_or("-").to_owned(),
            status(checked, judged),
            duration(judged.time),
        ]);
    }
    let safety = &checked.safety;
    if !safety.conditions.is_empty() {
        let by = By::of(&safety.conditions);
        let bad = safety.conditions.iter().filter(|it| !matches!(it.status, Status::Valid { .. }));
        let status = match (safety.proved, bad.count()) {
            (true, _) => "proved".to_owned(),
            (false, 0) => "needs others".to_owned(),
            (false, 1) => "1 fails".to_owned(),
            (false, n) => format!("{n} fail"),
        };
        rows.push([
            "(no error)".to_owned(),
            String::new(),
            safety.conditions.len().to_string(),
            number(by.locations),
            number(by.numbers),
            number(by.sets),
            number(by.lists),
            "safety".to_owned(),
            status,
            duration(safety.time),
        ]);
    }
    if rows.is_empty() {
        return String::new();
    }
    let titles = TITLES.map(str::to_owned);
    let wide: Vec<usize> = (0..TITLES.len())
        .map(|column| {
            let all = rows.iter().chain([&titles]);
            all.map(|row| row[column].chars().count()).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &[String; 10]| {
        let cells =
            row.iter().zip(&wide).enumerate().map(|(column, (cell, wide))| {
                match is_number(column) {
                    true => format!("{cell:>wide$}"),
                    false => format!("{cell:wide$}"),
                }
            });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut out = String::new();
    let _ = writeln!(out, "  {}", paint(STRONG, line(&titles)));
    for row in &rows {
        match row[0].starts_with('(') {
            true => {
                let _ = writeln!(out, "  {}", paint(FAINT, line(row)));
            }
            false => {
                let _ = writeln!(out, "  {}", line(row));
            }
        }
    }
    out
}
