//! `ser bench prove`.

use super::BenchError;
use super::bar::Bar;
use super::output::{header, interrupted, publish, with_interruption};
use crate::cli::{ClockName, LimitArgs, ProveBenchArgs};
use crate::process::Process;
use ser_bench::machine::Stopwatch;
use ser_bench::prove_paper::{FIGURE_7, Published, published};
use ser_bench::prove_report::{Outcome, ProveReport, Row, Setting};
use ser_bench::statistics::median;
use ser_invariance_search::conditions::{Conditions, Tactics};
use ser_invariance_search::decide::Procedure;
use ser_invariance_search::prove::{Judged, Options, Status, judge};
use ser_model::Limits;
use ser_syntax::inv;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::InvId;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// The rows of `--quick`: those of the list that take the paper least.
const QUICK: [&str; 2] = ["lock", "disj"];

/// What takes longer is measured once.
const SHORT: f64 = 1.0;

/// Measures parametrized invariance.
pub fn run(args: &ProveBenchArgs, process: &Process) -> Result<u8, BenchError> {
    let rows = rows(args)?;
    let systems = systems(args, &rows)?;
    let bar = Bar::new(rows.len());
    let mut report = ProveReport::default();
    for paper in &rows {
        let Some((system, invariant)) = find(&systems, paper) else {
            let (name, file) = (paper.invariant, paper.file);
            return Err(BenchError::Usage(
                format!("there is no invariant `{name}` in {file}"),
                None,
            ));
        };
        let bench = Bench { args, process, system, invariant, bar: &bar };
        let measured = bench.row(paper);
        bar.step(paper.name.to_owned());
        if process.is_interrupted() {
            break;
        }
        report.rows.push(measured);
    }
    drop(bar);
    let limits = format!(
        "{} s for each measurement; median of {} where it takes less than a second; one core",
        args.timeout, args.repeat
    );
    let mut facts = header(&args.report, limits);
    if args.clock == ClockName::Cpu {
        facts.push(("clock".into(), "the time that the processor worked for it".into()));
    }
    if process.is_interrupted() {
        facts.push(interrupted(report.rows.len(), rows.len(), "rows"));
    }
    publish(&args.report, &report.document(facts), [])?;
    Ok(with_interruption(report.exit_code(), process))
}

/// Which rows are wanted.
fn rows(args: &ProveBenchArgs) -> Result<Vec<&'static Published>, BenchError> {
    if !args.rows.is_empty() {
        let row = |name: &String| {
            published(name).ok_or_else(|| {
                let names: Vec<&str> = FIGURE_7.iter().map(|row| row.name).collect();
                let message = format!("there is no row `{}` in Figure 7", name.escape_debug());
                BenchError::Usage(message, Some(format!("the rows are {}", names.join(", "))))
            })
        };
        return args.rows.iter().map(row).collect();
    }
    let wanted = |row: &&Published| {
        !args.quick || row.file.starts_with("ticket") || QUICK.contains(&row.name)
    };
    Ok(FIGURE_7.iter().filter(wanted).collect())
}

/// Reads the files of the rows.
fn systems(
    args: &ProveBenchArgs,
    rows: &[&'static Published],
) -> Result<BTreeMap<&'static str, System>, BenchError> {
    let mut systems = BTreeMap::new();
    for row in rows {
        if systems.contains_key(row.file) {
            continue;
        }
        let path = Path::new(&args.folder).join(row.file);
        let shown = path.display();
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let help = "run this in the folder of the repository, or name the folder with --folder";
            BenchError::Usage(format!("cannot read {shown}: {error}"), Some(help.to_owned()))
        })?;
        let parse = inv::parse(&text);
        if parse.has_errors() {
            let help = format!("`ser prove {shown}` shows them");
            return Err(BenchError::Usage(format!("{shown} has errors"), Some(help)));
        }
        systems.insert(row.file, parse.system);
    }
    Ok(systems)
}

fn find<'s>(
    systems: &'s BTreeMap<&'static str, System>,
    row: &Published,
) -> Option<(&'s System, InvId)> {
    let system = systems.get(row.file)?;
    let place = system.invariants.iter().position(|it| it.name.text == row.invariant)?;
    Some((system, InvId(u32::try_from(place).ok()?)))
}

/// The tactics of a setting.
fn tactics(setting: Setting) -> Tactics {
    let all = Tactics::default();
    let none = Tactics { needed: false, offending: false, lazy: false, simplify: false };
    match setting {
        Setting::All => all,
        Setting::None => none,
        Setting::Needed => Tactics { needed: true, ..none },
        Setting::Offending => Tactics { needed: true, offending: true, ..none },
        Setting::WithoutNeeded => Tactics { needed: false, ..all },
        Setting::WithoutOffending => Tactics { offending: false, ..all },
        Setting::WithoutLazy => Tactics { lazy: false, ..all },
        Setting::WithoutSimplify => Tactics { simplify: false, ..all },
    }
}

/// What is measured.
struct Bench<'b> {
    args: &'b ProveBenchArgs,
    process: &'b Process,
    system: &'b System,
    invariant: InvId,
    bar: &'b Bar,
}

impl Bench<'_> {
    fn row(&self, paper: &'static Published) -> Row {
        let index = self
            .system
            .invariants
            .get(self.invariant.0 as usize)
            .map_or(0, |it| it.parameters.len());
        let mut row = Row { paper, index, conditions: 0, by: [0; 4], outcomes: Vec::new() };
        for setting in Setting::ALL {
            self.bar.say(format!("{}: {}", paper.name, setting.name()));
            let (outcome, judged) = self.measure(tactics(setting));
            if setting == Setting::All {
                row.conditions = judged.conditions.len();
                row.by = counts(&judged);
            }
            row.outcomes.push((setting, outcome));
            if self.process.is_interrupted() {
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
            && !self.process.is_interrupted()
        {
            times.push(self.once(tactics).0);
        }
        (Outcome::Proved(median(times)), judged)
    }

    fn once(&self, tactics: Tactics) -> (f64, Judged) {
        let limits = LimitArgs {
            timeout: self.args.timeout,
            memory: 4096,
            max_states: Limits::default().max_states,
        };
        let limits = limits.start(self.process);
        let options = Options { tactics, ..Options::default() };
        let start = Stopwatch::start(self.args.clock.clock());
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
