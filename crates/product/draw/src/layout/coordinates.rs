//! The coordinates: layers one after the other; within a layer, items as near as possible to their
//! neighbours, in their order and without touching.
//!
//! The second part is a small optimisation with an exact answer: given where each item of a layer
//! would like to be, the positions with the least sum of squared differences that keep the order
//! and the distances are found by pooling neighbours that are in each other's way (isotonic
//! regression).

use super::{Layered, Placed, Point, Problem, Size};

/// Space between layers, and between the items of a layer.
const ALONG: f64 = 42.0;
const ACROSS: f64 = 14.0;
const BETWEEN_BENDS: f64 = 9.0;

/// How often to go back and forth.
const SWEEPS: usize = 12;

/// Finds places for everything.
pub(super) fn assign(problem: &Problem, layered: &Layered) -> Placed {
    let items = &layered.items;
    let mut across = vec![0.0; items.len()];
    for layer in &layered.layers {
        let mut at = 0.0;
        for pair in layer.windows(2) {
            at += distance(layered, pair[0], pair[1]);
            across[pair[1]] = at;
        }
        for item in layer {
            across[*item] -= at / 2.0;
        }
    }
    for sweep in 0..SWEEPS {
        let count = layered.layers.len();
        for step in 0..count {
            let at = if sweep % 2 == 0 { step } else { count - 1 - step };
            settle(layered, at, &mut across);
        }
    }
    let top = items
        .iter()
        .zip(&across)
        .map(|(item, at)| at - item.size.across / 2.0)
        .fold(f64::INFINITY, f64::min);
    let mut size = Size::default();
    let mut along = vec![0.0; items.len()];
    for layer in &layered.layers {
        let width = layer.iter().map(|i| items[*i].size.along).fold(0.0, f64::max);
        if size.along > 0.0 {
            // A layer of bends alone needs less space.
            size.along += if width > 0.0 { ALONG } else { ALONG / 2.0 };
        }
        for item in layer {
            along[*item] = size.along + width / 2.0;
            across[*item] -= top;
            size.across = size.across.max(across[*item] + items[*item].size.across / 2.0);
        }
        size.along += width;
    }
    let point = |item: usize| -> Point { (along[item], across[item]) };
    let edges = problem.edges.iter().zip(&layered.chains).map(|((from, to, _), (chain, label))| {
        let sign = if along[*from] <= along[*to] { 1.0 } else { -1.0 };
        let mut bends = Vec::new();
        for &bend in chain {
            let (along, across) = point(bend);
            // An edge is straight where its label is.
            let half = sign * items[bend].size.along / 2.0;
            if half == 0.0 {
                bends.push((along, across));
            } else {
                bends.extend([(along - half, across), (along + half, across)]);
            }
        }
        (bends, label.map(point))
    });
    Placed { boxes: (0..problem.boxes.len()).map(point).collect(), edges: edges.collect(), size }
}

fn distance(layered: &Layered, left: usize, right: usize) -> f64 {
    let (left, right) = (&layered.items[left], &layered.items[right]);
    let gap = if left.is_bend && right.is_bend { BETWEEN_BENDS } else { ACROSS };
    (left.size.across + right.size.across) / 2.0 + gap
}

/// Moves the items of a layer towards their neighbours.
fn settle(layered: &Layered, at: usize, across: &mut [f64]) {
    /// Items that touch: their sum of weights, and of weighted wishes.
    struct Pool {
        weight: f64,
        wish: f64,
        count: usize,
    }
    let layer = &layered.layers[at];
    let mut offsets = vec![0.0; layer.len()];
    for i in 1..layer.len() {
        offsets[i] = offsets[i - 1] + distance(layered, layer[i - 1], layer[i]);
    }
    let mut pools: Vec<Pool> = Vec::new();
    for (item, offset) in layer.iter().zip(&offsets) {
        let Item { wish, weight } = wish(layered, *item, across);
        pools.push(Pool { weight, wish: weight * (wish - offset), count: 1 });
        while let [.., first, second] = pools.as_mut_slice()
            && first.wish / first.weight > second.wish / second.weight
        {
            first.weight += second.weight;
            first.wish += second.wish;
            first.count += second.count;
            pools.pop();
        }
    }
    let mut rest = layer.iter().zip(&offsets);
    for pool in pools {
        for (item, offset) in rest.by_ref().take(pool.count) {
            across[*item] = pool.wish / pool.weight + offset;
        }
    }
}

struct Item {
    wish: f64,
    weight: f64,
}

/// Where an item would like to be, and how much. Bends between bends make long edges straight.
fn wish(layered: &Layered, item: usize, across: &[f64]) -> Item {
    let this = &layered.items[item];
    let (mut sum, mut total) = (0.0, 0.0);
    for &other in this.before.iter().chain(&this.after) {
        let weight = if this.is_bend && layered.items[other].is_bend { 4.0 } else { 1.0 };
        sum += weight * across[other];
        total += weight;
    }
    if total == 0.0 {
        return Item { wish: across[item], weight: 0.1 };
    }
    Item { wish: sum / total, weight: total }
}
