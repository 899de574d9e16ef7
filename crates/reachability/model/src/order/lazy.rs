//! The order without triangles: cycles are forbidden as they turn up.
//!
//! Instead of all triangles beforehand, one solves without any, looks at the inequalities that the
//! solution uses, and if they form a cycle, adds the clause that forbids this cycle; and again.
//! Most of the triangles are never needed; on the other hand the solver learns of the order only by
//! mistakes.

use crate::ids::TransitionId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Shortest cycles among directed edges: one through each vertex that is on a cycle, without
/// repetitions. A cycle is its vertices, each before the next and the last before the first,
/// starting with the smallest. Nothing if there is no cycle.
pub fn find_cycles(edges: &[(TransitionId, TransitionId)]) -> Vec<Vec<TransitionId>> {
    let mut after: BTreeMap<TransitionId, BTreeSet<TransitionId>> = BTreeMap::new();
    for (t, u) in edges {
        after.entry(*t).or_default().insert(*u);
        after.entry(*u).or_default();
    }
    prune(&mut after);
    let mut cycles = BTreeSet::new();
    for start in after.keys() {
        if let Some(mut cycle) = shortest(*start, &after) {
            let smallest = (0..cycle.len()).min_by_key(|i| cycle[*i]).unwrap_or(0);
            cycle.rotate_left(smallest);
            cycles.insert(cycle);
        }
    }
    cycles.into_iter().collect()
}

/// Takes away, again and again, vertices that nothing leads to.
fn prune(after: &mut BTreeMap<TransitionId, BTreeSet<TransitionId>>) {
    let mut incoming: BTreeMap<TransitionId, usize> = after.keys().map(|t| (*t, 0)).collect();
    for u in after.values().flatten() {
        *incoming.entry(*u).or_default() += 1;
    }
    let mut open: Vec<TransitionId> =
        incoming.iter().filter(|(_, count)| **count == 0).map(|(t, _)| *t).collect();
    while let Some(t) = open.pop() {
        for u in after.remove(&t).unwrap_or_default() {
            if let Some(count) = incoming.get_mut(&u) {
                *count -= 1;
                if *count == 0 {
                    open.push(u);
                }
            }
        }
    }
}

fn shortest(
    start: TransitionId,
    after: &BTreeMap<TransitionId, BTreeSet<TransitionId>>,
) -> Option<Vec<TransitionId>> {
    let mut parent: BTreeMap<TransitionId, TransitionId> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(t) = open.pop_front() {
        for u in after.get(&t).into_iter().flatten() {
            if *u == start {
                let mut cycle = vec![t];
                let mut at = t;
                while at != start {
                    at = *parent.get(&at)?;
                    cycle.push(at);
                }
                cycle.reverse();
                return Some(cycle);
            }
            if !parent.contains_key(u) {
                parent.insert(*u, t);
                open.push_back(*u);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let edges: Vec<_> =
            edges.iter().map(|(t, u)| (TransitionId(*t), TransitionId(*u))).collect();
        let cycles = find_cycles(&edges).into_iter();
        cycles.map(|cycle| cycle.into_iter().map(|t| t.0).collect()).collect()
    }

    #[test]
    fn an_order_has_no_cycle() {
        assert!(cycles(&[(0, 1), (1, 2), (0, 2), (3, 2)]).is_empty());
    }

    #[test]
    fn every_vertex_on_a_cycle_is_on_one_of_those_found() {
        let found = cycles(&[(0, 1), (1, 2), (2, 0), (2, 3), (3, 2), (5, 0), (3, 6)]);
        assert_eq!(found, [vec![0, 1, 2], vec![2, 3]]);
    }
}
