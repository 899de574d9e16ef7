//! Discovery: support invariants from the program and the goal alone.
//!
//! 1. [`candidates`] writes down what could be true: at each location, comparisons of variables of
//!    one type, memberships, who owns what, some of it under a condition; of two threads, that they
//!    are not at two locations at once, and how their variables compare.
//! 2. Those that a small instance refutes are dropped ([`crate::explore`] visits its states).
//! 3. *Houdini* (`houdini`): assume all that are left, before each step, and drop those that a
//!    counter-model breaks, until nothing is broken. What is left is inductive, together with the
//!    goals (or without those that were broken).
//! 4. Of that, what the goals need is kept, and as little of it as possible (`shorter`).
//!
//! If the goals do not follow, what settles some of their conditions (or shows that some step is no
//! error) is kept all the same.
//!
//! The result is text: a file that can be read, kept and checked like any other. Nothing is
//! trusted: what comes out goes through [`prove`] as if somebody had written it.

mod atoms;
mod candidates;
mod goals;
mod houdini;
mod relevance;
mod say;
mod shorter;
mod text;

pub use candidates::{Candidate, MOST, candidates};
pub use text::{named, without_proof};

use crate::prove::{Condition, Options, Premise, Proofs, Status, prove};
use goals::{Goals, with_candidates};
use houdini::{Houdini, Id};
use ser_base::{Limits, Stop, with_item};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::LocId;
use std::collections::BTreeSet;
use std::time::Instant;

#[derive(Clone, Debug)]
pub struct Discovery {
    /// The file with support invariants (names of statements may have been added).
    pub text: String,
    /// What was looked at.
    pub tried: Tried,
    /// The invariants that were added, as text.
    pub added: Vec<String>,
    /// How many things they say.
    pub sentences: usize,
    /// Whether nothing of it can be left out. If not, there was no time to find out.
    pub minimal: bool,
    /// How many conditions of goals and steps were open before.
    pub before: usize,
    /// Those that still are; if there are none, everything is proved.
    pub open: Vec<Open>,
}

/// A condition that is still open.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Open {
    /// The goal; nothing if a step may be an error.
    pub invariant: Option<String>,
    /// From where the step goes; nothing if it is about the start.
    pub location: Option<LocId>,
    /// How that place is called in the text, if it is.
    pub place: Option<String>,
}

/// What was looked at.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tried {
    /// How many candidates there were.
    pub candidates: usize,
    /// How many more there would have been.
    pub left_out: usize,
    /// How many of them small instances left.
    pub plausible: usize,
    /// How many of those were inductive.
    pub inductive: usize,
    /// The variables that they are about.
    pub variables: Vec<String>,
    /// Whether the time was not enough for those about two threads.
    pub hurried: bool,
}

/// Why nothing was discovered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Undiscovered {
    /// The goals do not follow from what is inductive, nor does any further condition of them.
    #[error("what is inductive among the candidates settles nothing")]
    TooWeak(Box<Tried>),
    /// The limits came first.
    #[error("{0}")]
    Stopped(#[from] Stop),
    /// The file cannot be extended.
    #[error("the file could not be extended: {0}")]
    Text(String),
}

/// Looks for support of the invariants of a file. `plausible` is given the file, with a name for
/// every statement, and candidates; it tells which of them no small instance refutes. What the file
/// says about its proof says nothing of support that is not there yet: it is left out.
pub fn infer(
    text: &str,
    plausible: impl FnOnce(&System, &[Candidate]) -> Vec<bool>,
    limits: &Limits,
) -> Result<Discovery, Undiscovered> {
    let bare = text::without_proof(text);
    let text = named(&bare);
    let system = read(&text)?;
    let before = prove(&system, &Options::default(), limits);
    limits.check_clock()?;
    let (all, left_out) = candidates(&system, limits)?;
    let mut tried = Tried {
        candidates: all.len(),
        left_out,
        variables: variables(&system),
        ..Tried::default()
    };
    let keep = plausible(&system, &all);
    let left: Vec<Candidate> =
        all.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(it, _)| it).collect();
    tried.plausible = left.len();
    let found = look(&system, left, &mut tried, limits)?;
    if found.kept.is_empty() {
        return Err(Undiscovered::TooWeak(Box::new(tried)));
    }
    finish(&bare, &text, &system, &before, found, tried, limits)
}

/// Candidates in an order in which it makes sense to look at them: what is easy and likely to be
/// enough comes first. All that came before is looked at again with what is new, so in the end the
/// order makes no difference.
fn stages(all: &[Candidate]) -> Vec<Vec<Id>> {
    const FEW: usize = 600;
    let implied = implied(all);
    let hard: Vec<usize> = all
        .iter()
        .zip(&implied)
        .map(|(it, implied)| match it {
            _ if *implied => 6,
            it if it.parameters() == 2 && it.weight > 2 => 5,
            it if it.rare => 4,
            it if it.given.is_some() => 3,
            it if it.parameters() == 2 => 2,
            it if it.reads_cells() => 1,
            _ => 0,
        })
        .collect();
    let up_to = |most: usize| {
        let all = (0..all.len() as Id).filter(|id| hard[*id as usize] <= most);
        all.collect::<Vec<Id>>()
    };
    let mut stages: Vec<Vec<Id>> = match all.len() {
        0..FEW => vec![],
        _ => (0..6).map(up_to).collect(),
    };
    stages.push(up_to(6));
    stages.dedup_by_key(|it| it.len());
    stages
}

/// Which candidates say less than another one that is looked at, too: the same of fewer places, or
/// under a condition.
fn implied(all: &[Candidate]) -> Vec<bool> {
    let said: BTreeSet<(&[LocId], &str, &str)> =
        all.iter().map(|it| (it.at.as_slice(), it.said.0.as_str(), it.said.1.as_str())).collect();
    let is_said = |at: &[LocId], given: &str, atom: &str| said.contains(&(at, given, atom));
    let one = |it: &Candidate| {
        let (given, atom) = (it.said.0.as_str(), it.said.1.as_str());
        let impossible = it.parameters() == 2 && (given, atom) != ("", "false") && {
            let [first, second] = [it.at[0], it.at[1]];
            is_said(&[first.min(second), first.max(second)], "", "false")
        };
        impossible
            || (!given.is_empty() && is_said(&it.at, "", atom))
            || (it.parameters() > 0 && (is_said(&[], given, atom) || is_said(&[], "", atom)))
    };
    all.iter().map(one).collect()
}

/// What was found among some candidates.
struct Found {
    kept: Vec<Candidate>,
    /// Goals that hold with it.
    goals: Vec<bool>,
    minimal: bool,
    is_all: bool,
}

/// Drops what is not inductive, and then what is not needed.
fn look(
    system: &System,
    candidates: Vec<Candidate>,
    tried: &mut Tried,
    limits: &Limits,
) -> Result<Found, Stop> {
    let (soon, later, last) = (share(limits, 0.5), share(limits, 0.6), share(limits, 0.75));
    let stages = stages(&candidates);
    let mut houdini = Houdini::new(system, candidates);
    let mut settled: Option<Vec<usize>> = None;
    for stage in stages {
        houdini.assume(stage);
        let least = settled.as_ref().map_or(0, Vec::len);
        match stage_of(system, &mut houdini, &soon) {
            // With more to choose from, a condition may become too hard to decide.
            Ok(Settled { targets, .. }) if targets.len() < least => houdini.forget(),
            Ok(Settled { targets, is_all }) => {
                houdini.learn();
                settled = Some(targets);
                if is_all {
                    break;
                }
            }
            Err(stop) => {
                // What was found before is still true.
                limits.check_clock()?;
                houdini.forget();
                if settled.is_none() {
                    return Err(stop);
                }
                tried.hurried = true;
                break;
            }
        }
    }
    let settled = settled.unwrap_or_default();
    let (extended, ids, sites) = inductive(system, &houdini);
    tried.inductive = ids.len();
    let mut goals = Goals::new(&extended, system.invariants.len(), ids, sites);
    let is_all = settled.len() == goals.targets.len();
    let (kept, minimal) = match shorter::shorter(&mut houdini, &mut goals, &settled, &later, &last)
    {
        Some(both) => both,
        None => {
            last.check_clock()?;
            (BTreeSet::new(), true)
        }
    };
    let kept = kept.into_iter().map(|id| houdini.candidates[id as usize].clone());
    let count = system.invariants.len();
    let goals = (0..count).map(|it| houdini.alive[houdini.goal(it) as usize]).collect();
    Ok(Found { kept: kept.collect(), goals, minimal, is_all })
}

/// What the candidates of a stage have settled.
struct Settled {
    targets: Vec<usize>,
    is_all: bool,
}

/// The system with what is inductive, which candidates these are, and where they stand.
fn inductive(system: &System, houdini: &Houdini<'_>) -> (System, Vec<Id>, Vec<Vec<LocId>>) {
    let count = houdini.candidates.len();
    let ids: Vec<Id> = (0..count as Id).filter(|id| houdini.alive[*id as usize]).collect();
    let all: Vec<Candidate> =
        ids.iter().map(|id| houdini.candidates[*id as usize].clone()).collect();
    let sites = all.iter().map(|it| it.at.clone()).collect();
    (with_candidates(system, &all), ids, sites)
}

/// Drops what is not inductive of what is assumed, candidates and goals, and tells which conditions
/// of goals and steps are valid then.
fn stage_of(system: &System, houdini: &mut Houdini<'_>, limits: &Limits) -> Result<Settled, Stop> {
    houdini.run(limits)?;
    loop {
        let (extended, ids, sites) = inductive(system, houdini);
        let mut goals = Goals::new(&extended, system.invariants.len(), ids, sites);
        let goal_id = |place: usize| houdini.goal(place);
        let mut targets: Vec<usize> = Vec::new();
        let mut broken: BTreeSet<usize> = BTreeSet::new();
        for target in 0..goals.targets.len() {
            limits.check_clock()?;
            let allowed = |id: Id| houdini.alive[id as usize];
            match goals.needs(target, &goal_id, &allowed, limits) {
                Some(_) => targets.push(target),
                None => broken.extend(goals.targets[target].goal),
            }
        }
        limits.check_clock()?;
        let lost: Vec<Id> = broken.into_iter().map(|it| houdini.goal(it)).collect();
        let lost: Vec<Id> = lost.into_iter().filter(|it| houdini.alive[*it as usize]).collect();
        if lost.is_empty() {
            let is_all = targets.len() == goals.targets.len();
            return Ok(Settled { targets, is_all });
        }
        for goal in lost {
            houdini.without(goal, limits)?;
        }
    }
}

/// The same limits, with a part of the time that is left.
fn share(limits: &Limits, part: f64) -> Limits {
    let mut limits = limits.clone();
    if let Some((at, given)) = limits.deadline {
        let left = at.saturating_duration_since(Instant::now());
        limits.deadline = Some((Instant::now() + left.mul_f64(part), given));
    }
    limits
}

/// Writes down what was found, and proves it.
fn finish(
    bare: &str,
    text: &str,
    system: &System,
    before: &Proofs<'_>,
    found: Found,
    tried: Tried,
    limits: &Limits,
) -> Result<Discovery, Undiscovered> {
    let sentences = text::sentences(system, &text::labels(text), &found.kept);
    let declared = text::declarations(text, &sentences);
    let added: Vec<String> = declared.iter().map(|(_, it)| it.clone()).collect();
    let mut behind = added.join("\n");
    if !found.is_all {
        behind.push_str(&support(system, &found, &declared));
    }
    let start = text::only_names_in_use(bare, text, &behind);
    let result = with_item(&start, &format!("\n// Found by `ser prove --infer`.\n{behind}"));
    // What is handed out is what was proved, and not only something like it.
    let completed = read(&result)?;
    let after = prove(&completed, &Options::default(), limits);
    let goals = system.invariants.len();
    let holds = after.invariants.iter().skip(goals).all(|it| it.proved);
    let open: Vec<Open> = still_open(&after, goals, &completed);
    let count = still_open(before, goals, system).len();
    if !holds || open.len() >= count || (found.is_all && !after.all()) {
        limits.check_clock()?;
        return Err(Undiscovered::TooWeak(Box::new(tried)));
    }
    Ok(Discovery {
        text: result,
        tried,
        added,
        sentences: sentences.len(),
        minimal: found.minimal,
        before: count,
        open,
    })
}

/// What is found must not rest on goals that do not hold: a proof that says so.
fn support(system: &System, found: &Found, declared: &[(String, String)]) -> String {
    let goals = system.invariants.iter().zip(&found.goals).filter(|(_, holds)| **holds);
    let goals: Vec<&str> = goals.map(|(it, _)| it.name.text.as_str()).collect();
    let mut result = "\nproof {\n".to_owned();
    for (name, _) in declared {
        let others = declared.iter().map(|(it, _)| it.as_str()).filter(|it| it != name);
        let all: Vec<&str> = others.chain(goals.iter().copied()).collect();
        match all.is_empty() {
            true => result.push_str(&format!("    {name};\n")),
            false => result.push_str(&format!("    {name} from {};\n", all.join(", "))),
        }
    }
    result + "}\n"
}

/// The conditions of goals and of steps that are not valid.
fn still_open(proofs: &Proofs<'_>, goals: usize, system: &System) -> Vec<Open> {
    let of = |invariant: Option<String>, condition: &Condition| {
        let location = condition.location.filter(|_| condition.premise != Premise::Initiation);
        let place = location.and_then(|it| text::name(system, it));
        Open { invariant, location, place }
    };
    let is_open = |it: &&Condition| !matches!(it.status, Status::Valid { .. });
    let mut all = Vec::new();
    for (judged, invariant) in proofs.invariants.iter().zip(&system.invariants).take(goals) {
        let name = Some(invariant.name.text.clone());
        all.extend(judged.conditions.iter().filter(is_open).map(|it| of(name.clone(), it)));
    }
    all.extend(proofs.safety.conditions.iter().filter(is_open).map(|it| of(None, it)));
    all
}

/// The names of all variables of a program, those of candidates.
fn variables(system: &System) -> Vec<String> {
    let globals = system.globals.iter().map(|it| &it.name.text);
    let locals = system.locals.iter().map(|it| &it.name.text);
    let mut seen = BTreeSet::new();
    globals.chain(locals).filter(|it| seen.insert(*it)).cloned().collect()
}

fn read(text: &str) -> Result<System, Undiscovered> {
    let parse = ser_syntax::inv::parse(text);
    match parse.diagnostics.iter().find(|it| it.is_error()) {
        Some(error) => Err(Undiscovered::Text(error.message.clone())),
        None => Ok(parse.system),
    }
}
