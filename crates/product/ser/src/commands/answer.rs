//! Answering questions about files: what `check`, `trace`, `sequentialize`, `prove` and `reach`
//! have in common, which is everything but their options.

mod in_order;
mod save;

use super::hints;
use super::pages::Pages;
use super::progress::Line;
use super::streams::{err, nobody_listens, out, plain_out};
use super::watchdog::within;
use crate::cli::{AnswerArgs, Format};
use crate::process::Process;
use in_order::in_order;
pub use save::{Files, Once, Saved};
use ser_base::Stop;
use ser_render::text::Layout;
use ser_render::{json, sarif, text};
use ser_report::{Kind, Question, Report, most_serious};
use ser_session::method::{self, Context, Method, Wants};
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What is asked, about which files, and what to do with the answers.
pub struct Ask {
    pub method: Arc<dyn Method>,
    pub files: Vec<String>,
    pub args: AnswerArgs,
    /// Files that only this command writes.
    pub more: Vec<Files>,
    /// Whether to show everything.
    pub verbose: bool,
}

/// The reports about one file.
pub type Reports = Vec<Report>;

impl Ask {
    /// Everything that is written, with the certificate and the page.
    fn files(&self) -> Vec<Files> {
        let AnswerArgs { certificate, html, .. } = &self.args;
        let mut all = vec![
            Files::new("--certificate", certificate, "cert.json"),
            Files::new("--html", html, "html"),
        ];
        all.extend(self.more.iter().cloned());
        all
    }

    fn wants(&self) -> Wants {
        Wants {
            certificate: self.args.certificate.is_some(),
            page: self.args.html.is_some(),
            verbose: self.verbose,
            statistics: self.args.statistics,
        }
    }
}

/// Asks, and says how the process should end.
pub fn run(ask: &Ask, process: &Process) -> io::Result<u8> {
    if let Some(message) = hints::nothing_to_do(&ask.files, ask.method.command().name) {
        write!(err(), "{message}")?;
        return Ok(2);
    }
    let files = ask.files();
    let mut saved = match usage(ask).and_then(|()| Saved::new(ask, files)) {
        Ok(saved) => saved,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    if ask.args.watch {
        return super::watch::run(ask, process, &mut saved);
    }
    let line = Arc::new(Line::new());
    let (mut codes, mut kept) = (Vec::new(), Vec::new());
    let (mut verdicts, mut more) = (Vec::new(), Vec::new());
    let mut failure = Ok(());
    let one = |file: &str| answer(ask, process, &line, file);
    in_order(workers(ask.args.jobs), &ask.files, one, |reports: Reports| {
        match deliver(ask, &mut saved, &line, &reports) {
            Ok(code) => codes.push(code),
            Err(error) => failure = Err(error),
        }
        // What a file asks besides is no file more.
        let is_about_goals = ask.method.method() == ser_report::Method::Reachability;
        let main = if is_about_goals { reports.len() } else { 1 };
        verdicts.extend(reports.iter().take(main).map(Report::verdict));
        more.extend(reports.iter().skip(main).map(Report::verdict));
        if ask.args.format == Format::Sarif {
            kept.extend(reports);
        }
        // Work that is already running ends, too: its result is not needed.
        process.interrupt.fetch_or(failure.is_err(), Ordering::Relaxed);
        failure.is_ok()
    });
    failure?;
    if let Err(message) = saved.pages.write_index() {
        codes.push(complain(&line, &message));
    }
    if nobody_listens() {
        return Ok(most_serious(codes));
    }
    let mut out = out();
    match ask.args.format {
        Format::Sarif => writeln!(out, "{:#}", sarif::log(&kept))?,
        Format::Human if verdicts.len() > 1 => {
            writeln!(out, "{}", text::summary(ask.method.method(), &verdicts, &more))?;
        }
        _ => {}
    }
    out.flush()?;
    Ok(most_serious(codes))
}

fn usage(ask: &Ask) -> Result<(), String> {
    let reads_standard_input = ask.files.iter().filter(|file| *file == "-").count();
    if reads_standard_input > 1 {
        return Err("standard input (`-`) can be given only once".into());
    }
    if ask.args.watch && reads_standard_input > 0 {
        return Err("standard input (`-`) cannot be watched; name a file".into());
    }
    let once = ask.more.iter().find(|it| it.once == Once::Keep && it.path.is_some());
    if ask.args.watch
        && let Some(Files { option, .. }) = once
    {
        return Err(format!("{option} writes a file once, for further work: leave out --watch"));
    }
    if ask.args.watch && ask.args.format == Format::Sarif {
        return Err("--watch prints reports as they come: use --format human or json".into());
    }
    Ok(())
}

/// How many workers that are; 0 means one for each core.
pub fn workers(jobs: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if jobs == 0 { cores } else { jobs }
}

/// Answers what is asked about one file, and is back soon after the limits say so. Whatever goes
/// wrong, there is a report.
pub fn answer(ask: &Ask, process: &Process, line: &Arc<Line>, file: &str) -> Reports {
    let method = ask.method.as_ref();
    if process.is_interrupted() {
        return vec![method::unfinished(method, file, &Stop::Cancelled, None)];
    }
    let started = Instant::now();
    let limits = ask.args.limits.start(process);
    let doing: Arc<Mutex<String>> = Arc::default();
    let settled: Arc<Mutex<Option<Reports>>> = Arc::default();
    let work = {
        let (limits, name, wants) = (limits.clone(), file.to_owned(), ask.wants());
        let (method, line) = (Arc::clone(&ask.method), Arc::clone(line));
        let (doing, settled) = (Arc::clone(&doing), Arc::clone(&settled));
        move || {
            let progress = |words: String| {
                line.say_in_time(&format!("{name}: {words}"));
                *lock(&doing) = words;
            };
            let settle = |reports| *lock(&settled) = Some(reports);
            let context = Context { limits: &limits, progress: &progress, wants, settle: &settle };
            method::answer(method.as_ref(), &name, &context)
        }
    };
    let found = without_panic(|| within(&limits, work));
    // What was known before the rest went wrong stands.
    let known = || lock(&settled).take();
    let mut reports = match found {
        Ok(Ok(reports)) => return reports,
        Ok(Err(stop)) => known()
            .unwrap_or_else(|| vec![method::unfinished(method, file, &stop, Some(&lock(&doing)))]),
        Err(words) => known().unwrap_or_else(|| {
            let answer = ser_report::Answer::Withheld(words);
            vec![Report::new(file, Question::of(method.method()), answer)]
        }),
    };
    for report in &mut reports {
        report.timing.total = started.elapsed();
        report.attachments.extend(ask.more.iter().filter(|it| it.path.is_some()).map(|it| {
            let text = Err("the limits were not enough to write it".to_owned());
            ser_report::Attachment { option: it.option, text }
        }));
    }
    reports
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The result, or what a panic had to say. A panic is a defect of ours, and no reason for other
/// files to go without an answer.
pub fn without_panic<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        format!("a panic: {}", text.unwrap_or_else(|| "without a message".into()))
    })
}

/// An error on standard error; the exit code for it.
pub fn complain(line: &Line, message: &str) -> u8 {
    line.clear();
    let _ = writeln!(err(), "error: {message}");
    2
}

/// Writes what was asked for about one file and prints the reports, unless whoever read the output
/// has heard enough. The exit code still counts.
pub fn deliver(
    ask: &Ask,
    saved: &mut Saved<'_>,
    line: &Line,
    reports: &[Report],
) -> io::Result<u8> {
    let mut code = most_serious(reports.iter().map(Report::exit_code));
    line.clear();
    let (notes, errors) = saved.write(reports);
    if !errors.is_empty() {
        code = 2;
    }
    for message in errors {
        complain(line, &message);
    }
    if !nobody_listens() {
        line.clear();
        reports.iter().try_for_each(|report| print(ask, report))?;
    }
    if ask.args.format == Format::Human {
        notes.iter().try_for_each(|note| writeln!(err(), "note: {note}"))?;
    }
    Ok(code)
}

pub fn print(ask: &Ask, report: &Report) -> io::Result<()> {
    let AnswerArgs { format, statistics, no_warnings, quiet, .. } = &ask.args;
    match format {
        Format::Human => {
            let complaints = text::complaints(report, !no_warnings);
            let kinds = Kind::all().filter(|kind| ask.method.reads(*kind));
            let extensions: Vec<&str> = kinds.map(Kind::extension).collect();
            let hint = hints::instead_of(&report.file, ask.method.command().name, &extensions);
            write!(err(), "{complaints}{hint}")?;
            let mut out = out();
            match quiet {
                true => write!(out, "{}", text::quiet(report))?,
                false => {
                    let (width, verbose) = (super::width(), ask.verbose);
                    let layout = Layout { width, verbose, statistics: *statistics };
                    writeln!(out, "{}", text::report(report, layout))?;
                }
            }
            out.flush()
        }
        Format::Json => {
            let mut out = plain_out();
            writeln!(out, "{}", json::report(report, *statistics))?;
            out.flush()
        }
        Format::Sarif => Ok(()),
    }
}
