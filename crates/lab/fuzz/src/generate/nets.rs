//! Random place/transition nets with queries.

use crate::Random;
use ser_petri::{Formula, PetriNet, Place, PlaceId, Quantifier, Query, Relation, Sum, Transition};
use std::collections::BTreeMap;

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
