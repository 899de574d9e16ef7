//! One call from a network system to an answer: the portfolio.
//!
//! Refuter and provers take turns, cheap before expensive, in a fixed order and with budgets
//! counted in work, not in time: the answer does not depend on the speed of the machine or on
//! how many files are checked at once. Only the limits on time and memory do.

use crate::prove::arithmetic::{Counting, CountingFailure, Effort, prove_counting};
use crate::prove::inclusion::{Attempt, Commit, Failure, Invariant, prove_inclusion};
use crate::prove::serial_words::SerialWords;
use crate::refute::refute_outcome;
use crate::walk::refute_by_walks;
use crate::{
    InclusionOptions, Options, Progress, Refutation, RefuteOptions, Refuted, SearchStop, Searched,
    Strategy, refute,
};
use ser_base::{Limits, Stop};
use ser_model::NetworkSystem;
use ser_net::{
    Applied, Net, Reduced, Reduction, SerialAutomaton, find_alike, foresee, normal_form, reduce,
    reduce_further,
};
use std::cell::OnceCell;

/// Sizes of what was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// Places and transitions of the net before reductions.
    pub before: (usize, usize),
    /// Places and transitions of the reduced net, with steps as they are.
    pub after: (usize, usize),
    /// Places and transitions when movers are eliminated too.
    pub moved: (usize, usize),
}

/// Why a system is serializable.
#[derive(Clone, Debug)]
pub struct Proof {
    /// How the net was reduced.
    pub reductions: Vec<Applied>,
    /// The reduced net, which the argument is about.
    pub net: Net,
    pub argument: Argument,
}

/// The argument about a reduced net.
#[derive(Clone, Debug)]
pub enum Argument {
    /// No request is ever in flight between two steps.
    Atomic,
    /// A finite invariant explains every response serially.
    Inclusion(Invariant),
    /// Linear arithmetic on how often each transition fires.
    Arithmetic(Counting),
}

/// No answer, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// How far the refuter got.
    pub searched: Option<Searched>,
    /// What the provers tried, and how it ended.
    pub tried: Vec<Tried>,
    /// The limit that ended it all, if one did.
    pub stop: Option<Stop>,
}

/// An attempt at a proof that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tried {
    /// Reductions alone: so many places are left where requests yield.
    Atomic {
        places: usize,
    },
    Inclusion(Attempt, Failure),
    Arithmetic(CountingFailure),
}

/// The engine's answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A run that no serial run explains.
    NotSerializable(Box<Refutation>),
    /// A proof.
    Serializable(Box<Proof>),
    /// Neither.
    Unknown(Box<Unknown>),
}

/// States for the first, short search: enough for almost every counterexample. Large nets have more
/// for each transition.
fn first_search(net: &Net) -> usize {
    (50 * net.transitions.len()).clamp(5_000, 50_000)
}

/// States for the search in the second round, after a candidate has been found, and in the third
/// round or where no other follows.
const SECOND_SEARCH: usize = 400_000;
const CANDIDATE_SEARCH: usize = 200_000;
const WHOLE_SEARCH: usize = 2_000_000;

/// States for the search for a shorter run with an outcome that is not serial.
const SHORTEST_SEARCH: usize = 20_000;

/// All runs with so many requests may be looked at, once a walk has found one with more.
const FEW_REQUESTS: usize = 6;

/// The work of random walks in the first round and in the second, at least and at most. Later
/// rounds have more.
const FIRST_WALKS: (usize, usize) = (5_000, 300_000);
const SECOND_WALKS: (usize, usize) = (30_000, 500_000);

/// The work of random walks for each pair of request labels: it takes more of them until the right
/// ones meet.
pub(crate) const WALKS_FOR_PAIR: usize = 5_000;

/// With so many transitions, arithmetic is tried before a longer search.
const SMALL_NET: usize = 100;

/// Each round after the second has so many times the work of the one before it.
const GROWTH: usize = 4;

/// What each method may do in one round.
struct Round {
    /// States of the search before the proofs.
    states: usize,
    /// The work of random walks.
    walks: usize,
    /// Attempts at inclusion, and so many times their triples.
    attempts: &'static [Way],
    times: usize,
    /// Arithmetic.
    effort: Effort,
}

impl Round {
    fn new(number: u32, net: &Net, labels: usize, strategy: Strategy) -> Round {
        let times = GROWTH.saturating_pow(number.saturating_sub(1));
        let states = match (strategy, number) {
            (Strategy::RefuteFirst, 0) => WHOLE_SEARCH,
            (Strategy::RefuteFirst | Strategy::ProveFirst, _) => 0,
            (_, 0) => first_search(net),
            (_, 1) => SECOND_SEARCH,
            // Now that proofs take long, so may the search.
            _ => WHOLE_SEARCH.saturating_mul(times / GROWTH),
        };
        let (attempts, effort) = match number {
            0 => (QUICK.as_slice(), QUICK_EFFORT),
            _ => (THOROUGH.as_slice(), THOROUGH_EFFORT.times(times)),
        };
        let (least, most) = if number == 0 { FIRST_WALKS } else { SECOND_WALKS };
        let pairs = labels.saturating_mul(labels);
        let walks = WALKS_FOR_PAIR.saturating_mul(pairs).clamp(least, most).saturating_mul(times);
        Round { states, walks, attempts, times, effort }
    }
}

/// Decides whether a network system is serializable, within limits.
///
/// ```
/// use ser_serializability_search::{Answer, Options, decide};
/// use ser_base::Limits;
/// use ser_model::ProgramModel;
///
/// let text = "request main { X := 1; yield; y := X; X := 0; y }";
/// let model = ProgramModel::new(&ser_syntax::parse(text).program, text, &Limits::default()).unwrap();
/// let (answer, _) = decide(model.system(), &Options::default(), &Limits::default(), &|_| {});
/// let Answer::NotSerializable(found) = answer else { panic!("{answer:?}") };
/// assert_eq!(found.requests, 2);
/// ```
pub fn decide(
    system: &NetworkSystem,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> (Answer, Sizes) {
    progress(Progress::Reducing);
    let stopped = |stop: Stop| {
        let unknown = Unknown { searched: None, tried: Vec::new(), stop: Some(stop) };
        Answer::Unknown(Box::new(unknown))
    };
    let raw = match normal_form(system, limits) {
        Ok(net) => net,
        Err(stop) => return (stopped(stop), Sizes::default()),
    };
    let reduced = reduce(&raw, options.reductions.step_by_step(), limits);
    let size = |net: &Net| (net.places.len(), net.transitions.len());
    let mut sizes =
        Sizes { before: size(&raw), after: size(&reduced.net), moved: size(&reduced.net) };
    let automaton = match SerialAutomaton::new(system, limits) {
        Ok(automaton) => automaton,
        Err(stop) => return (stopped(stop), sizes),
    };
    let mut portfolio = Portfolio {
        system,
        options,
        limits,
        progress,
        automaton,
        unknown: Unknown { searched: None, tried: Vec::new(), stop: None },
        hungry: false,
        no_room: false,
        hopeless: Vec::new(),
        no_arithmetic: false,
    };
    let answer = portfolio.run(reduced, &mut sizes);
    (answer.unwrap_or_else(|| Answer::Unknown(Box::new(portfolio.unknown))), sizes)
}

/// What proofs are about.
struct Ground {
    reduced: Reduced,
    /// The serial runs.
    automaton: SerialAutomaton,
    /// The same net after a prophecy, once it is asked for, if that is not too much.
    foreseen: OnceCell<Option<Reduced>>,
}

struct Portfolio<'a> {
    system: &'a NetworkSystem,
    options: &'a Options,
    limits: &'a Limits,
    progress: &'a dyn Fn(Progress),
    automaton: SerialAutomaton,
    unknown: Unknown,
    /// Whether some attempt of this round ended for want of work.
    hungry: bool,
    /// Whether the search has filled the memory.
    no_room: bool,
    /// Attempts at inclusion that would fail again, whatever they may do.
    hopeless: Vec<Attempt>,
    /// Whether arithmetic would.
    no_arithmetic: bool,
}

impl Portfolio<'_> {
    fn run(&mut self, reduced: Reduced, sizes: &mut Sizes) -> Option<Answer> {
        if self.options.methods.atomic && reduced.net.is_atomic() {
            return Some(proved(reduced, Argument::Atomic));
        }
        let net = reduced.net.clone();
        let strategy = self.options.strategy;
        let labels = self.system.requests().len();
        let mut round = Round::new(0, &net, labels, strategy);
        if let Some(answer) = self.search(&net, round.states) {
            return Some(answer);
        }
        if self.unknown.stop.is_some() {
            return None;
        }
        (self.progress)(Progress::Reducing);
        let ground = match self.ground(reduced) {
            Ok(ground) => ground,
            Err(stop) => {
                self.unknown.stop = Some(stop);
                return None;
            }
        };
        let moved = &ground.reduced.net;
        sizes.moved = (moved.places.len(), moved.transitions.len());
        if self.options.methods.atomic {
            if moved.is_atomic() {
                return Some(proved(ground.reduced, Argument::Atomic));
            }
            self.unknown.tried.push(Tried::Atomic { places: moved.places.len() });
        }
        if let Some(answer) = self.walk(&net, round.walks) {
            return Some(answer);
        }
        // Proofs that put nothing last keep real-time order more often, so they come first.
        let inclusion = self.options.inclusion;
        let tables = |last| {
            let options = InclusionOptions { last, ..inclusion };
            SerialWords::new(moved, &ground.automaton, options, self.limits)
        };
        let both = tables(false).and_then(|plain| Ok((plain, tables(inclusion.last)?)));
        let (plain, words) = match both {
            Ok(both) => both,
            Err(stop) => {
                self.unknown.stop = Some(stop);
                return None;
            }
        };
        if inclusion.last {
            let commits = [Commit::End, Commit::Determined];
            let answer = self.inclusion(&ground.reduced, &plain, &round, &commits);
            if answer.is_some() || self.unknown.stop.is_some() {
                return answer;
            }
            self.hopeless.clear();
            self.unknown.tried.retain(|tried| !matches!(tried, Tried::Inclusion(..)));
        }
        for number in 1.. {
            // On all but small nets, the search of the next round costs less than arithmetic.
            let next = Round::new(number, &net, labels, strategy);
            let is_small = moved.transitions.len() <= SMALL_NET;
            let early = is_small.then_some(round.effort);
            let late = (!is_small).then_some(round.effort);
            let answer = self
                .inclusion(&ground.reduced, &words, &round, &[Commit::End, Commit::Determined])
                .or_else(|| self.with_foresight(&ground, &words, &round))
                .or_else(|| self.arithmetic(&net, &ground, early?))
                .or_else(|| self.walk(&net, next.walks))
                .or_else(|| self.search(&net, next.states))
                .or_else(|| self.arithmetic(&net, &ground, late?));
            if answer.is_some() || self.unknown.stop.is_some() {
                return answer;
            }
            // After two rounds, the rest is for those who want more of the same, as long as there
            // is time. Without a deadline there would be no end.
            let hungry = std::mem::take(&mut self.hungry)
                && strategy.takes_turns()
                && self.limits.deadline.is_some();
            if number > 1 && (!hungry || self.searched_enough()) {
                break;
            }
            // What is tried again is told once.
            self.unknown.tried.retain(|tried| match tried {
                Tried::Inclusion(_, failure) => *failure == Failure::Unexplained,
                Tried::Arithmetic(_) => self.no_arithmetic,
                Tried::Atomic { .. } => true,
            });
            round = next;
        }
        self.search(&net, WHOLE_SEARCH)
    }

    /// Whether the search has visited as many states as it may.
    fn searched_enough(&self) -> bool {
        let most = self.options.refute.max_states;
        self.unknown.searched.as_ref().is_some_and(|searched| searched.states >= most)
    }

    /// What proofs are about: the net with all reductions, of the system without differences that
    /// nobody sees.
    fn ground(&self, reduced: Reduced) -> Result<Ground, Stop> {
        let Portfolio { system, options, limits, .. } = *self;
        let alike = if options.reductions.alike { find_alike(system, limits)? } else { None };
        let (reduced, automaton) = match alike {
            None => (reduced, self.automaton.clone()),
            Some(alike) => {
                let quotient = alike.quotient(system);
                let net = normal_form(&quotient, limits)?;
                let automaton = SerialAutomaton::new(&quotient, limits)?;
                let first = Applied { reduction: Reduction::Alike(alike), gone: Vec::new() };
                (Reduced { net, applied: vec![first] }, automaton)
            }
        };
        let reduced = reduce_further(reduced, options.reductions, limits);
        Ok(Ground { reduced, automaton, foreseen: OnceCell::new() })
    }

    /// Searches for a counterexample with at most this many states.
    fn search(&mut self, net: &Net, states: usize) -> Option<Answer> {
        if !self.options.methods.refute || self.no_room || self.unknown.stop.is_some() {
            return None;
        }
        let most = states.min(self.options.refute.max_states);
        if most == 0 {
            return None;
        }
        if let Some(searched) = &self.unknown.searched
            && (searched.states >= most || searched.stopped == SearchStop::Exhausted)
        {
            return None;
        }
        let options = RefuteOptions { max_states: most, ..self.options.refute };
        match refute(self.system, net, &self.automaton, &options, self.limits, self.progress) {
            Refuted::Yes(refutation) => Some(Answer::NotSerializable(refutation)),
            Refuted::No(searched) => {
                match &searched.stopped {
                    // Proofs take less.
                    SearchStop::Limit(Stop::Memory { .. }) => self.no_room = true,
                    SearchStop::Limit(stop) => self.unknown.stop = Some(stop.clone()),
                    SearchStop::Budget => self.hungry |= searched.states >= most,
                    SearchStop::Exhausted => {}
                }
                self.unknown.searched = Some(searched);
                None
            }
        }
    }

    /// Walks at random, for counterexamples with many requests.
    fn walk(&mut self, net: &Net, budget: usize) -> Option<Answer> {
        let Options { methods, refute, strategy, .. } = *self.options;
        let wanted = methods.refute && refute.walks() && strategy.takes_turns();
        if !wanted || self.unknown.stop.is_some() {
            return None;
        }
        let found = match refute_by_walks(self.system, budget, refute.max_requests, self.limits) {
            Ok(found) => found?,
            Err(stop) => {
                self.unknown.stop = Some(stop);
                return None;
            }
        };
        // The search gives the shortest run with this outcome, if it can.
        let options = RefuteOptions { max_states: SHORTEST_SEARCH, ..refute };
        let (automaton, outcome) = (&self.automaton, &found.outcome);
        let shortest = refute_outcome(self.system, net, automaton, outcome, &options, self.limits);
        let mut found = shortest.unwrap_or(found);
        let fewer = found.requests.saturating_sub(1);
        let searched = self.unknown.searched.as_ref();
        found.fewest = searched.is_some_and(|s| s.covers(fewer));
        if !found.fewest && fewer <= FEW_REQUESTS {
            // Perhaps fewer would do; or all runs with fewer can be looked at.
            let most = CANDIDATE_SEARCH.min(refute.max_states);
            let options = RefuteOptions { max_states: most, max_requests: fewer, ..refute };
            let (system, progress) = (self.system, self.progress);
            match crate::refute(system, net, &self.automaton, &options, self.limits, progress) {
                Refuted::Yes(smaller) => found = *smaller,
                Refuted::No(searched) => found.fewest = searched.covers(fewer),
            }
        }
        Some(Answer::NotSerializable(Box::new(found)))
    }

    /// Tries arithmetic.
    fn arithmetic(&mut self, net: &Net, ground: &Ground, effort: Effort) -> Option<Answer> {
        if !self.options.methods.arithmetic || self.no_arithmetic || self.unknown.stop.is_some() {
            return None;
        }
        (self.progress)(Progress::Counting);
        let options = &self.options.arithmetic;
        let Ground { reduced, automaton, .. } = ground;
        let share = self.limits.share(effort.steps);
        match prove_counting(&reduced.net, automaton, options, effort, &share) {
            Ok(counting) => Some(proved(reduced.clone(), Argument::Arithmetic(counting))),
            Err(failure) => {
                let failure = match failure {
                    CountingFailure::Limit(Stop::Share) => CountingFailure::TooManyCases,
                    other => other,
                };
                if let CountingFailure::Limit(stop) = &failure {
                    self.unknown.stop = Some(stop.clone());
                }
                self.hungry |= failure == CountingFailure::TooManyCases;
                self.no_arithmetic |= failure == CountingFailure::SerialTooLarge;
                // A candidate that nothing rules out may be a counterexample. The search finds the
                // smallest one if it finds any; failing that, look for this one.
                if let CountingFailure::Candidate(outcome) = &failure {
                    let outcome = outcome.clone();
                    self.unknown.tried.push(Tried::Arithmetic(failure));
                    return self
                        .search(net, CANDIDATE_SEARCH)
                        .or_else(|| self.search_for(net, &outcome));
                }
                self.unknown.tried.push(Tried::Arithmetic(failure));
                None
            }
        }
    }

    /// Searches for a run with exactly this outcome, which is not serial.
    fn search_for(&mut self, net: &Net, outcome: &[(ser_net::Outcome, u32)]) -> Option<Answer> {
        if !self.options.methods.refute || self.unknown.stop.is_some() {
            return None;
        }
        let most = CANDIDATE_SEARCH.min(self.options.refute.max_states);
        let options = RefuteOptions { max_states: most, ..self.options.refute };
        let (system, automaton) = (self.system, &self.automaton);
        refute_outcome(system, net, automaton, outcome, &options, self.limits)
            .map(|found| Answer::NotSerializable(Box::new(found)))
    }

    /// Tries several ways to prove inclusion, where requests know how they will end.
    fn with_foresight(
        &mut self,
        ground: &Ground,
        words: &SerialWords,
        round: &Round,
    ) -> Option<Answer> {
        let Options { methods, inclusion, reductions, .. } = *self.options;
        if !methods.inclusion || !inclusion.prophecy || self.unknown.stop.is_some() {
            return None;
        }
        let Ground { reduced, automaton, foreseen } = ground;
        // If this reaches a limit, so does whatever comes next.
        let split = || foresee(reduced, automaton, reductions, self.limits).unwrap_or_default();
        let foreseen = foreseen.get_or_init(split).as_ref()?;
        self.inclusion(foreseen, words, round, &[Commit::Foreseen])
    }

    /// Tries several ways to prove inclusion.
    fn inclusion(
        &mut self,
        reduced: &Reduced,
        words: &SerialWords,
        round: &Round,
        commits: &[Commit],
    ) -> Option<Answer> {
        let options = self.options.inclusion;
        for attempt in round.attempts(commits).filter_map(|a| allowed(a, options)) {
            if !self.options.methods.inclusion || self.unknown.stop.is_some() {
                return None;
            }
            if self.hopeless.contains(&Attempt { max_triples: 0, ..attempt }) {
                continue;
            }
            (self.progress)(Progress::Proving { attempt });
            let share = self.limits.share(attempt.max_triples as u64 * STEPS_PER_TRIPLE);
            match prove_inclusion(&reduced.net, words, attempt, options.debts, &share) {
                Ok(invariant) => {
                    return Some(proved(reduced.clone(), Argument::Inclusion(invariant)));
                }
                Err(failure) => {
                    let failure = match failure {
                        Failure::Limit(Stop::Share) => Failure::TooManyTriples,
                        other => other,
                    };
                    if let Failure::Limit(stop) = &failure {
                        self.unknown.stop = Some(stop.clone());
                    }
                    self.hungry |= failure == Failure::TooManyTriples;
                    if failure == Failure::Unexplained {
                        self.hopeless.push(Attempt { max_triples: 0, ..attempt });
                    }
                    self.unknown.tried.push(Tried::Inclusion(attempt, failure));
                }
            }
        }
        None
    }
}

fn proved(reduced: Reduced, argument: Argument) -> Answer {
    let proof = Proof { reductions: reduced.applied, net: reduced.net, argument };
    Answer::Serializable(Box::new(proof))
}

/// The attempt as far as the options allow it.
fn allowed(attempt: Attempt, options: InclusionOptions) -> Option<Attempt> {
    let waiting = attempt.waiting && options.waiting;
    let labelled = attempt.commit == Commit::Determined;
    let possible = (options.labels || !labelled)
        && (options.promises || !attempt.promises)
        && (options.loops && options.stand_ins || !attempt.stand_ins);
    possible.then_some(Attempt { waiting, ..attempt })
}

impl Round {
    /// These ways to commit, with these counters.
    fn attempts<'a>(&'a self, commits: &'a [Commit]) -> impl Iterator<Item = Attempt> + 'a {
        self.attempts.iter().flat_map(|way| {
            let Way { cap, period, waiting, join, promises, stand_ins, triples } = *way;
            let max_triples = triples.saturating_mul(self.times);
            commits.iter().map(move |commit| Attempt {
                commit: *commit,
                cap,
                period,
                waiting,
                join,
                promises,
                stand_ins,
                max_triples,
            })
        })
    }
}

/// The first and the second attempt at arithmetic.
const QUICK_EFFORT: Effort = Effort {
    nodes: 100,
    phases: 0,
    pivots: 2_000,
    branches: 100,
    transitions: 300,
    steps: 20_000_000,
};
const THOROUGH_EFFORT: Effort = Effort {
    nodes: 2_000,
    phases: 2,
    pivots: 20_000,
    branches: 500,
    transitions: 600,
    steps: 200_000_000,
};

/// An attempt at inclusion, with either way to commit.
#[derive(Clone, Copy)]
struct Way {
    cap: u32,
    period: u32,
    waiting: bool,
    join: bool,
    promises: bool,
    stand_ins: bool,
    triples: usize,
}

/// Counting to 2.
const WAY: Way = Way {
    cap: 2,
    period: 1,
    waiting: false,
    join: false,
    promises: false,
    stand_ins: false,
    triples: 1_000,
};

/// Explanations that stand in for others.
const STAND_INS: Way = Way { join: true, stand_ins: true, triples: 10_000, ..WAY };

/// Promises instead of counting.
const PROMISES: Way = Way { cap: 0, join: true, promises: true, triples: 2_000, ..WAY };

/// An attempt may do so many small steps for each triple that it may have.
const STEPS_PER_TRIPLE: u64 = 1_000;

/// Attempts that fail or succeed fast.
const QUICK: [Way; 6] = [
    Way { join: true, ..WAY },
    Way { cap: 0, promises: true, ..STAND_INS },
    STAND_INS,
    WAY,
    Way { waiting: true, join: true, ..WAY },
    PROMISES,
];

/// Attempts with finer counters.
const FINER: Way = Way { waiting: true, triples: 5_000, ..WAY };
const THOROUGH: [Way; 8] = [
    Way { triples: 20_000, ..PROMISES },
    FINER,
    Way { cap: 4, ..FINER },
    // Only where it has to be, for what counts modulo the size of a domain, say.
    Way { cap: 64, join: true, ..FINER },
    Way { period: 2, ..FINER },
    Way { period: 3, ..FINER },
    Way { period: 4, ..FINER },
    Way { cap: 1, triples: 5_000, ..PROMISES },
];
