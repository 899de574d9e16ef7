//! The premises of an invariant: it holds at the start and every step keeps it, or it follows from
//! others.

use crate::cases::{anchors_in, blocks, partitions};
use crate::certificate::{CaseProof, Mover};
use crate::condition::{Case, Checker, Kind, Listed, Path, of_invariant};
use crate::environment::{Environment, Heap, Position, Scope};
use crate::logic::Formula;
use crate::rejection::{Reason, Rejection};
use crate::step::{Executed, Item};
use crate::translate::Translator;
use ser_syntax::inv::ast::{InvId, Invariant, LocId};

/// The invariant holds at the start.
pub(crate) fn initiation(
    checker: &mut Checker<'_>,
    number: InvId,
    cases: &[CaseProof],
) -> Result<(), Rejection> {
    let before = Environment::before(Position::All(checker.control.start));
    without_step(checker, number, Kind::Initiation, &before, cases)
}

/// The invariant follows from others, in every state.
pub(crate) fn follows(
    checker: &mut Checker<'_>,
    number: InvId,
    cases: &[CaseProof],
) -> Result<(), Rejection> {
    let before = Environment::before(Position::Unknown);
    without_step(checker, number, Kind::Follows, &before, cases)
}

/// All cases of a premise without a step.
fn without_step(
    checker: &mut Checker<'_>,
    number: InvId,
    premise: Kind,
    state: &Environment,
    cases: &[CaseProof],
) -> Result<(), Rejection> {
    checker.tidy();
    let phi = invariant(checker, number)?;
    let listed = list(checker, number, cases)?;
    let variables = phi.parameters.len() + checker.anchors.len();
    for partition in partitions(variables, checker.system.threads) {
        let anchors = checker.anchor_blocks(&partition, phi.parameters.len());
        let case = Case {
            invariant: Some(number),
            premise,
            mover: Mover::Nobody,
            location: 0,
            path: 0,
            partition: &partition,
            blocks: blocks(&partition),
            anchors: &anchors,
        };
        let proof = listed.find(&case);
        checker.counts.conditions += 1;
        let done = still(checker, phi, &case, state, proof);
        checker.finish(&case, done)?;
    }
    listed.finish().map_err(of_invariant(checker, number))
}

/// One case without a step.
fn still(
    checker: &mut Checker<'_>,
    phi: &Invariant,
    case: &Case<'_>,
    state: &Environment,
    proof: Option<&CaseProof>,
) -> Result<(), Reason> {
    let goal = goal(checker, phi, state, case)?;
    let goal = checker.logic.and(goal);
    let mut asserted = vec![!goal];
    if case.premise == Kind::Initiation {
        if let Some(used) = proof.and_then(|proof| proof.uses.first()) {
            return Err(Reason::UsesAtStart { invariant: used.invariant.clone() });
        }
        if goal == Formula::TRUE && proof.is_none() {
            return Ok(());
        }
        asserted.extend(start(checker, state, case.blocks)?);
    }
    let path = Path { heap: &Heap::default(), chosen: &[] };
    checker.refute(case, state, path, asserted, proof)
}

/// What holds at the start.
fn start(
    checker: &mut Checker<'_>,
    environment: &Environment,
    blocks: u32,
) -> Result<Vec<Formula>, Reason> {
    let system = checker.system;
    let mut found = Vec::new();
    let scope = Scope { me: None, parameters: &[], anchors: &[] };
    let mut translator = Translator::new(system, &mut checker.logic, environment, scope);
    for (number, global) in system.globals.iter().enumerate() {
        if let Some(initial) = &global.initial {
            let value = translator.global(number as u32)?;
            found.push(translator.equation(value, initial)?);
        }
    }
    for assumption in &system.assumptions {
        found.push(translator.formula(assumption)?);
    }
    for block in 0..blocks {
        let scope = Scope { me: Some(block), parameters: &[], anchors: &[] };
        let mut translator = Translator::new(system, &mut checker.logic, environment, scope);
        for (number, local) in system.locals.iter().enumerate() {
            if let Some(initial) = &local.initial {
                let value = translator.local(number as u32, block)?;
                found.push(translator.equation(value, initial)?);
            }
        }
    }
    Ok(found)
}

/// Every step keeps the invariant.
pub(crate) fn consecution(
    checker: &mut Checker<'_>,
    number: InvId,
    cases: &[CaseProof],
) -> Result<(), Rejection> {
    checker.tidy();
    let phi = invariant(checker, number)?;
    let listed = list(checker, number, cases)?;
    let parameters = phi.parameters.len();
    let variables = parameters + checker.anchors.len();
    let own = anchors_in(phi, &checker.anchors);
    let is_of_phi = |place: usize| match place.checked_sub(parameters) {
        None => true,
        Some(anchor) => own.get(anchor).copied().unwrap_or(false),
    };
    let threads = checker.system.threads;
    for mover in (0..variables).filter(|place| is_of_phi(*place)) {
        for partition in partitions(variables, threads) {
            let me = partition[mover];
            steps(checker, number, phi, &listed, Mover::Variable(mover as u32), me, &partition)?;
        }
    }
    for partition in partitions(variables + 1, threads) {
        let me = partition[variables];
        let is_fresh = (0..variables).all(|place| !is_of_phi(place) || partition[place] != me);
        if is_fresh {
            steps(checker, number, phi, &listed, Mover::Fresh, me, &partition)?;
        }
    }
    listed.finish().map_err(of_invariant(checker, number))
}

/// All steps of one mover in one partition.
fn steps(
    checker: &mut Checker<'_>,
    number: InvId,
    phi: &Invariant,
    listed: &Listed<'_>,
    mover: Mover,
    me: u32,
    partition: &[u32],
) -> Result<(), Rejection> {
    checker.tidy();
    let control = checker.control;
    let anchors = checker.anchor_blocks(partition, phi.parameters.len());
    checker.limits.check_clock().map_err(Reason::from)?;
    for (location, paths) in control.paths.iter().enumerate() {
        let location = location as u32;
        let before = Environment::before(Position::One(me, LocId(location)));
        let mut known = Known { before: &before, goal: None, instances: None };
        for path in 0..paths.len() as u32 {
            let case = Case {
                invariant: Some(number),
                premise: Kind::Consecution,
                mover,
                location,
                path,
                partition,
                blocks: blocks(partition),
                anchors: &anchors,
            };
            let proof = listed.find(&case);
            checker.counts.conditions += 1;
            let done = step(checker, phi, &case, me, &mut known, proof);
            checker.finish(&case, done)?;
        }
    }
    Ok(())
}

/// What is known of the state before, for all paths of a location; made when it is needed.
struct Known<'a> {
    before: &'a Environment,
    /// The conjuncts of the goal.
    goal: Option<Vec<Formula>>,
    /// Of all instances of the invariant.
    instances: Option<Vec<Formula>>,
}

fn step(
    checker: &mut Checker<'_>,
    phi: &Invariant,
    case: &Case<'_>,
    me: u32,
    known: &mut Known<'_>,
    proof: Option<&CaseProof>,
) -> Result<(), Reason> {
    let executed = checker.executed(case.location, case.path, me, case.blocks, false)?;
    let facts = facts(&executed);
    if proof.is_none() && facts.contains(&Formula::FALSE) {
        return Ok(());
    }
    let after = goal(checker, phi, &executed.after, case)?;
    // A conjunct that says the same after the step as before it holds: it is assumed.
    let assumed = match &known.goal {
        Some(goal) => goal,
        None => known.goal.insert(goal(checker, phi, known.before, case)?),
    };
    let pairs = after.iter().zip(assumed);
    let open: Vec<Formula> = pairs
        .filter(|(after, before)| **after != Formula::TRUE && after != before)
        .map(|(after, _)| *after)
        .collect();
    if proof.is_none() && open.is_empty() {
        return Ok(());
    }
    let instances = match &known.instances {
        Some(instances) => instances,
        None => {
            let all = checker.all_instances(phi, known.before, case.blocks, case.anchors)?;
            known.instances.insert(all)
        }
    };
    let goal = checker.logic.and(open);
    let mut asserted = facts;
    asserted.extend(instances);
    asserted.push(!goal);
    let path = Path { heap: &executed.after.heap, chosen: &executed.chosen };
    checker.refute(case, known.before, path, asserted, proof)
}

fn facts(executed: &Executed) -> Vec<Formula> {
    let facts = executed.items.iter().map(|item| match item {
        Item::Fact(formula) | Item::Obligation(formula) => *formula,
    });
    facts.collect()
}

/// The conjuncts of the invariant for the threads of the case.
fn goal(
    checker: &mut Checker<'_>,
    phi: &Invariant,
    environment: &Environment,
    case: &Case<'_>,
) -> Result<Vec<Formula>, Reason> {
    let parameters = case.partition.get(..phi.parameters.len()).unwrap_or_default();
    let mut found = Vec::new();
    checker.instance(phi, None, environment, parameters, case.anchors, &mut found)?;
    Ok(found)
}

fn invariant<'a>(checker: &Checker<'a>, number: InvId) -> Result<&'a Invariant, Rejection> {
    let system = checker.system;
    system.invariants.get(number.0 as usize).ok_or_else(|| Reason::NoInvariant.into())
}

fn list<'c>(
    checker: &Checker<'_>,
    number: InvId,
    cases: &'c [CaseProof],
) -> Result<Listed<'c>, Rejection> {
    Listed::new(cases).map_err(|(_, reason)| of_invariant(checker, number)(reason))
}

#[cfg(test)]
mod tests;
