//! `ser-bench prove`: parametrized invariance beside Figure 7 of the paper: how many conditions,
//! what they were proved with, and how long that took with which tactics.

use crate::bar::Bar;
use crate::cli::{ReportArgs, seconds};
use crate::machine::{Clock, Stopwatch};
use crate::papers::{Figure7, figure_7};
use crate::report::Report;
use crate::statistics::median;
use crate::table::{Cell, Table, fixed};
use crate::verdict::exit_code;
use crate::{Bench, Failure};
use clap::Args;
use ser::cli::LimitArgs;
use ser_base::Limits;
use ser_invariance_search::conditions::{Conditions, Tactics};
use ser_invariance_search::decide::Procedure;
use ser_invariance_search::prove::{Judged, Options, Status, judge};
use ser_syntax::inv;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::InvId;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Arguments of `ser-bench prove`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser-bench prove                       all 20 rows; takes minutes, mostly for times that are TO\n  ser-bench prove --quick               the ticket locks and two rows of the list\n  ser-bench prove list mutexS           these rows, by their names in the paper\n\nEverything runs in this process, on one core. A measurement that takes longer than --timeout is TO. Times are\nbest on a quiet machine.\n\nExit codes: 0, or 1 if a row is not proved with all tactics, 2 usage or input error, 3 if it takes longer than\n--timeout."
)]
pub struct ProveArgs {
    /// Rows, by their names in the paper; all 20 if none is given
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,

    /// A few rows only: the two ticket locks, and two invariants of the list
    #[arg(long, conflicts_with = "rows")]
    pub quick: bool,

    /// The folder with the files
    #[arg(long, value_name = "DIR", default_value = "examples/threads")]
    pub folder: String,

    /// Give up on a measurement after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = seconds)]
    pub timeout: f64,

    /// Measure what takes less than a second so many times; the time in the middle counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,

    /// What time is: that goes by, or that the processor works, for machines that are busy.
    /// --timeout is always the time that goes by
    #[arg(long, value_enum, default_value_t = Clock::Wall)]
    pub clock: Clock,

    #[command(flatten)]
    pub report: ReportArgs,
}

/// The rows of `--quick`: those of the list that take the paper least.
const QUICK: [&str; 2] = ["lock", "disj"];

/// What takes longer is measured once.
const SHORT: f64 = 1.0;

/// Which tactics are used. The first four are the paper's columns: *Tactics*, *Offend*, *Supp* and
/// *Full supp*.
const SETTINGS: [(&str, Tactics); 8] = [
    ("all tactics", Tactics::ALL),
    ("needed and offending", Tactics { needed: true, offending: true, ..Tactics::NONE }),
    ("needed", Tactics { needed: true, ..Tactics::NONE }),
    ("none", Tactics::NONE),
    ("without needed", Tactics { needed: false, ..Tactics::ALL }),
    ("without offending", Tactics { offending: false, ..Tactics::ALL }),
    ("without lazy", Tactics { lazy: false, ..Tactics::ALL }),
    ("without simplify", Tactics { simplify: false, ..Tactics::ALL }),
];

/// What came of one measurement.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Outcome {
    /// All conditions were proved, in so many seconds.
    Proved(f64),
    /// Not within the time.
    Timeout,
    /// Some condition was not proved, though there was time.
    Open,
}

impl From<Outcome> for Cell {
    fn from(outcome: Outcome) -> Cell {
        match outcome {
            Outcome::Proved(seconds) => fixed(seconds, 4),
            Outcome::Timeout => "TO".into(),
            Outcome::Open => "open".into(),
        }
    }
}

/// Everything about one row.
#[derive(Clone, Debug)]
struct Row {
    paper: Figure7,
    /// How many threads our formula speaks of.
    index: usize,
    conditions: usize,
    /// How many of them locations alone prove, and numbers, sets and lists.
    by: [usize; 4],
    /// What was measured, in the order of [`SETTINGS`].
    outcomes: Vec<Outcome>,
}

impl Row {
    /// The paper's time for the same, if it has one.
    fn published(&self, setting: usize) -> Cell {
        let time = self.paper.seconds.get(setting);
        time.map(|time| time.map_or("TO".into(), |seconds| fixed(seconds, 2))).into()
    }

    /// Whether all tactics together are slower than in the paper.
    fn is_slower(&self) -> bool {
        match self.outcomes.first() {
            Some(Outcome::Proved(seconds)) => Some(*seconds) > self.paper.seconds[0],
            _ => true,
        }
    }
}

/// Measures parametrized invariance.
pub fn run(args: &ProveArgs, bench: &Bench) -> Result<Report, Failure> {
    let papers = rows(args)?;
    let systems = systems(args, &papers)?;
    let bar = Bar::new(papers.len());
    let mut rows = Vec::new();
    for paper in &papers {
        let Some((system, invariant)) = find(&systems, paper) else {
            let (name, file) = (paper.invariant, paper.file);
            return Err(Failure::new(format!("there is no invariant `{name}` in {file}.ser")));
        };
        let measured = Job { args, bench, system, invariant, bar: &bar }.row(*paper);
        bar.step(paper.name.to_owned());
        if bench.is_interrupted() {
            break;
        }
        rows.push(measured);
    }
    drop(bar);
    let mut report = report(&rows);
    let (timeout, repeat) = (args.timeout, args.repeat);
    let limits = format!(
        "{timeout} s for each measurement; median of {repeat} where it takes less than a second; one core"
    );
    report.facts.push(("limits", limits));
    report.facts.extend(args.clock.fact());
    report.interrupted(bench, rows.len(), papers.len(), "rows");
    Ok(report)
}

/// Which rows are wanted.
fn rows(args: &ProveArgs) -> Result<Vec<Figure7>, Failure> {
    let all = figure_7();
    let unknown = |name: &&String| !all.iter().any(|row| row.name == **name);
    if let Some(name) = args.rows.iter().find(unknown) {
        let names: Vec<&str> = all.iter().map(|row| row.name).collect();
        let message = format!("there is no row `{}` in Figure 7", name.escape_debug());
        return Err(Failure::new(message).help(format!("the rows are {}", names.join(", "))));
    }
    if !args.rows.is_empty() {
        let named = |name: &String| all.iter().find(|row| row.name == name).copied();
        return Ok(args.rows.iter().filter_map(named).collect());
    }
    let wanted =
        |row: &Figure7| !args.quick || row.file.starts_with("ticket") || QUICK.contains(&row.name);
    Ok(all.into_iter().filter(wanted).collect())
}

/// Reads the files of the rows.
fn systems(args: &ProveArgs, rows: &[Figure7]) -> Result<BTreeMap<&'static str, System>, Failure> {
    let mut systems = BTreeMap::new();
    for row in rows {
        if systems.contains_key(row.file) {
            continue;
        }
        let path = Path::new(&args.folder).join(format!("{}.ser", row.file));
        let shown = path.display();
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let help = "run this in the folder of the repository, or name the folder with --folder";
            Failure::new(format!("cannot read {shown}: {error}")).help(help)
        })?;
        let parse = inv::parse(&text);
        if parse.has_errors() {
            let help = format!("`ser prove {shown}` shows them");
            return Err(Failure::new(format!("{shown} has errors")).help(help));
        }
        systems.insert(row.file, parse.system);
    }
    Ok(systems)
}

fn find<'s>(
    systems: &'s BTreeMap<&'static str, System>,
    row: &Figure7,
) -> Option<(&'s System, InvId)> {
    let system = systems.get(row.file)?;
    let place = system.invariants.iter().position(|it| it.name.text == row.invariant)?;
    Some((system, InvId(u32::try_from(place).ok()?)))
}

/// What is measured.
struct Job<'b> {
    args: &'b ProveArgs,
    bench: &'b Bench,
    system: &'b System,
    invariant: InvId,
    bar: &'b Bar,
}

impl Job<'_> {
    fn row(&self, paper: Figure7) -> Row {
        let invariant = self.system.invariants.get(self.invariant.0 as usize);
        let index = invariant.map_or(0, |it| it.parameters.len());
        let mut row = Row { paper, index, conditions: 0, by: [0; 4], outcomes: Vec::new() };
        for (name, tactics) in SETTINGS {
            self.bar.say(format!("{}: {name}", paper.name));
            let (outcome, judged) = self.measure(tactics);
            if row.outcomes.is_empty() {
                row.conditions = judged.conditions.len();
                row.by = counts(&judged);
            }
            row.outcomes.push(outcome);
            if self.bench.is_interrupted() {
                break;
            }
        }
        row
    }

    /// Proves the invariant, again and again if that is quick.
    fn measure(&self, tactics: Tactics) -> (Outcome, Judged) {
        let begin = Instant::now();
        let (first, judged) = self.once(tactics);
        if !judged.conditions.iter().all(|it| matches!(it.status, Status::Valid { .. })) {
            let late = begin.elapsed().as_secs_f64() >= self.args.timeout;
            return (if late { Outcome::Timeout } else { Outcome::Open }, judged);
        }
        let mut times = vec![first];
        while times.len() < self.args.repeat as usize
            && first < SHORT
            && !self.bench.is_interrupted()
        {
            times.push(self.once(tactics).0);
        }
        (Outcome::Proved(median(times)), judged)
    }

    fn once(&self, tactics: Tactics) -> (f64, Judged) {
        let max_states = Limits::default().max_states;
        let limits = LimitArgs { timeout: self.args.timeout, memory: 4096, max_states };
        let limits = limits.start(&self.bench.process);
        let options = Options { tactics, ..Options::default() };
        let start = Stopwatch::start(self.args.clock);
        let mut conditions = Conditions::new(self.system, tactics);
        let judged = judge(&mut conditions, self.invariant, &options, &limits);
        (start.elapsed().as_secs_f64(), judged)
    }
}

/// How many conditions each procedure has proved.
fn counts(judged: &Judged) -> [usize; 4] {
    let of = |wanted: Procedure| {
        let by = |status: &Status| matches!(status, Status::Valid { procedure, .. } if *procedure == wanted);
        judged.conditions.iter().filter(|it| by(&it.status)).count()
    };
    [Procedure::Locations, Procedure::Numbers, Procedure::Sets, Procedure::Lists].map(of)
}

fn report(rows: &[Row]) -> Report {
    let any = |what: Outcome| rows.iter().any(|row| row.outcomes.first() == Some(&what));
    let code = exit_code(any(Outcome::Open), any(Outcome::Timeout));
    let title = "Parametrized invariance".into();
    let mut report = Report { title, rows: everything(rows), code, ..Report::default() };
    report.table("conditions", "Conditions", conditions(rows));
    report.lines(summary(rows));
    let mut times = Table::of(rows).left("row", name);
    let mut without = Table::of(rows).left("row", name);
    for (at, (setting, _)) in SETTINGS.iter().enumerate() {
        let ours = move |row: &Row| row.outcomes.get(at).copied();
        if at < 4 {
            let paper = format!("paper: {setting}");
            times = times.right(setting, ours).right(&paper, move |row| row.published(at));
        }
        if at == 0 || at >= 4 {
            without = without.right(setting, ours);
        }
    }
    report.table("times", "Seconds, ours and those of the paper", times.end());
    report.table("without", "Seconds with each tactic switched off", without.end());
    report
}

fn name(row: &Row) -> &'static str {
    row.paper.name
}

fn conditions(rows: &[Row]) -> Table {
    Table::of(rows)
        .left("row", name)
        .right("threads", |row| row.index)
        .right("conditions", |row| row.conditions)
        .right("paper: conditions", |row| row.paper.conditions)
        .right("by locations", |row| row.by[0])
        .right("paper: by position", |row| row.paper.positions)
        .right("by numbers", |row| row.by[1])
        .right("by sets", |row| row.by[2])
        .right("by lists", |row| row.by[3])
        .right("paper: by procedures", |row| row.paper.procedures)
        .end()
}

fn summary(rows: &[Row]) -> Vec<String> {
    let proved = |row: &&Row| matches!(row.outcomes.first(), Some(Outcome::Proved(_)));
    let proved = rows.iter().filter(proved).count();
    let same = rows.iter().filter(|row| row.conditions == row.paper.conditions as usize).count();
    let slower: Vec<&str> =
        rows.iter().filter(|row| row.is_slower()).map(|row| row.paper.name).collect();
    let all = rows.len();
    vec![
        format!(
            "{proved} of {all} rows proved, {same} of them with as many conditions as in the paper"
        ),
        match slower.as_slice() {
            [] => "no row takes longer than in the paper, with all tactics".to_owned(),
            names => format!("longer than in the paper, with all tactics: {}", names.join(", ")),
        },
    ]
}

/// A line for each measurement.
fn everything(rows: &[Row]) -> Table {
    type Measured<'a> = (&'a Row, usize, Outcome);
    let all: Vec<Measured<'_>> = rows
        .iter()
        .flat_map(|row| row.outcomes.iter().enumerate().map(move |(at, it)| (row, at, *it)))
        .collect();
    Table::of(&all)
        .left("row", |(row, ..): &Measured<'_>| row.paper.name)
        .left("file", |(row, ..)| format!("{}.ser", row.paper.file))
        .left("invariant", |(row, ..)| row.paper.invariant)
        .right("conditions", |(row, ..)| row.conditions)
        .left("tactics", |(_, at, _)| SETTINGS[*at].0)
        .right("seconds", |(.., outcome)| *outcome)
        .right("paper", |(row, at, _)| row.published(*at))
        .end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ReportFormat;

    fn row(all: Outcome) -> Row {
        let outcomes = vec![all, Outcome::Timeout];
        Row { paper: figure_7()[0], index: 0, conditions: 61, by: [52, 0, 0, 9], outcomes }
    }

    #[test]
    fn what_is_not_proved_with_all_tactics_counts() {
        let code = |all| report(&[row(all)]).code;
        assert_eq!(code(Outcome::Proved(0.5)), 0);
        assert_eq!(code(Outcome::Open), 1);
        assert_eq!(code(Outcome::Timeout), 3);
    }

    #[test]
    fn the_report_has_both_sides() {
        let text = report(&[row(Outcome::Proved(0.5))]).text(ReportFormat::Markdown);
        assert!(text.contains("1 of 1 rows proved, 1 of them with as many conditions"), "{text}");
        assert!(text.contains("no row takes longer"), "{text}");
        assert!(text.contains("12.85") && text.contains("TO"), "{text}");
        assert!(row(Outcome::Proved(13.0)).is_slower());
    }
}
