//! The normal form of a network system: lazy spawn, eager respond.
//!
//! A [`Net`] has one control token on a global state and counts requests in flight per
//! [`Place`]. A transition moves the control, takes at most one request in flight, and either
//! puts it in a place or completes it:
//!
//! ```text
//! before        -> after + letter       a request arrives, runs and responds
//! before        -> after + place        a request arrives and is left in flight
//! before + take -> after + letter       a request in flight steps and responds
//! before + take -> after + place        a request in flight steps
//! ```
//!
//! *Theorem.* The outcomes of the complete runs of the normal form are those of the network
//! system. *Proof.* Arriving and responding neither read nor write the global state, so in a
//! complete run every arrival can be moved right until just before the request's first step, and
//! every response left until just after its last step, or after its arrival if it never steps;
//! neither changes the outcome. Then arrival and first step, and last step and response, are one
//! transition each (and an arrival with a response, in any global state, one that keeps it). A
//! request left in a local state without steps can never complete from there, so only local
//! states with steps need places. Conversely each transition is such a piece of a run. ∎

use crate::Reason;
use crate::meter::Meter;
use crate::names::{Letter, Place};
use rustc_hash::FxHashSet;
use ser_model::{GlobalId, NetworkSystem, RequestId};

/// What happens to the request that a transition moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Effect {
    /// It is in flight.
    Place(Place),
    /// It has responded.
    Outcome(Letter),
}

impl Effect {
    /// The request that it happens to.
    pub(crate) fn request(self) -> RequestId {
        match self {
            Effect::Place(Place { request, .. }) | Effect::Outcome(Letter { request, .. }) => {
                request
            }
        }
    }

    /// The place that the request is in afterwards.
    pub(crate) fn place(self) -> Option<Place> {
        match self {
            Effect::Place(place) => Some(place),
            Effect::Outcome(_) => None,
        }
    }
}

/// `before + take -> after + effect`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Transition {
    pub(crate) before: GlobalId,
    /// The place that the request was in; none if it arrives.
    pub(crate) take: Option<Place>,
    pub(crate) after: GlobalId,
    pub(crate) effect: Effect,
}

impl Transition {
    /// The place that the request is in afterwards.
    pub(crate) fn put(&self) -> Option<Place> {
        self.effect.place()
    }
}

/// A set of transitions and where it all begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Net {
    pub(crate) initial: GlobalId,
    /// Sorted, each once.
    transitions: Vec<Transition>,
}

impl Net {
    pub(crate) fn new(initial: GlobalId, mut transitions: Vec<Transition>) -> Net {
        transitions.sort_unstable();
        transitions.dedup();
        Net { initial, transitions }
    }

    pub(crate) fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    pub(crate) fn contains(&self, transition: &Transition) -> bool {
        self.transitions.binary_search(transition).is_ok()
    }

    /// The places that some transition takes from or puts into, sorted.
    pub(crate) fn places(&self) -> Vec<Place> {
        let mentioned = |t: &Transition| t.take.into_iter().chain(t.put());
        let mut places: Vec<Place> = self.transitions.iter().flat_map(mentioned).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// The normal form of a network system.
pub(crate) fn normal_form(system: &NetworkSystem, meter: &mut Meter<'_>) -> Result<Net, Reason> {
    let mut transitions = Vec::new();
    let mut found: FxHashSet<Place> = FxHashSet::default();
    let mut todo: Vec<(Option<Place>, Place)> = Vec::new();
    for &(request, local) in system.spawns() {
        for response in system.replies_of(local) {
            for global in system.globals() {
                meter.entry()?;
                transitions.push(Transition {
                    before: global,
                    take: None,
                    after: global,
                    effect: Effect::Outcome(Letter { request, response }),
                });
            }
        }
        todo.push((None, Place { request, local, foresight: None }));
    }
    while let Some((take, Place { request, local, .. })) = todo.pop() {
        for step in system.steps_of(local) {
            let mut push = |effect: Effect| {
                transitions.push(Transition {
                    before: step.before,
                    take,
                    after: step.after,
                    effect,
                });
                meter.entry()
            };
            for response in system.replies_of(step.to) {
                push(Effect::Outcome(Letter { request, response }))?;
            }
            if !system.steps_of(step.to).is_empty() {
                let local = step.to;
                let place = Place { request, local, foresight: None };
                push(Effect::Place(place))?;
                if found.insert(place) {
                    todo.push((Some(place), place));
                }
            }
        }
    }
    Ok(Net::new(system.initial_global(), transitions))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::names::Names;
    use ser_base::Limits;
    use ser_model::read_json;

    /// The transitions of a net, in words, sorted.
    pub(crate) fn show(net: &Net, system: &NetworkSystem) -> Vec<String> {
        let names = Names::new(system);
        let mut lines: Vec<String> =
            net.transitions().iter().map(|t| names.show_transition(t)).collect();
        lines.sort();
        lines
    }

    /// A system with one request, given by its transitions, and its normal form.
    pub(crate) fn with_transitions(transitions: &str) -> (NetworkSystem, Net) {
        net_of(&format!(
            r#"{{"initial_global": "0", "requests": [["q", "s"]], "responses": [["d", "ok"]],
                "transitions": [{transitions}]}}"#
        ))
    }

    /// What a reduction leaves of nets that are given by their transitions.
    pub(crate) fn leaves(
        table: &[(&str, &[&str])],
        reduce: impl Fn(&Net, &mut Meter<'_>) -> Result<Net, Reason>,
    ) {
        for (transitions, expected) in table {
            let (system, net) = with_transitions(transitions);
            let reduced = reduce(&net, &mut Meter::new(&Limits::default())).expect("small");
            assert_eq!(show(&reduced, &system), *expected, "{transitions}");
        }
    }

    /// A system from its JSON text and its normal form.
    pub(crate) fn net_of(text: &str) -> (NetworkSystem, Net) {
        let system = read_json(text).expect("a test system");
        let net = normal_form(&system, &mut Meter::new(&Limits::default())).expect("small");
        (system, net)
    }

    #[test]
    fn a_request_that_yields_once_has_one_place() {
        let (system, net) = net_of(
            r#"{"initial_global": "0", "requests": [["main", "s"]], "responses": [["d", "ok"]],
                "transitions": [["s", "0", "m", "1"], ["m", "1", "d", "0"]]}"#,
        );
        assert_eq!(show(&net, &system), ["0 -> 1 + main@m", "1 + main@m -> 0 + main/ok"]);
    }

    #[test]
    fn responses_without_steps_and_before_further_steps_are_kept() {
        // `s` responds at once or steps to `m`, which responds or steps on; `x` is a dead end.
        let (system, net) = net_of(
            r#"{"initial_global": "0", "requests": [["a", "s"], ["b", "m"]],
                "responses": [["s", "no"], ["m", "yes"]],
                "transitions": [["s", "0", "m", "1"], ["m", "1", "s", "0"], ["m", "0", "x", "0"]]}"#,
        );
        assert_eq!(
            show(&net, &system),
            [
                "0 + a@s -> 1 + a/yes",
                "0 + a@s -> 1 + a@m",
                "0 + b@s -> 1 + b/yes",
                "0 + b@s -> 1 + b@m",
                "0 -> 0 + a/no",
                "0 -> 0 + b/yes",
                "0 -> 1 + a/yes",
                "0 -> 1 + a@m",
                "1 + a@m -> 0 + a/no",
                "1 + a@m -> 0 + a@s",
                "1 + b@m -> 0 + b/no",
                "1 + b@m -> 0 + b@s",
                "1 -> 0 + b/no",
                "1 -> 0 + b@s",
                "1 -> 1 + a/no",
                "1 -> 1 + b/yes",
            ]
        );
    }
}
