//! `ser-bench events`: event tracing against bounded model checking on the family of lost updates:
//! tables for each C and the scatter plot of the paper's Figure 4.

use crate::ablation::name_of;
use crate::bar::Bar;
use crate::cli::{ReportArgs, positive, seconds};
use crate::event_ablation::EventAblation;
use crate::event_run::{Censored, EventRun, FormulaSizes, Trial};
use crate::lost_updates::{Instance, MAX_C, MIN_C, instances, largest, reachable};
use crate::machine::{Clock, Stopwatch};
use crate::plot::{Mark, Plot, Series, scatter};
use crate::report::Report;
use crate::statistics::{Summary, exponent, median};
use crate::table::{Cell, Table, fixed, number};
use crate::verdict::{REACHABILITY, Verdict, exit_code};
use crate::{Bench, Failure, peak};
use clap::{Args, ValueEnum as _};
use ser::cli::{Encoding, TraceSolver, encoding_options};
use ser_base::Limits;
use ser_reachability_search::{Bound, Method, Options, SearchOptions};
use ser_session::reachability::{Answer, Evidence, Question, Reaching, trace_source};
use ser_session::source::{Kind, from_text};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Arguments of `ser-bench events`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser-bench events --to 5                     the first 264 instances\n  ser-bench events --every 20 --plot plots    every 20th, with a scatter plot\n  ser-bench events --ablation --every 50 --timeout 10\n\nExit codes: 0, or 1 if two answers contradict each other, 2 usage or input error, 3 if event tracing\nhad no answer somewhere."
)]
pub struct EventsArgs {
    /// The smallest C
    #[arg(long, value_name = "C", default_value_t = 4, value_parser = rounds())]
    pub from: u32,

    /// The largest C
    #[arg(long, value_name = "C", default_value_t = 9, value_parser = rounds())]
    pub to: u32,

    /// Every Nth instance of each C only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,

    /// Give up on an instance after this many seconds of event tracing
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    pub timeout: f64,

    /// Give up on an instance when the process needs more memory than this
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,

    /// Cut bounded model checking after so many times the time of event tracing, but not within a
    /// second
    #[arg(long, value_name = "FACTOR", default_value_t = 30.0, value_parser = positive)]
    pub bmc_factor: f64,

    /// Cut it after this many seconds instead
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "bmc_factor")]
    pub bmc_timeout: Option<f64>,

    /// Event tracing only
    #[arg(long, conflicts_with_all = ["bmc_factor", "bmc_timeout"])]
    pub no_bmc: bool,

    /// Compare with all interleavings, one by one, up to this C
    #[arg(long, value_name = "C", default_value_t = 5)]
    pub check_up_to: u32,

    /// Change one thing of the encoding at a time, and see what it was good for
    #[arg(long, conflicts_with_all = ["encoding", "bmc_factor", "bmc_timeout", "no_bmc", "check_up_to"])]
    pub ablation: bool,

    /// Changes of the encoding, as for `ser trace`
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CHANGE")]
    pub encoding: Vec<Encoding>,

    /// The solver, for both methods
    #[arg(long, value_enum, default_value_t = TraceSolver::Batsat)]
    pub solver: TraceSolver,

    /// How to measure time; limits are always about the time that goes by
    #[arg(long, value_enum, default_value_t = Clock::Wall)]
    pub clock: Clock,

    #[command(flatten)]
    pub report: ReportArgs,
}

fn rounds() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(MIN_C)..=i64::from(MAX_C))
}

/// Bounded model checking has so much time at least.
const LEAST: Duration = Duration::from_secs(1);

impl EventsArgs {
    /// The time for bounded model checking where event tracing took so long.
    pub fn bmc_time(&self, events: Duration) -> Duration {
        let seconds = self.bmc_timeout.unwrap_or(events.as_secs_f64() * self.bmc_factor);
        let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        if self.bmc_timeout.is_some() { time } else { time.max(LEAST) }
    }

    /// The limits in a line.
    pub fn limits(&self) -> String {
        let bmc = match (self.no_bmc || self.ablation, self.bmc_timeout) {
            (true, _) => String::new(),
            (false, Some(seconds)) => format!(", {seconds} s for bmc"),
            (false, None) => {
                format!(", {} times as long (1 s at least) for bmc", self.bmc_factor)
            }
        };
        format!("{} s for each instance{bmc}, {} MiB", self.timeout, self.memory)
    }
}

/// Sizes of the paper's own encoding are told, not its times: so long may solving take.
const GLANCE: Duration = Duration::from_secs(1);

/// Measures event tracing.
pub fn run(args: &EventsArgs, bench: &Bench) -> Result<Report, Failure> {
    let (from, to) = (args.from, args.to);
    if from > to {
        let help = format!("for example: --from {to} --to {from}");
        return Err(Failure::new(format!("--from {from} is larger than --to {to}")).help(help));
    }
    let encoding = encoding_options(&args.encoding, args.solver).map_err(Failure::new)?;
    let job = Job { args, bench };
    match args.ablation {
        true => job.ablation(),
        false => Ok(job.compare(&encoding)),
    }
}

/// What everybody needs.
#[derive(Clone, Copy)]
struct Job<'a> {
    args: &'a EventsArgs,
    bench: &'a Bench,
}

impl Job<'_> {
    fn instances(&self) -> Vec<Instance> {
        (self.args.from..=self.args.to).flat_map(|c| instances(c, self.args.every)).collect()
    }

    /// Adds how it was measured.
    fn facts(&self, mut report: Report, done: usize) -> Report {
        let args = self.args;
        report.facts.push(("limits", args.limits()));
        report.facts.push(("solver", name_of(args.solver)));
        report.facts.extend(args.clock.fact());
        if !args.encoding.is_empty() {
            let changes: Vec<String> = args.encoding.iter().map(|c| name_of(*c)).collect();
            report.facts.push(("encoding", changes.join(", ")));
        }
        let every = match args.every {
            1 => "every instance".to_owned(),
            n => format!("one of {n} instances"),
        };
        report.facts.push(("family", format!("C = {}..{}, {every}", args.from, args.to)));
        report.interrupted(self.bench, done, self.instances().len(), "instances");
        report
    }

    /// Limits with the clock running from now.
    fn limits(&self, time: Duration) -> Limits {
        let bytes = self.args.memory.saturating_mul(1 << 20);
        let max_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let limits = Limits { max_bytes, ..Limits::default() };
        peak::watched(self.bench.process.limit(limits).with_timeout(time))
    }

    /// Both methods on every instance.
    fn compare(&self, encoding: &Options) -> Report {
        let args = self.args;
        let timeout = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::MAX);
        let all = self.instances();
        let bar = Bar::new(all.len());
        let mut trials = Trials::default();
        let mut truths: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for instance in all {
            let mut search = SearchOptions {
                method: Method::Events,
                bound: Bound::Expand,
                solving: encoding.clone(),
            };
            let events = self.ask(instance, &search, timeout);
            let bmc = (!args.no_bmc).then(|| {
                let spent = Duration::try_from_secs_f64(events.milliseconds / 1e3);
                let time = args.bmc_time(spent.unwrap_or_default());
                (search.method, search.bound) = (Method::Bmc, Bound::Rounds(instance.steps()));
                self.ask(instance, &search, time)
            });
            if self.bench.is_interrupted() {
                break;
            }
            let truth = (instance.c <= args.check_up_to).then(|| {
                let ends = truths.entry(instance.c).or_insert_with(|| reachable(instance.c));
                ends.contains(&instance.d)
            });
            bar.step(format!("C = {}, D = {}", instance.c, instance.d));
            trials.trials.push(Trial { instance, events, bmc, truth });
        }
        drop(bar);
        for c in args.from..=args.to {
            let sizes = self.sizes_as_in_the_paper(c, encoding);
            trials.as_in_the_paper.extend(sizes.map(|sizes| (c, sizes)));
        }
        self.facts(trials.report(), trials.trials.len())
    }

    /// How large the formula is without what the paper does not have.
    fn sizes_as_in_the_paper(&self, c: u32, encoding: &Options) -> Option<FormulaSizes> {
        let mut solving = encoding.clone();
        (solving.encoding.static_order, solving.encoding.values) = (false, false);
        let search = SearchOptions { method: Method::Events, bound: Bound::Expand, solving };
        // Any D will do: it is one constant.
        let instance = Instance { c, d: largest(c) };
        Some(self.ask(instance, &search, GLANCE).sizes).filter(|sizes| sizes.clauses > 0)
    }

    /// Every change on every instance.
    fn ablation(&self) -> Result<Report, Failure> {
        let args = self.args;
        let timeout = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::MAX);
        let configurations = configurations(args.solver)?;
        let all = self.instances();
        let bar = Bar::new(all.len());
        let rows = configurations.iter().map(|(name, _)| (name.clone(), Vec::new()));
        let mut ablation = EventAblation { instances: Vec::new(), rows: rows.collect() };
        for instance in all {
            let mut runs = Vec::new();
            for (name, encoding) in &configurations {
                bar.say(format!("C = {}, D = {}: {name}", instance.c, instance.d));
                let (method, bound) = (Method::Events, Bound::Expand);
                let search = SearchOptions { method, bound, solving: encoding.clone() };
                runs.push(self.ask(instance, &search, timeout));
            }
            if self.bench.is_interrupted() {
                break;
            }
            ablation.instances.push(instance);
            for ((_, row), run) in ablation.rows.iter_mut().zip(runs) {
                row.push(run);
            }
            bar.step(format!("C = {}, D = {}", instance.c, instance.d));
        }
        drop(bar);
        Ok(self.facts(ablation.report(), ablation.instances.len()))
    }

    /// Asks one question: from the text of the instance to an answer that has been replayed.
    fn ask(&self, instance: Instance, search: &SearchOptions, time: Duration) -> EventRun {
        let name = format!("lost_updates_{}_{}.ser", instance.c, instance.d);
        let question = Question { search: search.clone(), ..Question::default() };
        let text = instance.source();
        let start = Stopwatch::start(self.args.clock);
        let limits = self.limits(time);
        let (answer, peak) = peak::measured(|| {
            let source = from_text(&name, Kind::Processes, text).ok()?;
            let watch = |_| {
                peak::look();
            };
            trace_source(&source, &question, &limits, &watch).answers.ok()?.into_iter().next()
        });
        run_of(answer, start.elapsed(), peak)
    }
}

/// An answer as a row of a report.
fn run_of(answer: Option<Answer>, time: Duration, peak: usize) -> EventRun {
    let mut run = EventRun {
        answer: Verdict::Unknown,
        milliseconds: 0.0,
        checking: None,
        peak_kib: (peak >> 10) as u64,
        sizes: FormulaSizes::default(),
        reason: "internal error: the instance is no model".to_owned(),
    };
    let mut checking = Duration::ZERO;
    if let Some(answer) = answer {
        run.reason = String::new();
        match answer.verdict {
            Reaching::Reachable(_) => run.answer = Verdict::Yes,
            Reaching::Unreachable(evidence) => {
                run.answer = Verdict::No;
                if let Evidence::Proof { time: spent, .. } = evidence {
                    checking = spent;
                    run.checking = Some(spent.as_secs_f64() * 1e3);
                }
            }
            Reaching::Unknown(reason) => run.reason = reason.to_string(),
        }
        let (variables, clauses) = answer.formula;
        run.sizes = FormulaSizes { variables, clauses, ..FormulaSizes::default() };
        if let Some(sizes) = answer.sizes {
            run.sizes.transitions = sizes.transitions;
            run.sizes.links = sizes.links;
            run.sizes.order_symbols = sizes.order_symbols;
            run.sizes.triangles = sizes.triangles;
        }
    }
    run.milliseconds = time.saturating_sub(checking).as_secs_f64() * 1e3;
    run
}

/// Nothing changed, each change of the encoding alone, and the other solver if there is one.
fn configurations(solver: TraceSolver) -> Result<Vec<(String, Options)>, Failure> {
    let options =
        |changes: &[Encoding], solver| encoding_options(changes, solver).map_err(Failure::new);
    let mut all = vec![("nothing".to_owned(), options(&[], solver)?)];
    for change in Encoding::value_variants() {
        all.push((name_of(*change), options(&[*change], solver)?));
    }
    for other in TraceSolver::value_variants().iter().filter(|other| **other != solver) {
        // A solver that is not built in cannot be compared.
        if let Ok(encoding) = encoding_options(&[], *other) {
            all.push((format!("solver {}", name_of(*other)), encoding));
        }
    }
    Ok(all)
}

/// Everything that was measured.
#[derive(Clone, Debug, Default)]
pub struct Trials {
    /// All trials, by C.
    pub trials: Vec<Trial>,
    /// For each C, the formula of an instance encoded as in the paper: without static order and
    /// without values.
    pub as_in_the_paper: Vec<(u32, FormulaSizes)>,
}

/// The trials of one C.
struct Group<'a> {
    c: u32,
    trials: Vec<&'a Trial>,
}

/// One of the sizes of a formula.
type SizeOf = fn(&FormulaSizes) -> usize;

/// The sizes that the paper gives bounds for.
const BOUNDED: [(&str, SizeOf); 4] = [
    ("links", |sizes| sizes.links),
    ("order symbols", |sizes| sizes.order_symbols),
    ("triangles", |sizes| sizes.triangles),
    ("clauses", |sizes| sizes.clauses),
];

impl Group<'_> {
    fn count(&self, answer: Verdict) -> usize {
        self.trials.iter().filter(|t| t.events.answer == answer).count()
    }

    fn events(&self) -> Option<Summary> {
        Summary::of(self.trials.iter().map(|t| t.events.milliseconds))
    }

    fn bmc(&self) -> Vec<&EventRun> {
        self.trials.iter().filter_map(|t| t.bmc.as_ref()).collect()
    }

    fn bmc_median(&self) -> Option<Censored> {
        let times: Vec<Censored> = self.bmc().into_iter().map(Censored::time).collect();
        Censored::median(&times)
    }

    fn cut(&self) -> usize {
        self.bmc().iter().filter(|run| run.is_cut()).count()
    }

    fn speed_up(&self) -> Option<Censored> {
        let all: Vec<Censored> = self.trials.iter().filter_map(|t| t.speed_up()).collect();
        Censored::median(&all)
    }

    fn enumerated(&self) -> usize {
        self.trials.iter().filter(|t| t.truth.is_some()).count()
    }

    fn disagreements(&self) -> usize {
        self.trials.iter().filter(|t| t.is_disagreement()).count()
    }

    /// The middle one of some size, over all instances.
    fn size(&self, of: SizeOf) -> f64 {
        median(self.trials.iter().map(|t| of(&t.events.sizes) as f64))
    }
}

/// The largest memory of some runs, in MiB.
fn most_memory<'a>(runs: impl Iterator<Item = &'a EventRun>) -> Option<f64> {
    runs.map(|run| run.peak_kib).max().map(|kib| kib as f64 / 1024.0)
}

impl Trials {
    fn groups(&self) -> Vec<Group<'_>> {
        let all: BTreeSet<u32> = self.trials.iter().map(|t| t.instance.c).collect();
        let of =
            |c| Group { c, trials: self.trials.iter().filter(|t| t.instance.c == c).collect() };
        all.into_iter().map(of).collect()
    }

    /// How many trials contradict each other.
    pub fn disagreements(&self) -> usize {
        self.trials.iter().filter(|t| t.is_disagreement()).count()
    }

    /// How often event tracing had no answer.
    pub fn unknown(&self) -> usize {
        self.trials.iter().filter(|t| t.events.is_cut()).count()
    }

    fn has_bmc(&self) -> bool {
        self.trials.iter().any(|t| t.bmc.is_some())
    }

    fn report(&self) -> Report {
        let code = exit_code(self.disagreements() > 0, self.unknown() > 0);
        let mut report = Report {
            title: "Event tracing and bounded model checking".into(),
            rows: self.everything(),
            plots: self.plots(),
            code,
            ..Report::default()
        };
        report.numbers.insert("disagreements".into(), json!(self.disagreements()));
        report.table("groups", "Times", self.times());
        report.lines(self.summary());
        report.table("formulas", "Formulas", self.formulas());
        report.lines(self.growth());
        report
    }

    fn times(&self) -> Table {
        let some = |n: usize| Some(n).filter(|n| *n > 0);
        let events = |group: &Group<'_>, of: fn(Summary) -> f64| group.events().map(of);
        Table::of(&self.groups())
            .right("C", |group: &Group<'_>| group.c)
            .right("instances", |group| group.trials.len())
            .right("reachable", |group| group.count(Verdict::Yes))
            .right("unreachable", |group| group.count(Verdict::No))
            .right("unknown", |group| some(group.count(Verdict::Unknown)))
            .right("events median ms", |group| events(group, |all| all.median))
            .right("mean ms", |group| events(group, |all| all.mean))
            .right("max ms", |group| events(group, |all| all.max))
            .right("total s", |group| events(group, |all| all.sum / 1e3))
            .right("bmc median ms", Group::bmc_median)
            .right("bmc cut", |group| Some(group.cut()).filter(|_| !group.bmc().is_empty()))
            .right("median speed-up", Group::speed_up)
            .right("enumerated", |group| some(group.enumerated()))
            .right("disagreements", Group::disagreements)
            .end()
    }

    fn summary(&self) -> Vec<String> {
        let of = |runs: &[&EventRun]| Summary::of(runs.iter().map(|run| run.milliseconds));
        let events: Vec<&EventRun> = self.trials.iter().map(|t| &t.events).collect();
        let mut lines = Vec::new();
        if let Some(all) = of(&events) {
            lines.push(format!(
                "events: {} instances in {} s, {} ms at most",
                all.count,
                number(all.sum / 1e3),
                number(all.max)
            ));
        }
        let checks: Vec<f64> = events.iter().filter_map(|run| run.checking).collect();
        if let Some(checks) = Summary::of(checks) {
            lines.push(format!(
                "{} proofs checked in {} s, {} ms at most; not part of the times above",
                checks.count,
                number(checks.sum / 1e3),
                number(checks.max)
            ));
        }
        let bmc: Vec<&EventRun> = self.trials.iter().filter_map(|t| t.bmc.as_ref()).collect();
        if let Some(all) = of(&bmc) {
            let cut = bmc.iter().filter(|run| run.is_cut()).count();
            let at_least = if cut > 0 { "at least " } else { "" };
            lines.push(format!(
                "bmc: {at_least}{} s; {cut} of {} were cut, and count with the time until then",
                number(all.sum / 1e3),
                all.count
            ));
        }
        let enumerated = self.trials.iter().filter(|t| t.truth.is_some()).count();
        let disagreements = self.disagreements();
        lines.push(format!(
            "{disagreements} disagreements; {enumerated} instances compared with enumeration"
        ));
        for trial in self.trials.iter().filter(|t| t.is_disagreement()).take(10) {
            let bmc = trial.bmc.as_ref().map_or("not asked", |run| run.answer.name(REACHABILITY));
            let truth = trial.truth.map_or("not asked", |it| Verdict::of(it).name(REACHABILITY));
            let (c, d) = (trial.instance.c, trial.instance.d);
            let events = trial.events.answer.name(REACHABILITY);
            lines
                .push(format!("C = {c}, D = {d}: events {events}, bmc {bmc}, enumeration {truth}"));
        }
        lines
    }

    fn formulas(&self) -> Table {
        let ours = |of: SizeOf| move |group: &Group<'_>| fixed(group.size(of), 0);
        let paper = |of: SizeOf| {
            move |group: &Group<'_>| {
                let paper = self.as_in_the_paper.iter().find(|(c, _)| *c == group.c);
                paper.map(|(_, sizes)| of(sizes))
            }
        };
        let bmc = |of: SizeOf| {
            move |group: &Group<'_>| {
                let sizes: Vec<f64> = group.bmc().iter().map(|run| of(&run.sizes) as f64).collect();
                Summary::of(sizes).map(|sizes| fixed(sizes.median, 0))
            }
        };
        let groups = self.groups();
        let of_events = Table::of(&groups)
            .right("C", |group: &Group<'_>| group.c)
            .right("transitions", ours(|sizes| sizes.transitions))
            .right("links", ours(|sizes| sizes.links))
            .right("order symbols", ours(|sizes| sizes.order_symbols))
            .right("triangles", ours(|sizes| sizes.triangles))
            .right("variables", ours(|sizes| sizes.variables))
            .right("clauses", ours(|sizes| sizes.clauses))
            .right("MiB", |group| most_memory(group.trials.iter().map(|trial| &trial.events)));
        let of_paper = BOUNDED.into_iter().fold(of_events, |columns, (name, of)| {
            columns.right(&format!("{name} as in the paper"), paper(of))
        });
        of_paper
            .right("bmc variables", bmc(|sizes| sizes.variables))
            .right("bmc clauses", bmc(|sizes| sizes.clauses))
            .right("bmc MiB", |group| most_memory(group.bmc().into_iter()))
            .end()
    }

    /// How the sizes grow with C, against the bounds of the paper.
    fn growth(&self) -> Vec<String> {
        let groups = self.groups();
        let fitted = |points: Vec<(f64, f64)>| exponent(&points).map(|e| format!("C^{e:.1}"));
        let ours =
            |of: SizeOf| fitted(groups.iter().map(|g| (f64::from(g.c), g.size(of))).collect());
        let paper = |of: SizeOf| {
            let points = self.as_in_the_paper.iter();
            fitted(points.map(|(c, sizes)| (f64::from(*c), of(sizes) as f64)).collect())
        };
        let mut lines = vec![
            "sizes are medians over the instances; MiB is the most that was in use for one of them"
                .to_owned(),
        ];
        let words = |of: &dyn Fn(SizeOf) -> Option<String>| {
            let all =
                BOUNDED.iter().filter_map(|(name, size)| Some(format!("{name} {}", of(*size)?)));
            all.collect::<Vec<_>>().join(", ")
        };
        let (with, without) = (words(&ours), words(&paper));
        if !with.is_empty() {
            lines.push(format!("growth: {with}"));
        }
        if !without.is_empty() {
            lines.push(format!(
                "growth as in the paper, without static order and values: {without}; its bound is C^3 \
                 for the clauses about X, which is written 2C + 1 times, taken 2C times and tested 2C + 1 times"
            ));
        }
        lines
    }

    fn everything(&self) -> Table {
        let bmc = |trial: &Trial, of: fn(&EventRun) -> Cell| trial.bmc.as_ref().map(of);
        let columns = Table::of(&self.trials)
            .right("C", |trial: &Trial| trial.instance.c)
            .right("D", |trial| trial.instance.d)
            .left("events", |trial| trial.events.answer.name(REACHABILITY))
            .left("bmc", move |trial| bmc(trial, |run| run.answer.name(REACHABILITY).into()))
            .left("enumeration", |trial| trial.truth.map(|it| Verdict::of(it).name(REACHABILITY)))
            .right("events_ms", |trial| trial.events.milliseconds)
            .right("bmc_ms", move |trial| bmc(trial, |run| run.milliseconds.into()))
            .right("checking_ms", |trial| trial.events.checking)
            .right("events_kib", |trial| trial.events.peak_kib)
            .right("bmc_kib", move |trial| bmc(trial, |run| run.peak_kib.into()))
            .right("events_variables", |trial| trial.events.sizes.variables)
            .right("events_clauses", |trial| trial.events.sizes.clauses)
            .right("bmc_variables", move |trial| bmc(trial, |run| run.sizes.variables.into()))
            .right("bmc_clauses", move |trial| bmc(trial, |run| run.sizes.clauses.into()))
            .left("reason", |trial| trial.events.reason.clone())
            .end();
        columns.without_empty_columns()
    }

    /// The scatter plot: bmc to the right, events upwards. What was cut is on the right border.
    fn plots(&self) -> Vec<(String, Plot)> {
        if !self.has_bmc() {
            return Vec::new();
        }
        let bmc_times = self.trials.iter().filter_map(|t| t.bmc.as_ref()).map(|r| r.milliseconds);
        let times = self.trials.iter().map(|t| t.events.milliseconds).chain(bmc_times);
        let longest = times.fold(1.0, f64::max);
        let border = 10f64.powf(longest.log10().ceil());
        let series = |name: &str, answer: Verdict, is_cut: bool, mark: Mark| {
            let points = self.trials.iter().filter(|t| t.events.answer == answer).filter_map(|t| {
                let bmc = t.bmc.as_ref().filter(|run| run.is_cut() == is_cut)?;
                let x = if is_cut { border } else { bmc.milliseconds };
                Some((x, t.events.milliseconds))
            });
            let points: Vec<(f64, f64)> = points.collect();
            let name = format!("{name} ({})", points.len());
            Series { name, points, line: false, mark }
        };
        let all = vec![
            series("reachable", Verdict::Yes, false, Mark::Circle),
            series("unreachable", Verdict::No, false, Mark::Cross),
            series("reachable, bmc cut", Verdict::Yes, true, Mark::Circle),
            series("unreachable, bmc cut", Verdict::No, true, Mark::Cross),
        ];
        let all = all.into_iter().filter(|series| !series.points.is_empty()).collect();
        let title = "Each instance by both methods";
        vec![("events.svg".into(), scatter(title, "bounded model checking", "event tracing", all))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ReportFormat as Format;
    use crate::event_run::tests::{run, trial};

    fn report() -> Trials {
        let trials = vec![
            trial(2, 0, run(Verdict::No, 1.0), Some(run(Verdict::No, 20.0))),
            trial(2, 6, run(Verdict::Yes, 2.0), Some(run(Verdict::Yes, 10.0))),
            trial(3, 0, run(Verdict::No, 4.0), Some(run(Verdict::Unknown, 100.0))),
        ];
        Trials { trials, as_in_the_paper: Vec::new() }
    }

    #[test]
    fn each_c_has_a_row_and_cut_runs_are_told() {
        let text = report().report().text(Format::Markdown);
        assert!(
            text.contains("| 2 | 2 | 1 | 1 | 1.50 | 1.50 | 2.00 | 3.0e-3 | 15.0 | 0 | 12.5 | 0 |")
        );
        assert!(text.contains("| >= 100 | 1 | >= 25.0 | 0 |"), "{text}");
        assert!(text.contains("bmc: at least 0.13 s; 1 of 3 were cut"), "{text}");
    }

    #[test]
    fn disagreements_are_named() {
        let mut report = report();
        report.trials[1].truth = Some(false);
        assert_eq!(report.disagreements(), 1);
        let text = report.report().text(Format::Human);
        let line = "C = 2, D = 6: events reachable, bmc reachable, enumeration unreachable";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn what_was_cut_is_on_the_border_of_the_plot() {
        let plots = report().plots();
        let series = &plots[0].1.series;
        let cut = series.iter().find(|s| s.name == "unreachable, bmc cut (1)").unwrap();
        assert_eq!(cut.points, [(100.0, 4.0)]);
        assert_eq!(series.len(), 3, "there is no reachable one that was cut");
        let mut alone = report();
        alone.trials.iter_mut().for_each(|t| t.bmc = None);
        assert!(alone.plots().is_empty());
    }
}
