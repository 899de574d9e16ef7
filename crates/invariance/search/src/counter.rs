//! Counter-models: a step that breaks an invariant, in the terms of the program.
//!
//! A solution of a negated condition becomes a concrete state and a step ([`crate::model`]). Both
//! are executed and evaluated by the interpreter of [`crate::explore`], which knows nothing of
//! formulas: everything that the condition assumes must hold before, the step must be possible, and
//! the invariant must not hold after it. Otherwise there is no counter-model, and the answer is
//! that we do not know.

use crate::cases::blocks;
use crate::conditions::{Case, Conditions, Found, Use};
use crate::explore::{self, Fault, NotEnabled, State};
use crate::model::state;
use crate::prove::{Condition, Failure, Premise};
use ser_base::Limits;
use ser_invariance_checker::Mover;
use ser_invariance_checker::run::Value;
use ser_syntax::inv::ast::{InvId, LocId};
use std::collections::BTreeSet;

/// A step that breaks an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CounterModel {
    /// The invariant; nothing if the step itself is an error.
    pub invariant: Option<InvId>,
    pub premise: Premise,
    /// Where the mover is, and which of its paths it takes; nothing if there is no step.
    pub step: Option<(LocId, u32)>,
    /// What each thread is called: by the parameters, anchors that it stands for, or that it is any
    /// other thread.
    pub threads: Vec<Vec<Role>>,
    pub mover: Option<u32>,
    /// The threads of the parameters of the invariant.
    pub tuple: Vec<u32>,
    /// The state before the step (or the state in question).
    pub before: State,
    /// The state after the step.
    pub after: Option<State>,
    /// What `choose` and `malloc` chose.
    pub chosen: Vec<Value>,
    /// The conjuncts that do not hold in the end.
    pub broken: Vec<u32>,
    /// What is wrong with the step, and where.
    pub error: Option<Fault>,
    /// Invariants of the file that do not hold before the step: if they were used, this would be
    /// excluded.
    pub excluded_by: Vec<Use>,
    /// Invariants of the file with which the condition holds, if there are such: no more than a
    /// proof needed.
    pub suffices: Option<Vec<InvId>>,
}

/// What a thread is in a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// The parameter with this number.
    Parameter(u32),
    /// The anchor with this number.
    Anchor(u32),
    /// Any other thread.
    Other,
}

/// Makes a counter-model of a condition that fails, if it stands up to evaluation.
pub fn counter_model(
    conditions: &mut Conditions<'_>,
    invariant: Option<InvId>,
    condition: &Condition,
    failure: &Failure,
) -> Option<CounterModel> {
    let system = conditions.system();
    let case = &failure.case;
    let count = blocks(&case.partition).max(1);
    let parameters = invariant.map_or(0, |it| conditions.parameters(it));
    let safety = invariant.is_none();
    let first = if safety { 1 } else { parameters };
    let mover = match case.mover {
        Mover::Nobody => None,
        Mover::Variable(v) => Some(case.partition[v as usize]),
        Mover::Fresh if safety => Some(case.partition[0]),
        Mover::Fresh => case.partition.last().copied(),
    };
    let mut threads = vec![Vec::new(); count as usize];
    for (place, block) in case.partition.iter().enumerate() {
        let role = match place {
            _ if safety && place == 0 => Role::Other,
            _ if !safety && place < parameters => Role::Parameter(place as u32),
            _ if place < first + conditions.steps.anchors.len() => {
                Role::Anchor((place - first) as u32)
            }
            _ => Role::Other,
        };
        threads[*block as usize].push(role);
    }
    let tuple = case.partition[..parameters].to_vec();
    let here = mover.map(|mover| (mover, case.location));
    let path = match mover {
        Some(mover) => {
            let all = conditions.steps.paths(case.location, mover, count);
            Some(all.get(case.path as usize)?.clone())
        }
        None => None,
    };
    let chosen = path.as_ref().map(|path| path.chosen.clone()).unwrap_or_default();
    let (before, chosen) = state(&mut conditions.steps, &failure.solution, count, here, &chosen);
    // What is assumed must hold.
    let assumed = failure.available.iter().all(|it| {
        let formula = &system.invariants[it.invariant.0 as usize].conjuncts[it.conjunct as usize];
        let value = explore::evaluate(system, &before, &formula.formula, &it.threads);
        value == Ok(Value::Bool(true))
    });
    if !assumed {
        return None;
    }
    let (after, error) = match mover {
        None => (None, None),
        Some(mover) => match explore::apply(system, &before, mover, case.path, &chosen) {
            Ok(after) => (Some(after), None),
            Err(NotEnabled::Fault(fault)) if safety => (None, Some(fault)),
            Err(_) => return None,
        },
    };
    // A state in which nobody has moved must be one in which the program can start.
    if condition.premise == Premise::Initiation && !explore::is_start(system, &before) {
        return None;
    }
    let mut broken = Vec::new();
    if let Some(invariant) = invariant {
        let end = after.as_ref().unwrap_or(&before);
        let conjuncts = &system.invariants[invariant.0 as usize].conjuncts;
        for (place, conjunct) in conjuncts.iter().enumerate() {
            match explore::evaluate(system, end, &conjunct.formula, &tuple) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => broken.push(place as u32),
                Err(_) => return None,
            }
        }
        if broken.is_empty() {
            return None;
        }
    } else if error.is_none() {
        return None;
    }
    let excluded_by = excluding(conditions, invariant, &before, count);
    Some(CounterModel {
        invariant,
        premise: condition.premise,
        step: mover.map(|_| (case.location, case.path)),
        threads,
        mover,
        tuple,
        before,
        after,
        chosen,
        broken,
        error,
        excluded_by,
        suffices: None,
    })
}

/// With which other invariants a case that fails would hold.
pub fn sufficient(
    conditions: &mut Conditions<'_>,
    invariant: InvId,
    premise: Premise,
    case: &Case,
    limits: &Limits,
) -> Option<Vec<InvId>> {
    let all = (0..conditions.system().invariants.len() as u32).map(InvId);
    let others: Vec<_> = all.filter(|it| *it != invariant).map(|it| (it, None)).collect();
    let found = match premise {
        Premise::Own(_) | Premise::Other => conditions.step(invariant, case, &others, limits),
        Premise::Follows => conditions.follows(invariant, &case.partition, &others, limits),
        Premise::Initiation | Premise::Safety => return None,
    };
    match found {
        Found::Valid { uses, .. } => {
            let names: BTreeSet<InvId> = uses.iter().map(|it| it.invariant).collect();
            Some(names.into_iter().collect())
        }
        _ => None,
    }
}

/// Invariants that do not hold in a state.
fn excluding(
    conditions: &Conditions<'_>,
    own: Option<InvId>,
    state: &State,
    count: u32,
) -> Vec<Use> {
    let mut found = Vec::new();
    for (place, invariant) in conditions.system().invariants.iter().enumerate() {
        let id = InvId(place as u32);
        if Some(id) == own {
            continue;
        }
        for threads in crate::cases::tuples(invariant.parameters.len(), count) {
            for (conjunct, it) in invariant.conjuncts.iter().enumerate() {
                let value = explore::evaluate(conditions.system(), state, &it.formula, &threads);
                if value == Ok(Value::Bool(false)) {
                    let conjunct = conjunct as u32;
                    found.push(Use { invariant: id, conjunct, threads: threads.clone() });
                }
            }
        }
    }
    found
}
