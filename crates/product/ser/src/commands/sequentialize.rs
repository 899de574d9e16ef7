//! `ser sequentialize`.

use super::check::{in_turn, without_panic, workers};
use super::files::write_whole;
use super::hints;
use super::streams::{err, nobody_listens, out, plain_out};
use super::targets::Targets;
use super::watchdog::within;
use crate::cli::{Format, SequentializeArgs};
use crate::process::Process;
use crate::report::sequence::{Wanted, complaint, human, json, sarif, summary};
use ser_model::{Limits, Stop};
use ser_sequentialization_search::promela::{PromelaOptions, export};
use ser_session::most_serious;
use ser_session::sequence::{
    SequenceReport, Sequenced, explore_source, protocol_of, sequentialize_source, sizes_of,
};
use ser_session::source::{Kind, Source, SourceError, read_bytes, text_of};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Sizes of sets, by name.
type Sizes = Vec<(String, u32)>;

pub fn run(args: SequentializeArgs, process: &Process) -> io::Result<u8> {
    let args = &args;
    let (sizes, targets) = match usage(args) {
        Ok(both) => both,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    if let (Some(path), Some(sizes)) = (&args.promela, &sizes) {
        return promela(args, path, sizes, &targets, process);
    }
    let (mut codes, mut verdicts, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let mut failure = Ok(());
    let one = |file: &str| answer(args, process, file, sizes.as_ref());
    in_turn(workers(args.jobs), &args.files, one, |report: SequenceReport| {
        codes.push(report.exit_code());
        verdicts.push(report.verdict());
        if let Err(message) = save(args, &targets, &report) {
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
fn usage(args: &SequentializeArgs) -> Result<(Option<Sizes>, Targets), String> {
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        return Err("standard input (`-`) can be given only once".to_owned());
    }
    if args.files.iter().any(|file| file.trim().is_empty()) {
        return Err("the name of a file is empty".to_owned());
    }
    let options =
        [("--certificate", &args.certificate, "cert.json"), ("--promela", &args.promela, "pml")];
    for (option, path, extension) in options {
        let Some(path) = path.as_deref() else { continue };
        if path == "-" || path.trim().is_empty() {
            return Err(format!(
                "{option} {path}: this is a file of its own, because standard output has the answer\n  \
                 help: name a file, such as {option} protocol.{extension}"
            ));
        }
        if args.files.len() > 1 && Path::new(path).is_file() {
            return Err(format!("{option} {path}: with several files this must be a folder"));
        }
    }
    let targets = Targets::new(&args.files);
    targets.spare(&args.files, &options)?;
    Ok((args.sizes()?, targets))
}

/// Reads a file; without another name, it is taken for a protocol.
pub(super) fn read(file: &str, limits: &Limits) -> Result<Source, SourceError> {
    if Path::new(file).is_dir() {
        return Err(SourceError::Unreadable {
            message: "this is a directory".to_owned(),
            help: None,
        });
    }
    let text = text_of(read_bytes(file, limits)?)?;
    let extension = Path::new(file).extension().and_then(|it| it.to_str()).unwrap_or_default();
    let known = ["ser", "json", "events", "unw", "inv"];
    let is_known = known.iter().any(|it| extension.eq_ignore_ascii_case(it));
    let kind = Kind::of(file).filter(|_| is_known).unwrap_or(Kind::Protocol);
    ser_session::source::from_text(file, kind, text)
}

fn answer(
    args: &SequentializeArgs,
    process: &Process,
    file: &str,
    sizes: Option<&Sizes>,
) -> SequenceReport {
    let started = Instant::now();
    let failed = |result| {
        let report = SequenceReport::new(file, None, result);
        SequenceReport { time: started.elapsed(), ..report }
    };
    if process.is_interrupted() {
        return failed(Sequenced::Stopped(Stop::Cancelled));
    }
    let limits = args.limits.start(process);
    let work = {
        let (file, limits, sizes) = (file.to_owned(), limits.clone(), sizes.cloned());
        move || {
            let source = match read(&file, &limits) {
                Ok(source) => source,
                Err(error) => return SequenceReport::new(&file, None, Sequenced::Error(error)),
            };
            match sizes {
                Some(sizes) => explore_source(&source, &sizes, &limits),
                None => sequentialize_source(&source, &limits),
            }
        }
    };
    match without_panic(|| within(&limits, work)) {
        Ok(Ok(report)) => report,
        Ok(Err(stop)) => failed(Sequenced::Stopped(stop)),
        Err(words) => failed(Sequenced::Internal(words)),
    }
}

fn print(args: &SequentializeArgs, report: &SequenceReport) -> io::Result<()> {
    match args.format {
        Format::Human => {
            let hint = hints::instead_of(&report.name, "sequentialize", &["icet"]);
            write!(err(), "{}{hint}", complaint(report, !args.no_warnings))?;
            let wanted = Wanted { width: super::width(), raw: args.raw, quiet: args.quiet };
            let mut out = out();
            write!(out, "{}", human(report, wanted))?;
            out.flush()
        }
        Format::Json => {
            let mut out = plain_out();
            writeln!(out, "{}", json(report))?;
            out.flush()
        }
        Format::Sarif => Ok(()),
    }
}

/// Writes the certificate, if it is asked for and there is one.
fn save(
    args: &SequentializeArgs,
    targets: &Targets,
    report: &SequenceReport,
) -> Result<(), String> {
    let Some(path) = &args.certificate else { return Ok(()) };
    let Some(certificate) = report.certificate() else {
        if args.format == Format::Human && args.files.len() == 1 {
            let _ =
                writeln!(err(), "note: no certificate was written: there is nothing to certify");
        }
        return Ok(());
    };
    let target = targets.target(&report.name, path, "cert.json")?;
    let text = serde_json::to_string_pretty(certificate)
        .map_err(|e| format!("cannot write the certificate {}: {e}", target.display()))?;
    write_whole(&target, &(text + "\n"), &report.name)
        .map_err(|e| format!("cannot write the certificate {}: {e}", target.display()))
}

/// Writes protocols in Promela.
fn promela(
    args: &SequentializeArgs,
    path: &str,
    sizes: &Sizes,
    targets: &Targets,
    process: &Process,
) -> io::Result<u8> {
    let mut codes = vec![0];
    for file in &args.files {
        let limits = args.limits.start(process);
        let failed = |error| SequenceReport::new(file, None, Sequenced::Error(error));
        let source = match read(file, &limits) {
            Ok(source) => source,
            Err(error) => {
                codes.push(2);
                let hint = hints::instead_of(file, "sequentialize", &["icet"]);
                write!(err(), "{}{hint}", complaint(&failed(error), false))?;
                continue;
            }
        };
        let model = protocol_of(&source).and_then(|(protocol, _)| {
            let unreadable =
                |(message, help)| SourceError::Unreadable { message, help: Some(help) };
            let sizes = sizes_of(&protocol, sizes).map_err(unreadable)?;
            export(&protocol, &sizes, &PromelaOptions::default())
                .map_err(|error| SourceError::Unreadable { message: error.to_string(), help: None })
        });
        let written = match model {
            Ok(model) => targets.target(file, path, "pml").and_then(|target| {
                write_whole(&target, &model, file)
                    .map_err(|e| format!("cannot write the model {}: {e}", target.display()))?;
                Ok(target)
            }),
            Err(error) => {
                codes.push(2);
                let report = SequenceReport { source: Some(source), ..failed(error) };
                write!(err(), "{}", complaint(&report, false))?;
                continue;
            }
        };
        match written {
            Ok(target) => writeln!(out(), "{file}: written to {}", target.display())?,
            Err(message) => {
                codes.push(2);
                writeln!(err(), "error: {message}")?;
            }
        }
    }
    Ok(most_serious(codes))
}
