//! The family of section 7 of the paper, built by hand: two processes, each of which adds to one
//! shared `x` for C rounds, in two steps. F reads `x` and then puts back C*C more than it has read;
//! G 2C-1 more. Can `x` be D at the end?

use ser_reachability_search::{ArcKind, Interval, Net, NewTransition, Term, TransitionId};
use ser_syntax::core::BinaryOp;
use std::collections::BTreeSet;

/// The largest value that `x` can have.
pub fn largest(c: i64) -> i64 {
    c * c * c + 2 * c * c - c
}

/// Makes the net for `C`; the target says that `x` is `D` at the end.
pub fn family(c: i64, d: i64) -> (Net, TransitionId) {
    let mut net = Net::default();
    let x_values = Interval::new(0, largest(c));
    let px = net.add_place("px", vec![x_values], true);
    let yes = net.terms.number(1);
    let mut init = vec![(ArcKind::Output, px, vec![net.terms.number(0)])];
    let mut ends = Vec::new();
    for (name, more) in [("f", c * c), ("g", 2 * c - 1)] {
        let mut here = net.add_place(format!("p{name}0"), Vec::new(), true);
        init.push((ArcKind::Output, here, Vec::new()));
        for round in 0..c {
            let middle = net.add_place(format!("p{name}{}", 2 * round + 1), vec![x_values], true);
            let a = net.add_variable("a", x_values);
            let arcs = vec![
                (ArcKind::Input, here, Vec::new()),
                (ArcKind::Test, px, vec![a]),
                (ArcKind::Output, middle, vec![a]),
            ];
            let name_of = |what: &str| format!("{name}{round} {what}");
            net.add_transition(NewTransition { name: name_of("reads"), guard: yes, arcs });
            here = net.add_place(format!("p{name}{}", 2 * round + 2), Vec::new(), true);
            let a = net.add_variable("a", x_values);
            let x = net.add_variable("x", x_values);
            let more = net.terms.number(more);
            let sum = net.terms.binary(BinaryOp::Add, a, more);
            let arcs = vec![
                (ArcKind::Input, middle, vec![a]),
                (ArcKind::Input, px, vec![x]),
                (ArcKind::Output, px, vec![sum]),
                (ArcKind::Output, here, Vec::new()),
            ];
            net.add_transition(NewTransition { name: name_of("writes"), guard: yes, arcs });
        }
        ends.push((ArcKind::Input, here, Vec::<Term>::new()));
    }
    net.add_transition(NewTransition { name: "init".into(), guard: yes, arcs: init });
    let x = net.add_variable("x", x_values);
    let d = net.terms.number(d);
    let guard = net.terms.binary(BinaryOp::Equal, x, d);
    ends.push((ArcKind::Test, px, vec![x]));
    let target = net.add_transition(NewTransition { name: "target".into(), guard, arcs: ends });
    (net, target)
}

/// The values that `x` can have at the end, by trying everything.
pub fn explicit(c: i64) -> BTreeSet<i64> {
    let mut seen = BTreeSet::from([(0i64, 0i64, 0i64, 0i64, 0i64)]);
    let mut open: Vec<_> = seen.iter().copied().collect();
    let mut ends = BTreeSet::new();
    while let Some((i, j, a, b, x)) = open.pop() {
        if i == 2 * c && j == 2 * c {
            ends.insert(x);
        }
        let f = (i < 2 * c).then(|| match i % 2 {
            0 => (i + 1, j, x, b, x),
            _ => (i + 1, j, 0, b, a + c * c),
        });
        let g = (j < 2 * c).then(|| match j % 2 {
            0 => (i, j + 1, a, x, x),
            _ => (i, j + 1, a, 0, b + 2 * c - 1),
        });
        open.extend(f.into_iter().chain(g).filter(|state| seen.insert(*state)));
    }
    ends
}
