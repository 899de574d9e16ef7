//! `ser prove`.

use super::answer::{self, Ask, Files};
use super::streams::{err, out, plain_out};
use super::watchdog::within;
use crate::cli::{Format, ProveArgs};
use crate::process::Process;
use ser_base::Limits;
use ser_render::text;
use ser_report::{Kind, Method, Question, Report, Source, SourceError, most_serious};
use ser_session::invariance::{GraphFormat, locations};
use ser_session::method::unfinished;
use ser_session::source::{from_text, read_text};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

pub fn run(args: ProveArgs, process: &Process) -> io::Result<u8> {
    let ask = match ask(&args) {
        Ok(ask) => ask,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    match args.list_locations {
        true => list_locations(&ask, process),
        false => answer::run(&ask, process),
    }
}

/// What is asked; or what is wrong with that.
fn ask(args: &ProveArgs) -> Result<Ask, String> {
    let several = args.files.len() > 1;
    let graph = args.graph.as_deref();
    let is_folder = |path: &str| several || Path::new(path).is_dir();
    let graph = graph.map(|path| GraphFormat::of(path, is_folder(path))).transpose()?;
    if args.answer.format == Format::Sarif && args.list_locations {
        let message = "--list-locations has no SARIF output";
        return Err(format!("{message}\n  help: use --format json"));
    }
    Ok(Ask {
        method: Arc::new(args.method(graph)?),
        files: args.files.clone(),
        args: args.answer.clone(),
        more: vec![
            Files::new("--write", &args.write, "ser"),
            Files::new("--graph", &args.graph, graph.map_or("svg", GraphFormat::extension)),
            Files::new("--smtlib", &args.smtlib, "smt2"),
        ],
        verbose: args.conditions,
    })
}

fn read(file: &str, limits: &Limits) -> Result<Source, SourceError> {
    let text = read_text(file, limits)?;
    let kind = Kind::of(file).unwrap_or(Kind::Invariants).of_text(&text);
    match kind {
        Kind::Invariants => from_text(file, kind, text),
        other => Err(other.not_read_here()),
    }
}

/// Lists the locations of programs.
fn list_locations(ask: &Ask, process: &Process) -> io::Result<u8> {
    let mut codes = vec![0];
    for file in &ask.files {
        let limits = ask.args.limits.start(process);
        let mut fail = |source: Option<Source>, error: SourceError| {
            codes.push(2);
            let mut report = Report::error(file, Question::of(Method::Invariance), error);
            report.source = source.map(Arc::new);
            answer::print(ask, &report)
        };
        let listed = within(&limits.clone(), {
            let file = file.clone();
            move || match read(&file, &limits) {
                Ok(source) => locations(&source).map_err(|error| Box::new((Some(source), error))),
                Err(error) => Err(Box::new((None, error))),
            }
        });
        match listed {
            Ok(Ok((section, data))) => match ask.args.format {
                Format::Json => writeln!(plain_out(), "{data}")?,
                _ => write!(out(), "{file}: {}", text::section(&section, super::width()))?,
            },
            Ok(Err(failure)) => {
                let (source, error) = *failure;
                fail(source, error)?;
            }
            Err(stop) => {
                codes.push(3);
                let report = unfinished(ask.method.as_ref(), file, &stop, Some("reading"));
                answer::print(ask, &report)?;
            }
        }
    }
    Ok(most_serious(codes))
}
