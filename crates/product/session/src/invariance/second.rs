//! A second opinion: the conditions of a file as scripts for SMT solvers, and what one of them
//! says.

use super::Invariance;
use ser_base::Limits;
use ser_invariance_search::cases::has_heap;
use ser_invariance_search::conditions::{Conditions, Tactics};
use ser_invariance_search::cross_check::{CrossCheckError, SmtAnswer, Solver};
use ser_invariance_search::prove::{Options, judge};
use ser_invariance_search::smtlib::Size;
use ser_report::text::{and, count};
use ser_report::{Answer, Attachment, Block, Report, Section, SourceError};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::InvId;
use serde_json::json;
use std::time::{Duration, Instant};

/// A solver may think about a condition for so long.
const EACH: Duration = Duration::from_secs(20);

/// A condition as a script.
struct Script {
    name: String,
    /// `unsat` if the condition is valid.
    text: String,
    /// Whether `ser` says that it is.
    valid: Option<bool>,
}

/// Adds the scripts and the opinion to a report, as far as these are wanted. Without the solver's
/// consent there is no verdict.
pub(super) fn opinion(options: &Invariance, system: &System, report: &mut Report, limits: &Limits) {
    if !options.scripts && options.cross_check.is_none() {
        return;
    }
    let scripts = scripts(system, limits);
    if let Some(solver) = &options.cross_check {
        let name = solver.program.display();
        match cross_check(solver, &scripts, has_heap(system), limits) {
            Ok(said) if said.differs.is_empty() => {
                let agrees = count(said.agrees, "script");
                let words =
                    format!("{name} agrees on {agrees}, and does not settle {}.", said.open);
                report.sections.push(Section::of([Block::Remark(words)]));
                let data = json!({ "agrees": said.agrees, "open": said.open });
                report.data.insert("cross_check".to_owned(), data);
            }
            Ok(said) => {
                let words = format!("{name} does not agree on {}", and(&said.differs));
                *report =
                    Report::new(&report.file, report.question.clone(), Answer::Withheld(words));
            }
            Err(error) => {
                let error = SourceError::unreadable(error.to_string(), "leave out --cross-check");
                report.answer = Answer::Error(error);
            }
        }
    }
    if options.scripts {
        let named = |it: &Script| format!("(reset)\n(echo \"{}\")\n{}", it.name, it.text);
        let text = match scripts.is_empty() {
            true => Err("no condition needs a solver".to_owned()),
            false => Ok(scripts.iter().map(named).collect()),
        };
        report.attachments.push(Attachment { option: "--smtlib", text });
    }
}

/// Every case of every condition that is not decided by its form alone, in full.
fn scripts(system: &System, limits: &Limits) -> Vec<Script> {
    let tactics = Tactics { simplify: false, ..Tactics::default() };
    let mut conditions = Conditions::new(system, tactics);
    if conditions.too_many().is_some() {
        return Vec::new();
    }
    conditions.keep_scripts(Size::default());
    let mut all = Vec::new();
    for (place, invariant) in system.invariants.iter().enumerate() {
        judge(&mut conditions, InvId(place as u32), &Options::default(), limits);
        for (number, (text, valid)) in conditions.take_scripts().into_iter().enumerate() {
            all.push(Script {
                name: format!("{}_{:04}", invariant.name.text, number + 1),
                text,
                valid,
            });
        }
    }
    all
}

/// What a solver says about scripts.
#[derive(Default)]
struct Opinion {
    agrees: usize,
    /// How many it does not know about, or cannot settle with so few cells.
    open: usize,
    /// The names of those about which it says something else.
    differs: Vec<String>,
}

fn cross_check(
    solver: &Solver,
    scripts: &[Script],
    has_heap: bool,
    limits: &Limits,
) -> Result<Opinion, CrossCheckError> {
    let mut opinion = Opinion::default();
    for Script { name, text, valid } in scripts {
        let left = limits.deadline.map(|(at, _)| at.saturating_duration_since(Instant::now()));
        let time = left.map_or(EACH, |left| left.min(EACH));
        if limits.check_clock().is_err() {
            opinion.open += 1;
            continue;
        }
        match (solver.check(text, time)?, valid) {
            (SmtAnswer::Unsat, Some(true)) | (SmtAnswer::Sat, Some(false)) => opinion.agrees += 1,
            (SmtAnswer::Sat, Some(true)) => opinion.differs.push(name.clone()),
            (SmtAnswer::Unsat, Some(false)) if !has_heap => opinion.differs.push(name.clone()),
            // Models may need more cells than the script has.
            _ => opinion.open += 1,
        }
    }
    Ok(opinion)
}
