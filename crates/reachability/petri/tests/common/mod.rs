//! Random nets and queries.

#![allow(dead_code)]

use proptest::prelude::*;
use ser_petri::{Formula, PetriNet, Place, PlaceId, Quantifier, Query, Relation, Sum, Transition};
use std::collections::BTreeMap;

/// Names with and without odd characters.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z_][a-zA-Z0-9_']{0,6}",
        "[a-z{}<>&\"\\\\ #|.,*()-]{0,8}".prop_map(|s| format!("x{s}y")),
        Just("and".to_owned()),
        Just("\u{e9}t\u{e9}\n2".to_owned()),
    ]
}

fn arcs(places: usize) -> impl Strategy<Value = Vec<(PlaceId, u64)>> {
    let arc = (0..places.max(1) as u32, 1..4u64);
    prop::collection::btree_map(arc.0, arc.1, 0..=places.min(3)).prop_map(
        move |arcs: BTreeMap<u32, u64>| {
            arcs.into_iter().filter(|_| places > 0).map(|(p, n)| (PlaceId(p), n)).collect()
        },
    )
}

/// Nets with up to five places and transitions.
pub fn net() -> impl Strategy<Value = PetriNet> {
    let names = prop::collection::btree_set(name(), 10..=10);
    (names, 0..=5usize, 0..=5usize)
        .prop_flat_map(|(names, places, transitions)| {
            let names: Vec<String> = names.into_iter().collect();
            let labels = prop::collection::vec(prop_oneof![Just(String::new()), name()], 10..=10);
            let tokens = prop::collection::vec(0..4u64, places..=places);
            let all =
                prop::collection::vec((arcs(places), arcs(places)), transitions..=transitions);
            (Just(names), labels, tokens, all)
        })
        .prop_map(|(names, labels, tokens, all)| {
            let named = |i: usize| (names[i].clone(), labels[i].clone());
            let places = tokens.into_iter().enumerate().map(|(i, initial)| {
                let (name, label) = named(i);
                Place { name, label, initial }
            });
            let places: Vec<Place> = places.collect();
            let transitions = all.into_iter().enumerate().map(|(i, (takes, gives))| {
                let (name, label) = named(9 - i);
                Transition { name, label, takes, gives }
            });
            PetriNet { name: labels[9].clone(), transitions: transitions.collect(), places }
        })
}

fn sum(places: usize) -> impl Strategy<Value = Sum> {
    let terms = prop::collection::btree_map(0..places.max(1) as u32, -3..4i64, 0..=2);
    (terms, -4..5i64).prop_map(move |(terms, constant)| {
        let terms = terms.into_iter().filter(|(_, a)| places > 0 && *a != 0);
        Sum { terms: terms.map(|(p, a)| (PlaceId(p), a)).collect(), constant }
    })
}

fn relation() -> impl Strategy<Value = Relation> {
    prop::sample::select(vec![
        Relation::Equal,
        Relation::Different,
        Relation::Less,
        Relation::AtMost,
        Relation::Greater,
        Relation::AtLeast,
    ])
}

/// Formulas about so many places.
pub fn formula(places: usize) -> impl Strategy<Value = Formula> {
    let atom = (sum(places), relation(), sum(places))
        .prop_map(|(left, relation, right)| Formula::Compare(left, relation, right));
    atom.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..=3).prop_map(Formula::And),
            prop::collection::vec(inner.clone(), 0..=3).prop_map(Formula::Or),
            inner.prop_map(|f| Formula::Not(Box::new(f))),
        ]
    })
}

/// Queries about so many places.
pub fn query(places: usize) -> impl Strategy<Value = Query> {
    (formula(places), any::<bool>()).prop_map(|(formula, possibly)| {
        let quantifier = if possibly { Quantifier::Possibly } else { Quantifier::Always };
        Query { name: "query".into(), quantifier, formula }
    })
}

/// A net and a query about it.
pub fn net_and_query() -> impl Strategy<Value = (PetriNet, Query)> {
    net().prop_flat_map(|net| {
        let places = net.places.len();
        (Just(net), query(places))
    })
}
