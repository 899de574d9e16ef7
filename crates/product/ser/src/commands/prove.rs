//! `ser prove`.

use super::check::{in_turn, without_panic, workers};
use super::files::write_whole;
use super::hints;
use super::streams::{err, nobody_listens, out, plain_out};
use super::targets::Targets;
use super::watchdog::within;
use crate::cli::{Format, ProveArgs};
use crate::process::Process;
use crate::report::prove::{Wanted, complaint, graph, human, json, locations, sarif, summary};
use ser_model::{Limits, Stop};
use ser_session::invariants::second::{Script, cross_check, scripts};
use ser_session::invariants::{
    Inferred, ProveReport, Proven, Wish, most_serious, prove_source, system_of,
};
use ser_session::source::{Kind, Source, SourceError, read_bytes, text_of};
use ser_session::words::{count, grouped};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

pub fn run(args: ProveArgs, process: &Process) -> io::Result<u8> {
    let args = &args;
    let (wish, targets) = match usage(args) {
        Ok(both) => both,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    if args.list_locations {
        return list_locations(args, process);
    }
    let (mut codes, mut verdicts, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let mut failure = Ok(());
    let one = |file: &str| answer(args, process, file, &wish);
    in_turn(workers(args.jobs), &args.files, one, |report: ProveReport| {
        codes.push(report.exit_code());
        verdicts.push(report.verdict());
        for (message, code) in second_opinion(args, process, &targets, &report) {
            let _ = writeln!(err(), "error: {message}");
            codes.push(code);
        }
        for message in save(args, &targets, &report) {
            let _ = writeln!(err(), "error: {message}");
            codes.push(2);
        }
        if !nobody_listens()
            && let Err(error) = print(args, &report)
        {
            failure = Err(error);
        }
        if args.format == Format::Sarif {
            kept.push(report);
        }
        // Work that runs already comes to its end, too: nobody will hear of it.
        process.interrupt.fetch_or(failure.is_err(), Ordering::Relaxed);
        failure.is_ok()
    });
    failure?;
    if nobody_listens() {
        return Ok(most_serious(codes));
    }
    let mut out = out();
    match args.format {
        Format::Sarif => writeln!(out, "{:#}", sarif::log(&kept))?,
        Format::Human if args.files.len() > 1 => writeln!(out, "{}", summary(&verdicts))?,
        _ => {}
    }
    out.flush()?;
    Ok(most_serious(codes))
}

/// What is asked, and where to write; or what is wrong with that.
fn usage(args: &ProveArgs) -> Result<(Wish, Targets), String> {
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        return Err("standard input (`-`) can be given only once".to_owned());
    }
    if args.files.iter().any(|file| file.trim().is_empty()) {
        return Err("the name of a file is empty".to_owned());
    }
    let options = [
        ("--certificate", &args.certificate, "cert.json"),
        ("--write", &args.write, "inv"),
        ("--graph", &args.graph, "svg"),
    ];
    for (option, path, extension) in options {
        let Some(path) = path.as_deref() else { continue };
        if path == "-" || path.trim().is_empty() {
            return Err(format!(
                "{option} {path}: this is a file of its own, because standard output has the answer\n  \
                 help: name a file, such as {option} proof.{extension}"
            ));
        }
        if args.files.len() > 1 && Path::new(path).is_file() {
            return Err(format!("{option} {path}: with several files this must be a folder"));
        }
    }
    if let Some(path) = args.graph.as_deref().filter(|it| !is_folder(args, it)) {
        graph::is_known(path)?;
    }
    if let Some(path) = args.smtlib.as_deref() {
        if path.trim().is_empty() {
            return Err("--smtlib: the name of the folder is empty".to_owned());
        }
        if Path::new(path).exists() && !Path::new(path).is_dir() {
            return Err(format!(
                "--smtlib {path}: this is a file, and there are many scripts\n  \
                 help: name a folder; it is made if it is not there"
            ));
        }
    }
    args.solver()?;
    let targets = Targets::new(&args.files);
    targets.spare(&args.files, &options)?;
    if args.format == Format::Sarif && args.list_locations {
        return Err(
            "--list-locations: there is nothing to say in SARIF\n  help: use --format json"
                .to_owned(),
        );
    }
    Ok((args.wish()?, targets))
}

fn is_folder(args: &ProveArgs, path: &str) -> bool {
    args.files.len() > 1 || Path::new(path).is_dir()
}

/// Reads a file; without another name, it is taken for one with invariants.
fn read(file: &str, limits: &Limits) -> Result<Source, SourceError> {
    if Path::new(file).is_dir() {
        return Err(SourceError::Unreadable {
            message: "this is a directory".to_owned(),
            help: None,
        });
    }
    let text = text_of(read_bytes(file, limits)?)?;
    let extension = Path::new(file).extension().and_then(|it| it.to_str()).unwrap_or_default();
    let known = ["ser", "json", "events", "unw", "icet"];
    let is_known = known.iter().any(|it| extension.eq_ignore_ascii_case(it));
    let kind = Kind::of(file).filter(|_| is_known).unwrap_or(Kind::Invariants);
    ser_session::source::from_text(file, kind, text)
}

fn answer(args: &ProveArgs, process: &Process, file: &str, wish: &Wish) -> ProveReport {
    let started = Instant::now();
    let failed = |result| {
        let report = ProveReport::new(file, None, result);
        ProveReport { time: started.elapsed(), ..report }
    };
    if process.is_interrupted() {
        return failed(Proven::Stopped(Stop::Cancelled));
    }
    let limits = args.limits().start(process);
    let work = {
        let (file, limits, wish) = (file.to_owned(), limits.clone(), wish.clone());
        move || match read(&file, &limits) {
            Ok(source) => prove_source(&source, &wish, &limits),
            Err(error) => ProveReport::new(&file, None, Proven::Error(error)),
        }
    };
    match without_panic(|| within(&limits, work)) {
        Ok(Ok(report)) => report,
        Ok(Err(stop)) => failed(Proven::Stopped(stop)),
        Err(words) => failed(Proven::Internal(words)),
    }
}

fn print(args: &ProveArgs, report: &ProveReport) -> io::Result<()> {
    match args.format {
        Format::Human => {
            let hint = hints::instead_of(&report.name, "prove", &["inv"]);
            write!(err(), "{}{hint}", complaint(report, !args.no_warnings))?;
            let wanted = Wanted { width: super::width(), all: args.conditions };
            let mut out = out();
            write!(out, "{}", human(report, wanted))?;
            out.flush()
        }
        Format::Json => {
            let mut out = plain_out();
            writeln!(out, "{}", json(report, args.conditions))?;
            out.flush()
        }
        Format::Sarif => Ok(()),
    }
}

/// Writes what is asked for and is there. What went wrong with it.
fn save(args: &ProveArgs, targets: &Targets, report: &ProveReport) -> Vec<String> {
    let alone = args.format == Format::Human && args.files.len() == 1;
    let note = |words: &str| {
        if alone {
            let _ = writeln!(err(), "note: {words}");
        }
    };
    let mut failures = Vec::new();
    let mut write = |path: &str, extension: &str, what: &str, text: &str| {
        let written = targets.target(&report.name, path, extension).and_then(|target| {
            write_whole(&target, text, &report.name)
                .map_err(|e| format!("cannot write the {what} {}: {e}", target.display()))
        });
        failures.extend(written.err());
    };
    if let Some(path) = &args.certificate {
        match report.certificate().map(serde_json::to_string) {
            Some(Ok(text)) => {
                write(path, "cert.json", "certificate", &(text + "\n"));
                if report.exit_code() > 1 {
                    note("the certificate shows only what is proved");
                }
            }
            _ => note("no certificate was written: there is nothing to certify"),
        }
    }
    if let Some(path) = &args.write {
        match report.checked().and_then(|it| it.inferred.as_ref()) {
            Some(Inferred::Found(found)) => write(path, "inv", "file", &found.text),
            _ => note("no file was written: no invariants were found"),
        }
    }
    if let Some(path) = &args.graph {
        match report.checked() {
            Some(checked) => {
                match graph::write(&report.name, checked, path, args.files.len() > 1) {
                    Ok((text, extension)) => write(path, extension, "graph", &text),
                    Err(message) => failures.push(message),
                }
            }
            None => note("no graph was drawn: there is no proof"),
        }
    }
    failures
}

/// Hands conditions to other solvers. What is wrong with what they say, and the exit code for it.
fn second_opinion(
    args: &ProveArgs,
    process: &Process,
    targets: &Targets,
    report: &ProveReport,
) -> Vec<(String, u8)> {
    let mut failures = Vec::new();
    let system = report.source.as_ref().and_then(|source| system_of(source).ok());
    let Some((system, _)) = system else { return failures };
    let limits = args.limits().start(process);
    if let Some(path) = &args.smtlib {
        let folder = targets.folder(&report.name, path);
        let all = scripts(&system, &limits);
        match write_scripts(&folder, &all, &report.name) {
            Ok(()) => {
                let _ = writeln!(err(), "note: {}", scripts_words(report, &all, &folder));
            }
            Err(message) => failures.push((message, 2)),
        }
    }
    if args.cross_check.is_some() {
        let named = args.solver().unwrap_or_default();
        match cross_check(&system, named, Duration::from_secs(20), &limits) {
            Ok(opinion) => {
                let _ = writeln!(
                    err(),
                    "note: {} agrees on {}, and does not settle {}",
                    opinion.solver,
                    count(opinion.agrees, "script"),
                    opinion.open
                );
                failures.extend(opinion.differs.iter().map(|script| {
                    let message = format!(
                        "{} does not agree on {}: please report this",
                        opinion.solver, script.name
                    );
                    (message, 3)
                }));
            }
            Err(error) => failures.push((error.to_string(), 2)),
        }
    }
    failures
}

fn write_scripts(folder: &Path, all: &[Script], input: &str) -> Result<(), String> {
    std::fs::create_dir_all(folder)
        .map_err(|e| format!("cannot make the folder {}: {e}", folder.display()))?;
    for script in all {
        let path = folder.join(&script.name);
        write_whole(&path, &script.text, input)
            .map_err(|e| format!("cannot write the script {}: {e}", path.display()))?;
    }
    Ok(())
}

/// How many scripts there are, and why not more.
fn scripts_words(report: &ProveReport, all: &[Script], folder: &Path) -> String {
    let shown = folder.display();
    let wrote = match all.len() {
        1 => format!("1 script is in {shown}"),
        n => format!("{} scripts are in {shown}", grouped(n)),
    };
    let Some(checked) = report.checked() else { return wrote };
    let conditions: usize = checked.invariants.iter().map(|it| it.conditions.len()).sum();
    format!(
        "{wrote}: one for each case that needs a solver; the rest of {} needs none",
        count(conditions, "condition")
    )
}

/// Lists the locations of programs.
fn list_locations(args: &ProveArgs, process: &Process) -> io::Result<u8> {
    let mut codes = vec![0];
    for file in &args.files {
        let limits = args.limits().start(process);
        let failed = |source, error| {
            let report = ProveReport::new(file, source, Proven::Error(error));
            print(args, &report)
        };
        let source = match read(file, &limits) {
            Ok(source) => source,
            Err(error) => {
                codes.push(2);
                failed(None, error)?;
                continue;
            }
        };
        let system = match system_of(&source) {
            Ok((system, _)) => system,
            Err(error) => {
                codes.push(2);
                failed(Some(source), error)?;
                continue;
            }
        };
        match args.format {
            Format::Json => {
                writeln!(plain_out(), "{}", locations::json(&source, &system))?;
            }
            _ => write!(out(), "{}", locations::human(&source, &system))?,
        }
    }
    Ok(most_serious(codes))
}
