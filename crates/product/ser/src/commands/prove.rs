//! `ser prove`.

use super::answer::{self, Ask, Files};
use super::files::write_whole;
use super::streams::{err, out, plain_out};
use super::targets::Targets;
use super::watchdog::within;
use crate::cli::{Format, ProveArgs};
use crate::process::Process;
use ser_base::Limits;
use ser_render::text;
use ser_report::text::{count, grouped};
use ser_report::{Kind, Method, Question, Report, Source, SourceError, most_serious};
use ser_session::invariance::second::{Script, cross_check, scripts};
use ser_session::invariance::{GraphFormat, locations, system_of};
use ser_session::source::{from_text, read_bytes, text_of};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub fn run(args: ProveArgs, process: &Process) -> io::Result<u8> {
    let (ask, second) = match ask(&args) {
        Ok(both) => both,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    if args.list_locations {
        return list_locations(&ask, process);
    }
    let mut codes = vec![answer::run(&ask, process)?];
    if second.is_wanted() {
        for file in &ask.files {
            let limits = ask.args.limits.start(process);
            let work = {
                let (file, limits) = (file.clone(), limits.clone());
                let (second, folders) = (second.clone(), Targets::new(&ask.files));
                move || second.ask(&file, &folders, &limits)
            };
            for (message, code) in within(&limits, work).unwrap_or_default() {
                writeln!(err(), "error: {message}")?;
                codes.push(code);
            }
        }
    }
    Ok(most_serious(codes))
}

/// What is asked; or what is wrong with that.
fn ask(args: &ProveArgs) -> Result<(Ask, SecondOpinion), String> {
    let several = args.files.len() > 1;
    let graph = args.graph.as_deref();
    let is_folder = |path: &str| several || Path::new(path).is_dir();
    let graph = graph.map(|path| GraphFormat::of(path, is_folder(path))).transpose()?;
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
    if args.answer.format == Format::Sarif && args.list_locations {
        let message = "--list-locations: there is nothing to say in SARIF";
        return Err(format!("{message}\n  help: use --format json"));
    }
    let second = SecondOpinion {
        scripts: args.smtlib.clone(),
        solver: args.cross_check.is_some().then(|| args.solver()).transpose()?,
    };
    let ask = Ask {
        method: Arc::new(args.method(graph)?),
        files: args.files.clone(),
        args: args.answer.clone(),
        more: vec![
            Files::new("--write", &args.write, "inv"),
            Files::new("--graph", &args.graph, graph.map_or("svg", GraphFormat::extension)),
        ],
        verbose: args.conditions,
    };
    Ok((ask, second))
}

/// Conditions for other solvers.
#[derive(Clone)]
struct SecondOpinion {
    /// Where to write them, if that is wanted.
    scripts: Option<String>,
    /// Whether a solver is asked about them, and which one if it is named.
    solver: Option<Option<String>>,
}

impl SecondOpinion {
    fn is_wanted(&self) -> bool {
        self.scripts.is_some() || self.solver.is_some()
    }

    /// Hands the conditions of a file to other solvers. What is wrong with what they say, and the
    /// exit code for it.
    fn ask(&self, file: &str, targets: &Targets, limits: &Limits) -> Vec<(String, u8)> {
        let mut failures = Vec::new();
        // Errors have been complained about already.
        let Ok(source) = read(file, limits) else { return failures };
        let Ok((system, _)) = system_of(&source.text) else { return failures };
        if let Some(path) = &self.scripts {
            let folder = targets.folder(file, path);
            let all = scripts(&system, limits);
            match write_scripts(&folder, &all, file) {
                Ok(()) => {
                    let scripts = match all.len() {
                        1 => "1 script is".to_owned(),
                        n => format!("{} scripts are", grouped(n)),
                    };
                    let _ = writeln!(
                        err(),
                        "note: {scripts} in {}: one for each case that needs a solver",
                        folder.display()
                    );
                }
                Err(message) => failures.push((message, 2)),
            }
        }
        if let Some(named) = &self.solver {
            match cross_check(&system, named.as_deref(), Duration::from_secs(20), limits) {
                Ok(opinion) => {
                    let solver = &opinion.solver;
                    let _ = writeln!(
                        err(),
                        "note: {solver} agrees on {}, and does not settle {}",
                        count(opinion.agrees, "script"),
                        opinion.open
                    );
                    failures.extend(opinion.differs.iter().map(|script| {
                        let name = &script.name;
                        (format!("{solver} does not agree on {name}: please report this"), 3)
                    }));
                }
                Err(error) => failures.push((error.to_string(), 2)),
            }
        }
        failures
    }
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

fn read(file: &str, limits: &Limits) -> Result<Source, SourceError> {
    let text = text_of(read_bytes(file, limits)?)?;
    let kind = Kind::of(file).unwrap_or(Kind::Invariants);
    match kind {
        Kind::Invariants => from_text(file, kind, text),
        other => Err(other.not_for("prove")),
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
        let source = match read(file, &limits) {
            Ok(source) => source,
            Err(error) => {
                fail(None, error)?;
                continue;
            }
        };
        match locations(&source) {
            Ok((section, data)) => match ask.args.format {
                Format::Json => writeln!(plain_out(), "{data}")?,
                _ => write!(out(), "{file}: {}", text::section(&section, super::width()))?,
            },
            Err(error) => fail(Some(source), error)?,
        }
    }
    Ok(most_serious(codes))
}
