//! Random place/transition nets with queries, through engine, checker, replay and brute force.

use crate::{Finding, Oracle, Random, Trial};
use ser_engine::{Answer, Argument, Event, Options, certify, decide};
use ser_model::Limits;
use ser_petri::{
    Formula, Found, PetriNet, Place, PlaceId, Quantifier, Query, ReachabilitySystem, Relation, Sum,
    Transition, explore,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A random net of three or four places and two to four transitions, and a query about it.
pub fn net(random: &mut Random) -> (PetriNet, Query) {
    let count = random.between(3, 4);
    let places = (0..count)
        .map(|i| {
            let initial = [0, 0, 1, 1, 2][random.below(5)];
            Place { name: format!("P{i}"), label: String::new(), initial }
        })
        .collect();
    let transitions = (0..random.between(2, 4))
        .map(|i| {
            let mut arcs = || -> Vec<(PlaceId, u64)> {
                let mut arcs = BTreeMap::new();
                for _ in 0..[0, 1, 1, 1, 2, 2][random.below(6)] {
                    let place = PlaceId(random.below(count) as u32);
                    arcs.insert(place, if random.chance(75) { 1 } else { 2 });
                }
                arcs.into_iter().collect()
            };
            let (takes, gives) = (arcs(), arcs());
            Transition { name: format!("t{i}"), label: String::new(), takes, gives }
        })
        .collect();
    let net = PetriNet { name: "random".into(), places, transitions };
    let formula = formula(random, count, 2);
    let quantifier = if random.chance(70) { Quantifier::Possibly } else { Quantifier::Always };
    (net, Query { name: "random".into(), quantifier, formula })
}

fn formula(random: &mut Random, places: usize, depth: usize) -> Formula {
    match random.below(if depth == 0 { 4 } else { 9 }) {
        // A whole marking is what the paper asks for.
        4 => {
            let exactly = |i: usize, n: i64| {
                let place = Sum::tokens(PlaceId(i as u32));
                Formula::Compare(place, Relation::Equal, Sum::constant(n))
            };
            Formula::And((0..places).map(|i| exactly(i, random.below(3) as i64)).collect())
        }
        5 | 6 => {
            let parts = random.between(2, 3);
            Formula::And((0..parts).map(|_| formula(random, places, depth - 1)).collect())
        }
        7 => Formula::Or((0..2).map(|_| formula(random, places, depth - 1)).collect()),
        8 => Formula::Not(Box::new(formula(random, places, depth - 1))),
        _ => {
            let relations = [
                Relation::Equal,
                Relation::Equal,
                Relation::Different,
                Relation::Less,
                Relation::AtMost,
                Relation::Greater,
                Relation::AtLeast,
            ];
            let mut terms = BTreeMap::new();
            for _ in 0..random.between(1, 3) {
                let coefficient = [1, 1, 1, 2, -1, -1, -2][random.below(7)];
                terms.insert(PlaceId(random.below(places) as u32), coefficient);
            }
            let left = Sum { terms: terms.into_iter().collect(), constant: 0 };
            let right = Sum::constant(random.between(0, 4) as i64 - 1);
            Formula::Compare(left, *random.pick(&relations), right)
        }
    }
}

/// Decides a query about a net, checks the certificate, replays the firing sequence, and compares
/// with brute force on at most so many markings.
pub fn try_net(
    net: &PetriNet,
    query: &Query,
    max_markings: usize,
    timeout: Duration,
) -> Result<Trial, Finding> {
    let reach = ReachabilitySystem::new(net, query)
        .map_err(|error| Finding::Rejected(error.to_string()))?;
    let system = reach.system();
    let limits = Limits::default().with_timeout(timeout);
    let started = Instant::now();
    let (answer, _) = decide(system, &Options::default(), &limits, &|_| {});
    let engine = started.elapsed();
    let started = Instant::now();
    let mut certificate = 0;
    if let Some(cert) = certify(&answer, system, "random", b"random") {
        ser_cert::check(&cert, b"random", system, &Limits::default())
            .map_err(|rejection| Finding::Rejected(rejection.to_string()))?;
        certificate = cert.to_text().len();
    }
    let checker = started.elapsed();
    let forced = explore(net, max_markings).find(&query.target());
    let (decided_by, tried) = match &answer {
        Answer::Serializable(proof) => {
            if let Found::Reachable(sequence) = forced {
                let oracle = Oracle::Unbroken { requests: sequence.len() };
                return Err(Finding::Wrong { engine: "unreachable".into(), oracle });
            }
            let method = match proof.argument {
                Argument::Atomic => "atomic",
                Argument::Inclusion(_) => "inclusion",
                Argument::Arithmetic(_) => "arithmetic",
            };
            (method, String::new())
        }
        Answer::NotSerializable(found) => {
            let steps = found.run.events.iter().filter_map(|event| match event {
                Event::Step { step, .. } => Some(step),
                _ => None,
            });
            reach.witness(steps).map_err(|error| Finding::Rejected(error.to_string()))?;
            if forced == Found::Unreachable {
                let oracle = Oracle::Unbroken { requests: 0 };
                return Err(Finding::Wrong { engine: "reachable".into(), oracle });
            }
            ("refuted", String::new())
        }
        Answer::Unknown(unknown) => {
            let forced = match forced {
                Found::Reachable(_) => "brute force: reachable",
                Found::Unreachable => "brute force: unreachable",
                Found::Unknown => "brute force: unknown",
            };
            ("unknown", format!("{forced}; {:?}", unknown.tried))
        }
    };
    Ok(Trial { decided_by, engine, checker, certificate, tried })
}
