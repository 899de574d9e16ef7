//! `ser bench sequentialize`.

use super::BenchError;
use super::bar::Bar;
use super::output::{header, interrupted, publish, with_interruption};
use crate::cli::SequentializeBenchArgs;
use crate::commands::sequentialize::read as read_source;
use crate::commands::streams::err;
use crate::process::Process;
use crate::report::sequence::complaint;
use ser_bench::machine::Clock;
use ser_bench::process::{Bounds, Call, Ended};
use ser_bench::sequence_paper::TABLE_1;
use ser_bench::sequence_report::{Known, Ours, Protocol, SequenceReport, Series, Sizing};
use ser_bench::spin::{PanLimits, Spin, SpinError, SpinRun, Wanted};
use ser_bench::spin_wall::{Search, Wall, smallest};
use ser_bench::statistics::Summary;
use ser_model::Limits;
use ser_sequentialization_search::promela::{PromelaOptions, export};
use ser_sequentialization_search::{Answer, Options, Verdict, sequentialize};
use ser_session::sequence::{SequenceReport as Unanswered, Sequenced, protocol_of};
use ser_session::source::{Source, SourceError};
use ser_session::words::visible;
use ser_syntax::icet;
use ser_syntax::icet::ast::SetKind;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where the paper's protocols are.
const FOLDER: &str = "examples/icet";

/// Whole processes are started so often.
const STARTS: usize = 5;

/// One of them should not take so long.
const START_TIME: Duration = Duration::from_secs(120);

/// Spin looks at protocols of which we know nothing at this size.
const UNKNOWN_SIZE: u32 = 2;

/// Measures sequentialization.
pub fn run(args: &SequentializeBenchArgs, process: &Process) -> Result<u8, BenchError> {
    let files = files(args)?;
    let sources: Vec<Source> = files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    let (spin, note) = find_spin(args)?;
    let bench = Bench { args, process, spin: spin.as_ref() };
    let bar = Bar::new(sources.len());
    let mut report = SequenceReport::default();
    for source in &sources {
        if process.is_interrupted() {
            break;
        }
        bar.say(source.name.clone());
        let measured = bench.protocol(source, &bar)?;
        bar.step(source.name.clone());
        // Half of the numbers of a protocol would be taken for all of them.
        if !process.is_interrupted() {
            report.protocols.push(measured);
        }
    }
    drop(bar);
    let mut facts = header(&args.report, args.limits());
    facts.push(("spin".into(), note));
    if process.is_interrupted() {
        facts.push(interrupted(report.protocols.len(), sources.len(), "protocols"));
    }
    publish(&args.report, &report.document(facts), [])?;
    Ok(with_interruption(report.exit_code(), process))
}

/// The files to measure.
fn files(args: &SequentializeBenchArgs) -> Result<Vec<PathBuf>, BenchError> {
    let usage = |message: String, help: &str| BenchError::Usage(message, Some(help.to_owned()));
    let default = Path::new(FOLDER);
    if args.paths.is_empty() && !default.is_dir() {
        let help = "run this in the folder of the repository, or name protocols (.icet) or folders of them";
        return Err(usage(format!("there is no folder {FOLDER} here"), help));
    }
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    if args.paths.is_empty() {
        files.extend(TABLE_1.iter().map(|row| default.join(format!("{}.icet", row.stem))));
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
            let help = "name a folder that has one, such as examples/icet, or the files themselves";
            return Err(usage("--broken: there is no folder called broken".to_owned(), help));
        }
        for folder in broken {
            files.extend(protocols_in(&folder)?);
        }
    }
    if files.is_empty() {
        let help = "name files, or folders that contain some";
        return Err(usage(format!("no protocols (.icet) in {}", args.paths.join(", ")), help));
    }
    Ok(files)
}

/// The protocols of a folder, by name.
fn protocols_in(folder: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let unreadable =
        |error| BenchError::Usage(format!("cannot read {}: {error}", folder.display()), None);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|it| it == "icet") && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Reads a protocol that has no errors; if it has some, they are shown.
fn read(path: &Path) -> Result<Source, BenchError> {
    let name = path.to_string_lossy().into_owned();
    let result = read_source(&name, &Limits::default());
    let (source, error) = match result {
        Ok(source) => match protocol_of(&source) {
            Ok(_) => return Ok(source),
            Err(error) => (Some(source), error),
        },
        Err(error) => (None, error),
    };
    if let SourceError::Unreadable { message, help } = error {
        return Err(BenchError::Usage(format!("{}: {message}", visible(&name)), help));
    }
    let shown = complaint(&Unanswered::new(&name, source, Sequenced::Error(error)), false);
    write!(err(), "{shown}")?;
    let message = format!("{} has errors, so there is nothing to measure", visible(&name));
    Err(BenchError::Usage(message, None))
}

/// Spin if it is wanted and there, and what to say about that.
fn find_spin(args: &SequentializeBenchArgs) -> Result<(Option<Spin>, String), BenchError> {
    if args.no_spin {
        return Ok((None, "not asked".to_owned()));
    }
    match Spin::find() {
        Ok(spin) => {
            let order = if args.any_order { "in any order" } else { "one after the other" };
            let note = format!(
                "{}; loops visit the members of sets {order}; `pan s` is the time that the processor worked",
                spin.version()
            );
            Ok((Some(spin), note))
        }
        Err(missing) => {
            writeln!(err(), "note: {missing}, so there is nothing to compare with")?;
            writeln!(err(), "help: {}", missing.help())?;
            Ok((None, missing.to_string()))
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
struct Bench<'a> {
    args: &'a SequentializeBenchArgs,
    process: &'a Process,
    spin: Option<&'a Spin>,
}

impl Bench<'_> {
    fn protocol(&self, source: &Source, bar: &Bar) -> Result<Protocol, BenchError> {
        let protocol = icet::parse(&source.text).protocol;
        let (answer, ours) = self.ours(source)?;
        let mut measured = Protocol {
            file: shown(&source.name),
            expected: Known::expected(&source.text),
            ours,
            spin: Vec::new(),
            trouble: None,
        };
        if let Some(spin) = self.spin {
            let job = SpinJob { bench: *self, spin, protocol: &protocol, answer: &answer, bar };
            for (sizing, most) in job.sizings() {
                let (series, trouble) = job.series(sizing, most, &source.name);
                measured.spin.push(series);
                measured.trouble = measured.trouble.or(trouble);
            }
        }
        Ok(measured)
    }

    /// Our answer, and how long it takes: in this process again and again, and in processes of its own.
    fn ours(&self, source: &Source) -> Result<(Answer, Ours), BenchError> {
        let (mut answers, mut checks) = (Vec::new(), Vec::new());
        let small = Limits { max_states: 200_000, ..Limits::default() };
        let answer_once = || {
            let start = Instant::now();
            let parse = icet::parse(&source.text);
            let answer = sequentialize(&source.text, &parse.protocol, &Options::default(), &small);
            (parse.protocol, answer, milliseconds(start.elapsed()))
        };
        // The first time is not measured: it pays for pages of memory that everybody uses later.
        let (protocol, answer, _) = answer_once();
        for _ in 0..self.args.repeat {
            if self.process.is_interrupted() {
                break;
            }
            let (_, again, time) = answer_once();
            answers.push(time);
            if let Some(certificate) = &again.certificate {
                let start = Instant::now();
                let verdict = ser_sequentialization_checker::check(certificate, &small);
                checks.push(milliseconds(start.elapsed()));
                if let Err(rejection) = verdict {
                    let message = format!(
                        "{}: internal error: the kernel rejects our certificate: {rejection}",
                        source.name
                    );
                    return Err(BenchError::Usage(message, None));
                }
            }
        }
        let known = match answer.verdict {
            Verdict::Verified => Known::Verified,
            Verdict::Refuted => Known::Refuted,
            Verdict::Unknown => Known::Unknown,
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
    fn starts(&self, file: &str) -> Result<Vec<f64>, BenchError> {
        let failed =
            |error| BenchError::Usage(format!("cannot start this program again: {error}"), None);
        let program = std::env::current_exe().map_err(failed)?;
        let arguments = ["sequentialize", "--format", "json", "--", file].map(Into::into).to_vec();
        let call = Call {
            program: program.into(),
            arguments,
            starts_others: false,
            folder: None,
            clock: Clock::Wall,
        };
        let bounds = Bounds { time: START_TIME, memory_kib: u64::MAX };
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let run = ser_bench::process::run(&call, bounds, &self.process.interrupt);
            let run = run.map_err(failed)?;
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
    bench: Bench<'a>,
    spin: &'a Spin,
    protocol: &'a icet::Protocol,
    answer: &'a Answer,
    bar: &'a Bar,
}

impl SpinJob<'_> {
    /// Which sizes are tried. Where something is wrong, Spin finds it soon at any size: our own run tells where to look.
    fn sizings(&self) -> Vec<(Sizing, u32)> {
        let sets = &self.protocol.sets;
        if sets.is_empty() || self.answer.verdict != Verdict::Verified {
            return vec![(Sizing::Once, 1)];
        }
        let most = self.bench.args.max_size;
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
        let args = self.bench.args;
        // What goes wrong in our run may need the order that it has.
        let any_order = args.any_order || sizing == Sizing::Once;
        let model =
            |capacity| export(self.protocol, sizes, &PromelaOptions { any_order, capacity });
        // A server that goes on by itself leaves messages behind, which is no error.
        let goes_on = self.answer.outcome.as_ref().is_some_and(|it| !it.active.is_empty());
        let wanted = if goes_on { Wanted::Progress } else { Wanted::Everything };
        let time = Duration::try_from_secs_f64(args.spin_timeout).unwrap_or(Duration::MAX);
        let limits = PanLimits { time, memory_mib: args.spin_memory };
        self.spin.run(model, wanted, limits, &self.bench.process.interrupt)
    }
}

/// One run only.
fn once<R>(mut run: impl FnMut(u32) -> Option<R>) -> Search<R> {
    let runs: BTreeMap<u32, R> = run(1).map(|result| (1, result)).into_iter().collect();
    Search { runs, wall: Wall::Unfinished }
}
