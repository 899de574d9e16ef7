//! `ser repair`.

mod words;

use super::files::replace;
use super::progress::Line;
use super::streams::{err, out, plain_out};
use super::watchdog::within;
use crate::cli::{RepairArgs, RepairFormat};
use crate::process::Process;
use ser_render::text;
use ser_report::most_serious;
use ser_session::serializability::{doing, told};
use ser_session::source::{Kind, SourceError};
use ser_session::{Decision, Repair, Repairs, Verdict, repair};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub fn run(args: RepairArgs, process: &Process) -> io::Result<u8> {
    if args.files.iter().filter(|f| *f == "-").count() > 1 {
        writeln!(err(), "error: standard input (`-`) can be given only once")?;
        return Ok(2);
    }
    let line = Arc::new(Line::new());
    let mut codes = Vec::new();
    for file in &args.files {
        let started = Instant::now();
        let repairs = repairs(&args, process, &line, file);
        line.clear();
        let time = started.elapsed();
        let code = match args.format {
            RepairFormat::Json => {
                let mut out = plain_out();
                writeln!(out, "{}", words::json(&repairs, time))?;
                out.flush()?;
                words::exit_code(&repairs)
            }
            RepairFormat::Human => {
                write!(err(), "{}", text::complaints(&told(&repairs.report), false))?;
                words::exit_code(&repairs)
            }
        };
        codes.push(match args.apply {
            None => {
                if args.format == RepairFormat::Human {
                    let mut out = out();
                    write!(out, "{}", words::human(&repairs, time, super::width()))?;
                    out.flush()?;
                }
                code
            }
            Some(number) => apply(&args, &repairs, number as usize, code)?,
        });
    }
    Ok(most_serious(codes))
}

/// The repairs of one file, soon after the limits say so.
fn repairs(args: &RepairArgs, process: &Process, line: &Arc<Line>, file: &str) -> Repairs {
    let failed =
        |source, verdict| Repairs::none(Decision::failed(file, source, verdict), Vec::new());
    if process.is_interrupted() {
        return failed(None, Verdict::NotChecked);
    }
    let limits = args.limits().start(process);
    let work = {
        let (options, limits, name) = (args.engine.options(), limits.clone(), file.to_owned());
        let (line, applies) = (Arc::clone(line), args.apply.is_some());
        move || {
            let source = ser_session::source::read(&name, &limits)
                .map_err(|error| hinted(&name, applies, error))?;
            if source.kind == Kind::System {
                let message = "this is a network system, which has no `yield`s to change";
                let help = "repair the program that it was made from";
                return Err(SourceError::unreadable(message, help));
            }
            Ok(repair(&source, &options, &limits, &|it| {
                line.say_in_time(&format!("{name}: {}", doing(&it)))
            }))
        }
    };
    match within(&limits, work) {
        Ok(Ok(repairs)) => repairs,
        Ok(Err(error)) => failed(None, Verdict::Error(error)),
        Err(stop) => failed(None, Verdict::Stopped { stop, doing: None }),
    }
}

/// `--apply 2` instead of `--apply=2` makes the number a file.
fn hinted(name: &str, applies: bool, error: SourceError) -> SourceError {
    match error {
        SourceError::Unreadable { message, help: None }
            if applies && name.parse::<u32>().is_ok() =>
        {
            SourceError::unreadable(message, format!("did you mean `--apply={name}`?"))
        }
        error => error,
    }
}

/// Changes the file as suggested.
fn apply(args: &RepairArgs, repairs: &Repairs, number: usize, code: u8) -> io::Result<u8> {
    let name = &repairs.report.name;
    let say = |text: String| match args.format {
        RepairFormat::Human if name != "-" => writeln!(out(), "{text}"),
        _ => Ok(()),
    };
    let chosen: Option<&Repair> = repairs.suggestions.get(number - 1);
    match (&repairs.report.verdict, chosen) {
        (Verdict::Serializable { .. }, _) => {
            if let (true, Some(source)) = (name == "-", &repairs.report.source) {
                plain_out().write_all(source.own_text().as_bytes())?;
            }
            say(format!("{name}: already serializable, nothing to repair"))?;
            Ok(0)
        }
        (Verdict::NotSerializable { .. }, Some(chosen)) => {
            if name == "-" {
                if args.format == RepairFormat::Human {
                    plain_out().write_all(chosen.text.as_bytes())?;
                }
                return Ok(0);
            }
            let unchanged = repairs.report.source.as_ref().is_some_and(|source| {
                std::fs::read(name).is_ok_and(|now| now == source.own_text().as_bytes())
            });
            if !unchanged {
                let message = "it was changed in the meantime and is left as it is";
                writeln!(err(), "error: {name}: {message}")?;
                return Ok(2);
            }
            // The file is its own input: it is replaced as a whole, or not at all.
            if let Err(error) = replace(Path::new(name), &chosen.text) {
                writeln!(err(), "error: cannot write {name}: {error}")?;
                return Ok(2);
            }
            say(format!(
                "{name}: repaired: {}\n  proved: {}",
                chosen.title, chosen.proof.headline
            ))?;
            Ok(0)
        }
        (Verdict::NotSerializable { .. }, None) if !repairs.suggestions.is_empty() => {
            let count = ser_report::text::count(repairs.suggestions.len(), "suggestion");
            writeln!(err(), "error: {name}: there is no suggestion {number}")?;
            writeln!(err(), "  help: there are {count}: `ser repair {name}`")?;
            Ok(2)
        }
        _ => {
            if args.format == RepairFormat::Human {
                // Standard output is for the repaired program.
                let report = words::human(repairs, repairs.report.time, super::width());
                match name.as_str() {
                    "-" => write!(err(), "{report}")?,
                    _ => write!(out(), "{report}")?,
                }
            }
            Ok(code)
        }
    }
}
