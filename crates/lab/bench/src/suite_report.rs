//! The report on a suite: a row for each program, a summary, plots.

use crate::document::{Document, Section, count, number};
use crate::measurement::{Judgement, Row};
use crate::plot::{Mark, Plot, Series, cactus, scatter};
use crate::statistics::Summary;
use crate::table::{Align, Table};
use crate::tool::{STAGES, Sample, Verdict};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The exit code: 1 if a verdict is wrong, 3 if there is one missing, otherwise 0.
pub fn exit_code(rows: &[Row]) -> u8 {
    let some = |what| rows.iter().any(|row| row.judgement() == what);
    if some(Judgement::Wrong) {
        1
    } else if some(Judgement::Unknown) {
        3
    } else {
        0
    }
}

/// How many times as long somebody else took.
fn ratio(other: Option<f64>, ours: f64) -> Option<f64> {
    other.map(|other| other / ours).filter(|r| r.is_finite() && *r > 0.0)
}

/// Our time until there was a certificate.
fn until_certificate(row: &Row) -> f64 {
    row.ours.milliseconds - row.ours.stage("check").unwrap_or(0.0)
}

/// The ratio to the published total; only where there is a verdict to compare.
fn paper_ratio(row: &Row) -> Option<f64> {
    ratio(row.published.total.filter(|_| row.solved()), row.ours.milliseconds)
}

/// The ratio to the other tool's time, where both have a verdict.
fn other_ratio(row: &Row) -> Option<f64> {
    let other = row.other.as_ref().filter(|o| o.verdict != Verdict::Unknown)?;
    ratio(Some(other.milliseconds).filter(|_| row.solved()), row.ours.milliseconds)
}

/// Whether two tools have opposite verdicts.
fn disagree(row: &Row) -> bool {
    row.other.as_ref().is_some_and(|other| {
        Judgement::of(row.ours.verdict, Some(other.verdict)) == Judgement::Wrong
            && other.verdict != Verdict::Unknown
    })
}

/// Writes the report.
pub fn document(title: &str, facts: Vec<(String, String)>, rows: &[Row]) -> Document {
    let mut sections = vec![Section::Short("Programs".into(), short(rows))];
    sections.push(Section::Table("Summary".into(), summary(rows)));
    sections.push(Section::Lines(lines(rows)));
    let entries: Vec<Value> = rows.iter().map(row_json).collect();
    let json = json!({ "rows": entries, "summary": summary_json(rows) });
    Document { title: title.to_owned(), facts, sections, table: full(rows), json }
}

fn short(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        ("file", Align::Left),
        ("verdict", Align::Left),
        ("ok", Align::Left),
        ("method", Align::Left),
        ("k", Align::Right),
        ("states", Align::Right),
        ("nodes", Align::Right),
        ("ms", Align::Right),
        ("check ms", Align::Right),
        ("certificate", Align::Right),
        ("MiB", Align::Right),
        ("paper ms", Align::Right),
        ("ratio", Align::Right),
        ("other", Align::Left),
        ("other ms", Align::Right),
        ("ratio", Align::Right),
    ]);
    for row in rows {
        let ours = &row.ours;
        let other = row.other.as_ref();
        table.row([
            row.name.clone(),
            ours.verdict.name().to_owned(),
            row.judgement().name().to_owned(),
            ours.method.clone(),
            count(ours.requests),
            count(ours.states),
            count(ours.nodes),
            number(ours.milliseconds),
            number(ours.stage("check")),
            count(ours.certificate_bytes),
            number(ours.peak_kib.map(|kib| kib as f64 / 1024.0)),
            number(row.published.total),
            number(paper_ratio(row)),
            other.map(|o| o.verdict.name().to_owned()).unwrap_or_default(),
            number(other.map(|o| o.milliseconds)),
            number(other_ratio(row)),
        ]);
    }
    table.without_empty_columns()
}

/// The columns of a sample, with a prefix for their names.
fn full(rows: &[Row]) -> Table {
    let mut columns: Vec<(String, Align)> = ["file", "verdict", "expected", "ok", "method"]
        .map(|name| (name.to_owned(), Align::Left))
        .into();
    let mut right = |name: String| columns.push((name, Align::Right));
    for name in ["requests", "states", "nodes"] {
        right(name.to_owned());
    }
    for stage in STAGES {
        right(format!("{stage}_ms"));
    }
    for name in [
        "total_ms",
        "certificate_bytes",
        "peak_memory_kib",
        "paper_certificate_ms",
        "paper_total_ms",
        "paper_ratio",
    ] {
        right(name.to_owned());
    }
    columns.push(("other_verdict".to_owned(), Align::Left));
    for name in ["other_ms", "other_peak_memory_kib", "other_ratio"] {
        columns.push((name.to_owned(), Align::Right));
    }
    columns.push(("reason".to_owned(), Align::Left));
    let columns: Vec<(&str, Align)> = columns.iter().map(|(n, a)| (n.as_str(), *a)).collect();
    let mut table = Table::new(&columns);
    for row in rows {
        let ours = &row.ours;
        let other = row.other.as_ref();
        let mut cells = vec![
            row.name.clone(),
            ours.verdict.name().to_owned(),
            row.expected.map(|v| v.name().to_owned()).unwrap_or_default(),
            row.judgement().name().to_owned(),
            ours.method.clone(),
            count(ours.requests),
            count(ours.states),
            count(ours.nodes),
        ];
        cells.extend(ours.stages.iter().map(|stage| exact(*stage)));
        cells.extend([
            exact(ours.milliseconds),
            count(ours.certificate_bytes),
            count(ours.peak_kib),
            exact(row.published.certificate),
            exact(row.published.total),
            number(paper_ratio(row)),
            other.map(|o| o.verdict.name().to_owned()).unwrap_or_default(),
            exact(other.map(|o| o.milliseconds)),
            count(other.and_then(|o| o.peak_kib)),
            number(other_ratio(row)),
            ours.reason.clone(),
        ]);
        table.row(cells);
    }
    // Whoever reads this is a program, and wants the same columns every time.
    table
}

/// A time with all digits that mean something.
fn exact(milliseconds: impl Into<Option<f64>>) -> String {
    let milliseconds = milliseconds.into().filter(|ms| ms.is_finite());
    milliseconds.map(|ms| format!("{:.3}", ms)).unwrap_or_default()
}

/// What the summary is about: a name, and the number of each row if it has one.
type Quantity = (&'static str, fn(&Row) -> Option<f64>);

const QUANTITIES: [Quantity; 8] = [
    ("time (ms)", |row| Some(row.ours.milliseconds).filter(|_| row.solved())),
    ("check (ms)", |row| row.ours.stage("check").filter(|_| row.solved())),
    ("certificate (bytes)", |row| row.ours.certificate_bytes.map(|n| n as f64)),
    ("memory (MiB)", |row| row.ours.peak_kib.map(|kib| kib as f64 / 1024.0)),
    ("paper total / time", paper_ratio),
    ("paper certificate / time until certificate", |row| {
        ratio(row.published.certificate.filter(|_| row.solved()), until_certificate(row))
    }),
    ("other (ms)", |row| {
        let other = row.other.as_ref()?;
        Some(other.milliseconds).filter(|_| other.verdict != Verdict::Unknown)
    }),
    ("other / time", other_ratio),
];

fn summary(rows: &[Row]) -> Table {
    let names = Summary::of([0.0]).map(|s| s.entries()).unwrap_or_default();
    let mut columns = vec![("", Align::Left), ("programs", Align::Right)];
    columns.extend(names.iter().map(|(name, _)| (name.as_str(), Align::Right)));
    let mut table = Table::new(&columns);
    for (name, of) in QUANTITIES {
        let Some(summary) = Summary::of(rows.iter().filter_map(of)) else { continue };
        let mut cells = vec![name.to_owned(), summary.count.to_string()];
        // A sum of ratios means nothing.
        let entries = summary.entries().into_iter();
        cells.extend(entries.map(|(entry, value)| {
            if entry == "sum" && name.contains('/') { String::new() } else { number(value) }
        }));
        table.row(cells);
    }
    table
}

fn counts(rows: &[Row]) -> [(&'static str, usize); 4] {
    let of = |what| rows.iter().filter(|row| row.judgement() == what).count();
    [
        ("solved", rows.iter().filter(|row| row.solved()).count()),
        ("wrong", of(Judgement::Wrong)),
        ("unknown", of(Judgement::Unknown)),
        ("programs", rows.len()),
    ]
}

fn methods(rows: &[Row]) -> BTreeMap<&str, usize> {
    let mut methods = BTreeMap::new();
    for row in rows.iter().filter(|row| row.solved() && !row.ours.method.is_empty()) {
        *methods.entry(row.ours.method.as_str()).or_insert(0) += 1;
    }
    methods
}

fn lines(rows: &[Row]) -> Vec<String> {
    let [(_, solved), (_, wrong), (_, unknown), (_, all)] = counts(rows);
    let mut lines = vec![format!("{solved} of {all} solved, {wrong} wrong, {unknown} unknown")];
    let methods: Vec<String> = methods(rows).iter().map(|(m, n)| format!("{n} by {m}")).collect();
    if !methods.is_empty() {
        lines.push(methods.join(", "));
    }
    for row in rows.iter().filter(|row| row.judgement() == Judgement::Wrong) {
        let expected = row.expected.map_or("", Verdict::name);
        lines.push(format!("WRONG: {}: {} expected", row.name, expected));
    }
    for row in rows.iter().filter(|row| row.judgement() == Judgement::Unknown) {
        lines.push(format!("unknown: {}: {}", row.name, row.ours.reason));
    }
    if rows.iter().any(|row| row.other.is_some()) {
        let with = |what: fn(&Row) -> bool| rows.iter().filter(|row| what(row)).count();
        let solved = with(|row| row.other.as_ref().is_some_and(|o| o.verdict != Verdict::Unknown));
        let wrong = with(|row| {
            let other = row.other.as_ref().map_or(Verdict::Unknown, |o| o.verdict);
            Judgement::of(other, row.expected) == Judgement::Wrong
        });
        lines.push(format!(
            "the other tool: {solved} of {all} verdicts, {wrong} wrong, {} disagreements",
            with(disagree)
        ));
        for row in rows.iter().filter(|row| disagree(row)) {
            lines.push(format!("the tools disagree: {}", row.name));
        }
        let failed = rows.iter().find_map(|row| {
            row.other.as_ref().filter(|o| o.verdict == Verdict::Unknown).map(|o| (row, o))
        });
        if let Some((row, other)) = failed {
            lines.push(format!("the other tool, unknown first for {}: {}", row.name, other.reason));
        }
    }
    lines
}

fn sample_json(sample: &Sample) -> Value {
    let stages: Map<String, Value> = STAGES
        .iter()
        .zip(sample.stages)
        .filter_map(|(name, ms)| Some(((*name).to_owned(), json!(ms?))))
        .collect();
    let all = json!({
        "verdict": sample.verdict.name(),
        "reason": Some(&sample.reason).filter(|r| !r.is_empty()),
        "method": Some(&sample.method).filter(|m| !m.is_empty()),
        "requests": sample.requests,
        "states": sample.states,
        "nodes": sample.nodes,
        "stages_ms": Some(stages).filter(|s| !s.is_empty()),
        "total_ms": (sample.milliseconds * 1e3).round() / 1e3,
        "certificate_bytes": sample.certificate_bytes,
        "peak_memory_kib": sample.peak_kib,
    });
    without_nulls(all)
}

fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(object) = &mut value {
        object.retain(|_, v| !v.is_null());
    }
    value
}

fn row_json(row: &Row) -> Value {
    without_nulls(json!({
        "file": row.name,
        "expected": row.expected.map(Verdict::name),
        "ok": row.judgement().name(),
        "ours": sample_json(&row.ours),
        "other": row.other.as_ref().map(sample_json),
        "paper_certificate_ms": row.published.certificate,
        "paper_total_ms": row.published.total,
    }))
}

fn summary_json(rows: &[Row]) -> Value {
    let mut object = Map::new();
    for (name, n) in counts(rows) {
        object.insert(name.to_owned(), json!(n));
    }
    object.insert("methods".into(), json!(methods(rows)));
    for (name, of) in QUANTITIES {
        let Some(summary) = Summary::of(rows.iter().filter_map(of)) else { continue };
        let entries = summary.entries().into_iter().map(|(entry, value)| (entry, json!(value)));
        object.insert(name.to_owned(), Value::Object(entries.collect()));
    }
    if rows.iter().any(|row| row.other.is_some()) {
        let names: Vec<&str> =
            rows.iter().filter(|r| disagree(r)).map(|r| r.name.as_str()).collect();
        object.insert("disagreements".into(), json!(names));
    }
    Value::Object(object)
}

/// The plots that the rows allow, with the names of their files.
pub fn plots(rows: &[Row]) -> Vec<(&'static str, Plot)> {
    let ours: Vec<f64> = rows.iter().filter(|r| r.solved()).map(|r| r.ours.milliseconds).collect();
    let mut lines = vec![("ser".to_owned(), ours)];
    let other: Vec<f64> = rows.iter().filter_map(QUANTITIES[6].1).collect();
    if rows.iter().any(|row| row.other.is_some()) {
        lines.push(("other".to_owned(), other));
    }
    let paper: Vec<f64> = rows.iter().filter_map(|row| row.published.total).collect();
    if !paper.is_empty() {
        lines.push(("paper".to_owned(), paper));
    }
    let mut plots = vec![("cactus.svg", cactus("Solved over time", &lines))];
    let series = |theirs: &dyn Fn(&Row) -> Option<f64>| -> Vec<Series> {
        let of = |verdict: Verdict| Series {
            name: verdict.name().replace('_', " "),
            points: rows
                .iter()
                .filter(|row| row.ours.verdict == verdict)
                .filter_map(|row| Some((row.ours.milliseconds, theirs(row)?)))
                .collect(),
            line: false,
            mark: Mark::Disc,
        };
        vec![of(Verdict::Serializable), of(Verdict::NotSerializable)]
    };
    if rows.iter().any(|row| row.published.total.is_some()) {
        let series = series(&|row| row.published.total);
        plots.push(("scatter_paper.svg", scatter("ser and the paper", "ser", "paper", series)));
    }
    if rows.iter().any(|row| row.other.is_some()) {
        let series = series(&QUANTITIES[6].1);
        plots
            .push(("scatter_other.svg", scatter("ser and the other tool", "ser", "other", series)));
    }
    plots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Format;
    use crate::suite::Published;

    fn row(name: &str, verdict: Verdict, expected: Verdict, ms: f64, other: f64) -> Row {
        let sample = |verdict, milliseconds| Sample { verdict, milliseconds, ..Sample::default() };
        Row {
            name: name.into(),
            expected: Some(expected),
            published: Published { certificate: None, total: Some(10.0 * ms) },
            ours: sample(verdict, ms),
            other: Some(sample(Verdict::Serializable, other)),
        }
    }

    use Verdict::{NotSerializable as No, Serializable as Yes, Unknown};

    #[test]
    fn wrong_is_worse_than_unknown() {
        let right = row("a", Yes, Yes, 1.0, 4.0);
        let wrong = row("b", No, Yes, 1.0, 4.0);
        let unknown = row("c", Unknown, Yes, 1.0, 4.0);
        assert_eq!(exit_code(std::slice::from_ref(&right)), 0);
        assert_eq!(exit_code(&[right.clone(), unknown.clone()]), 3);
        assert_eq!(exit_code(&[unknown, wrong, right]), 1);
    }

    #[test]
    fn ratios_and_disagreements_are_told() {
        let rows = [row("a", Yes, Yes, 1.0, 4.0), row("b", No, No, 2.0, 32.0)];
        let document = document("T", Vec::new(), &rows);
        let json: Value = serde_json::from_str(&document.text(Format::Json)).unwrap();
        let mean = json["summary"]["other / time"]["geometric mean"].as_f64().unwrap();
        assert!((mean - 8.0).abs() < 1e-9, "{mean}");
        assert_eq!(json["summary"]["other / time"]["median"], 10.0);
        assert_eq!(json["summary"]["paper total / time"]["max"], 10.0);
        assert_eq!(json["summary"]["disagreements"], json!(["b"]));
        assert!(document.text(Format::Human).contains("the tools disagree: b"));
        assert_eq!(plots(&rows).len(), 3);
    }

    #[test]
    fn every_program_is_a_line_of_the_csv() {
        let rows = [row("a, \"b\"", Yes, Yes, 1.0, 4.0)];
        let csv = document("T", Vec::new(), &rows).text(Format::Csv);
        let read = crate::table::read_csv(&csv);
        assert_eq!(read.len(), 2);
        assert_eq!(read[1][0], "a, \"b\"");
        assert_eq!(read[0].len(), read[1].len());
    }
}
