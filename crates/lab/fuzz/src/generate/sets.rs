//! Random automata, whose letter counts are semilinear sets.

use crate::Random;
use ser_arith::AutomatonEdge;

/// What a set is made from: an automaton in which every state accepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetRecipe {
    /// Where words start.
    pub initial: u32,
    /// How many coordinates there are.
    pub dimension: usize,
    /// The edges, each of which counts for one coordinate.
    pub edges: Vec<AutomatonEdge>,
}

/// A random automaton of at most four states with at most nine edges.
pub fn set_recipe(random: &mut Random) -> SetRecipe {
    let states = random.between(1, 4);
    let dimension = random.between(1, 3);
    let mut edge = || AutomatonEdge {
        from: random.below(states) as u32,
        coordinate: random.below(dimension),
        to: random.below(states) as u32,
    };
    let mut edges = vec![edge(), edge()];
    for _ in 0..random.below(8) {
        edges.push(AutomatonEdge {
            from: random.below(states) as u32,
            coordinate: random.below(dimension),
            to: random.below(states) as u32,
        });
    }
    edges.sort_unstable();
    edges.dedup();
    SetRecipe { initial: 0, dimension, edges }
}
