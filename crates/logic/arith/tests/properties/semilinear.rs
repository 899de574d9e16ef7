//! Operations on semilinear sets against regular expressions, word by word up to a length.

use proptest::prelude::*;
use ser_arith::{Alphabet, Component, Limits, Origin, Outcomes, Semilinear, TooLarge};
use std::collections::BTreeSet;

/// Total counts up to which sets are compared.
const LENGTH: i64 = 7;

#[derive(Clone, Debug)]
enum Regex {
    Empty,
    Epsilon,
    Letter(u32),
    Union(Box<Regex>, Box<Regex>),
    Concat(Box<Regex>, Box<Regex>),
    Star(Box<Regex>),
}

fn regex() -> impl Strategy<Value = Regex> {
    let leaf = prop_oneof![
        1 => Just(Regex::Empty),
        2 => Just(Regex::Epsilon),
        12 => (0u32..3).prop_map(Regex::Letter),
    ];
    leaf.prop_recursive(5, 14, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(a, b)| Regex::Union(a.into(), b.into())),
            pair.prop_map(|(a, b)| Regex::Concat(a.into(), b.into())),
            inner.prop_map(|a| Regex::Star(a.into())),
        ]
    })
}

/// Letters 0 and 2 count for the same coordinate.
fn alphabet() -> Alphabet {
    Alphabet::new(2, vec![0, 1, 0])
}

fn build(regex: &Regex, limits: &Limits) -> Result<Semilinear, TooLarge> {
    Ok(match regex {
        Regex::Empty => Semilinear::empty(2),
        Regex::Epsilon => Semilinear::epsilon(2),
        Regex::Letter(letter) => Semilinear::letter(&alphabet(), *letter),
        Regex::Union(a, b) => build(a, limits)?.union(&build(b, limits)?, limits)?,
        Regex::Concat(a, b) => build(a, limits)?.concat(&build(b, limits)?, limits)?,
        Regex::Star(a) => build(a, limits)?.star(limits)?,
    })
}

fn plus(left: &BTreeSet<Vec<i64>>, right: &BTreeSet<Vec<i64>>) -> BTreeSet<Vec<i64>> {
    left.iter()
        .flat_map(|a| right.iter().map(move |b| vec![a[0] + b[0], a[1] + b[1]]))
        .filter(|v| v[0] + v[1] <= LENGTH)
        .collect()
}

/// The counts of all short words.
fn words(regex: &Regex) -> BTreeSet<Vec<i64>> {
    match regex {
        Regex::Empty => BTreeSet::new(),
        Regex::Epsilon => BTreeSet::from([vec![0, 0]]),
        Regex::Letter(letter) => BTreeSet::from([alphabet().count(&[*letter])]),
        Regex::Union(a, b) => words(a).union(&words(b)).cloned().collect(),
        Regex::Concat(a, b) => plus(&words(a), &words(b)),
        Regex::Star(a) => {
            let step = words(a);
            let mut all = BTreeSet::from([vec![0, 0]]);
            loop {
                let more: BTreeSet<_> = plus(&all, &step).union(&all).cloned().collect();
                if more == all {
                    break all;
                }
                all = more;
            }
        }
    }
}

fn short_vectors() -> impl Iterator<Item = Vec<i64>> {
    (0..=LENGTH).flat_map(|a| (0..=LENGTH - a).map(move |b| vec![a, b]))
}

fn check_counts(component: &Component) {
    assert_eq!(alphabet().count(&component.word), component.base);
    assert_eq!(component.cycles.len(), component.periods.len());
    for (cycle, period) in component.cycles.iter().zip(&component.periods) {
        assert!(cycle.at <= component.word.len());
        assert_eq!(&alphabet().count(&cycle.word), period);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn sets_agree_with_words(regex in regex()) {
        let limits = Limits::default();
        let set = build(&regex, &limits).unwrap();
        let words = words(&regex);
        let merged = Outcomes::new(&set, &Limits::default()).expect("no limit");
        for vector in short_vectors() {
            let found = set.contains(&vector).unwrap();
            prop_assert_eq!(found.is_some(), words.contains(&vector), "{:?}", vector);
            if let Some((at, lambda)) = found {
                prop_assert_eq!(set.components()[at].member(&lambda), Some(vector.clone()));
            }
            prop_assert_eq!(merged.contains(&vector).unwrap().is_some(), words.contains(&vector));
        }
        for component in set.components() {
            check_counts(component);
        }
        prop_assert_eq!(build(&regex, &limits).unwrap(), set);
    }

    #[test]
    fn inclusion_is_sound(left in regex(), right in regex()) {
        let limits = Limits::default();
        let (left, right) = (build(&left, &limits).unwrap(), build(&right, &limits).unwrap());
        for a in left.components() {
            for b in right.components() {
                if a.is_within(b) {
                    for vector in short_vectors() {
                        let inside = a.contains(&vector).unwrap().is_some();
                        prop_assert!(!inside || b.contains(&vector).unwrap().is_some());
                    }
                }
            }
        }
    }
}

#[test]
fn merging_a_b_star() {
    // b | a a* b, without the words that would make it one component.
    let limits = Limits::default();
    let a = Semilinear::letter(&alphabet(), 0);
    let b = Semilinear::letter(&alphabet(), 1);
    let loops = a.concat(&a.star(&limits).unwrap(), &limits).unwrap();
    let set = b.union(&loops.concat(&b, &limits).unwrap(), &limits).unwrap();
    assert_eq!(set.components().len(), 2);
    let outcomes = Outcomes::new(&set, &Limits::default()).expect("no limit");
    assert_eq!(outcomes.maximal, vec![2]);
    let merged = &outcomes.components[2];
    assert_eq!(merged.origin, Origin::Merge(0, 1, 0));
    assert_eq!((merged.base.clone(), merged.periods.clone()), (vec![0, 1], vec![vec![1, 0]]));
    let (list, places) = outcomes.only(&[2]);
    assert_eq!((list.len(), places[&2]), (3, 2));
    let (list, places) = outcomes.only(&[1]);
    assert_eq!((list.len(), places[&1]), (1, 0));
}

#[test]
fn limits_are_typed() {
    let a = Semilinear::letter(&alphabet(), 0);
    let b = Semilinear::letter(&alphabet(), 1);
    let few = Limits { components: 1, letters: 2, ..Limits::default() };
    assert_eq!(a.union(&b, &few), Err(TooLarge::Components(1)));
    let two = a.concat(&a, &few).unwrap();
    assert_eq!(two.concat(&a, &few), Err(TooLarge::Letters(2)));
}
