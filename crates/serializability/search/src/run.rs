//! Runs of the raw network system, and counterexamples.

use ser_model::{LocalId, RequestId, ResponseId, Step};
use ser_net::Outcome;

/// One thing that happens in a run. Requests are numbered from 1 in the order of arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A request arrives.
    Arrive { number: u32, request: RequestId, local: LocalId },
    /// A request takes a step.
    Step { number: u32, step: Step },
    /// A request responds and is gone.
    Respond { number: u32, response: ResponseId },
}

/// A complete run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// What happens, in order.
    pub events: Vec<Event>,
}

/// A complete run whose outcome no serial run has, or, if it is strict, none that keeps the order
/// of requests that do not overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    pub run: Run,
    /// What the requests responded, with counts, sorted.
    pub outcome: Vec<(Outcome, u32)>,
    pub requests: usize,
    /// Whether it is certain that no counterexample has fewer requests.
    pub fewest: bool,
    /// Whether it is about real-time order.
    pub strict: bool,
    /// How many states the search found.
    pub states: usize,
}
