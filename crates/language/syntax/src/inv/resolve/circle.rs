//! Finding a circle in a graph, without recursion: graphs can be as long as files.

use ser_base::{Diagnostic, Span};

/// A circle: nodes, each with an edge to the next, and the last with one to the first. `edges` has
/// for each node where one can go from it; the circle is the first one that a search from the
/// lowest nodes meets.
pub(super) fn find<E: Copy>(edges: &[Vec<(usize, E)>]) -> Option<Vec<(usize, E)>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnPath,
        Done,
    }
    let mut state = vec![State::New; edges.len()];
    for start in 0..edges.len() {
        if state.get(start) != Some(&State::New) {
            continue;
        }
        // For each node of the path, which edge is next.
        let mut path = vec![(start, 0usize)];
        if let Some(state) = state.get_mut(start) {
            *state = State::OnPath;
        }
        while let Some((node, next)) = path.last_mut() {
            let Some(&(to, _)) = edges.get(*node).and_then(|edges| edges.get(*next)) else {
                if let Some(state) = state.get_mut(*node) {
                    *state = State::Done;
                }
                path.pop();
                continue;
            };
            *next += 1;
            match state.get(to).copied() {
                Some(State::OnPath) => {
                    let first = path.iter().position(|(node, _)| *node == to).unwrap_or(0);
                    let circle = path.get(first..).unwrap_or(&[]).iter();
                    return circle
                        .map(|(node, next)| {
                            let edge = edges.get(*node)?.get(next - 1)?;
                            Some((*node, edge.1))
                        })
                        .collect();
                }
                Some(State::New) => {
                    if let Some(state) = state.get_mut(to) {
                        *state = State::OnPath;
                    }
                    path.push((to, 0));
                }
                _ => {}
            }
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_circle_has_its_nodes_and_edges_in_order() {
        let edges = vec![vec![(1, 'a')], vec![(3, 'b'), (2, 'c')], vec![(1, 'd')], vec![]];
        assert_eq!(find(&edges), Some(vec![(1, 'c'), (2, 'd')]));
        assert_eq!(find(&[vec![(0, 'x')]]), Some(vec![(0, 'x')]));
    }

    #[test]
    fn two_ways_to_the_same_node_are_no_circle() {
        let edges = vec![vec![(1, ()), (2, ())], vec![(3, ())], vec![(3, ())], vec![]];
        assert_eq!(find(&edges), None);
    }

    #[test]
    fn long_ways_need_no_stack() {
        let mut edges: Vec<Vec<(usize, ())>> = (1..100_000).map(|to| vec![(to, ())]).collect();
        edges.push(Vec::new());
        assert_eq!(find(&edges), None);
        edges.push(Vec::new());
        edges[99_999] = vec![(0, ())];
        assert_eq!(find(&edges).map(|circle| circle.len()), Some(100_000));
    }
}
