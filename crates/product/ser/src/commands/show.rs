//! `ser show`: every stage on the way from the source to the answer, in every format that suits it.

mod ast;
mod automaton;
mod formats;
mod net;
mod outcomes;
mod proof;
mod query;
mod rules;

use super::progress::Line;
use super::streams::{err, out, plain_out};
use super::watchdog::within;
use crate::cli::{ShowArgs, ShowFormat, Stage};
use crate::process::Process;
use ser_base::{Limits, Stop};
use ser_draw::Graph;
use ser_model::{ExploreError, NetworkSystem};
use ser_render::text::{self, Layout};
use ser_report::Answer;
use ser_session::serializability::told;
use ser_session::source::{ModelError, Source, SourceError};
use ser_session::{Decision, Verdict, too_large};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Why there is nothing to show.
enum Trouble {
    /// The source is wrong.
    Source(SourceError),
    /// Its states are too many.
    TooLarge(ExploreError),
    /// There is no such thing: a sentence, and ways out.
    Nothing(String, Vec<String>),
    /// A limit was reached.
    Stopped(Stop),
    /// The check has ended without an answer.
    NoAnswer(Box<Decision>),
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Trouble {
        Trouble::Stopped(stop)
    }
}

pub fn run(args: ShowArgs, process: &Process) -> io::Result<u8> {
    let format = match formats::usage(&args) {
        Ok(format) => format,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    let started = Instant::now();
    let limits = args.limits.start(process);
    let (name, stage) = (args.file.clone(), args.stage);
    let line = Arc::new(Line::new());
    line.say_in_time("working on what is to be shown");
    let shown = {
        let limits = limits.clone();
        within(&limits.clone(), move || show(&args, format, &limits))
    };
    line.clear();
    let shown = shown.unwrap_or_else(|stop| {
        let verdict = Verdict::Stopped { stop, doing: None };
        Err(Box::new(Decision::failed(&name, None, verdict)))
    });
    let (text, code) = match shown {
        Ok(text) => (text, 0),
        Err(report) => {
            let stop = match &report.verdict {
                Verdict::Stopped { stop, .. } => Some(stop.clone()),
                _ => None,
            };
            let mut report = told(&report);
            report.timing.total = started.elapsed();
            if let Answer::Unknown(unknown) = &mut report.answer {
                if let Some(stop) = stop {
                    unknown.reason = format!("there is nothing to show yet; {stop}");
                }
                // The others are about an answer.
                unknown.help.truncate(1);
                unknown.help.extend(ways_out(stage).map(str::to_owned));
            }
            write!(err(), "{}", text::complaints(&report, true))?;
            let code = report.exit_code();
            if code != 2 {
                let layout = Layout { width: 100, verbose: false, statistics: false };
                write!(err(), "{}", text::report(&report, layout))?;
            }
            (String::new(), code)
        }
    };
    // Text is for people; all other formats are for programs.
    if format == ShowFormat::Text {
        out().write_all(text.as_bytes())?;
    } else {
        let mut out = plain_out();
        out.write_all(text.as_bytes())?;
        out.flush()?;
    }
    Ok(code)
}

/// What else to show if this takes too long.
fn ways_out(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Rules | Stage::Certificate => None,
        Stage::Outcomes | Stage::Query => {
            Some("this set can be very large; the other stages, and `ser check`, do not need it")
        }
        _ => Some("`--stage rules` and `--stage certificate` need no list of the states"),
    }
}

/// What is to be shown, and how.
struct Request<'a> {
    args: &'a ShowArgs,
    format: ShowFormat,
    source: &'a Source,
    limits: &'a Limits,
}

fn show(args: &ShowArgs, format: ShowFormat, limits: &Limits) -> Result<String, Box<Decision>> {
    let failed = |source, verdict| Box::new(Decision::failed(&args.file, source, verdict));
    let source = ser_session::source::read(&args.file, limits)
        .map_err(|e| failed(None, Verdict::Error(e)))?;
    stage(&Request { args, format, source: &source, limits }).map_err(|trouble| {
        let verdict = match trouble {
            Trouble::Source(error) => Verdict::Error(error),
            Trouble::TooLarge(error) => too_large(error, None),
            Trouble::Stopped(stop) => Verdict::Stopped { stop, doing: None },
            Trouble::Nothing(message, help) => {
                let help = (!help.is_empty()).then(|| help.join(", or "));
                Verdict::Error(SourceError::Unreadable { message, help })
            }
            Trouble::NoAnswer(report) => return report,
        };
        failed(Some(source.clone()), verdict)
    })
}

fn stage(request: &Request<'_>) -> Result<String, Trouble> {
    // The syntax tree and rules need no states, and a check looks after everything itself.
    match request.args.stage {
        Stage::Ast => return ast::show(request.source, request.format),
        Stage::Rules => return rules::show(request),
        Stage::Triples => return proof::triples(request),
        Stage::Certificate => return proof::certificate(request),
        _ => {}
    }
    let model = match ser_session::source::model(request.source, request.limits) {
        Ok((model, _)) => model,
        Err(ModelError::Source(error)) => return Err(Trouble::Source(error)),
        Err(ModelError::Explore(error)) => return Err(Trouble::TooLarge(error)),
    };
    let system = model.system();
    match request.args.stage {
        Stage::PaperNet => net::paper(request, system),
        Stage::Net => net::normal(request, system),
        Stage::Automaton => automaton::show(request, system),
        Stage::Outcomes => outcomes::show(request, system),
        Stage::Query => query::show(request, system),
        _ => network_system(request, system),
    }
}

/// The network system.
fn network_system(request: &Request<'_>, system: &NetworkSystem) -> Result<String, Trouble> {
    match request.format {
        ShowFormat::Json => Ok(pretty(ser_model::write_json(system))),
        ShowFormat::Dot | ShowFormat::Svg => {
            picture(&crate::picture::system(&title(request.source), system), request.format)
        }
        _ => Ok(ser_model::system_text(system)),
    }
}

/// JSON for people too.
fn pretty(value: serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// The name of the source for titles.
fn title(source: &Source) -> String {
    let name = Path::new(&source.name).file_name().and_then(|n| n.to_str());
    if source.name == "-" { "standard input".into() } else { name.unwrap_or("?").to_owned() }
}

/// A picture as DOT or SVG.
fn picture(graph: &Graph, format: ShowFormat) -> Result<String, Trouble> {
    if format == ShowFormat::Dot {
        return Ok(graph.dot());
    }
    graph.svg().map_err(|too_large| {
        let help = "use --format dot, and Graphviz";
        Trouble::Nothing(too_large.to_string(), vec![help.to_owned()])
    })
}
