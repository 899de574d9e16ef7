//! States of a few requests, as forms over what their variables were at first.

use super::case::Case;
use super::facts::Fact;
use super::keys::{Joint, Meant};
use ser_model::{Linear, Literal, SymbolicNet, SymbolicStep, SymbolicTarget, Var};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Global variables, and requests in flight by number. Values that are too large are not known.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub globals: Vec<Option<Linear>>,
    pub requests: [Option<InFlight>; 3],
    /// Which keys they share.
    pub joint: Rc<Joint>,
}

#[derive(Clone, Debug)]
pub(super) struct InFlight {
    pub place: usize,
    pub locals: BTreeMap<u32, Option<Linear>>,
}

/// Whom a fact is about, and which variables it means.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub requests: [usize; 2],
    pub meant: Meant,
}

impl State {
    /// Any state with requests in these places.
    pub fn any(net: &SymbolicNet, places: [Option<usize>; 3], joint: &Rc<Joint>) -> State {
        let globals = (0..net.all_globals() as u32).map(|n| Some(Linear::var(Var::Global(n))));
        let mut requests = [None, None, None];
        for (number, place) in places.into_iter().enumerate() {
            let Some(place) = place else { continue };
            let own = |local: &u32| (*local, Some(Linear::var(Var::Local(number as u8, *local))));
            let locals = net.places[place].locals.iter().map(own).collect();
            requests[number] = Some(InFlight { place, locals });
        }
        State { globals: globals.collect(), requests, joint: Rc::clone(joint) }
    }

    /// The place of a request.
    pub fn place(&self, number: usize) -> Option<usize> {
        self.requests[number].as_ref().map(|it| it.place)
    }

    /// The value of a variable of this request, or of a global one.
    pub fn value(&self, number: usize, var: Var) -> Option<Linear> {
        match var {
            Var::Global(n) => self.meant(self.joint.own(number), n),
            Var::Local(_, local) => self.requests[number].as_ref()?.locals.get(&local)?.clone(),
            Var::Choice(_, n) => Some(Linear::var(Var::Choice(number as u8, n))),
        }
    }

    fn meant(&self, meant: &Meant, global: u32) -> Option<Linear> {
        let meant = (*meant.get(global as usize)?)?;
        self.globals.get(meant as usize)?.clone()
    }

    /// A condition of a fact on some requests: these.
    pub fn literal(&self, literal: &Literal, about: &About) -> Option<Literal> {
        literal.replaced(&|var| match var {
            Var::Global(n) => self.meant(&about.meant, n),
            Var::Local(role, _) => self.value(*about.requests.get(usize::from(role))?, var),
            Var::Choice(..) => None,
        })
    }

    /// What facts on one request in this state are about.
    pub fn about_one(&self, number: usize) -> About {
        About { requests: [number, number], meant: self.joint.own(number).clone() }
    }

    /// What a fact on global variables is about: each key, if there is one in it.
    pub fn about_none(&self, net: &SymbolicNet, fact: &Fact) -> Vec<About> {
        let about = |meant: &Meant| About { requests: [0, 0], meant: meant.clone() };
        match fact.key_of(net) {
            None => vec![about(self.joint.plain())],
            Some(of) => {
                let each = self.joint.each().iter().filter(|(other, _)| *other == of);
                each.map(|(_, meant)| about(meant)).collect()
            }
        }
    }

    /// Assumes what is known of some requests.
    pub fn assume(&self, case: &mut Case, fact: &Fact, about: &About) {
        let Some(then) = self.literal(&fact.then, about) else { return };
        let given = fact.given.iter().map(|it| self.literal(it, about));
        if let Some(given) = given.collect::<Option<Vec<Literal>>>() {
            case.assume_if(given, then);
        }
    }

    /// What must hold for this request to take a step.
    pub fn guard(&self, step: &SymbolicStep, number: usize) -> Vec<Option<Literal>> {
        let by = |var| self.value(number, var);
        step.guard.iter().map(|it| it.replaced(&by)).collect()
    }

    /// The state after this request has taken a step, and its response, if there is one.
    pub fn after(&self, step: &SymbolicStep, number: usize) -> (State, Vec<Option<Linear>>) {
        let by = |var| self.value(number, var);
        let mut after = self.clone();
        for (global, value) in &step.globals {
            let meant = self.joint.own(number).get(*global as usize).copied().flatten();
            if let Some(it) = meant.and_then(|it| after.globals.get_mut(it as usize)) {
                *it = value.replaced(&by);
            }
        }
        let mut response = Vec::new();
        after.requests[number] = match &step.to {
            SymbolicTarget::Place(place) => {
                let locals = step.locals.iter().map(|(l, value)| (*l, value.replaced(&by)));
                Some(InFlight { place: *place, locals: locals.collect() })
            }
            SymbolicTarget::Response { values, .. } => {
                response = values.iter().map(|it| it.replaced(&by)).collect();
                None
            }
            SymbolicTarget::Aborted => None,
        };
        (after, response)
    }

    /// The conditions under which another state is the same. The requests are in the same places.
    pub fn same(&self, other: &State) -> Vec<Option<Literal>> {
        let mut all = equal(&self.globals, &other.globals);
        for (a, b) in self.requests.iter().zip(&other.requests) {
            let (Some(a), Some(b)) = (a, b) else { continue };
            for (local, value) in &a.locals {
                let other = b.locals.get(local).cloned().flatten();
                all.extend(equal(std::slice::from_ref(value), &[other]));
            }
        }
        all
    }
}

/// The conditions under which values are the same, one by one; there are as many on both sides.
pub(super) fn equal(left: &[Option<Linear>], right: &[Option<Linear>]) -> Vec<Option<Literal>> {
    let zero = |(a, b): (&Option<Linear>, &Option<Linear>)| {
        Some(Literal::Zero(a.as_ref()?.minus(b.as_ref()?)?))
    };
    left.iter().zip(right).map(zero).collect()
}

/// Takes a step: its guard is assumed.
pub(super) fn take(
    case: &mut Case,
    state: &State,
    step: &SymbolicStep,
    number: usize,
) -> (State, Vec<Option<Linear>>) {
    state.guard(step, number).into_iter().for_each(|it| case.assume(it));
    state.after(step, number)
}
