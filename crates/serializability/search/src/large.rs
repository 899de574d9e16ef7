//! Programs with more global states than anybody could list.
//!
//! *Proofs* are found on the rules of the program, which are few: if every yield point is harmless,
//! every request may as well run in a single step.
//!
//! *Counterexamples* are found in parts of the program. Two request labels are neighbours if one
//! writes a variable that the other reads or writes. A smallest counterexample is connected: if its
//! requests fell into two groups without neighbours, each group would run by itself as it did
//! before, and if both had serial outcomes, one after the other would be a serial run of all. So it
//! is enough to look at connected sets of labels, the smallest first; and at least one label must
//! be among those whose yield points are not known to be harmless. A part has few variables, and so
//! few global states. What it does, the whole program does when no other requests arrive.

use crate::{Progress, Refutation, RefuteOptions, Refuted, RuleOptions, SearchStop, refute};
use ser_base::{Limits, Stop};
use ser_model::{ExploreError, LocalId, ProgramModel, RequestId, RuleSystem, RunBound};
use ser_net::{Effects, Reductions, RuleNet, SerialAutomaton, find_effects, normal_form, reduce};
use std::collections::BTreeSet;

/// How to get the model of a part of a program: these request labels, runs within a bound.
pub type PartModel<'a> =
    &'a dyn Fn(&BTreeSet<String>, RunBound, &Limits) -> Result<ProgramModel, ExploreError>;

/// How much to do about a large program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LargeOptions {
    /// Look for a proof, and with what.
    pub prove: Option<RuleOptions>,
    /// Look for counterexamples, and how much.
    pub refute: Option<RefuteOptions>,
}

/// An answer about a large program.
#[derive(Debug)]
pub enum LargeAnswer {
    /// Every yield point is harmless.
    Serializable(Box<Effects>),
    /// A run that no serial run explains.
    NotSerializable(Box<PartRefutation>),
    /// Neither.
    Unknown(LargeUnknown),
}

/// A counterexample in a part of a program.
#[derive(Debug)]
pub struct PartRefutation {
    /// The request labels of the part.
    pub labels: BTreeSet<String>,
    /// Which runs of it were looked at.
    pub bound: RunBound,
    pub model: ProgramModel,
    /// The counterexample.
    pub refutation: Refutation,
}

/// No answer about a large program, and why.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LargeUnknown {
    /// In how many places yield points are not known to be harmless.
    pub places: usize,
    /// These places: the request, and its local state.
    pub yield_points: Vec<(RequestId, LocalId)>,
    /// Of how many request labels.
    pub labels: usize,
    /// All runs with so many requests have been looked at.
    pub requests: usize,
    /// States of all searches.
    pub states: usize,
    /// The limit that ended it all, if one did.
    pub stop: Option<Stop>,
}

/// How much to look at one part.
#[derive(Clone, Copy)]
struct Effort {
    /// The most global and local states.
    states: usize,
    /// The most states of a search.
    search: usize,
    /// The most preemptions.
    preemptions: Option<u32>,
}

/// All parts with little effort, then those again where that was not enough: first runs in which
/// requests are preempted seldom (iterative context bounding: Musuvathi, Qadeer, PLDI 2007).
const EFFORTS: [Effort; 4] = [
    Effort { states: 2_000, search: 20_000, preemptions: None },
    Effort { states: 100_000, search: 200_000, preemptions: Some(1) },
    Effort { states: 50_000, search: 200_000, preemptions: Some(2) },
    Effort { states: 100_000, search: 500_000, preemptions: None },
];

/// The most parts of one size.
const MAX_PARTS: usize = 20_000;

/// The most requests to look at.
const MAX_REQUESTS: usize = 6;

/// Decides whether the program with these rules is serializable, without listing its global states.
pub fn decide_large(
    rules: &RuleSystem,
    part: PartModel<'_>,
    options: LargeOptions,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> LargeAnswer {
    progress(Progress::Reducing);
    let stopped =
        |stop| LargeAnswer::Unknown(LargeUnknown { stop: Some(stop), ..LargeUnknown::default() });
    let net = match RuleNet::new(rules, limits) {
        Ok(net) => net,
        Err(stop) => return stopped(stop),
    };
    let mut in_flight: BTreeSet<RequestId> =
        net.places.iter().map(|(request, _)| *request).collect();
    let mut unknown = LargeUnknown { places: net.places.len(), ..LargeUnknown::default() };
    let mut has_all_steps = !net.is_partial;
    if let Some(rules) = options.prove {
        match find_effects(&net, rules.arguments(), limits) {
            Ok(effects) if effects.is_proof() => {
                return LargeAnswer::Serializable(Box::new(effects));
            }
            // Rules that lack some values tell nothing about yield points, nor about all runs.
            Ok(effects) if effects.leaves => {}
            Ok(effects) => {
                in_flight = effects.stuck.iter().map(|p| net.places[p.index()].0).collect();
                unknown.places = effects.stuck.len();
                unknown.yield_points =
                    effects.stuck.iter().map(|p| net.places[p.index()]).collect();
                has_all_steps = true;
            }
            Err(stop) => return stopped(stop),
        }
    }
    unknown.labels = in_flight.len();
    if in_flight.is_empty() && !has_all_steps {
        // Somebody may yield where a variable has a value without rules.
        in_flight = rules.frame().spawns().iter().map(|(request, _)| *request).collect();
    }
    if let Err(stop) = limits.check_clock() {
        return stopped(stop);
    }
    let Some(refute_options) = options.refute else {
        return LargeAnswer::Unknown(unknown);
    };
    let neighbours = Neighbours::new(&net, rules.frame().requests().len());
    unknown.requests = 1;
    let options = refute_options;
    let mut search = Search { rules, has_all_steps, part, options, limits, progress, unknown };
    match search.run(&neighbours, &in_flight) {
        Ok(Some(found)) => LargeAnswer::NotSerializable(Box::new(found)),
        Ok(None) => LargeAnswer::Unknown(search.unknown),
        Err(stop) => LargeAnswer::Unknown(LargeUnknown { stop: Some(stop), ..search.unknown }),
    }
}

struct Search<'a> {
    rules: &'a RuleSystem,
    /// Whether variables keep to the values that have rules. Otherwise labels may be neighbours
    /// where nobody sees it, and to have looked at all parts says nothing about the whole.
    has_all_steps: bool,
    part: PartModel<'a>,
    options: RefuteOptions,
    limits: &'a Limits,
    progress: &'a dyn Fn(Progress),
    unknown: LargeUnknown,
}

/// How to look at one part.
struct Look<'a> {
    part: PartModel<'a>,
    options: RefuteOptions,
    limits: &'a Limits,
}

impl Look<'_> {
    /// Looks for a counterexample in a part; also tells how many states that took.
    fn at(
        &self,
        labels: BTreeSet<String>,
        bound: RunBound,
        effort: Effort,
    ) -> Result<(Found, usize), Stop> {
        let requests = bound.requests as usize;
        let small = Limits { max_states: effort.states, ..self.limits.clone() };
        let model = match (self.part)(&labels, bound, &small) {
            Ok(model) => model,
            Err(ExploreError::TooManyStates { stop, .. })
                if !matches!(stop, Stop::States { .. }) =>
            {
                return Err(stop);
            }
            Err(_) => return Ok((Found::TooLarge, 0)),
        };
        let system = model.system();
        let raw = normal_form(system, self.limits)?;
        // The cheap ones: there is only one short search.
        let which = Reductions { slice: true, stuttering: true, ..Reductions::NONE };
        let net = reduce(&raw, which, self.limits).net;
        if net.is_atomic() {
            let all = effort.preemptions.is_none();
            return Ok((if all { Found::Nothing } else { Found::Gap }, 0));
        }
        let automaton = SerialAutomaton::new(system, self.limits)?;
        let options = RefuteOptions {
            max_requests: requests,
            max_states: effort.search,
            max_in_flight: self.options.max_in_flight,
        };
        match refute(system, &net, &automaton, &options, self.limits, &|_| {}) {
            Refuted::Yes(refutation) => {
                let found = PartRefutation { labels, bound, model, refutation: *refutation };
                Ok((Found::Run(Box::new(found)), 0))
            }
            Refuted::No(searched) => {
                if let SearchStop::Limit(stop) = searched.stopped {
                    return Err(stop);
                }
                let deep = searched.layers.last().is_some_and(|k| *k >= requests);
                let wide = searched.any_in_flight || searched.layers.len() >= requests;
                let all = deep && wide && effort.preemptions.is_none();
                Ok((if all { Found::Nothing } else { Found::Gap }, searched.states))
            }
        }
    }
}

/// Looks for a counterexample with these requests: somebody suspects them.
pub fn refute_suspects(
    suspects: &[String],
    part: PartModel<'_>,
    options: RefuteOptions,
    limits: &Limits,
) -> Result<Option<PartRefutation>, Stop> {
    let look = Look { part, options, limits };
    let requests = u32::try_from(suspects.len()).unwrap_or(u32::MAX);
    let bound = RunBound { requests, preemptions: None };
    let effort = Effort { states: 100_000, search: 500_000, preemptions: None };
    match look.at(suspects.iter().cloned().collect(), bound, effort)? {
        (Found::Run(mut found), _) => {
            // One request alone is always serial, and two have been found.
            found.refutation.fewest = found.refutation.requests <= 2;
            Ok(Some(*found))
        }
        _ => Ok(None),
    }
}

/// What a search in a part found.
enum Found {
    /// A counterexample.
    Run(Box<PartRefutation>),
    /// There is none with so many requests.
    Nothing,
    /// There may be one.
    Gap,
    /// There may be one: the part has too many states, and will have more with more requests.
    TooLarge,
}

impl Search<'_> {
    fn run(
        &mut self,
        neighbours: &Neighbours,
        in_flight: &BTreeSet<RequestId>,
    ) -> Result<Option<PartRefutation>, Stop> {
        // All connected parts, by the number of their labels.
        let mut parts: Vec<BTreeSet<BTreeSet<RequestId>>> =
            vec![in_flight.iter().map(|label| BTreeSet::from([*label])).collect()];
        // Parts and numbers of requests that need no more effort.
        let mut seen: BTreeSet<(BTreeSet<RequestId>, usize)> = BTreeSet::new();
        for effort in EFFORTS {
            let mut complete = true;
            let mut too_large: BTreeSet<BTreeSet<RequestId>> = BTreeSet::new();
            for requests in 2..=self.options.max_requests.min(MAX_REQUESTS) {
                while parts.len() < requests {
                    let larger = parts.last().map_or(BTreeSet::new(), |p| neighbours.grow(p));
                    parts.push(larger);
                }
                let mut all: Vec<_> = parts[..requests].iter().flatten().cloned().collect();
                if all.len() > MAX_PARTS {
                    // Some are better than none.
                    all.truncate(MAX_PARTS);
                    complete = false;
                }
                for part in all {
                    let key = (part, requests);
                    // With more labels or requests there are more states.
                    let hopeless = too_large.iter().any(|small| small.is_subset(&key.0));
                    if hopeless || seen.contains(&key) {
                        complete &= !hopeless;
                        continue;
                    }
                    match self.search(&key.0, requests, effort)? {
                        Found::Run(mut found) => {
                            found.refutation.fewest = self.unknown.requests + 1 >= requests;
                            return Ok(Some(*found));
                        }
                        Found::Nothing => {
                            seen.insert(key);
                        }
                        Found::Gap => complete = false,
                        Found::TooLarge => {
                            complete = false;
                            too_large.insert(key.0);
                        }
                    }
                    if self.unknown.states > self.options.max_states {
                        return Ok(None);
                    }
                }
                if complete && self.has_all_steps {
                    self.unknown.requests = self.unknown.requests.max(requests);
                }
            }
            if complete {
                break;
            }
        }
        Ok(None)
    }

    /// Looks for a counterexample with at most so many requests in a part.
    fn search(
        &mut self,
        part: &BTreeSet<RequestId>,
        requests: usize,
        effort: Effort,
    ) -> Result<Found, Stop> {
        self.limits.check_clock()?;
        (self.progress)(Progress::Searching {
            requests,
            in_flight: requests as u32,
            states: self.unknown.states,
        });
        let name = |label: &RequestId| self.rules.frame().request_name(*label).to_owned();
        let labels: BTreeSet<String> = part.iter().map(name).collect();
        let bound = RunBound { requests: requests as u32, preemptions: effort.preemptions };
        let look = Look { part: self.part, options: self.options, limits: self.limits };
        let (found, states) = look.at(labels, bound, effort)?;
        self.unknown.states += states;
        Ok(found)
    }
}

/// Which request labels share variables that one of them writes.
struct Neighbours {
    of: Vec<BTreeSet<RequestId>>,
}

impl Neighbours {
    fn new(net: &RuleNet, labels: usize) -> Neighbours {
        let mut readers: Vec<BTreeSet<RequestId>> = vec![BTreeSet::new(); net.initial.len()];
        let mut writers = readers.clone();
        for t in &net.transitions {
            let request = match t.effect {
                ser_net::Effect::InFlight(place) => net.places[place.index()].0,
                ser_net::Effect::Respond(outcome) => outcome.request,
            };
            for (v, _) in &t.footprint.reads {
                readers[v.index()].insert(request);
            }
            for (v, _) in &t.footprint.writes {
                writers[v.index()].insert(request);
            }
        }
        let mut of = vec![BTreeSet::new(); labels];
        for (reading, writing) in readers.iter().zip(&writers) {
            for writer in writing {
                for other in reading.iter().chain(writing) {
                    of[writer.index()].insert(*other);
                    of[other.index()].insert(*writer);
                }
            }
        }
        Neighbours { of }
    }

    /// The parts with one neighbour more.
    fn grow(&self, parts: &BTreeSet<BTreeSet<RequestId>>) -> BTreeSet<BTreeSet<RequestId>> {
        let mut larger = BTreeSet::new();
        for part in parts {
            for label in part {
                for neighbour in self.of[label.index()].difference(part) {
                    let mut more = part.clone();
                    more.insert(*neighbour);
                    larger.insert(more);
                }
            }
            if larger.len() > MAX_PARTS {
                return larger;
            }
        }
        larger
    }
}
