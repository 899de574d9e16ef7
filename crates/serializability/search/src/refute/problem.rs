//! What the search needs of a net and an automaton, in flat tables.

use super::multiset::{EMPTY, MultisetId, Multisets};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Stop};
use ser_model::GlobalId;
use ser_net::{CoReachable, Effect, Net, Outcome, PlaceId, SerialAutomaton, letters};
use std::ops::Range;

/// "No place": the request arrives with this transition.
pub(crate) const ARRIVES: u32 = u32::MAX;

/// A transition with outcomes and places as numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// The place it takes from, or [`ARRIVES`].
    pub takes: u32,
    pub after: u32,
    /// A place, or an outcome if `responds`.
    pub gives: u32,
    pub responds: bool,
    /// Whether requests in some place can no longer complete after this.
    pub strands: bool,
}

/// The tables.
pub(crate) struct Problem {
    pub initial: u32,
    pub moves: Vec<Move>,
    /// Where the moves of each global state begin; one more entry at the end.
    pub starts: Vec<u32>,
    pub outcomes: Vec<Outcome>,
    pub place_count: usize,
    /// The request of each place and of each outcome.
    pub place_request: Vec<u32>,
    pub outcome_request: Vec<u32>,
    /// Serial edges from each global state: (outcome, global state after).
    serial_edges: FxHashMap<u32, Vec<(u32, u32)>>,
    co_reachable: CoReachable,
}

impl Problem {
    pub fn new(net: &Net, automaton: &SerialAutomaton, limits: &Limits) -> Result<Problem, Stop> {
        let outcomes = letters(net, automaton);
        let number = |o: Outcome| outcomes.partition_point(|x| *x < o) as u32;
        let co_reachable = CoReachable::new(net, limits)?;
        let moves = net
            .transitions
            .iter()
            .map(|t| {
                let (gives, responds) = match t.effect {
                    Effect::InFlight(place) => (place.0, false),
                    Effect::Respond(outcome) => (number(outcome), true),
                };
                let takes = t.takes.map_or(ARRIVES, |p| p.0);
                let strands = !co_reachable.stays(t.before, t.after);
                Move { takes, after: t.after.0, gives, responds, strands }
            })
            .collect();
        let mut serial_edges: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
        for e in &automaton.edges {
            serial_edges.entry(e.before.0).or_default().push((number(e.outcome), e.after.0));
        }
        limits.check_clock()?;
        Ok(Problem {
            initial: net.initial.0,
            moves,
            starts: net.starts_by_global(),
            place_count: net.places.len(),
            place_request: net.places.iter().map(|p| p.request.0).collect(),
            outcome_request: outcomes.iter().map(|o| o.request.0).collect(),
            outcomes,
            serial_edges,
            co_reachable,
        })
    }

    /// What one request alone can do from a global state: its response, and where it leads.
    pub fn serial_edges(&self, global: u32) -> &[(u32, u32)] {
        self.serial_edges.get(&global).map_or(&[], Vec::as_slice)
    }

    /// Whether a request in `place` may still complete once the global state is `global`.
    pub fn is_co_reachable(&self, global: u32, place: u32) -> bool {
        self.co_reachable.contains(GlobalId(global), PlaceId(place))
    }

    /// All moves at a global state. They are sorted by the place they take from, arrivals first.
    pub fn moves_from(&self, global: u32) -> Range<usize> {
        self.starts[global as usize] as usize..self.starts[global as usize + 1] as usize
    }

    /// The moves by which requests arrive at a global state.
    pub fn arrivals(&self, global: u32) -> Range<usize> {
        let all = self.moves_from(global);
        let count = self.moves[all.clone()].partition_point(|m| m.takes == ARRIVES);
        all.start..all.start + count
    }

    /// The moves of a request in `place` at a global state.
    pub fn moves_of(&self, global: u32, place: u32) -> Range<usize> {
        let arrivals = self.arrivals(global);
        let (first, last) = (arrivals.end, self.starts[global as usize + 1] as usize);
        let slice = &self.moves[first..last];
        let from = slice.partition_point(|m| m.takes < place);
        let count = slice[from..].partition_point(|m| m.takes == place);
        first + from..first + from + count
    }
}

/// The outcomes of all serial runs, by the number of requests, computed as far as asked for.
pub(crate) struct SerialOutcomes {
    /// For each number of requests the outcomes that serial runs have.
    layers: Vec<FxHashSet<MultisetId>>,
    /// Where serial runs with the largest number of requests so far end, and with what outcome.
    ends: Vec<(u32, MultisetId)>,
    /// How many ends there have been in all layers.
    made: usize,
}

/// All serial outcomes together may be so many times those of one size.
const IN_ALL: usize = 10;

impl SerialOutcomes {
    pub fn new(problem: &Problem) -> SerialOutcomes {
        SerialOutcomes {
            layers: vec![FxHashSet::from_iter([EMPTY])],
            ends: vec![(problem.initial, EMPTY)],
            made: 1,
        }
    }

    /// Makes the outcomes of serial runs of up to `requests` requests; or not, if there are more
    /// than `most` of one size, with the global states in which they end, or many times that in
    /// all: where every request may respond in two ways, a search with few states gets deep.
    pub fn extend(
        &mut self,
        problem: &Problem,
        sets: &mut Multisets,
        requests: usize,
        most: usize,
        limits: &Limits,
    ) -> Result<bool, Stop> {
        let mut pace = limits.pace();
        while self.layers.len() <= requests {
            let mut ends: FxHashSet<(u32, MultisetId)> = FxHashSet::default();
            for (global, outcome) in &self.ends {
                for (letter, after) in problem.serial_edges.get(global).into_iter().flatten() {
                    pace.steps(4)?;
                    ends.insert((*after, sets.add(*outcome, *letter)));
                }
                if ends.len() > most || self.made + ends.len() > IN_ALL * most {
                    return Ok(false);
                }
            }
            self.made += ends.len();
            self.layers.push(ends.iter().map(|(_, outcome)| *outcome).collect());
            // In the order of their numbers, so that the numbers of new multisets do not
            // depend on the hash table.
            self.ends = ends.into_iter().collect();
            self.ends.sort_unstable();
        }
        Ok(true)
    }

    /// The outcomes of serial runs of exactly `requests` requests, which have been made.
    pub fn of_size(&self, requests: usize) -> &FxHashSet<MultisetId> {
        &self.layers[requests]
    }

    pub fn bytes(&self) -> usize {
        self.made * 10 + self.ends.len() * 20
    }
}
