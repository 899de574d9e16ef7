//! Every reduction keeps the outcomes: compared with brute force on random systems and programs.

use crate::common::{Case, Outcomes, outcomes, programs, runner, systems};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use ser_base::Limits;
use ser_model::{GlobalId, NetworkSystem, RequestId, ResponseId};
use ser_net::{Effect, Net, PlaceId, Reductions, SerialAutomaton, normal_form, reduce};
use std::collections::{BTreeMap, BTreeSet};

/// What requests responded: a sorted list, repetitions included.
type Responses = Vec<(RequestId, ResponseId)>;

/// The same with names.
fn named(system: &NetworkSystem, found: BTreeMap<usize, BTreeSet<Responses>>) -> Outcomes {
    let name = |(request, response): &(RequestId, ResponseId)| {
        (system.request_name(*request).to_owned(), system.response_name(*response).to_owned())
    };
    let outcome = |responses: &Responses| {
        let mut outcome: Vec<(String, String)> = responses.iter().map(name).collect();
        outcome.sort();
        outcome
    };
    found.iter().map(|(n, all)| (*n, all.iter().map(outcome).collect())).collect()
}

/// The outcomes of all complete runs of a net with up to `most` requests.
fn outcomes_of_net(system: &NetworkSystem, net: &Net, most: usize) -> Outcomes {
    type Marking = (GlobalId, Vec<PlaceId>, Responses);
    let start: Marking = (net.initial, Vec::new(), Vec::new());
    let mut seen: BTreeSet<Marking> = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    let mut found: BTreeMap<usize, BTreeSet<Responses>> = BTreeMap::new();
    while let Some((global, in_flight, responses)) = open.pop() {
        if in_flight.is_empty() {
            found.entry(responses.len()).or_default().insert(responses.clone());
        }
        for t in net.transitions.iter().filter(|t| t.before == global) {
            let (mut in_flight, mut responses) = (in_flight.clone(), responses.clone());
            match t.takes {
                None if in_flight.len() + responses.len() == most => continue,
                None => {}
                Some(place) => match in_flight.iter().position(|p| *p == place) {
                    Some(at) => drop(in_flight.remove(at)),
                    None => continue,
                },
            }
            match t.effect {
                Effect::InFlight(place) => in_flight.push(place),
                Effect::Respond(outcome) => responses.push((outcome.request, outcome.response)),
            }
            in_flight.sort_unstable();
            responses.sort_unstable();
            let next = (t.after, in_flight, responses);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    named(system, found)
}

/// The outcomes of the automaton's words.
fn outcomes_of_automaton(
    system: &NetworkSystem,
    automaton: &SerialAutomaton,
    most: usize,
) -> Outcomes {
    let mut layer = BTreeSet::from([(automaton.initial, Responses::new())]);
    let mut found: BTreeMap<usize, BTreeSet<Responses>> = BTreeMap::new();
    for size in 0..=most {
        found.insert(size, layer.iter().map(|(_, responses)| responses.clone()).collect());
        let mut next = BTreeSet::new();
        for (global, responses) in &layer {
            for edge in automaton.edges_from(*global) {
                let mut more = responses.clone();
                more.push((edge.outcome.request, edge.outcome.response));
                more.sort_unstable();
                next.insert((edge.after, more));
            }
        }
        layer = next;
    }
    found.retain(|_, outcomes| !outcomes.is_empty());
    named(system, found)
}

/// Each reduction alone, and in company.
const SELECTIONS: &[(&str, Reductions)] = &[
    ("none", Reductions::NONE),
    ("slice", Reductions { slice: true, ..Reductions::NONE }),
    ("stuttering", Reductions { stuttering: true, ..Reductions::NONE }),
    ("merge", Reductions { merge: true, ..Reductions::NONE }),
    ("exclude", Reductions { exclude: true, ..Reductions::NONE }),
    ("movers", Reductions { movers: true, ..Reductions::NONE }),
    ("movers and exclude", Reductions { movers: true, exclude: true, ..Reductions::NONE }),
    ("slice and stuttering", Reductions { slice: true, stuttering: true, ..Reductions::NONE }),
    ("all but movers", Reductions { movers: false, ..Reductions::ALL }),
    ("all", Reductions::ALL),
];

const MOST: usize = 3;

fn every_reduction_keeps_the_outcomes(case: &Case) -> Result<(), TestCaseError> {
    let (Some(raw), Some(serial)) = (outcomes(case, MOST, false), outcomes(case, MOST, true))
    else {
        return Err(TestCaseError::reject("too many configurations"));
    };
    let system = &case.system;
    let net = normal_form(system, &Limits::default()).expect("no limit");
    prop_assert_eq!(&outcomes_of_net(system, &net, MOST), &raw, "normal form");
    for (name, which) in SELECTIONS {
        let reduced = reduce(&net, *which, &Limits::default());
        prop_assert_eq!(&outcomes_of_net(system, &reduced.net, MOST), &raw, "{}", name);
        if reduced.applied.is_empty() {
            prop_assert_eq!(&reduced.net.transitions.len(), &net.transitions.len(), "{}", name);
        }
        // Nothing is left to do.
        let again = reduce(&reduced.net, *which, &Limits::default());
        prop_assert!(again.applied.is_empty(), "{} again: {:?}", name, again.applied);
    }
    let automaton = SerialAutomaton::new(&case.system, &Limits::default()).expect("no limit");
    prop_assert_eq!(&outcomes_of_automaton(system, &automaton, MOST), &serial, "automaton");
    Ok(())
}

#[test]
fn reductions_of_random_systems_keep_the_outcomes() {
    runner(3000).run(&systems(), |case| every_reduction_keeps_the_outcomes(&case)).unwrap();
}

#[test]
fn reductions_of_random_programs_keep_the_outcomes() {
    runner(2000).run(&programs(), |case| every_reduction_keeps_the_outcomes(&case)).unwrap();
}
