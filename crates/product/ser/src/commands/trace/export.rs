//! What `ser trace` writes into files: pictures of runs, formulas, proofs.
//!
//! One goal of one file goes to the path that was named. Several goals of one file go to names beside it, with
//! numbers. For several files the path is a folder.

use crate::cli::TraceArgs;
use crate::commands::files::write_whole;
use crate::commands::targets::Targets;
use crate::partial_order::{Order, Replayed, of_firing, of_run};
use crate::picture::token_trace;
use ser_reachability_search::{Lit, write_dimacs, write_drat};
use ser_session::events::{Answer, EventReport, Evidence, Reaching, Witness};
use ser_session::words::visible;
use std::path::{Path, PathBuf};

/// What is to be written, and where.
pub struct Exports {
    picture: Option<(String, Picture)>,
    dimacs: Option<String>,
    proof: Option<String>,
    files: Vec<String>,
    targets: Targets,
}

/// The formats of pictures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Picture {
    Svg,
    Dot,
}

impl Picture {
    fn extension(self) -> &'static str {
        match self {
            Picture::Svg => "svg",
            Picture::Dot => "dot",
        }
    }
}

impl Exports {
    /// What the arguments ask for, or what is wrong with them.
    pub fn new(args: &TraceArgs) -> Result<Exports, String> {
        let paths = [
            ("--picture", &args.picture, "run.svg"),
            ("--dimacs", &args.dimacs, "formula.cnf"),
            ("--proof", &args.proof, "proof.drat"),
        ];
        let mut taken: Vec<(&str, &str)> = Vec::new();
        for (option, path, example) in paths {
            let Some(path) = path.as_deref() else { continue };
            if path == "-" || path.trim().is_empty() {
                return Err(format!(
                    "{option} {path}: this is a file of its own, because standard output has the answer\n  \
                     help: name a file, such as {option} {example}"
                ));
            }
            if args.files.len() > 1 && Path::new(path).is_file() {
                return Err(format!("{option} {path}: with several files this must be a folder"));
            }
            let twin = taken.iter().find(|(_, other)| *other == path && !Path::new(path).is_dir());
            if let Some((other, _)) = twin
                && args.files.len() == 1
            {
                return Err(format!(
                    "{other} and {option} would write the same file {path}\n  \
                     help: name another one, such as {option} {example}"
                ));
            }
            taken.push((option, path));
        }
        let picture = match &args.picture {
            Some(path) => Some((path.clone(), format(path, args.files.len() > 1)?)),
            None => None,
        };
        Ok(Exports {
            picture,
            dimacs: args.dimacs.clone(),
            proof: args.proof.clone(),
            files: args.files.clone(),
            targets: Targets::new(&args.files),
        })
    }

    /// Writes what there is to write about a file. Gives notes about what there is not.
    pub fn write(&self, report: &EventReport) -> Result<Vec<String>, String> {
        let Ok(answers) = &report.answers else { return Ok(Vec::new()) };
        let mut notes = Vec::new();
        for (index, answer) in answers.iter().enumerate() {
            let goal = (answers.len() > 1).then_some(index + 1);
            if let Some((path, format)) = &self.picture {
                match order(report, answer) {
                    Ok(order) => {
                        let (title, goal) = (title(report, answer), (goal, format.extension()));
                        let graph = token_trace(&title, &order);
                        let text = match format {
                            Picture::Dot => Ok(graph.dot()),
                            Picture::Svg => graph.svg().map_err(|e| {
                                format!("{e}\n  help: use a name that ends in .dot, and Graphviz")
                            }),
                        };
                        self.save(report, goal, path, "picture", &text?)?;
                    }
                    Err(why) => notes.push(format!("no picture was written: {why}")),
                }
            }
            if let Some(path) = &self.dimacs {
                match formula(report, answer) {
                    Some(text) => self.save(report, (goal, "cnf"), path, "formula", &text)?,
                    None => notes.push("no formula was written: there is none".to_owned()),
                }
            }
            if let Some(path) = &self.proof {
                match proof(answer) {
                    Ok(text) => self.save(report, (goal, "drat"), path, "proof", &text)?,
                    Err(why) => notes.push(format!("no proof was written: {why}")),
                }
            }
        }
        Ok(notes)
    }

    /// Writes one file: for a goal, by its number if there are several, and with an extension.
    fn save(
        &self,
        report: &EventReport,
        (goal, extension): (Option<usize>, &str),
        path: &str,
        what: &str,
        text: &str,
    ) -> Result<(), String> {
        let named = Path::new(path);
        let ending = named.extension().and_then(|e| e.to_str());
        // The name of a picture tells its kind.
        let is_nameless = self.picture.as_ref().is_some_and(|(p, _)| p == path) && ending.is_none();
        let is_folder = self.files.len() > 1 || named.is_dir() || is_nameless;
        let numbered = |extension: &str| goal.map(|n| format!("{n}.{extension}"));
        let in_folder = numbered(extension).unwrap_or_else(|| extension.to_owned());
        let target = match is_folder {
            true => {
                std::fs::create_dir_all(path)
                    .map_err(|e| format!("cannot make the folder {path}: {e}"))?;
                self.targets.target(&report.name, path, &in_folder)?
            }
            false => match numbered(ending.unwrap_or(extension)) {
                Some(ending) => named.with_extension(ending),
                None => named.to_owned(),
            },
        };
        self.spare_inputs(&target)?;
        write_whole(&target, text, &report.name)
            .map_err(|e| format!("cannot write the {what} {}: {e}", target.display()))
    }

    fn spare_inputs(&self, target: &PathBuf) -> Result<(), String> {
        let Ok(there) = std::fs::canonicalize(target) else { return Ok(()) };
        let is_input =
            |file: &&String| std::fs::canonicalize(file).is_ok_and(|input| input == there);
        match self.files.iter().find(is_input) {
            None => Ok(()),
            Some(input) => Err(format!(
                "{} would be written, but this is the input itself: {input}\n  help: name another file",
                target.display()
            )),
        }
    }
}

/// What a picture is to be, by its name.
fn format(path: &str, several: bool) -> Result<Picture, String> {
    let extension = Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "svg" => Ok(Picture::Svg),
        "dot" | "gv" => Ok(Picture::Dot),
        // A folder.
        _ if several || extension.is_empty() || Path::new(path).is_dir() => Ok(Picture::Svg),
        _ => Err(format!(
            "--picture {path}: the name does not tell which kind of picture\n  \
             help: use one that ends in .svg or .dot"
        )),
    }
}

fn title(report: &EventReport, answer: &Answer) -> String {
    let name = Path::new(&report.name).file_name().and_then(|n| n.to_str());
    let name = if report.name == "-" { "standard input" } else { name.unwrap_or("?") };
    let words: Vec<&str> = answer.goal.split_whitespace().collect();
    visible(&format!("{name}: {}", words.join(" ")))
}

/// The partial order of a run, or why there is none.
fn order(report: &EventReport, answer: &Answer) -> Result<Order, &'static str> {
    let Reaching::Reachable(witness) = &answer.verdict else { return Err("there is no run") };
    match witness.as_ref() {
        Witness::Run { trace: None, .. } => Err("--method bmc has no token trace"),
        Witness::Run { model, shown, steps, events, trace: Some(trace), .. } => {
            let (source, system) = (report.source.as_ref(), model.system());
            Ok(of_run(Replayed { source, trace, system, shown, steps, events }))
        }
        Witness::Firing { net, trace, execution } => Ok(of_firing(net, trace, execution)),
    }
}

/// The formula as DIMACS.
fn formula(report: &EventReport, answer: &Answer) -> Option<String> {
    let (clauses, assumptions) = match &answer.verdict {
        Reaching::Unreachable(Evidence::Proof { refutation: r, .. }) => {
            (&r.clauses, &r.assumptions)
        }
        _ => answer.clauses.as_ref().map(|c| (&c.clauses, &c.assumptions))?,
    };
    let comment = format!(
        "{}: {}\nIt has a solution if and only if this can be reached as far as was looked.",
        visible(&report.name),
        visible(&answer.goal)
    );
    let clauses: Vec<Vec<Lit>> = clauses.iter().map(|clause| lits(clause)).collect();
    let assumptions = lits(assumptions);
    let all = clauses.iter().flatten().chain(&assumptions);
    let variables = all.map(|lit| lit.variable() + 1).max().unwrap_or(0);
    Some(write_dimacs(&comment, variables, &clauses, &assumptions))
}

/// The proof as DRAT, or why there is none.
fn proof(answer: &Answer) -> Result<String, &'static str> {
    match &answer.verdict {
        Reaching::Reachable(_) => Err("the goal is reachable"),
        Reaching::Unknown(_) => Err("there is no answer"),
        Reaching::Unreachable(Evidence::Said) => {
            Err("this solver writes none; use --solver batsat")
        }
        Reaching::Unreachable(Evidence::Listed(_)) => {
            Err("all states were listed; with --bound N the solver is asked alone")
        }
        Reaching::Unreachable(Evidence::Proof { refutation, .. }) => {
            let learnt: Vec<Vec<Lit>> = refutation.learnt.iter().map(|c| lits(c)).collect();
            Ok(write_drat(&learnt))
        }
    }
}

fn lits(numbers: &[i32]) -> Vec<Lit> {
    numbers.iter().filter_map(|number| Lit::from_dimacs(*number)).collect()
}
