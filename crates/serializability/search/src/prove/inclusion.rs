//! Inclusion: a finite argument that every interleaved outcome is serial.
//!
//! Read the responses in the order in which requests *commit*, and show that whatever has been read
//! can always be explained serially. Triples (global state, counters, explanations) are explored
//! from the start; counters are capped ([`super::counters`]), explanations are elements of
//! [`super::serial_words`]. If every triple in which nobody is in flight has an explanation without
//! open debts, the program is serializable. A triple is not explored if an earlier one covers it:
//! the same global state, more markings, and no explanation that it does not have.
//!
//! Counting starts coarse: any number of requests may be anywhere. When some responses cannot be
//! explained, the places on the way there are counted further, up to the cap of the attempt, and
//! the exploration starts again. Most places never need to be counted, and the invariant stays
//! small.
//!
//! Many requests in flight may each have seen something else, and the combinations are too many to
//! list. Then every place makes a *promise*: letters that are self-loops of every explanation as
//! long as the place is occupied. Whoever comes to the place has to find them there, and whoever
//! leaves it can rely on them. Places promise everything at first, and less when somebody comes
//! without.
//!
//! A request commits with its last step (END), as soon as its response is determined (DET), or, in
//! a net with foresight, as soon as it has its effect. None of these is best.
//!
//! The argument is checked by `ser-serializability-checker`, which states the theorem. Here it only
//! has to be found.

use super::counters::{Caps, Counters};
use super::interned::Interned;
use super::serial_words::{Element, Letters, Rules, SerialWords};
use super::stand_ins::{Pair, StandIns};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Pace, Stop};
use ser_net::{Effect, Net, Outcome, Place, PlaceId, Transition};
use std::collections::VecDeque;
use std::collections::hash_map::Entry;

/// When a request commits to its response.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Commit {
    /// With its last step.
    End,
    /// As soon as its response is determined.
    Determined,
    /// With the first step that does what the request does if it runs alone: see
    /// [`ser_net::Foresight`].
    Foreseen,
}

/// One way to look for an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// When requests commit.
    pub commit: Commit,
    /// Counters may be exact below this.
    pub cap: u32,
    /// From the cap on, counters are known up to this.
    pub period: u32,
    /// Whether one letter may wait for an edge of its own.
    pub waiting: bool,
    /// Whether triples that differ in their explanations only become one with what they share.
    pub join: bool,
    /// Whether places make promises.
    pub promises: bool,
    /// Whether states of the serial runs stand in for others.
    pub stand_ins: bool,
    /// The most triples.
    pub max_triples: usize,
}

/// A part of the invariant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Triple {
    /// The global state.
    pub global: u32,
    /// Requests in flight: place, least number, period (0 if exact).
    pub in_flight: Vec<(PlaceId, u32, u32)>,
    pub serial: Vec<Explanation>,
}

/// A serial explanation of what has been read.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Explanation {
    /// Where the serial run ends.
    pub global: u32,
    /// Letters that are self-loops on the run.
    pub loops: Vec<Outcome>,
    /// Letters that still need a self-loop.
    pub debts: Vec<Outcome>,
    /// A letter that still needs an edge.
    pub waiting: Option<Outcome>,
}

/// Given these self-loops, whatever a serial run can do in a state it can do in another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StandIn {
    /// The one that can do more.
    pub global: u32,
    pub instead_of: u32,
    pub loops: Vec<Outcome>,
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// How it was found.
    pub attempt: Attempt,
    /// Places whose requests are committed to a response.
    pub labels: Vec<(PlaceId, Outcome)>,
    /// Self-loops of every explanation while a place is occupied.
    pub promises: Vec<(PlaceId, Vec<Outcome>)>,
    /// States of the serial runs that stand in for others.
    pub stand_ins: Vec<StandIn>,
    pub triples: Vec<Triple>,
    /// The serial automaton, which explanations refer to.
    pub(super) words: Box<SerialWords>,
}

/// Why an attempt failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Some responses could not be explained; with counters as coarse as these, that means nothing.
    Unexplained,
    TooManyTriples,
    Limit(Stop),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Limit(stop)
    }
}

/// The places whose response is determined, with it.
fn determined(net: &Net, pace: &mut Pace<'_>) -> Result<Vec<Option<Outcome>>, Stop> {
    // Nothing known, exactly one response, or several.
    #[derive(Clone, Copy, PartialEq)]
    enum Found {
        Nothing,
        One(Outcome),
        Several,
    }
    let join = |a: Found, b: Found| match (a, b) {
        (Found::Nothing, x) | (x, Found::Nothing) => x,
        (Found::One(a), Found::One(b)) if a == b => Found::One(a),
        _ => Found::Several,
    };
    let mut found = vec![Found::Nothing; net.places.len()];
    let mut settle = |found: &mut Vec<Found>| -> Result<(), Stop> {
        let mut changed = true;
        while changed {
            changed = false;
            for t in &net.transitions {
                pace.steps(1)?;
                let Some(p) = t.takes else { continue };
                let more = match t.effect {
                    Effect::Respond(outcome) => Found::One(outcome),
                    Effect::InFlight(q) => found[q.index()],
                };
                let now = join(found[p.index()], more);
                changed |= now != found[p.index()];
                found[p.index()] = now;
            }
        }
        Ok(())
    };
    settle(&mut found)?;
    // A place that never responds keeps no promise. (Slicing leaves no such place.)
    for f in found.iter_mut().filter(|f| **f == Found::Nothing) {
        *f = Found::Several;
    }
    settle(&mut found)?;
    let one = |f: Found| if let Found::One(outcome) = f { Some(outcome) } else { None };
    Ok(found.into_iter().map(one).collect())
}

/// The letter that is read when a transition fires: its request commits to this response.
pub(super) fn read_by(t: &Transition, labels: &[Option<Outcome>]) -> Option<Outcome> {
    if t.takes.is_some_and(|p| labels[p.index()].is_some()) {
        return None;
    }
    match t.effect {
        Effect::Respond(outcome) => Some(outcome),
        Effect::InFlight(p) => labels[p.index()],
    }
}

/// A transition with the letter that is read when it fires.
struct Move {
    takes: Option<u32>,
    after: u32,
    gives: Option<u32>,
    reads: Option<u32>,
}

/// Counters, by their numbers, that together are all there may be.
type Targets = smallvec::SmallVec<[u32; 2]>;

/// What a move does besides going to another global state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Step {
    takes: Option<u32>,
    reads: Option<u32>,
    gives: Option<u32>,
}

struct Node {
    global: u32,
    /// By their number.
    counters: u32,
    /// Its explanations, by their number.
    elements: u32,
    /// The node from which it was found first, and the place that the move took from.
    from: Option<(u32, Option<u32>)>,
    /// Whether its moves have to be looked at (again).
    is_open: bool,
}

/// The most letters of one explanation that still need a self-loop.
const MAX_DEBTS: u32 = 3;

/// Looks for an invariant in one way.
pub(crate) fn prove_inclusion(
    net: &Net,
    words: &SerialWords,
    attempt: Attempt,
    debts: bool,
    limits: &Limits,
) -> Result<Invariant, Failure> {
    let labels = match attempt.commit {
        Commit::End => vec![None; net.places.len()],
        Commit::Determined => determined(net, &mut limits.pace())?,
        Commit::Foreseen => net.places.iter().map(Place::commitment).collect(),
    };
    let mut moves: Vec<Vec<Move>> = Vec::new();
    moves.resize_with(net.global_count, Vec::new);
    for t in &net.transitions {
        moves[t.before.index()].push(Move {
            takes: t.takes.map(|p| p.0),
            after: t.after.0,
            gives: t.gives().map(|p| p.0),
            reads: read_by(t, &labels).map(|o| words.letter(o)),
        });
    }
    let max_debts = if debts { MAX_DEBTS } else { 0 };
    let rules = Rules { max_debts, waiting: attempt.waiting, max_elements: 64 };
    let mut caps = Caps { caps: vec![0; net.places.len()], period: attempt.period };
    let everything = if attempt.promises { Letters::MAX } else { 0 };
    let mut promises = vec![everything; net.places.len()];
    let mut occupied = vec![false; net.places.len()];
    let mut stand_ins = StandIns::new(words, attempt.stand_ins);
    loop {
        let mut search = Search {
            words,
            stand_ins: &mut stand_ins,
            caps: &caps,
            rules,
            join: attempt.join,
            makes_promises: attempt.promises,
            promises: promises.clone(),
            occupied: occupied.clone(),
            counters: Interned::new(),
            moved: FxHashMap::default(),
            sets: Interned::new(),
            read: FxHashMap::default(),
            kept: FxHashMap::default(),
            shared: FxHashMap::default(),
            nodes: Vec::new(),
            joins: 0,
            at: vec![Vec::new(); net.global_count],
            exact: FxHashMap::default(),
            open: VecDeque::new(),
            edges: Vec::new(),
            pace: limits.pace(),
        };
        match search.run(net, &moves, attempt.max_triples) {
            // What was promised too much has been relied on.
            Ok(())
                if attempt.promises
                    && (&search.promises, &search.occupied) != (&promises, &occupied) =>
            {
                (promises, occupied) = (search.promises, search.occupied);
            }
            Ok(()) => {
                let pairs = search.keep_what_is_needed()?;
                let pairs = search.stand_ins.closed(pairs, limits)?.into_iter();
                let stand_ins = pairs.map(|((global, instead_of), needs)| StandIn {
                    global,
                    instead_of,
                    loops: words.outcomes(needs),
                });
                let stand_ins = stand_ins.collect();
                let labelled = labels.iter().enumerate();
                let labels = labelled.filter_map(|(i, l)| Some((PlaceId(i as u32), (*l)?)));
                let kept = (0..).map(PlaceId).zip(&promises).zip(&occupied);
                let kept = kept.filter(|((_, letters), o)| **o && **letters != 0).map(|(it, _)| it);
                let kept = kept.map(|(place, letters)| (place, words.outcomes(*letters)));
                let (labels, promises) = (labels.collect(), kept.collect());
                let (triples, words) = (search.triples()?, Box::new(words.clone()));
                return Ok(Invariant { attempt, labels, promises, stand_ins, triples, words });
            }
            Err(Trouble::Failure(failure)) => return Err(failure),
            Err(Trouble::Unexplained(doubtful)) => {
                let mut finer = false;
                for place in doubtful {
                    let cap = &mut caps.caps[place as usize];
                    finer |= *cap < attempt.cap;
                    *cap = attempt.cap.min(*cap + (*cap / 4).max(1));
                }
                if !finer {
                    return Err(Failure::Unexplained);
                }
                promises.fill(everything);
            }
        }
    }
}

/// Why one exploration ended without an invariant.
enum Trouble {
    /// Some responses could not be explained; these places might be counted further.
    Unexplained(Vec<u32>),
    Failure(Failure),
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Trouble {
        Trouble::Failure(Failure::Limit(stop))
    }
}

struct Search<'a, 'w> {
    words: &'a SerialWords,
    stand_ins: &'a mut StandIns<'w>,
    caps: &'a Caps,
    rules: Rules,
    join: bool,
    makes_promises: bool,
    /// For each place, self-loops of every explanation while it is occupied.
    promises: Vec<Letters>,
    /// Places that may be occupied from the start, if they make promises: then there is no need to
    /// know who is where.
    occupied: Vec<bool>,
    counters: Interned<Counters>,
    /// What counters become when a request moves from one place to another.
    moved: FxHashMap<(u32, Option<u32>, Option<u32>), Targets>,
    sets: Interned<Vec<Element>>,
    /// The explanations after a letter has been read, relying on these self-loops; none if that
    /// cannot be.
    read: FxHashMap<(u32, Letters, Option<u32>), Option<u32>>,
    /// The explanations that have as much as possible of a promise, and what is left of it.
    kept: FxHashMap<(u32, Letters), (u32, Letters)>,
    /// What two sets of explanations have in common.
    shared: FxHashMap<(u32, u32), u32>,
    nodes: Vec<Node>,
    /// How often triples have become one.
    joins: usize,
    /// Nodes whose moves have to be looked at.
    open: VecDeque<u32>,
    /// The nodes of each global state.
    at: Vec<Vec<u32>>,
    /// The node with this global state, these counters and these explanations.
    exact: FxHashMap<(u32, u32, u32), u32>,
    /// From a node, by a move, to the node that covers what follows.
    edges: Vec<(u32, Step, u32)>,
    pace: Pace<'a>,
}

impl Search<'_, '_> {
    fn run(&mut self, net: &Net, moves: &[Vec<Move>], max_triples: usize) -> Result<(), Trouble> {
        let start = vec![self.words.start(net.initial.0)];
        let mut counters = Counters::default();
        for place in (0..).zip(&self.occupied).filter(|(_, o)| **o).map(|(p, _)| p) {
            counters.admit(place, self.caps);
        }
        let (counters, start) = (self.counters.number(counters), self.sets.number(start));
        self.add(net.initial.0, counters, start, None)?;
        self.explore(moves, max_triples)?;
        // A state may stand in for a second one and that for a third, but here each pair is judged
        // by itself. So look again, until every step leads into a triple that covers it directly.
        while self.stand_ins.is_used() {
            let before = (self.nodes.len(), self.joins);
            self.edges.clear();
            for (i, node) in self.nodes.iter_mut().enumerate() {
                node.is_open = true;
                self.open.push_back(i as u32);
            }
            self.explore(moves, max_triples)?;
            if (self.nodes.len(), self.joins) == before {
                break;
            }
        }
        Ok(())
    }

    fn explore(&mut self, moves: &[Vec<Move>], max_triples: usize) -> Result<(), Trouble> {
        let mut rounds = 0usize;
        while let Some(node) = self.open.pop_front() {
            if self.nodes.len() > max_triples || rounds > 20 * max_triples {
                return Err(Trouble::Failure(Failure::TooManyTriples));
            }
            rounds += 1;
            self.nodes[node as usize].is_open = false;
            for m in &moves[self.nodes[node as usize].global as usize] {
                self.fire(node as usize, m)?;
            }
        }
        Ok(())
    }

    fn fire(&mut self, node: usize, m: &Move) -> Result<(), Trouble> {
        let Node { counters, elements, .. } = self.nodes[node];
        self.pace.steps(16)?;
        let targets = self.moved(counters, m)?;
        if targets.is_empty() {
            return Ok(());
        }
        let relied = self.promised(m.takes);
        let Some(elements) = self.read(elements, relied, m.reads)? else { return Ok(()) };
        let elements = self.promise(m.gives, elements);
        let step = Step { takes: m.takes, reads: m.reads, gives: m.gives };
        for counters in targets {
            let to = self.add(m.after, counters, elements, Some((node as u32, m.takes)))?;
            self.edges.push((node as u32, step, to));
        }
        Ok(())
    }

    /// The counters after a request has moved; two possibilities if it was one of many, perhaps.
    fn moved(&mut self, counters: u32, m: &Move) -> Result<Targets, Stop> {
        let key = (counters, m.takes, m.gives);
        if let Some(known) = self.moved.get(&key) {
            return Ok(known.clone());
        }
        let here = self.counters.get(counters);
        self.pace.steps(16 + here.0.len())?;
        let mut targets = match m.takes {
            None => smallvec::SmallVec::from_iter([here.clone()]),
            Some(place) => here.remove(place, self.caps),
        };
        for counters in &mut targets {
            // Whoever comes to a place that was not known to be occupied stays out of sight: it
            // will be known the next time.
            if let Some(place) = m.gives
                && (!self.makes_promises || self.caps.cap(place) > 0)
            {
                counters.add(place, self.caps);
            }
        }
        let targets: Targets = targets.into_iter().map(|c| self.counters.number(c)).collect();
        self.moved.insert(key, targets.clone());
        Ok(targets)
    }

    /// The explanations after a letter has been read (or none), relying on these self-loops; none
    /// if somebody is in a place that promises what cannot be.
    fn read(
        &mut self,
        from: u32,
        relied: Letters,
        letter: Option<u32>,
    ) -> Result<Option<u32>, Stop> {
        if relied == 0 && letter.is_none() {
            return Ok(Some(from));
        }
        let key = (from, relied, letter);
        if let Some(known) = self.read.get(&key) {
            return Ok(*known);
        }
        let mut elements = self.sets.get(from).clone();
        self.pace.steps(16 + elements.len() * elements.len())?;
        elements.iter_mut().for_each(|e| e.rely_on(relied));
        let relies = relied != 0 && !self.stand_ins.is_used();
        let possible = !relies || elements.iter().all(|e| self.words.is_possible(e));
        let after = possible.then(|| {
            if let Some(letter) = letter {
                elements = self.words.read_all(&elements, letter, self.rules, self.stand_ins);
            }
            self.sets.number(elements)
        });
        self.read.insert(key, after);
        Ok(after)
    }

    /// What is promised in a place.
    fn promised(&self, place: Option<u32>) -> Letters {
        place.map_or(0, |p| self.promises[p as usize])
    }

    /// Keeps the explanations that have what is promised in a place. If none has all of it, less is
    /// promised from now on.
    fn promise(&mut self, place: Option<u32>, set: u32) -> u32 {
        let Some(place) = place.map(|p| p as usize).filter(|_| self.makes_promises) else {
            return set;
        };
        self.occupied[place] = true;
        let mut promise = self.promises[place];
        let key = (set, promise);
        let (kept, promise) = match self.kept.get(&key) {
            Some(known) => *known,
            None => {
                let mut elements = self.sets.get(set).clone();
                // What is open has to be paid for, too.
                let most = elements.iter().max_by_key(|e| {
                    ((e.loops & promise).count_ones(), e.is_settled(), std::cmp::Reverse(**e))
                });
                if let Some(most) = most {
                    promise &= most.loops;
                    elements.retain(|e| promise & !e.loops == 0);
                }
                let kept = (self.sets.number(elements), promise);
                *self.kept.entry(key).or_insert(kept)
            }
        };
        self.promises[place] = promise;
        kept
    }

    /// The node that covers this triple; a new one if there is none.
    fn add(
        &mut self,
        global: u32,
        counters: u32,
        elements: u32,
        from: Option<(u32, Option<u32>)>,
    ) -> Result<u32, Trouble> {
        if let Some(known) = self.exact.get(&(global, counters, elements)) {
            return Ok(*known);
        }
        self.pace.steps(self.at[global as usize].len())?;
        for &known in &self.at[global as usize] {
            let node = &self.nodes[known as usize];
            if self.counters.relate(counters, node.counters, Counters::is_within)
                && self.sets.relate(elements, node.elements, |a, b| self.stand_ins.cover(a, b))
            {
                return Ok(known);
            }
        }
        let here = self.counters.get(counters);
        if here.may_be_empty() && !self.sets.get(elements).iter().any(Element::is_settled) {
            return Err(Trouble::Unexplained(self.doubtful(here, from)));
        }
        if self.join
            && let Some(known) = self.joined(global, counters, elements)?
        {
            return Ok(known);
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { global, counters, elements, from, is_open: true });
        self.at[global as usize].push(id);
        self.exact.insert((global, counters, elements), id);
        self.open.push_back(id);
        Ok(id)
    }

    /// Joins a triple with a known one that has the same counters, if what they share is enough.
    fn joined(&mut self, global: u32, counters: u32, elements: u32) -> Result<Option<u32>, Stop> {
        let may_be_empty = self.counters.get(counters).may_be_empty();
        for i in 0..self.at[global as usize].len() {
            let known = self.at[global as usize][i];
            let node = &self.nodes[known as usize];
            if node.counters != counters {
                continue;
            }
            let key = (node.elements, elements);
            let shared = match self.shared.get(&key) {
                Some(shared) => *shared,
                None => {
                    let (a, b) = (self.sets.get(key.0), self.sets.get(key.1));
                    self.pace.steps(16 + a.len() * b.len())?;
                    let shared = self.stand_ins.shared(a, b, self.rules.max_elements);
                    *self.shared.entry(key).or_insert(self.sets.number(shared))
                }
            };
            let list = self.sets.get(shared);
            let enough = match may_be_empty {
                true => list.iter().any(Element::is_settled),
                false => !list.is_empty(),
            };
            if enough {
                let node = &mut self.nodes[known as usize];
                self.exact.remove(&(global, counters, node.elements));
                node.elements = shared;
                self.joins += 1;
                self.exact.insert((global, counters, shared), known);
                if !std::mem::replace(&mut node.is_open, true) {
                    self.open.push_back(known);
                }
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// The places that were taken from on the way to these counters, or may be occupied there.
    fn doubtful(&self, counters: &Counters, from: Option<(u32, Option<u32>)>) -> Vec<u32> {
        let mut places: Vec<u32> = counters.doubtful().collect();
        let mut at = from;
        while let Some((node, takes)) = at {
            places.extend(takes);
            at = self.nodes[node as usize].from;
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Drops explanations that nothing rests on: a complete triple needs one that is settled, and
    /// every explanation that is kept needs one that it follows from. The states that stand in for
    /// others.
    fn keep_what_is_needed(&mut self) -> Result<Vec<Pair>, Stop> {
        let sizes = self.nodes.iter().map(|node| self.sets.get(node.elements).len());
        let mut needed: Vec<Vec<bool>> = sizes.map(|size| vec![false; size]).collect();
        self.edges.sort_unstable_by_key(|(from, step, to)| (*to, *from, *step));
        self.edges.dedup();
        let mut open: Vec<(u32, usize)> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            if self.counters.get(node.counters).may_be_empty()
                && let Some(at) = self.sets.get(node.elements).iter().position(Element::is_settled)
            {
                needed[i][at] = true;
                open.push((i as u32, at));
            }
        }
        // The explanations that one follows from.
        let mut sources: FxHashMap<(u32, Step, u32, usize), Vec<usize>> = FxHashMap::default();
        let mut pairs = Vec::new();
        while let Some((node, at)) = open.pop() {
            let to = self.nodes[node as usize].elements;
            let first = self.edges.partition_point(|(.., to)| *to < node);
            let count = self.edges[first..].partition_point(|(.., to)| *to == node);
            for (from, step, _) in &self.edges[first..first + count].to_vec() {
                let set = self.nodes[*from as usize].elements;
                self.pace.steps(4)?;
                let key = (set, *step, to, at);
                let list = match sources.entry(key) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(entry) => {
                        self.pace.steps(4 * self.sets.get(set).len())?;
                        let target = self.sets.get(to)[at];
                        entry.insert(self.sources(*step, set, target, &mut pairs))
                    }
                };
                let needed = &mut needed[*from as usize];
                if let Some(first) = list.first()
                    && !list.iter().any(|i| needed[*i])
                {
                    needed[*first] = true;
                    open.push((*from, *first));
                }
            }
        }
        for (node, needed) in self.nodes.iter_mut().zip(needed) {
            if needed.contains(&false) {
                let mut keep = needed.into_iter();
                let mut elements = self.sets.get(node.elements).clone();
                elements.retain(|_| keep.next().unwrap_or(false));
                node.elements = self.sets.number(elements);
            }
        }
        Ok(pairs)
    }

    /// Which explanations of a set one follows from by a step.
    fn sources(
        &mut self,
        step: Step,
        set: u32,
        mut target: Element,
        pairs: &mut Vec<Pair>,
    ) -> Vec<usize> {
        let relied = self.promised(step.takes);
        target.rely_on(self.promised(step.gives));
        let elements = self.sets.get(set).iter().enumerate();
        let sources = elements.filter(|(_, source)| {
            let mut source = **source;
            source.rely_on(relied);
            self.words.derives(&source, step.reads, |e| {
                let covers = self.stand_ins.covers(e, &target);
                if covers && !e.covers(&target) {
                    pairs.push((e.global, target.global));
                }
                covers
            })
        });
        sources.map(|(i, _)| i).collect()
    }

    fn triples(&mut self) -> Result<Vec<Triple>, Stop> {
        let letters = |set| self.words.outcomes(set);
        let triples: Vec<Triple> = self
            .nodes
            .iter()
            .map(|node| Triple {
                global: node.global,
                in_flight: self
                    .counters
                    .get(node.counters)
                    .0
                    .iter()
                    .map(|(p, c)| (PlaceId(*p), c.least, c.period))
                    .collect(),
                serial: self
                    .sets
                    .get(node.elements)
                    .iter()
                    .map(|e| Explanation {
                        global: e.global,
                        loops: letters(e.loops),
                        debts: letters(e.debts),
                        waiting: self.words.letters.get(e.waiting as usize).copied(),
                    })
                    .collect(),
            })
            .collect();
        let mut seen = FxHashSet::default();
        let mut once = Vec::new();
        for triple in triples {
            self.pace.steps(16)?;
            if seen.insert(triple.clone()) {
                once.push(triple);
            }
        }
        Ok(once)
    }
}
