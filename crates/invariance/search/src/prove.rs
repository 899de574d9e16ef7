//! Proofs: all premises of all invariants of a file.
//!
//! For each invariant the conditions of rule G-INV are made and decided, each with the support that
//! the file allows it (everything, if the file says nothing about the invariant). What a proof
//! *used* decides what depends on what: an invariant is proved if all its conditions are valid and
//! everything that was used is proved, which is a greatest fixed point: circles are fine.

use crate::conditions::{Case, Conditions, Found, Pending, Tactics, Use};
use crate::decide::{Procedure, Reason, Solution};
use ser_base::Limits;
use ser_invariance_checker::{CaseProof, How, Instance, Lemma};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{InvId, LocId, Means, Premise as Moves};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which shortcuts are taken.
    pub tactics: Tactics,
    /// Only these invariants (and what they need), by name; all if there are none.
    pub only: Vec<String>,
}

/// Which premise a condition belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Premise {
    /// It holds at the start.
    Initiation,
    /// A step of one of its threads keeps it: the number of the variable.
    Own(u32),
    /// A step of any other thread keeps it.
    Other,
    /// It follows from others.
    Follows,
    /// A step is no error.
    Safety,
}

/// A condition as the paper counts them: a premise and a transition. It has a case for each path
/// and partition.
#[derive(Debug)]
pub struct Condition {
    pub premise: Premise,
    /// From where, if there is a step.
    pub location: Option<LocId>,
    /// Which of the transitions that are counted there, from 0.
    pub transition: u32,
    /// How many cases it has.
    pub cases: usize,
    pub status: Status,
}

/// What was found about a condition.
#[derive(Debug)]
pub enum Status {
    Valid {
        /// The strongest procedure that was needed.
        procedure: Procedure,
        /// Whether support was needed, and which: invariant and conjunct.
        support: BTreeSet<(InvId, u32)>,
    },
    /// It is not: the first case that is not.
    Fails(Box<Failure>),
    /// It was not found out.
    Unknown(Reason),
}

/// A case that is not valid.
#[derive(Debug)]
pub struct Failure {
    pub case: Case,
    /// A solution of its opposite.
    pub solution: Solution,
    /// Instances that were available and hold in it.
    pub available: Vec<Use>,
}

/// What was found about an invariant.
#[derive(Debug)]
pub struct Judged {
    pub invariant: InvId,
    /// The rule that its proof follows.
    pub rule: Rule,
    pub conditions: Vec<Condition>,
    /// The proofs of those cases that need one.
    pub how: How,
    /// Whether it is proved: all conditions are valid, and all it uses is proved.
    pub proved: bool,
    /// How long it took.
    pub time: Duration,
}

/// A rule of the paper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// Closed system, no support.
    Basic,
    /// It follows from others.
    Follows,
    /// Induction without support.
    Parametrized,
    /// Support that does not depend on it.
    Strengthening,
    /// Support that depends on it.
    Graph,
}

impl Rule {
    /// As the paper calls it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Basic => "B-INV",
            Rule::Follows => "INV",
            Rule::Parametrized => "P-INV",
            Rule::Strengthening => "SP-INV",
            Rule::Graph => "G-INV",
        }
    }
}

/// What was found about the steps themselves.
#[derive(Debug, Default)]
pub struct Safety {
    /// One for each transition that has obligations.
    pub conditions: Vec<Condition>,
    /// The proofs of those cases that need one.
    pub proofs: Vec<CaseProof>,
    /// Whether all hold, by invariants that are proved.
    pub proved: bool,
    /// How long it took.
    pub time: Duration,
}

/// What was found about a file.
pub struct Proofs<'s> {
    /// The invariants, in the order of the file.
    pub invariants: Vec<Judged>,
    /// That no step is an error.
    pub safety: Safety,
    /// Where terms of lemmas and solutions live.
    pub conditions: Conditions<'s>,
}

impl Proofs<'_> {
    /// Whether everything is proved.
    pub fn all(&self) -> bool {
        self.safety.proved && self.invariants.iter().all(|it| it.proved)
    }
}

/// Goes through all premises: of all invariants, or of those that are asked for and everything that
/// their proofs (and those of the steps) use.
pub fn prove<'s>(system: &'s System, options: &Options, limits: &Limits) -> Proofs<'s> {
    let mut conditions = Conditions::new(system, options.tactics);
    let all = (0..system.invariants.len() as u32).map(InvId);
    if let Some(reason) = conditions.too_many() {
        let invariants = all.map(|it| not_tried(it, &reason)).collect();
        return Proofs { invariants, safety: Safety::default(), conditions };
    }
    let (mut invariants, mut safety) = match options.only.is_empty() {
        true => {
            let judged: Vec<Judged> =
                all.map(|it| judge(&mut conditions, it, options, limits)).collect();
            let safety = safety(&mut conditions, limits);
            (judged, safety)
        }
        false => {
            let safety = safety(&mut conditions, limits);
            let name = |it: &InvId| &system.invariants[it.0 as usize].name.text;
            let mut open: Vec<InvId> = all.filter(|it| options.only.contains(name(it))).collect();
            open.extend(uses(&safety.conditions));
            let mut judged: BTreeMap<InvId, Judged> = BTreeMap::new();
            while let Some(next) = open.pop() {
                if let Entry::Vacant(place) = judged.entry(next) {
                    let found = judge(&mut conditions, next, options, limits);
                    open.extend(uses(&found.conditions));
                    place.insert(found);
                }
            }
            (judged.into_values().collect(), safety)
        }
    };
    settle(system, &mut invariants, &mut safety);
    if conditions.steps.is_too_large() {
        // Some formula is not what it should be, and it is not known which.
        let all = invariants.iter().map(|it| not_tried(it.invariant, &Reason::Arithmetic));
        invariants = all.collect();
        safety.proved = false;
    }
    Proofs { invariants, safety, conditions }
}

/// An invariant about which nothing is found out.
fn not_tried(invariant: InvId, reason: &Reason) -> Judged {
    let status = Status::Unknown(reason.clone());
    let premise = Premise::Initiation;
    let condition = Condition { premise, location: None, transition: 0, cases: 0, status };
    let how = How::Induction { initiation: Vec::new(), consecution: Vec::new() };
    let (rule, time) = (Rule::Parametrized, Duration::ZERO);
    Judged { invariant, rule, conditions: vec![condition], how, proved: false, time }
}

/// Decides all conditions of one invariant.
pub fn judge(
    conditions: &mut Conditions<'_>,
    invariant: InvId,
    options: &Options,
    limits: &Limits,
) -> Judged {
    let start = Instant::now();
    let system = conditions.system();
    let entry = system.proof.iter().flat_map(|proof| &proof.entries);
    let means = entry.clone().find(|it| it.invariant == invariant).map(|it| &it.means);
    let (found, how) = match means {
        Some(Means::Follows(support)) => {
            let support: Vec<_> = support.iter().map(|it| (it.invariant, it.conjunct)).collect();
            follows(conditions, invariant, &support, limits)
        }
        _ => induction(conditions, invariant, means, options, limits),
    };
    let rule = Rule::Parametrized;
    Judged { invariant, rule, conditions: found, how, proved: true, time: start.elapsed() }
}

fn follows(
    conditions: &mut Conditions<'_>,
    invariant: InvId,
    support: &[(InvId, Option<u32>)],
    limits: &Limits,
) -> (Vec<Condition>, How) {
    let mut gather = Gather::default();
    for case in conditions.still_cases(invariant) {
        let found = conditions.follows(invariant, &case.partition, support, limits);
        gather.take(conditions, case, found);
    }
    let condition = gather.condition(Premise::Follows, None, 0);
    (vec![condition], How::Follows(gather.proofs))
}

fn induction(
    conditions: &mut Conditions<'_>,
    invariant: InvId,
    means: Option<&Means>,
    options: &Options,
    limits: &Limits,
) -> (Vec<Condition>, How) {
    let mut gather = Gather::default();
    for case in conditions.still_cases(invariant) {
        let answer = conditions.start(invariant, &case.partition, limits);
        gather.take(conditions, case, answer);
    }
    let mut found = vec![gather.condition(Premise::Initiation, None, 0)];
    let initiation = std::mem::take(&mut gather.proofs);
    for Pending { premise, location, transition, cases } in conditions.kept_by(invariant) {
        let system = conditions.system();
        let support = allowed(system, invariant, means, location, premise, options);
        for case in cases {
            let answer = conditions.step(invariant, &case, &support, limits);
            gather.take(conditions, case, answer);
        }
        found.push(gather.condition(premise, Some(location), transition));
    }
    (found, How::Induction { initiation, consecution: gather.proofs })
}

/// What may be used for a premise of an invariant.
fn allowed(
    system: &System,
    invariant: InvId,
    means: Option<&Means>,
    location: LocId,
    premise: Premise,
    options: &Options,
) -> Vec<(InvId, Option<u32>)> {
    let Tactics { needed, offending, .. } = options.tactics;
    match means {
        Some(Means::Induction { everywhere, cases }) if needed => {
            let fits = |moves: &Option<Moves>| {
                matches!(
                    (moves, premise),
                    (None, _)
                        | (Some(Moves::Own), Premise::Own(_))
                        | (Some(Moves::Other), Premise::Other)
                )
            };
            let cases = cases.iter().filter(|case| {
                !offending || (fits(&case.premise) && case.locations.contains(&location))
            });
            let all = everywhere.iter().chain(cases.flat_map(|case| &case.uses));
            let all: BTreeSet<_> = all.map(|it| (it.invariant, it.conjunct)).collect();
            all.into_iter().collect()
        }
        _ => {
            let all = (0..system.invariants.len() as u32).map(InvId);
            all.filter(|it| *it != invariant).map(|it| (it, None)).collect()
        }
    }
}

/// Collects the cases of one condition.
#[derive(Default)]
struct Gather {
    cases: usize,
    procedure: Option<Procedure>,
    support: BTreeSet<(InvId, u32)>,
    fails: Option<Status>,
    proofs: Vec<CaseProof>,
}

impl Gather {
    fn take(&mut self, conditions: &Conditions<'_>, case: Case, found: Found) {
        self.cases += 1;
        match found {
            Found::Valid { procedure, uses, lemmas } => {
                self.procedure = self.procedure.max(Some(procedure));
                self.support.extend(uses.iter().map(|it| (it.invariant, it.conjunct)));
                if !uses.is_empty() || !lemmas.is_empty() {
                    self.proofs.push(proof(conditions.system(), case, uses, lemmas));
                }
            }
            Found::Model { solution, available } => {
                let failure = Failure { case, solution: *solution, available };
                // A model says more than not to know.
                if !matches!(self.fails, Some(Status::Fails(_))) {
                    self.fails = Some(Status::Fails(Box::new(failure)));
                }
            }
            Found::Unknown(reason) => {
                self.fails.get_or_insert(Status::Unknown(reason));
            }
        }
    }

    fn condition(
        &mut self,
        premise: Premise,
        location: Option<LocId>,
        transition: u32,
    ) -> Condition {
        let procedure = self.procedure.take().unwrap_or(Procedure::Locations);
        let support = std::mem::take(&mut self.support);
        let status = self.fails.take().unwrap_or(Status::Valid { procedure, support });
        let cases = std::mem::take(&mut self.cases);
        Condition { premise, location, transition, cases, status }
    }
}

fn proof(system: &System, case: Case, uses: Vec<Use>, lemmas: Vec<Lemma>) -> CaseProof {
    let uses = uses.into_iter().map(|it| Instance {
        invariant: system.invariants[it.invariant.0 as usize].name.text.clone(),
        conjunct: Some(it.conjunct),
        threads: it.threads,
    });
    CaseProof {
        mover: case.mover,
        location: case.location.0,
        path: case.path,
        partition: case.partition,
        uses: uses.collect(),
        lemmas,
    }
}

/// Decides whether steps can be errors.
fn safety(conditions: &mut Conditions<'_>, limits: &Limits) -> Safety {
    let start = Instant::now();
    let all = (0..conditions.system().invariants.len() as u32).map(|it| (InvId(it), None));
    let support: Vec<_> = all.collect();
    let mut gather = Gather::default();
    let mut found = Vec::new();
    for Pending { premise, location, transition, cases } in conditions.could_fail() {
        for case in cases {
            let answer = conditions.safe(&case, &support, limits);
            gather.take(conditions, case, answer);
        }
        found.push(gather.condition(premise, Some(location), transition));
    }
    Safety { conditions: found, proofs: gather.proofs, proved: true, time: start.elapsed() }
}

/// What the proofs of conditions have used.
fn uses(conditions: &[Condition]) -> BTreeSet<InvId> {
    let uses = conditions.iter().filter_map(|condition| match &condition.status {
        Status::Valid { support, .. } => Some(support.iter().map(|(invariant, _)| *invariant)),
        _ => None,
    });
    uses.flatten().collect()
}

fn all_valid(conditions: &[Condition]) -> bool {
    conditions.iter().all(|it| matches!(it.status, Status::Valid { .. }))
}

/// Who is proved, and by which rule.
fn settle(system: &System, invariants: &mut [Judged], safety: &mut Safety) {
    let by: BTreeMap<InvId, BTreeSet<InvId>> =
        invariants.iter().map(|it| (it.invariant, uses(&it.conditions))).collect();
    let mut proved: BTreeSet<InvId> =
        invariants.iter().filter(|it| all_valid(&it.conditions)).map(|it| it.invariant).collect();
    loop {
        let stays = |it: &InvId| by[it].iter().all(|used| proved.contains(used));
        let fewer: BTreeSet<InvId> = proved.iter().copied().filter(stays).collect();
        if fewer.len() == proved.len() {
            break;
        }
        proved = fewer;
    }
    for judged in invariants.iter_mut() {
        judged.proved = proved.contains(&judged.invariant);
        let own = &by[&judged.invariant];
        judged.rule = match &judged.how {
            How::Follows(_) => Rule::Follows,
            _ if own.is_empty() && system.threads.is_some() => Rule::Basic,
            _ if own.is_empty() => Rule::Parametrized,
            _ if reaches(&by, judged.invariant) => Rule::Graph,
            _ => Rule::Strengthening,
        };
    }
    let needed = uses(&safety.conditions);
    safety.proved = all_valid(&safety.conditions) && needed.iter().all(|it| proved.contains(it));
}

/// Whether an invariant supports itself by way of others.
fn reaches(uses: &BTreeMap<InvId, BTreeSet<InvId>>, from: InvId) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<InvId> = uses[&from].iter().copied().collect();
    while let Some(next) = open.pop() {
        if next == from {
            return true;
        }
        if seen.insert(next) {
            open.extend(uses.get(&next).into_iter().flatten());
        }
    }
    false
}
