//! `defer`: a request that only looks around may as well come later, whatever the values are.
//!
//! The rule is that of [`deferral`](crate::deferral), with steps for transitions: x is a place, or
//! nothing (the request has not arrived), and E a set of places of the same handler, without x.
//! Every step into E comes from x or from E, and leaves the global variables alone. An *exit* is a
//! step from E to elsewhere. A *path* is a step from x, or several in a row through E; it is one
//! step, with their guards and what they do. A variable of x is *kept* if the steps into E leave it
//! alone; arguments always are. For every exit from a place e there is a path to the same target
//! such that in every state with a request in e in which all facts hold and the exit is possible,
//! the path would be possible for a request in x with the same values of variables that are kept
//! (it mentions no others), and would do what the exit does: the same global variables, the same
//! variables in the new place, or the same response. What a path picks may depend on the request
//! in e.
//!
//! Then the steps into E are removed, and the paths are added.
//!
//! *Theorem.* The outcomes stay the same. *Proof.* As there: in a complete run take a step of a
//! request into E from x. Until its first exit it only takes steps that leave the global variables
//! alone; leave all these out, and take the path instead of the exit. The request waits in x until
//! then, with the variables that it had there, so with those that it has kept in e. Facts hold of
//! the state before the exit, which is one of a run. Conversely, a path is a few steps of one
//! request in a row. ∎ Facts of a net also hold of what deferral makes of it, for the same reason.
//!
//! The new request arrives later than before, never earlier, and responds when it did.

use super::case::Case;
use super::facts::Facts;
use super::keys::Joint;
use super::movers::{implies_all, same_target};
use super::state::{State, equal, take};
use crate::Reason;
use crate::meter::Meter;
use ser_model::{Linear, Literal, SymbolicNet, SymbolicStep, SymbolicTarget, Var};
use std::collections::{BTreeMap, BTreeSet};

/// More paths than this are not looked at.
const MAX_PATHS: usize = 300;

/// Lets requests of a handler wait in `from`, or outside, instead of in these places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deferred {
    pub handler: usize,
    pub from: Option<usize>,
    pub places: BTreeSet<usize>,
}

/// Why that is not possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CannotDefer {
    /// This step leads into the places and does something, or comes from elsewhere.
    Enters(usize),
    /// What this exit does cannot be done at once.
    Exit(usize),
}

/// A path: steps of one request in a row, as one.
struct Path {
    step: SymbolicStep,
    /// Places on the way, with the values of their variables.
    via: Vec<(usize, BTreeMap<u32, Linear>)>,
    /// The last step, and how many choices there are before its own.
    last: (usize, usize),
}

/// The net in which requests wait.
pub(super) fn defer(
    net: &SymbolicNet,
    facts: &Facts,
    entry: &Deferred,
    meter: &mut Meter<'_>,
) -> Result<Result<SymbolicNet, CannotDefer>, Reason> {
    let Deferred { handler, from, places } = entry;
    let inside = |place: Option<usize>| place.is_some_and(|it| places.contains(&it));
    let is_from = |step: &SymbolicStep| step.from == *from && step.handler == *handler;
    for (n, step) in net.steps.iter().enumerate().filter(|(_, step)| inside(step.put())) {
        let comes_right = is_from(step) || inside(step.from);
        if !comes_right || step.handler != *handler || !step.globals.is_empty() {
            return Ok(Err(CannotDefer::Enters(n)));
        }
    }
    let keeps = |step: &SymbolicStep, local: u32| {
        step.locals.get(&local) == Some(&Linear::var(Var::Local(0, local)))
    };
    let entering = || net.steps.iter().filter(|step| inside(step.put()));
    let arguments = &net.handlers[*handler].arguments;
    let kept: BTreeSet<u32> = match from {
        None => arguments.iter().copied().collect(),
        Some(from) => net.places[*from].locals.iter().copied().collect(),
    };
    let is_kept = |local: &u32| {
        entering().all(|step| match step.from {
            None => {
                let argument = arguments.iter().position(|it| it == local);
                let choice = argument.map(|n| Linear::var(Var::Choice(0, n as u32)));
                step.locals.get(local) == choice.as_ref()
            }
            Some(_) => keeps(step, *local),
        })
    };
    let kept: BTreeSet<u32> = kept.into_iter().filter(is_kept).collect();
    let paths = paths(net, entry, meter)?;
    let mut added: Vec<SymbolicStep> = Vec::new();
    for (n, exit) in net.steps.iter().enumerate() {
        if !inside(exit.from) || inside(exit.put()) {
            continue;
        }
        let mut case = Case::default();
        let joint = Joint::alone(net, 0, exit.handler);
        let before = State::any(net, [exit.from, None, None], &joint);
        facts.assume(net, &mut case, &before, &[0], &BTreeSet::new(), &[]);
        let (end, response) = take(&mut case, &before, exit, 0);
        if case.is_impossible(meter)? {
            continue;
        }
        let same = Same { net, entry, kept: &kept, before: &before, end: &end, exit: (n, exit) };
        let mut found = false;
        for path in paths.iter().filter(|path| same_target(&path.step.to, &exit.to)) {
            if let Some(needed) = same.needs(path, &response)
                && implies_all(&case, needed, meter)?
            {
                if !path.via.is_empty() && !added.contains(&path.step) {
                    added.push(path.step.clone());
                }
                found = true;
                break;
            }
        }
        if !found {
            return Ok(Err(CannotDefer::Exit(n)));
        }
    }
    let left = net.steps.iter().filter(|step| !inside(step.put()) && !inside(step.from));
    let mut steps: Vec<SymbolicStep> = left.cloned().collect();
    added.retain(|step| !steps.contains(step));
    steps.extend(added);
    Ok(Ok(SymbolicNet { steps, ..net.clone() }))
}

/// What has to be the same.
struct Same<'a> {
    net: &'a SymbolicNet,
    entry: &'a Deferred,
    kept: &'a BTreeSet<u32>,
    /// In front of the exit, and after it.
    before: &'a State,
    end: &'a State,
    exit: (usize, &'a SymbolicStep),
}

impl Same<'_> {
    /// Under which conditions the path does what the exit does; none if it mentions variables that
    /// are not kept, or picks what nothing is known of.
    fn needs(&self, path: &Path, response: &[Option<Linear>]) -> Option<Vec<Option<Literal>>> {
        let by = |var| self.value(path, var);
        let mut needed = Vec::new();
        for literal in &path.step.guard {
            needed.push(Some(literal.replaced(&by)?));
        }
        for (n, value) in self.end.globals.iter().enumerate() {
            let found = match path.step.globals.get(&(n as u32)) {
                Some(form) => form.replaced(&by),
                None => self.before.globals[n].clone(),
            };
            needed.extend(equal(&[found], std::slice::from_ref(value)));
        }
        match &path.step.to {
            SymbolicTarget::Place(_) => {
                for (local, value) in &self.end.requests[0].as_ref()?.locals {
                    let found = path.step.locals.get(local)?.replaced(&by);
                    needed.extend(equal(&[found], std::slice::from_ref(value)));
                }
            }
            SymbolicTarget::Response { values, .. } => {
                let values: Vec<_> = values.iter().map(|it| it.replaced(&by)).collect();
                needed.extend(equal(&values, response));
            }
            SymbolicTarget::Aborted => {}
        }
        Some(needed)
    }

    /// What a variable of the path is in front of the exit.
    fn value(&self, path: &Path, var: Var) -> Option<Linear> {
        let Var::Choice(_, n) = var else {
            return match var {
                Var::Local(_, local) if !self.kept.contains(&local) => None,
                _ => self.before.value(0, var),
            };
        };
        let arguments = &self.net.handlers[self.entry.handler].arguments;
        if self.entry.from.is_none()
            && let Some(argument) = arguments.get(n as usize)
        {
            return match self.kept.contains(argument) {
                true => self.before.value(0, Var::Local(0, *argument)),
                false => None,
            };
        }
        // What the exit picks, or what was picked on the way and is still there.
        let (last, skipped) = path.last;
        if let Some(own) = (n as usize).checked_sub(skipped) {
            let known = last == self.exit.0 && own < self.exit.1.choices.len();
            return known.then(|| Linear::var(Var::Choice(0, own as u32)));
        }
        let here = path.via.iter().find(|(place, _)| Some(*place) == self.exit.1.from);
        let picked = Linear::var(Var::Choice(0, n));
        let (local, _) = here?.1.iter().find(|(_, value)| **value == picked)?;
        self.before.value(0, Var::Local(0, *local))
    }
}

/// All paths from x, each place at most once.
fn paths(net: &SymbolicNet, entry: &Deferred, meter: &mut Meter<'_>) -> Result<Vec<Path>, Reason> {
    let inside = |step: &SymbolicStep| step.put().filter(|place| entry.places.contains(place));
    let mut found = Vec::new();
    let mut open = Vec::new();
    for (n, step) in net.steps.iter().enumerate() {
        if step.from == entry.from && step.handler == entry.handler {
            open.push(Path { step: step.clone(), via: Vec::new(), last: (n, 0) });
        }
    }
    while let Some(mut path) = open.pop() {
        meter.work(net.steps.len())?;
        if found.len() + open.len() > MAX_PATHS {
            break;
        }
        let Some(place) = inside(&path.step) else {
            found.push(path);
            continue;
        };
        if path.via.iter().any(|(seen, _)| *seen == place) {
            continue;
        }
        path.via.push((place, path.step.locals.clone()));
        for (n, step) in net.steps.iter().enumerate().filter(|(_, it)| it.from == Some(place)) {
            if let Some(next) = then(&path, n, step) {
                open.push(next);
            }
        }
    }
    Ok(found)
}

/// A path that goes on with a step; none if that is never possible, or too large. What comes before
/// leaves the global variables alone.
fn then(path: &Path, number: usize, step: &SymbolicStep) -> Option<Path> {
    let first = &path.step;
    let skipped = first.choices.len();
    let by = |var| match var {
        Var::Local(_, local) => first.locals.get(&local).cloned(),
        Var::Choice(_, n) => Some(Linear::var(Var::Choice(0, n.checked_add(skipped as u32)?))),
        Var::Global(_) => Some(Linear::var(var)),
    };
    let mut guard = first.guard.clone();
    for literal in &step.guard {
        let literal = literal.replaced(&by)?;
        match literal.known() {
            Some(true) => {}
            Some(false) => return None,
            None if guard.contains(&literal) => {}
            None => guard.push(literal),
        }
    }
    let all = |forms: &BTreeMap<u32, Linear>| -> Option<BTreeMap<u32, Linear>> {
        forms.iter().map(|(n, value)| Some((*n, value.replaced(&by)?))).collect()
    };
    let to = match &step.to {
        SymbolicTarget::Response { shape, values } => SymbolicTarget::Response {
            shape: *shape,
            values: values.iter().map(|it| it.replaced(&by)).collect::<Option<_>>()?,
        },
        other => other.clone(),
    };
    guard.sort();
    let step = SymbolicStep {
        handler: first.handler,
        from: first.from,
        to,
        choices: [first.choices.as_slice(), &step.choices].concat(),
        guard,
        globals: all(&step.globals)?,
        locals: all(&step.locals)?,
    };
    Some(Path { step, via: path.via.clone(), last: (number, skipped) })
}
