//! The decision layer: is a condition valid?
//!
//! One small interface, [`decide`], over procedures that are tried from the cheapest on:
//!
//! 1. **locations**: propositional logic, where threads are, and nothing else: what is no location
//!    is a letter;
//! 2. **numbers**: linear integer arithmetic (and equality of threads, booleans);
//! 3. **sets**: finite sets of numbers with minimum and maximum, reduced to membership of the
//!    numbers that are mentioned;
//! 4. **lists**: a heap of cells with locks, sets of addresses and elements, reachability, ordered
//!    lists.
//!
//! They are layers of one search. A propositional solution of the negated condition is compared
//! with the axioms of the theories ([`ser_invariance_checker::axiom`]); instances that it breaks
//! are added as clauses, until there is no solution (the condition is *valid*, and the instances
//! are its proof), or a solution that breaks none.
//!
//! Axioms are looked at where something is asked, so such a solution need not be a model yet. It is
//! made into a concrete state ([`crate::model::Model`]), every atom is evaluated there, and
//! wherever the two differ, the instances that explain the difference are added
//! ([`instantiate::differences`]). If they differ about ways, all ways are first traced back to
//! ways that leave none of the cells at which any cut is made: with one such *finest* cut, what is
//! reached is a forest with cycles, which the axioms of paths describe completely, and everything
//! else is defined by it. What is left without differences is a model by evaluation. For lists this
//! is the small model property of the theory in its local form: the addresses that are mentioned,
//! and witnesses, are enough to tell.
//!
//! A proof does not rest on any of this, only on the axioms. Nor does a model: should a difference
//! be left that no axiom explains, the solution is handed out as it is, and whoever asks evaluates
//! it before it is believed. What can stay open is what takes too many rounds: it is not shown that
//! witnesses come to an end, only that they do so for all of many thousand random formulas
//! (`tests/all/theories.rs`).

mod assumed;
pub mod ground;
pub mod instantiate;
mod numbers;

use crate::logic::{Atom, Formula, Logic, Sort, TermRef};
use assumed::Assumed;
use ground::{Ground, Places};
use instantiate::{Care, Step};
use rustc_hash::FxHashSet;
use ser_base::{Limits, Stop};
use ser_invariance_checker::Lemma;
use ser_invariance_checker::environment::{Heap, Write};
use ser_sat::{Answer, Lit};
use ser_syntax::inv::ast::{LocId, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// A condition, negated: is there a model of all of it?
pub struct Problem<'a> {
    /// The heap versions of the path.
    pub heap: &'a Heap,
    /// Locations and calls of the system.
    pub places: &'a Places,
    /// What holds in any case: facts, and the opposite of the goal.
    pub given: Vec<Formula>,
    /// Instances that may be used, with their formulas.
    pub support: Vec<Formula>,
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

#[derive(Debug)]
pub enum Decision {
    /// There is no model: the condition is valid.
    Valid {
        /// Who has shown it.
        procedure: Procedure,
        /// Which of the support was needed.
        uses: Vec<usize>,
        /// Which axioms were needed.
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
    /// A step has too many paths.
    Paths,
    /// Too many threads are spoken of at once.
    Cases,
    /// No run starts: everything would hold.
    NoStart,
    /// There is a solution, but it could not be made into a model that is one.
    NoModel,
}

/// Values of everything that a propositional solution that breaks no axiom speaks of.
#[derive(Debug, Default)]
pub struct Solution {
    pub atoms: BTreeMap<crate::logic::AtomId, bool>,
    /// Terms that are mentioned.
    pub terms: Vec<TermRef>,
    /// Values of terms of type `int` that are no sums.
    pub numbers: BTreeMap<TermRef, i64>,
    /// Where each thread can be.
    pub places: Vec<Vec<LocId>>,
    /// The writes of the path.
    pub writes: Vec<Write>,
    /// For elements `x` those that are at least as large.
    pub below: BTreeMap<TermRef, BTreeSet<TermRef>>,
}

impl Solution {
    /// Whether a formula holds in it; atoms that nobody asked for are false.
    pub fn holds(&self, logic: &Logic, f: Formula) -> bool {
        let positive = match logic.node(f) {
            crate::logic::Node::Atom(id) => self.atoms.get(id) == Some(&true),
            crate::logic::Node::And(parts) => parts.iter().all(|part| self.holds(logic, *part)),
        };
        positive != f.is_negated()
    }
}

/// How many times a solution may be compared with the axioms.
const ROUNDS: usize = 3000;
/// How many lemmas a condition may need.
const LEMMAS: usize = 60_000;

/// Is there a model?
pub fn decide(logic: &mut Logic, problem: &Problem<'_>, limits: &Limits) -> Decision {
    let mut search = Search {
        ground: Ground::new(logic, problem.heap, problem.places),
        problem,
        used: vec![problem.eager; problem.support.len()],
        steps: Vec::new(),
        said: FxHashSet::default(),
        finest: false,
        assumed: Assumed::default(),
    };
    problem.given.iter().for_each(|f| search.ground.assert(*f));
    if problem.eager {
        problem.support.iter().for_each(|f| search.ground.assert(*f));
    }
    for _ in 0..ROUNDS {
        if search.ground.logic.overflowed() {
            return Decision::Unknown(Reason::Arithmetic);
        }
        if let Err(stop) = limits.check(0, 0) {
            return Decision::Unknown(Reason::Stopped(stop));
        }
        match search.ground.solve(search.assumed.lits(), limits) {
            Answer::Unsat if search.assumed.give_up(&search.ground.core()) => continue,
            Answer::Unsat => {
                let Search { used, steps, .. } = search;
                return valid(logic, problem, &used, steps, limits);
            }
            Answer::Unknown(stop) => return Decision::Unknown(Reason::Stopped(stop)),
            Answer::Sat => {}
        }
        match search.refine() {
            Refined::Again => {}
            Refined::Model(solution) => return Decision::Model(solution),
            Refined::GaveUp => return Decision::Unknown(Reason::Arithmetic),
        }
        if search.steps.len() > LEMMAS {
            break;
        }
    }
    Decision::Unknown(Reason::Rounds)
}

/// The search for a model.
struct Search<'a> {
    ground: Ground<'a>,
    problem: &'a Problem<'a>,
    /// Which of the support is asserted.
    used: Vec<bool>,
    /// What was added because of axioms.
    steps: Vec<Step>,
    said: FxHashSet<Vec<Formula>>,
    /// Whether reachability is traced back to one finest cut.
    finest: bool,
    assumed: Assumed,
}

enum Refined {
    /// The solution was excluded, or more is asked of it.
    Again,
    /// It describes a model.
    Model(Box<Solution>),
    /// Arithmetic gave up.
    GaveUp,
}

impl Search<'_> {
    /// Compares the solution with everything that it should obey: what is likely to exclude it
    /// comes first.
    fn refine(&mut self) -> Refined {
        if self.ground.misplaced()
            || self.support(|late, value| !late && value == Some(false))
            || self.instantiate(false)
        {
            return Refined::Again;
        }
        let values = match numbers::numbers(&mut self.ground) {
            numbers::Numbers::GaveUp => return Refined::GaveUp,
            numbers::Numbers::Impossible(lemma) => {
                let step = self.ground.step(lemma);
                return if self.add(vec![step]) { Refined::Again } else { Refined::GaveUp };
            }
            numbers::Numbers::Unclear(f) => {
                self.ground.ensure(f);
                return Refined::Again;
            }
            numbers::Numbers::Possible(values) => values,
        };
        let torn = numbers::torn(&self.ground, &values);
        let torn = torn.into_iter().map(|lemma| self.ground.step(lemma)).collect();
        if self.add(torn)
            // What is said about things that nobody asked for.
            || self.support(|late, value| !late && value.is_none())
            || self.instantiate(true)
            || self.support(|late, value| late && value != Some(true))
        {
            return Refined::Again;
        }
        let ground = &mut self.ground;
        let atoms = ground.atoms.iter();
        let atoms = atoms.filter_map(|id| Some((*id, ground.value(*id)?))).collect();
        let places = (0..self.problem.blocks).map(|block| ground.whereabouts(block)).collect();
        let mut below: BTreeMap<TermRef, BTreeSet<TermRef>> = BTreeMap::new();
        for (x, y) in instantiate::below(ground) {
            below.entry(x).or_default().insert(y);
        }
        let terms = ground.terms.clone();
        let writes = self.problem.heap.writes().to_vec();
        self.examine(Solution { atoms, terms, numbers: values, places, writes, below })
    }

    /// A solution that breaks no axiom that was looked at: is it a model?
    fn examine(&mut self, solution: Solution) -> Refined {
        let found =
            instantiate::differences(&mut self.ground, &solution, self.problem.blocks, self.finest);
        let grown = self.add(found.steps);
        if found.null_is_odd && self.assumed.null_is_usual(&mut self.ground) {
            return Refined::Again;
        }
        if grown {
            return Refined::Again;
        }
        if found.any && !self.finest {
            self.finest = true;
            return Refined::Again;
        }
        Refined::Model(Box::new(solution))
    }

    /// Adds what axioms say that the solution breaks; whether there is anything new.
    fn instantiate(&mut self, thorough: bool) -> bool {
        let known = self.ground.atoms.len();
        let care = match thorough {
            _ if self.finest => Care::Finest,
            true => Care::Thorough,
            false => Care::Usual,
        };
        let steps = instantiate::needed(&mut self.ground, care);
        let asked = self.ground.atoms.len() > known;
        self.add(steps) || asked
    }

    fn add(&mut self, mut steps: Vec<Step>) -> bool {
        steps.sort_unstable();
        let mut grown = false;
        for step in steps {
            if self.said.insert(step.says.clone()) {
                step.says.iter().for_each(|f| self.ground.assert(*f));
                step.lemmas.iter().for_each(|it| self.assumed.idle(&mut self.ground, it));
                self.steps.push(step);
                grown = true;
            }
        }
        grown
    }

    /// Adds support whose value in the solution calls for it; whether there was any.
    fn support(&mut self, calls: impl Fn(bool, Option<bool>) -> bool) -> bool {
        let Problem { support, late, .. } = self.problem;
        let wrong: Vec<usize> = (0..support.len())
            .filter(|place| !self.used[*place])
            .filter(|place| calls(late[*place], self.ground.eval(support[*place])))
            .collect();
        for place in &wrong {
            self.ground.assert(support[*place]);
            self.used[*place] = true;
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
    let mut ground = Ground::new(logic, problem.heap, problem.places);
    problem.given.iter().for_each(|f| ground.assert(*f));
    let instances: Vec<Lit> =
        used.iter().map(|place| ground.assert_if(&[problem.support[*place]])).collect();
    let added: Vec<Lit> = steps.iter().map(|step| ground.assert_if(&step.says)).collect();
    let assumptions: Vec<Lit> = instances.iter().chain(&added).copied().collect();
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
    let steps = steps.into_iter().zip(&added).filter(|(_, lit)| core.contains(lit));
    let lemmas: BTreeSet<Lemma> = steps.flat_map(|(step, _)| step.lemmas).collect();
    let lemmas: Vec<Lemma> = lemmas.into_iter().collect();
    let procedure = lemmas.iter().map(|lemma| procedure_of(ground.logic, lemma)).max();
    let procedure = procedure.unwrap_or(Procedure::Locations);
    Decision::Valid { procedure, uses, lemmas }
}

/// The procedure that knows an axiom.
fn procedure_of(logic: &Logic, lemma: &Lemma) -> Procedure {
    let numbers = |t: &TermRef| logic.element(*t) == Some(Scalar::Int);
    let threads = |t: &TermRef| logic.sort(*t) == Sort::One(Scalar::Tid);
    match lemma {
        Lemma::Farkas(_) | Lemma::Split(_) => Procedure::Numbers,
        Lemma::Transitive(x, ..) if threads(x) => Procedure::Numbers,
        Lemma::Same(s, t, _)
        | Lemma::NotSame(s, t)
        | Lemma::Subset(s, t, _)
        | Lemma::NotSubset(s, t)
            if numbers(s) || numbers(t) =>
        {
            Procedure::Sets
        }
        Lemma::Member(_, _, s) | Lemma::Some(s, _) | Lemma::Extreme(s) | Lemma::Least(s, _)
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
