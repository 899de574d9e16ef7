//! The refuter for strict serializability: looks for a run that no serial run explains which keeps
//! the order of requests that do not overlap.
//!
//! Beside the net, a state follows all serial runs that may explain what has happened so far: an
//! [`Explanation`] says where such a serial run is, and which of the requests in flight have been
//! in it already, with the response that they are going to give. A request takes its place in the
//! serial run while it is in flight, and it is enough to choose that when somebody responds: of
//! those in flight, some come first, and then the one that responds. When no explanation is left,
//! whatever completes the run is a counterexample. How many requests there have been does not
//! matter, so with few requests in flight a search reaches far.
//!
//! States are visited in the order of how many requests and how many steps it took, with at most 2,
//! 3, 4, ... requests in flight.

use super::expand::expand;
use super::problem::{ARRIVES, Move, Problem};
use crate::{Progress, Refutation, RefuteOptions, Refuted, Run, SearchStop, Searched};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Pace, Stop};
use ser_model::NetworkSystem;
use ser_net::{Net, Outcome, SerialAutomaton};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// "Not yet": a request that has not been in the serial run.
const NOT_YET: u32 = u32::MAX;

/// States with more explanations are left out.
const MAX_EXPLANATIONS: usize = 200;

/// More requests in flight are not looked at: each of them may be anywhere in the serial run.
const MOST_IN_FLIGHT: u32 = 5;

/// How many states the search with two requests in flight may visit; each wider one twice as many.
const FIRST_BUDGET: usize = 20_000;

/// How many states may be visited to find a counterexample with fewer requests.
const BUDGET_FOR_FEWER: usize = 50_000;

/// Where a serial run is, and for each request in flight its response there.
type Explanation = (u32, Vec<u32>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    global: u32,
    /// The places of the requests in flight, sorted.
    places: Vec<u32>,
    /// Sorted, each once.
    explanations: Vec<Explanation>,
}

/// A state that was found, and how: by which move of which request in flight, with how many
/// requests and steps so far.
struct Node {
    state: State,
    from: Option<u32>,
    index: u32,
    slot: u32,
    cost: (u32, u32),
    is_done: bool,
}

/// Looks for a run of `net`, a reduced net of `system` that keeps its steps, that no serial run
/// explains in real-time order.
pub(crate) fn refute_strictly(
    system: &NetworkSystem,
    (net, automaton): (&Net, &SerialAutomaton),
    options: &RefuteOptions,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> Refuted {
    let problem = Problem::new(net, automaton, limits);
    let problem = match problem.map_err(|stop| Refuted::No(Searched::nothing(stop))) {
        Err(nothing) => return nothing,
        Ok(problem) => problem,
    };
    let mut budget = FIRST_BUDGET;
    // One request at a time is a serial run.
    let mut searched = Searched {
        layers: vec![0],
        any_in_flight: false,
        states: 0,
        bytes: 0,
        stopped: SearchStop::Budget,
    };
    for bound in 2..=options.max_in_flight.min(MOST_IN_FLIGHT) {
        let left = options.max_states.saturating_sub(searched.states);
        if left == 0 {
            break;
        }
        let mut search = Search::new(&problem, bound, options.max_requests);
        let end = search.run(budget.min(left), limits, progress);
        searched.states += search.nodes.len();
        searched.bytes += search.bytes;
        match end {
            Ok(End::Hit(at)) => {
                let mut found = search.found(at);
                if !found.fewest && found.requests > 2 {
                    let fewer = found.requests - 1;
                    let mut search = Search::new(&problem, fewer as u32, fewer);
                    let end = search.run(BUDGET_FOR_FEWER, limits, progress);
                    searched.states += search.nodes.len();
                    match end {
                        Ok(End::Hit(at)) => found = search.found(at),
                        Ok(End::Exhausted) => found.fewest = !search.has_gaps,
                        Ok(End::Budget) | Err(_) => {}
                    }
                }
                found.states = searched.states;
                return Refuted::Yes(Box::new(found.finish(&problem, system, net)));
            }
            Ok(End::Exhausted) => {
                // With a bound on requests or without, there is nothing more to see.
                searched.layers.push(search.looked_at(search.requests));
                if !search.bound_was_felt && !search.has_gaps {
                    searched.any_in_flight = true;
                    searched.stopped = SearchStop::Exhausted;
                    break;
                }
            }
            Ok(End::Budget) => {
                searched.layers.push(search.looked_at(search.requests.saturating_sub(1)));
            }
            Err(stop) => {
                searched.stopped = SearchStop::Limit(stop);
                break;
            }
        }
        budget = budget.saturating_mul(2);
    }
    Refuted::No(searched)
}

/// How a search ended.
enum End {
    Hit(u32),
    Exhausted,
    Budget,
}

struct Search<'a> {
    problem: &'a Problem,
    /// The most requests in flight, and in all.
    bound: u32,
    most: usize,
    nodes: Vec<Node>,
    known: FxHashMap<State, u32>,
    /// Requests and steps so far, and the node.
    open: BinaryHeap<Reverse<((u32, u32), u32)>>,
    /// How many requests the states have that are visited now.
    requests: u32,
    bound_was_felt: bool,
    /// Whether states were left out.
    has_gaps: bool,
    bytes: usize,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, bound: u32, most: usize) -> Search<'a> {
        Search {
            problem,
            bound,
            most,
            nodes: Vec::new(),
            known: FxHashMap::default(),
            open: BinaryHeap::new(),
            requests: 0,
            bound_was_felt: false,
            has_gaps: false,
            bytes: 0,
        }
    }

    fn run(
        &mut self,
        budget: usize,
        limits: &Limits,
        progress: &dyn Fn(Progress),
    ) -> Result<End, Stop> {
        let mut pace = limits.pace();
        let global = self.problem.initial;
        let explanations = vec![(global, Vec::new())];
        let state = State { global, places: Vec::new(), explanations };
        self.add(Node { state, from: None, index: 0, slot: 0, cost: (0, 0), is_done: false });
        while let Some(Reverse((cost, at))) = self.open.pop() {
            let node = &mut self.nodes[at as usize];
            if std::mem::replace(&mut node.is_done, true) {
                continue;
            }
            let state = node.state.clone();
            if cost.0 > self.requests {
                self.requests = cost.0;
                let (requests, in_flight) = (cost.0 as usize, self.bound);
                progress(Progress::Searching { requests, in_flight, states: self.nodes.len() });
            }
            if state.places.is_empty() && state.explanations.is_empty() {
                return Ok(End::Hit(at));
            }
            if self.nodes.len() > budget {
                return Ok(End::Budget);
            }
            limits.check(0, self.bytes)?;
            self.expand(at, &state, cost, &mut pace)?;
        }
        Ok(End::Exhausted)
    }

    fn expand(
        &mut self,
        at: u32,
        state: &State,
        (requests, steps): (u32, u32),
        pace: &mut Pace<'_>,
    ) -> Result<(), Stop> {
        let in_flight = state.places.len();
        for index in self.problem.moves_from(state.global) {
            let m = self.problem.moves[index];
            let arrives = m.takes == ARRIVES;
            if arrives && requests as usize >= self.most {
                continue;
            }
            if arrives && in_flight >= self.bound as usize {
                self.bound_was_felt = true;
                continue;
            }
            let slots = if arrives { in_flight..in_flight + 1 } else { 0..in_flight };
            for slot in slots {
                pace.steps(4)?;
                if !arrives && state.places[slot] != m.takes {
                    continue;
                }
                let Some(state) = self.after(state, m, slot, pace)? else { continue };
                let cost = (requests + u32::from(arrives), steps + 1);
                let (index, slot) = (index as u32, slot as u32);
                self.add(Node { state, from: Some(at), index, slot, cost, is_done: false });
            }
        }
        Ok(())
    }

    fn add(&mut self, node: Node) {
        if let Some(known) = self.known.get(&node.state).copied() {
            let there = &mut self.nodes[known as usize];
            if !there.is_done && node.cost < there.cost {
                self.open.push(Reverse((node.cost, known)));
                *there = node;
            }
            return;
        }
        let at = self.nodes.len() as u32;
        let State { places, explanations, .. } = &node.state;
        self.bytes += 2 * (96 + 4 * places.len() + explanations.len() * (32 + 4 * places.len()));
        self.known.insert(node.state.clone(), at);
        self.open.push(Reverse((node.cost, at)));
        self.nodes.push(node);
    }

    /// The state after a move of a request in flight, or of one that arrives; nothing if some
    /// request could not complete any more, or if there is too much to explain.
    fn after(
        &mut self,
        state: &State,
        m: Move,
        slot: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<State>, Stop> {
        let mut places = state.places.clone();
        let mut explanations = state.explanations.clone();
        if slot == places.len() {
            places.push(ARRIVES);
            explanations.iter_mut().for_each(|(_, letters)| letters.push(NOT_YET));
        }
        if m.responds {
            explanations = self.respond(&explanations, &places, slot, m.gives, pace)?;
            if explanations.len() > MAX_EXPLANATIONS {
                self.has_gaps = true;
                return Ok(None);
            }
            places.remove(slot);
        } else {
            places[slot] = m.gives;
        }
        if places.iter().any(|place| !self.problem.is_co_reachable(m.after, *place)) {
            return Ok(None);
        }
        let order = order(&places);
        for (_, letters) in &mut explanations {
            *letters = order.iter().map(|slot| letters[*slot]).collect();
        }
        places = order.iter().map(|slot| places[*slot]).collect();
        explanations.sort_unstable();
        explanations.dedup();
        Ok(Some(State { global: m.after, places, explanations }))
    }

    /// What explains that a request gives this response and is gone.
    fn respond(
        &self,
        explanations: &[Explanation],
        places: &[u32],
        slot: usize,
        letter: u32,
        pace: &mut Pace<'_>,
    ) -> Result<Vec<Explanation>, Stop> {
        let problem = self.problem;
        let gone = |global: u32, letters: &[u32]| {
            let mut letters = letters.to_vec();
            letters.remove(slot);
            (global, letters)
        };
        let mut found: FxHashSet<Explanation> = FxHashSet::default();
        let mut seen: FxHashSet<Explanation> = FxHashSet::default();
        let mut open: Vec<Explanation> = Vec::new();
        for (global, letters) in explanations {
            if letters[slot] == letter {
                found.insert(gone(*global, letters));
            } else if letters[slot] == NOT_YET && seen.insert((*global, letters.clone())) {
                open.push((*global, letters.clone()));
            }
        }
        while let Some((global, letters)) = open.pop() {
            for (read, after) in problem.serial_edges(global) {
                pace.steps(2)?;
                if *read == letter {
                    found.insert(gone(*after, &letters));
                }
                let request = problem.outcome_request[*read as usize];
                for other in (0..places.len()).filter(|other| *other != slot) {
                    let comes = letters[other] == NOT_YET
                        && problem.place_request[places[other] as usize] == request;
                    if !comes || seen.len() > 4 * MAX_EXPLANATIONS {
                        continue;
                    }
                    let mut letters = letters.clone();
                    letters[other] = *read;
                    if seen.insert((*after, letters.clone())) {
                        open.push((*after, letters));
                    }
                }
            }
        }
        // With fewer explanations than there are, a run could seem to have none.
        if seen.len() > 4 * MAX_EXPLANATIONS {
            return Ok(vec![(0, Vec::new()); MAX_EXPLANATIONS + 1]);
        }
        Ok(found.into_iter().collect())
    }

    /// Up to how many requests all runs have been looked at, given where the search has got to.
    fn looked_at(&self, requests: u32) -> usize {
        if self.has_gaps { 0 } else { requests as usize }
    }

    fn found(&self, hit: u32) -> Found {
        let mut path = Vec::new();
        let mut at = hit;
        while let Node { from: Some(from), index, slot, .. } = &self.nodes[at as usize] {
            path.push((*index, *slot as usize));
            at = *from;
        }
        path.reverse();
        let requests = self.nodes[hit as usize].cost.0 as usize;
        let felt = self.bound_was_felt && (self.bound as usize) < requests;
        Found { path, requests, fewest: !felt && !self.has_gaps, states: 0 }
    }
}

/// The requests in flight in the order of their places.
fn order(places: &[u32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|slot| places[*slot]);
    order
}

/// A counterexample.
struct Found {
    /// The moves, and which of the requests in flight takes them.
    path: Vec<(u32, usize)>,
    requests: usize,
    fewest: bool,
    states: usize,
}

impl Found {
    fn finish(self, problem: &Problem, system: &NetworkSystem, net: &Net) -> Refutation {
        let mut outcome: BTreeMap<Outcome, u32> = BTreeMap::new();
        let mut in_flight: Vec<(u32, u32)> = Vec::new();
        let mut arrived = 0;
        let mut run = Vec::new();
        for (index, slot) in &self.path {
            let m = problem.moves[*index as usize];
            if m.takes == ARRIVES {
                arrived += 1;
                in_flight.push((ARRIVES, arrived));
            }
            run.push((*index, Some(in_flight[*slot].1)));
            if m.responds {
                *outcome.entry(problem.outcomes[m.gives as usize]).or_default() += 1;
                in_flight.remove(*slot);
            } else {
                in_flight[*slot].0 = m.gives;
            }
            in_flight.sort_by_key(|(place, _)| *place);
        }
        // A run that cannot be expanded would be a defect of a reduction. The checker rejects the
        // empty run, and the answer is withheld as an internal error.
        let run = expand(system, net, &run).unwrap_or(Run { events: Vec::new() });
        Refutation {
            run,
            outcome: outcome.into_iter().collect(),
            requests: self.requests,
            fewest: self.fewest,
            strict: true,
            states: self.states,
        }
    }
}
