//! The interleaving net: one token on a global state, any number on requests in flight.
//!
//! A vector addition system with the global states as control states, one counter for each
//! place (a local state with the request that is in it), and one sink for each outcome
//! (a request with its response). A complete run ends with every counter at zero.

use crate::Foresight;
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId};

ser_base::ids! {
    /// A place of a net.
    PlaceId,
}

/// Requests in flight in one of several local states that behave alike.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    pub request: RequestId,
    /// Its local states; the first one represents them.
    pub members: Vec<LocalId>,
    /// How its requests end, after a prophecy.
    pub foresight: Option<Foresight>,
}

impl Place {
    /// The request and the local state that represents the place: unique in a net without
    /// foresight.
    pub fn name(&self) -> (RequestId, LocalId) {
        (self.request, self.members[0])
    }

    /// The response that its requests have committed to, as far as foresight knows.
    pub fn commitment(&self) -> Option<Outcome> {
        let Foresight { response, committed } = self.foresight?;
        committed.then_some(Outcome { request: self.request, response })
    }
}

/// A completed request with its response: a letter of the serial automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Outcome {
    pub request: RequestId,
    pub response: ResponseId,
}

impl Outcome {
    /// `request/response`.
    pub fn name(self, system: &NetworkSystem) -> String {
        format!("{}/{}", system.request_name(self.request), system.response_name(self.response))
    }
}

/// What becomes of the request that takes a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Effect {
    /// It goes on later.
    InFlight(PlaceId),
    /// It is complete.
    Respond(Outcome),
}

/// One request moves, from nowhere (it arrives) or from a place, and the global state with it.
///
/// | takes | effect | the paper's word |
/// | --- | --- | --- |
/// | nothing | response | atomic: arrives and completes in one step |
/// | nothing | in flight | start |
/// | a place | in flight | mid |
/// | a place | response | end |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Transition {
    /// The global state before.
    pub before: GlobalId,
    /// Where the request comes from; nothing if it arrives.
    pub takes: Option<PlaceId>,
    /// The global state after.
    pub after: GlobalId,
    /// What becomes of the request.
    pub effect: Effect,
}

impl Transition {
    /// The place that receives the request, if it goes on.
    pub fn gives(&self) -> Option<PlaceId> {
        match self.effect {
            Effect::InFlight(place) => Some(place),
            Effect::Respond(_) => None,
        }
    }
}

/// The interleaving net of a network system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Net {
    /// The global state at the start.
    pub initial: GlobalId,
    /// How many global states the network system has.
    pub global_count: usize,
    pub places: Vec<Place>,
    /// The transitions, sorted and without repetition.
    pub transitions: Vec<Transition>,
}

impl Net {
    /// Whether nothing can interleave: no request is ever in flight between two steps.
    pub fn is_atomic(&self) -> bool {
        self.transitions.iter().all(|t| t.takes.is_none() && t.gives().is_none())
    }

    /// The global states that the net mentions, sorted: the initial one, and those of transitions.
    pub fn globals(&self) -> Vec<GlobalId> {
        let mentioned = self.transitions.iter().flat_map(|t| [t.before, t.after]);
        let mut globals: Vec<GlobalId> = mentioned.chain([self.initial]).collect();
        globals.sort_unstable();
        globals.dedup();
        globals
    }

    /// The outcomes of its transitions, sorted.
    pub fn sinks(&self) -> Vec<Outcome> {
        let responds = self.transitions.iter().filter_map(|t| match t.effect {
            Effect::Respond(outcome) => Some(outcome),
            Effect::InFlight(_) => None,
        });
        let mut sinks: Vec<Outcome> = responds.collect();
        sinks.sort_unstable();
        sinks.dedup();
        sinks
    }

    /// The transitions from each global state: where its range begins, one more at the end.
    pub fn starts_by_global(&self) -> Vec<u32> {
        (0..=self.global_count)
            .map(|g| self.transitions.partition_point(|t| t.before.index() < g) as u32)
            .collect()
    }

    /// The net without places that no transition mentions, with places numbered anew.
    pub fn compact(&self) -> Net {
        let mut used = vec![false; self.places.len()];
        for t in &self.transitions {
            for place in [t.takes, t.gives()].into_iter().flatten() {
                used[place.index()] = true;
            }
        }
        let mut renamed = vec![PlaceId(0); self.places.len()];
        let mut places = Vec::new();
        for (i, place) in self.places.iter().enumerate() {
            if used[i] {
                renamed[i] = PlaceId(places.len() as u32);
                places.push(place.clone());
            }
        }
        self.rename(places, |p| renamed[p.index()])
    }

    /// The net with other places.
    pub(crate) fn rename(&self, places: Vec<Place>, to: impl Fn(PlaceId) -> PlaceId) -> Net {
        let mut transitions: Vec<Transition> = self
            .transitions
            .iter()
            .map(|t| Transition {
                takes: t.takes.map(&to),
                effect: match t.effect {
                    Effect::InFlight(place) => Effect::InFlight(to(place)),
                    respond => respond,
                },
                ..*t
            })
            .collect();
        transitions.sort_unstable();
        transitions.dedup();
        Net { initial: self.initial, global_count: self.global_count, places, transitions }
    }

    /// The net with only some of its transitions.
    pub(crate) fn retain(&self, keep: impl FnMut(&Transition) -> bool) -> Net {
        let mut transitions = self.transitions.clone();
        transitions.retain(keep);
        Net { transitions, ..self.clone() }
    }
}
