//! Which layer each box is in.
//!
//! Cycles are broken by turning the edges around that lead back to a box from which one came in a
//! depth-first walk. What is left has no cycles, and a box is one layer after the last of its
//! predecessors; a box without predecessors moves right before the first of its successors.
//! If edges have labels, boxes take every other layer, so that there is a layer for labels
//! between any two.

use super::{Item, Layered, MAX_BENDS, Problem, Size};

/// The items of all layers, in no particular order within a layer; nothing if there are too many.
pub(super) fn assign(problem: &Problem) -> Option<Layered> {
    let count = problem.boxes.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (edge, (from, _, _)) in problem.edges.iter().enumerate() {
        next[*from].push(edge);
    }
    let turned = back_edges(problem, &next);
    let ends = |edge: usize| {
        let (from, to, _) = problem.edges[edge];
        if turned[edge] { (to, from) } else { (from, to) }
    };
    let layer = longest_paths(problem, ends);
    let step = if problem.edges.iter().any(|(_, _, label)| label.is_some()) { 2 } else { 1 };

    let mut layered = Layered::default();
    let depth = layer.iter().max().map_or(0, |last| last * step + 1);
    layered.layers.resize_with(depth, Vec::new);
    for (at, size) in problem.boxes.iter().enumerate() {
        layered.push(layer[at] * step, *size, false);
    }
    let mut bends = 0;
    for (edge, (_, _, label)) in problem.edges.iter().enumerate() {
        let (from, to) = ends(edge);
        let (first, last) = (layer[from] * step, layer[to] * step);
        bends += last - first - 1;
        if bends > MAX_BENDS {
            return None;
        }
        let middle = (first + last) / 2;
        let (mut chain, mut at, mut labelled) = (Vec::new(), from, None);
        for between in first + 1..last {
            let size = match label {
                Some(size) if between == middle => *size,
                _ => Size::default(),
            };
            let bend = layered.push(between, size, true);
            if label.is_some() && between == middle {
                labelled = Some(bend);
            }
            layered.connect(at, bend);
            chain.push(bend);
            at = bend;
        }
        layered.connect(at, to);
        if turned[edge] {
            chain.reverse();
        }
        layered.chains.push((chain, labelled));
    }
    Some(layered)
}

impl Layered {
    fn push(&mut self, layer: usize, size: Size, is_bend: bool) -> usize {
        let id = self.items.len();
        self.items.push(Item { size, before: Vec::new(), after: Vec::new(), is_bend });
        self.layers[layer].push(id);
        id
    }

    fn connect(&mut self, from: usize, to: usize) {
        self.items[from].after.push(to);
        self.items[to].before.push(from);
    }
}

/// Which edges to turn around: those that lead back in a depth-first walk, from the boxes that
/// nothing leads to, then from the others in their order.
fn back_edges(problem: &Problem, next: &[Vec<usize>]) -> Vec<bool> {
    let count = problem.boxes.len();
    let mut turned = vec![false; problem.edges.len()];
    let mut has_source = vec![false; count];
    for (_, to, _) in &problem.edges {
        has_source[*to] = true;
    }
    let mut roots: Vec<usize> = (0..count).collect();
    roots.sort_by_key(|at| has_source[*at]);
    let (mut seen, mut open) = (vec![false; count], vec![false; count]);
    for root in roots {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        open[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((at, tried)) = path.last_mut() {
            let Some(&edge) = next[*at].get(*tried) else {
                open[*at] = false;
                path.pop();
                continue;
            };
            *tried += 1;
            let to = problem.edges[edge].1;
            if open[to] {
                turned[edge] = true;
            } else if !seen[to] {
                seen[to] = true;
                open[to] = true;
                path.push((to, 0));
            }
        }
    }
    turned
}

/// The layer of each box.
fn longest_paths(problem: &Problem, ends: impl Fn(usize) -> (usize, usize)) -> Vec<usize> {
    let count = problem.boxes.len();
    let mut waiting = vec![0usize; count];
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in 0..problem.edges.len() {
        let (from, to) = ends(edge);
        waiting[to] += 1;
        after[from].push(to);
    }
    let is_source: Vec<bool> = waiting.iter().map(|n| *n == 0).collect();
    let mut layer = vec![0usize; count];
    let mut ready: Vec<usize> = (0..count).filter(|at| is_source[*at]).collect();
    while let Some(at) = ready.pop() {
        for &to in &after[at] {
            layer[to] = layer[to].max(layer[at] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    for at in (0..count).filter(|at| is_source[*at]) {
        if let Some(first) = after[at].iter().map(|to| layer[*to]).min() {
            layer[at] = first.saturating_sub(1);
        }
    }
    layer
}
