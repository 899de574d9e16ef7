//! Which state of a serial run is as good as another one.
//!
//! A state q *stands in* for q' given letters V if a run in q, into which the letters of V and the
//! what can be inserted on its way can be inserted, has an answer to whatever a run in q' can do:
//! to each edge q' --a--> r' there is an edge q --a--> r, or `a` can be inserted, such that r (or
//! q) stands in for r', and all that can be inserted at q' can be inserted. An explanation that
//! ends in q may then be told as one that ends in q', and many become one.
//! `ser-serializability-checker` states the theorem.
//!
//! Here the answers are chosen once and for all: self-loops of q' are inserted, edges are followed
//! where there are some. What is left to know is which letters V that takes: the least ones, by a
//! fixpoint over the pairs that follow from each other.

use super::serial_words::{Element, Letters, SerialWords, bit};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Stop};

/// A state, and the one that it stands in for.
pub(super) type Pair = (u32, u32);

/// The states that stand in for others.
pub(super) struct StandIns<'a> {
    words: &'a SerialWords,
    /// The edges that leave a state. None if nothing is to stand in for anything.
    edges: Option<FxHashMap<u32, Vec<(u32, u32)>>>,
    needs: FxHashMap<Pair, Option<Needs>>,
    /// How many pairs may still be looked at.
    left: usize,
}

/// What a state needs to stand in for another one.
struct Needs {
    letters: Letters,
    /// The pairs that this one rests on.
    rests_on: Vec<Pair>,
}

/// The most pairs that one question may lead to, and all of them.
const MAX_CLOSURE: usize = 5_000;
const MAX_PAIRS: usize = 200_000;

impl<'a> StandIns<'a> {
    pub fn new(words: &'a SerialWords, some: bool) -> StandIns<'a> {
        let edges = some.then(|| words.outgoing());
        StandIns { words, edges, needs: FxHashMap::default(), left: MAX_PAIRS }
    }

    /// Whether any state may stand in for another one.
    pub fn is_used(&self) -> bool {
        self.edges.is_some()
    }

    /// Whether this explains at least what `weaker` does, or can stand in for what does.
    pub fn covers(&mut self, e: &Element, weaker: &Element) -> bool {
        e.covers(weaker)
            || self.edges.is_some()
                && e.global != weaker.global
                && e.covers(&Element { global: e.global, ..*weaker })
                && self.words.loops_at(weaker.global) & !e.loops == 0
                && self.needs((e.global, weaker.global)).is_some_and(|n| n & !e.loops == 0)
    }

    /// Whether some of the strong explanations covers each of the weak ones.
    pub fn cover(&mut self, strong: &[Element], weak: &[Element]) -> bool {
        weak.iter().all(|weak| strong.iter().any(|e| self.covers(e, weak)))
    }

    /// Keeps the strongest elements, sorted.
    pub fn strongest(&mut self, elements: &mut Vec<Element>) {
        elements.sort_unstable();
        elements.dedup();
        if self.edges.is_none() {
            let all = elements.clone();
            elements.retain(|e| !all.iter().any(|other| other != e && other.covers(e)));
            return;
        }
        let mut kept: Vec<Element> = Vec::new();
        for e in elements.iter() {
            if !kept.iter().any(|other| self.covers(other, e)) {
                kept.retain(|other| !self.covers(e, other));
                kept.push(*e);
            }
        }
        kept.sort_unstable();
        *elements = kept;
    }

    /// What two sets of explanations have in common: the strongest elements that both cover.
    pub fn shared(&mut self, a: &[Element], b: &[Element], most: usize) -> Vec<Element> {
        let mut out = Vec::new();
        for x in a {
            for y in b {
                let (debts, loops) = (x.debts | y.debts, x.loops & y.loops);
                for global in [x.global, y.global] {
                    let both = Element { global, debts, loops, ..*x };
                    if self.covers(x, &both) && self.covers(y, &both) {
                        out.push(both);
                    }
                }
            }
        }
        self.strongest(&mut out);
        out.truncate(most);
        out
    }

    /// The letters that a state needs to stand in for another one; none if it cannot.
    fn needs(&mut self, pair: Pair) -> Option<Letters> {
        if let Some(known) = self.needs.get(&pair) {
            return known.as_ref().map(|needs| needs.letters);
        }
        let mut found: FxHashMap<Pair, Option<Needs>> = FxHashMap::default();
        let mut order = vec![pair];
        let mut seen = FxHashSet::from_iter([pair]);
        let mut at = 0;
        while let Some(&pair) = order.get(at) {
            at += 1;
            if at > MAX_CLOSURE || self.left == 0 {
                self.needs.insert(order[0], None);
                return None;
            }
            self.left -= 1;
            let needs = self.answers(pair);
            for next in needs.iter().flat_map(|needs| &needs.rests_on) {
                if !self.needs.contains_key(next) && seen.insert(*next) {
                    order.push(*next);
                }
            }
            found.insert(pair, needs);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &pair in order.iter().rev() {
                let Some(Some(here)) = found.get(&pair) else { continue };
                let loops = self.words.loops_at(pair.0);
                let next = here.rests_on.iter().try_fold(here.letters, |letters, p| {
                    let needs = found.get(p).or_else(|| self.needs.get(p))?.as_ref()?;
                    Some(letters | needs.letters & !loops)
                });
                if next != Some(here.letters) {
                    changed = true;
                    let needs = found.get_mut(&pair).and_then(Option::as_mut);
                    match (next, needs) {
                        (Some(letters), Some(needs)) => needs.letters = letters,
                        _ => drop(found.insert(pair, None)),
                    }
                }
            }
        }
        self.needs.extend(found);
        self.needs.get(&pair)?.as_ref().map(|needs| needs.letters)
    }

    /// The answers of a state to what another one can do; none if one cannot be given.
    fn answers(&self, (state, other): Pair) -> Option<Needs> {
        let edges = self.edges.as_ref()?;
        let here = self.words.loops_at(state);
        let mut needs = Needs { letters: self.words.loops_at(other) & !here, rests_on: Vec::new() };
        for (letter, to) in edges.get(&other).into_iter().flatten() {
            if *to == other && bit(*letter) & self.words.loops_at(other) != 0 {
                continue;
            }
            let mut targets = self.words.targets(state, *letter).peekable();
            let next = match targets.peek().copied() {
                Some(first) => (targets.find(|t| t == to).unwrap_or(first), *to),
                None if bit(*letter) == 0 => return None,
                None => {
                    needs.letters |= bit(*letter);
                    (state, *to)
                }
            };
            if next.0 != next.1 {
                needs.rests_on.push(next);
            }
        }
        Some(needs)
    }

    /// These pairs and all that they rest on, with the letters that they need.
    pub fn closed(
        &mut self,
        pairs: impl IntoIterator<Item = Pair>,
        limits: &Limits,
    ) -> Result<Vec<(Pair, Letters)>, Stop> {
        let mut pace = limits.pace();
        let mut open: Vec<Pair> = pairs.into_iter().collect();
        let mut closed: std::collections::BTreeMap<Pair, Letters> = Default::default();
        while let Some(pair) = open.pop() {
            pace.steps(4)?;
            if !closed.contains_key(&pair)
                && let Some(Some(needs)) = self.needs.get(&pair)
            {
                closed.insert(pair, needs.letters);
                open.extend(&needs.rests_on);
            }
        }
        Ok(closed.into_iter().collect())
    }
}
