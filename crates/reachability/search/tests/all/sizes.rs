//! Formulas are as large as the paper says (section 4.3): cubic in the arcs of a place, quadratic
//! without test arcs and safe places.

use ser_base::Limits;
use ser_reachability_search::{
    ArcKind, Encoding, Interval, Net, NewTransition, Part, Sizes, Tracer,
};

/// One place with so many makers, takers and testers. Each waits for nothing else.
fn star(makers: usize, takers: usize, testers: usize, is_safe: bool) -> Net {
    let mut net = Net::default();
    let values = Interval::new(0, 7);
    let place = net.add_place("p", vec![values], is_safe);
    let kinds = [(ArcKind::Output, makers), (ArcKind::Input, takers), (ArcKind::Test, testers)];
    for (kind, count) in kinds {
        for _ in 0..count {
            let x = net.add_variable("x", values);
            let arcs = vec![(kind, place, vec![x])];
            net.add_transition(NewTransition { name: format!("{kind:?}"), guard: x, arcs });
        }
    }
    net
}

fn sizes(net: &Net) -> Sizes {
    let options = Encoding { static_order: false, values: false, ..Encoding::default() };
    let mut tracer = Tracer::new(options);
    tracer.extend(net, &Limits::default()).expect("small");
    tracer.sizes()
}

fn literals(net: &Net) -> usize {
    let sizes = sizes(net);
    sizes.part(Part::Links).literals
        + sizes.part(Part::Consumption).literals
        + sizes.part(Part::Data).literals
}

#[test]
fn without_tests_and_safe_places_they_are_quadratic() {
    for n in [4, 8, 16, 32] {
        let (small, large) =
            (literals(&star(n, n, 0, false)), literals(&star(2 * n, 2 * n, 0, false)));
        assert!(large < 5 * small, "{small} to {large}");
        assert!(small < 60 * n * n, "{small} for {n}");
    }
}

#[test]
fn with_tests_they_are_cubic() {
    for n in [4, 8, 16] {
        let (small, large) =
            (literals(&star(n, n, n, false)), literals(&star(2 * n, 2 * n, 2 * n, false)));
        assert!(large < 9 * small, "{small} to {large}");
        // Each maker, taker and tester: one clause with three literals.
        let consumption = sizes(&star(n, n, n, false)).part(Part::Consumption).clauses;
        let once = sizes(&star(n, n, 0, false)).part(Part::Consumption).clauses;
        assert_eq!(consumption - once, n * n * n);
    }
}

#[test]
fn with_safe_places_they_are_cubic() {
    for n in [4, 8, 16] {
        let sizes = sizes(&star(n, n, n, true));
        // Each maker, taker, and another reader.
        assert_eq!(sizes.part(Part::Consumption).clauses, n * n * (2 * n - 1));
        assert_eq!(sizes.links, 2 * n * n);
    }
}

#[test]
fn the_counts_are_those_of_the_formula() {
    let net = star(3, 3, 2, true);
    let mut tracer = Tracer::new(Encoding::default());
    tracer.extend(&net, &Limits::default()).expect("small");
    let total = tracer.sizes().total();
    let clauses = tracer.formula().clauses();
    assert_eq!(total.variables, tracer.formula().variables());
    assert_eq!(total.clauses, clauses.len());
    assert_eq!(total.literals, clauses.iter().map(Vec::len).sum::<usize>());
    assert_eq!((tracer.sizes().places, tracer.sizes().transitions), (1, 8));
}
