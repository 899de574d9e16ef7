//! All one-off executions of a small net, by trying everything. The second opinion for tests and
//! demonstrations.

use crate::execution::{Marking, Step, Token};
use crate::ids::{PlaceId, TransitionId, VariableId};
use crate::net::{ArcKind, Net};
use crate::term::Node;
use rustc_hash::FxHashSet;
use ser_base::{Limits, Stop};
use std::collections::{BTreeMap, BTreeSet};

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explored {
    /// The transitions that occur in some one-off execution.
    pub reachable: BTreeSet<TransitionId>,
    /// The places that have two tokens at once in some one-off execution.
    pub unsafe_places: BTreeSet<PlaceId>,
    /// How many pairs of events and markings there are.
    pub states: usize,
}

/// Follows all one-off executions of a net.
pub fn explore(net: &Net, limits: &Limits) -> Result<Explored, Stop> {
    let mut explored = Explored::default();
    let start = (BTreeSet::new(), Marking::default());
    let mut seen = FxHashSet::from_iter([start.clone()]);
    let mut open = vec![start];
    while let Some((events, marking)) = open.pop() {
        explored.states += 1;
        limits.check(explored.states, 0)?;
        for place in (0..net.places.len()).map(PlaceId::from_index) {
            if marking.count(place) > 1 {
                explored.unsafe_places.insert(place);
            }
        }
        for transition in (0..net.transitions.len()).map(TransitionId::from_index) {
            if events.contains(&transition) {
                continue;
            }
            for step in possible_steps(net, &marking, transition) {
                let Ok(next) = marking.fire(net, &step) else { continue };
                explored.reachable.insert(transition);
                let mut events: BTreeSet<TransitionId> = events.clone();
                events.insert(transition);
                let state = (events, next);
                if seen.insert(state.clone()) {
                    open.push(state);
                }
            }
        }
    }
    Ok(explored)
}

/// Candidates for steps: variables that stand alone on a reading arc have values of tokens there,
/// others are tried.
pub fn possible_steps(net: &Net, marking: &Marking, transition: TransitionId) -> Vec<Step> {
    let mut bindings: BTreeSet<BTreeMap<VariableId, i64>> = BTreeSet::from([BTreeMap::new()]);
    for arc in net.transition(transition).arcs.iter().map(|arc| net.arc(*arc)) {
        if arc.kind == ArcKind::Output {
            continue;
        }
        let tokens: Vec<&Token> = marking.tokens(arc.place).map(|(token, _)| token).collect();
        let mut next = BTreeSet::new();
        for binding in &bindings {
            for token in &tokens {
                let mut binding = binding.clone();
                let fits = arc.values.iter().zip(*token).all(|(term, value)| {
                    match net.terms.node(*term) {
                        Node::Variable(v) => *binding.entry(v).or_insert(*value) == *value,
                        _ => true,
                    }
                });
                if fits {
                    next.insert(binding);
                }
            }
        }
        bindings = next;
    }
    for variable in &net.transition(transition).variables {
        let interval = net.variables[variable.index()].interval;
        bindings = bindings
            .into_iter()
            .flat_map(|binding| {
                let values = match binding.get(variable) {
                    Some(value) => *value..=*value,
                    None => interval.low..=interval.high,
                };
                values.map(move |value| {
                    let mut binding = binding.clone();
                    binding.insert(*variable, value);
                    binding
                })
            })
            .collect();
    }
    bindings.into_iter().map(|binding| Step { transition, binding }).collect()
}
