//! Discovery: support invariants from the program and the goal alone.
//!
//! 1. [`candidates`] writes down what could be true: at each location, comparisons of variables of one type, memberships, who owns what; of
//!    two threads, that they are not at two locations at once, and how their variables compare.
//! 2. Those that a small instance refutes are dropped ([`crate::explore`] visits its states).
//! 3. *Houdini*: assume all that are left, before each step, and drop those that a counter-model breaks, until nothing is
//!    broken. What is left is inductive, together with the goals (or without those that were broken).
//! 4. Of that, what the proof of the goals used is kept, and as little of it as possible.
//!
//! Candidates are text in the language of the file, so that the result is a file that can be read, kept and checked like any other.
//! Nothing is trusted: what comes out goes through [`prove`] as if somebody had written it.

mod candidates;

pub use candidates::{Candidate, candidates, named, places};

use crate::conditions::{Case, Conditions, Found, Tactics};
use crate::prove::{Options, Proofs, Status, prove, transitions};
use ser_lang::inv::System;
use ser_lang::inv::ast::{InvId, LocId};
use ser_lang::lexer::lex;
use ser_model::{Limits, Stop};
use ser_premises::Mover;
use std::collections::BTreeSet;

/// What was discovered.
#[derive(Clone, Debug)]
pub struct Discovery {
    /// The file with support invariants that make the proof go through (names of statements may have been added).
    pub text: String,
    /// How many candidates there were.
    pub candidates: usize,
    /// How many of them small instances left.
    pub plausible: usize,
    /// How many of those were inductive.
    pub inductive: usize,
    /// The invariants that were added, as text.
    pub added: Vec<String>,
}

/// Why nothing was discovered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Undiscovered {
    /// The goals do not follow from what is inductive.
    #[error(
        "of {candidates} candidates {inductive} are inductive, but they do not support the goal"
    )]
    TooWeak {
        /// How many candidates there were.
        candidates: usize,
        /// How many are inductive.
        inductive: usize,
    },
    /// The limits came first.
    #[error("{0}")]
    Stopped(#[from] Stop),
    /// The file cannot be extended.
    #[error("the file could not be extended: {0}")]
    Text(String),
}

/// Looks for support of the invariants of a file. `plausible` is given the file with all candidates as further invariants, behind its own
/// (where each of them stands is what [`places`] says), and tells which of them no small instance refutes. What the file says about its
/// proof says nothing of support that is not there yet: it is left out.
pub fn infer(
    text: &str,
    plausible: impl FnOnce(&System, &[Candidate]) -> Vec<bool>,
    limits: &Limits,
) -> Result<Discovery, Undiscovered> {
    let text = named(&without_proof(text));
    let goals = read(&text)?;
    let all = candidates(&goals);
    let total = all.len();
    let with_all = read(&extended(&text, &all, false))?;
    let keep = plausible(&with_all, &all);
    let left: Vec<Candidate> =
        all.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(it, _)| it).collect();
    let count = left.len();
    let mut system = read(&extended(&text, &left, false))?;
    system.proof = None;
    let inductive = houdini(&system, goals.invariants.len(), left, limits)?;
    let (inductive_count, proofs_hold) = (inductive.len(), |some: &[Candidate]| {
        let system = read(&extended(&text, some, false));
        system.is_ok_and(|mut system| {
            system.proof = None;
            prove(&system, &Options::default(), limits).all()
        })
    });
    let too_weak = Undiscovered::TooWeak { candidates: total, inductive: inductive_count };
    let mut system = read(&extended(&text, &inductive, false))?;
    system.proof = None;
    let proofs = prove(&system, &Options::default(), limits);
    if !proofs.all() {
        limits.check_clock()?;
        return Err(too_weak);
    }
    let mut kept = used(&proofs, goals.invariants.len(), inductive.clone());
    // What conjuncts of one invariant need of each other leaves no trace.
    if kept.len() < inductive.len() && !proofs_hold(&kept) {
        kept = inductive;
    }
    // Less is more: without each group in turn, the largest first.
    let groups: BTreeSet<(usize, String)> =
        kept.iter().map(|it| (it.parameters, it.atom.clone())).collect();
    for group in groups.into_iter().rev() {
        limits.check_clock()?;
        let fewer: Vec<Candidate> = kept
            .iter()
            .filter(|it| (it.parameters, &it.atom) != (group.0, &group.1))
            .cloned()
            .collect();
        if fewer.len() < kept.len() && proofs_hold(&fewer) {
            kept = fewer;
        }
    }
    let merged = candidates::merge(&goals, &kept);
    let result = extended(&text, &merged, true);
    // What is handed out is what was proved, and not only something like it.
    if !prove(&read(&result)?, &Options::default(), limits).all() {
        limits.check_clock()?;
        return Err(too_weak);
    }
    let added = candidates::declarations(&text, &merged);
    Ok(Discovery {
        text: result,
        candidates: total,
        plausible: count,
        inductive: inductive_count,
        added,
    })
}

fn read(text: &str) -> Result<System, Undiscovered> {
    let parse = ser_lang::inv::parse(text);
    match parse.diagnostics.iter().find(|it| it.is_error()) {
        Some(error) => Err(Undiscovered::Text(error.message.clone())),
        None => Ok(parse.system),
    }
}

/// The file without its `proof { ... }`.
fn without_proof(text: &str) -> String {
    let Some(proof) = ser_lang::inv::parse(text).system.proof else { return text.to_owned() };
    let start = proof.span.start;
    let mut depth = 0_usize;
    for token in lex(text).into_iter().filter(|token| token.span.start >= start) {
        match token.text(text) {
            "{" => depth += 1,
            "}" if depth == 1 => {
                let kept = text.get(..start as usize).unwrap_or_default();
                let behind = text.get(token.span.end as usize..).unwrap_or_default();
                return format!("{}\n{behind}", kept.trim_end());
            }
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.to_owned()
}

/// The file with candidates as invariants.
fn extended(text: &str, candidates: &[Candidate], finished: bool) -> String {
    let mut result = text.trim_end().to_owned();
    result.push_str("\n\n");
    if finished && !candidates.is_empty() {
        result.push_str("// Found by `ser prove --infer`.\n");
    }
    for declaration in candidates::declarations(text, candidates) {
        result.push_str(&declaration);
        result.push('\n');
    }
    result
}

/// Drops candidates until nothing is broken; the first `goals` invariants of the system are not candidates.
fn houdini(
    system: &System,
    goals: usize,
    candidates: Vec<Candidate>,
    limits: &Limits,
) -> Result<Vec<Candidate>, Undiscovered> {
    let mut conditions = Conditions::new(system, Tactics::default());
    let invariants: Vec<InvId> = (0..system.invariants.len() as u32).map(InvId).collect();
    let support: Vec<(InvId, Option<u32>)> = invariants.iter().map(|it| (*it, None)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for invariant in &invariants {
            for case in cases(&mut conditions, *invariant) {
                loop {
                    limits.check_clock()?;
                    let found = match case.mover {
                        Mover::Nobody => conditions.start(*invariant, &case.partition, limits),
                        _ => conditions.step(*invariant, &case, &support, limits),
                    };
                    let broken = match found {
                        Found::Valid { .. } => break,
                        Found::Model { solution, .. } => {
                            conditions.broken(*invariant, &case, &solution)
                        }
                        // Not known to hold: all that this could be about.
                        Found::Unknown(_) => {
                            let count = system.invariants[invariant.0 as usize].conjuncts.len();
                            let all = 0..count as u32;
                            all.filter(|it| !conditions.is_given_up(*invariant, *it)).collect()
                        }
                    };
                    if broken.is_empty() {
                        break;
                    }
                    changed = true;
                    broken.into_iter().for_each(|it| conditions.give_up(*invariant, it));
                }
            }
        }
    }
    // Candidates are declared in their order, by number of parameters.
    let places = candidates::places(&candidates);
    let kept = candidates.into_iter().zip(places).filter(|(_, (invariant, conjunct))| {
        !conditions.is_given_up(InvId((goals + invariant) as u32), *conjunct)
    });
    Ok(kept.map(|(candidate, _)| candidate).collect())
}

fn cases(conditions: &mut Conditions<'_>, invariant: InvId) -> Vec<Case> {
    let nobody = conditions.partitions(invariant, Mover::Nobody).into_iter();
    let mut all: Vec<Case> = nobody
        .map(|partition| Case { mover: Mover::Nobody, location: LocId(0), path: 0, partition })
        .collect();
    let own = conditions.own_variables(invariant).into_iter().map(Mover::Variable);
    let movers: Vec<Mover> = own.chain([Mover::Fresh]).collect();
    for location in conditions.control.locations() {
        for mover in &movers {
            for path in transitions(conditions, location).into_iter().flatten() {
                for partition in conditions.partitions(invariant, *mover) {
                    all.push(Case { mover: *mover, location, path, partition });
                }
            }
        }
    }
    all
}

/// The candidates that the proofs of the goals need, directly or not.
fn used(proofs: &Proofs<'_>, goals: usize, candidates: Vec<Candidate>) -> Vec<Candidate> {
    // What a conjunct itself needs is not told apart: all that its invariant needs.
    let mut needed: BTreeSet<(InvId, u32)> = BTreeSet::new();
    let mut seen: BTreeSet<InvId> = BTreeSet::new();
    let mut open: Vec<InvId> = (0..goals as u32).map(InvId).collect();
    while let Some(invariant) = open.pop() {
        if !seen.insert(invariant) {
            continue;
        }
        for condition in &proofs.invariants[invariant.0 as usize].conditions {
            if let Status::Valid { support, .. } = &condition.status {
                for (used, conjunct) in support {
                    needed.insert((*used, *conjunct));
                    open.push(*used);
                }
            }
        }
    }
    for condition in &proofs.safety.conditions {
        if let Status::Valid { support, .. } = &condition.status {
            needed.extend(support);
        }
    }
    let places = candidates::places(&candidates);
    let kept = candidates.iter().zip(places).filter(|(_, (invariant, conjunct))| {
        needed.contains(&(InvId((goals + invariant) as u32), *conjunct))
    });
    let kept: Vec<Candidate> = kept.map(|(candidate, _)| candidate.clone()).collect();
    // An invariant supports its own conjuncts for free, so some may have been used without a trace.
    let text_holds = kept.len() == candidates.len();
    if text_holds { candidates } else { with_groups(candidates, &kept) }
}

/// All candidates that say the same as one that is kept, at any location.
fn with_groups(candidates: Vec<Candidate>, kept: &[Candidate]) -> Vec<Candidate> {
    let atoms: BTreeSet<(usize, &str)> =
        kept.iter().map(|it| (it.parameters, it.atom.as_str())).collect();
    let said = |it: &Candidate| atoms.contains(&(it.parameters, it.atom.as_str()));
    candidates.into_iter().filter(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: &str = "\
global x : int = 0;
thread { loop { x := x + 1; } }
invariant low() = x >= 0;
/* proof { */ proof acyclic { low { at 1 use low; } } // }
invariant high() = x < 5;
";

    #[test]
    fn the_proof_is_left_out_and_nothing_else() {
        let text = GOAL.replace("at 1 use low; ", "");
        let without = without_proof(&text);
        assert!(ser_lang::inv::parse(&text).system.proof.is_some());
        let system = ser_lang::inv::parse(&without).system;
        assert!(system.proof.is_none(), "{without}");
        assert_eq!(system.invariants.len(), 2, "{without}");
    }

    #[test]
    fn support_that_was_found_before_does_not_stand_in_the_way() {
        let text = "\
global avail, serving : int = 0;
thread {
    local ticket : int = 0;
    loop {
        take: atomic { ticket := avail; avail := avail + 1; }
        wait: await serving == ticket;
        leave: serving := serving + 1;
    }
}
invariant mutex(i, j) = i != j -> !(at(i, leave) && at(j, leave));
";
        let all = |_: &System, all: &[Candidate]| vec![true; all.len()];
        let first = infer(text, all, &Limits::default()).expect("support");
        let again = infer(&first.text, all, &Limits::default()).expect("support again");
        assert!(!first.added.is_empty() && again.text.contains("invariant inferred1("));
    }
}
