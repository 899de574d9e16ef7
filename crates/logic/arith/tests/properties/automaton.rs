//! The outcomes of automata against their short words; every component replays.

use proptest::prelude::*;
use ser_arith::{
    AutomatonEdge, Component, Letter, Limits, Origin, OutcomeOptions, Outcomes, TooLarge,
    automaton_outcomes,
};
use std::collections::BTreeSet;

const DIMENSION: usize = 3;
const LENGTH: i64 = 6;
const OPTIONS: OutcomeOptions =
    OutcomeOptions { prune: true, shortcuts: true, lowest_degree_first: true, merge: true };

fn edges(states: u32, most: usize) -> impl Strategy<Value = Vec<AutomatonEdge>> {
    let edge = (0..states, 0..DIMENSION, 0..states)
        .prop_map(|(from, coordinate, to)| AutomatonEdge { from, coordinate, to });
    prop::collection::vec(edge, 0..most)
}

/// The counts of all words up to a length.
fn short_words(initial: u32, edges: &[AutomatonEdge]) -> BTreeSet<Vec<i64>> {
    let mut layer = BTreeSet::from([(initial, vec![0i64; DIMENSION])]);
    let mut all = BTreeSet::new();
    for _ in 0..=LENGTH {
        all.extend(layer.iter().map(|(_, counts)| counts.clone()));
        layer = layer
            .iter()
            .flat_map(|(state, counts)| {
                edges.iter().filter(|e| e.from == *state).map(|e| {
                    let mut counts = counts.clone();
                    counts[e.coordinate] += 1;
                    (e.to, counts)
                })
            })
            .collect();
    }
    all
}

/// Reads a word from a state: where it ends and what it counts, if it is a path.
fn read(edges: &[AutomatonEdge], from: u32, word: &[Letter]) -> Option<(u32, Vec<i64>)> {
    let mut state = from;
    let mut counts = vec![0; DIMENSION];
    for &letter in word {
        let edge = edges.get(letter as usize)?;
        if edge.from != state {
            return None;
        }
        counts[edge.coordinate] += 1;
        state = edge.to;
    }
    Some((state, counts))
}

/// What the reference checker does with the list of components.
fn replay(initial: u32, edges: &[AutomatonEdge], components: &[Component]) {
    for (at, component) in components.iter().enumerate() {
        match component.origin {
            Origin::Word => {
                let (_, base) = read(edges, initial, &component.word).expect("base word");
                assert_eq!(base, component.base);
                assert_eq!(component.cycles.len(), component.periods.len());
                for (cycle, period) in component.cycles.iter().zip(&component.periods) {
                    let (anchor, _) = read(edges, initial, &component.word[..cycle.at]).unwrap();
                    let (end, counts) = read(edges, anchor, &cycle.word).expect("cycle word");
                    assert_eq!((end, &counts), (anchor, period));
                }
            }
            Origin::Merge(i, j, q) => {
                assert!(i < at && j < at);
                let (small, large) = (&components[i], &components[j]);
                let period = &large.periods[q];
                let sum: Vec<i64> = small.base.iter().zip(period).map(|(a, b)| a + b).collect();
                assert_eq!(sum, large.base);
                for other in large.periods.iter().filter(|p| *p != period) {
                    assert!(small.periods.contains(other));
                }
                assert_eq!((&component.base, &component.periods), (&small.base, &large.periods));
                assert!(component.word.is_empty() && component.cycles.is_empty());
            }
        }
    }
}

/// A word with the counts of a member: what the certificate promises, carried out.
fn word_of(components: &[Component], at: usize, lambda: &[i64]) -> Vec<Letter> {
    let component = &components[at];
    if let Origin::Merge(i, j, q) = component.origin {
        let mut lambda = lambda.to_vec();
        if lambda[q] > 0 {
            lambda[q] -= 1;
            return word_of(components, j, &lambda);
        }
        // The periods without q, where the smaller component has them.
        let mut smaller = vec![0; components[i].periods.len()];
        for (period, times) in component.periods.iter().zip(lambda).filter(|(_, n)| *n > 0) {
            smaller[components[i].periods.iter().position(|p| *p == *period).unwrap()] += times;
        }
        return word_of(components, i, &smaller);
    }
    let mut word = Vec::new();
    for at in 0..=component.word.len() {
        for (cycle, times) in component.cycles.iter().zip(lambda) {
            for _ in 0..if cycle.at == at { *times } else { 0 } {
                word.extend(&cycle.word);
            }
        }
        word.extend(component.word.get(at));
    }
    word
}

fn check(initial: u32, edges: &[AutomatonEdge], outcomes: &Outcomes) {
    replay(initial, edges, &outcomes.components);
    let words = short_words(initial, edges);
    for a in 0..=LENGTH {
        for b in 0..=LENGTH - a {
            for c in 0..=LENGTH - a - b {
                let vector = vec![a, b, c];
                let found = outcomes.contains(&vector).unwrap();
                assert_eq!(found.is_some(), words.contains(&vector), "{vector:?}");
                if let Some((at, lambda)) = found {
                    assert_eq!(outcomes.components[at].member(&lambda), Some(vector));
                }
            }
        }
    }
    for (at, component) in outcomes.components.iter().enumerate() {
        let n = component.periods.len() as u32;
        for code in 0..3i64.pow(n.min(4)) {
            let lambda: Vec<i64> = (0..n).map(|i| code / 3i64.pow(i.min(4)) % 3).collect();
            let word = word_of(&outcomes.components, at, &lambda);
            let (_, counts) = read(edges, initial, &word).expect("a path");
            assert_eq!(Some(counts), component.member(&lambda));
        }
    }
    // What a certificate would carry replays on its own.
    let (list, places) = outcomes.only(&outcomes.maximal);
    replay(initial, edges, &list);
    for &at in &outcomes.maximal {
        assert_eq!(list[places[&at]].periods, outcomes.components[at].periods);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn outcomes_agree_with_short_words(edges in edges(4, 9), initial in 0u32..4) {
        let limits = Limits::default();
        let outcomes = automaton_outcomes(initial, DIMENSION, &edges, OPTIONS, &limits).unwrap();
        check(initial, &edges, &outcomes);
        prop_assert_eq!(
            automaton_outcomes(initial, DIMENSION, &edges, OPTIONS, &limits).unwrap(), outcomes
        );
    }

    #[test]
    fn larger_automata_replay_or_are_too_large(edges in edges(6, 16)) {
        let limits = Limits { components: 60, letters: 2_000, ..Limits::default() };
        if let Ok(outcomes) = automaton_outcomes(0, DIMENSION, &edges, OPTIONS, &limits) {
            replay(0, &edges, &outcomes.components);
            for vector in short_words(0, &edges) {
                prop_assert!(outcomes.contains(&vector).unwrap().is_some());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_switch_leaves_the_outcomes_as_they_are(
        edges in edges(4, 7),
        prune in any::<bool>(),
        shortcuts in any::<bool>(),
        lowest_degree_first in any::<bool>(),
        merge in any::<bool>(),
    ) {
        let options = OutcomeOptions { prune, shortcuts, lowest_degree_first, merge };
        let limits = Limits { components: 200, ..Limits::default() };
        if let Ok(outcomes) = automaton_outcomes(0, DIMENSION, &edges, options, &limits) {
            check(0, &edges, &outcomes);
        }
    }
}

#[test]
fn work_that_is_called_off_stops() {
    let edges = [AutomatonEdge { from: 0, coordinate: 0, to: 0 }];
    let clock = ser_base::Limits::default().with_timeout(std::time::Duration::ZERO);
    let limits = Limits { clock, ..Limits::default() };
    let stopped = automaton_outcomes(0, 1, &edges, OPTIONS, &limits);
    assert_eq!(stopped, Err(TooLarge::Stopped));
}

#[test]
fn an_automaton_without_edges_has_the_empty_word() {
    let outcomes = automaton_outcomes(7, 2, &[], OPTIONS, &Limits::default()).unwrap();
    assert_eq!(outcomes.components, vec![Component::epsilon(2)]);
}

#[test]
fn circular_increments() {
    // Benchmark d1: foo answers 0 around a circle of three, 1 or 2 where it stops.
    let edge = |from, coordinate, to| AutomatonEdge { from, coordinate, to };
    let edges =
        [edge(0, 0, 1), edge(1, 0, 2), edge(2, 0, 0), edge(0, 2, 3), edge(1, 1, 4), edge(2, 0, 5)];
    let outcomes = automaton_outcomes(0, DIMENSION, &edges, OPTIONS, &Limits::default()).unwrap();
    check(0, &edges, &outcomes);
    assert_eq!(outcomes.maximal.len(), 5);
}
