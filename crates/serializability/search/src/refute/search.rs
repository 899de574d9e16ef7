//! The search for an outcome that no serial run has: fewest requests first, then fewest steps.
//!
//! A state is (global state, requests in flight, outcome so far). The number of requests that
//! have arrived is the size of the two multisets together, so arriving leads from one layer to
//! the next and everything else stays in its layer. Layers are finished one after the other, and
//! only then does the next request arrive; in a layer, states are taken in the order of their
//! distance from the start. The first complete
//! state whose outcome is not serial therefore has the fewest requests and, among those, the
//! fewest steps, for the given bound on the number of requests in flight.
//!
//! A state in which some request can never complete is dropped: no complete run goes through it.
//!
//! States live in flat arrays with the number of their parent; a hash table of numbers finds
//! them again. Nothing is allocated for a successor that is known already.

use super::multiset::{EMPTY, MultisetId, Multisets};
use super::problem::{Move, Problem, SerialOutcomes};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use ser_base::{Limits, Stop};
use std::hash::Hasher as _;

/// A state of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State {
    pub global: u32,
    pub in_flight: MultisetId,
    pub outcome: MultisetId,
}

impl State {
    fn hash(self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u64(u64::from(self.global) << 32 | u64::from(self.in_flight));
        hasher.write_u32(self.outcome);
        hasher.finish()
    }
}

/// What all searches of one problem share.
pub(crate) struct Shared<'a> {
    pub problem: &'a Problem,
    pub in_flight: Multisets,
    pub outcomes: Multisets,
    pub serial: SerialOutcomes,
    /// Only outcomes that are part of this one.
    pub within: Option<MultisetId>,
}

impl<'a> Shared<'a> {
    /// Frees the tables in a thread of their own: where there are millions of multisets this takes
    /// longer than is left when time is up, and what was found out would not be told.
    pub fn free_aside(self) {
        let tables = (self.in_flight, self.outcomes, self.serial);
        // Without room for a thread, they are freed here.
        let _ = std::thread::Builder::new().spawn(move || drop(tables));
    }

    pub fn new(problem: &'a Problem) -> Shared<'a> {
        Shared {
            problem,
            in_flight: Multisets::new(problem.place_count),
            outcomes: Multisets::new(problem.outcomes.len()),
            serial: SerialOutcomes::new(problem),
            within: None,
        }
    }

    pub fn bytes(&self) -> usize {
        self.in_flight.bytes() + self.outcomes.bytes() + self.serial.bytes()
    }

    /// Adds to a state what a move gives: a response, or a request in flight. Whether the state is
    /// of any use afterwards.
    fn give(&mut self, to: &mut State, m: Move) -> bool {
        if m.responds {
            to.outcome = self.outcomes.add(to.outcome, m.gives);
            if self.exceeds(to.outcome, m.gives) {
                return false;
            }
        } else {
            to.in_flight = self.in_flight.add(to.in_flight, m.gives);
        }
        !(m.strands && self.is_stranded(*to))
    }

    /// Whether an outcome has more of a letter than the one it should be part of.
    fn exceeds(&self, outcome: MultisetId, letter: u32) -> bool {
        let outcomes = &self.outcomes;
        let more = |goal| outcomes.count(outcome, letter) > outcomes.count(goal, letter);
        self.within.is_some_and(more)
    }

    /// Whether a request in flight can never complete: no complete run goes through this state.
    fn is_stranded(&self, state: State) -> bool {
        let mut places = self.in_flight.elements(state.in_flight).iter();
        places.any(|(place, _)| !self.problem.is_co_reachable(state.global, *place))
    }
}

/// How a piece of search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pause {
    /// A complete run with an outcome that is not serial ends in this state.
    Hit(u32),
    /// The budget is used up; the search can go on with another one.
    Budget,
    /// The layers up to the wanted one are finished.
    Layer,
    /// There is nothing left to explore within the bound on requests in flight.
    Exhausted,
    /// A limit.
    Stop(Stop),
}

/// A search with a bound on the number of requests in flight. It can pause and go on.
pub(crate) struct Search {
    pub bound: u32,
    /// The number of requests in the layer at hand.
    pub requests: usize,
    /// Whether a request was kept from arriving because of the bound.
    pub bound_was_felt: bool,
    states: Vec<State>,
    parents: Vec<u32>,
    /// The move that led to each state.
    via: Vec<u32>,
    depths: Vec<u32>,
    processed: Vec<bool>,
    /// States of the layer at hand and of the next one.
    current: HashTable<u32>,
    next: HashTable<u32>,
    /// States by which the layer at hand was entered, and states found inside, both in the
    /// order of their distance, with how many of them are done.
    entries: Vec<u32>,
    entries_done: usize,
    inside: Vec<u32>,
    inside_done: usize,
    next_entries: Vec<u32>,
    /// The states of the layer at hand in the order in which they were taken, and for how many of
    /// them the next request has arrived.
    taken: Vec<u32>,
    arrived: usize,
    /// Places of one state.
    scratch: Vec<u32>,
}

const ROOT: u32 = u32::MAX;

impl Search {
    pub fn new(problem: &Problem, bound: u32) -> Search {
        let start = State { global: problem.initial, in_flight: EMPTY, outcome: EMPTY };
        let mut search = Search {
            bound,
            requests: 0,
            bound_was_felt: false,
            states: Vec::new(),
            parents: Vec::new(),
            via: Vec::new(),
            depths: Vec::new(),
            processed: Vec::new(),
            current: HashTable::new(),
            next: HashTable::new(),
            entries: Vec::new(),
            entries_done: 0,
            inside: Vec::new(),
            inside_done: 0,
            next_entries: Vec::new(),
            taken: Vec::new(),
            arrived: 0,
            scratch: Vec::new(),
        };
        search.push(start, ROOT, 0, 0);
        search.current.insert_unique(start.hash(), 0, |_| 0);
        search.entries.push(0);
        search
    }

    /// How many states have been found.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Roughly the memory in use.
    pub fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<State>()
            + (self.parents.capacity() + self.via.capacity() + self.depths.capacity()) * 4
            + self.processed.capacity()
            + self.current.allocation_size()
            + self.next.allocation_size()
            + (self.entries.capacity() + self.inside.capacity() + self.next_entries.capacity()) * 4
            + self.taken.capacity() * 4
    }

    /// The moves that lead to a state, in order.
    pub fn path(&self, state: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = state;
        while self.parents[at as usize] != ROOT {
            path.push(self.via[at as usize]);
            at = self.parents[at as usize];
        }
        path.reverse();
        path
    }

    pub fn state(&self, state: u32) -> State {
        self.states[state as usize]
    }

    pub fn depth(&self, state: u32) -> u32 {
        self.depths[state as usize]
    }

    /// Goes on until a hit, until all layers up to `last_layer` are finished, or until `budget`
    /// more states have been found.
    pub fn run(
        &mut self,
        shared: &mut Shared<'_>,
        last_layer: usize,
        budget: usize,
        limits: &Limits,
        tick: &mut dyn FnMut(&Search),
    ) -> Pause {
        let goal = self.states.len().saturating_add(budget);
        let mut rounds = 0usize;
        loop {
            if self.requests > last_layer {
                return Pause::Layer;
            }
            let problem = shared.problem;
            let (outcomes, most) = (&mut shared.outcomes, self.states.len().max(budget));
            match shared.serial.extend(problem, outcomes, self.requests, most, limits) {
                Ok(true) => {}
                Ok(false) => return Pause::Budget,
                Err(stop) => return Pause::Stop(stop),
            }
            while let Some(at) = self.closest() {
                rounds += 1;
                if rounds.is_multiple_of(1 << 12) {
                    tick(self);
                    let bytes = self.bytes() + shared.in_flight.bytes() + shared.outcomes.bytes();
                    if bytes > limits.max_bytes {
                        return Pause::Stop(Stop::Memory { limit: limits.max_bytes });
                    }
                }
                if rounds.is_multiple_of(1 << 8)
                    && let Err(stop) = limits.check_clock()
                {
                    return Pause::Stop(stop);
                }
                let state = self.states[at as usize];
                let serial = shared.serial.of_size(self.requests);
                if state.in_flight == EMPTY && !serial.contains(&state.outcome) {
                    return Pause::Hit(at);
                }
                if self.states.len() > goal || self.states.len() >= ROOT as usize - 1 {
                    return Pause::Budget;
                }
                self.processed[at as usize] = true;
                self.taken.push(at);
                self.go_on(shared, at);
            }
            while let Some(at) = self.taken.get(self.arrived).copied() {
                if self.states.len() > goal || self.states.len() >= ROOT as usize - 1 {
                    return Pause::Budget;
                }
                self.arrived += 1;
                if self.arrived.is_multiple_of(1 << 8)
                    && let Err(stop) = limits.check(0, self.bytes())
                {
                    return Pause::Stop(stop);
                }
                self.arrive(shared, at);
            }
            if self.next_entries.is_empty() {
                return Pause::Exhausted;
            }
            self.requests += 1;
            std::mem::swap(&mut self.current, &mut self.next);
            self.next.clear();
            self.entries = std::mem::take(&mut self.next_entries);
            self.entries_done = 0;
            self.inside.clear();
            self.inside_done = 0;
            self.taken.clear();
            self.arrived = 0;
        }
    }

    /// The open state that is closest to the start, of the layer at hand.
    fn closest(&mut self) -> Option<u32> {
        while self.entries.get(self.entries_done).is_some_and(|s| self.processed[*s as usize]) {
            self.entries_done += 1;
        }
        while self.inside.get(self.inside_done).is_some_and(|s| self.processed[*s as usize]) {
            self.inside_done += 1;
        }
        let entry = self.entries.get(self.entries_done).copied();
        let inside = self.inside.get(self.inside_done).copied();
        match (entry, inside) {
            (Some(a), Some(b)) if self.depths[a as usize] <= self.depths[b as usize] => Some(a),
            (a, b) => b.or(a),
        }
    }

    /// Every request in flight may go on.
    fn go_on(&mut self, shared: &mut Shared<'_>, at: u32) {
        let problem = shared.problem;
        let state = self.states[at as usize];
        let depth = self.depths[at as usize] + 1;
        let mut places = std::mem::take(&mut self.scratch);
        places.clear();
        places.extend(shared.in_flight.elements(state.in_flight).iter().map(|(place, _)| *place));
        for &place in &places {
            let moves = problem.moves_of(state.global, place);
            if moves.is_empty() {
                continue;
            }
            // The place is occupied, so a request can leave it.
            let Some(rest) = shared.in_flight.remove(state.in_flight, place) else { continue };
            for index in moves {
                let m = problem.moves[index];
                let mut to = State { global: m.after, in_flight: rest, outcome: state.outcome };
                if shared.give(&mut to, m) {
                    self.find_or_push(to, at, index as u32, depth, false);
                }
            }
        }
        self.scratch = places;
    }

    /// One more request may arrive.
    fn arrive(&mut self, shared: &mut Shared<'_>, at: u32) {
        let problem = shared.problem;
        let state = self.states[at as usize];
        let depth = self.depths[at as usize] + 1;
        let room = shared.in_flight.size(state.in_flight) < self.bound;
        for index in problem.arrivals(state.global) {
            let m = problem.moves[index];
            if !m.responds && !room {
                self.bound_was_felt = true;
                continue;
            }
            let mut to = State { global: m.after, ..state };
            if shared.give(&mut to, m) {
                self.find_or_push(to, at, index as u32, depth, true);
            }
        }
    }

    fn find_or_push(&mut self, to: State, parent: u32, via: u32, depth: u32, next_layer: bool) {
        let hash = to.hash();
        let table = if next_layer { &self.next } else { &self.current };
        if let Some(&known) = table.find(hash, |s| self.states[*s as usize] == to) {
            let k = known as usize;
            // An entry that waits for its turn may turn out to be closer from inside.
            if depth < self.depths[k] && !self.processed[k] && !next_layer {
                self.parents[k] = parent;
                self.via[k] = via;
                self.depths[k] = depth;
                self.inside.push(known);
            }
            return;
        }
        let index = self.push(to, parent, via, depth);
        let states = &self.states;
        let rehash = |s: &u32| states[*s as usize].hash();
        if next_layer {
            self.next.insert_unique(hash, index, rehash);
            self.next_entries.push(index);
        } else {
            self.current.insert_unique(hash, index, rehash);
            self.inside.push(index);
        }
    }

    fn push(&mut self, state: State, parent: u32, via: u32, depth: u32) -> u32 {
        let index = self.states.len() as u32;
        self.states.push(state);
        self.parents.push(parent);
        self.via.push(via);
        self.depths.push(depth);
        self.processed.push(false);
        index
    }
}
