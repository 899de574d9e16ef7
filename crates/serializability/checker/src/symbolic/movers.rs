//! Steps that move right or left, whatever the values are.
//!
//! Let t be followed by u, of another request. They *swap* if in every state s in which this may
//! happen (all facts hold of s and of the states after t and after both, and the guards hold),
//! there are steps u' between the places of u, and t' between those of t, that pick what u and t
//! pick, such that u' and then t' are possible in s, with the same responses, and lead to the same
//! state. Here u' and t' do not depend on s.

use super::case::Case;
use super::facts::{Facts, used};
use super::keys::{Joint, Meant};
use super::state::{State, equal, take};
use crate::Reason;
use crate::meter::Meter;
use ser_model::{Linear, Literal, SymbolicNet, SymbolicStep, SymbolicTarget, Var};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Two steps that do not commute where they have to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// By number; of two different requests.
    pub first: usize,
    pub second: usize,
}

/// What is wrong with a choice of commit points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// This step leads from after to before.
    CommitsTwice(usize),
    Conflict(Conflict),
}

/// Whether steps into places before move right, and steps out of places after move left. Gives the
/// number of pairs that were looked at, or what is wrong.
pub(super) fn check(
    net: &SymbolicNet,
    facts: &Facts,
    after: &BTreeSet<usize>,
    meter: &mut Meter<'_>,
) -> Result<Result<usize, Wrong>, Reason> {
    let used = used(net);
    let is_used = |step: &SymbolicStep| step.from.is_none_or(|from| used.contains(&from));
    let mut checked = 0;
    for (n, step) in net.steps.iter().enumerate().filter(|(_, step)| is_used(step)) {
        let from_after = step.from.is_some_and(|it| after.contains(&it));
        let to_before = step.put().is_some_and(|it| !after.contains(&it));
        if from_after && to_before {
            return Ok(Err(Wrong::CommitsTwice(n)));
        }
        if !from_after && !to_before {
            continue;
        }
        for (m, other) in net.steps.iter().enumerate().filter(|(_, step)| is_used(step)) {
            meter.work(1)?;
            if net.types == 0 && independent(step, other) {
                continue;
            }
            checked += 1;
            // What a step moves left past belongs to requests that commit later.
            let (pair, order) = match from_after {
                true => ([m, n], [1, 0]),
                false => ([n, m], [0, 1]),
            };
            if !swap(net, facts, after, pair, order, meter)? {
                let [first, second] = pair;
                return Ok(Err(Wrong::Conflict(Conflict { first, second })));
            }
        }
    }
    Ok(Ok(checked))
}

/// Whether neither step writes a global variable that the other one reads or writes.
fn independent(a: &SymbolicStep, b: &SymbolicStep) -> bool {
    !a.globals.keys().any(|n| mentions(b, *n)) && !b.globals.keys().any(|n| mentions(a, *n))
}

fn mentions(step: &SymbolicStep, n: u32) -> bool {
    let reads = |form: &Linear| form.terms.iter().any(|(var, _)| *var == Var::Global(n));
    let responds = match &step.to {
        SymbolicTarget::Response { values, .. } => values.iter().any(reads),
        _ => false,
    };
    responds
        || step.globals.contains_key(&n)
        || step.globals.values().any(reads)
        || step.locals.values().any(reads)
        || step.guard.iter().any(|it| reads(it.form()))
}

/// Whether neither writes what the other one reads or writes, for keys that are known.
fn share_nothing(t: &SymbolicStep, u: &SymbolicStep, joint: &Joint) -> bool {
    let [mine, theirs] = [(t, joint.own(0)), (u, joint.own(1))].map(|(it, by)| Touched::of(it, by));
    !mine.writes_what(&theirs) && !theirs.writes_what(&mine)
}

/// The variables of a step.
struct Touched {
    writes: BTreeSet<u32>,
    all: BTreeSet<u32>,
}

impl Touched {
    fn of(step: &SymbolicStep, by: &Meant) -> Touched {
        let meant = |n: &u32| by.get(*n as usize).copied().flatten();
        let writes = step.globals.keys().filter_map(meant).collect();
        let all = (0..by.len() as u32).filter(|n| mentions(step, *n));
        Touched { writes, all: all.filter_map(|n| meant(&n)).collect() }
    }

    fn writes_what(&self, other: &Touched) -> bool {
        !self.writes.is_disjoint(&other.all)
    }
}

/// Whether the first step, of request 0, and the second, of request 1, never happen in a row, or
/// can always happen the other way round.
pub(super) fn swap(
    net: &SymbolicNet,
    facts: &Facts,
    after: &BTreeSet<usize>,
    [first, second]: [usize; 2],
    order: [usize; 2],
    meter: &mut Meter<'_>,
) -> Result<bool, Reason> {
    let (t, u) = (&net.steps[first], &net.steps[second]);
    if net.types == 0 && independent(t, u) {
        return Ok(true);
    }
    for joint in Joint::all(net, [Some(t.handler), Some(u.handler), None]) {
        if !swap_with(net, facts, after, [first, second], order, &joint, meter)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The same, where their keys are these.
fn swap_with(
    net: &SymbolicNet,
    facts: &Facts,
    after: &BTreeSet<usize>,
    [first, second]: [usize; 2],
    order: [usize; 2],
    joint: &Rc<Joint>,
    meter: &mut Meter<'_>,
) -> Result<bool, Reason> {
    let (t, u) = (&net.steps[first], &net.steps[second]);
    meter.work(1)?;
    if net.types > 0 && share_nothing(t, u, joint) {
        return Ok(true);
    }
    let mut case = Case::default();
    let before = State::any(net, [t.from, u.from, None], joint);
    facts.assume(net, &mut case, &before, &[0, 1], after, &order);
    let (between, first_response) = take(&mut case, &before, t, 0);
    facts.assume(net, &mut case, &between, &[0, 1], after, &order);
    let (end, second_response) = take(&mut case, &between, u, 1);
    facts.assume(net, &mut case, &end, &[0, 1], after, &order);
    if case.is_impossible(meter)? {
        return Ok(true);
    }
    for other_u in alike(net, u) {
        for other_t in alike(net, t) {
            let mut needed = before.guard(other_u, 1);
            let (between, second) = before.after(other_u, 1);
            needed.extend(between.guard(other_t, 0));
            let (found, first) = between.after(other_t, 0);
            needed.extend(found.same(&end));
            needed.extend(equal(&first, &first_response));
            needed.extend(equal(&second, &second_response));
            if implies_all(&case, needed, meter)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether all conditions follow.
pub(super) fn implies_all(
    case: &Case,
    needed: Vec<Option<Literal>>,
    meter: &mut Meter<'_>,
) -> Result<bool, Reason> {
    for literal in needed {
        if !case.implies(literal, meter)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Steps between the same places, with the same choices; the step itself comes first.
fn alike<'a>(
    net: &'a SymbolicNet,
    step: &'a SymbolicStep,
) -> impl Iterator<Item = &'a SymbolicStep> {
    let others = net.steps.iter().filter(move |other| {
        *other != step
            && other.handler == step.handler
            && other.from == step.from
            && same_target(&other.to, &step.to)
            && other.choices == step.choices
    });
    std::iter::once(step).chain(others)
}

/// Whether both lead to the same place, or to a response of the same shape.
pub(super) fn same_target(a: &SymbolicTarget, b: &SymbolicTarget) -> bool {
    match (a, b) {
        (SymbolicTarget::Place(p), SymbolicTarget::Place(q)) => p == q,
        (
            SymbolicTarget::Response { shape, values },
            SymbolicTarget::Response { shape: other, values: others },
        ) => shape == other && values.len() == others.len(),
        (SymbolicTarget::Aborted, SymbolicTarget::Aborted) => true,
        _ => false,
    }
}
