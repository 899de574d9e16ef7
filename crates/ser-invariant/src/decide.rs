//! The decision layer: is a condition valid?
//!
//! One small interface, [`decide`], over procedures that are tried from the cheapest on:
//!
//! 1. **locations**: propositional logic, where threads are, and nothing else: what is no location is a letter;
//! 2. **numbers**: linear integer arithmetic (and equality of threads, booleans);
//! 3. **sets**: finite sets of numbers with minimum and maximum, reduced to membership of the numbers that are mentioned;
//! 4. **lists**: a heap of cells with locks, sets of addresses and elements, reachability, ordered lists.
//!
//! They are layers of one search. A propositional solution of the negated condition is compared with the laws
//! of the theories ([`laws`]); instances that it breaks are added as clauses, until there is no solution (the condition is
//! *valid*, and the instances are its proof), or a solution that breaks none: it describes a model. For lists this is
//! the small model property of the theory in its local form: the addresses that are mentioned, and witnesses, are enough to tell. A
//! proof does not rest on that property, only on the laws; a model does not either, since it is evaluated before it is believed.

pub mod ground;
pub mod laws;
mod numbers;
pub mod violations;

use crate::environment::Write;
use crate::logic::{Atom, F, Logic, Sort, T};
use ground::{Ground, Places};
use rustc_hash::FxHashSet;
use ser_lang::inv::ast::{LocId, Scalar};
use ser_model::{Limits, Stop};
use ser_premises::Lemma;
use ser_sat::{Answer, Lit};
use std::collections::{BTreeMap, BTreeSet};
use violations::Step;

/// A condition, negated: is there a model of all of it?
pub struct Problem<'a> {
    /// The writes of the path.
    pub writes: &'a [Write],
    /// Locations and calls of the system.
    pub places: &'a Places,
    /// What holds in any case: facts, and the opposite of the goal.
    pub given: Vec<F>,
    /// Instances that may be used, with their formulas.
    pub support: Vec<F>,
    /// Which of it is tried only if nothing else helps.
    pub late: Vec<bool>,
    /// Whether all of the support is used from the start, not only what excludes a model.
    pub eager: bool,
    /// How many threads there are.
    pub blocks: u32,
}

/// Which procedure has shown that a condition is valid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Procedure {
    /// Locations only.
    Locations,
    /// Numbers and equality.
    Numbers,
    /// Sets of numbers.
    Sets,
    /// Lists in a heap.
    Lists,
}

/// The answer.
#[derive(Debug)]
pub enum Decision {
    /// There is no model: the condition is valid.
    Valid {
        /// Who has shown it.
        procedure: Procedure,
        /// Which of the support was needed.
        uses: Vec<usize>,
        /// Which laws were needed.
        lemmas: Vec<Lemma>,
    },
    /// There is one, with this solution.
    Model(Box<Solution>),
    /// It was not found out.
    Unknown(Reason),
}

/// Why it was not found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The limits came first.
    Stopped(Stop),
    /// Too many rounds.
    Rounds,
    /// Arithmetic gave up, or a number was too large.
    Arithmetic,
    /// There is a solution, but it could not be made into a model that is one.
    NoModel,
}

/// Values of everything that a propositional solution that breaks no law speaks of.
#[derive(Debug, Default)]
pub struct Solution {
    /// Values of atoms.
    pub atoms: BTreeMap<crate::logic::AtomId, bool>,
    /// Terms that are mentioned.
    pub terms: Vec<T>,
    /// Values of terms of type `int` that are no sums.
    pub numbers: BTreeMap<T, i64>,
    /// Where each thread can be.
    pub places: Vec<Vec<LocId>>,
    /// The writes of the path.
    pub writes: Vec<Write>,
    /// For elements `x` those that are at least as large.
    pub below: BTreeMap<T, BTreeSet<T>>,
}

impl Solution {
    /// Whether a formula holds in it; atoms that nobody asked for are false.
    pub fn holds(&self, logic: &Logic, f: F) -> bool {
        let positive = match logic.node(f) {
            crate::logic::Node::Atom(id) => self.atoms.get(id) == Some(&true),
            crate::logic::Node::And(parts) => parts.iter().all(|part| self.holds(logic, *part)),
        };
        positive != f.is_negated()
    }
}

/// How many times a solution may be compared with the laws.
const ROUNDS: usize = 3000;
/// How many lemmas a condition may need.
const LEMMAS: usize = 60_000;

/// Is there a model?
pub fn decide(logic: &mut Logic, problem: &Problem<'_>, limits: &Limits) -> Decision {
    let mut ground = Ground::new(logic, problem.writes, problem.places);
    problem.given.iter().for_each(|f| ground.assert(*f));
    if problem.eager {
        problem.support.iter().for_each(|f| ground.assert(*f));
    }
    let idle = Some(ground.assert_if(&[]));
    let mut attempt = Attempt {
        ground,
        problem,
        used: vec![problem.eager; problem.support.len()],
        steps: Vec::new(),
        said: FxHashSet::default(),
        thorough: false,
        assumed: Assumed { idle, usual: None },
    };
    for round in 0..ROUNDS {
        if std::env::var("TRACE").is_ok() {
            eprintln!(
                "round {round} atoms {} terms {} steps {} thorough {}",
                attempt.ground.atoms.len(),
                attempt.ground.terms.len(),
                attempt.steps.len(),
                attempt.thorough
            );
        }
        if let Some(decision) = attempt.round(limits) {
            return match decision {
                Round::Decided(decision) => decision,
                Round::NoSolution => {
                    let Attempt { ground, used, steps, .. } = attempt;
                    drop(ground);
                    valid(logic, problem, &used, steps, limits)
                }
            };
        }
    }
    Decision::Unknown(Reason::Rounds)
}

/// How a round ends the search.
enum Round {
    Decided(Decision),
    NoSolution,
}

/// The search for a model.
struct Attempt<'a, 'p> {
    ground: Ground<'a>,
    problem: &'p Problem<'p>,
    /// Which of the support is in use.
    used: Vec<bool>,
    steps: Vec<Step>,
    said: FxHashSet<Vec<F>>,
    /// Whether reachability is traced back to one finest cut.
    thorough: bool,
    /// Assumed as long as it can be.
    assumed: Assumed,
}

/// What no law says, but makes models simpler. Whatever contradicts it is not believed: the search goes on without.
struct Assumed {
    /// Witnesses that no law speaks of are nothing special.
    idle: Option<Lit>,
    /// The element of `null` is neither the lowest nor the highest, as in runs. Nothing if nobody has asked.
    usual: Option<Option<Lit>>,
}

impl Assumed {
    fn all(&self) -> Vec<Lit> {
        self.idle.into_iter().chain(self.usual.flatten()).collect()
    }

    /// Gives one of these up; whether there was any.
    fn give_up(&mut self, core: &[Lit]) -> bool {
        if self.usual.flatten().is_some_and(|lit| core.contains(&lit)) {
            self.usual = Some(None);
        } else if self.idle.is_some_and(|lit| core.contains(&lit)) {
            self.idle = None;
        } else {
            return false;
        }
        true
    }
}

impl Attempt<'_, '_> {
    /// Compares one solution with the laws.
    fn round(&mut self, limits: &Limits) -> Option<Round> {
        let unknown = |reason| Some(Round::Decided(Decision::Unknown(reason)));
        if self.ground.logic.overflowed() {
            return unknown(Reason::Arithmetic);
        }
        if let Err(stop) = limits.check(0, 0) {
            return unknown(Reason::Stopped(stop));
        }
        match self.ground.solve(&self.assumed.all(), limits) {
            Answer::Unsat => {
                let core = self.ground.core();
                return (!self.assumed.give_up(&core)).then_some(Round::NoSolution);
            }
            Answer::Unknown(stop) => return unknown(Reason::Stopped(stop)),
            Answer::Sat => {}
        }
        // First what is given, then what the laws say.
        if self.ground.misplaced() || self.add_support(|late, value| !late && value == Some(false))
        {
            return None;
        }
        let known = self.ground.atoms.len();
        let mut more = violations::needed(&mut self.ground, self.thorough);
        let mut values = BTreeMap::new();
        if more.is_empty() && self.ground.atoms.len() == known {
            match numbers::numbers(&mut self.ground) {
                numbers::Numbers::GaveUp => return unknown(Reason::Arithmetic),
                numbers::Numbers::Impossible(lemmas) => {
                    more.extend(lemmas.into_iter().map(|lemma| self.ground.step(lemma)));
                }
                numbers::Numbers::Unclear(f) => self.ground.ensure(f),
                numbers::Numbers::Possible(found) => {
                    let torn = numbers::torn(&self.ground, &found);
                    more = torn.into_iter().map(|lemma| self.ground.step(lemma)).collect();
                    values = found;
                }
            }
        }
        if self.add(more) || self.ground.atoms.len() > known {
            return (self.steps.len() > LEMMAS)
                .then(|| Round::Decided(Decision::Unknown(Reason::Rounds)));
        }
        // What is said about things that nobody asked for.
        if self.add_support(|late, value| !late && value.is_none())
            || self.add_support(|late, value| late && value != Some(true))
        {
            return None;
        }
        self.examine(values)
    }

    /// A solution that breaks no law that was looked at: is it a model?
    fn examine(&mut self, numbers: BTreeMap<T, i64>) -> Option<Round> {
        let blocks = self.problem.blocks;
        let atoms = self.ground.atoms.iter();
        let atoms = atoms.filter_map(|id| Some((*id, self.ground.value(*id)?))).collect();
        let places = (0..blocks).map(|block| self.ground.whereabouts(block)).collect();
        let below = violations::below(&mut self.ground);
        let terms = self.ground.terms.clone();
        let writes = self.problem.writes.to_vec();
        let solution = Solution { atoms, terms, numbers, places, writes, below };
        let found = violations::differences(&mut self.ground, &solution, blocks);
        if found.null_is_odd && self.assumed.usual.is_none() {
            let data = violations::null_is_usual(&mut self.ground);
            self.assumed.usual = Some(Some(self.ground.assert_if(&data)));
            return None;
        }
        if self.add(found.steps) {
            return None;
        }
        if found.any && !self.thorough {
            self.thorough = true;
            return None;
        }
        Some(Round::Decided(Decision::Model(Box::new(solution))))
    }

    /// Adds what was not said before; whether there was anything.
    fn add(&mut self, mut more: Vec<Step>) -> bool {
        more.sort_unstable();
        more.dedup();
        let before = self.steps.len();
        for step in more {
            if std::env::var("TRACE").is_ok() {
                eprintln!("step {:?} new {}", step.lemmas, !self.said.contains(&step.says));
            }
            if self.said.insert(step.says.clone()) {
                step.says.iter().for_each(|f| self.ground.assert(*f));
                if let Some(idle) = self.assumed.idle {
                    step.lemmas.iter().for_each(|lemma| self.ground.assert_idle(idle, lemma));
                }
                self.steps.push(step);
            }
        }
        self.steps.len() > before
    }

    /// Adds support whose value in the solution calls for it; whether there was any.
    fn add_support(&mut self, calls: impl Fn(bool, Option<bool>) -> bool) -> bool {
        let Attempt { ground, problem, used, .. } = self;
        let wrong: Vec<usize> = (0..used.len())
            .filter(|place| {
                let value = || ground.eval(problem.support[*place]);
                !used[*place] && calls(problem.late[*place], value())
            })
            .collect();
        for place in &wrong {
            ground.assert(problem.support[*place]);
            used[*place] = true;
        }
        !wrong.is_empty()
    }
}

/// There is no solution: what was needed for that?
fn valid(
    logic: &mut Logic,
    problem: &Problem<'_>,
    used: &[bool],
    steps: Vec<Step>,
    limits: &Limits,
) -> Decision {
    let used: Vec<usize> = (0..used.len()).filter(|place| used[*place]).collect();
    if used.is_empty() && steps.is_empty() {
        return Decision::Valid { procedure: Procedure::Locations, uses: used, lemmas: vec![] };
    }
    let mut ground = Ground::new(logic, problem.writes, problem.places);
    problem.given.iter().for_each(|f| ground.assert(*f));
    let instances: Vec<Lit> =
        used.iter().map(|place| ground.assert_if(&[problem.support[*place]])).collect();
    let laws: Vec<Lit> = steps.iter().map(|step| ground.assert_if(&step.says)).collect();
    let assumptions: Vec<Lit> = instances.iter().chain(&laws).copied().collect();
    loop {
        match ground.solve(&assumptions, limits) {
            Answer::Unsat => break,
            // Clauses about locations are found anew.
            Answer::Sat if ground.misplaced() => {}
            Answer::Sat => return Decision::Unknown(Reason::Rounds),
            Answer::Unknown(stop) => return Decision::Unknown(Reason::Stopped(stop)),
        }
    }
    let core: BTreeSet<Lit> = ground.core().into_iter().collect();
    let uses = used.iter().zip(&instances).filter(|(_, lit)| core.contains(lit));
    let uses = uses.map(|(place, _)| *place).collect();
    let steps = steps.into_iter().zip(&laws).filter(|(_, lit)| core.contains(lit));
    let lemmas: BTreeSet<Lemma> = steps.flat_map(|(step, _)| step.lemmas).collect();
    let lemmas: Vec<Lemma> = lemmas.into_iter().collect();
    let procedure = lemmas.iter().map(|lemma| procedure_of(ground.logic, lemma)).max();
    let procedure = procedure.unwrap_or(Procedure::Locations);
    Decision::Valid { procedure, uses, lemmas }
}

/// The procedure that knows a law.
fn procedure_of(logic: &Logic, lemma: &Lemma) -> Procedure {
    let numbers = |t: &u32| logic.element(T(*t)) == Scalar::Int;
    let threads = |t: &u32| logic.sort(T(*t)) == Sort::One(Scalar::Tid);
    match lemma {
        Lemma::Farkas(_) | Lemma::Split(_) => Procedure::Numbers,
        Lemma::Transitive(x, ..) if threads(x) => Procedure::Numbers,
        Lemma::Same(s, ..)
        | Lemma::NotSame(s, _)
        | Lemma::Subset(s, ..)
        | Lemma::NotSubset(s, _)
        | Lemma::Member(_, _, s)
        | Lemma::Some(s, _)
        | Lemma::Extreme(s)
        | Lemma::Least(s, _)
            if numbers(s) =>
        {
            Procedure::Sets
        }
        _ => Procedure::Lists,
    }
}

/// Whether an atom is about where threads are.
pub fn is_place(atom: &Atom) -> bool {
    matches!(atom, Atom::At(..) | Atom::Site(..))
}
