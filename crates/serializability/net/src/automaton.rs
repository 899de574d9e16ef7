//! The serial automaton: what one request at a time can do.
//!
//! States are global states; an edge g --request/response--> g' says that one request alone, from
//! g, may run to its end with this response and leave g' behind. Its words are the serial runs,
//! so its Parikh image is the set of serial outcomes. A response that does not count has an edge
//! from every state to itself besides: whoever gives up may have done nothing. Always computed from
//! the raw network system, never from a reduced net.

use crate::{Net, Outcome};
use rustc_hash::FxHashSet;
use ser_base::{Limits, Pace, Stop};
use ser_model::{GlobalId, LocalId, NetworkSystem};

/// An edge of the serial automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The global state before.
    pub before: GlobalId,
    /// The request and its response.
    pub outcome: Outcome,
    /// The global state after.
    pub after: GlobalId,
}

/// The serial automaton, restricted to global states that serial runs reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SerialAutomaton {
    /// The initial state.
    pub initial: GlobalId,
    /// The states that serial runs reach, sorted.
    pub states: Vec<GlobalId>,
    /// The edges, sorted.
    pub edges: Vec<Edge>,
}

impl SerialAutomaton {
    /// Runs every request alone, from every global state that serial runs reach; besides, requests
    /// that give up and have done nothing.
    pub fn new(system: &NetworkSystem, limits: &Limits) -> Result<SerialAutomaton, Stop> {
        let mut automaton = SerialAutomaton::alone(system, limits)?;
        for state in &automaton.states {
            limits.check(0, automaton.edges.len() * size_of::<Edge>())?;
            automaton.edges.extend(system.free().iter().map(|(request, response)| {
                let outcome = Outcome { request: *request, response: *response };
                Edge { before: *state, outcome, after: *state }
            }));
        }
        automaton.edges.sort_unstable();
        automaton.edges.dedup();
        Ok(automaton)
    }

    /// Runs every request alone, and nothing else.
    pub fn alone(system: &NetworkSystem, limits: &Limits) -> Result<SerialAutomaton, Stop> {
        let initial = system.initial_global();
        let mut seen: FxHashSet<GlobalId> = FxHashSet::from_iter([initial]);
        let mut open = vec![initial];
        let mut edges = Vec::new();
        let mut pace = limits.pace();
        while let Some(before) = open.pop() {
            limits.check(0, edges.len() * size_of::<Edge>())?;
            for &(request, start) in system.spawns() {
                for (local, after) in runs_alone(system, start, before, &mut pace)? {
                    for response in system.replies_of(local) {
                        edges.push(Edge { before, outcome: Outcome { request, response }, after });
                        if seen.insert(after) {
                            open.push(after);
                        }
                    }
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let mut states: Vec<GlobalId> = seen.into_iter().collect();
        states.sort_unstable();
        Ok(SerialAutomaton { initial, states, edges })
    }

    /// The edges that leave a state.
    pub fn edges_from(&self, global: GlobalId) -> &[Edge] {
        let first = self.edges.partition_point(|e| e.before < global);
        let count = self.edges[first..].partition_point(|e| e.before == global);
        &self.edges[first..first + count]
    }
}

/// All outcomes that the net or the automaton mentions, sorted: the letters that arguments are
/// about.
pub fn letters(net: &Net, automaton: &SerialAutomaton) -> Vec<Outcome> {
    let mut letters = net.sinks();
    letters.extend(automaton.edges.iter().map(|e| e.outcome));
    letters.sort_unstable();
    letters.dedup();
    letters
}

/// Where one request alone may get to.
fn runs_alone(
    system: &NetworkSystem,
    start: LocalId,
    global: GlobalId,
    pace: &mut Pace<'_>,
) -> Result<FxHashSet<(LocalId, GlobalId)>, Stop> {
    let mut seen = FxHashSet::from_iter([(start, global)]);
    let mut open = vec![(start, global)];
    while let Some((local, global)) = open.pop() {
        for step in system.steps_at(local, global) {
            pace.steps(1)?;
            if seen.insert((step.to, step.after)) {
                open.push((step.to, step.after));
            }
        }
    }
    Ok(seen)
}
