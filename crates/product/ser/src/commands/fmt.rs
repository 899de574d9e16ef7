//! `ser fmt`.

use super::files::replace;
use super::streams::{err, plain_out};
use super::watchdog::within;
use crate::cli::FmtArgs;
use crate::diff;
use crate::process::Process;
use ser_base::{Limits, first_file};
use ser_render::text;
use ser_report::{Method, Question, Report};
use ser_session::source::{Kind, Source, SourceError};
use ser_syntax::lexer::{TokenKind, lex};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

/// How a file was.
const FINE: u8 = 0;
const WOULD_CHANGE: u8 = 1;
const ERROR: u8 = 2;

pub fn run(args: &FmtArgs, process: &Process) -> io::Result<u8> {
    let standard_input = ["-".to_owned()];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    if files.iter().filter(|f| *f == "-").count() > 1 {
        writeln!(err(), "error: standard input (`-`) can be given only once")?;
        return Ok(ERROR);
    }
    let mut worst = FINE;
    for file in files {
        worst = worst.max(one(file, args.check, process)?);
        if process.is_interrupted() {
            return Ok(ERROR);
        }
    }
    if worst == WOULD_CHANGE {
        writeln!(err(), "help: `ser fmt` without --check makes these changes")?;
    }
    Ok(worst)
}

fn one(name: &str, check: bool, process: &Process) -> io::Result<u8> {
    // Waiting for standard input can be interrupted.
    let reading = name.to_owned();
    let (source, formatted) =
        match within(&process.limit(Limits::default()), move || format(reading)) {
            Ok(Ok(formatted)) => formatted,
            Ok(Err(report)) => {
                write!(err(), "{}", text::complaints(&report, false))?;
                return Ok(ERROR);
            }
            Err(stop) => {
                writeln!(err(), "error: {name}: {stop}; it stays as it is")?;
                return Ok(ERROR);
            }
        };
    let mut out = plain_out();
    let changes = formatted != source.own_text();
    match (name, check) {
        (_, true) => {
            let name = if name == "-" { "<stdin>" } else { name };
            out.write_all(diff::unified(name, source.own_text(), &formatted).as_bytes())?;
            out.flush()?;
            return Ok(if changes { WOULD_CHANGE } else { FINE });
        }
        ("-", false) => {
            out.write_all(formatted.as_bytes())?;
            out.flush()?;
        }
        _ if changes => {
            // The file is its own input: it is replaced as a whole, or not at all.
            if let Err(error) = replace(Path::new(name), &formatted) {
                writeln!(err(), "error: cannot write {name}: {error}")?;
                return Ok(ERROR);
            }
            writeln!(out, "{name}: formatted")?;
        }
        _ => {}
    }
    Ok(FINE)
}

/// A program and its layout.
fn format(name: String) -> Result<(Source, String), Box<Report>> {
    let failed = |source: Option<Source>, error| {
        let mut report = Report::error(&name, Question::of(Method::Serializability), error);
        report.source = source.map(Arc::new);
        Box::new(report)
    };
    let mut source = ser_session::source::read(&name, &Limits::default())
        .map_err(|error| failed(None, error))?;
    if name == "-" && source.kind == Kind::Program {
        source.kind = kind_of(&source.text);
    }
    if source.kind == Kind::System {
        let message = "this is a network system in JSON, and `ser fmt` lays out programs";
        let help = "most editors lay out JSON; `python3 -m json.tool FILE` does, too";
        let error = SourceError::unreadable(message, help);
        return Err(failed(Some(source), error));
    }
    if source.kind == Kind::Net {
        let message = "this is a Petri net, and `ser fmt` lays out programs".to_owned();
        return Err(failed(Some(source), SourceError::Unreadable { message, help: None }));
    }
    let formatted = match source.kind {
        Kind::Unwinding => ser_editing::format_unwinding(&source.text),
        _ => ser_editing::format(&source.text),
    };
    match formatted {
        Ok(formatted) => Ok((source, first_file(&formatted).to_owned())),
        Err(errors) => Err(failed(Some(source), SourceError::Diagnostics(errors))),
    }
}

/// Without a telling name, the first words decide.
fn kind_of(text: &str) -> Kind {
    let mut tokens = lex(text).into_iter().filter(|token| !token.kind.is_trivia());
    let first = tokens.next().map_or("", |token| token.text(text));
    let second = tokens.next().map(|token| token.kind);
    let is_name = second == Some(TokenKind::Name);
    match first {
        "place" | "transition" if is_name => Kind::Unwinding,
        _ => Kind::Program,
    }
}
