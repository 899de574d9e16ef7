//! The letter counts of all words of an automaton, by state elimination.
//!
//! Parikh's theorem for regular languages, constructively: remove the states one by one; a path
//! through a removed state becomes an edge that is labelled with a set, `in * loop^* * out`. Every
//! state accepts, so every state also has a set of words that lead from it to the end; removing a
//! state extends those of its predecessors. The state with the fewest paths through it goes first
//! (SER paper, section 3.2, (4)): early stars are then small, and late ones few.

use crate::outcomes::Outcomes;
use crate::semilinear::{Alphabet, Limits, OutcomeOptions, Semilinear, TooLarge};
use std::collections::{BTreeMap, BTreeSet};

/// An edge of an automaton. Its number in the list of edges is its letter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AutomatonEdge {
    /// The state before.
    pub from: u32,
    /// The coordinate that the edge counts for.
    pub coordinate: usize,
    /// The state after.
    pub to: u32,
}

/// The counts of all words that can be read from the initial state, every state accepting. Words
/// of the components are numbers of edges, and replay as paths from the initial state.
///
/// ```
/// use ser_arith::{AutomatonEdge, Limits, OutcomeOptions, automaton_outcomes};
/// // A lock: acquire in state 0, release in state 1.
/// let edges = [
///     AutomatonEdge { from: 0, coordinate: 0, to: 1 },
///     AutomatonEdge { from: 1, coordinate: 1, to: 0 },
/// ];
/// let (options, limits) = (OutcomeOptions::default(), Limits::default());
/// let outcomes = automaton_outcomes(0, 2, &edges, options, &limits).unwrap();
/// assert_eq!(outcomes.maximal.len(), 2);
/// let held = &outcomes.components[1];
/// assert_eq!((held.word.as_slice(), held.cycles[0].word.as_slice()), (&[0][..], &[0, 1][..]));
/// assert!(outcomes.contains(&[4, 3]).unwrap().is_some());
/// assert!(outcomes.contains(&[3, 4]).unwrap().is_none());
/// ```
pub fn automaton_outcomes(
    initial: u32,
    dimension: usize,
    edges: &[AutomatonEdge],
    options: OutcomeOptions,
    limits: &Limits,
) -> Result<Outcomes, TooLarge> {
    let alphabet = Alphabet::new(dimension, edges.iter().map(|e| e.coordinate).collect());
    let mut graph = Graph::new(initial, edges, &alphabet, options, limits)?;
    while let Some(state) = graph.next(initial, options.lowest_degree_first) {
        graph.eliminate(state, limits)?;
    }
    let words = match graph.paths.get(&(initial, initial)) {
        Some(loops) => loops.star(limits)?.concat(&graph.exits[&initial], limits)?,
        None => graph.exits[&initial].clone(),
    };
    Outcomes::new(&words, limits)
}

struct Graph {
    /// Words from one state to another, through removed states only.
    paths: BTreeMap<(u32, u32), Semilinear>,
    /// Words from a state to the end, through removed states only. Its keys are the states.
    exits: BTreeMap<u32, Semilinear>,
}

impl Graph {
    /// The part of the automaton that can be reached.
    fn new(
        initial: u32,
        edges: &[AutomatonEdge],
        alphabet: &Alphabet,
        options: OutcomeOptions,
        limits: &Limits,
    ) -> Result<Graph, TooLarge> {
        let mut next: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for edge in edges {
            next.entry(edge.from).or_default().insert(edge.to);
        }
        let mut exits = BTreeMap::new();
        let mut open = vec![initial];
        while let Some(state) = open.pop() {
            let epsilon = Semilinear::epsilon(alphabet.dimension()).with_options(options);
            if exits.insert(state, epsilon).is_none() {
                open.extend(next.get(&state).into_iter().flatten());
            }
        }
        let mut graph = Graph { paths: BTreeMap::new(), exits };
        for (letter, edge) in (0u32..).zip(edges) {
            if graph.exits.contains_key(&edge.from) {
                let set = Semilinear::letter(alphabet, letter).with_options(options);
                add(&mut graph.paths, (edge.from, edge.to), set, limits)?;
            }
        }
        Ok(graph)
    }

    /// The state to remove next, never the initial one: the one with the fewest paths through it,
    /// or just the first one.
    fn next(&self, initial: u32, lowest_degree_first: bool) -> Option<u32> {
        if !lowest_degree_first {
            return self.exits.keys().copied().find(|state| *state != initial);
        }
        // State: (predecessors, successors, components of its loop).
        let mut degree: BTreeMap<u32, (usize, usize, usize)> =
            self.exits.keys().map(|&state| (state, (0, 1, 0))).collect();
        for (&(from, to), set) in &self.paths {
            if from == to {
                degree.entry(from).or_default().2 = set.components().len();
            } else {
                degree.entry(from).or_default().1 += 1;
                degree.entry(to).or_default().0 += 1;
            }
        }
        degree
            .into_iter()
            .filter(|&(state, _)| state != initial)
            .min_by_key(|&(state, (before, after, loops))| (before * after, loops, state))
            .map(|(state, _)| state)
    }

    fn eliminate(&mut self, state: u32, limits: &Limits) -> Result<(), TooLarge> {
        let loops = self.paths.remove(&(state, state));
        let Some(mut exit) = self.exits.remove(&state) else { return Ok(()) };
        let touching: Vec<(u32, u32)> =
            self.paths.keys().copied().filter(|&(from, to)| from == state || to == state).collect();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for key in touching {
            if let Some(set) = self.paths.remove(&key) {
                if key.1 == state { before.push((key.0, set)) } else { after.push((key.1, set)) }
            }
        }
        if let Some(loops) = loops {
            let star = loops.star(limits)?;
            exit = star.concat(&exit, limits)?;
            for (_, set) in &mut after {
                *set = star.concat(set, limits)?;
            }
        }
        for (from, first) in &before {
            for (to, second) in &after {
                add(&mut self.paths, (*from, *to), first.concat(second, limits)?, limits)?;
            }
            add(&mut self.exits, *from, first.concat(&exit, limits)?, limits)?;
        }
        Ok(())
    }
}

/// Adds a set to what is there.
fn add<K: Ord>(
    sets: &mut BTreeMap<K, Semilinear>,
    key: K,
    set: Semilinear,
    limits: &Limits,
) -> Result<(), TooLarge> {
    match sets.get_mut(&key) {
        Some(there) => *there = there.union(&set, limits)?,
        None => {
            sets.insert(key, set);
        }
    }
    Ok(())
}
