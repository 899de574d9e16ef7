//! Procedure ELIM of section 5.1: an order as triangles.
//!
//! Transitions are eliminated one after the other. For a transition `s` that is eliminated, all `a
//! < s` and `s < b` in the formula give the triangle `a < s and s < b imply a < b`, which may be a
//! new inequality between those that are left. The one with the fewest new triangles goes first.
//!
//! The static order (see [`StaticOrder`]) takes part as inequalities that are facts. It is enough
//! that those of its *covering* pairs take part, from which the others follow (and this remains so:
//! with `s`, the covering pairs `a < s` and `s < b` go, and `a < b` covers if nothing else is
//! between). So in every order of the transitions that are left, the static pairs hold, and a
//! triangle that ends in one is not needed; one that ends in the opposite of one has two literals.
//! A transition with static neighbours alone costs nothing.

use super::StaticOrder;
use crate::ids::TransitionId;
use ser_base::{Limits, Stop};
use std::collections::BTreeMap;

/// "Not all three around": `a < s`, `s < b`, `b < a`. Starts with its smallest corner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Triangle([TransitionId; 3]);

impl Triangle {
    /// The triangle `a < s < b < a`.
    pub fn new(a: TransitionId, s: TransitionId, b: TransitionId) -> Triangle {
        if a < s && a < b {
            Triangle([a, s, b])
        } else if s < b {
            Triangle([s, b, a])
        } else {
            Triangle([b, a, s])
        }
    }

    /// Its corners, each before the next.
    pub fn corners(self) -> [TransitionId; 3] {
        self.0
    }
}

/// What [`eliminate`] gives.
#[derive(Clone, Debug, Default)]
pub struct Elimination {
    /// The triangles, in the order of elimination.
    pub triangles: Vec<Triangle>,
    /// The transitions in the order of elimination; those without inequalities are left out.
    pub sequence: Vec<TransitionId>,
}

/// A set of vertices.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Set(Vec<u64>);

impl Set {
    fn new(size: usize) -> Set {
        Set(vec![0; size.div_ceil(64)])
    }

    fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(w, word)| {
            let mut word = *word;
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(w * 64 + bit)
            })
        })
    }

    /// How many of the elements of `self` are in neither of the others.
    fn count_without(&self, a: &Set, b: &Set) -> usize {
        let words = self.0.iter().zip(&a.0).zip(&b.0);
        words.map(|((x, a), b)| (x & !a & !b).count_ones() as usize).sum()
    }

    fn meets(&self, a: &Set, b: &Set) -> bool {
        self.0.iter().zip(&a.0).zip(&b.0).any(|((x, a), b)| x & a & b != 0)
    }
}

struct Graph {
    left: Set,
    /// Inequalities that are literals.
    open_before: Vec<Set>,
    open_after: Vec<Set>,
    /// Static pairs, all of them.
    known_before: Vec<Set>,
    known_after: Vec<Set>,
    /// Static pairs with nothing between, among those left.
    cover_before: Vec<Set>,
    cover_after: Vec<Set>,
}

/// The triangles that make an order of the symbols of `inequalities` (pairs `t < u`, none of them
/// static).
pub fn eliminate(
    inequalities: &[(TransitionId, TransitionId)],
    known: &StaticOrder,
    limits: &Limits,
) -> Result<Elimination, Stop> {
    let mut vertices: Vec<TransitionId> = inequalities.iter().flat_map(|(t, u)| [*t, *u]).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let mut graph = Graph::new(&vertices, inequalities, known);
    let mut result = Elimination::default();
    let mut pace = limits.pace();
    // Costs of those that are left, and the other way round.
    let mut costs: Vec<usize> = (0..vertices.len()).map(|s| graph.cost(s)).collect();
    let mut queue: BTreeMap<(usize, usize), ()> =
        costs.iter().enumerate().map(|(s, cost)| ((*cost, s), ())).collect();
    while let Some(((_, s), ())) = queue.pop_first() {
        result.sequence.push(vertices[s]);
        let (found, touched) = graph.remove(s);
        pace.steps(found.len() + vertices.len())?;
        result.triangles.extend(
            found.into_iter().map(|(a, b)| Triangle::new(vertices[a], vertices[s], vertices[b])),
        );
        limits.check_room(result.triangles.len() * 64)?;
        for t in touched.iter() {
            let cost = graph.cost(t);
            pace.steps(vertices.len())?;
            if cost != costs[t] {
                queue.remove(&(costs[t], t));
                queue.insert((cost, t), ());
                costs[t] = cost;
            }
        }
    }
    Ok(result)
}

impl Graph {
    fn new(
        vertices: &[TransitionId],
        inequalities: &[(TransitionId, TransitionId)],
        known: &StaticOrder,
    ) -> Graph {
        let n = vertices.len();
        let none = vec![Set::new(n); n];
        let mut graph = Graph {
            left: Set::new(n),
            open_before: none.clone(),
            open_after: none.clone(),
            known_before: none.clone(),
            known_after: none.clone(),
            cover_before: none.clone(),
            cover_after: none,
        };
        for s in 0..n {
            graph.left.insert(s);
            for t in 0..n {
                if s != t && known.is_before(vertices[t], vertices[s]) {
                    graph.known_before[s].insert(t);
                    graph.known_after[t].insert(s);
                }
            }
        }
        for s in 0..n {
            for t in graph.known_before[s].clone().iter() {
                graph.cover(t, s);
            }
        }
        for (t, u) in inequalities {
            let (Ok(t), Ok(u)) = (vertices.binary_search(t), vertices.binary_search(u)) else {
                continue;
            };
            // Some may have become static since they were asked for.
            if !graph.known_before[u].contains(t) && !graph.known_before[t].contains(u) {
                graph.open_before[u].insert(t);
                graph.open_after[t].insert(u);
            }
        }
        graph
    }

    /// Makes a static pair a covering one if nothing that is left is between.
    fn cover(&mut self, t: usize, s: usize) {
        if !self.left.meets(&self.known_after[t], &self.known_before[s]) {
            self.cover_before[s].insert(t);
            self.cover_after[t].insert(s);
        }
    }

    /// How many triangles it takes to eliminate a vertex now.
    fn cost(&self, s: usize) -> usize {
        let open = self.open_before[s].iter().map(|a| {
            let itself = &self.known_after[a];
            let own = usize::from(self.open_after[s].contains(a));
            self.open_after[s].count_without(itself, itself)
                + self.cover_after[s].count_without(itself, &self.open_after[s])
                - own
        });
        let known = self.cover_before[s].iter().map(|a| {
            let itself = &self.known_after[a];
            self.open_after[s].count_without(itself, itself)
        });
        open.sum::<usize>() + known.sum::<usize>()
    }

    /// Eliminates a vertex: gives its triangles as pairs, and those whose cost may have changed.
    fn remove(&mut self, s: usize) -> (Vec<(usize, usize)>, Set) {
        self.left.remove(s);
        let mut before: Vec<usize> =
            self.open_before[s].iter().chain(self.cover_before[s].iter()).collect();
        let mut after: Vec<usize> =
            self.open_after[s].iter().chain(self.cover_after[s].iter()).collect();
        before.sort_unstable();
        before.dedup();
        after.sort_unstable();
        after.dedup();
        let mut touched = Set::new(self.open_before.len());
        for t in before.iter().chain(&after) {
            touched.insert(*t);
            self.open_before[*t].remove(s);
            self.open_after[*t].remove(s);
            self.cover_before[*t].remove(s);
            self.cover_after[*t].remove(s);
        }
        let mut found = Vec::new();
        for a in &before {
            for b in &after {
                let (a, b) = (*a, *b);
                if a == b {
                    continue;
                }
                let both = self.known_before[s].contains(a) && self.known_after[s].contains(b);
                if both {
                    self.cover(a, b);
                } else if !self.known_after[a].contains(b) {
                    found.push((a, b));
                    if !self.known_before[a].contains(b) {
                        self.open_after[a].insert(b);
                        self.open_before[b].insert(a);
                    }
                }
            }
        }
        (found, touched)
    }
}

#[cfg(test)]
mod tests;
