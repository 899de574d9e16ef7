//! States of a network and their transitions: section 2.3 of the paper, one function for each rule.

use thiserror::Error;

/// Why something cannot be enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum TooMuch {
    /// A value that no 64 bits hold.
    #[error("a value leaves 64 bits")]
    Overflow,
    /// More states or steps than allowed.
    #[error("too many states")]
    States,
}

/// A network system `(G, L, REQ, RESP, g0, delta, req, resp)`. Everything is numbered; names are
/// for those who compare.
pub trait Network {
    /// `req`: request labels with the local states in which they start.
    fn req(&self) -> &[(usize, usize)];
    /// `g0`.
    fn g0(&self) -> usize;
    /// `delta`: where a local state leads at a global state, as pairs (local, global).
    fn delta(&mut self, local: usize, global: usize) -> Result<Vec<(usize, usize)>, TooMuch>;
    /// `resp`: the responses of a local state.
    fn resp(&mut self, local: usize) -> Vec<usize>;
    /// The name of a request label.
    fn request_name(&self, label: usize) -> String;
    /// Whether a response counts.
    fn counts(&self, response: usize) -> bool;
    /// The name of a response label.
    fn response_name(&self, response: usize) -> String;
}

/// A network state `(g, R, Z)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The global state.
    pub g: usize,
    /// Requests in flight, as pairs (local state, label): a multiset, so it is sorted.
    pub r: Vec<(usize, usize)>,
    /// Pairs (request, response) of those that have completed; sorted, too.
    pub z: Vec<(usize, usize)>,
}

fn plus(multiset: &[(usize, usize)], element: (usize, usize)) -> Vec<(usize, usize)> {
    let mut more = multiset.to_vec();
    more.insert(more.partition_point(|e| *e < element), element);
    more
}

fn minus(multiset: &[(usize, usize)], at: usize) -> Vec<(usize, usize)> {
    let mut fewer = multiset.to_vec();
    fewer.remove(at);
    fewer
}

/// NEW REQUEST.
pub(crate) fn new_request(network: &impl Network, state: &State) -> Vec<State> {
    let State { g, r, z } = state;
    let arrive = |(label, local): &(usize, usize)| State {
        g: *g,
        r: plus(r, (*local, *label)),
        z: z.clone(),
    };
    network.req().iter().map(arrive).collect()
}

/// PROCESSING STEP.
pub(crate) fn processing_step(
    network: &mut impl Network,
    state: &State,
) -> Result<Vec<State>, TooMuch> {
    let mut all = Vec::new();
    for (at, (local, label)) in state.r.iter().enumerate() {
        for (local, g) in network.delta(*local, state.g)? {
            let others = minus(&state.r, at);
            all.push(State { g, r: plus(&others, (local, *label)), z: state.z.clone() });
        }
    }
    Ok(all)
}

/// RESPONSE.
pub(crate) fn response(network: &mut impl Network, state: &State) -> Vec<State> {
    let mut all = Vec::new();
    for (at, (local, label)) in state.r.iter().enumerate() {
        for response in network.resp(*local) {
            let r = minus(&state.r, at);
            all.push(State { g: state.g, r, z: plus(&state.z, (*label, response)) });
        }
    }
    all
}
