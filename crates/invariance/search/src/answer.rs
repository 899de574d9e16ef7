//! The answer about a file: proved, refuted, not inductive, or not known.

use crate::certify::certify;
use crate::counter::{CounterModel, counter_model, sufficient};
use crate::decide::Reason;
use crate::explore::{Bounds, Explored, FaultKind, explore};
use crate::prove::{Options, Proofs, Status, prove};
use crate::steps::Steps;
use ser_base::{Limits, Stop};
use ser_invariance_checker::run::Value;
use ser_invariance_checker::{Certificate, Claim, Run};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{InvId, LocId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// What was found about a file.
pub struct Answer<'s> {
    pub proofs: Proofs<'s>,
    /// Counter-models of the conditions that fail, in their order.
    pub counter_models: Vec<CounterModel>,
    pub verdict: Verdict,
    /// The instances that were explored.
    pub explored: Vec<Explored>,
    /// Locations that no explored instance reaches, though control can get there.
    pub unreached: Vec<LocId>,
    /// What shows the verdict: a run if it is refuted, and otherwise a proof of what is proved (if
    /// there is something).
    pub certificate: Option<Certificate>,
    /// A proof of what is proved besides, if the certificate is not about that.
    pub besides: Option<Certificate>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All invariants hold, for any number of threads, and no step is an error.
    Proved,
    /// An instance violates them.
    Refuted(Vec<Refutation>),
    /// Some conditions fail, but no instance that was explored violates an invariant: the proof
    /// lacks support, or larger instances do.
    NotInductive,
    /// Some conditions were not decided.
    Unknown(Reason),
    /// A proved invariant is violated by an instance. This is an error of `ser`, and nothing is
    /// claimed.
    Contradiction(InvId),
}

/// A run that shows what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    pub run: Run,
    pub what: Wrong,
}

/// What is wrong at the end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// A conjunct of an invariant does not hold.
    Violated(InvId, usize),
    /// The last step, from this location, is an error.
    Error(FaultKind, LocId),
    /// This thread waits forever.
    Waits(u32),
}

/// How much of small instances is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// States of each instance, if something is not proved.
    pub states: usize,
    /// States of each instance, if everything is proved: which locations are reached at all?
    pub glance: usize,
    /// The largest number of threads.
    pub threads: u32,
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { states: 300_000, glance: 1_500, threads: 3, time: Duration::from_secs(20) }
    }
}

/// Proves what can be proved, and looks for runs that violate the rest.
pub fn answer<'s>(
    text: &str,
    system: &'s System,
    options: &Options,
    effort: &Effort,
    limits: &Limits,
) -> Answer<'s> {
    let mut proofs = prove(system, options, limits);
    let counter_models = counter_models(&mut proofs, limits);
    let hints = numbers_in(&counter_models);
    let explored = instances(&proofs, &hints, effort, limits);
    let unreached = unreached(&proofs.conditions.steps, &explored);
    let mut verdict = verdict(&proofs, &counter_models, &explored);
    // What holds because no run starts does not help anybody.
    let started = explored.iter().any(|it| it.initial > 0);
    if verdict == Verdict::Proved && !started && proofs.conditions.never_starts(limits) {
        verdict = Verdict::Unknown(Reason::NoStart);
    }
    let proved = certify(text, &proofs);
    let (certificate, besides) = match &verdict {
        Verdict::Refuted(runs) => {
            let run = runs.first().map(|it| Certificate::new(text, Claim::Refuted(it.run.clone())));
            (run, proved)
        }
        Verdict::Unknown(Reason::NoStart) => (None, proved),
        Verdict::Proved => (proved, None),
        Verdict::NotInductive | Verdict::Unknown(_) => {
            match proofs.invariants.iter().any(|it| it.proved) {
                true => (proved, None),
                false => (None, proved),
            }
        }
        Verdict::Contradiction(_) => (None, None),
    };
    Answer { proofs, counter_models, verdict, explored, unreached, certificate, besides }
}

fn counter_models(proofs: &mut Proofs<'_>, limits: &Limits) -> Vec<CounterModel> {
    let Proofs { invariants, safety, conditions } = proofs;
    let own = invariants.iter_mut().flat_map(|judged| {
        let id = Some(judged.invariant);
        judged.conditions.iter_mut().map(move |condition| (id, condition))
    });
    let steps = safety.conditions.iter_mut().map(|condition| (None, condition));
    let mut found = Vec::new();
    for (invariant, condition) in own.chain(steps) {
        let Status::Fails(failure) = &condition.status else { continue };
        match counter_model(conditions, invariant, condition, failure) {
            Some(mut model) => {
                if let Some(invariant) = invariant.filter(|_| !model.excluded_by.is_empty()) {
                    let (premise, case) = (condition.premise, &failure.case);
                    model.suffices = sufficient(conditions, invariant, premise, case, limits);
                }
                found.push(model);
            }
            // A solution that is no model says nothing.
            None => condition.status = Status::Unknown(Reason::NoModel),
        }
    }
    found
}

/// Numbers of counter-models, the smallest few: where something may have any value, one of these
/// may be needed.
fn numbers_in(models: &[CounterModel]) -> Vec<i64> {
    let mut found = BTreeSet::new();
    let mut see = |value: &Value| match value {
        Value::Int(number) => drop(found.insert(*number)),
        Value::Set(members) => found.extend(members.iter().filter_map(|it| match it {
            Value::Int(number) => Some(*number),
            _ => None,
        })),
        _ => {}
    };
    for model in models {
        for state in [Some(&model.before), model.after.as_ref()].into_iter().flatten() {
            state.globals.iter().for_each(&mut see);
            state.threads.iter().flat_map(|it| &it.locals).for_each(&mut see);
        }
        model.chosen.iter().for_each(&mut see);
    }
    let mut found: Vec<i64> = found.into_iter().collect();
    found.sort_by_key(|number| (number.unsigned_abs(), *number < 0));
    found.retain(|number| !(0..=1).contains(number));
    found.truncate(MAX_HINTS);
    found
}

/// How many numbers of counter-models are tried.
const MAX_HINTS: usize = 4;

/// Explores small instances: a glance if everything is proved (until every location was seen, or it
/// takes too long), and otherwise until something is found.
fn instances(
    proofs: &Proofs<'_>,
    hints: &[i64],
    effort: &Effort,
    limits: &Limits,
) -> Vec<Explored> {
    let mut limits = limits.clone();
    let end = Instant::now() + effort.time;
    if limits.deadline.is_none_or(|(deadline, _)| deadline > end) {
        limits.deadline = Some((end, effort.time));
    }
    let (steps, system) = (&proofs.conditions.steps, proofs.conditions.system());
    let all = proofs.all();
    let mut explored: BTreeMap<u32, Explored> = BTreeMap::new();
    let counts: Vec<u32> = match (system.threads, all) {
        (Some(fixed), _) => vec![fixed],
        (None, true) => (1..=effort.threads.clamp(1, 2)).collect(),
        (None, false) => (1..=effort.threads.max(1)).collect(),
    };
    let sizes = match all {
        true => [effort.glance, 10 * effort.glance],
        false => [effort.states / 20, effort.states],
    };
    for states in sizes {
        for threads in &counts {
            if explored.get(threads).is_some_and(Explored::is_exhausted) {
                continue;
            }
            let (hints, usual) = (hints.to_vec(), Bounds::default());
            let ints = usual.ints + hints.len();
            let bounds = Bounds { threads: *threads, states, ints, hints, ..usual };
            explored.insert(*threads, explore(system, &bounds, &limits));
            let found: Vec<Explored> = explored.values().cloned().collect();
            let enough = match all {
                true => unreached(steps, &found).is_empty() && explored.len() == counts.len(),
                false => !wrong(proofs, &found).is_empty(),
            };
            if enough || limits.check_clock().is_err() {
                return found;
            }
        }
    }
    explored.into_values().collect()
}

/// What is wrong in the instances, in the order of the file.
fn wrong(proofs: &Proofs<'_>, explored: &[Explored]) -> Vec<Refutation> {
    let mut found: Vec<Refutation> = Vec::new();
    for judged in proofs.invariants.iter().filter(|it| !it.proved) {
        let violations = explored.iter().flat_map(|it| &it.violations);
        if let Some(it) = violations.into_iter().find(|it| it.invariant == judged.invariant) {
            let what = Wrong::Violated(it.invariant, it.conjunct);
            found.push(Refutation { run: it.run.clone(), what });
        }
    }
    if !proofs.safety.proved {
        for it in explored.iter().flat_map(|it| &it.faults) {
            let what = Wrong::Error(it.fault.kind, it.location);
            if !found.iter().any(|other| other.what == what) {
                found.push(Refutation { run: it.run.clone(), what });
            }
        }
    }
    found
}

fn verdict(proofs: &Proofs<'_>, models: &[CounterModel], explored: &[Explored]) -> Verdict {
    for judged in proofs.invariants.iter().filter(|it| it.proved) {
        let violations = explored.iter().flat_map(|it| &it.violations);
        if violations.into_iter().any(|it| it.invariant == judged.invariant) {
            return Verdict::Contradiction(judged.invariant);
        }
    }
    if proofs.all() {
        return Verdict::Proved;
    }
    let wrong = wrong(proofs, explored);
    if !wrong.is_empty() {
        return Verdict::Refuted(wrong);
    }
    let own = proofs.invariants.iter().flat_map(|it| &it.conditions);
    let unknown = own.chain(&proofs.safety.conditions).find_map(|it| match &it.status {
        Status::Unknown(reason) => Some(reason.clone()),
        _ => None,
    });
    match unknown {
        Some(reason) if models.is_empty() => Verdict::Unknown(reason),
        Some(Reason::Stopped(stop @ (Stop::Time { .. } | Stop::Cancelled))) => {
            Verdict::Unknown(Reason::Stopped(stop))
        }
        _ => Verdict::NotInductive,
    }
}

/// Locations that control can reach and no explored instance does.
fn unreached(steps: &Steps<'_>, explored: &[Explored]) -> Vec<LocId> {
    if explored.is_empty() {
        return Vec::new();
    }
    let mut possible = BTreeSet::new();
    let mut open = vec![steps.control.entry()];
    while let Some(location) = open.pop() {
        if possible.insert(location) {
            open.extend(steps.successors(location));
        }
    }
    let reached = |it: &LocId| {
        explored.iter().any(|e| e.reached.get(it.0 as usize).copied().unwrap_or(false))
    };
    possible.into_iter().filter(|it| !reached(it)).collect()
}
