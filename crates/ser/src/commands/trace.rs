//! `ser trace`.

use super::streams::{err, out, plain_out};
use super::watchdog::within;
use crate::cli::{TraceArgs, TraceFormat};
use crate::process::Process;
use crate::report::trace::{complaint, human, json};
use ser_check::events::{EventReport, Question, Wrong, trace_source};
use ser_check::most_serious;
use ser_check::source::{Kind, Source, read_bytes, text_of};
use ser_model::Limits;
use std::io::{self, Write as _};

pub fn run(args: TraceArgs, process: &Process) -> io::Result<u8> {
    let question = match args.question() {
        Ok(question) => question,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    let mut codes = Vec::new();
    for file in &args.files {
        let limits = args.limits.start(process);
        let work = {
            let (file, question, limits) = (file.clone(), question.clone(), limits.clone());
            move || answer(&file, &question, &limits)
        };
        let report =
            within(&limits, work).unwrap_or_else(|stop| EventReport::stopped(file, None, stop));
        print(&args, &report)?;
        codes.push(report.exit_code());
    }
    Ok(most_serious(codes))
}

fn answer(file: &str, question: &Question, limits: &Limits) -> EventReport {
    let failed = |error| EventReport::failed(file, None, Wrong::Source(error));
    let text = match read_bytes(file, limits).and_then(text_of) {
        Ok(text) => text,
        Err(error) => return failed(error),
    };
    // Without a name, what is asked tells what it is.
    let kind = Kind::of(file).unwrap_or_else(|| match question.requests.is_some() {
        true => Kind::Program,
        false if text.trim_start().starts_with("place") => Kind::Unwinding,
        false => Kind::Processes,
    });
    match Source::from_text(file, kind, text) {
        Ok(source) => trace_source(&source, question, limits),
        Err(error) => failed(error),
    }
}

fn print(args: &TraceArgs, report: &EventReport) -> io::Result<()> {
    match args.format {
        TraceFormat::Human => {
            write!(err(), "{}", complaint(report))?;
            let mut out = out();
            write!(out, "{}", human(report, args.stats, super::width()))?;
            out.flush()
        }
        TraceFormat::Json => {
            let mut out = plain_out();
            for line in json(report) {
                writeln!(out, "{line}")?;
            }
            out.flush()
        }
    }
}
