//! `ser trace`.

mod export;

use super::hints;
use super::progress::Line;
use super::streams::{err, nobody_listens, out, plain_out};
use super::watchdog::within;
use crate::cli::{TraceArgs, TraceFormat};
use crate::process::Process;
use crate::report::trace::{Wanted, complaint, human, json, summary, verdicts};
use export::Exports;
use ser_model::{Limits, Stop};
use ser_reachability_search::{Covered, SearchProgress};
use ser_session::events::{EventReport, Question, Wrong, trace_source};
use ser_session::most_serious;
use ser_session::source::{Kind, SourceError, read_bytes, text_of};
use ser_session::words::{grouped, visible};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

pub fn run(args: TraceArgs, process: &Process) -> io::Result<u8> {
    let (question, exports) = match question(&args) {
        Ok(both) => both,
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
            if process.is_interrupted() { Err(Stop::Cancelled) } else { within(&limits, work) };
        let report = report.unwrap_or_else(|stop| EventReport::stopped(file, None, stop));
        line.clear();
        codes.push(report.exit_code());
        let mut notes = Vec::new();
        match exports.write(&report) {
            Ok(more) => notes = more,
            Err(message) => {
                writeln!(err(), "error: {message}")?;
                codes.push(2);
            }
        }
        if !nobody_listens() {
            print(&args, &report)?;
        }
        for note in notes.iter().filter(|_| args.format == TraceFormat::Human) {
            writeln!(err(), "note: {note}")?;
        }
        all.extend(verdicts(&report));
    }
    if args.format == TraceFormat::Human && all.len() > 1 && !nobody_listens() {
        writeln!(out(), "{}", summary(&all))?;
    }
    Ok(most_serious(codes))
}

/// What is asked, and what is to be written; or what is wrong with that.
fn question(args: &TraceArgs) -> Result<(Question, Exports), String> {
    if args.files.iter().filter(|file| *file == "-").count() > 1 {
        return Err("standard input (`-`) can be given only once".to_owned());
    }
    if args.files.iter().any(|file| file.trim().is_empty()) {
        return Err("the name of a file is empty".to_owned());
    }
    Ok((args.question()?, Exports::new(args)?))
}

fn answer(file: &str, question: &Question, limits: &Limits, line: &Arc<Line>) -> EventReport {
    let failed = |error| EventReport::failed(file, None, Wrong::Source(error));
    if Path::new(file).is_dir() {
        return failed(SourceError::Unreadable {
            message: "this is a directory".to_owned(),
            help: None,
        });
    }
    let text = match read_bytes(file, limits).and_then(text_of) {
        Ok(text) => text,
        Err(error) => return failed(error),
    };
    let extension = Path::new(file).extension().and_then(|e| e.to_str()).unwrap_or_default();
    let is_known = ["events", "unw", "ser", "json", "icet", "inv"]
        .iter()
        .any(|e| extension.eq_ignore_ascii_case(e));
    let kind = Kind::of(file).filter(|_| is_known).unwrap_or_else(|| kind_of(&text, question));
    match ser_session::source::from_text(file, kind, text) {
        Ok(source) => {
            let watch = |progress| line.say_in_time(&about(file, &progress));
            trace_source(&source, question, limits, &watch)
        }
        Err(error) => failed(error),
    }
}

/// Without a name that tells, what is asked and the first words of lines tell what it is.
fn kind_of(text: &str, question: &Question) -> Kind {
    let begins = |words: &[&str]| {
        text.lines().any(|line| {
            let mut parts = line.split_whitespace();
            let first = parts.next().is_some_and(|word| words.contains(&word));
            first && parts.next().is_some_and(|word| word.starts_with(char::is_alphabetic))
        })
    };
    match question.requests.is_some() || !question.reach.is_empty() || begins(&["request"]) {
        true => Kind::Program,
        false if begins(&["place", "transition", "target"]) => Kind::Unwinding,
        false => Kind::Processes,
    }
}

fn print(args: &TraceArgs, report: &EventReport) -> io::Result<()> {
    match args.format {
        TraceFormat::Human => {
            let hint = hints::instead_of(&report.name, "trace", &["events", "unw"]);
            write!(err(), "{}{hint}", complaint(report))?;
            let wanted = Wanted { width: super::width(), stats: args.stats };
            let mut out = out();
            write!(out, "{}", human(report, wanted))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_is_recognised_by_its_words() {
        let question = Question::default();
        let kind = |text| kind_of(text, &question);
        assert_eq!(kind("X in 0..1\nprocess P { X := 1 }\nreach X == 1"), Kind::Processes);
        assert_eq!(kind("// a net\nenum E { a }\nplace p : E\n"), Kind::Unwinding);
        assert_eq!(kind("process P {\n  place := 1\n}"), Kind::Processes);
        assert_eq!(kind("request main { X := 1 }"), Kind::Program);
        let asked = Question { requests: Some("main".to_owned()), ..Question::default() };
        assert_eq!(kind_of("X := 1", &asked), Kind::Program);
    }
}
