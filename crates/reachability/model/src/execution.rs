//! Markings and one-off executions (section 3 of the paper).

use crate::ids::{PlaceId, TransitionId, VariableId};
use crate::net::{Arc, ArcKind, Net};
use std::collections::{BTreeMap, BTreeSet};

/// The components of a token.
pub type Token = Vec<i64>;

/// A transition with values for its variables: the paper's binding element.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Step {
    /// Who occurs.
    pub transition: TransitionId,
    /// With which values.
    pub binding: BTreeMap<VariableId, i64>,
}

impl Step {
    /// The token of one of the transition's arcs; nothing if a variable has no value or the result
    /// does not fit into 64 bits.
    pub fn token(&self, net: &Net, arc: &Arc) -> Option<Token> {
        arc.values.iter().map(|term| net.terms.evaluate_in(*term, &self.binding)).collect()
    }
}

/// How many tokens of which value are where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Marking {
    tokens: BTreeMap<PlaceId, BTreeMap<Token, usize>>,
}

/// Why a step is not possible.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotEnabled {
    /// There is no such transition.
    #[error("there is no such transition")]
    NoTransition,
    /// A variable has no value, or none of its own.
    #[error("`{transition}` has a variable without a proper value")]
    Unbound { transition: String },
    /// The guard is false.
    #[error("the guard of `{transition}` does not hold")]
    Guard { transition: String },
    /// A token is missing.
    #[error("`{transition}` finds no token {token:?} in `{place}`")]
    NoToken { transition: String, place: String, token: Token },
    /// It has occurred before.
    #[error("`{transition}` occurs twice")]
    Twice { transition: String },
}

impl Marking {
    /// The tokens in a place, with their numbers.
    pub fn tokens(&self, place: PlaceId) -> impl Iterator<Item = (&Token, usize)> {
        self.tokens.get(&place).into_iter().flatten().map(|(token, count)| (token, *count))
    }

    /// How many tokens there are in a place.
    pub fn count(&self, place: PlaceId) -> usize {
        self.tokens(place).map(|(_, count)| count).sum()
    }

    /// Puts a token into a place.
    pub fn put(&mut self, place: PlaceId, token: Token) {
        *self.tokens.entry(place).or_default().entry(token).or_default() += 1;
    }

    /// Takes a token from a place; whether there was one.
    pub fn take(&mut self, place: PlaceId, token: &Token) -> bool {
        let Some(tokens) = self.tokens.get_mut(&place) else {
            return false;
        };
        let Some(count) = tokens.get_mut(token) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            tokens.remove(token);
        }
        if tokens.is_empty() {
            self.tokens.remove(&place);
        }
        true
    }

    /// Whether a place has such a token.
    pub fn has(&self, place: PlaceId, token: &Token) -> bool {
        self.tokens.get(&place).is_some_and(|tokens| tokens.contains_key(token))
    }

    /// The marking after a step (Definition 2), if it is enabled.
    pub fn fire(&self, net: &Net, step: &Step) -> Result<Marking, NotEnabled> {
        let transition =
            net.transitions.get(step.transition.index()).ok_or(NotEnabled::NoTransition)?;
        let name = || transition.name.clone();
        for variable in &transition.variables {
            let value = step.binding.get(variable);
            let interval = net.variables[variable.index()].interval;
            if !value.is_some_and(|value| interval.contains(*value)) {
                return Err(NotEnabled::Unbound { transition: name() });
            }
        }
        if matches!(net.terms.evaluate_in(transition.guard, &step.binding), None | Some(0)) {
            return Err(NotEnabled::Guard { transition: name() });
        }
        let mut next = self.clone();
        for kind in [ArcKind::Input, ArcKind::Test, ArcKind::Output] {
            for arc in net.arcs_of(step.transition, kind).map(|arc| net.arc(arc)) {
                let token = step.token(net, arc);
                let token = token.ok_or_else(|| NotEnabled::Unbound { transition: name() })?;
                let found = match kind {
                    ArcKind::Input => next.take(arc.place, &token),
                    ArcKind::Test => next.has(arc.place, &token),
                    ArcKind::Output => {
                        next.put(arc.place, token.clone());
                        true
                    }
                };
                if !found {
                    let place = net.place(arc.place).name.clone();
                    return Err(NotEnabled::NoToken { transition: name(), place, token });
                }
            }
        }
        Ok(next)
    }
}

/// A one-off execution: from the empty marking, each transition at most once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Execution {
    pub steps: Vec<Step>,
}

impl Execution {
    /// The transitions that occur.
    pub fn events(&self) -> BTreeSet<TransitionId> {
        self.steps.iter().map(|step| step.transition).collect()
    }

    /// Fires all steps: gives the final marking, or the first step that is not possible and why.
    pub fn check(&self, net: &Net) -> Result<Marking, (usize, NotEnabled)> {
        let mut marking = Marking::default();
        let mut seen = BTreeSet::new();
        for (index, step) in self.steps.iter().enumerate() {
            marking = marking.fire(net, step).map_err(|why| (index, why))?;
            if !seen.insert(step.transition) {
                let transition = net.transition(step.transition).name.clone();
                return Err((index, NotEnabled::Twice { transition }));
            }
        }
        Ok(marking)
    }
}
