//! The reduced net of a certificate, by names.

use super::letter_words;
use crate::serializability::smtlib::{number, place_words, sum, transition_words};
use ser_serializability_checker::{
    Arithmetic, CutPlace, EffectName, LetterName, PlaceName, TransitionName,
};
use std::collections::BTreeMap;

/// A global state, or a place of requests in flight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot<'a> {
    Global(&'a str),
    Place(&'a str, &'a str),
}

impl<'a> Spot<'a> {
    pub(super) fn words(self) -> String {
        match self {
            Spot::Global(global) => format!("the global state {global}"),
            Spot::Place(request, local) => format!("requests in flight in {request}@{local}"),
        }
    }

    fn of_place(PlaceName(request, local): &'a PlaceName) -> Spot<'a> {
        Spot::Place(request, local)
    }

    pub(super) fn of_cut(place: &'a CutPlace) -> Spot<'a> {
        match place {
            CutPlace::Global { global } => Spot::Global(global),
            CutPlace::InFlight { request, local } => Spot::Place(request, local),
        }
    }

    /// What a transition takes from.
    pub(super) fn before(t: &'a TransitionName) -> impl Iterator<Item = Spot<'a>> {
        [Spot::Global(&t.before)].into_iter().chain(t.takes.as_ref().map(Spot::of_place))
    }

    /// What a transition puts into.
    pub(super) fn after(t: &'a TransitionName) -> impl Iterator<Item = Spot<'a>> {
        let given = match &t.effect {
            EffectName::Gives(place) => Some(Spot::of_place(place)),
            EffectName::Responds(_) => None,
        };
        [Spot::Global(&t.after)].into_iter().chain(given)
    }
}

/// The reduced net, by names.
pub(super) struct Net<'a> {
    initial: &'a str,
    pub(super) transitions: &'a [TransitionName],
    /// The transitions that put into each spot, and those that take from it.
    pub(super) flows: BTreeMap<Spot<'a>, (Vec<usize>, Vec<usize>)>,
    /// The transitions that respond with each letter.
    pub(super) letters: BTreeMap<&'a LetterName, Vec<usize>>,
}

impl<'a> Net<'a> {
    pub(super) fn new(proof: &'a Arithmetic, initial: &'a str) -> Net<'a> {
        let mut flows: BTreeMap<Spot<'a>, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        let mut letters: BTreeMap<&LetterName, Vec<usize>> = BTreeMap::new();
        flows.entry(Spot::Global(initial)).or_default();
        for (i, t) in proof.transitions.iter().enumerate() {
            Spot::after(t).for_each(|spot| flows.entry(spot).or_default().0.push(i));
            Spot::before(t).for_each(|spot| flows.entry(spot).or_default().1.push(i));
            if let EffectName::Responds(letter) = &t.effect {
                letters.entry(letter).or_default().push(i);
            }
        }
        Net { initial, transitions: &proof.transitions, flows, letters }
    }

    pub(super) fn words(&self, t: &TransitionName) -> String {
        let given = match &t.effect {
            EffectName::Gives(place) => place_words(place),
            EffectName::Responds(letter) => letter_words(letter),
        };
        transition_words(&t.before, t.takes.as_ref().map(place_words).as_deref(), &t.after, &given)
    }

    /// What is at a spot after so many transitions, minus one if it is where they end.
    pub(super) fn balance(&self, spot: Spot<'_>, end: bool, counts: &[String]) -> String {
        let start = i64::from(spot == Spot::Global(self.initial)) - i64::from(end);
        let mut terms = Vec::new();
        if start != 0 {
            terms.push(number(&start.to_string()));
        }
        if let Some((put, taken)) = self.flows.get(&spot) {
            terms.extend(chosen(counts, put));
            terms.extend(chosen(counts, taken).map(|count| format!("(- {count})")));
        }
        sum(&terms)
    }
}

/// Some of the counts.
pub(super) fn chosen(counts: &[String], indices: &[usize]) -> impl Iterator<Item = String> {
    indices.iter().filter_map(|i| counts.get(*i).cloned())
}
