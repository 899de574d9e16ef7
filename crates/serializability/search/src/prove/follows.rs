//! What an invariant rests on besides numbers: which explanations follow from which.
//!
//! The numbers of an invariant are linear arithmetic, which others can check as well. Explanations
//! are finite: this says, for each step from each triple, which triples have no explanation that
//! does not follow from one before the step. `ser-serializability-checker` has its own rules for
//! this and does not use these.

use super::inclusion::{Explanation, Invariant, read_by};
use super::serial_words::{Element, Letters, NONE, SerialWords, bit};
use rustc_hash::FxHashMap;
use ser_net::{Net, Outcome, PlaceId, Transition};

/// The explanations of an invariant, ready to be compared.
pub struct Follows<'a> {
    invariant: &'a Invariant,
    initial: u32,
    /// For each place the response that its requests are committed to.
    labels: Vec<Option<Outcome>>,
    /// The different sets of explanations, and the number of each triple's set.
    sets: Vec<Vec<Element>>,
    set_of: Vec<usize>,
    /// For each place, self-loops that all explanations have while it is occupied.
    promises: Vec<Letters>,
    /// What the first state of a pair needs to stand in for the second.
    stand_ins: FxHashMap<(u32, u32), Letters>,
    known: FxHashMap<(usize, Read, usize), bool>,
}

/// The letter that is read, what is promised where the request leaves, and where it comes to.
type Read = (Option<u32>, Letters, Letters);

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
        let mut promises = vec![0; net.places.len()];
        for (place, letters) in &self.promises {
            promises[place.index()] = set(letters, &self.words);
        }
        let stand_ins = self.stand_ins.iter();
        let stand_ins =
            stand_ins.map(|s| ((s.global, s.instead_of), set(&s.loops, &self.words))).collect();
        let (initial, known) = (net.initial.0, FxHashMap::default());
        Follows { invariant: self, initial, labels, sets, set_of, promises, stand_ins, known }
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
            self.sets[self.set_of[*triple]].iter().all(|element| self.covers(&start, element))
        };
        self.triples_at(self.initial).filter(explains).collect()
    }

    /// The triples of the global state after a transition whose explanations all follow from
    /// those of `triple` by what the transition reads; none if nobody can be where the transition
    /// takes a request from.
    pub fn after(&mut self, triple: usize, transition: &Transition) -> Option<Vec<usize>> {
        let letter = read_by(transition, &self.labels).map(|o| self.invariant.words.letter(o));
        let promised = |place: Option<PlaceId>| place.map_or(0, |p| self.promises[p.index()]);
        let read = (letter, promised(transition.takes), promised(transition.gives()));
        let words = &self.invariant.words;
        let explanations = self.sets[self.set_of[triple]].iter();
        let relies = read.1 != 0 && self.stand_ins.is_empty();
        if relies && !explanations.map(|e| with(e, read.1)).all(|e| words.is_possible(&e)) {
            return None;
        }
        let targets: Vec<usize> = self.triples_at(transition.after.0).collect();
        Some(targets.into_iter().filter(|target| self.follow(triple, read, *target)).collect())
    }

    fn triples_at(&self, global: u32) -> impl Iterator<Item = usize> + '_ {
        let triples = self.invariant.triples.iter().enumerate();
        triples.filter(move |(_, t)| t.global == global).map(|(i, _)| i)
    }

    fn follow(&mut self, from: usize, read: Read, to: usize) -> bool {
        let (from, to) = (self.set_of[from], self.set_of[to]);
        if let Some(known) = self.known.get(&(from, read, to)) {
            return *known;
        }
        let (letter, relied, promised) = read;
        let derived = |target: &Element| {
            let target = with(target, promised);
            let enough = |e: &Element| self.covers(e, &target);
            let words = &self.invariant.words;
            self.sets[from].iter().any(|e| words.derives(&with(e, relied), letter, enough))
        };
        let follow = self.sets[to].iter().all(derived);
        self.known.insert((from, read, to), follow);
        follow
    }

    fn covers(&self, e: &Element, weaker: &Element) -> bool {
        let needs = self.stand_ins.get(&(e.global, weaker.global));
        e.covers(weaker)
            || needs.is_some_and(|needs| {
                needs & !e.loops == 0 && e.covers(&Element { global: e.global, ..*weaker })
            })
    }
}

fn element(explanation: &Explanation, words: &SerialWords) -> Element {
    let letters = |list: &[Outcome]| set(list, words);
    Element {
        global: explanation.global,
        waiting: explanation.waiting.map_or(NONE, |outcome| words.letter(outcome)),
        debts: letters(&explanation.debts),
        loops: letters(&explanation.loops),
    }
}

/// The element, with these self-loops.
fn with(element: &Element, letters: Letters) -> Element {
    let mut element = *element;
    element.rely_on(letters);
    element
}

fn set(list: &[Outcome], words: &SerialWords) -> Letters {
    list.iter().fold(0, |set, outcome| set | bit(words.letter(*outcome)))
}
