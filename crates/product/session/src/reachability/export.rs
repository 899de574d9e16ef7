//! What can be written into files: pictures of runs, formulas, proofs.

use super::order::Order;
use super::picture::token_trace;
use super::{Answer, Evidence, Reaching};
use ser_reachability_search::{Lit, write_dimacs, write_drat};
use ser_report::text::visible;
use ser_report::{Attachment, Source};
use std::path::Path;

/// What can be written to files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exports {
    /// The token trace of a run.
    pub picture: Option<PictureFormat>,
    /// The formula, as DIMACS.
    pub formula: bool,
    /// The solver's proof, as DRAT.
    pub proof: bool,
}

/// The formats of pictures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PictureFormat {
    Svg,
    Dot,
}

/// What was asked for, or why it is not there.
pub fn attachments(
    source: &Source,
    answer: &Answer,
    order: Option<&Order>,
    exports: Exports,
) -> Vec<Attachment> {
    let mut list = Vec::new();
    let mut attach = |option, text| list.push(Attachment { option, text });
    if let Some(format) = exports.picture {
        attach("--picture", picture(source, answer, order, format));
    }
    if exports.formula {
        attach("--dimacs", formula(source, answer).ok_or("there is no formula".to_owned()));
    }
    if exports.proof {
        attach("--proof", proof(answer).map_err(str::to_owned));
    }
    list
}

fn picture(
    source: &Source,
    answer: &Answer,
    order: Option<&Order>,
    format: PictureFormat,
) -> Result<String, String> {
    let Some(order) = order else {
        let has_run = matches!(&answer.verdict, Reaching::Reachable(_));
        let why = if has_run { "--method bmc has no token trace" } else { "there is no run" };
        return Err(why.to_owned());
    };
    let graph = token_trace(&title(source, answer), order);
    match format {
        PictureFormat::Dot => Ok(graph.dot()),
        PictureFormat::Svg => graph
            .svg()
            .map_err(|why| format!("{why}; a name that ends in .dot gives a file for Graphviz")),
    }
}

/// The name of the file, and the goal.
pub fn title(source: &Source, answer: &Answer) -> String {
    let name = Path::new(&source.name).file_name().and_then(|name| name.to_str());
    let name = if source.name == "-" { "standard input" } else { name.unwrap_or("?") };
    let words: Vec<&str> = answer.goal.split_whitespace().collect();
    visible(&format!("{name}: {}", words.join(" ")))
}

fn formula(source: &Source, answer: &Answer) -> Option<String> {
    let (clauses, assumptions) = match &answer.verdict {
        Reaching::Unreachable(Evidence::Proof { refutation: r, .. }) => {
            (&r.clauses, &r.assumptions)
        }
        _ => answer.clauses.as_ref().map(|c| (&c.clauses, &c.assumptions))?,
    };
    let comment = format!(
        "{}: {}\nIt has a solution if and only if this can be reached within what was explored.",
        visible(&source.name),
        visible(&answer.goal)
    );
    let clauses: Vec<Vec<Lit>> = clauses.iter().map(|clause| lits(clause)).collect();
    let assumptions = lits(assumptions);
    let all = clauses.iter().flatten().chain(&assumptions);
    let variables = all.map(|lit| lit.variable() + 1).max().unwrap_or(0);
    Some(write_dimacs(&comment, variables, &clauses, &assumptions))
}

fn proof(answer: &Answer) -> Result<String, &'static str> {
    match &answer.verdict {
        Reaching::Reachable(_) => Err("the goal is reachable"),
        Reaching::Unknown(_) => Err("there is no answer"),
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
