//! What an invariant rests on besides numbers: which explanations follow from which.
//!
//! The numbers of an invariant are linear arithmetic, which others can check as well. Explanations
//! are finite: this says, for each step from each triple, which triples have no explanation that
//! does not follow from one before the step. `ser-serializability-checker` has its own rules for
//! this and does not use these.

use super::inclusion::{Explanation, Invariant, read_by};
use super::serial_words::{Element, Letters, NONE, SerialWords, bit};
use rustc_hash::FxHashMap;
use ser_net::{Net, Outcome, Transition};

/// The explanations of an invariant, ready to be compared.
pub struct Follows<'a> {
    invariant: &'a Invariant,
    initial: u32,
    /// For each place the response that its requests are committed to.
    labels: Vec<Option<Outcome>>,
    /// The different sets of explanations, and the number of each triple's set.
    sets: Vec<Vec<Element>>,
    set_of: Vec<usize>,
    known: FxHashMap<(usize, Option<u32>, usize), bool>,
}

impl Invariant {
    /// Which of its explanations follow from which, in the net that it is about.
    pub fn follows<'a>(&'a self, net: &Net) -> Follows<'a> {
        let mut labels = vec![None; net.places.len()];
        for (place, outcome) in &self.labels {
            labels[place.index()] = Some(*outcome);
        }
        let mut sets: Vec<Vec<Element>> = Vec::new();
        let mut numbers: FxHashMap<Vec<Element>, usize> = FxHashMap::default();
        let set_of = self.triples.iter().map(|triple| {
            let set: Vec<Element> = triple.serial.iter().map(|e| element(e, &self.words)).collect();
            *numbers.entry(set).or_insert_with_key(|set| {
                sets.push(set.clone());
                sets.len() - 1
            })
        });
        let set_of = set_of.collect();
        let (initial, known) = (net.initial.0, FxHashMap::default());
        Follows { invariant: self, initial, labels, sets, set_of, known }
    }
}

impl Explanation {
    /// Whether everything that was read is explained.
    pub fn is_settled(&self) -> bool {
        self.debts.is_empty() && self.waiting.is_none()
    }
}

impl Follows<'_> {
    /// The triples of the initial global state whose explanations all explain the empty run.
    pub fn at_start(&self) -> Vec<usize> {
        let start = self.invariant.words.start(self.initial);
        let explains = |triple: &usize| {
            self.sets[self.set_of[*triple]].iter().all(|element| start.covers(element))
        };
        self.triples_at(self.initial).filter(explains).collect()
    }

    /// The triples of the global state after a transition whose explanations all follow from
    /// those of `triple` by what the transition reads.
    pub fn after(&mut self, triple: usize, transition: &Transition) -> Vec<usize> {
        let letter = read_by(transition, &self.labels).map(|o| self.invariant.words.letter(o));
        let targets: Vec<usize> = self.triples_at(transition.after.0).collect();
        targets.into_iter().filter(|target| self.follow(triple, letter, *target)).collect()
    }

    fn triples_at(&self, global: u32) -> impl Iterator<Item = usize> + '_ {
        let triples = self.invariant.triples.iter().enumerate();
        triples.filter(move |(_, t)| t.global == global).map(|(i, _)| i)
    }

    fn follow(&mut self, from: usize, letter: Option<u32>, to: usize) -> bool {
        let (from, to) = (self.set_of[from], self.set_of[to]);
        let (words, sets) = (&self.invariant.words, &self.sets);
        *self.known.entry((from, letter, to)).or_insert_with(|| {
            let derived =
                |target: &Element| sets[from].iter().any(|e| words.derives(e, letter, target));
            sets[to].iter().all(derived)
        })
    }
}

fn element(explanation: &Explanation, words: &SerialWords) -> Element {
    let letters = |list: &[Outcome]| -> Letters {
        list.iter().fold(0, |set, outcome| set | bit(words.letter(*outcome)))
    };
    Element {
        global: explanation.global,
        waiting: explanation.waiting.map_or(NONE, |outcome| words.letter(outcome)),
        debts: letters(&explanation.debts),
        loops: letters(&explanation.loops),
    }
}
