//! Random nets against brute force: what is excluded cannot happen, and an elimination that is
//! accepted keeps the outcomes.

use crate::deferral::defer;
use crate::exclude::exclude;
use crate::format::{Defer, Move, PlaceName, Side};
use crate::may_happen_in_parallel::MayHappenInParallel;
use crate::meter::Meter;
use crate::mover::eliminate;
use crate::names::{Letter, Names, Place};
use crate::net::{Effect, Net, Transition, normal_form};
use crate::random_tests::{Outcome, config, deterministic, markings, source};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use ser_base::Limits;
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId, read_json};
use std::cell::Cell;
use std::collections::BTreeSet;

/// A system that only lends its names to the nets below.
pub(crate) const NAMES: &str = r#"{"initial_global": "g0", "requests": [["q0", "l0"], ["q1", "l0"]],
    "responses": [["l0", "r0"], ["l0", "r1"], ["l1", "r0"], ["l2", "r0"]],
    "transitions": [["l0", "g0", "l1", "g1"], ["l0", "g1", "l2", "g2"]]}"#;

fn place(request: usize, local: usize) -> Place {
    Place {
        request: RequestId::from_index(request),
        local: LocalId::from_index(local),
        foresight: None,
    }
}

/// The places: local states 0 and 1 of request 0, and 0 of request 1.
const PLACES: [(usize, usize); 3] = [(0, 0), (0, 1), (1, 0)];

/// A transition from six small numbers.
fn transition(g: usize, take: usize, h: usize, effect: usize, request: usize) -> Transition {
    let mine: Vec<Place> =
        PLACES.iter().filter(|(q, _)| *q == request).map(|(q, l)| place(*q, *l)).collect();
    let letter = |response: usize| Letter {
        request: RequestId::from_index(request),
        response: ResponseId::from_index(response),
    };
    Transition {
        before: GlobalId::from_index(g),
        take: mine.get(take).copied(),
        after: GlobalId::from_index(h),
        effect: mine.get(effect).map_or(Effect::Outcome(letter(effect % 2)), |p| Effect::Place(*p)),
    }
}

/// Any net over up to three global states and three places.
pub(crate) fn net() -> impl Strategy<Value = Net> {
    (1..=3_usize, 2..=14_usize).prop_flat_map(|(globals, size)| {
        let one = (0..globals, 0..3_usize, 0..globals, 0..4_usize, 0..2_usize);
        proptest::collection::vec(one, size).prop_map(|list| {
            let each = list.into_iter().map(|(g, x, h, e, q)| transition(g, x, h, e, q));
            Net::new(GlobalId::from_index(0), each.collect())
        })
    })
}

fn by_name(system: &NetworkSystem, place: Place, side: Side, sharp: bool) -> Move {
    let request = system.request_name(place.request).to_owned();
    let place = PlaceName(request, system.local_name(place.local).to_owned());
    Move { place, side, sharp }
}

/// Adds what is missing for the first two steps that cannot be swapped, by way of `h`.
fn mend(net: &Net, l: Place, side: Side, h: GlobalId) -> Option<Net> {
    let all = net.transitions();
    for first in all {
        for second in all.iter().filter(|u| u.before == first.after) {
            let wanted = match side {
                Side::Right => first.put() == Some(l),
                Side::Left => second.take == Some(l),
            };
            let swapped = |h: GlobalId| {
                let early = Transition { before: first.before, after: h, ..*second };
                [early, Transition { before: h, after: second.after, ..*first }]
            };
            let there = |h: usize| {
                let pair = swapped(GlobalId::from_index(h));
                pair.iter().all(|t| net.contains(t))
            };
            if wanted && !(0..3).any(there) {
                let mut more = all.to_vec();
                more.extend(swapped(h));
                return Some(Net::new(net.initial, more));
            }
        }
    }
    None
}

/// What a complete run may end in: with the same outcome also the global state stays the same.
fn ends(net: &Net, most: usize) -> BTreeSet<(GlobalId, Outcome)> {
    let complete = markings(net, most).into_iter().filter(|(_, places, _)| places.is_empty());
    complete.map(|(global, _, outcome)| (global, outcome)).collect()
}

/// Every elimination that is accepted keeps what complete runs end in; how many were accepted,
/// and how many of them changed something that can happen.
fn check_all(net: &Net, system: &NetworkSystem, most: usize) -> Result<(u32, u32), TestCaseError> {
    let (names, limits) = (Names::new(system), Limits::default());
    let mut meter = Meter::new(&limits);
    let expected = ends(net, most);
    let excluded = exclude(net, &mut meter).expect("small");
    prop_assert_eq!(&markings(&excluded, most), &markings(net, most));
    let (mut accepted, mut changed) = (0, 0);
    for l in net.places() {
        for side in [Side::Right, Side::Left] {
            for sharp in [false, true] {
                let entry = by_name(system, l, side, sharp);
                let Ok(smaller) = eliminate(net, &entry, &names, &mut meter) else {
                    continue;
                };
                accepted += 1;
                let used = |(_, places, _): &(GlobalId, Vec<Place>, Outcome)| places.contains(&l);
                changed += u32::from(markings(net, most).iter().any(used));
                prop_assert!(!smaller.places().contains(&l));
                prop_assert_eq!(&ends(&smaller, most), &expected, "{:?}\n{:?}", entry, net);
            }
        }
    }
    Ok((accepted, changed))
}

#[test]
fn eliminations_keep_the_outcomes() {
    let system = read_json(NAMES).expect("a system");
    let (accepted, changed) = (Cell::new(0), Cell::new(0));
    let count = |net: &Net, system: &NetworkSystem| {
        let (more, used) = check_all(net, system, 3)?;
        accepted.set(accepted.get() + more);
        changed.set(changed.get() + used);
        Ok(())
    };
    let mut runner = TestRunner::new_with_rng(config(300), deterministic());
    let side = prop_oneof![Just(Side::Right), Just(Side::Left)];
    let ways = proptest::collection::vec(0..3_usize, 12);
    let result = runner.run(&(net(), 0..3_usize, side, ways), |(net, l, side, ways)| {
        count(&net, &system)?;
        // The same net, mended so that a place can be eliminated, and all that is on the way.
        let (request, local) = PLACES[l];
        let mut now = net;
        for h in ways {
            match mend(&now, place(request, local), side, GlobalId::from_index(h)) {
                Some(next) => now = next,
                None => break,
            }
            count(&now, &system)?;
        }
        Ok(())
    });
    result.expect("the outcomes stay the same");
    let mut runner = TestRunner::new_with_rng(config(200), deterministic());
    let result = runner.run(&source(), |source| {
        let system = read_json(&source).expect("a system");
        let limits = Limits::default();
        let net = normal_form(&system, &mut Meter::new(&limits)).expect("small");
        count(&net, &system)
    });
    result.expect("the outcomes stay the same");
    // The test is worth nothing if this never happens.
    assert!(accepted.get() > 500, "{} accepted", accepted.get());
    assert!(changed.get() > 200, "{} changed", changed.get());
}

/// Every deferral that is accepted keeps what complete runs end in; how many changed something.
fn defer_all(net: &Net, system: &NetworkSystem, most: usize) -> Result<u32, TestCaseError> {
    let (names, limits) = (Names::new(system), Limits::default());
    let mut meter = Meter::new(&limits);
    let expected = ends(net, most);
    let local = |p: &Place| system.local_name(p.local).to_owned();
    let mut changed = 0;
    for (i, name) in system.requests().iter().enumerate() {
        let mut mine = net.places();
        mine.retain(|p| p.request.index() == i);
        mine.truncate(4);
        for from in mine.iter().map(Some).chain([None]) {
            for set in 1..1_usize << mine.len() {
                let all = mine.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1);
                let places = all.map(|(_, p)| local(p)).collect();
                let entry = Defer { request: name.clone(), from: from.map(local), places };
                let Ok(smaller) = defer(net, &entry, &names, &mut meter) else { continue };
                changed += u32::from(smaller != *net);
                prop_assert_eq!(&ends(&smaller, most), &expected, "{:?}\n{:?}", entry, net);
            }
        }
    }
    Ok(changed)
}

#[test]
fn deferrals_keep_the_outcomes() {
    let system = read_json(NAMES).expect("a system");
    let changed = Cell::new(0);
    let count = |net: &Net, system: &NetworkSystem| {
        changed.set(changed.get() + defer_all(net, system, 3)?);
        Ok(())
    };
    let mut runner = TestRunner::new_with_rng(config(1_500), deterministic());
    runner.run(&net(), |net| count(&net, &system)).expect("the outcomes stay the same");
    let mut runner = TestRunner::new_with_rng(config(300), deterministic());
    let result = runner.run(&source(), |source| {
        let system = read_json(&source).expect("a system");
        let limits = Limits::default();
        let net = normal_form(&system, &mut Meter::new(&limits)).expect("small");
        count(&net, &system)
    });
    result.expect("the outcomes stay the same");
    assert!(changed.get() > 500, "{} changed", changed.get());
}

#[test]
fn what_is_together_is_known() {
    let mut runner = TestRunner::new_with_rng(config(200), deterministic());
    let result = runner.run(&net(), |net| {
        let limits = Limits::default();
        let parallel = MayHappenInParallel::new(&net, &mut Meter::new(&limits)).expect("small");
        for (global, places, _) in markings(&net, 3) {
            prop_assert!(parallel.reached(global));
            for (i, p) in places.iter().enumerate() {
                prop_assert!(parallel.single(global, *p));
                for (j, q) in places.iter().enumerate() {
                    prop_assert!(i == j || parallel.pair(global, *p, *q));
                }
            }
        }
        Ok(())
    });
    result.expect("the sets contain whatever happens");
}
