//! Reads to lock, so that lower levels are enough.
//!
//! What the search suggests is written into the text, which is then read and proved like any other,
//! and the checker goes through the proof. So a suggestion is as good as a verdict.

use ser_base::Limits;
use ser_isolation_checker::{Claim, Evidence, check_evidence};
use ser_isolation_model::ast::{Level, Program, Strength};
use ser_isolation_model::operations::Operations;
use ser_isolation_search::{Answer, Lock, Search, repairs};
use ser_report::{Block, Report, Section, Source};
use serde_json::json;
use std::time::Duration;

/// What locks may cost: they are nice to have.
const TIME: Duration = Duration::from_secs(3);

/// How many ways are shown.
const MOST: usize = 4;

/// Adds the fewest locks that make up for lower levels: those that transactions have, or else
/// REPEATABLE READ for all of them.
pub fn add(
    report: &mut Report,
    source: &Source,
    program: &Program,
    search: &Search,
    levels: &[Level],
    limits: &Limits,
) {
    let limits = limits.at_most(TIME);
    let repeatable = vec![Level::RepeatableRead; levels.len()];
    for (at, wanted) in [levels, &repeatable[..]].into_iter().enumerate() {
        if at > 0 && levels == wanted || wanted.iter().all(|it| *it == Level::Serializable) {
            continue;
        }
        // Levels that are enough need no locks.
        if !matches!(search.decide(wanted, &limits), Ok(Answer::Cycle(_))) {
            continue;
        }
        let found = accepted(source, program, wanted, &limits);
        if found.is_empty() {
            continue;
        }
        let same = wanted.windows(2).all(|it| it[0] == it[1]);
        let are = match same.then(|| wanted[0]) {
            Some(level) => format!("{level} is enough for all of them"),
            None => "the levels that they have are enough".to_owned(),
        };
        let data = found.iter().map(|ways| {
            let lock = |it: &Lock| {
                let line = source.lines.line(it.span.start);
                json!({ "line": line, "lock": word(it.strength) })
            };
            ways.iter().map(lock).collect::<serde_json::Value>()
        });
        report.data.insert("locks".to_owned(), data.collect());
        let points = found.iter().map(|ways| {
            let ways: Vec<String> = ways.iter().map(|it| in_words(source, program, it)).collect();
            ways.join(", and ")
        });
        let one = if found.len() == 1 { "with this lock" } else { "with any one of these" };
        let blocks = [
            Block::Text(format!("Proved and checked: {are} {one}.")),
            Block::points(points.collect()),
        ];
        report.sections.push(Section::titled("Locks instead of higher levels", blocks));
        return;
    }
}

/// The locks for which the changed text is proved.
fn accepted(
    source: &Source,
    program: &Program,
    levels: &[Level],
    limits: &Limits,
) -> Vec<Vec<Lock>> {
    let found = repairs(program, levels, limits).unwrap_or_default();
    let proved = found.into_iter().filter(|it| is_enough(&source.text, it, levels, limits));
    proved.take(MOST).collect()
}

fn is_enough(text: &str, locks: &[Lock], levels: &[Level], limits: &Limits) -> bool {
    let mut changed = text.to_owned();
    let mut last_first = locks.to_vec();
    last_first.sort_by_key(|it| std::cmp::Reverse(it.span.end));
    for lock in last_first {
        changed.insert_str(lock.span.end as usize, &format!(" {}", word(lock.strength)));
    }
    let read = ser_isolation_model::read::read(&changed);
    if !read.is_complete() {
        return false;
    }
    let search = Search::new(Operations::of(&read.program));
    let Ok(Answer::Robust(certificate)) = search.decide(levels, limits) else { return false };
    let evidence = Evidence { levels: levels.to_vec(), claim: Claim::Robust(certificate) };
    check_evidence(&read.program, &evidence, limits).is_ok()
}

fn word(strength: Strength) -> &'static str {
    match strength {
        Strength::KeyShare => "FOR KEY SHARE",
        Strength::Share => "FOR SHARE",
        Strength::NoKeyUpdate => "FOR NO KEY UPDATE",
        Strength::Update => "FOR UPDATE",
    }
}

fn in_words(source: &Source, program: &Program, lock: &Lock) -> String {
    let line = source.lines.line(lock.span.start);
    let name = &program.transactions[lock.transaction].name.text;
    format!("`{}` at the end of the SELECT on line {line}, in `{name}`", word(lock.strength))
}
