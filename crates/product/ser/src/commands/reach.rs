//! `ser reach`.

use super::files::write_whole;
use super::progress::Line;
use super::streams::{err, out, plain_out};
use super::watchdog::within;
use crate::cli::{ReachArgs, ReachFormat};
use crate::process::Process;
use crate::report::reach::{complaint, human, json, summary};
use ser_model::{Limits, Stop};
use ser_petri::Query;
use ser_session::most_serious;
use ser_session::petri::{NetError, NetSource, ReachReport, decide_query};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

pub fn run(args: ReachArgs, process: &Process) -> io::Result<u8> {
    let args = Arc::new(args);
    if args.net == "-" && args.query_file.as_deref() == Some("-") {
        writeln!(err(), "error: standard input (`-`) can be given only once")?;
        return Ok(2);
    }
    let limits = args.limits.start(process);
    let reading = Arc::clone(&args);
    let report = match within(&limits, {
        let limits = limits.clone();
        move || read(&reading, &limits)
    }) {
        Ok(Ok(both)) => Ok(both),
        Ok(Err(error)) => Err(ReachReport::failed(&args.net, error)),
        Err(stop) => Err(ReachReport::stopped(&args.net, None, stop)),
    };
    let (source, queries) = match report {
        Ok((source, queries)) => (Arc::new(source), queries),
        Err(report) => {
            print(&args, &report)?;
            return Ok(report.verdict.exit_code());
        }
    };
    let line = Arc::new(Line::new());
    let mut codes = Vec::new();
    let mut reports = Vec::new();
    for (number, query) in queries.iter().enumerate() {
        // The first one began with reading the net.
        let limits = if number == 0 { limits.clone() } else { args.limits.start(process) };
        let work = {
            let (args, source, line) = (Arc::clone(&args), Arc::clone(&source), Arc::clone(&line));
            let (query, limits) = (query.clone(), limits.clone());
            move || {
                let update = |progress| line.update(&args.net, progress);
                decide_query(&source, &query, &args.options(), &limits, &update)
            }
        };
        let report =
            if process.is_interrupted() { Err(Stop::Cancelled) } else { within(&limits, work) };
        let report = report.unwrap_or_else(|stop| {
            let text = query.show(&source.net).to_string();
            ReachReport::stopped(&args.net, Some((query.clone(), text)), stop)
        });
        line.clear();
        let code = match save(&args, &report, queries.len() > 1) {
            Ok(()) => report.verdict.exit_code(),
            Err(message) => {
                writeln!(err(), "error: {message}")?;
                2
            }
        };
        codes.push(code);
        print(&args, &report)?;
        reports.push(report);
    }
    if args.format == ReachFormat::Human && reports.len() > 1 {
        writeln!(out(), "{}", summary(&reports))?;
    }
    Ok(most_serious(codes))
}

fn read(args: &ReachArgs, limits: &Limits) -> Result<(NetSource, Vec<Query>), NetError> {
    let source = NetSource::read(&args.net, limits)?;
    let queries = match (&args.query, &args.query_file) {
        (Some(text), _) => vec![source.query(text)?],
        (None, Some(file)) => source.queries(file, args.property.as_deref(), limits)?,
        // The command line asks for one of the two.
        (None, None) => Vec::new(),
    };
    Ok((source, queries))
}

fn print(args: &ReachArgs, report: &ReachReport) -> io::Result<()> {
    match args.format {
        ReachFormat::Human => {
            write!(err(), "{}", complaint(report))?;
            let mut out = out();
            writeln!(out, "{}", human(report, super::width()))?;
            out.flush()
        }
        ReachFormat::Json => {
            let mut out = plain_out();
            writeln!(out, "{}", json(report))?;
            out.flush()
        }
    }
}

/// Writes the certificate, if it was asked for and is there.
fn save(args: &ReachArgs, report: &ReachReport, several: bool) -> Result<(), String> {
    let (Some(path), Some(certificate)) = (&args.certificate, report.verdict.certificate()) else {
        return Ok(());
    };
    let mut target = PathBuf::from(path);
    if several || target.is_dir() {
        std::fs::create_dir_all(&target)
            .map_err(|e| format!("cannot make the folder {}: {e}", target.display()))?;
        let name = report.query.as_ref().map_or("query", |(query, _)| &query.name);
        let flat: String =
            name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
        target.push(format!("{flat}.cert.json"));
    }
    write_whole(&target, &certificate.to_text(), &args.net)
        .map_err(|e| format!("cannot write the certificate {}: {e}", target.display()))
}
