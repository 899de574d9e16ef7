//! `ser-bench sequentialize`: our times for any number of processes, and the sizes at which Spin
//! gives up; beside both, what the paper publishes.

use crate::bar::Bar;
use crate::cli::{ReportArgs, seconds};
use crate::papers::{TABLE_1, Table1};
use crate::process::{self, Bounds, Call, Ended};
use crate::report::Report;
use crate::spin::{PanLimits, Spin, SpinEnd, SpinError, SpinRun, Wanted};
use crate::spin_wall::{Search, Wall, smallest};
use crate::statistics::Summary;
use crate::table::{Cell, Table, number};
use crate::verdict::{SEQUENTIALIZATION, Verdict, exit_code};
use crate::{Bench, Failure};
use clap::Args;
use ser_base::Limits;
use ser_report::text::visible;
use ser_sequentialization_search::explore::MAX_MEMBERS;
use ser_sequentialization_search::promela::{PromelaOptions, export};
use ser_sequentialization_search::{self as search, Answer, Options, sequentialize};
use ser_syntax::ast::World;
use ser_syntax::icet;
use ser_syntax::icet::ast::SetKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Arguments of `ser-bench sequentialize`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser-bench sequentialize                            the 17 protocols of the paper's Table 1\n  ser-bench sequentialize --spin-timeout 5           a quick look\n  ser-bench sequentialize examples/messages --broken --no-spin\n\nSpin and a C compiler are looked for in PATH. A search of Spin that needs more than --spin-timeout or\n--spin-memory is ended; compiling is not part of it. Times are best on a quiet machine.\n\nExit codes: 0, or 1 if an answer contradicts Spin or is not the one that the first line of its file\nexpects, 2 usage or input error, 3 if there is no answer or Spin had trouble."
)]
pub struct SequentializeArgs {
    /// Protocols (.ser files with messages), and folders of them; without any, the 17 of Table 1 in
    /// ./examples/messages
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,

    /// Also the protocols in the folder `broken` of each folder
    #[arg(long)]
    pub broken: bool,

    /// Answer each protocol so many times; the time in the middle counts
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,

    /// Measure ours only
    #[arg(long, conflicts_with_all = ["spin_timeout", "spin_memory", "max_size", "any_order"], help_heading = "Spin")]
    pub no_spin: bool,

    /// Spin gives up after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, help_heading = "Spin")]
    pub spin_timeout: f64,

    /// Spin gives up when it needs more memory than this
    #[arg(long, value_name = "MIB", default_value_t = 8192, value_parser = clap::value_parser!(u64).range(256..=1 << 30), help_heading = "Spin")]
    pub spin_memory: u64,

    /// The largest size of sets to try
    #[arg(long, value_name = "N", default_value_t = MAX_MEMBERS - 1, value_parser = clap::value_parser!(u32).range(1..i64::from(MAX_MEMBERS)), help_heading = "Spin")]
    pub max_size: u32,

    /// Let Spin visit the members of sets in any order, as the language says, and not one after the
    /// other, which has far fewer states
    #[arg(long, help_heading = "Spin")]
    pub any_order: bool,

    #[command(flatten)]
    pub report: ReportArgs,
}

impl SequentializeArgs {
    /// The limits in a line.
    pub fn limits(&self) -> String {
        let ours = format!("median of {}", self.repeat);
        if self.no_spin {
            return ours;
        }
        let (time, memory) = (self.spin_timeout, self.spin_memory);
        format!("{ours}; {time} s and {memory} MiB for Spin, sizes up to {}", self.max_size)
    }
}

/// Where the paper's protocols are.
const FOLDER: &str = "examples/messages";

/// Whole processes are started so often.
const STARTS: usize = 5;

/// One of them should not take so long.
const START_TIME: Duration = Duration::from_secs(120);

/// Spin looks at protocols of which we know nothing at this size.
const UNKNOWN_SIZE: u32 = 2;

/// Measures sequentialization.
pub fn run(args: &SequentializeArgs, bench: &Bench) -> Result<Report, Failure> {
    let sources: Vec<Source> =
        files(args)?.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    let (spin, note) = find_spin(args);
    let job = Job { args, bench, spin: spin.as_ref() };
    let bar = Bar::new(sources.len());
    let mut protocols = Vec::new();
    for source in &sources {
        if bench.is_interrupted() {
            break;
        }
        bar.say(source.name.clone());
        let measured = job.protocol(source, &bar)?;
        bar.step(source.name.clone());
        // Half of the numbers of a protocol would be taken for all of them.
        if !bench.is_interrupted() {
            protocols.push(measured);
        }
    }
    drop(bar);
    let mut report = report(&protocols);
    report.facts.extend([("limits", args.limits()), ("spin", note)]);
    report.interrupted(bench, protocols.len(), sources.len(), "protocols");
    Ok(report)
}

/// The files to measure.
fn files(args: &SequentializeArgs) -> Result<Vec<PathBuf>, Failure> {
    let default = Path::new(FOLDER);
    if args.paths.is_empty() && !default.is_dir() {
        let help =
            "run this in the folder of the repository, or name protocols (.ser) or folders of them";
        return Err(Failure::new(format!("there is no folder {FOLDER} here")).help(help));
    }
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    if args.paths.is_empty() {
        files.extend(TABLE_1.iter().map(|row| default.join(format!("{}.ser", row.stem))));
        folders.push(default);
    }
    for path in args.paths.iter().map(Path::new) {
        if path.is_dir() {
            files.extend(protocols_in(path)?);
            folders.push(path);
        } else {
            files.push(path.to_owned());
        }
    }
    if args.broken {
        let broken: Vec<PathBuf> =
            folders.iter().map(|it| it.join("broken")).filter(|it| it.is_dir()).collect();
        if broken.is_empty() {
            let help =
                "name a folder that has one, such as examples/messages, or the files themselves";
            return Err(Failure::new("--broken: there is no folder called broken").help(help));
        }
        for folder in broken {
            files.extend(protocols_in(&folder)?);
        }
    }
    if files.is_empty() {
        let help = "name files, or folders that contain some";
        let message = format!("no protocols (.ser) in {}", args.paths.join(", "));
        return Err(Failure::new(message).help(help));
    }
    Ok(files)
}

/// The protocols of a folder, by name.
fn protocols_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error| Failure::new(format!("cannot read {}: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is_protocol = |text: String| ser_syntax::world(&text) == World::Messages;
        if path.extension().is_some_and(|it| it == "ser")
            && std::fs::read_to_string(&path).is_ok_and(is_protocol)
        {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// A protocol that has no errors.
struct Source {
    name: String,
    text: String,
}

fn read(path: &Path) -> Result<Source, Failure> {
    let name = path.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", visible(&name))))?;
    if icet::parse(&text).has_errors() {
        let message = format!("{} has errors, so there is nothing to measure", visible(&name));
        return Err(Failure::new(message).help(format!("`ser sequentialize {name}` shows them")));
    }
    Ok(Source { name, text })
}

/// Spin if it is wanted and there, and what to say about that.
#[allow(clippy::print_stderr)]
fn find_spin(args: &SequentializeArgs) -> (Option<Spin>, String) {
    if args.no_spin {
        return (None, "not asked".to_owned());
    }
    match Spin::find() {
        Ok(spin) => {
            let order = if args.any_order { "in any order" } else { "one after the other" };
            let note = format!(
                "{}; loops visit the members of sets {order}; `pan s` is the time that the processor worked",
                spin.version()
            );
            (Some(spin), note)
        }
        Err(missing) => {
            eprintln!("note: {missing}, so there is nothing to compare with");
            eprintln!("help: {}", missing.help());
            (None, missing.to_string())
        }
    }
}

/// How a protocol is called in tables: those of the default folder without it.
fn shown(name: &str) -> String {
    let inner = name.strip_prefix(FOLDER).and_then(|it| it.strip_prefix('/'));
    visible(inner.unwrap_or(name))
}

/// What everybody needs.
#[derive(Clone, Copy)]
struct Job<'a> {
    args: &'a SequentializeArgs,
    bench: &'a Bench,
    spin: Option<&'a Spin>,
}

impl Job<'_> {
    fn protocol(&self, source: &Source, bar: &Bar) -> Result<Protocol, Failure> {
        let protocol = icet::parse(&source.text).protocol;
        let (answer, ours) = self.ours(source)?;
        let mut measured = Protocol {
            file: shown(&source.name),
            expected: expected(&source.text),
            ours,
            spin: Vec::new(),
            trouble: None,
        };
        if let Some(spin) = self.spin {
            let job = SpinJob { job: *self, spin, protocol: &protocol, answer: &answer, bar };
            for (sizing, most) in job.sizings() {
                let (series, trouble) = job.series(sizing, most, &source.name);
                measured.spin.push(series);
                measured.trouble = measured.trouble.or(trouble);
            }
        }
        Ok(measured)
    }

    /// Our answer, and how long it takes: in this process again and again, and in processes of its
    /// own.
    fn ours(&self, source: &Source) -> Result<(Answer, Ours), Failure> {
        let (mut answers, mut checks) = (Vec::new(), Vec::new());
        let limits = Limits { max_states: 200_000, ..Limits::default() };
        let answer_once = || {
            let start = Instant::now();
            let parse = icet::parse(&source.text);
            let answer = sequentialize(&source.text, &parse.protocol, &Options::default(), &limits);
            (parse.protocol, answer, milliseconds(start.elapsed()))
        };
        // The first time is not measured: it pays for pages of memory that everybody uses later.
        let (protocol, answer, _) = answer_once();
        for _ in 0..self.args.repeat {
            if self.bench.is_interrupted() {
                break;
            }
            let (_, again, time) = answer_once();
            answers.push(time);
            if let Some(certificate) = &again.certificate {
                let start = Instant::now();
                let verdict = ser_sequentialization_checker::check(certificate, &limits);
                checks.push(milliseconds(start.elapsed()));
                verdict.map_err(|rejection| {
                    let name = &source.name;
                    Failure::new(format!(
                        "{name}: internal error: the certificate is rejected: {rejection}"
                    ))
                })?;
            }
        }
        let known = match answer.verdict {
            search::Verdict::Verified => Verdict::Yes,
            search::Verdict::Refuted => Verdict::No,
            search::Verdict::Unknown => Verdict::Unknown,
        };
        let ours = Ours {
            known,
            parameters: protocol.sets.len(),
            terms: icet::term_size(&protocol),
            answer: Summary::of(answers),
            check: Summary::of(checks),
            process: Summary::of(self.starts(&source.name)?),
        };
        Ok((answer, ours))
    }

    /// The times of whole processes.
    fn starts(&self, file: &str) -> Result<Vec<f64>, Failure> {
        let ser = self.bench.ser()?;
        let arguments = ["sequentialize", "--format", "json", "--", file].map(Into::into).to_vec();
        let call = Call::new(ser, arguments);
        let bounds = Bounds { time: START_TIME, memory_kib: u64::MAX };
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let run = process::run(&call, bounds, &self.bench.process.interrupt)
                .map_err(|error| Failure::new(format!("cannot start `ser`: {error}")))?;
            match run.ended {
                Ended::Code(0 | 1 | 3) => times.push(milliseconds(run.time)),
                Ended::Cancelled => break,
                _ => {}
            }
        }
        Ok(times)
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Spin on one protocol.
struct SpinJob<'a> {
    job: Job<'a>,
    spin: &'a Spin,
    protocol: &'a icet::Protocol,
    answer: &'a Answer,
    bar: &'a Bar,
}

impl SpinJob<'_> {
    /// Which sizes are tried. Where something is wrong, Spin finds it soon at any size: our own run
    /// tells where to look.
    fn sizings(&self) -> Vec<(Sizing, u32)> {
        let sets = &self.protocol.sets;
        if sets.is_empty() || self.answer.verdict != search::Verdict::Verified {
            return vec![(Sizing::Once, 1)];
        }
        let most = self.job.args.max_size;
        let mut sizings = vec![(Sizing::Equal, most)];
        if sets.iter().any(|set| set.kind == SetKind::Indices) {
            sizings.push((Sizing::LongerIndices, most));
        }
        sizings
    }

    /// The sizes of all sets for a given n.
    fn sizes(&self, sizing: Sizing, n: u32) -> Vec<u32> {
        if let (Sizing::Once, Some(run)) = (sizing, &self.answer.run) {
            return run.sizes.clone();
        }
        let size = |set: &icet::ast::SetDecl| {
            let size = match (sizing, set.kind) {
                (Sizing::Once, _) => UNKNOWN_SIZE,
                (Sizing::LongerIndices, SetKind::Indices) => n + 1,
                _ => n,
            };
            size.max(set.at_least)
        };
        self.protocol.sets.iter().map(size).collect()
    }

    /// Runs one series, and tells what went wrong with it.
    fn series(&self, sizing: Sizing, most: u32, file: &str) -> (Series, Option<String>) {
        let mut trouble = None;
        let one = |n: u32| {
            let sizes = self.sizes(sizing, n);
            self.bar.say(format!("{file}: Spin with sizes {sizes:?}"));
            match self.run(sizing, &sizes) {
                Ok(run) => Some((sizes, run)),
                Err(SpinError::Cancelled) => None,
                Err(error) => {
                    trouble = Some(error.to_string());
                    None
                }
            }
        };
        let search = match sizing {
            Sizing::Once => once(one),
            _ => smallest(most, one, |(_, run)| run.gave_up()),
        };
        let sets = self.protocol.sets.iter().map(|set| set.name.text.clone()).collect();
        (Series { sizing, sets, search }, trouble)
    }

    fn run(&self, sizing: Sizing, sizes: &[u32]) -> Result<SpinRun, SpinError> {
        let args = self.job.args;
        // What goes wrong in our run may need the order that it has.
        let any_order = args.any_order || sizing == Sizing::Once;
        let model =
            |capacity| export(self.protocol, sizes, &PromelaOptions { any_order, capacity });
        // A server that goes on by itself leaves messages behind, which is no error.
        let goes_on = self.answer.outcome.as_ref().is_some_and(|it| !it.active.is_empty());
        let wanted = if goes_on { Wanted::Progress } else { Wanted::Everything };
        let time = Duration::try_from_secs_f64(args.spin_timeout).unwrap_or(Duration::MAX);
        let limits = PanLimits { time, memory_mib: args.spin_memory };
        self.spin.run(model, wanted, limits, &self.job.bench.process.interrupt)
    }
}

/// One run only.
fn once<R>(mut run: impl FnMut(u32) -> Option<R>) -> Search<R> {
    let runs: BTreeMap<u32, R> = run(1).map(|result| (1, result)).into_iter().collect();
    Search { runs, wall: Wall::Unfinished }
}

/// What the first line of a protocol expects.
fn expected(text: &str) -> Option<Verdict> {
    let words = text.lines().next()?.strip_prefix("// expect: ")?;
    match words.split(',').next()?.trim() {
        "not sequentializable" => Some(Verdict::Unknown),
        words => Verdict::named(words, SEQUENTIALIZATION),
    }
}

/// What we say about a protocol, and how long it takes.
#[derive(Clone, PartialEq, Debug)]
pub struct Ours {
    /// The answer.
    pub known: Verdict,
    /// How many sets there are.
    pub parameters: usize,
    /// The size of the protocol as a term.
    pub terms: usize,
    /// From the text to the answer, in milliseconds, in one process.
    pub answer: Option<Summary>,
    /// The check of its certificate, if there is one.
    pub check: Option<Summary>,
    /// A whole process, from its start to its end.
    pub process: Option<Summary>,
}

/// Runs of Spin on one protocol.
#[derive(Clone, Debug)]
pub struct Series {
    /// Which sizes.
    pub sizing: Sizing,
    /// The names of the sets.
    pub sets: Vec<String>,
    /// The runs by size, each with the sizes of all sets; and where Spin gives up.
    pub search: Search<(Vec<u32>, SpinRun)>,
}

/// How large the sets are in a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizing {
    /// All sets have n members, as in the paper.
    Equal,
    /// Sets of processes have n members, index sets one more.
    LongerIndices,
    /// One run, with the sizes of our own run that goes wrong, or without sets.
    Once,
}

impl Sizing {
    fn name(self) -> &'static str {
        match self {
            Sizing::Equal => "equal",
            Sizing::LongerIndices => "index sets n + 1",
            Sizing::Once => "once",
        }
    }
}

impl Series {
    /// The largest size that Spin finished, with its run.
    fn largest(&self) -> Option<&(Vec<u32>, SpinRun)> {
        self.search.runs.values().rev().find(|(_, run)| !run.gave_up())
    }

    /// Where Spin gives up, and why.
    fn wall(&self) -> String {
        match self.search.wall {
            Wall::At(size) => {
                let end = self.search.runs.get(&size).map(|(_, run)| run.end.name());
                format!("{size} ({})", end.unwrap_or_default())
            }
            wall => wall.text(),
        }
    }

    fn answers(&self) -> impl Iterator<Item = &(Vec<u32>, SpinRun)> {
        self.search.runs.values().filter(|(_, run)| !run.gave_up())
    }

    /// Sizes in words.
    fn sizes(&self, sizes: &[u32]) -> String {
        let each = self.sets.iter().zip(sizes).map(|(name, size)| format!("{name}={size}"));
        each.collect::<Vec<_>>().join(" ")
    }
}

/// Everything about one protocol.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// The name of its file.
    pub file: String,
    /// What it should be.
    pub expected: Option<Verdict>,
    /// What we say.
    pub ours: Ours,
    /// What Spin says.
    pub spin: Vec<Series>,
    /// Why there is nothing from Spin, or not all, if something failed.
    pub trouble: Option<String>,
}

impl Protocol {
    fn published(&self) -> Option<&'static Table1> {
        let stem = self.file.rsplit('/').next()?.strip_suffix(".ser")?;
        TABLE_1.iter().find(|row| row.stem == stem)
    }

    fn series(&self, sizing: Sizing) -> Option<&Series> {
        self.spin.iter().find(|series| series.sizing == sizing)
    }

    /// Runs of Spin that say something else than we do. If we say that all is well, then it is for
    /// all sizes; if we have a run that goes wrong, then Spin must see something at the same sizes,
    /// and may see nothing at others.
    pub fn contradictions(&self) -> Vec<String> {
        let mut all = Vec::new();
        for series in &self.spin {
            for (sizes, run) in series.answers() {
                let wrong = match (self.ours.known, &run.end) {
                    (Verdict::Yes, SpinEnd::Error(words)) => Some(words.as_str()),
                    (Verdict::No, SpinEnd::Clean) if series.sizing == Sizing::Once => {
                        Some("nothing is wrong")
                    }
                    _ => None,
                };
                let sizes = Some(series.sizes(sizes)).filter(|it| !it.is_empty());
                let sizes = sizes.map(|it| format!(" with {it}")).unwrap_or_default();
                all.extend(wrong.map(|words| {
                    let (file, known) = (&self.file, self.ours.known.name(SEQUENTIALIZATION));
                    format!("{file}{sizes}: we say {known}, Spin says: {words}")
                }));
            }
        }
        all
    }

    /// How many runs of Spin can be compared with our answer.
    pub fn compared(&self) -> usize {
        let comparable = |series: &&Series| match self.ours.known {
            Verdict::Yes => true,
            Verdict::No => series.sizing == Sizing::Once,
            Verdict::Unknown => false,
        };
        self.spin.iter().filter(comparable).map(|series| series.answers().count()).sum()
    }

    /// Whether our answer is not the expected one.
    pub fn is_unexpected(&self) -> bool {
        self.expected.is_some_and(|expected| expected != self.ours.known)
    }
}

fn report(protocols: &[Protocol]) -> Report {
    let wrong = |it: &Protocol| it.is_unexpected() || !it.contradictions().is_empty();
    let open = |it: &Protocol| {
        (it.ours.known == Verdict::Unknown && it.expected.is_none()) || it.trouble.is_some()
    };
    let mut report = Report {
        title: "Sequentialization and Spin".into(),
        rows: everything(protocols),
        code: exit_code(protocols.iter().any(wrong), protocols.iter().any(open)),
        ..Report::default()
    };
    report.table("protocols", "Our times and those of the paper", times(protocols));
    report.lines(summary(protocols));
    let with_spin: Vec<&Protocol> = protocols.iter().filter(|it| !it.spin.is_empty()).collect();
    if !with_spin.is_empty() {
        report.table("spin_walls", "Where Spin gives up", walls(&with_spin));
        report.lines(comparison(protocols));
        let contradictions = protocols.iter().flat_map(Protocol::contradictions).collect();
        report.numbers.insert("contradictions".into(), contradictions);
    }
    report
}

fn middle(times: Option<Summary>) -> Option<f64> {
    times.map(|times| times.median)
}

fn times(protocols: &[Protocol]) -> Table {
    let wrong = |it: &Protocol| if it.is_unexpected() { " (WRONG)" } else { "" };
    Table::of(protocols)
        .left("protocol", |it: &Protocol| it.file.clone())
        .left("verdict", |it| format!("{}{}", it.ours.known.name(SEQUENTIALIZATION), wrong(it)))
        .right("sets", |it| it.ours.parameters)
        .right("terms", |it| it.ours.terms)
        .right("paper: terms", |it| it.published().map(|row| row.terms))
        .right("answer ms", |it| middle(it.ours.answer))
        .right("check ms", |it| middle(it.ours.check))
        .right("process ms", |it| middle(it.ours.process))
        .right("paper: ms", |it| it.published().map(|row| row.milliseconds))
        .end()
}

fn summary(protocols: &[Protocol]) -> Vec<String> {
    let known = |known| protocols.iter().filter(|it| it.ours.known == known).count();
    let unexpected = protocols.iter().filter(|it| it.is_unexpected()).count();
    let expected = match protocols.iter().any(|it| it.expected.is_some()) {
        true => format!("{unexpected} not as expected"),
        false => "none had an expected verdict".to_owned(),
    };
    let mut lines = vec![format!(
        "{} verified, {} refuted, {} unknown; {expected}",
        known(Verdict::Yes),
        known(Verdict::No),
        known(Verdict::Unknown)
    )];
    let both = |it: &Protocol| {
        let answer = it.ours.answer?;
        Some(answer.median + it.ours.check.map_or(0.0, |check| check.median))
    };
    if let Some(all) = Summary::of(protocols.iter().filter_map(both)) {
        let (median, max) = (number(all.median), number(all.max));
        lines.push(format!("answer and check: {median} ms in the middle, {max} ms at most"));
    }
    lines
}

fn walls(protocols: &[&Protocol]) -> Table {
    let wall = |it: &Protocol, sizing| it.series(sizing).map(Series::wall);
    let shown = |it: &Protocol| it.series(Sizing::Equal).or(it.series(Sizing::Once)).cloned();
    let largest = |it: &Protocol| shown(it)?.largest().map(|(_, run)| run.clone());
    let sizes = |it: &Protocol| shown(it).and_then(|it| Some(it.sizes(&it.largest()?.0)));
    Table::of(protocols)
        .left("protocol", |it: &&Protocol| it.file.clone())
        .right("Spin gives up at n", |it| wall(it, Sizing::Equal))
        .right("with index sets n + 1", |it| wall(it, Sizing::LongerIndices))
        .right("paper: n", |it| it.published().and_then(|row| row.spin))
        .left("largest finished", |it| sizes(it))
        .left("Spin says", |it| largest(it).map(|run| run.end.name()))
        .right("states", |it| largest(it).and_then(|run| run.states))
        .right("MiB", |it| largest(it).and_then(|run| run.memory_mib))
        .right("pan s", |it| largest(it).and_then(|run| run.pan_seconds))
        .right("compile s", |it| largest(it).map(|run| run.compile_seconds))
        .right("compared", |it| it.compared())
        .right("contradictions", |it| it.contradictions().len())
        .end()
}

fn comparison(protocols: &[Protocol]) -> Vec<String> {
    let compared: usize = protocols.iter().map(Protocol::compared).sum();
    let contradictions: Vec<String> = protocols.iter().flat_map(Protocol::contradictions).collect();
    let count = contradictions.len();
    let mut lines = vec![format!("{compared} runs of Spin compared, {count} contradictions")];
    lines.extend(contradictions.into_iter().take(10));
    let trouble = |it: &Protocol| Some(format!("{}: {}", it.file, it.trouble.as_ref()?));
    lines.extend(protocols.iter().filter_map(trouble));
    lines
}

/// A run of Spin with its series and its size.
type Ran<'a> = (&'a Series, u32, &'a (Vec<u32>, SpinRun));

/// A line for each run of Spin, or for each protocol without any.
fn everything(protocols: &[Protocol]) -> Table {
    type Line<'a> = (&'a Protocol, Option<Ran<'a>>);
    let mut lines: Vec<Line<'_>> = Vec::new();
    for protocol in protocols {
        let runs = protocol.spin.iter().flat_map(|series| {
            series.search.runs.iter().map(move |(size, run)| Some((series, *size, run)))
        });
        let before = lines.len();
        lines.extend(runs.map(|run| (protocol, run)));
        if lines.len() == before {
            lines.push((protocol, None));
        }
    }
    fn spin<T: Into<Cell>>(of: impl Fn(Ran<'_>) -> T) -> impl Fn(&Line<'_>) -> Cell {
        move |line| line.1.map(&of).into()
    }
    let columns = Table::of(&lines)
        .left("protocol", |(it, _): &Line<'_>| it.file.clone())
        .left("verdict", |(it, _)| it.ours.known.name(SEQUENTIALIZATION))
        .right("answer ms", |(it, _)| middle(it.ours.answer))
        .right("check ms", |(it, _)| middle(it.ours.check))
        .right("process ms", |(it, _)| middle(it.ours.process))
        .left("series", spin(|(series, ..)| series.sizing.name()))
        .right("n", spin(|(_, size, _)| size))
        .left("sizes", spin(|(series, _, (sizes, _))| series.sizes(sizes)))
        .left("spin", spin(|(.., (_, run))| run.end.name()))
        .right("states", spin(|(.., (_, run))| run.states))
        .right("MiB", spin(|(.., (_, run))| run.memory_mib))
        .right("depth", spin(|(.., (_, run))| run.depth))
        .right("pan s", spin(|(.., (_, run))| run.pan_seconds))
        .right("compile s", spin(|(.., (_, run))| run.compile_seconds))
        .right("capacity", spin(|(.., (_, run))| run.capacity))
        .left("reason", spin(|(.., (_, run))| run.reason().to_owned()))
        .end();
    columns.without_empty_columns()
}

#[cfg(test)]
mod tests;
