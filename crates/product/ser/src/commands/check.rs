//! `ser check`.

use super::files::{create_whole, write_whole};
use super::hints;
use super::pages::Pages;
use super::progress::Line;
use super::streams::{err, nobody_listens, out, plain_out};
use super::targets::Targets;
use super::watchdog::within;
use crate::cli::{CheckArgs, Format};
use crate::process::Process;
use crate::report::{human, json, sarif, statistics};
use ser_model::{Limits, Stop};
use ser_serializability_search::Progress;
use ser_session::bridge::{self, NoStart};
use ser_session::source::Kind;
use ser_session::words::visible;
use ser_session::{Report, Verdict, check_file, find_causes, most_serious};
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

pub fn run(args: CheckArgs, process: &Process) -> io::Result<u8> {
    let args = &args;
    if let Some(message) = hints::nothing_to_check(&args.files) {
        write!(err(), "{message}")?;
        return Ok(2);
    }
    if let Err(message) = check_usage(args) {
        writeln!(err(), "error: {message}")?;
        return Ok(2);
    }
    let mut pages = Pages::new(args);
    if let Err(message) = pages.targets.spare_inputs(args) {
        writeln!(err(), "error: {message}")?;
        return Ok(2);
    }
    if args.watch {
        return super::watch::run(args, process, &mut pages);
    }
    let Round { codes, verdicts, kept } = round(args, process, &args.files, &mut pages)?;
    if nobody_listens() {
        return Ok(most_serious(codes));
    }
    let mut out = out();
    match args.format {
        Format::Sarif => writeln!(out, "{:#}", sarif::log(&kept))?,
        Format::Human if args.files.len() > 1 => writeln!(out, "{}", human::summary(&verdicts))?,
        _ => {}
    }
    out.flush()?;
    Ok(most_serious(codes))
}

/// What came of checking some files once.
struct Round {
    /// The exit code of each file.
    codes: Vec<u8>,
    /// The name of each verdict.
    verdicts: Vec<&'static str>,
    /// The reports that are needed once more, all together. They may be large.
    kept: Vec<Report>,
}

/// Whether there is no answer only because the process was interrupted.
pub fn is_cut_short(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::NotChecked => true,
        Verdict::Stopped { stop, .. } => matches!(stop, Stop::Cancelled),
        Verdict::Unknown(unknown) => matches!(unknown.stop, Some(Stop::Cancelled)),
        _ => false,
    }
}

/// Checks some files, prints the reports and writes what was asked for.
fn round(
    args: &CheckArgs,
    process: &Process,
    files: &[String],
    pages: &mut Pages<'_>,
) -> io::Result<Round> {
    let line = Arc::new(Line::new());
    let mut round = Round { codes: Vec::new(), verdicts: Vec::new(), kept: Vec::new() };
    let mut failure = Ok(());
    let check = |file: &str| check_one(args, process, &line, file);
    in_order(jobs(args), files, check, |report| {
        match deliver(args, pages, &line, &report) {
            Ok(code) => round.codes.push(code),
            Err(error) => failure = Err(error),
        }
        round.verdicts.push(report.verdict.name());
        if args.format == Format::Sarif {
            round.kept.push(report);
        }
        // Checks that run already come to their end, too: nobody will hear of them.
        process.interrupt.fetch_or(failure.is_err(), Ordering::Relaxed);
        failure.is_ok()
    });
    failure?;
    if let Err(message) = pages.write_index() {
        round.codes.push(complain(&line, &message));
    }
    Ok(round)
}

/// An error on standard error; the exit code for it.
fn complain(line: &Line, message: &str) -> u8 {
    line.clear();
    let _ = writeln!(err(), "error: {message}");
    2
}

/// Writes what was asked for about one file and prints the report, unless whoever read the output has
/// heard enough. The exit code still counts.
pub fn deliver(
    args: &CheckArgs,
    pages: &mut Pages<'_>,
    line: &Line,
    report: &Report,
) -> io::Result<u8> {
    let mut code = report.verdict.exit_code();
    for saved in [save(args, &pages.targets, report), pages.write(report)] {
        if let Err(message) = saved {
            code = complain(line, &message);
        }
    }
    if !nobody_listens() {
        line.clear();
        print(args, report)?;
    }
    Ok(code)
}

fn check_usage(args: &CheckArgs) -> Result<(), String> {
    if args.files.iter().filter(|f| *f == "-").count() > 1 {
        return Err("standard input (`-`) can be given only once".into());
    }
    if args.watch && args.files.iter().any(|f| f == "-") {
        return Err("standard input (`-`) cannot be watched; name a file".into());
    }
    if args.watch && args.start_proof.is_some() {
        return Err("--start-proof writes a file once, to go on with: leave out --watch".into());
    }
    if args.watch && args.format == Format::Sarif {
        return Err("--watch prints reports as they come: use --format human or json".into());
    }
    for (option, path) in [
        ("--certificate", &args.certificate),
        ("--smtlib", &args.smtlib),
        ("--html", &args.html),
        ("--start-proof", &args.start_proof),
    ] {
        if let Some(path) = path
            && args.files.len() > 1
            && Path::new(path).is_file()
        {
            return Err(format!("{option} {path}: with several files this must be a folder"));
        }
    }
    for (option, path, example) in [
        ("--certificate", &args.certificate, "certificate.json"),
        ("--smtlib", &args.smtlib, "proof.smt2"),
        ("--html", &args.html, "report.html"),
        ("--start-proof", &args.start_proof, "start.inv"),
    ] {
        if path.as_deref() == Some("-") {
            return Err(format!(
                "{option} -: this is a file of its own, because standard output has the answer\n  \
                 help: name a file, such as {option} {example}"
            ));
        }
    }
    Ok(())
}

/// How many files to check at the same time.
pub fn jobs(args: &CheckArgs) -> usize {
    workers(args.jobs)
}

/// How many workers that are; 0 means one for each core.
pub fn workers(jobs: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if jobs == 0 { cores } else { jobs }
}

/// Checks all files with as many workers as asked for, and hands the reports over in the order
/// of the files. Stops early if `each` says so.
fn in_order(
    jobs: usize,
    files: &[String],
    check: impl Fn(&str) -> Report + Sync,
    each: impl FnMut(Report) -> bool,
) {
    in_turn(jobs, files, |file| surviving(file, || check(file)), each);
}

/// Does something with all files, with as many workers as asked for, and hands the results over in the order
/// of the files. Stops early if `each` says so.
pub fn in_turn<R: Send>(
    jobs: usize,
    files: &[String],
    one: impl Fn(&str) -> R + Sync,
    mut each: impl FnMut(R) -> bool,
) {
    let jobs = jobs.min(files.len());
    if jobs <= 1 {
        for file in files {
            if !each(one(file)) {
                return;
            }
        }
        return;
    }
    let next = AtomicUsize::new(0);
    // One slow file must not make thousands of reports wait for it: workers stay close together.
    let turn = Turn::new(jobs * 4);
    let (sender, receiver) = mpsc::channel();
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        let turn = &turn;
        for worker in 0..jobs {
            let (sender, next, one) = (sender.clone(), &next, &one);
            let work = move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(i) else { return };
                    turn.wait_for(i);
                    if sender.send((i, one(file))).is_err() {
                        return;
                    }
                }
            };
            // Where there is no room for so many threads, fewer do it as well.
            let started = std::thread::Builder::new().spawn_scoped(scope, work.clone());
            if started.is_err() {
                if worker == 0 {
                    turn.advance(|_| usize::MAX);
                    work();
                }
                break;
            }
        }
        drop(sender);
        let _end = turn.end_when_dropped();
        let mut waiting = std::collections::BTreeMap::new();
        let mut expected = 0;
        let Ok(receiver) = receiver.into_inner() else { return };
        for (i, report) in receiver {
            waiting.insert(i, report);
            while let Some(report) = waiting.remove(&expected) {
                expected += 1;
                turn.next();
                if !each(report) {
                    return;
                }
            }
        }
    });
}

/// A panic is a defect of ours, and no reason for the other files to go without an answer.
fn surviving(file: &str, check: impl FnOnce() -> Report) -> Report {
    without_panic(check)
        .unwrap_or_else(|words| Report::failed(file, None, Verdict::Internal(words)))
}

/// The result, or what a panic had to say.
pub fn without_panic<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        format!("a panic: {}", text.unwrap_or_else(|| "without a message".into()))
    })
}

/// Lets workers run ahead of the reader, but not too far.
struct Turn {
    /// How many reports the reader has taken.
    taken: Mutex<usize>,
    moved: Condvar,
    ahead: usize,
}

/// Lets everybody go on when the reader leaves.
struct EndOfTurns<'a>(&'a Turn);

impl Turn {
    fn new(ahead: usize) -> Turn {
        Turn { taken: Mutex::new(0), moved: Condvar::new(), ahead }
    }

    /// Waits until the file at this place may be checked.
    fn wait_for(&self, place: usize) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while taken.saturating_add(self.ahead) <= place {
            taken = self.moved.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn advance(&self, to: impl FnOnce(usize) -> usize) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = to(*taken);
        self.moved.notify_all();
    }

    fn next(&self) {
        self.advance(|taken| taken.saturating_add(1));
    }

    fn end_when_dropped(&self) -> EndOfTurns<'_> {
        EndOfTurns(self)
    }
}

impl Drop for EndOfTurns<'_> {
    fn drop(&mut self) {
        self.0.advance(|_| usize::MAX);
    }
}

/// Checks one file, and is back soon after the limits say so.
pub fn check_one(args: &CheckArgs, process: &Process, line: &Arc<Line>, file: &str) -> Report {
    if process.is_interrupted() {
        return Report::failed(file, None, Verdict::NotChecked);
    }
    let started = Instant::now();
    let limits = args.limits.start(process);
    let last: Arc<Mutex<Option<Progress>>> = Arc::default();
    let work = {
        let (options, limits, name) = (args.engine.options(), limits.clone(), file.to_owned());
        let (line, last) = (Arc::clone(line), Arc::clone(&last));
        move || {
            check_file(&name, &options, &limits, &|progress| {
                *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
                line.update(&name, progress);
            })
        }
    };
    match within(&limits, work) {
        Ok(report) => with_causes(args, report, &limits),
        Err(stop) => {
            let doing = *last.lock().unwrap_or_else(PoisonError::into_inner);
            let report = Report::failed(file, None, Verdict::Stopped { stop, doing });
            Report { time: started.elapsed(), ..report }
        }
    }
}

/// The same report with why the program breaks, if it does. Whatever becomes of that, the verdict
/// stands.
fn with_causes(args: &CheckArgs, report: Report, limits: &Limits) -> Report {
    // The watchdog gives its moment of grace only once.
    let is_late = limits.check_clock().is_err();
    if is_late || !matches!(report.verdict, Verdict::NotSerializable { .. }) {
        return report;
    }
    let (options, limits) = (args.engine.options(), cause_limits(limits));
    let report = Arc::new(report);
    let work = {
        let (report, limits) = (Arc::clone(&report), limits.clone());
        move || find_causes(&report, &options, &limits)
    };
    let started = Instant::now();
    let causes = catch_unwind(AssertUnwindSafe(|| within(&limits, work)));
    let causes = causes.ok().and_then(Result::ok).flatten();
    let report = Arc::try_unwrap(report).unwrap_or_else(|report| report.as_ref().clone());
    let time = report.time + started.elapsed();
    Report { causes, time, ..report }
}

/// Why a program breaks is worth a moment, not more; the verdict is there already.
fn cause_limits(limits: &Limits) -> Limits {
    let end = Instant::now() + CAUSE_TIME;
    let deadline = match limits.deadline {
        Some((at, timeout)) if at < end => (at, timeout),
        _ => (end, CAUSE_TIME),
    };
    Limits { deadline: Some(deadline), ..limits.clone() }
}

const CAUSE_TIME: Duration = Duration::from_secs(2);

fn print(args: &CheckArgs, report: &Report) -> io::Result<()> {
    match args.format {
        Format::Human => {
            let complaints = human::complaints(report, !args.no_warnings);
            write!(err(), "{complaints}{}", hints::instead_of(&report.name, "check", &["ser"]))?;
            let width = super::width();
            let mut out = out();
            writeln!(out, "{}", human::report(report, width, args.explain))?;
            if args.statistics {
                writeln!(out, "{}", statistics::human(report))?;
            }
            out.flush()?;
            let proved = matches!(report.verdict, Verdict::Serializable { .. });
            if args.smtlib.is_some() && args.files.len() == 1 && !proved {
                let why = "there is no proof of serializability";
                writeln!(err(), "note: no SMT-LIB script was written: {why}")?;
            }
            Ok(())
        }
        Format::Json => {
            let mut out = plain_out();
            let mut object = json::report(report);
            if args.statistics {
                object["statistics"] = statistics::json(report);
            }
            writeln!(out, "{object}")?;
            out.flush()
        }
        Format::Sarif => Ok(()),
    }
}

/// Writes what was asked for and is there: the certificate, the proof as SMT-LIB.
fn save(args: &CheckArgs, targets: &Targets, report: &Report) -> Result<(), String> {
    if let (Some(path), Some(certificate)) = (&args.certificate, report.verdict.certificate()) {
        let target = targets.target(&report.name, path, "cert.json")?;
        write_whole(&target, &certificate.to_text(), &report.name)
            .map_err(|e| format!("cannot write the certificate {}: {e}", target.display()))?;
    }
    if let (Some(path), Some(script)) = (&args.smtlib, ser_session::smtlib::of_report(report)) {
        let target = targets.target(&report.name, path, "smt2")?;
        write_whole(&target, &script, &report.name)
            .map_err(|e| format!("cannot write the SMT-LIB script {}: {e}", target.display()))?;
    }
    if let Some(path) = &args.start_proof {
        let note = start_proof(path, targets, report)?;
        if let (Format::Human, Some(note)) = (args.format, note) {
            let _ = writeln!(err(), "note: {note}");
        }
    }
    Ok(())
}

/// Writes a file to begin with for `ser prove`, unless somebody has gone on with one already: that is not lost. What was
/// done. A program with errors has been complained about already.
fn start_proof(path: &str, targets: &Targets, report: &Report) -> Result<Option<String>, String> {
    let Some(source) = &report.source else { return Ok(None) };
    let name = visible(&report.name);
    if source.kind != Kind::Program {
        return Err(format!(
            "--start-proof: {name} is no program (.ser), so there is nothing to translate"
        ));
    }
    match bridge::start_proof(&name, &source.text) {
        Err(NoStart::Errors) => Ok(None),
        Err(error) => Err(format!("--start-proof: {name}: {error}, so nothing was written")),
        Ok(text) => {
            let target = targets.target(&report.name, path, "inv")?;
            let shown = target.display();
            match create_whole(&target, &text) {
                Ok(()) => Ok(Some(format!("{shown} is written; go on with `ser prove {shown}`"))),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    match std::fs::read(&target).is_ok_and(|it| it == text.as_bytes()) {
                        true => Ok(Some(format!("{shown} is there already, and the same"))),
                        false => Err(format!(
                            "--start-proof: {shown} is there already, and is not overwritten\n  \
                             help: name another file, or remove this one"
                        )),
                    }
                }
                Err(error) => Err(format!("cannot write {shown}: {error}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of them once kept all others waiting for ever.
    #[test]
    fn a_panic_costs_one_file_its_answer() {
        let files: Vec<String> = (0..200).map(|i| i.to_string()).collect();
        for jobs in [1, 4] {
            let check = |file: &str| match file.ends_with('7') {
                true => panic!("about {file}"),
                false => Report::failed(file, None, Verdict::NotChecked),
            };
            let mut reports = Vec::new();
            in_order(jobs, &files, check, |report| {
                reports.push(report);
                true
            });
            let names: Vec<&String> = reports.iter().map(|r| &r.name).collect();
            assert_eq!(names, files.iter().collect::<Vec<_>>());
            let words = |r: &Report| match &r.verdict {
                Verdict::Internal(words) => words.clone(),
                _ => String::new(),
            };
            assert_eq!(words(&reports[17]), "a panic: about 17");
            assert_eq!(reports.iter().filter(|r| !words(r).is_empty()).count(), 20);
        }
    }
}
