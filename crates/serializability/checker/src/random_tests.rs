//! Random small systems against brute force: everything that happens with up to three requests,
//! enumerated as naively as possible.

use crate::exclude::exclude;
use crate::format::{
    Certificate, Counterexample, Event, InFlight, Inclusion, Label, LetterName, Move, OutcomeEntry,
    PlaceName, Proof, Reduction, SerialElement, Side, Source, Triple, Verdict,
};
use crate::merge::merge;
use crate::meter::Meter;
use crate::mover::eliminate;
use crate::names::{Letter, Names, Place};
use crate::net::{Effect, Net, Transition, normal_form};
use crate::serial::SerialAutomaton;
use crate::slice::slice;
use crate::stuttering::without_stuttering;
use crate::{Accepted, Rejection, check, read};
use proptest::collection::btree_set;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use ser_base::Limits;
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId, read_json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// So many requests are enumerated.
const MOST: usize = 3;

/// A multiset of letters, sorted.
pub(crate) type Outcome = Vec<Letter>;

/// A step `(local, global, local after, global after)`.
type RawStep = (usize, usize, usize, usize);

/// The JSON text of a system, if it is one. Global state 0 is the initial one.
fn json(
    spawns: &BTreeSet<(usize, usize)>,
    replies: &BTreeSet<(usize, usize)>,
    steps: &BTreeSet<RawStep>,
    uncounted: Option<usize>,
) -> Option<String> {
    let list = |entries: Vec<String>| entries.join(", ");
    let spawn = |(q, l): &(usize, usize)| format!(r#"["q{q}", "l{l}"]"#);
    let reply = |(l, r): &(usize, usize)| format!(r#"["l{l}", "r{r}"]"#);
    let step = |(l, g, m, h): &RawStep| format!(r#"["l{l}", "g{g}", "l{m}", "g{h}"]"#);
    let text = format!(
        r#"{{"initial_global": "g0", "requests": [{}], "responses": [{}], "transitions": [{}],
            "uncounted": [{}]}}"#,
        list(spawns.iter().map(spawn).collect()),
        list(replies.iter().map(reply).collect()),
        list(steps.iter().map(step).collect()),
        list(
            uncounted
                .filter(|r| replies.iter().any(|(_, reply)| reply == r))
                .map(|r| format!(r#""r{r}""#))
                .into_iter()
                .collect()
        )
    );
    read_json(&text).is_ok().then_some(text)
}

/// Mostly all responses count.
fn uncounted() -> impl Strategy<Value = Option<usize>> {
    prop::option::weighted(0.3, 0..2_usize)
}

/// A random system: 2 or 3 global states, 3 or 4 local states, 1 or 2 requests, and any steps
/// and replies between them.
fn wild() -> impl Strategy<Value = String> {
    (2..=3_usize, 3..=4_usize, 1..=2_usize).prop_flat_map(|(globals, locals, requests)| {
        let (g, l) = (move || 0..globals, move || 0..locals);
        (
            btree_set((0..requests, l()), 1..=2),
            btree_set((l(), 0..2_usize), 1..=3),
            btree_set((l(), g(), l(), g()), 2..=12),
            uncounted(),
        )
            .prop_filter_map("not a system", |(spawns, replies, steps, uncounted)| {
                json(&spawns, &replies, &steps, uncounted)
            })
    })
}

/// A random system that is more like a program: requests start in local state 0 (and 1), most
/// pairs of a local and a global state have one step, and two local states only respond.
fn tame() -> impl Strategy<Value = String> {
    let step = || prop::option::weighted(0.8, (0..5_usize, 0..3_usize));
    let extra = btree_set((1..3_usize, 0..2_usize), 0..=1);
    (any::<bool>(), proptest::collection::vec(step(), 9), extra, uncounted()).prop_filter_map(
        "not a system",
        |(two, table, mut replies, uncounted)| {
            replies.extend([(3, 0), (4, 1)]);
            let each = table.iter().zip(0..);
            let steps = each.filter_map(|(to, i)| to.map(|(l, g)| (i / 3, i % 3, l, g)));
            let spawns = if two { vec![(0, 0), (1, 1)] } else { vec![(0, 0)] };
            json(&spawns.into_iter().collect(), &replies, &steps.collect(), uncounted)
        },
    )
}

pub(crate) fn source() -> impl Strategy<Value = String> {
    prop_oneof![1 => wild(), 2 => tame()]
}

/// A request that has arrived: where it stands, or what it has responded.
type Slot = (RequestId, Result<LocalId, ResponseId>);

/// Every configuration without requests in flight that up to `most` requests reach, with a run
/// to it and its outcome. If `serial`, requests arrive only when nobody is in flight.
fn complete_runs(system: &NetworkSystem, most: usize, serial: bool) -> Vec<(Vec<Event>, Outcome)> {
    type Configuration = (GlobalId, Vec<Slot>);
    let start: Configuration = (system.initial_global(), Vec::new());
    let mut seen = BTreeSet::from([start.clone()]);
    let mut nodes: Vec<(Configuration, Option<(usize, Event)>)> = vec![(start, None)];
    let mut next = 0;
    while next < nodes.len() {
        let (global, slots) = nodes[next].0.clone();
        let mut successors: Vec<(Configuration, Event)> = Vec::new();
        if slots.len() < most && !(serial && slots.iter().any(|(_, at)| at.is_ok())) {
            for &(request, local) in system.spawns() {
                let mut more = slots.clone();
                more.push((request, Ok(local)));
                let event = Event::Start {
                    number: more.len() as u64,
                    request: system.request_name(request).into(),
                    local: system.local_name(local).into(),
                };
                successors.push(((global, more), event));
            }
        }
        for (i, (request, at)) in slots.iter().enumerate() {
            let Ok(local) = at else { continue };
            let number = i as u64 + 1;
            let with = |at| {
                let mut changed = slots.clone();
                changed[i] = (*request, at);
                changed
            };
            for step in system.steps() {
                if step.from == *local && step.before == global {
                    let event = Event::Step {
                        number,
                        local: system.local_name(step.to).into(),
                        global: system.global_name(step.after),
                    };
                    successors.push(((step.after, with(Ok(step.to))), event));
                }
            }
            for (l, response) in system.replies() {
                if l == local {
                    let event =
                        Event::Respond { number, response: system.response_name(*response).into() };
                    successors.push(((global, with(Err(*response))), event));
                }
            }
        }
        for (configuration, event) in successors {
            if seen.insert(configuration.clone()) {
                nodes.push((configuration, Some((next, event))));
            }
        }
        next += 1;
    }
    let mut runs = Vec::new();
    for ((_, slots), reached) in &nodes {
        let letter = |(request, at): &Slot| {
            let (request, response) = (*request, at.err()?);
            Some(Letter { request, response })
        };
        let Some(mut outcome) = slots.iter().map(letter).collect::<Option<Outcome>>() else {
            continue;
        };
        outcome.sort();
        let mut run = Vec::new();
        let mut back = reached;
        while let Some((before, event)) = back {
            run.push(event.clone());
            back = &nodes[*before].1;
        }
        run.reverse();
        runs.push((run, outcome));
    }
    runs
}

fn outcomes(system: &NetworkSystem, serial: bool) -> BTreeSet<Outcome> {
    let runs = complete_runs(system, MOST, serial);
    runs.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Whether a serial run has this outcome, or what is left of it without some of the requests that
/// have given up. `serial` are the outcomes of serial runs.
fn is_explained(system: &NetworkSystem, outcome: &Outcome, serial: &BTreeSet<Outcome>) -> bool {
    let mut rests = BTreeSet::from([outcome.clone()]);
    for letter in outcome.iter().filter(|letter| !system.counts(letter.response)) {
        for mut rest in rests.clone() {
            if let Some(at) = rest.iter().position(|l| l == letter) {
                rest.remove(at);
                rests.insert(rest);
            }
        }
    }
    rests.iter().any(|rest| serial.contains(rest))
}

/// Where a run of a net may lead: the global state, who is in flight, and the outcome so far.
pub(crate) type Marking = (GlobalId, Vec<Place>, Outcome);

/// The outcomes of a net with up to `MOST` requests.
pub(crate) fn net_outcomes(net: &Net) -> BTreeSet<Outcome> {
    let complete = markings(net, MOST).into_iter().filter(|(_, places, _)| places.is_empty());
    complete.map(|(_, _, outcome)| outcome).collect()
}

/// Where the runs of a net with up to `most` requests lead.
pub(crate) fn markings(net: &Net, most: usize) -> BTreeSet<Marking> {
    let mut seen: BTreeSet<Marking> = BTreeSet::from([(net.initial, vec![], vec![])]);
    let mut todo: Vec<Marking> = seen.iter().cloned().collect();
    while let Some((global, places, outcome)) = todo.pop() {
        for t in net.transitions().iter().filter(|t| t.before == global) {
            let (mut places, mut outcome) = (places.clone(), outcome.clone());
            match t.take {
                Some(taken) => match places.iter().position(|p| *p == taken) {
                    Some(i) => drop(places.remove(i)),
                    None => continue,
                },
                None if places.len() + outcome.len() == most => continue,
                None => {}
            }
            match t.effect {
                Effect::Place(p) => places.push(p),
                Effect::Outcome(l) => outcome.push(l),
            }
            places.sort();
            outcome.sort();
            let marking = (t.after, places, outcome);
            if seen.insert(marking.clone()) {
                todo.push(marking);
            }
        }
    }
    seen
}

fn certificate(source: &str, verdict: Verdict) -> Certificate {
    Certificate { source: Source::new("random.json", source.as_bytes()), verdict }
}

fn counterexample(system: &NetworkSystem, run: &[Event], outcome: &Outcome) -> Verdict {
    let mut counts: BTreeMap<Letter, u64> = BTreeMap::new();
    for letter in outcome {
        *counts.entry(*letter).or_default() += 1;
    }
    let entry = |(letter, count): (Letter, u64)| OutcomeEntry {
        request: system.request_name(letter.request).into(),
        response: system.response_name(letter.response).into(),
        count,
    };
    Verdict::NotSerializable(Counterexample {
        along: false,
        outcome: counts.into_iter().map(entry).collect(),
        run: run.to_vec(),
        strict: false,
        part: None,
        slice: None,
    })
}

/// So many cases, times the number in `SER_CERT_CASES`, for long runs by hand.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let factor = std::env::var("SER_CERT_CASES").ok().and_then(|n| n.parse().ok());
    let cases = cases.saturating_mul(factor.unwrap_or(1));
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(200))]

    /// Every complete run is accepted as a counterexample if and only if its outcome is not
    /// serial.
    #[test]
    fn counterexamples_are_exactly_the_runs_with_outcomes_that_are_not_serial(source in source()) {
        let system = read_json(&source).expect("a system");
        let serial = outcomes(&system, true);
        for (run, outcome) in complete_runs(&system, MOST, false) {
            let verdict = counterexample(&system, &run, &outcome);
            let text = certificate(&source, verdict).to_text();
            let certificate = read(&text).expect("readable");
            let result = check(&certificate, source.as_bytes(), &system, &Limits::default());
            let violating = !is_explained(&system, &outcome, &serial);
            prop_assert_eq!(result.is_ok(), violating, "{:?} {}", result, text);
        }
    }

    /// The normal form and every reduction keep the outcomes.
    #[test]
    fn reductions_keep_the_outcomes(source in source()) {
        let system = read_json(&source).expect("a system");
        let names = Names::new(&system);
        let limits = Limits::default();
        let mut meter = Meter::new(&limits);
        let expected = outcomes(&system, false);
        let net = normal_form(&system, &mut meter).expect("small");
        prop_assert_eq!(&net_outcomes(&net), &expected);
        let sliced = slice(&net, &mut meter).expect("small");
        prop_assert_eq!(&net_outcomes(&sliced), &expected);
        let lazy = without_stuttering(&net, &mut meter).expect("small");
        prop_assert_eq!(&net_outcomes(&lazy), &expected);
        let both = without_stuttering(&sliced, &mut meter).expect("small");
        prop_assert_eq!(&net_outcomes(&both), &expected);
        let again = slice(&both, &mut meter).expect("small");
        prop_assert_eq!(&net_outcomes(&again), &expected);
        prop_assert_eq!(&slice(&again, &mut meter).expect("small"), &again);
        // Every pair of places that may be merged.
        for net in [&net, &again] {
            for (a, b) in pairs(&net.places()) {
                let name = |p: Place| {
                    let request = system.request_name(p.request).to_owned();
                    PlaceName(request, system.local_name(p.local).to_owned())
                };
                let group = vec![vec![name(a), name(b)]];
                if let Ok(merged) = merge(net, &group, &names, &mut meter, "here") {
                    prop_assert!(!merged.places().contains(&b));
                    prop_assert_eq!(&net_outcomes(&merged), &expected);
                }
            }
        }
    }
}

fn pairs(places: &[Place]) -> Vec<(Place, Place)> {
    let each = places.iter().flat_map(|a| places.iter().map(|b| (*a, *b)));
    each.filter(|(a, b)| a != b).collect()
}

/// A small prover, for certificates to check and to tamper with. It explores triples with
/// counters capped at `cap` and stops at `most` triples.
struct Prover<'a> {
    system: &'a NetworkSystem,
    net: &'a Net,
    automaton: &'a SerialAutomaton,
    labels: BTreeMap<Place, Letter>,
    cap: u64,
    /// Whether letters may wait.
    waits: bool,
    reductions: Vec<Reduction>,
}

type Numbers = BTreeMap<Place, (u64, u64)>;
/// State, loops, debts, and what waits.
type TestElement = (GlobalId, BTreeSet<Letter>, BTreeSet<Letter>, Option<Letter>);
type Elements = BTreeSet<TestElement>;

impl Prover<'_> {
    fn loops(&self, state: GlobalId) -> BTreeSet<Letter> {
        self.automaton.insertable(state).iter().copied().collect()
    }

    /// The elements after an edge with a letter, which pays debts.
    fn follow(&self, (q, v, d, b): &TestElement, a: Letter) -> Elements {
        let mut after = Elements::new();
        for q2 in self.system.globals() {
            if self.automaton.has_edge(*q, a, q2) {
                let w: BTreeSet<Letter> = v.union(&self.loops(q2)).copied().collect();
                let rest = d.difference(&w).copied().collect();
                after.insert((q2, w, rest, *b));
            }
        }
        after
    }

    /// The same elements, and those after what waits is delivered.
    fn delivered(&self, elements: &Elements) -> Elements {
        let mut all = elements.clone();
        for (q, v, d, b) in elements {
            if let Some(b) = b {
                all.extend(self.follow(&(*q, v.clone(), d.clone(), None), *b));
            }
        }
        all
    }

    fn read(&self, elements: &Elements, a: Letter) -> Elements {
        let mut after = Elements::new();
        for element in &self.delivered(elements) {
            let (q, v, d, b) = element;
            let mut debts = d.clone();
            if !v.contains(&a) {
                debts.insert(a);
            }
            after.insert((*q, v.clone(), debts, *b));
            after.extend(self.follow(element, a));
            if self.waits && b.is_none() {
                after.insert((*q, v.clone(), d.clone(), Some(a)));
            }
        }
        self.delivered(&after)
    }

    fn letter(&self, t: &Transition) -> Option<Letter> {
        if t.take.is_some_and(|p| self.labels.contains_key(&p)) {
            return None;
        }
        match t.effect {
            Effect::Outcome(l) => Some(l),
            Effect::Place(p) => self.labels.get(&p).copied(),
        }
    }

    fn triples(&self, most: usize) -> Option<Vec<(GlobalId, Numbers, Elements)>> {
        let g0 = self.net.initial;
        let first = Elements::from([(g0, self.loops(g0), BTreeSet::new(), None)]);
        let mut triples = vec![(g0, Numbers::new(), first)];
        let mut next = 0;
        while next < triples.len() {
            let (global, numbers, elements) = triples[next].clone();
            for t in self.net.transitions().iter().filter(|t| t.before == global) {
                let mut left = vec![numbers.clone()];
                if let Some(taken) = t.take {
                    left = match numbers.get(&taken) {
                        None => continue,
                        Some((n, 0)) => vec![with(&numbers, taken, (n - 1, 0))],
                        Some((n, p)) => {
                            vec![with(&numbers, taken, (n - 1, 0)), with(&numbers, taken, (*n, *p))]
                        }
                    };
                }
                let read = self.letter(t);
                let after = read.map_or(elements.clone(), |a| self.read(&elements, a));
                for mut numbers in left {
                    if let Some(put) = t.put() {
                        let (n, p) = numbers.get(&put).copied().unwrap_or((0, 0));
                        let full = p > 0 || n + 1 >= self.cap;
                        let more = if full { (self.cap, 1) } else { (n + 1, 0) };
                        numbers = with(&numbers, put, more);
                    }
                    let triple = (t.after, numbers, after.clone());
                    if !triples.contains(&triple) {
                        triples.push(triple);
                    }
                }
            }
            if triples.len() > most || elements.len() > 200 {
                return None;
            }
            next += 1;
        }
        Some(triples)
    }

    fn certificate(&self, triples: &[(GlobalId, Numbers, Elements)]) -> Inclusion {
        let s = self.system;
        let letters = |set: &BTreeSet<Letter>| -> Vec<LetterName> {
            let name = |l: &Letter| {
                LetterName(s.request_name(l.request).into(), s.response_name(l.response).into())
            };
            set.iter().map(name).collect()
        };
        let triple = |(global, numbers, elements): &(GlobalId, Numbers, Elements)| Triple {
            global: s.global_name(*global),
            in_flight: numbers
                .iter()
                .map(|(place, (count, period))| InFlight {
                    request: s.request_name(place.request).into(),
                    local: s.local_name(place.local).into(),
                    count: *count,
                    period: *period,
                })
                .collect(),
            serial: elements
                .iter()
                .map(|(q, v, d, b)| SerialElement {
                    global: s.global_name(*q),
                    loops: letters(v),
                    debts: letters(d),
                    waiting: letters(&b.iter().copied().collect()).pop(),
                })
                .collect(),
        };
        let label = |(place, letter): (&Place, &Letter)| Label {
            request: s.request_name(place.request).into(),
            local: s.local_name(place.local).into(),
            response: s.response_name(letter.response).into(),
        };
        Inclusion {
            reductions: self.reductions.clone(),
            labels: self.labels.iter().map(label).collect(),
            promises: Vec::new(),
            stand_ins: Vec::new(),
            invariant: triples.iter().map(triple).collect(),
        }
    }
}

fn with(numbers: &Numbers, place: Place, number: (u64, u64)) -> Numbers {
    let mut changed = numbers.clone();
    changed.insert(place, number);
    changed.retain(|_, number| *number != (0, 0));
    changed
}

/// The places from which only one letter can come, with that letter.
fn decided(net: &Net) -> BTreeMap<Place, Letter> {
    let mut ends: BTreeMap<Place, BTreeSet<Letter>> = BTreeMap::new();
    loop {
        let before = ends.clone();
        for t in net.transitions() {
            let Some(place) = t.take else { continue };
            let more = match t.effect {
                Effect::Outcome(l) => BTreeSet::from([l]),
                Effect::Place(p) => before.get(&p).cloned().unwrap_or_default(),
            };
            ends.entry(place).or_default().extend(more);
        }
        if ends == before {
            break;
        }
    }
    let one = |(place, letters): (Place, BTreeSet<Letter>)| {
        let first = letters.first().copied()?;
        (letters.len() == 1).then_some((place, first))
    };
    ends.into_iter().filter_map(one).collect()
}

/// Changes that make a false argument out of a true one, or hide where a false one fails.
fn tamper(inclusion: &Inclusion, system: &NetworkSystem) -> Vec<Inclusion> {
    let letters: Vec<LetterName> = system
        .requests()
        .iter()
        .flat_map(|q| system.responses().iter().map(|r| LetterName(q.clone(), r.clone())))
        .collect();
    let mut all = Vec::new();
    for i in 0..inclusion.invariant.len() {
        let mut change = |f: &dyn Fn(&mut Triple)| {
            let mut changed = inclusion.clone();
            f(&mut changed.invariant[i]);
            all.push(changed);
        };
        change(&|t| t.serial.iter_mut().for_each(|e| e.debts.clear()));
        change(&|t| t.serial.iter_mut().for_each(|e| e.waiting = None));
        change(&|t| t.serial.iter_mut().for_each(|e| e.waiting = letters.first().cloned()));
        change(&|t| {
            t.serial.iter_mut().for_each(|e| {
                e.debts.clear();
                e.waiting = None;
            });
        });
        change(&|t| t.serial.iter_mut().for_each(|e| e.loops.clone_from(&letters)));
        change(&|t| t.serial.clear());
        change(&|t| t.in_flight.clear());
        change(&|t| t.in_flight.iter_mut().for_each(|n| n.period = 0));
        change(&|t| t.in_flight.iter_mut().for_each(|n| n.period += 1));
        change(&|t| t.in_flight.iter_mut().for_each(|n| n.count += 1));
        change(&|t| t.in_flight.iter_mut().for_each(|n| n.count = n.count.saturating_sub(1)));
        for g in system.globals() {
            change(&|t| t.serial.iter_mut().for_each(|e| e.global = system.global_name(g)));
            change(&|t| {
                t.serial.push(SerialElement {
                    global: system.global_name(g),
                    loops: letters.clone(),
                    debts: vec![],
                    waiting: None,
                });
            });
        }
        let mut without = inclusion.clone();
        without.invariant.remove(i);
        all.push(without);
    }
    let mut everywhere = inclusion.clone();
    for triple in &mut everywhere.invariant {
        triple.serial.iter_mut().for_each(|e| e.debts.clear());
    }
    all.push(everywhere.clone());
    for triple in &mut everywhere.invariant {
        triple.serial.iter_mut().for_each(|e| e.waiting = None);
    }
    all.push(everywhere);
    // An elimination that is not allowed, or that the invariant does not follow from.
    for l in (0..system.local_count()).map(LocalId::from_index) {
        for request in system.requests() {
            for (side, sharp) in [(Side::Right, true), (Side::Left, true), (Side::Left, false)] {
                let place = PlaceName(request.clone(), system.local_name(l).into());
                let mut moved = inclusion.clone();
                moved.reductions.push(Reduction::Move(Move { place, side, sharp }));
                all.push(moved);
            }
        }
    }
    let mut unlabelled = inclusion.clone();
    unlabelled.labels.clear();
    all.push(unlabelled);
    for l in (0..system.local_count()).map(LocalId::from_index) {
        for LetterName(request, response) in &letters {
            let mut labelled = inclusion.clone();
            labelled.labels.push(Label {
                request: request.clone(),
                local: system.local_name(l).into(),
                response: response.clone(),
            });
            all.push(labelled);
        }
    }
    all
}

/// What is proved is accepted and true; what is not serializable is never accepted, whatever is
/// done to the failed attempt.
#[test]
fn accepted_proofs_are_true() {
    let (proved, failed, tampered) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let (moves, waited) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new_with_rng(config(400), deterministic());
    let strategy = (source(), 1..=2_u64, any::<bool>(), any::<bool>(), any::<bool>());
    let result = runner.run(&strategy, |(source, cap, labelled, waits, moving)| {
        let system = read_json(&source).expect("a system");
        let limits = Limits::default();
        let mut meter = Meter::new(&limits);
        let net = normal_form(&system, &mut meter).expect("small");
        let net = slice(&net, &mut meter).expect("small");
        let net = without_stuttering(&net, &mut meter).expect("small");
        let mut net = slice(&net, &mut meter).expect("small");
        let mut reductions = vec![Reduction::Slice, Reduction::Stuttering, Reduction::Slice];
        if moving {
            let size = reductions.len();
            eliminate_all(&mut net, &mut reductions, &system, &mut meter);
            moves.set(moves.get() + reductions.len() - size);
        }
        let automaton = SerialAutomaton::new(&system, &mut meter).expect("small");
        let prover = Prover {
            system: &system,
            net: &net,
            automaton: &automaton,
            labels: if labelled { decided(&net) } else { BTreeMap::new() },
            cap,
            waits,
            reductions,
        };
        let Some(triples) = prover.triples(60) else {
            return Ok(());
        };
        let explained = triples.iter().all(|(_, numbers, elements)| {
            let settled = |(_, _, d, b): &TestElement| d.is_empty() && b.is_none();
            !numbers.is_empty() || elements.iter().any(settled)
        });
        let attempt = prover.certificate(&triples);
        let try_it = |inclusion: Inclusion| -> Result<Accepted, Rejection> {
            let verdict = Verdict::Serializable(Proof::Inclusion(inclusion));
            let certificate = certificate(&source, verdict);
            check(&certificate, source.as_bytes(), &system, &Limits::default())
        };
        let result = try_it(attempt.clone());
        prop_assert_eq!(result.is_ok(), explained, "{:?}", result);
        let serial = outcomes(&system, true);
        let mut all = outcomes(&system, false).into_iter();
        let serializable = all.all(|outcome| is_explained(&system, &outcome, &serial));
        if explained {
            proved.set(proved.get() + 1);
            waited.set(waited.get() + u32::from(waits));
            prop_assert!(serializable);
        } else {
            failed.set(failed.get() + 1);
        }
        if !serializable {
            for changed in tamper(&attempt, &system) {
                tampered.set(tampered.get() + 1);
                let result = try_it(changed.clone());
                prop_assert!(result.is_err(), "{:?}", changed);
            }
        }
        Ok(())
    });
    result.expect("no false verdict");
    // The test is worth nothing if one of these never happens.
    assert!(proved.get() > 50, "{} proved", proved.get());
    assert!(failed.get() > 10, "{} failed", failed.get());
    assert!(tampered.get() > 1000, "{} tampered", tampered.get());
    assert!(moves.get() > 20, "{} moves", moves.get());
    assert!(waited.get() > 20, "{} with letters that wait", waited.get());
}

/// Eliminates whatever can be eliminated, and notes how.
fn eliminate_all(
    net: &mut Net,
    reductions: &mut Vec<Reduction>,
    system: &NetworkSystem,
    meter: &mut Meter<'_>,
) {
    let names = Names::new(system);
    for sharp in [false, true] {
        for place in net.places() {
            for side in [Side::Right, Side::Left] {
                let request = system.request_name(place.request).to_owned();
                let name = PlaceName(request, system.local_name(place.local).to_owned());
                let entry = Move { place: name, side, sharp };
                if let Ok(smaller) = eliminate(net, &entry, &names, meter) {
                    *net = slice(&exclude(&smaller, meter).expect("small"), meter).expect("small");
                    reductions.push(Reduction::Move(entry));
                    reductions.extend([Reduction::Exclude, Reduction::Slice]);
                }
            }
        }
    }
}

/// The same cases every time.
pub(crate) fn deterministic() -> proptest::test_runner::TestRng {
    proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}
