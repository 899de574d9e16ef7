//! States of a few requests, as forms over what their variables were at first.

use super::case::Case;
use super::facts::Fact;
use ser_model::{Linear, Literal, SymbolicNet, SymbolicStep, SymbolicTarget, Var};
use std::collections::BTreeMap;

/// Global variables, and requests in flight by number. Values that are too large are not known.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub globals: Vec<Option<Linear>>,
    pub requests: [Option<InFlight>; 3],
}

#[derive(Clone, Debug)]
pub(super) struct InFlight {
    pub place: usize,
    pub locals: BTreeMap<u32, Option<Linear>>,
}

impl State {
    /// Any state with requests in these places.
    pub fn any(net: &SymbolicNet, places: [Option<usize>; 3]) -> State {
        let globals = (0..net.globals.len() as u32).map(|n| Some(Linear::var(Var::Global(n))));
        let mut requests = [None, None, None];
        for (number, place) in places.into_iter().enumerate() {
            let Some(place) = place else { continue };
            let own = |local: &u32| (*local, Some(Linear::var(Var::Local(number as u8, *local))));
            let locals = net.places[place].locals.iter().map(own).collect();
            requests[number] = Some(InFlight { place, locals });
        }
        State { globals: globals.collect(), requests }
    }

    /// The place of a request.
    pub fn place(&self, number: usize) -> Option<usize> {
        self.requests[number].as_ref().map(|it| it.place)
    }

    /// The value of a variable of this request, or of a global one.
    pub fn value(&self, number: usize, var: Var) -> Option<Linear> {
        match var {
            Var::Global(n) => self.globals.get(n as usize)?.clone(),
            Var::Local(_, local) => self.requests[number].as_ref()?.locals.get(&local)?.clone(),
            Var::Choice(_, n) => Some(Linear::var(Var::Choice(number as u8, n))),
        }
    }

    /// A condition on the variables of some requests: these.
    pub fn literal(&self, literal: &Literal, requests: [usize; 2]) -> Option<Literal> {
        literal.replaced(&|var| match var {
            Var::Local(role, _) => self.value(*requests.get(usize::from(role))?, var),
            _ => self.value(requests[0], var),
        })
    }

    /// Assumes what is known of some requests.
    pub fn assume(&self, case: &mut Case, fact: &Fact, requests: [usize; 2]) {
        let Some(then) = self.literal(&fact.then, requests) else { return };
        let given = fact.given.iter().map(|it| self.literal(it, requests));
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
            if let Some(it) = after.globals.get_mut(*global as usize) {
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
