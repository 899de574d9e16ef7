//! The paper's own interleaving net, for comparison and for other tools.
//!
//! Appendix E of the SER paper translates a network system step by step: a request arrives (without
//! taking any token), takes a step together with the token on the global state, and responds.
//! Nothing is reordered, so the net is larger than the [normal form](crate::normal_form), which is
//! what the engine works on. Both have the same outcomes of complete runs.

use crate::Outcome;
use ser_base::{Limits, Stop};
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId, Step};
use std::collections::BTreeSet;

/// A transition of a [`PaperNet`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PaperTransition {
    /// A request arrives.
    Arrive(RequestId, LocalId),
    /// A request takes a step.
    Step(RequestId, Step),
    /// A request responds.
    Respond(RequestId, LocalId, ResponseId),
}

/// The interleaving net of appendix E, without places that no request can ever be in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PaperNet {
    /// One place for each global state. The initial one has a token.
    pub globals: Vec<GlobalId>,
    /// One place for each request and local state that it may get to, sorted.
    pub in_flight: Vec<(RequestId, LocalId)>,
    /// One place for each request and response that it may give, sorted.
    pub sinks: Vec<Outcome>,
    /// The transitions: arrivals, steps, responses.
    pub transitions: Vec<PaperTransition>,
}

impl PaperNet {
    /// Translates a network system.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::ProgramModel;
    /// let text = "request main { X := 1; yield; X := 0 }";
    /// let model = ProgramModel::new(&ser_syntax::parse(text).program, text, &Limits::default()).unwrap();
    /// let net = ser_net::PaperNet::new(model.system(), &Limits::default()).unwrap();
    /// // X = 0 and X = 1; before and after `yield`, and at the end; the response 0.
    /// assert_eq!((net.globals.len(), net.in_flight.len(), net.sinks.len()), (2, 3, 1));
    /// ```
    pub fn new(system: &NetworkSystem, limits: &Limits) -> Result<PaperNet, Stop> {
        let mut in_flight: BTreeSet<(RequestId, LocalId)> = BTreeSet::new();
        let mut open: Vec<(RequestId, LocalId)> = Vec::new();
        let mut transitions = Vec::new();
        for &(request, local) in system.spawns() {
            transitions.push(PaperTransition::Arrive(request, local));
            if in_flight.insert((request, local)) {
                open.push((request, local));
            }
        }
        while let Some((request, local)) = open.pop() {
            for step in system.steps_of(local) {
                if in_flight.insert((request, step.to)) {
                    open.push((request, step.to));
                }
            }
        }
        for &(request, local) in &in_flight {
            limits.check(0, transitions.len() * size_of::<PaperTransition>())?;
            let steps = system.steps_of(local).iter();
            transitions.extend(steps.map(|step| PaperTransition::Step(request, *step)));
        }
        let mut sinks = BTreeSet::new();
        for &(request, local) in &in_flight {
            for response in system.replies_of(local) {
                transitions.push(PaperTransition::Respond(request, local, response));
                sinks.insert(Outcome { request, response });
            }
        }
        Ok(PaperNet {
            globals: system.globals().collect(),
            in_flight: in_flight.into_iter().collect(),
            sinks: sinks.into_iter().collect(),
            transitions,
        })
    }

    pub fn place_count(&self) -> usize {
        self.globals.len() + self.in_flight.len() + self.sinks.len()
    }
}
