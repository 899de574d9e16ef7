//! The shortest cycle in the precedence graph.

use super::{Order, OrderedAccess};
use crate::source::Source;
use crate::trace::{Access, TraceStep};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The shortest cycle in the precedence graph of the requests of a run. Writes that change nothing
/// are left out of it if it closes without them.
pub(super) fn cycle(source: &Source, steps: &[TraceStep]) -> Vec<Order> {
    let changing = |a: &Access| !a.writes || a.changes;
    let cycle = shortest(&orders(source, steps, &changing));
    if cycle.is_empty() { shortest(&orders(source, steps, &|_| true)) } else { cycle }
}

/// Which request comes before which other one, each with the accesses that show it best: one that
/// reads says more about responses than two that write, and what is close in time is easy to see.
fn orders(
    source: &Source,
    steps: &[TraceStep],
    counts: &dyn Fn(&Access) -> bool,
) -> BTreeMap<(u32, u32), Order> {
    let accesses: Vec<(usize, &TraceStep, &Access)> = steps
        .iter()
        .enumerate()
        .flat_map(|(i, step)| step.accesses.iter().map(move |a| (i, step, a)))
        .filter(|(_, _, a)| counts(a))
        .collect();
    let side = |(step, _, access): &(usize, &TraceStep, &Access)| OrderedAccess {
        step: *step,
        writes: access.writes,
        span: access.span,
        line: access.span.map(|s| source.lines.line(s.start)),
    };
    let mut best: BTreeMap<(u32, u32), ((bool, usize), Order)> = BTreeMap::new();
    for (i, earlier) in accesses.iter().enumerate() {
        for later in &accesses[i + 1..] {
            let (first, second) = (earlier.1.number, later.1.number);
            let (a, b) = (earlier.2, later.2);
            if first == second || a.variable != b.variable || !(a.writes || b.writes) {
                continue;
            }
            let rank = (a.writes && b.writes, later.0 - earlier.0);
            let known = best.get(&(first, second));
            if known.is_none_or(|(known, _)| rank < *known) {
                let variable = a.variable;
                let (earlier, later) = (side(earlier), side(later));
                let order = Order { first, second, variable, earlier, later };
                best.insert((first, second), (rank, order));
            }
        }
    }
    best.into_iter().map(|(pair, (_, order))| (pair, order)).collect()
}

/// The shortest cycle; among several, the one of the earliest requests.
fn shortest(orders: &BTreeMap<(u32, u32), Order>) -> Vec<Order> {
    let requests: BTreeSet<u32> = orders.keys().map(|(first, _)| *first).collect();
    let cycles = requests.into_iter().filter_map(|start| cycle_from(orders, start));
    cycles.min_by_key(Vec::len).unwrap_or_default()
}

/// The shortest way from a request back to itself.
fn cycle_from(orders: &BTreeMap<(u32, u32), Order>, start: u32) -> Option<Vec<Order>> {
    let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for ((first, second), _) in orders.range((at, 0)..=(at, u32::MAX)) {
            if *second == start {
                let mut way = vec![orders[&(*first, start)].clone()];
                let mut back = *first;
                while back != start {
                    let before = parents[&back];
                    way.push(orders[&(before, back)].clone());
                    back = before;
                }
                way.reverse();
                return Some(way);
            }
            if !parents.contains_key(second) {
                parents.insert(*second, *first);
                open.push_back(*second);
            }
        }
    }
    None
}
