//! The reductions of a net of rules, one after the other until nothing changes.

use super::idle::without_idle_steps;
use super::mover::Tables;
use super::{Facts, RuleNet};
use crate::{Effect, PlaceId, Side};
use ser_model::{Limits, LocalId, RequestId};

/// A reduction that changed the net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuleReduction {
    /// Facts were worked out anew, and what they rule out or what cannot complete was dropped.
    Facts,
    /// Idle steps were removed.
    Idle,
    /// A place was eliminated because its steps commute with everything in between.
    Move {
        /// The place.
        place: (RequestId, LocalId),
        /// Which steps were moved.
        side: Side,
    },
}

/// A reduced net of rules, and how it came about.
#[derive(Clone, Debug)]
pub struct ReducedRules {
    /// The net.
    pub net: RuleNet,
    /// The reductions in the order in which they were applied.
    pub applied: Vec<RuleReduction>,
}

/// Applies all reductions until none changes the net any more, or until time is up: every reduction
/// is optional.
pub fn reduce_rules(net: &RuleNet, limits: &Limits) -> ReducedRules {
    let mut reduced = ReducedRules { net: net.clone(), applied: Vec::new() };
    loop {
        let idle = without_idle_steps(&reduced.net);
        if idle.transitions.len() < reduced.net.transitions.len() {
            reduced.net = idle;
            reduced.applied.push(RuleReduction::Idle);
        }
        let Ok(facts) = Facts::new(&reduced.net, limits) else {
            return reduced;
        };
        reduced.applied.push(RuleReduction::Facts);
        let size = reduced.net.transitions.len();
        reduced.net = complete(&possible(&reduced.net, &facts));
        let shrunk = reduced.net.transitions.len() < size;
        let moved = eliminate_movers(&mut reduced, &facts, limits);
        if reduced.net.is_atomic() || !moved && !shrunk || limits.check_clock().is_err() {
            return reduced;
        }
    }
}

/// Drops what cannot happen.
fn possible(net: &RuleNet, facts: &Facts) -> RuleNet {
    let transitions = net.transitions.iter().filter(|t| facts.possible(t)).cloned().collect();
    RuleNet { transitions, ..net.clone() }
}

/// Drops steps into places from which no path leads to a response.
fn complete(net: &RuleNet) -> RuleNet {
    let mut hopeful = vec![false; net.places.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for t in &net.transitions {
            let completes = match t.effect {
                Effect::Respond(_) => true,
                Effect::InFlight(p) => hopeful[p.index()],
            };
            if let (true, Some(p)) = (completes, t.takes) {
                changed |= !std::mem::replace(&mut hopeful[p.index()], true);
            }
        }
    }
    let keep = |t: &&_| match crate::RuleTransition::gives(t) {
        Some(p) => hopeful[p.index()],
        None => true,
    };
    let transitions = net.transitions.iter().filter(keep).cloned().collect();
    RuleNet { transitions, ..net.clone() }
}

/// Eliminates places as long as there are any that can be; whether there were some.
fn eliminate_movers(reduced: &mut ReducedRules, facts: &Facts, limits: &Limits) -> bool {
    let mut moved = false;
    loop {
        let mut again = false;
        for i in 0..reduced.net.places.len() {
            if limits.check_clock().is_err() {
                return moved;
            }
            let place = PlaceId(i as u32);
            let tables = Tables::new(&reduced.net, facts);
            if !tables.is_used(place) {
                continue;
            }
            if let Some(side) = tables.direction(place)
                && let Some(transitions) = tables.compose(place)
            {
                reduced.net.transitions = transitions;
                let place = reduced.net.places[i];
                reduced.applied.push(RuleReduction::Move { place, side });
                again = true;
            }
        }
        moved |= again;
        if !again {
            return moved;
        }
    }
}
