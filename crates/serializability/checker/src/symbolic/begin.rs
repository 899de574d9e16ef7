//! `begin`: a request that could go on may as well begin to wait.
//!
//! `while (Serving != ticket) { yield }` does not wait if it need not: so the first step of such a
//! request asks who is being served, although the ticket alone would do. Here, steps into a place w
//! from x (another place, or outside) are added that ask for less: they leave out conditions of a
//! step that is there. After such a step, whatever the request may do next in w, all at once in the
//! same state, is what some step from x does without waiting: with the same choices, the same
//! global variables, the same variables in the new place, or the same response.
//!
//! *Theorem.* If the program with these steps is serializable, then so is the program without them.
//! *Proof.* Each run without them is one with them, so it has the outcome of a serial run with
//! them. There, whoever takes an added step takes the next one right after it, and that comes out
//! of w, where no steps were added. Put the step from x in place of both. ∎ Requests stay where
//! they are in the serial order, so real-time order is kept, too.

use super::case::Case;
use super::keys::Joint;
use super::movers::{implies_all, same_target};
use super::state::{State, equal, take};
use crate::Reason;
use crate::meter::Meter;
use ser_model::{Linear, Literal, SymbolicNet, SymbolicStep, Var};

/// Lets requests of a handler begin to wait in a place, from another one or from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Begin {
    pub handler: usize,
    pub from: Option<usize>,
    pub place: usize,
}

/// The net in which requests may begin to wait; nothing if no condition can be left out.
pub(super) fn begin(
    net: &SymbolicNet,
    entry: &Begin,
    meter: &mut Meter<'_>,
) -> Result<Option<SymbolicNet>, Reason> {
    let mut added: Vec<SymbolicStep> = Vec::new();
    if entry.from == Some(entry.place) {
        return Ok(None);
    }
    for step in &net.steps {
        let fits = step.handler == entry.handler && step.from == entry.from;
        if !fits || step.put() != Some(entry.place) {
            continue;
        }
        let mut less = step.clone();
        for literal in step.guard.iter().filter(|it| !is_about_choices(it)) {
            let mut next = less.clone();
            next.guard.retain(|it| it != literal);
            let mut without = next.clone();
            without.guard.extend(literal.negated());
            // A lock that is taken on the way stays a condition: nobody goes on without it.
            if goes_on(net, &without, entry.place, meter)?
                && leads_nowhere_new(net, &next, entry.place, meter)?
            {
                less = next;
            }
        }
        if less != *step && !added.contains(&less) && !net.steps.contains(&less) {
            added.push(less);
        }
    }
    if added.is_empty() {
        return Ok(None);
    }
    let mut net = net.clone();
    net.steps.extend(added);
    Ok(Some(net))
}

/// Conditions that say what may be picked stay.
fn is_about_choices(literal: &Literal) -> bool {
    literal.form().terms.iter().all(|(var, _)| matches!(var, Var::Choice(..)))
}

/// A request takes two steps, one right after the other.
struct Both {
    case: Case,
    before: State,
    end: State,
    response: Vec<Option<Linear>>,
}

fn both(net: &SymbolicNet, step: &SymbolicStep, next: &SymbolicStep) -> Both {
    let mut case = Case::default();
    let joint = Joint::alone(net, 0, step.handler);
    let before = State::any(net, [step.from, None, None], &joint);
    let (between, _) = take(&mut case, &before, step, 0);
    let (end, response) = take(&mut case, &between, next, 0);
    Both { case, before, end, response }
}

/// Whether some step out of the place may follow at once.
fn goes_on(
    net: &SymbolicNet,
    step: &SymbolicStep,
    place: usize,
    meter: &mut Meter<'_>,
) -> Result<bool, Reason> {
    for next in net.steps.iter().filter(|it| it.from == Some(place)) {
        if !both(net, step, next).case.is_impossible(meter)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether each step out of the place, right after this one, does what a step without waiting does.
fn leads_nowhere_new(
    net: &SymbolicNet,
    step: &SymbolicStep,
    place: usize,
    meter: &mut Meter<'_>,
) -> Result<bool, Reason> {
    for next in net.steps.iter().filter(|it| it.from == Some(place)) {
        let Both { case, before, end, response } = both(net, step, next);
        if case.is_impossible(meter)? {
            continue;
        }
        let mut found = false;
        let others = net.steps.iter().filter(|other| {
            other.handler == step.handler
                && other.from == step.from
                && same_target(&other.to, &next.to)
                && other.choices == step.choices
                && next.choices.is_empty()
        });
        for other in others {
            let mut needed = before.guard(other, 0);
            let (there, found_response) = before.after(other, 0);
            needed.extend(there.same(&end));
            needed.extend(equal(&found_response, &response));
            if implies_all(&case, needed, meter)? {
                found = true;
                break;
            }
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}
