//! What the search needs of a net and an automaton, in flat tables.

use super::multiset::{MultisetId, Multisets};
use rustc_hash::FxHashMap;
use ser_model::{Limits, Stop};
use ser_net::{Effect, Net, Outcome, SerialAutomaton};

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
}

impl Problem {
    pub fn new(net: &Net, automaton: &SerialAutomaton) -> Problem {
        let mut outcomes: Vec<Outcome> = net
            .transitions
            .iter()
            .filter_map(|t| match t.effect {
                Effect::Respond(outcome) => Some(outcome),
                Effect::InFlight(_) => None,
            })
            .chain(automaton.edges.iter().map(|e| e.outcome))
            .collect();
        outcomes.sort_unstable();
        outcomes.dedup();
        let number = |o: Outcome| outcomes.partition_point(|x| *x < o) as u32;
        let moves = net
            .transitions
            .iter()
            .map(|t| {
                let (gives, responds) = match t.effect {
                    Effect::InFlight(place) => (place.0, false),
                    Effect::Respond(outcome) => (number(outcome), true),
                };
                let takes = t.takes.map_or(ARRIVES, |p| p.0);
                Move { takes, after: t.after.0, gives, responds }
            })
            .collect();
        let mut serial_edges: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
        for e in &automaton.edges {
            serial_edges.entry(e.before.0).or_default().push((number(e.outcome), e.after.0));
        }
        Problem {
            initial: net.initial.0,
            moves,
            starts: net.starts_by_global(),
            place_count: net.places.len(),
            place_request: net.places.iter().map(|p| p.request.0).collect(),
            outcome_request: outcomes.iter().map(|o| o.request.0).collect(),
            outcomes,
            serial_edges,
        }
    }

    pub fn moves_from(&self, global: u32) -> std::ops::Range<usize> {
        self.starts[global as usize] as usize..self.starts[global as usize + 1] as usize
    }
}

/// Which outcomes serial runs have, computed as far as asked for.
///
/// `ends(Z)` is the set of global states in which a serial run with outcome Z may end:
/// everything that an edge with letter a reaches from `ends(Z - a)`, for any a in Z.
pub(crate) struct SerialOutcomes {
    /// For each outcome, if known: the ends, sorted.
    ends: Vec<Option<Box<[u32]>>>,
    bytes: usize,
}

impl SerialOutcomes {
    pub fn new(problem: &Problem) -> SerialOutcomes {
        SerialOutcomes { ends: vec![Some(Box::from([problem.initial]))], bytes: 0 }
    }

    /// Whether some serial run has exactly this outcome.
    pub fn contains(
        &mut self,
        problem: &Problem,
        sets: &mut Multisets,
        outcome: MultisetId,
        limits: &Limits,
    ) -> Result<bool, Stop> {
        let mut open = vec![outcome];
        let mut rounds = 0usize;
        while let Some(&z) = open.last() {
            if self.known(z).is_some() {
                open.pop();
                continue;
            }
            rounds += 1;
            if rounds.is_multiple_of(1 << 10) {
                limits.check(0, self.bytes + sets.bytes())?;
            }
            let letters: Vec<u32> = sets.elements(z).iter().map(|(a, _)| *a).collect();
            let before = open.len();
            let mut ends = Vec::new();
            for letter in letters {
                // The letter is an element, so it can be removed.
                let Some(rest) = sets.remove(z, letter) else { continue };
                match self.known(rest) {
                    None => open.push(rest),
                    Some(from) => {
                        for global in from {
                            let edges = problem.serial_edges.get(global).into_iter().flatten();
                            ends.extend(edges.filter(|e| e.0 == letter).map(|e| e.1));
                        }
                    }
                }
            }
            if open.len() == before {
                ends.sort_unstable();
                ends.dedup();
                if self.ends.len() <= z as usize {
                    self.ends.resize(z as usize + 1, None);
                }
                self.bytes += ends.len() * 4 + 16;
                self.ends[z as usize] = Some(ends.into());
                open.pop();
            }
        }
        Ok(self.known(outcome).is_some_and(|ends| !ends.is_empty()))
    }

    fn known(&self, outcome: MultisetId) -> Option<&[u32]> {
        self.ends.get(outcome as usize).and_then(|e| e.as_deref())
    }

    pub fn bytes(&self) -> usize {
        self.bytes + self.ends.capacity() * 16
    }
}
