//! The order within each layer: items go to the mean of their neighbours in the layer before, then
//! after, back and forth, and the order with the fewest crossings stays.

use super::Layered;

/// How often to go back and forth.
const SWEEPS: usize = 16;

/// Orders the layers so that few edges cross.
pub(super) fn reduce_crossings(layered: &mut Layered) {
    let mut best = layered.layers.clone();
    let mut fewest = crossings(layered);
    for sweep in 0..SWEEPS {
        if fewest == 0 {
            break;
        }
        let forward = sweep % 2 == 0;
        let count = layered.layers.len();
        for step in 1..count {
            let at = if forward { step } else { count - 1 - step };
            sort(layered, at, forward);
        }
        let now = crossings(layered);
        if now < fewest {
            fewest = now;
            best.clone_from(&layered.layers);
        }
    }
    layered.layers = best;
}

/// Where each item is in its layer.
fn positions(layered: &Layered) -> Vec<usize> {
    let mut positions = vec![0; layered.items.len()];
    for layer in &layered.layers {
        for (position, item) in layer.iter().enumerate() {
            positions[*item] = position;
        }
    }
    positions
}

fn sort(layered: &mut Layered, at: usize, forward: bool) {
    let positions = positions(layered);
    let items = &layered.items;
    let mean = |item: &usize| {
        let neighbours = if forward { &items[*item].before } else { &items[*item].after };
        if neighbours.is_empty() {
            return positions[*item] as f64;
        }
        let sum: usize = neighbours.iter().map(|n| positions[*n]).sum();
        sum as f64 / neighbours.len() as f64
    };
    let layer = &mut layered.layers[at];
    layer.sort_by(|a, b| {
        mean(a).total_cmp(&mean(b)).then_with(|| positions[*a].cmp(&positions[*b]))
    });
}

/// How many pairs of edges cross.
fn crossings(layered: &Layered) -> usize {
    let positions = positions(layered);
    let mut count = 0;
    for layer in &layered.layers {
        let mut ends: Vec<(usize, usize)> = layer
            .iter()
            .flat_map(|item| {
                layered.items[*item].after.iter().map(|to| (positions[*item], positions[*to]))
            })
            .collect();
        ends.sort_unstable();
        // Inversions of the second ends, with a tree of counts.
        let width = ends.iter().map(|(_, to)| to + 1).max().unwrap_or(0);
        let mut tree = vec![0usize; width + 1];
        for (seen, (_, to)) in ends.iter().enumerate() {
            let (mut not_after, mut i) = (0, to + 1);
            while i > 0 {
                not_after += tree[i];
                i &= i - 1;
            }
            count += seen - not_after;
            let mut i = to + 1;
            while i <= width {
                tree[i] += 1;
                i += i & i.wrapping_neg();
            }
        }
    }
    count
}
