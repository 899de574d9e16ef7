//! `ser trace`.

use super::progress::Line;
use super::streams::{err, out, plain_out};
use super::watchdog::within;
use crate::cli::{TraceArgs, TraceFormat};
use crate::process::Process;
use crate::report::trace::{Wanted, complaint, human, json, summary, verdicts};
use ser_check::events::{EventReport, Question, Wrong, trace_source};
use ser_check::most_serious;
use ser_check::source::{Kind, Source, read_bytes, text_of};
use ser_check::words::{grouped, visible};
use ser_events::{Covered, SearchProgress};
use ser_model::Limits;
use std::io::{self, Write as _};
use std::sync::Arc;

pub fn run(args: TraceArgs, process: &Process) -> io::Result<u8> {
    let question = match args.question() {
        Ok(question) => question,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    let line = Arc::new(Line::new());
    let (mut codes, mut all) = (Vec::new(), Vec::new());
    for file in &args.files {
        let limits = args.limits.start(process);
        let work = {
            let (file, question, limits) = (file.clone(), question.clone(), limits.clone());
            let line = Arc::clone(&line);
            move || answer(&file, &question, &limits, &line)
        };
        let report =
            within(&limits, work).unwrap_or_else(|stop| EventReport::stopped(file, None, stop));
        line.clear();
        print(&args, &report)?;
        codes.push(report.exit_code());
        all.extend(verdicts(&report));
    }
    if args.format == TraceFormat::Human && all.len() > 1 {
        writeln!(out(), "{}", summary(&all))?;
    }
    Ok(most_serious(codes))
}

fn answer(file: &str, question: &Question, limits: &Limits, line: &Arc<Line>) -> EventReport {
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
        Ok(source) => trace_source(&source, question, limits, &|progress| {
            line.say_in_time(&about(file, &progress))
        }),
        Err(error) => failed(error),
    }
}

fn print(args: &TraceArgs, report: &EventReport) -> io::Result<()> {
    match args.format {
        TraceFormat::Human => {
            write!(err(), "{}", complaint(report))?;
            let mut out = out();
            write!(out, "{}", human(report, Wanted { width: super::width(), stats: args.stats }))?;
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

/// What is going on with a file, in one line.
fn about(file: &str, progress: &SearchProgress) -> String {
    let looks = match &progress.looks {
        Covered::Rounds(rounds) if !rounds.is_empty() => {
            let words = rounds.iter().map(|(process, n)| format!("{process} {n}"));
            format!("rounds of loops: {}", words.collect::<Vec<_>>().join(", "))
        }
        Covered::Steps(steps) => format!("at most {steps} steps"),
        _ => "looking for a run".to_owned(),
    };
    format!("{}: {looks}; {} clauses", visible(file), grouped(progress.formula.1))
}
