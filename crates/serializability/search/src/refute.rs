//! The refuter: looks for a run whose outcome no serial run has.
//!
//! Searches with at most 1, 2, 3, ... requests in flight take turns with growing budgets: most
//! violations need only few requests in flight, however many requests there are in all, and a
//! search with a small bound reaches far. After the first hit, searches with a larger bound get
//! a last chance to find one with fewer requests or steps.

mod expand;
mod multiset;
mod problem;
mod search;
mod strict;
mod switches;

use crate::{Progress, Refutation, Run};
use problem::Problem;
use search::{Pause, Search, Shared};
use ser_base::{Limits, Stop};
use ser_model::NetworkSystem;
use ser_net::{Net, Outcome, SerialAutomaton};
pub(crate) use strict::refute_strictly;

/// How much the refuter may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RefuteOptions {
    /// The most states in all searches together.
    pub max_states: usize,
    /// The most requests in flight at a time.
    pub max_in_flight: u32,
    /// The most requests in one run.
    pub max_requests: usize,
}

impl RefuteOptions {
    /// Whether runs may have as many requests in flight as they like, and there is a search at all.
    pub(crate) fn walks(&self) -> bool {
        self.max_in_flight == u32::MAX && self.max_states > 0
    }
}

impl Default for RefuteOptions {
    fn default() -> RefuteOptions {
        RefuteOptions { max_states: usize::MAX, max_in_flight: u32::MAX, max_requests: 1_000_000 }
    }
}

/// How far the refuter got.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Searched {
    /// For each bound on requests in flight (1, 2, ...): up to how many requests all runs have
    /// been looked at.
    pub layers: Vec<usize>,
    /// Whether the last bound was never felt, so that it covers any number in flight.
    pub any_in_flight: bool,
    /// States found in all searches.
    pub states: usize,
    /// Bytes in all tables.
    pub bytes: usize,
    /// Why it stopped.
    pub stopped: SearchStop,
}

impl Searched {
    /// Whether all runs with so many requests have been looked at.
    pub(crate) fn covers(&self, requests: usize) -> bool {
        let far = |(at, layer): (usize, &usize)| {
            let wide = at + 1 >= requests || self.any_in_flight && at + 1 == self.layers.len();
            wide && *layer >= requests
        };
        requests <= 1 || self.layers.iter().enumerate().any(far)
    }

    /// Nothing was searched before a limit was reached.
    fn nothing(stop: Stop) -> Searched {
        let stopped = SearchStop::Limit(stop);
        Searched { layers: Vec::new(), any_in_flight: false, states: 0, bytes: 0, stopped }
    }
}

/// Why the refuter stopped without a hit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchStop {
    /// The number of states in [`RefuteOptions::max_states`] was reached.
    Budget,
    /// All complete runs have been looked at, and there are finitely many outcomes.
    Exhausted,
    Limit(Stop),
}

/// What the refuter found.
#[derive(Clone, Debug)]
pub enum Refuted {
    /// A run whose outcome is not serial.
    Yes(Box<Refutation>),
    /// Nothing, so far.
    No(Searched),
}

/// The first round gives each search this many states.
const FIRST_BUDGET: usize = 1_000;

/// Looks for a run with exactly this outcome, which `automaton` does not have.
pub(crate) fn refute_outcome(
    system: &NetworkSystem,
    net: &Net,
    automaton: &SerialAutomaton,
    outcome: &[(Outcome, u32)],
    options: &RefuteOptions,
    limits: &Limits,
) -> Option<Refutation> {
    let problem = Problem::new(net, automaton, limits).ok()?;
    let mut shared = Shared::new(&problem);
    let mut goal = multiset::EMPTY;
    for (letter, count) in outcome {
        let at = problem.outcomes.binary_search(letter).ok()?;
        for _ in 0..*count {
            goal = shared.outcomes.add(goal, at as u32);
        }
    }
    shared.within = Some(goal);
    let requests = shared.outcomes.size(goal);
    if requests as usize > options.max_requests {
        return None;
    }
    let mut search = Search::new(&problem, requests.min(options.max_in_flight));
    match search.run(&mut shared, requests as usize, options.max_states, limits, &mut |_| {}) {
        Pause::Hit(at) => {
            let mut found = Found::new(&search, at);
            // Other outcomes have not been looked at.
            found.fewest = false;
            found.states = search.len();
            Some(found.finish(&mut shared, system, net, limits))
        }
        _ => None,
    }
}

/// Looks for a run of `net`, a reduced net of `system`, whose outcome `automaton` does not have.
pub fn refute(
    system: &NetworkSystem,
    net: &Net,
    automaton: &SerialAutomaton,
    options: &RefuteOptions,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> Refuted {
    let problem = match Problem::new(net, automaton, limits) {
        Ok(problem) => problem,
        Err(stop) => return Refuted::No(Searched::nothing(stop)),
    };
    let mut shared = Shared::new(&problem);
    let mut searches: Vec<Search> = Vec::new();
    let mut budget = FIRST_BUDGET;
    let stopped = 'search: loop {
        let wider = searches.len() as u32 + 1;
        if wider <= options.max_in_flight && searches.last().is_none_or(|s| s.bound_was_felt) {
            searches.push(Search::new(&problem, wider));
        }
        let mut alive = false;
        let before: usize = searches.iter().map(Search::len).sum();
        for i in 0..searches.len() {
            let others: usize = searches.iter().map(Search::len).sum();
            let left = options.max_states.saturating_sub(others);
            if left == 0 {
                break 'search SearchStop::Budget;
            }
            let search = &mut searches[i];
            let mut tick = |s: &Search| {
                progress(Progress::Searching {
                    requests: s.requests,
                    in_flight: s.bound,
                    states: others + s.len(),
                });
            };
            tick(search);
            let last_layer = options.max_requests;
            match search.run(&mut shared, last_layer, budget.min(left), limits, &mut tick) {
                Pause::Hit(at) => {
                    let found = Found::new(search, at);
                    let states: usize = searches.iter().map(Search::len).sum();
                    let found = improve(&mut shared, found, states, options, limits);
                    return Refuted::Yes(Box::new(found.finish(&mut shared, system, net, limits)));
                }
                Pause::Budget => alive = true,
                Pause::Layer | Pause::Exhausted => {}
                Pause::Stop(stop) => break 'search SearchStop::Limit(stop),
            }
        }
        let may_widen = (searches.len() as u32) < options.max_in_flight
            && searches.last().is_some_and(|s| s.bound_was_felt);
        if !alive && !may_widen {
            let whole = searches.iter().all(|s| s.requests <= options.max_requests);
            let complete = whole && searches.last().is_some_and(|s| !s.bound_was_felt);
            break if complete { SearchStop::Exhausted } else { SearchStop::Budget };
        }
        let after: usize = searches.iter().map(Search::len).sum();
        if after == before && budget > options.max_states {
            // Only the serial outcomes are too many.
            break SearchStop::Budget;
        }
        budget = budget.saturating_mul(2);
    };
    let states: usize = searches.iter().map(Search::len).sum();
    if let Some(s) = searches.last() {
        progress(Progress::Searching { requests: s.requests, in_flight: s.bound, states });
    }
    let bytes = searches.iter().map(Search::bytes).sum::<usize>() + shared.bytes();
    if matches!(stopped, SearchStop::Limit(Stop::Time { .. })) {
        shared.free_aside();
    }
    Refuted::No(Searched {
        any_in_flight: searches.last().is_some_and(|s| !s.bound_was_felt),
        layers: searches.iter().map(|s| s.requests.saturating_sub(1)).collect(),
        states,
        bytes,
        stopped,
    })
}

/// A hit of one of the searches.
struct Found {
    goal: search::State,
    path: Vec<u32>,
    bound: u32,
    requests: usize,
    /// Whether no run with fewer requests breaks serializability.
    fewest: bool,
    states: usize,
}

impl Found {
    fn new(search: &Search, at: u32) -> Found {
        let bound = search.bound;
        Found {
            goal: search.state(at),
            path: search.path(at),
            bound,
            requests: search.requests,
            fewest: bound as usize >= search.requests || !search.bound_was_felt,
            states: 0,
        }
    }

    fn finish(
        self,
        shared: &mut Shared<'_>,
        system: &NetworkSystem,
        net: &Net,
        limits: &Limits,
    ) -> Refutation {
        let length = self.path.len() as u32;
        let path = switches::fewest_switches(shared, self.goal, length, self.bound, limits)
            .unwrap_or(self.path);
        // A run that cannot be expanded would be a defect of a reduction. The checker rejects the
        // empty run, and the answer is withheld as an internal error.
        let run = expand::expand(system, net, &expand::anybody(&path))
            .unwrap_or(Run { events: Vec::new() });
        let outcome: Vec<(Outcome, u32)> = shared
            .outcomes
            .elements(self.goal.outcome)
            .iter()
            .map(|(letter, count)| (shared.problem.outcomes[*letter as usize], *count))
            .collect();
        Refutation {
            run,
            outcome,
            requests: self.requests,
            fewest: self.fewest,
            strict: false,
            states: self.states,
        }
    }
}

/// Gives searches with a larger bound a chance to find fewer requests or, with as many, fewer
/// steps. They get about as much work as has been spent already.
fn improve(
    shared: &mut Shared<'_>,
    mut found: Found,
    spent: usize,
    options: &RefuteOptions,
    limits: &Limits,
) -> Found {
    let mut left = 20 * FIRST_BUDGET + 2 * spent;
    found.states = spent;
    let mut bound = found.bound;
    while !found.fewest && bound < options.max_in_flight && left > 0 {
        bound += 1;
        let mut search = Search::new(shared.problem, bound);
        let pause = search.run(shared, found.requests, left, limits, &mut |_| {});
        left = left.saturating_sub(search.len());
        found.states += search.len();
        match pause {
            Pause::Hit(at) => {
                let shorter = (search.depth(at) as usize) < found.path.len();
                if search.requests < found.requests || shorter {
                    found = Found { states: found.states, ..Found::new(&search, at) };
                } else {
                    found.fewest = Found::new(&search, at).fewest;
                }
            }
            Pause::Layer | Pause::Exhausted => {
                found.fewest = !search.bound_was_felt || bound as usize >= found.requests;
            }
            Pause::Budget | Pause::Stop(_) => break,
        }
    }
    found
}
