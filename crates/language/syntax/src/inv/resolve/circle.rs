//! Finding a circle in a graph, without recursion: graphs can be as long as files.

use ser_base::{Diagnostic, Span};

/// A circle: nodes, each with an edge to the next, and the last with one to the first. `edges` has
/// for each node where one can go from it.
pub(super) fn find<E: Copy>(edges: &[Vec<(usize, E)>]) -> Option<Vec<(usize, E)>> {
    // What leads nowhere is on no circle, and neither is what leads only there.
    let mut ways: Vec<usize> = edges.iter().map(Vec::len).collect();
    let mut into = vec![Vec::new(); edges.len()];
    for (node, (to, _)) in
        (0..).zip(edges).flat_map(|(node, all)| all.iter().map(move |it| (node, it)))
    {
        into.get_mut(*to)?.push(node);
    }
    let mut dead: Vec<usize> = (0..edges.len()).filter(|node| ways[*node] == 0).collect();
    while let Some(node) = dead.pop() {
        for before in &into[node] {
            ways[*before] -= 1;
            dead.extend((ways[*before] == 0).then_some(*before));
        }
    }
    // From the rest one can go on, until something comes again.
    let mut path: Vec<(usize, E)> = Vec::new();
    let mut at = ways.iter().position(|ways| *ways > 0)?;
    let mut seen = vec![None; edges.len()];
    while seen[at].is_none() {
        seen[at] = Some(path.len());
        let (to, edge) = *edges[at].iter().find(|(to, _)| ways[*to] > 0)?;
        path.push((at, edge));
        at = to;
    }
    Some(path.split_off(seen[at]?))
}

/// The names on a circle, back to the first; only some of them if there are many.
pub(super) fn show<E>(circle: &[(usize, E)], name: &dyn Fn(usize) -> String) -> String {
    const SHOWN: usize = 6;
    let names = circle.iter().take(SHOWN).map(|(node, _)| name(*node));
    let more = (circle.len() > SHOWN).then(|| "...".to_owned());
    let first = circle.first().map(|(node, _)| name(*node));
    names.chain(more).chain(first).collect::<Vec<String>>().join(", ")
}

/// Says who is on a circle behind the first.
pub(super) fn tell(
    diagnostic: Diagnostic,
    circle: &[(usize, Span)],
    what: &dyn Fn(usize) -> String,
) -> Diagnostic {
    let others = circle.iter().skip(1).take(8);
    others
        .fold(diagnostic, |diagnostic, (node, span)| diagnostic.with_secondary(*span, what(*node)))
}
