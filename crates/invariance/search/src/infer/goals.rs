//! What the candidates are for: the conditions of the goals, and those of steps that could be
//! errors.

use super::candidates::Candidate;
use super::houdini::Id;
use super::say;
use crate::conditions::{Case, Conditions, Found, Tactics};
use crate::logic::{Atom, AtomId, Formula, Logic};
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_invariance_checker::Mover;
use ser_invariance_checker::environment::Scope;
use ser_syntax::ast::Name;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Conjunct, InvId, Invariant, LocId};
use std::collections::BTreeSet;

/// The system with candidates as further invariants, each on its own.
pub fn with_candidates(system: &System, candidates: &[Candidate]) -> System {
    let mut system = system.clone();
    for (place, candidate) in candidates.iter().enumerate() {
        let name = |text: String| Name { text, span: Default::default() };
        let parameters = (0..candidate.parameters()).map(|it| name(format!("t{it}")));
        system.invariants.push(Invariant {
            name: name(format!("candidate {place}")),
            parameters: parameters.collect(),
            conjuncts: vec![Conjunct { tag: None, formula: candidate.formula() }],
            span: Default::default(),
        });
    }
    system
}

/// A condition, in the sense of the table of a report.
pub struct Target {
    /// Of which goal; of the steps if there is none.
    pub goal: Option<usize>,
    cases: Vec<Case>,
}

/// The conditions of the goals.
pub struct Goals<'s> {
    conditions: Conditions<'s>,
    pub targets: Vec<Target>,
    /// How many of the invariants are goals.
    goals: usize,
    /// The place of the first candidate among all that was looked at, and of each of the others.
    ids: Vec<Id>,
    /// Where the threads of each goal can be if it is broken; nothing if that says nothing.
    about: Vec<BTreeSet<LocId>>,
    sites: Vec<Vec<LocId>>,
}

impl<'s> Goals<'s> {
    /// Of a system whose invariants are `goals` goals, and candidates that are known by these
    /// numbers.
    pub fn new(
        system: &'s System,
        goals: usize,
        ids: Vec<Id>,
        sites: Vec<Vec<LocId>>,
    ) -> Goals<'s> {
        let mut conditions = Conditions::new(system, Tactics::default());
        let mut targets = Vec::new();
        for goal in 0..goals {
            let id = InvId(goal as u32);
            targets.push(Target { goal: Some(goal), cases: conditions.still_cases(id) });
            let steps = conditions.kept_by(id).into_iter();
            targets.extend(steps.map(|it| Target { goal: Some(goal), cases: it.cases }));
        }
        let steps = conditions.could_fail().into_iter();
        targets.extend(steps.map(|it| Target { goal: None, cases: it.cases }));
        let about = (0..goals).map(|goal| about(&mut conditions, goal)).collect();
        Goals { conditions, targets, goals, ids, about, sites }
    }

    /// What a condition needs, of goals and candidates that are allowed; nothing if it is not valid
    /// with them.
    pub fn needs(
        &mut self,
        target: usize,
        goal_id: &dyn Fn(usize) -> Id,
        allowed: &dyn Fn(Id) -> bool,
        limits: &Limits,
    ) -> Option<BTreeSet<Id>> {
        let Target { goal, cases } = &self.targets[target];
        let mut used = BTreeSet::new();
        for case in cases {
            let near = |site: &Vec<LocId>| match goal {
                Some(goal) if self.conditions.steps.anchors.is_empty() => {
                    site.iter().all(|at| *at == case.location || self.about[*goal].contains(at))
                }
                None if self.conditions.steps.anchors.is_empty() => {
                    site.iter().all(|at| *at == case.location)
                }
                _ => true,
            };
            let others = (0..self.goals).filter(|it| allowed(goal_id(*it)));
            let mut support: Vec<(InvId, Option<u32>)> =
                others.map(|it| (InvId(it as u32), None)).collect();
            for (place, id) in self.ids.iter().enumerate() {
                if allowed(*id) && near(&self.sites[place]) {
                    support.push((InvId((self.goals + place) as u32), None));
                }
            }
            let found = match (goal, case.mover) {
                (None, _) => self.conditions.safe(case, &support, limits),
                (Some(goal), Mover::Nobody) => {
                    self.conditions.start(InvId(*goal as u32), &case.partition, limits)
                }
                (Some(goal), _) => {
                    self.conditions.step(InvId(*goal as u32), case, &support, limits)
                }
            };
            let Found::Valid { uses, .. } = found else { return None };
            for it in uses {
                let place = it.invariant.0 as usize;
                used.insert(match place.checked_sub(self.goals) {
                    None => goal_id(place),
                    Some(place) => self.ids[place],
                });
            }
        }
        Some(used)
    }
}

/// Where a thread of a goal can be if the goal does not hold.
fn about(conditions: &mut Conditions<'_>, goal: usize) -> BTreeSet<LocId> {
    let system = conditions.system();
    let invariant = &system.invariants[goal];
    let count = invariant.parameters.len() as u32;
    let formula = say::all(invariant.conjuncts.iter().map(|it| it.formula.clone()));
    let (Some(formula), true) = (formula, conditions.steps.anchors.is_empty()) else {
        return BTreeSet::new();
    };
    let mut found = BTreeSet::new();
    let tuples: [Vec<u32>; 2] = [(0..count).collect(), vec![0; count as usize]];
    for tuple in tuples {
        let scope = Scope { parameters: &tuple, ..Scope::default() };
        let whole = conditions.steps.formula_before(scope, &formula);
        for block in tuple {
            for location in conditions.steps.control.locations() {
                let value = move |logic: &Logic, atom: AtomId| match logic.atom(atom) {
                    Atom::At(other, set) if *other == block => {
                        Some(logic.locations(*set).binary_search(&location).is_ok())
                    }
                    _ => None,
                };
                let here =
                    conditions.steps.logic.restrict(whole, &value, &mut FxHashMap::default());
                if here != Formula::TRUE {
                    found.insert(location);
                }
            }
        }
    }
    found
}
