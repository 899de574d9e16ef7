//! Sets of serial outcomes: the words of a component, and how often each letter occurs in them.

use super::letter_words;
use crate::serializability::smtlib::Script;
use ser_serializability_checker::{Component, LetterName, Reading};
use std::collections::BTreeMap;

/// How often each letter occurs.
pub(super) type Vector<'a> = BTreeMap<&'a LetterName, u64>;

/// The base and the periods of a component.
#[derive(Clone, Default)]
pub(super) struct Vectors<'a> {
    pub(super) base: Vector<'a>,
    pub(super) periods: Vec<Vector<'a>>,
}

impl<'a> Vectors<'a> {
    pub(super) fn new(component: &'a Component, earlier: &[Vectors<'a>]) -> Vectors<'a> {
        match component {
            Component::Words { word, cycles } => Vectors {
                base: vector(word),
                periods: cycles.iter().map(|cycle| vector(&cycle.word)).collect(),
            },
            Component::Merge { merge: (first, second), .. } => Vectors {
                base: earlier.get(*first).map(|c| c.base.clone()).unwrap_or_default(),
                periods: earlier.get(*second).map(|c| c.periods.clone()).unwrap_or_default(),
            },
        }
    }
}

fn vector(word: &[Reading]) -> Vector<'_> {
    let mut vector = Vector::new();
    for Reading(letter, _) in word {
        *vector.entry(letter).or_insert(0) += 1;
    }
    vector
}

/// Says what a component is, in comments.
pub(super) fn describe(
    script: &mut Script,
    i: usize,
    component: &Component,
    vectors: &Vectors<'_>,
) {
    let run = |word: &[Reading]| {
        let letters: Vec<String> = word.iter().map(|Reading(l, _)| letter_words(l)).collect();
        if letters.is_empty() { "nothing".to_owned() } else { letters.join(", ") }
    };
    match component {
        Component::Words { word, cycles } => {
            script.comment(&format!("component {i}: {}", run(word)));
            for (j, cycle) in cycles.iter().enumerate() {
                let word = run(&cycle.word);
                script.comment(&format!("  period {j}, after {} of these: {word}", cycle.at));
            }
        }
        Component::Merge { merge: (first, second), .. } => {
            let periods = vectors.periods.len();
            let words = "the base of the first with the periods of the second";
            script.comment(&format!(
                "component {i}: {first} and {second} are one: {words}, {periods} of them"
            ));
        }
    }
}
