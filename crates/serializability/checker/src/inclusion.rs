//! Inclusion: an inductive invariant that explains every complete run.
//!
//! A [`Triple`] (g, M, S) *covers* a run of the net that has read the word w if the run has led
//! to the global state g, with a number of requests in flight in each place that is in the
//! place's set of M, and every element of S, with the letters *promised* in all places that are
//! occupied among its insertable letters, is justified by w (see [`explain`]), or supported by w if
//! states of serial runs stand in for others (see [`StandIns`]).
//!
//! *Theorem.* If [`check`] accepts, the network system is serializable. *Proof.* Normal form and
//! reductions keep the outcomes (see `net` and `reduce`), so take a complete run of
//! the reduced net. Some triple covers each of its prefixes, by induction:
//! - the empty run is covered, because a triple with the initial global state admits zero
//!   everywhere and each of its elements follows from (g0, what is insertable at g0, no debts);
//! - if (g, M, S) covers a prefix and the run goes on with `t: g + x -> g' + e`, then x is in
//!   flight, so M allows a number above 0 there, and after taking and putting the numbers are in
//!   M with one less at x and one more at e, which was found inside a triple (g', M', S'), or,
//!   in two parts, inside two, one of which has the numbers at hand; and every element of S',
//!   with what is promised in e, follows from an element of S, with what is promised in x, by what
//!   t reads. Let Z be what is promised in all places that were occupied, x among them. What
//!   follows from an element follows, with Z among its insertable letters, from the element with
//!   Z among them: [`explain::step`] asks of insertable letters only that they were there before or
//!   are those of a state on the way. So the element of S' with Z and what is promised in e, which
//!   is at least what is promised in all places that are occupied now, is justified. (If an element
//!   of S with what is promised in x has a letter that no path to its state can insert, no word
//!   justifies it, so nobody is in x, and there is no such t.)
//!
//! At the end all numbers are zero, so the triple that covers the whole run has an element without
//! debts, and nothing waits: a serial run has the letters of w, which are those of the outcome (see
//! `labels`). ∎

use crate::counter::Counter;
use crate::explain::{self, Element};
use crate::format::{self, Inclusion};
use crate::labels::Labels;
use crate::meter::Meter;
use crate::names::{Letter, Names, Place};
use crate::net::{Net, Transition};
use crate::reduce::reduced_net;
use crate::reject::At;
use crate::serial::SerialAutomaton;
use crate::stand_in::StandIns;
use crate::{Accepted, Argument, Reason, Rejection};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_model::GlobalId;
use std::rc::Rc;

/// Checks an argument by inclusion.
pub(crate) fn check(
    inclusion: &Inclusion,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Accepted, Rejection> {
    let net = reduced_net(&inclusion.reductions, names, meter)?;
    let labels = Labels::new(&inclusion.labels, &net, names)?;
    let automaton = SerialAutomaton::new(names.system(), meter).at(|| "serial automaton".into())?;
    let mut by_before = Moves::default();
    for t in net.transitions() {
        by_before.entry(t.before).or_default().push((*t, labels.read(t)));
    }
    let mut invariant = Invariant::new(&inclusion.invariant, &net, &automaton, names, meter)?;
    invariant.promises = resolve_promises(&inclusion.promises, &net.places(), names)?;
    invariant.stand_ins = StandIns::new(&inclusion.stand_ins, &automaton, names, meter)?;
    if !invariant.promises.is_empty() && invariant.stand_ins.is_empty() {
        invariant.passed = automaton.passed(meter).at(|| "serial automaton".into())?;
    }
    let successors = invariant.check(net.initial, &by_before, names, meter)?;
    let triples = invariant.triples.len();
    let in_real_time = invariant.is_in_order() || {
        // Whatever is wrong with it, that says nothing about the invariant.
        let mut in_order = invariant.in_order();
        in_order.check(net.initial, &by_before, names, meter).is_ok()
    };
    Ok(Accepted::Serializable {
        argument: Argument::Inclusion { triples, successors },
        transitions: net.transitions().len(),
        places: net.places().len(),
        serial_states: automaton.state_count(),
        in_real_time,
    })
}

/// The transitions of each global state, with the letters that are read.
type Moves = FxHashMap<GlobalId, Vec<(Transition, Option<Letter>)>>;

/// Numbers of requests in flight: sorted, without places that are empty.
type Counters = Vec<(Place, Counter)>;

/// Numbers of requests in flight, by their number in [`Invariant::numbers`].
type CountersId = usize;

/// A set of serial elements, by its number in [`Invariant::sets`].
type SetId = usize;

/// (g, M, S).
#[derive(Clone, Copy)]
struct Triple {
    global: GlobalId,
    counters: CountersId,
    serial: SetId,
}

/// The triples, with what it takes to find those that cover a successor.
struct Invariant<'a> {
    automaton: &'a SerialAutomaton,
    triples: Vec<Triple>,
    numbers: Numbers,
    sets: Vec<Vec<Element>>,
    set_ids: FxHashMap<Vec<Element>, SetId>,
    /// The triples of each global state. A triple covers only what has the same global state.
    by_global: FxHashMap<GlobalId, Vec<usize>>,
    /// The same, by the numbers of requests in flight: the likely ones, looked at first.
    by_counters: FxHashMap<(GlobalId, CountersId), Vec<usize>>,
    /// States of serial runs that stand in for others.
    stand_ins: StandIns,
    /// Self-loops that every explanation has while a place is occupied.
    promises: FxHashMap<Place, Vec<Letter>>,
    /// Self-loops of the states from which a state is reached, itself among them.
    passed: FxHashMap<GlobalId, FxHashSet<Letter>>,
    /// Whether all elements of a set are possible.
    possible: FxHashMap<SetId, bool>,
    /// Sets of elements with what is promised in a place.
    promised: FxHashMap<(SetId, Place), SetId>,
    /// Whether every element of the second set follows from one of the first by this letter.
    follows: FxHashMap<(SetId, Option<Letter>, SetId), bool>,
}

impl<'a> Invariant<'a> {
    /// It holds at the start, is inductive, and explains what is complete. How many successors
    /// were covered.
    fn check(
        &mut self,
        initial: GlobalId,
        by_before: &Moves,
        names: &Names<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<usize, Rejection> {
        self.check_start(initial, names, meter)?;
        let mut successors = 0;
        for i in 0..self.triples.len() {
            let Some(triple) = self.triples.get(i).copied() else {
                continue;
            };
            let at = || format!("invariant[{i}]");
            self.check_explained(&triple).at(at)?;
            for (t, letter) in by_before.get(&triple.global).into_iter().flatten() {
                match self.successor_covered(&triple, t, *letter, meter) {
                    Ok(None) => {}
                    Ok(Some(true)) => successors += 1,
                    Ok(Some(false)) => {
                        let transition = names.show_transition(t);
                        return Err(Reason::NotCovered { transition }.at(at()));
                    }
                    Err(reason) => return Err(reason.at(at())),
                }
            }
        }
        Ok(successors)
    }

    /// Whether every element is in order, and nothing is promised or stands in for anything.
    fn is_in_order(&self) -> bool {
        let mut used = self.triples.iter().filter_map(|triple| self.sets.get(triple.serial));
        let plain = self.promises.is_empty() && self.stand_ins.is_empty();
        plain && used.all(|set| set.iter().all(Element::is_in_order))
    }

    /// The same with elements in order only: see `real_time`.
    fn in_order(&self) -> Invariant<'a> {
        let mut invariant = Invariant {
            automaton: self.automaton,
            triples: Vec::new(),
            numbers: self.numbers.clone(),
            sets: Vec::new(),
            set_ids: FxHashMap::default(),
            by_global: self.by_global.clone(),
            by_counters: self.by_counters.clone(),
            stand_ins: StandIns::default(),
            promises: FxHashMap::default(),
            passed: FxHashMap::default(),
            possible: FxHashMap::default(),
            promised: FxHashMap::default(),
            follows: FxHashMap::default(),
        };
        for triple in &self.triples {
            let elements = self.sets.get(triple.serial).into_iter().flatten();
            let mut elements: Vec<Element> = elements.filter_map(Element::in_order).collect();
            elements.dedup();
            let serial = invariant.intern(elements);
            invariant.triples.push(Triple { serial, ..*triple });
        }
        invariant
    }

    fn new(
        list: &[format::Triple],
        net: &Net,
        automaton: &'a SerialAutomaton,
        names: &Names<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Invariant<'a>, Rejection> {
        let mut invariant = Invariant {
            automaton,
            triples: Vec::new(),
            numbers: Numbers::default(),
            sets: Vec::new(),
            set_ids: FxHashMap::default(),
            by_global: FxHashMap::default(),
            by_counters: FxHashMap::default(),
            stand_ins: StandIns::default(),
            promises: FxHashMap::default(),
            passed: FxHashMap::default(),
            possible: FxHashMap::default(),
            promised: FxHashMap::default(),
            follows: FxHashMap::default(),
        };
        let places = net.places();
        for (i, triple) in list.iter().enumerate() {
            let at = || format!("invariant[{i}]");
            meter.entry().at(at)?;
            let global = names.global(&triple.global).at(at)?;
            let counters = resolve_counters(&triple.in_flight, &places, names, &at())?;
            let elements = resolve_elements(&triple.serial, names, &at())?;
            let serial = invariant.intern(elements);
            let counters = invariant.numbers.intern(counters);
            let (by_global, by_counters) = (&mut invariant.by_global, &mut invariant.by_counters);
            by_global.entry(global).or_default().push(i);
            by_counters.entry((global, counters)).or_default().push(i);
            invariant.triples.push(Triple { global, counters, serial });
        }
        Ok(invariant)
    }

    fn intern(&mut self, elements: Vec<Element>) -> SetId {
        let next = self.sets.len();
        let id = *self.set_ids.entry(elements.clone()).or_insert(next);
        if id == next {
            self.sets.push(elements);
        }
        id
    }

    /// The set of elements, with what is promised in a place among their insertable letters.
    fn with_promise(
        &mut self,
        set: SetId,
        place: Option<Place>,
        meter: &mut Meter<'_>,
    ) -> Result<SetId, Reason> {
        let Some(place) = place else { return Ok(set) };
        let Some(promise) = self.promises.get(&place) else { return Ok(set) };
        if let Some(known) = self.promised.get(&(set, place)) {
            return Ok(*known);
        }
        let mut elements = self.sets.get(set).cloned().unwrap_or_default();
        for element in &mut elements {
            meter.work(1 + element.loops.len() + promise.len())?;
            element.loops.extend(promise);
            element.loops.sort_unstable();
            element.loops.dedup();
        }
        meter.entry()?;
        let with = self.intern(elements);
        self.promised.insert((set, place), with);
        Ok(with)
    }

    /// Whether each insertable letter of each element is one at a state from which its state is
    /// reached.
    fn is_possible(&mut self, set: SetId, meter: &mut Meter<'_>) -> Result<bool, Reason> {
        if self.promises.is_empty() || !self.stand_ins.is_empty() {
            return Ok(true);
        }
        if let Some(known) = self.possible.get(&set) {
            return Ok(*known);
        }
        let mut possible = true;
        for element in self.sets.get(set).into_iter().flatten() {
            meter.work(1 + element.loops.len())?;
            let passed = self.passed.get(&element.state);
            possible &= element.loops.iter().all(|l| passed.is_some_and(|p| p.contains(l)));
        }
        meter.entry()?;
        self.possible.insert(set, possible);
        Ok(possible)
    }

    /// The empty run is covered.
    fn check_start(
        &mut self,
        initial: GlobalId,
        names: &Names<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Rejection> {
        let element = Element::initial(initial, self.automaton);
        let (counters, serial) = (self.numbers.intern(Vec::new()), self.intern(vec![element]));
        let start = Triple { global: initial, counters, serial };
        let at = || "invariant".to_owned();
        if self.covered(&start, None, None, meter).at(at)? {
            return Ok(());
        }
        let global = names.system().global_name(initial);
        Err(Reason::StartNotCovered { global }.at(at()))
    }

    /// If everybody may have responded, an element has no debts and nothing that waits.
    fn check_explained(&self, triple: &Triple) -> Result<(), Reason> {
        let complete = self.numbers.get(triple.counters).iter().all(|(_, c)| c.least == 0);
        let mut elements = self.sets.get(triple.serial).into_iter().flatten();
        let settled = |element: &Element| element.debts.is_empty() && element.waiting.is_none();
        if complete && !elements.any(settled) {
            return Err(Reason::Unexplained);
        }
        Ok(())
    }

    /// Whether the successor of a triple by a transition is covered; none if there is none.
    fn successor_covered(
        &mut self,
        triple: &Triple,
        t: &Transition,
        letter: Option<Letter>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<bool>, Reason> {
        let Some(ways) = self.numbers.after(triple.counters, t.take, t.put(), meter)? else {
            return Ok(None);
        };
        let serial = self.with_promise(triple.serial, t.take, meter)?;
        if !self.is_possible(serial, meter)? {
            return Ok(None);
        }
        for way in ways.iter() {
            let mut all = true;
            for counters in way {
                let next = Triple { global: t.after, counters: *counters, serial };
                all = all && self.covered(&next, letter, t.put(), meter)?;
            }
            if all {
                return Ok(Some(true));
            }
        }
        Ok(Some(false))
    }

    /// Whether one triple covers whatever has the global state and the numbers of `next` and
    /// whose word is a word that justifies the elements of `next`, followed by `letter`, and keeps
    /// what is promised in the place `put`.
    fn covered(
        &mut self,
        next: &Triple,
        letter: Option<Letter>,
        put: Option<Place>,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Reason> {
        let key = (next.global, next.counters);
        let likely = self.by_counters.get(&key).map_or(0, Vec::len);
        let all = self.by_global.get(&next.global).map_or(0, Vec::len);
        for at in 0..likely + all {
            let candidate = match at.checked_sub(likely) {
                None => self.by_counters.get(&key).and_then(|list| list.get(at)),
                Some(at) => self.by_global.get(&next.global).and_then(|list| list.get(at)),
            };
            let Some(Triple { counters, serial, .. }) =
                candidate.and_then(|i| self.triples.get(*i)).copied()
            else {
                continue;
            };
            meter.work(1)?;
            if !self.numbers.within(next.counters, counters, meter)? {
                continue;
            }
            let key = (next.serial, letter, self.with_promise(serial, put, meter)?);
            let follows = match self.follows.get(&key) {
                Some(known) => *known,
                None => {
                    meter.entry()?;
                    let answer = follows(self.automaton, &self.stand_ins, &self.sets, key, meter)?;
                    self.follows.insert(key, answer);
                    answer
                }
            };
            if follows {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether every element of the second set, or one that stands in for it, follows from an element
/// of the first.
fn follows(
    automaton: &SerialAutomaton,
    stand_ins: &StandIns,
    sets: &[Vec<Element>],
    (from, letter, to): (SetId, Option<Letter>, SetId),
    meter: &mut Meter<'_>,
) -> Result<bool, Reason> {
    let (Some(from), Some(to)) = (sets.get(from), sets.get(to)) else {
        return Ok(false);
    };
    for target in to {
        let mut found = false;
        for (state, needs) in stand_ins.instead_of(target.state) {
            let mut target = Element { state, ..target.clone() };
            if !needs.is_empty() {
                target.loops.extend(needs);
                target.loops.sort_unstable();
            }
            for source in from {
                let sizes = target.loops.len() + source.debts.len();
                meter.work(1 + sizes)?;
                if let Some(b) = source.waiting {
                    let ways = [Some(b), letter].into_iter().flatten();
                    let between = ways.map(|l| automaton.targets(source.state, l).count()).sum();
                    meter.work(between)?;
                }
                found = found || explain::step(automaton, source, letter, &target);
            }
            if found {
                break;
            }
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The different numbers of requests in flight, and what is known of them.
#[derive(Clone, Default)]
struct Numbers {
    list: Vec<Counters>,
    ids: FxHashMap<Counters, CountersId>,
    /// Whether the first are allowed by the second.
    within: FxHashMap<(CountersId, CountersId), bool>,
    /// The numbers after a request has been taken and put.
    after: FxHashMap<Change, Option<Rc<[Way]>>>,
}

/// From these numbers, a request is taken from one place and put into another.
type Change = (CountersId, Option<Place>, Option<Place>);

/// Numbers that together are all there may be.
type Way = Vec<CountersId>;

impl Numbers {
    fn intern(&mut self, counters: Counters) -> CountersId {
        let next = self.list.len();
        let id = *self.ids.entry(counters.clone()).or_insert(next);
        if id == next {
            self.list.push(counters);
        }
        id
    }

    fn get(&self, id: CountersId) -> &Counters {
        const NOBODY: &Counters = &Vec::new();
        self.list.get(id).unwrap_or(NOBODY)
    }

    /// Whether the numbers of `inner` are allowed by `outer` in every place.
    fn within(
        &mut self,
        inner: CountersId,
        outer: CountersId,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Reason> {
        if inner == outer {
            return Ok(true);
        }
        if let Some(known) = self.within.get(&(inner, outer)) {
            return Ok(*known);
        }
        let (a, b) = (self.get(inner), self.get(outer));
        meter.work(1 + a.len() + b.len())?;
        meter.entry()?;
        let answer = counters_within(a, b);
        self.within.insert((inner, outer), answer);
        Ok(answer)
    }

    /// The numbers after a request has been taken from one place and put into another, in each of
    /// the ways to tell them; none if nobody is there to be taken.
    fn after(
        &mut self,
        before: CountersId,
        take: Option<Place>,
        put: Option<Place>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Rc<[Way]>>, Reason> {
        let key = (before, take, put);
        if let Some(known) = self.after.get(&key) {
            return Ok(known.clone());
        }
        let before = self.get(before).clone();
        meter.entry()?;
        meter.work(1 + before.len())?;
        // What is left at the place that is taken from: all of it, or in two parts. Parts first,
        // because that is how a counter with a cap goes down.
        let ways = match take {
            None => Some(vec![vec![before]]),
            Some(place) => number(&before, place).take().map(|left| {
                let with = |left: Counter| {
                    let mut counters = before.clone();
                    set(&mut counters, place, left);
                    counters
                };
                let parts = left.split().map(|parts| parts.map(with).to_vec());
                parts.into_iter().chain([vec![with(left)]]).collect()
            }),
        };
        let mut found: Option<Vec<Way>> = None;
        for way in ways.into_iter().flatten() {
            let mut ids = Vec::new();
            for mut counters in way {
                if let Some(place) = put {
                    let more = number(&counters, place).put();
                    set(&mut counters, place, more.ok_or(Reason::Overflow)?);
                }
                ids.push(self.intern(counters));
            }
            found.get_or_insert_default().push(ids);
        }
        let found: Option<Rc<[Way]>> = found.map(Rc::from);
        self.after.insert(key, found.clone());
        Ok(found)
    }
}

/// How many requests are in flight in a place.
fn number(counters: &Counters, place: Place) -> Counter {
    let found = counters.binary_search_by_key(&place, |(p, _)| *p);
    let entry = found.ok().and_then(|i| counters.get(i));
    entry.map_or(Counter::ZERO, |(_, counter)| *counter)
}

/// Changes how many requests are in flight in a place.
fn set(counters: &mut Counters, place: Place, counter: Counter) {
    counters.retain(|(p, _)| *p != place);
    if counter != Counter::ZERO {
        let at = counters.partition_point(|(p, _)| *p < place);
        counters.insert(at, (place, counter));
    }
}

/// Whether the numbers of `inner` are allowed by `outer` in every place.
fn counters_within(inner: &Counters, outer: &Counters) -> bool {
    inner.iter().all(|(p, c)| c.within(number(outer, *p)))
        && outer.iter().all(|(p, c)| number(inner, *p).within(*c))
}

/// Promises: places of the net, each once.
fn resolve_promises(
    list: &[format::Promise],
    places: &[Place],
    names: &Names<'_>,
) -> Result<FxHashMap<Place, Vec<Letter>>, Rejection> {
    let mut promises = FxHashMap::default();
    for (i, promise) in list.iter().enumerate() {
        let at = || format!("promises[{i}]");
        let place = names.place(&promise.request, &promise.local).at(at)?;
        if places.binary_search(&place).is_err() {
            return Err(Reason::NotAPlace { place: names.show_place(place) }.at(at()));
        }
        let loops = names.letters(&promise.loops, &format!("{}.loops", at()))?;
        if promises.insert(place, loops).is_some() {
            return Err(Reason::Repeated { what: names.show_place(place) }.at(at()));
        }
    }
    Ok(promises)
}

/// The numbers of a triple: places of the net, each once.
fn resolve_counters(
    list: &[format::InFlight],
    places: &[Place],
    names: &Names<'_>,
    at: &str,
) -> Result<Counters, Rejection> {
    let mut counters = Counters::new();
    for (i, entry) in list.iter().enumerate() {
        let at = || format!("{at}.in_flight[{i}]");
        let place = names.place(&entry.request, &entry.local).at(at)?;
        let shown = || names.show_place(place);
        if places.binary_search(&place).is_err() {
            return Err(Reason::NotAPlace { place: shown() }.at(at()));
        }
        let counter = Counter { least: entry.count, period: entry.period };
        counters.push((place, counter));
    }
    counters.sort_by_key(|(place, _)| *place);
    for pair in counters.windows(2) {
        if let [(first, _), (second, _)] = pair
            && first == second
        {
            let what = names.show_place(*first);
            return Err(Reason::Repeated { what }.at(format!("{at}.in_flight")));
        }
    }
    counters.retain(|(_, counter)| *counter != Counter::ZERO);
    Ok(counters)
}

/// The elements of a triple.
fn resolve_elements(
    list: &[format::SerialElement],
    names: &Names<'_>,
    at: &str,
) -> Result<Vec<Element>, Rejection> {
    let mut elements = Vec::new();
    for (i, element) in list.iter().enumerate() {
        let at = format!("{at}.serial[{i}]");
        elements.push(Element {
            state: names.global(&element.global).at(|| at.clone())?,
            loops: names.letters(&element.loops, &format!("{at}.loops"))?,
            debts: names.letters(&element.debts, &format!("{at}.debts"))?,
            waiting: match &element.waiting {
                None => None,
                Some(format::LetterName(request, response)) => {
                    Some(names.letter(request, response).at(|| format!("{at}.waiting"))?)
                }
            },
        });
    }
    Ok(elements)
}
