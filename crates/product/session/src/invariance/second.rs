//! A second opinion on conditions: as scripts for SMT solvers, and what a solver that is installed
//! says.

use ser_invariance_search::conditions::{Conditions, Tactics};
use ser_invariance_search::cross_check::{CrossCheckError, SmtAnswer, Solver};
use ser_invariance_search::prove::{Options, judge};
use ser_invariance_search::smtlib::Size;
use ser_model::Limits;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::InvId;
use std::time::Duration;

/// A condition as a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// A name for its file.
    pub name: String,
    /// The script: `unsat` if the condition is valid.
    pub text: String,
    /// Whether `ser` says that it is.
    pub valid: Option<bool>,
}

/// What a solver says about the conditions of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Opinion {
    /// The solver.
    pub solver: String,
    /// How many conditions it agrees on.
    pub agrees: usize,
    /// How many it does not know about, or cannot settle with so few cells.
    pub open: usize,
    /// Those about which it says something else.
    pub differs: Vec<Script>,
}

/// Every case of every condition that is not decided by its form alone, in full.
pub fn scripts(system: &System, limits: &Limits) -> Vec<Script> {
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
            let name = format!("{}_{:04}.smt2", invariant.name.text, number + 1);
            all.push(Script { name, text, valid });
        }
    }
    all
}

/// Asks a solver about all conditions.
pub fn cross_check(
    system: &System,
    named: Option<&str>,
    each: Duration,
    limits: &Limits,
) -> Result<Opinion, CrossCheckError> {
    let solver = Solver::find(named)?;
    let mut opinion =
        Opinion { solver: solver.program.display().to_string(), ..Opinion::default() };
    let heap = ser_invariance_search::cases::has_heap(system);
    for script in scripts(system, limits) {
        if limits.check_clock().is_err() {
            opinion.open += 1;
            continue;
        }
        match (solver.check(&script.text, each)?, script.valid) {
            (SmtAnswer::Unsat, Some(true)) | (SmtAnswer::Sat, Some(false)) => opinion.agrees += 1,
            (SmtAnswer::Sat, Some(true)) => opinion.differs.push(script),
            (SmtAnswer::Unsat, Some(false)) if !heap => opinion.differs.push(script),
            // Models may need more cells than the script has.
            _ => opinion.open += 1,
        }
    }
    Ok(opinion)
}
