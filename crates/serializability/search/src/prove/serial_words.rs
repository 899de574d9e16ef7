//! Serial explanations of the responses read so far.
//!
//! An element (q, V, D, B) says: a serial run to the global state q explains what has been read, up
//! to letters that can be inserted into it later. V are letters that can be inserted into the run
//! so far any number of times: self-loops of the automaton on its way, and letters that stay
//! possible whatever comes, so that they may as well come last. D are *debts*: letters that were
//! read, any number of times, and still need a state where they can be inserted. B is at most one
//! letter that was read once and still needs an edge of its own.
//!
//! Reading a letter a: it is free if a is in V; or it becomes a debt; or it waits in B; or the run
//! goes on along an edge q --a--> q', where what can be inserted at q' joins V and pays its debts.
//! The letter in B can be delivered along an edge at any time. This lets a response be explained
//! earlier or later than it happened: serializability does not ask for real-time order.

use super::stand_ins::StandIns;
use crate::InclusionOptions;
use rustc_hash::FxHashMap;
use ser_base::{Limits, Pace, Stop};
use ser_net::{Net, Outcome, SerialAutomaton, letters};

/// A set of letters; letters from 128 on are never self-loops or debts here.
pub(crate) type Letters = u128;

/// No letter.
pub(crate) const NONE: u32 = u32::MAX;

/// One serial explanation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Element {
    pub global: u32,
    /// A letter that waits for an edge, or [`NONE`].
    pub waiting: u32,
    pub debts: Letters,
    pub loops: Letters,
}

impl Element {
    /// Whether everything that was read is explained.
    pub fn is_settled(&self) -> bool {
        self.debts == 0 && self.waiting == NONE
    }

    /// These letters are self-loops on the run, too.
    pub fn rely_on(&mut self, letters: Letters) {
        self.loops |= letters;
        self.debts &= !letters;
    }

    /// Whether this explains at least what `weaker` does, and more freely.
    pub fn covers(&self, weaker: &Element) -> bool {
        self.global == weaker.global
            && self.waiting == weaker.waiting
            && weaker.loops & !self.loops == 0
            && self.debts & !weaker.debts == 0
    }
}

/// The serial automaton in tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SerialWords {
    pub letters: Vec<Outcome>,
    edges: FxHashMap<(u32, u32), Vec<u32>>,
    /// What can be inserted at a state any number of times.
    loops: FxHashMap<u32, Letters>,
    /// What can be inserted at states from which a state can be reached.
    passed: FxHashMap<u32, Letters>,
    /// What can be inserted, and letters on edges, in what can be reached from a state.
    payable: FxHashMap<u32, Letters>,
    deliverable: FxHashMap<u32, Letters>,
}

/// The set of one letter.
pub(super) fn bit(letter: u32) -> Letters {
    if letter < Letters::BITS { 1 << letter } else { 0 }
}

impl SerialWords {
    /// The tables, with what explanations may use.
    pub fn new(
        net: &Net,
        automaton: &SerialAutomaton,
        InclusionOptions { loops, last, .. }: InclusionOptions,
        limits: &Limits,
    ) -> Result<SerialWords, Stop> {
        limits.check_clock()?;
        let mut pace = limits.pace();
        let letters = letters(net, automaton);
        let mut words = SerialWords {
            letters,
            edges: FxHashMap::default(),
            loops: FxHashMap::default(),
            passed: FxHashMap::default(),
            payable: FxHashMap::default(),
            deliverable: FxHashMap::default(),
        };
        for e in &automaton.edges {
            pace.steps(4)?;
            let letter = words.letter(e.outcome);
            words.edges.entry((e.before.0, letter)).or_default().push(e.after.0);
            *words.deliverable.entry(e.before.0).or_default() |= bit(letter);
            if loops && e.before == e.after {
                *words.loops.entry(e.before.0).or_default() |= bit(letter);
            }
        }
        if last {
            words.add_possible_for_good(automaton, &mut pace)?;
        }
        words.payable = words.loops.clone();
        words.passed = words.loops.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for e in &automaton.edges {
                pace.steps(4)?;
                for table in [&mut words.payable, &mut words.deliverable] {
                    let more = table.get(&e.after.0).copied().unwrap_or(0);
                    let here = table.entry(e.before.0).or_default();
                    changed |= more & !*here != 0;
                    *here |= more;
                }
                let more = words.passed.get(&e.before.0).copied().unwrap_or(0);
                let here = words.passed.entry(e.after.0).or_default();
                changed |= more & !*here != 0;
                *here |= more;
            }
        }
        Ok(words)
    }

    /// Adds to the letters that can be inserted at a state those that all states have which can be
    /// reached from it: they may as well come last.
    fn add_possible_for_good(
        &mut self,
        automaton: &SerialAutomaton,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stop> {
        let mut possible = self.deliverable.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for e in automaton.edges.iter().rev() {
                pace.steps(4)?;
                let after = possible.get(&e.after.0).copied().unwrap_or(0);
                if let Some(here) = possible.get_mut(&e.before.0) {
                    changed |= *here & !after != 0;
                    *here &= after;
                }
            }
        }
        for (state, letters) in possible {
            *self.loops.entry(state).or_default() |= letters;
        }
        Ok(())
    }

    /// The number of an outcome.
    pub fn letter(&self, outcome: Outcome) -> u32 {
        self.letters.partition_point(|o| *o < outcome) as u32
    }

    /// The outcomes of a set of letters.
    pub fn outcomes(&self, set: Letters) -> Vec<Outcome> {
        let all = self.letters.iter().take(Letters::BITS as usize).enumerate();
        all.filter(|(i, _)| set >> i & 1 == 1).map(|(_, outcome)| *outcome).collect()
    }

    /// The explanation of nothing.
    pub fn start(&self, initial: u32) -> Element {
        Element { global: initial, waiting: NONE, debts: 0, loops: self.loops_at(initial) }
    }

    pub(super) fn loops_at(&self, global: u32) -> Letters {
        self.loops.get(&global).copied().unwrap_or(0)
    }

    /// Where a run may get to with a letter.
    pub(super) fn targets(&self, from: u32, letter: u32) -> impl Iterator<Item = u32> + '_ {
        self.edges.get(&(from, letter)).into_iter().flatten().copied()
    }

    /// The edges that leave each state: letter and state, sorted.
    pub(super) fn outgoing(&self) -> FxHashMap<u32, Vec<(u32, u32)>> {
        let mut outgoing: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
        for ((from, letter), targets) in &self.edges {
            let edges = targets.iter().map(|to| (*letter, *to));
            outgoing.entry(*from).or_default().extend(edges);
        }
        outgoing.values_mut().for_each(|edges| edges.sort_unstable());
        outgoing
    }

    fn along(&self, from: &Element, letter: u32) -> impl Iterator<Item = Element> + '_ {
        let from = *from;
        self.edges.get(&(from.global, letter)).into_iter().flatten().map(move |to| {
            let loops = from.loops | self.loops_at(*to);
            Element { global: *to, waiting: from.waiting, debts: from.debts & !loops, loops }
        })
    }

    /// Everything that explains `letter` after what `from` explains.
    fn read(&self, from: &Element, letter: u32, rules: Rules, out: &mut Vec<Element>) {
        let first = out.len();
        if from.loops & bit(letter) != 0 {
            out.push(*from);
        } else if bit(letter) != 0 && from.debts.count_ones() < rules.max_debts {
            out.push(Element { debts: from.debts | bit(letter), ..*from });
        }
        if rules.waiting && from.waiting == NONE {
            out.push(Element { waiting: letter, ..*from });
        }
        out.extend(self.along(from, letter));
        // Whatever waits may be delivered now.
        for i in first..out.len() {
            let element = out[i];
            if element.waiting != NONE {
                let freed = Element { waiting: NONE, ..element };
                out.extend(self.along(&freed, element.waiting));
            }
        }
    }

    /// Whether what is open in an element can ever be settled.
    fn is_co_reachable(&self, e: &Element) -> bool {
        let payable = self.payable.get(&e.global).copied().unwrap_or(0);
        let deliverable = self.deliverable.get(&e.global).copied().unwrap_or(0);
        e.debts & !payable == 0 && (e.waiting == NONE || bit(e.waiting) & !deliverable == 0)
    }

    /// Whether there is a run to the state with all these self-loops on its way, as far as each of
    /// them is concerned.
    pub fn is_possible(&self, e: &Element) -> bool {
        e.loops & !self.passed.get(&e.global).copied().unwrap_or(0) == 0
    }

    /// All explanations after reading a letter; the strongest ones, sorted.
    pub(super) fn read_all(
        &self,
        from: &[Element],
        letter: u32,
        rules: Rules,
        stand_ins: &mut StandIns<'_>,
    ) -> Vec<Element> {
        let mut out = Vec::new();
        for element in from {
            self.read(element, letter, rules, &mut out);
        }
        out.retain(|e| self.is_co_reachable(e));
        stand_ins.strongest(&mut out);
        if out.len() > rules.max_elements {
            out.sort_by_key(|e| (e.waiting != NONE, e.debts.count_ones(), *e));
            out.truncate(rules.max_elements);
            out.sort_unstable();
        }
        out
    }

    /// Whether what follows from `from` by reading `letter` (or nothing) has an element that is
    /// enough.
    pub fn derives(
        &self,
        from: &Element,
        letter: Option<u32>,
        is_enough: impl FnMut(&Element) -> bool,
    ) -> bool {
        let mut out = Vec::new();
        match letter {
            None => out.push(*from),
            Some(letter) => self.read(from, letter, Rules::ALL, &mut out),
        }
        out.iter().any(is_enough)
    }
}

/// How far explanations may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    pub max_debts: u32,
    /// Whether a letter may wait for an edge.
    pub waiting: bool,
    /// How many explanations to keep; leaving some out is sound.
    pub max_elements: usize,
}

impl Rules {
    const ALL: Rules = Rules { max_debts: u32::MAX, waiting: true, max_elements: usize::MAX };
}
