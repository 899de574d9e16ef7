//! Nets that grow in the same solver.

use ser_base::Limits;
use ser_reachability_search::{
    ArcKind, EncodeError, Encoding, Growth, Net, NewTransition, Outcome, PlaceId, Tracer,
    TransitionId,
};

type Arcs = Vec<(ArcKind, PlaceId)>;

fn add(net: &mut Net, name: &str, arcs: Arcs) -> TransitionId {
    let arcs = arcs.into_iter().map(|(kind, place)| (kind, place, Vec::new())).collect();
    let guard = net.terms.number(1);
    net.add_transition(NewTransition { name: name.into(), guard, arcs })
}

fn growth(frontier: &[PlaceId], fills: &[PlaceId]) -> Growth {
    Growth { name: "loop".into(), frontier: frontier.to_vec(), fills: fills.to_vec() }
}

fn ask(tracer: &mut Tracer, net: &Net, target: TransitionId) -> Outcome {
    tracer.extend(net, &Limits::default()).expect("it grows as announced");
    tracer.solve_for(net, &[target], &Limits::default())
}

use ArcKind::{Input, Output, Test};

/// A loop that puts a token into `sum` each round, and a target that needs two of them.
#[test]
fn a_loop_is_unrolled_until_the_target_is_reached() {
    let mut net = Net::default();
    let [start, sum] = ["start", "sum"].map(|name| net.add_place(name, Vec::new(), false));
    add(&mut net, "init", vec![(Output, start)]);
    let target = add(&mut net, "target", vec![(Input, sum), (Input, sum)]);
    net.growths = vec![growth(&[start], &[sum])];
    let mut tracer = Tracer::new(Encoding::default());
    assert_eq!(ask(&mut tracer, &net, target), Outcome::Unsat { needed: vec![0] });
    let mut here = start;
    for round in 1..=2 {
        let next = net.add_place(format!("after {round}"), Vec::new(), true);
        add(&mut net, "round", vec![(Input, here), (Output, sum), (Output, next)]);
        here = next;
        net.growths = vec![growth(&[here], &[sum])];
        let outcome = ask(&mut tracer, &net, target);
        match round {
            1 => assert_eq!(outcome, Outcome::Unsat { needed: vec![0] }),
            _ => assert!(matches!(outcome, Outcome::Sat(trace) if trace.events.len() == 4)),
        }
    }
}

#[test]
fn a_loop_that_cannot_help_is_not_needed() {
    let mut net = Net::default();
    let [start, sum, never] =
        ["start", "sum", "never"].map(|n| net.add_place(n, Vec::new(), false));
    add(&mut net, "init", vec![(Output, start)]);
    add(&mut net, "no", vec![(Input, never), (Output, never)]);
    let target = add(&mut net, "target", vec![(Input, start), (Test, never)]);
    net.growths = vec![growth(&[start], &[sum])];
    let mut tracer = Tracer::new(Encoding { static_order: false, ..Encoding::default() });
    assert_eq!(ask(&mut tracer, &net, target), Outcome::Unsat { needed: vec![] });
}

#[test]
fn a_loop_that_never_starts_is_not_needed() {
    let mut net = Net::default();
    let [start, sum] = ["start", "sum"].map(|name| net.add_place(name, Vec::new(), false));
    add(&mut net, "again", vec![(Input, start), (Output, start)]);
    let target = add(&mut net, "target", vec![(Input, sum)]);
    net.growths = vec![growth(&[start], &[sum])];
    for static_order in [true, false] {
        let mut tracer = Tracer::new(Encoding { static_order, ..Encoding::default() });
        assert_eq!(ask(&mut tracer, &net, target), Outcome::Unsat { needed: vec![] });
    }
}

#[test]
fn two_loops_that_feed_each_other_need_a_start() {
    let mut net = Net::default();
    let [a, b, sum] = ["a", "b", "sum"].map(|name| net.add_place(name, Vec::new(), false));
    let target = add(&mut net, "target", vec![(Input, sum)]);
    let loops = vec![growth(&[a], &[b]), growth(&[b], &[a, sum])];
    net.growths = loops.clone();
    let mut tracer = Tracer::new(Encoding { static_order: false, ..Encoding::default() });
    assert_eq!(ask(&mut tracer, &net, target), Outcome::Unsat { needed: vec![] });
    let mut fed = Net::default();
    let [a, _, sum] = ["a", "b", "sum"].map(|name| fed.add_place(name, Vec::new(), false));
    add(&mut fed, "init", vec![(Output, a)]);
    let target = add(&mut fed, "target", vec![(Input, sum)]);
    fed.growths = loops;
    let mut tracer = Tracer::new(Encoding::default());
    assert_eq!(ask(&mut tracer, &fed, target), Outcome::Unsat { needed: vec![1] });
}

/// At first `p` could be filled; when it turns out that it is not, two transitions wait for each
/// other: each would be before the other, which must not make the whole formula contradictory.
#[test]
fn transitions_that_turn_out_dead_later_do_no_harm() {
    let mut net = Net::default();
    let [start, p, q] = ["start", "p", "q"].map(|name| net.add_place(name, Vec::new(), false));
    let init = add(&mut net, "init", vec![(Output, start)]);
    let first = add(&mut net, "first", vec![(Input, p), (Output, q)]);
    let second = add(&mut net, "second", vec![(Test, q), (Output, p), (Output, q)]);
    net.growths = vec![growth(&[start], &[p])];
    for options in [Encoding::default(), Encoding { values: false, ..Encoding::default() }] {
        let mut tracer = Tracer::new(options);
        assert_eq!(ask(&mut tracer, &net, second), Outcome::Unsat { needed: vec![0] });
        let mut later = net.clone();
        later.growths.clear();
        assert!(matches!(ask(&mut tracer, &later, init), Outcome::Sat(_)));
        for target in [first, second] {
            assert_eq!(ask(&mut tracer, &later, target), Outcome::Unsat { needed: vec![] });
        }
    }
}

#[test]
fn growing_where_nothing_was_announced_is_an_error() {
    let mut net = Net::default();
    let p = net.add_place("p", Vec::new(), false);
    add(&mut net, "init", vec![(Output, p)]);
    let mut tracer = Tracer::new(Encoding::default());
    tracer.extend(&net, &Limits::default()).expect("small");
    add(&mut net, "more", vec![(Output, p)]);
    let error = tracer.extend(&net, &Limits::default()).expect_err("it was not announced");
    assert_eq!(error, EncodeError::GrewElsewhere { place: "p".into() });
}
