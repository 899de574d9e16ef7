//! From what was found about transactions to a report.

use super::run::{label, result_in_words, rows_in_words, run};
use super::{Found, Nothing};
use crate::method;
use ser_isolation_checker::{Evidence, Shown, closest};
use ser_isolation_model::ast::{Level, Program};
use ser_isolation_model::engine::{Outcomes, Schedule};
use ser_report::{
    Answer, Block, Finding, Level as Severity, Method, Proof, Question, Report, Rule, Section,
    Source, SourceError, Table, Unknown, Violation,
};
use ser_syntax::Diagnostic;
use serde_json::json;

const QUESTION: Method = Method::Serializability;

/// What to do without an answer.
pub const ALLOCATE: &str = "`ser sql --allocate` finds levels that are enough";

/// The file cannot be read.
pub fn mistakes(source: &Source, diagnostics: Vec<Diagnostic>) -> Report {
    Report::error(&source.name, Question::of(QUESTION), SourceError::Diagnostics(diagnostics))
}

/// There is nothing to say about tables alone.
pub fn without_transactions(source: &Source) -> Report {
    let error = SourceError::unreadable(
        "there are no transactions in this file",
        "write them as functions in PL/pgSQL or SQL, or as sections: `-- name: transfer :exec`",
    );
    Report::error(&source.name, Question::of(QUESTION), error)
}

pub fn report(source: &Source, program: &Program, levels: &[Level], found: &Found) -> Report {
    let new = |answer| Report::new(&source.name, Question::of(QUESTION), answer);
    let mut report = match found {
        Found::Robust(evidence, words) => robust(new, program, levels, evidence, words),
        Found::Anomaly(evidence, schedule, shown, words) => {
            let mut report = anomaly(new, source, program, (schedule, shown), words);
            report.certificate = serde_json::to_string(evidence).ok();
            report
        }
        Found::Nothing(nothing) => new(Answer::Unknown(unknown(source, nothing))),
        Found::Withheld(why) => new(Answer::Withheld(why.clone())),
        Found::Stopped(stop) => new(Answer::Unknown(method::stopped(stop))),
    };
    report.data.insert("levels".to_owned(), levels_data(program, levels));
    report
}

fn robust(
    new: impl Fn(Answer) -> Report,
    program: &Program,
    levels: &[Level],
    evidence: &Evidence,
    words: &str,
) -> Report {
    let mut report = new(Answer::Holds(Proof {
        method: "robustness".to_owned(),
        why: "every schedule that the levels allow is conflict serializable".to_owned(),
        points: Vec::new(),
        checked: Some(words.to_owned()),
    }));
    let mut same = levels.to_vec();
    same.dedup();
    let at = match same[..] {
        [level] => format!("at {level}"),
        _ => "at their levels".to_owned(),
    };
    report.meaning = format!(
        "Any number of these transactions, on any rows, come out as in some serial order {at}."
    );
    let mut blocks = vec![Block::Text(report.meaning.clone())];
    if same.len() > 1 {
        let rows = program.transactions.iter().zip(levels);
        let rows = rows.map(|(it, level)| vec![it.name.text.clone(), level.to_string()]);
        let header = ["transaction", "level"].map(str::to_owned).into();
        blocks.push(Block::Table(Table { header, rows: rows.collect() }));
    }
    report.sections = vec![Section::of(blocks)];
    report.certificate = serde_json::to_string(evidence).ok();
    report
}

fn unknown(source: &Source, nothing: &Nothing) -> Unknown {
    let mut tried = Vec::new();
    if !nothing.cycle.is_empty() {
        tried.push(format!("no proof, because of this cycle: {}", nothing.cycle.join("; ")));
    }
    tried.extend(nothing.outside.iter().map(|(span, reason)| {
        let line = source.lines.line(span.start);
        format!("{reason} (line {line})")
    }));
    tried.push(format!("no run: none of {} runs shows an anomaly", nothing.runs));
    tried.extend(nothing.beyond.iter().map(|it| format!("not every run could be tried: {it}")));
    let reason = "it is not proved, and no run shows an anomaly".to_owned();
    if let Some(stop) = &nothing.stopped {
        let stopped = method::stopped(stop);
        tried.push(format!("the search for runs was not finished: {stop}"));
        return Unknown { reason, span: nothing.place, tried, ..stopped };
    }
    let help = match nothing.outside.is_empty() {
        true => ALLOCATE,
        false => "with other statements in its place there may be a proof",
    };
    Unknown {
        reason,
        span: nothing.place,
        tried,
        help: vec![help.to_owned()],
        ..Unknown::default()
    }
}

fn levels_data(program: &Program, levels: &[Level]) -> serde_json::Value {
    let each = program.transactions.iter().zip(levels);
    each.map(|(it, level)| json!({ "transaction": it.name.text, "level": level.to_string() }))
        .collect()
}

fn anomaly(
    new: impl Fn(Answer) -> Report,
    source: &Source,
    program: &Program,
    (schedule, shown): (&Schedule, &Shown),
    checked: &str,
) -> Report {
    let run = run(source, program, schedule);
    let first = run.steps.first().and_then(|it| it.lines.first()).map(|it| it.span);
    let title = run.title.clone();
    let violation = Violation { runs: vec![run], checked: Some(checked.to_owned()) };
    let mut report = new(Answer::Violated(violation));
    let labels: Vec<String> =
        (0..schedule.calls.len()).map(|at| label(program, schedule, at)).collect();
    report.meaning = format!(
        "{} can come out as in no serial order, at {}.",
        ser_report::text::and(&labels.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>()),
        levels_in_words(schedule),
    );
    let mut sections = vec![Section::of([Block::Text(report.meaning.clone())])];
    sections.push(Section::titled("Rows at the start", [rows(program, schedule)]));
    sections.push(Section::titled(title, [Block::Run(0)]));
    if let Some((order, other)) = closest(program, schedule, &shown.found) {
        sections.push(serial(program, schedule, &shown.found, &order, &other));
    }
    report.sections = sections;
    report.findings.push(Finding {
        rule: Rule::NotSerializable,
        level: Severity::Error,
        message: report.meaning.trim_end_matches('.').to_owned(),
        span: first,
        related: Vec::new(),
        run: Some(0),
        identity: labels.clone(),
    });
    let outcome: Vec<serde_json::Value> = labels
        .iter()
        .zip(&shown.found.results)
        .filter_map(|(label, result)| {
            let response = result_in_words(result.as_ref()?);
            Some(json!({ "request": label, "response": response, "count": 1 }))
        })
        .collect();
    report.run_data.insert("requests".to_owned(), json!(schedule.calls.len()));
    report.run_data.insert("outcome".to_owned(), json!(outcome));
    report
}

/// `READ COMMITTED`, or each with its own.
fn levels_in_words(schedule: &Schedule) -> String {
    let mut levels: Vec<Level> = schedule.calls.iter().map(|it| it.level).collect();
    levels.dedup();
    let words: Vec<String> = levels.iter().map(Level::to_string).collect();
    ser_report::text::and(&words)
}

fn rows(program: &Program, schedule: &Schedule) -> Block {
    let mut lines = Vec::new();
    for (at, table) in program.tables.iter().enumerate() {
        let own = schedule.rows.iter().filter(|(id, _)| id.0 as usize == at);
        let own: Vec<_> = own.map(|(_, row)| row.clone()).collect();
        if !own.is_empty() {
            let columns: Vec<&str> = table.columns.iter().map(|it| it.name.text.as_str()).collect();
            let name = &table.name.text;
            lines.push(format!("{name}({}): {}", columns.join(", "), rows_in_words(own)));
        }
    }
    if lines.is_empty() {
        lines.push("those that the file inserts".to_owned());
    }
    Block::Quote(lines)
}

/// What comes out beside what would have come out in the closest serial order.
fn serial(
    program: &Program,
    schedule: &Schedule,
    found: &Outcomes,
    order: &[usize],
    other: &Outcomes,
) -> Section {
    let words: Vec<String> =
        order.iter().map(|at| format!("#{} {}", at + 1, label(program, schedule, *at))).collect();
    let mut table = Table {
        header: ["", "here", "one after the other"].map(str::to_owned).into(),
        rows: Vec::new(),
    };
    for at in order {
        let result = |it: &Outcomes| match &it.results[*at] {
            Some(rows) if rows.is_empty() => "commits".to_owned(),
            Some(rows) => result_in_words(rows),
            None => "fails".to_owned(),
        };
        let (here, there) = (result(found), result(other));
        if here != there {
            table.rows.push(vec![format!("#{} gets", at + 1), here, there]);
        }
    }
    for (at, declared) in program.tables.iter().enumerate() {
        let contents = |it: &Outcomes| rows_in_words(it.tables[at].iter().cloned());
        let (here, there) = (contents(found), contents(other));
        if here != there {
            table.rows.push(vec![format!("{} in the end", declared.name.text), here, there]);
        }
    }
    let title = "The serial order that comes closest".to_owned();
    Section::titled(
        title,
        [Block::Text(format!("{}.", words.join(", then "))), Block::Table(table)],
    )
}
