//! A suite, program by program: a row for each of them, a summary, plots.

use crate::bar::Bar;
use crate::cli::{MeasureArgs, SuiteArgs};
use crate::measurement::{Plan, Row, measure};
use crate::plot::{Mark, Plot, Series, cactus, scatter};
use crate::process::Bounds;
use crate::report::{Part, Report};
use crate::statistics::Summary;
use crate::suite::{Entry, Expectations, find};
use crate::table::Table;
use crate::tool::{STAGES, Tool};
use crate::verdict::{Judgement, SERIALIZABILITY, Verdict};
use crate::{Bench, Failure};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Runs a suite.
pub fn run(args: &SuiteArgs, bench: &Bench) -> Result<Report, Failure> {
    let entries = entries(&args.programs.paths, args.expected.as_deref())?;
    let mut plan = plan(&args.measure, args.options.check.as_deref(), bench)?;
    if let Some(command) = &args.against {
        let (yes, no) = (&args.against_serializable, &args.against_not_serializable);
        plan.against = Some(Tool::other(command, yes, no)?);
    }
    let rows = measure_all(&entries, &plan, &Bar::new(entries.len()));
    let mut report = report(&rows);
    report.title = format!("ser on {} programs", entries.len());
    report.facts.push(("limits", limits(&args.measure)));
    report.facts.extend(args.options.check.clone().map(|options| ("options", options)));
    report.facts.extend(args.against.clone().map(|command| ("other tool", command)));
    report.interrupted(bench, rows.len(), entries.len(), "programs");
    Ok(report)
}

/// The programs, and what is expected of them.
pub fn entries(paths: &[String], expected: Option<&str>) -> Result<Vec<Entry>, Failure> {
    let expectations = expected.map(Expectations::read).transpose()?.unwrap_or_default();
    let mut entries = find(paths, &expectations)?;
    // A list may live in the folder that it is about.
    entries.retain(|entry| Some(entry.path.as_str()) != expected);
    Ok(entries)
}

/// How to measure `ser check` with these options.
pub fn plan(args: &MeasureArgs, options: Option<&str>, bench: &Bench) -> Result<Plan, Failure> {
    Ok(Plan {
        tool: Tool::ser(&bench.ser()?, args.timeout, args.memory, options),
        against: None,
        bounds: Bounds::with_grace(args.timeout, args.memory),
        repeat: args.repeat as usize,
        warmup: args.warmup as usize,
        jobs: args.jobs as usize,
        cancel: Arc::clone(&bench.process.interrupt),
    })
}

/// The limits in words.
pub fn limits(args: &MeasureArgs) -> String {
    let mut words = format!("{} s, {} MiB", args.timeout, args.memory);
    if args.repeat > 1 {
        words.push_str(&format!(", median of {} runs", args.repeat));
    }
    if args.jobs > 1 {
        words.push_str(&format!(", {} programs at a time", args.jobs));
    }
    words
}

/// Measures all programs, with a bar that moves.
pub fn measure_all(entries: &[Entry], plan: &Plan, bar: &Bar) -> Vec<Row> {
    measure(entries, plan, |row| bar.step(row.name.clone()))
}

fn exit_code(rows: &[Row]) -> u8 {
    let some = |what| rows.iter().any(|row| row.judgement() == what);
    crate::verdict::exit_code(some(Judgement::Wrong), some(Judgement::Unknown))
}

fn name(verdict: Verdict) -> &'static str {
    verdict.name(SERIALIZABILITY)
}

/// How many times as long somebody else took; only where there is a verdict to compare.
fn ratio(row: &Row, other: Option<f64>, ours: f64) -> Option<f64> {
    let ratio = other.filter(|_| row.solved())? / ours;
    Some(ratio).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
}

fn paper_ratio(row: &Row) -> Option<f64> {
    ratio(row, row.published.total, row.ours.milliseconds)
}

/// The time of the other tool, if it has a verdict.
fn other_time(row: &Row) -> Option<f64> {
    let other = row.other.as_ref().filter(|other| other.verdict != Verdict::Unknown)?;
    Some(other.milliseconds)
}

fn other_ratio(row: &Row) -> Option<f64> {
    ratio(row, other_time(row), row.ours.milliseconds)
}

fn other_verdict(row: &Row) -> Option<Verdict> {
    row.other.as_ref().map(|other| other.verdict)
}

/// Whether two tools have opposite verdicts.
fn disagree(row: &Row) -> bool {
    let known = other_verdict(row).filter(|verdict| *verdict != Verdict::Unknown);
    Judgement::of(row.ours.verdict, known) == Judgement::Wrong
}

fn report(rows: &[Row]) -> Report {
    let all = full(rows);
    let short = all.select(&[
        ("file", "file"),
        ("verdict", "verdict"),
        ("ok", "ok"),
        ("method", "method"),
        ("requests", "k"),
        ("states", "states"),
        ("nodes", "nodes"),
        ("total_ms", "ms"),
        ("check_ms", "check ms"),
        ("certificate_bytes", "certificate"),
        ("peak_memory_kib", "KiB"),
        ("paper_total_ms", "paper ms"),
        ("paper_ratio", "ratio"),
        ("other_verdict", "other"),
        ("other_ms", "other ms"),
        ("other_ratio", "ratio"),
    ]);
    let mut report =
        Report { rows: all, plots: plots(rows), code: exit_code(rows), ..Report::default() };
    report.parts.push(Part::Short("Programs", short.without_empty_columns()));
    report.table("summary", "Summary", summary(rows));
    report.lines(lines(rows));
    for (name, count) in counts(rows) {
        report.numbers.insert(name.into(), json!(count));
    }
    report.numbers.insert("methods".into(), json!(methods(rows)));
    if rows.iter().any(|row| row.other.is_some()) {
        let names = rows.iter().filter(|row| disagree(row)).map(|row| &row.name);
        report.numbers.insert("disagreements".into(), names.cloned().collect());
    }
    report
}

/// Everything. Whoever reads this is a program, and wants the same columns every time.
fn full(rows: &[Row]) -> Table {
    let mut table = Table::of(rows)
        .left("file", |row: &Row| row.name.clone())
        .left("verdict", |row| name(row.ours.verdict))
        .left("expected", |row| row.expected.map(name))
        .left("ok", |row| row.judgement().name())
        .left("method", |row| row.ours.method.clone())
        .right("requests", |row| row.ours.requests)
        .right("states", |row| row.ours.states)
        .right("nodes", |row| row.ours.nodes);
    for stage in STAGES {
        table = table.right(&format!("{stage}_ms"), |row| row.ours.stage(stage));
    }
    table
        .right("total_ms", |row: &Row| row.ours.milliseconds)
        .right("certificate_bytes", |row| row.ours.certificate_bytes)
        .right("peak_memory_kib", |row| row.ours.peak_kib)
        .right("paper_certificate_ms", |row| row.published.certificate)
        .right("paper_total_ms", |row| row.published.total)
        .right("paper_ratio", paper_ratio)
        .left("other_verdict", |row| other_verdict(row).map(name))
        .right("other_ms", |row| row.other.as_ref().map(|other| other.milliseconds))
        .right("other_peak_memory_kib", |row| row.other.as_ref()?.peak_kib)
        .right("other_ratio", other_ratio)
        .left("reason", |row| row.ours.reason.clone())
        .end()
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
        let until = row.ours.milliseconds - row.ours.stage("check").unwrap_or(0.0);
        ratio(row, row.published.certificate, until)
    }),
    ("other (ms)", other_time),
    ("other / time", other_ratio),
];

fn summary(rows: &[Row]) -> Table {
    let quantities: Vec<(&str, Summary)> = QUANTITIES
        .iter()
        .filter_map(|(name, of)| Some((*name, Summary::of(rows.iter().filter_map(of))?)))
        .collect();
    let mut table = Table::of(&quantities).left("quantity", |it| it.0);
    table = table.right("programs", |it| it.1.count);
    for (at, name) in Summary::NAMES.iter().enumerate() {
        // A sum of ratios means nothing.
        let has = |quantity: &str| *name != "sum" || !quantity.contains('/');
        table = table.right(name, |it| Some(it.1.values()[at]).filter(|_| has(it.0)));
    }
    table.end()
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
    let wrong = wrong_of(rows, wrong);
    let mut lines = vec![format!("{solved} of {all} solved, {wrong}, {unknown} unknown")];
    let methods: Vec<String> = methods(rows).iter().map(|(m, n)| format!("{n} by {m}")).collect();
    lines.extend(Some(methods.join(", ")).filter(|methods| !methods.is_empty()));
    for row in rows {
        match row.judgement() {
            Judgement::Wrong => {
                let expected = row.expected.map_or("", name);
                lines.push(format!("WRONG: {}: {expected} expected", row.name));
            }
            Judgement::Unknown => {
                lines.push(format!("unknown: {}: {}", row.name, row.ours.reason));
            }
            Judgement::Right | Judgement::Unjudged => {}
        }
    }
    if rows.iter().any(|row| row.other.is_some()) {
        let solved = rows.iter().filter_map(other_time).count();
        let is_wrong =
            |verdict, row: &Row| Judgement::of(verdict, row.expected) == Judgement::Wrong;
        let is_wrong = |row: &&Row| other_verdict(row).is_some_and(|it| is_wrong(it, row));
        let wrong = wrong_of(rows, rows.iter().filter(is_wrong).count());
        let disagree: Vec<&Row> = rows.iter().filter(|row| disagree(row)).collect();
        lines.push(format!(
            "the other tool: {solved} of {all} verdicts, {wrong}, {} disagreements",
            disagree.len()
        ));
        lines.extend(disagree.iter().map(|row| format!("the tools disagree: {}", row.name)));
        let failed = |row: &&Row| other_verdict(row) == Some(Verdict::Unknown);
        lines.extend(rows.iter().find(failed).map(|row| {
            let reason = row.other.as_ref().map_or("", |other| &other.reason);
            format!("the other tool, unknown first for {}: {reason}", row.name)
        }));
    }
    lines
}

/// How many verdicts are wrong, in words. One that nobody expects is neither right nor wrong.
fn wrong_of(rows: &[Row], wrong: usize) -> String {
    match rows.iter().filter(|row| row.expected.is_some()).count() {
        0 => "none had an expected verdict".to_owned(),
        judged if judged < rows.len() => {
            format!("{wrong} wrong of {judged} that had an expected verdict")
        }
        _ => format!("{wrong} wrong"),
    }
}

/// The plots that the rows allow, with the names of their files.
fn plots(rows: &[Row]) -> Vec<(String, Plot)> {
    let times = |of: fn(&Row) -> Option<f64>| rows.iter().filter_map(of).collect::<Vec<f64>>();
    let paper: fn(&Row) -> Option<f64> = |row| row.published.total;
    let others = [
        ("other", "ser and the other tool", other_time as fn(&Row) -> Option<f64>),
        ("paper", "ser and the paper", paper),
    ];
    let others = others.into_iter().filter(|(name, _, of)| {
        rows.iter().any(|row| of(row).is_some() || (*name == "other" && row.other.is_some()))
    });
    let mut lines = vec![("ser".to_owned(), times(QUANTITIES[0].1))];
    let mut plots = Vec::new();
    for (name, title, theirs) in others {
        lines.push((name.to_owned(), times(theirs)));
        let series = [Verdict::Yes, Verdict::No].map(|verdict| {
            let points = rows.iter().filter(|row| row.ours.verdict == verdict);
            let points = points.filter_map(|row| Some((row.ours.milliseconds, theirs(row)?)));
            let name = verdict.name(SERIALIZABILITY).replace('_', " ");
            Series { name, points: points.collect(), line: false, mark: Mark::Disc }
        });
        plots.push((format!("scatter_{name}.svg"), scatter(title, "ser", name, series.into())));
    }
    plots.push(("cactus.svg".to_owned(), cactus("Solved over time", &lines)));
    plots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ReportFormat;
    use crate::suite::Published;
    use crate::tool::Sample;
    use serde_json::Value;

    fn row(name: &str, verdict: Verdict, expected: Verdict, ms: f64, other: f64) -> Row {
        let sample = |verdict, milliseconds| Sample { verdict, milliseconds, ..Sample::default() };
        Row {
            name: name.into(),
            expected: Some(expected),
            published: Published { certificate: None, total: Some(10.0 * ms) },
            ours: sample(verdict, ms),
            other: Some(sample(Verdict::Yes, other)),
        }
    }

    use Verdict::{No, Yes};

    #[test]
    fn nothing_is_right_or_wrong_where_nothing_was_expected() {
        let mut rows = [row("a", Yes, Yes, 1.0, 4.0), row("b", Yes, Yes, 1.0, 4.0)];
        assert_eq!(lines(&rows)[0], "2 of 2 solved, 0 wrong, 0 unknown");
        rows[0].expected = None;
        assert!(lines(&rows)[0].contains(", 0 wrong of 1 that had an expected verdict, "));
        rows[1].expected = None;
        assert_eq!(lines(&rows)[0], "2 of 2 solved, none had an expected verdict, 0 unknown");
    }

    #[test]
    fn ratios_and_disagreements_are_told() {
        let rows = [row("a", Yes, Yes, 1.0, 4.0), row("b", No, No, 2.0, 32.0)];
        let report = report(&rows);
        let json: Value = serde_json::from_str(&report.text(ReportFormat::Json)).unwrap();
        let quantity = |name: &str| {
            let all = json["summary"].as_array().unwrap();
            all.iter().find(|it| it["quantity"] == name).unwrap().clone()
        };
        assert_eq!(quantity("other / time")["geometric_mean"], 8.0);
        assert_eq!(quantity("other / time")["median"], 10.0);
        assert_eq!(quantity("paper total / time")["max"], 10.0);
        assert_eq!(quantity("paper total / time")["sum"], Value::Null);
        assert_eq!(json["disagreements"], json!(["b"]));
        assert!(report.text(ReportFormat::Human).contains("the tools disagree: b"));
        assert_eq!(plots(&rows).len(), 3);
    }

    #[test]
    fn every_program_is_a_line_of_the_csv() {
        let csv = report(&[row("a, \"b\"", Yes, Yes, 1.0, 4.0)]).text(ReportFormat::Csv);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let read: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!((read.len(), &read[0][0]), (1, "a, \"b\""));
    }
}
