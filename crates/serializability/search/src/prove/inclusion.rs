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
//! A request commits with its last step (END), as soon as its response is determined (DET), or, in a
//! net with foresight, as soon as it has its effect. None of these is best.
//!
//! The argument is checked by `ser-serializability-checker`, which states the theorem. Here it only
//! has to be found.

use super::counters::{Caps, Counters};
use super::serial_words::{Element, Letters, Rules, SerialWords, shared};
use rustc_hash::FxHashSet;
use ser_base::{Limits, Pace, Stop};
use ser_net::{Effect, Net, Outcome, Place, PlaceId, Transition};
use std::collections::VecDeque;

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

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// How it was found.
    pub attempt: Attempt,
    /// Places whose requests are committed to a response.
    pub labels: Vec<(PlaceId, Outcome)>,
    /// Self-loops of every explanation while a place is occupied.
    pub promises: Vec<(PlaceId, Vec<Outcome>)>,
    pub triples: Vec<Triple>,
    /// The serial automaton, which explanations refer to.
    pub(super) words: SerialWords,
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

/// What a move does besides going to another global state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Step {
    takes: Option<u32>,
    reads: Option<u32>,
    gives: Option<u32>,
}

struct Node {
    global: u32,
    counters: Counters,
    elements: Vec<Element>,
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
    loop {
        let mut search = Search {
            words,
            caps: &caps,
            rules,
            join: attempt.join,
            makes_promises: attempt.promises,
            promises: promises.clone(),
            occupied: occupied.clone(),
            nodes: Vec::new(),
            at: vec![Vec::new(); net.global_count],
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
                search.keep_what_is_needed()?;
                let labelled = labels.iter().enumerate();
                let labels = labelled.filter_map(|(i, l)| Some((PlaceId(i as u32), (*l)?)));
                let kept = (0..).map(PlaceId).zip(&promises).zip(&occupied);
                let kept = kept.filter(|((_, letters), o)| **o && **letters != 0).map(|(it, _)| it);
                let kept = kept.map(|(place, letters)| (place, words.outcomes(*letters)));
                let (labels, promises) = (labels.collect(), kept.collect());
                let (triples, words) = (search.triples()?, words.clone());
                return Ok(Invariant { attempt, labels, promises, triples, words });
            }
            Err(Trouble::Failure(failure)) => return Err(failure),
            Err(Trouble::Unexplained(doubtful)) => {
                let mut finer = false;
                for place in doubtful {
                    let cap = &mut caps.caps[place as usize];
                    finer |= *cap < attempt.cap;
                    *cap = attempt.cap.min(*cap + 1);
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

struct Search<'a> {
    words: &'a SerialWords,
    caps: &'a Caps,
    rules: Rules,
    join: bool,
    makes_promises: bool,
    /// For each place, self-loops of every explanation while it is occupied.
    promises: Vec<Letters>,
    /// Places that may be occupied from the start, if they make promises: then there is no need to
    /// know who is where.
    occupied: Vec<bool>,
    nodes: Vec<Node>,
    /// Nodes whose moves have to be looked at.
    open: VecDeque<u32>,
    /// The nodes of each global state.
    at: Vec<Vec<u32>>,
    /// From a node, by a move, to the node that covers what follows.
    edges: Vec<(u32, Step, u32)>,
    pace: Pace<'a>,
}

impl Search<'_> {
    fn run(&mut self, net: &Net, moves: &[Vec<Move>], max_triples: usize) -> Result<(), Trouble> {
        let start = vec![self.words.start(net.initial.0)];
        let mut counters = Counters::default();
        for place in (0..).zip(&self.occupied).filter(|(_, o)| **o).map(|(p, _)| p) {
            counters.admit(place, self.caps);
        }
        self.add(net.initial.0, counters, start, None)?;
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
        let mut targets: smallvec::SmallVec<[Counters; 2]> = match m.takes {
            None => smallvec::SmallVec::from_iter([self.nodes[node].counters.clone()]),
            Some(place) => self.nodes[node].counters.remove(place, self.caps),
        };
        // Explanations are compared with each other, and with those of known triples.
        let explanations = self.nodes[node].elements.len();
        let known = self.at[m.after as usize].len();
        self.pace.steps(16 + explanations * (explanations + known))?;
        if targets.is_empty() {
            return Ok(());
        }
        let step = Step { takes: m.takes, reads: m.reads, gives: m.gives };
        let mut elements = self.nodes[node].elements.clone();
        let relied = self.promised(m.takes);
        elements.iter_mut().for_each(|e| e.rely_on(relied));
        // Nobody is in a place that promises what cannot be.
        if relied != 0 && !elements.iter().all(|e| self.words.is_possible(e)) {
            return Ok(());
        }
        if let Some(letter) = m.reads {
            elements = self.words.read_all(&elements, letter, self.rules);
        }
        self.promise(m.gives, &mut elements);
        for counters in &mut targets {
            // Whoever comes to a place that was not known to be occupied stays out of sight: it will
            // be known the next time.
            if let Some(place) = m.gives
                && (!self.makes_promises || self.caps.cap(place) > 0)
            {
                counters.add(place, self.caps);
            }
        }
        for counters in targets {
            let to = self.add(m.after, counters, elements.clone(), Some((node as u32, m.takes)))?;
            self.edges.push((node as u32, step, to));
        }
        Ok(())
    }

    /// What is promised in a place.
    fn promised(&self, place: Option<u32>) -> Letters {
        place.map_or(0, |p| self.promises[p as usize])
    }

    /// Keeps the explanations that have what is promised in a place. If none has all of it, less is
    /// promised from now on.
    fn promise(&mut self, place: Option<u32>, elements: &mut Vec<Element>) {
        let Some(place) = place.map(|p| p as usize).filter(|_| self.makes_promises) else { return };
        self.occupied[place] = true;
        let promise = &mut self.promises[place];
        // What is open has to be paid for, too.
        let most = elements.iter().max_by_key(|e| {
            ((e.loops & *promise).count_ones(), e.is_settled(), std::cmp::Reverse(**e))
        });
        if let Some(most) = most {
            *promise &= most.loops;
            elements.retain(|e| *promise & !e.loops == 0);
        }
    }

    /// The node that covers this triple; a new one if there is none.
    fn add(
        &mut self,
        global: u32,
        counters: Counters,
        elements: Vec<Element>,
        from: Option<(u32, Option<u32>)>,
    ) -> Result<u32, Trouble> {
        for &known in &self.at[global as usize] {
            let node = &self.nodes[known as usize];
            if counters.is_within(&node.counters)
                && node.elements.iter().all(|weak| elements.iter().any(|e| e.covers(weak)))
            {
                return Ok(known);
            }
        }
        if counters.may_be_empty() && !elements.iter().any(Element::is_settled) {
            return Err(Trouble::Unexplained(self.doubtful(&counters, from)));
        }
        if self.join
            && let Some(known) = self.joined(global, &counters, &elements)
        {
            return Ok(known);
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { global, counters, elements, from, is_open: true });
        self.at[global as usize].push(id);
        self.open.push_back(id);
        Ok(id)
    }

    /// Joins a triple with a known one that has the same counters, if what they share is enough.
    fn joined(&mut self, global: u32, counters: &Counters, elements: &[Element]) -> Option<u32> {
        let known = self.at[global as usize].iter().copied();
        for known in known {
            let node = &mut self.nodes[known as usize];
            if node.counters != *counters {
                continue;
            }
            let shared = shared(&node.elements, elements, self.rules.max_elements);
            let enough = if counters.may_be_empty() {
                shared.iter().any(Element::is_settled)
            } else {
                !shared.is_empty()
            };
            if enough {
                node.elements = shared;
                if !std::mem::replace(&mut node.is_open, true) {
                    self.open.push_back(known);
                }
                return Some(known);
            }
        }
        None
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
    /// every explanation that is kept needs one that it follows from.
    fn keep_what_is_needed(&mut self) -> Result<(), Stop> {
        let mut needed: Vec<Vec<bool>> =
            self.nodes.iter().map(|n| vec![false; n.elements.len()]).collect();
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        self.edges.sort_unstable();
        self.edges.dedup();
        for (i, (_, _, to)) in self.edges.iter().enumerate() {
            into[*to as usize].push(i);
        }
        let mut open: Vec<(u32, usize)> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            if node.counters.may_be_empty()
                && let Some(at) = node.elements.iter().position(Element::is_settled)
            {
                needed[i][at] = true;
                open.push((i as u32, at));
            }
        }
        while let Some((node, at)) = open.pop() {
            let target = self.nodes[node as usize].elements[at];
            for edge in &into[node as usize] {
                let (from, step, _) = self.edges[*edge];
                let elements = &self.nodes[from as usize].elements;
                self.pace.steps(4 * elements.len())?;
                let (relied, promised) = (self.promised(step.takes), self.promised(step.gives));
                let mut target = target;
                target.rely_on(promised);
                let mut sources = (0..elements.len()).filter(|i| {
                    let mut source = elements[*i];
                    source.rely_on(relied);
                    self.words.derives(&source, step.reads, &target)
                });
                let Some(first) = sources.next() else { continue };
                let kept =
                    needed[from as usize][first] || sources.any(|i| needed[from as usize][i]);
                if !kept {
                    needed[from as usize][first] = true;
                    open.push((from, first));
                }
            }
        }
        for (node, needed) in self.nodes.iter_mut().zip(needed) {
            let mut keep = needed.into_iter();
            node.elements.retain(|_| keep.next().unwrap_or(false));
        }
        Ok(())
    }

    fn triples(&mut self) -> Result<Vec<Triple>, Stop> {
        let letters = |set| self.words.outcomes(set);
        let triples: Vec<Triple> = self
            .nodes
            .iter()
            .map(|node| Triple {
                global: node.global,
                in_flight: node
                    .counters
                    .0
                    .iter()
                    .map(|(p, c)| (PlaceId(*p), c.least, c.period))
                    .collect(),
                serial: node
                    .elements
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
