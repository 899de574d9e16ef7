//! Arithmetic: counting how often each transition fires.
//!
//! For each global state in which a run may end, the numbers x of firings satisfy the state
//! equation. The outcome is a linear function of x, and has to be in one of the components of the
//! serial outcomes. The region of possible x is split until each part is impossible or provably
//! within one component:
//!
//! 1. if the hypotheses contradict each other over the rationals or the integers, done;
//! 2. otherwise take a smallest integer candidate. If its outcome is in no component, either it
//!    cannot fire in any order, and a *cut* says so: a set of places that is empty at the start (or
//!    at the end), so whoever takes from it needs somebody who brought a token in; or the run is
//!    divided at the last occurrence of a transition, and a cut of one part says so; or it may be a
//!    counterexample;
//! 3. if its outcome is in a component, look for affine coefficients ([`super::lambda`]) that give
//!    the outcome of every x here. If they are integers and not negative, this part is done; if
//!    not, split on what is missing: a sign, or a remainder.
//!
//! Where that takes more than a few cases, [`super::regions`] comes first: it splits the counts of
//! letters instead, which are fewer.
//!
//! The semilinear set of serial outcomes is never complemented.

use super::lambda::{Lattice, independent};
use super::regions::{self, Lemmas};
use super::scope::Scope;
use super::serial_outcomes::{self, serial_outcomes};
use super::tree::{Phase, Spot, Tree};
use crate::ArithmeticOptions;
use ser_arith::{
    Check, Entails, Int, IntegerMinimum, Linear, Minimum, Outcomes, Point, Ratio, TooLarge, Var,
    integer_infeasible, integer_minimize,
};
use ser_base::{Limits, Stop};
use ser_net::{Effect, Net, Outcome, PlaceId, SerialAutomaton};

/// A proof by arithmetic.
#[derive(Clone, Debug)]
pub struct Counting {
    /// All letters of the net and of the automaton.
    pub letters: Vec<Outcome>,
    /// Edges of the serial automaton, which the words of components refer to.
    pub edges: Vec<ser_net::Edge>,
    /// The serial outcomes.
    pub components: Vec<ser_arith::Component>,
    /// For each global state in which a run may end, a tree; or one tree for all.
    pub cases: Vec<(Option<u32>, Tree)>,
}

/// Why arithmetic did not give a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CountingFailure {
    /// The net or the serial automaton is too large to start with.
    TooLarge,
    /// The serial outcomes are too many components.
    SerialTooLarge,
    TooManyCases,
    /// A candidate that every cut allows, and whose outcome is not serial.
    Candidate(Vec<(Outcome, u32)>),
    /// Nothing more to split on.
    Stuck,
    Limit(Stop),
}

/// Larger automata have too many components.
const MAX_EDGES: usize = 200;

/// The most transitions for cases of transitions.
const MANY_TRANSITIONS: usize = 300;

/// The most components of the serial outcomes.
const MAX_COMPONENTS: usize = 400;

/// The deepest tree.
const MAX_DEPTH: usize = 60;

/// So many cases of transitions are few.
const FEW_NODES: usize = 20;

/// How hard to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effort {
    /// The most nodes of all trees together.
    pub nodes: usize,
    /// The most divisions of the run at last occurrences, one inside the other.
    pub phases: usize,
    /// The most pivots of one question to the simplex.
    pub pivots: usize,
    /// The most nodes for finding one integer candidate.
    pub branches: usize,
    /// The most transitions of a net: larger ones have too many unknowns.
    pub transitions: usize,
    /// The most small steps in all.
    pub steps: u64,
}

impl Effort {
    /// So many times as much.
    pub fn times(self, times: usize) -> Effort {
        let (nodes, transitions) = (self.nodes, self.transitions);
        Effort {
            nodes: nodes.saturating_mul(times),
            transitions: transitions.saturating_mul(times),
            steps: self.steps.saturating_mul(times as u64),
            ..self
        }
    }
}

/// Looks for a proof by arithmetic.
pub(crate) fn prove_counting(
    net: &Net,
    automaton: &SerialAutomaton,
    options: &ArithmeticOptions,
    effort: Effort,
    limits: &Limits,
) -> Result<Counting, CountingFailure> {
    if automaton.edges.len() > MAX_EDGES || net.transitions.len() > effort.transitions {
        return Err(CountingFailure::TooLarge);
    }
    let respond = |t: &ser_net::Transition| match t.effect {
        Effect::Respond(outcome) => Some(outcome),
        Effect::InFlight(_) => None,
    };
    let letters = ser_net::letters(net, automaton);
    let number = |o: Outcome| letters.partition_point(|l| *l < o);
    let sizes = serial_outcomes::limits(MAX_COMPONENTS, limits);
    let serial = serial_outcomes(automaton, &letters, options.outcomes, &sizes);
    let serial = serial.map_err(|too_large| match (too_large, limits.check_clock()) {
        (TooLarge::Stopped, Err(stop)) => CountingFailure::Limit(stop),
        _ => CountingFailure::SerialTooLarge,
    })?;
    let phases = if options.phases { effort.phases } else { 0 };
    let effort = Effort { phases, ..effort };
    let mut outcome = vec![Linear::zero(); letters.len()];
    for (i, t) in net.transitions.iter().enumerate() {
        if let Some(o) = respond(t) {
            let form = &mut outcome[number(o)];
            *form = form.plus_scaled(&Ratio::from(1), &Linear::var(Var(i as u32)));
        }
    }
    let cuts = options.cuts;
    let mut ends: Vec<u32> =
        net.transitions.iter().map(|t| t.after.0).chain([net.initial.0]).collect();
    ends.sort_unstable();
    ends.dedup();
    let by_transitions = |nodes: usize| {
        let (letters, serial, outcome) = (&letters, &serial, &outcome);
        let (effort, lemmas) = (Effort { nodes, ..effort }, None);
        let mut prover =
            Prover { net, letters, serial, outcome, limits, nodes: 0, effort, cuts, lemmas };
        let each = ends.iter().map(|end| {
            let mut scope = Scope::new(net, Some(*end), effort.pivots);
            scope.simplex.set_clock(limits.clone());
            Ok((Some(*end), prover.prove(&mut scope, 0)?))
        });
        each.collect::<Result<Vec<(Option<u32>, Tree)>, CountingFailure>>()
    };
    // A few cases are the shortest proof. Then what all runs have in common, then many cases.
    let few = if options.clauses { FEW_NODES.min(effort.nodes) } else { effort.nodes };
    let many = net.transitions.len() > MANY_TRANSITIONS;
    let mut found = if many { Err(CountingFailure::TooLarge) } else { by_transitions(few) };
    if options.clauses && found.is_err() && limits.check_clock().is_ok() {
        let tree = regions::prove(net, &letters, &outcome, &serial, (effort, cuts), limits);
        found = tree.map(|tree| vec![(None, tree)]);
        if found.is_err() && !many && few < effort.nodes && limits.check_clock().is_ok() {
            found = by_transitions(effort.nodes);
        }
    }
    // Whatever it looks like from inside: when time is up, that is the reason.
    let mut cases = found.map_err(|failure| match limits.check_clock() {
        Ok(()) => failure,
        Err(stop) => CountingFailure::Limit(stop),
    })?;
    let mut used = Vec::new();
    for (_, tree) in &cases {
        tree.for_each_component(&mut |component| used.push(component));
    }
    let (components, renamed) = serial.only(&used);
    for (_, tree) in &mut cases {
        tree.rename_components(&|component| renamed.get(&component).copied().unwrap_or(component));
    }
    Ok(Counting { letters, edges: automaton.edges.clone(), components, cases })
}

pub(super) struct Prover<'a> {
    pub net: &'a Net,
    pub letters: &'a [Outcome],
    pub serial: &'a Outcomes,
    /// How often each letter occurs, as a form in what the variables count.
    pub outcome: &'a [Linear],
    pub limits: &'a Limits,
    pub nodes: usize,
    pub effort: Effort,
    /// Whether to look at the order of firings at all.
    pub cuts: bool,
    /// What is known about the counts of letters of all runs, if these are the variables.
    pub lemmas: Option<Lemmas<'a>>,
}

/// What to do about a component that contains the candidate.
enum Plan {
    /// It contains all outcomes here.
    Done(Tree),
    /// It does if this form is not negative, and so many forms in all.
    Sign(Linear, usize),
    /// It does if this form is divisible.
    Remainder(Linear, u64),
    /// It does, as far as this form is concerned, if it is zero, and so many forms in all.
    Zero(Linear, usize),
}

impl Prover<'_> {
    pub(super) fn prove(
        &mut self,
        scope: &mut Scope,
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        self.nodes += 1;
        if self.nodes > self.effort.nodes || depth > MAX_DEPTH {
            return Err(CountingFailure::TooManyCases);
        }
        self.limits.check_clock().map_err(CountingFailure::Limit)?;
        match scope.simplex.check() {
            Check::Infeasible(multipliers) => return Ok(Tree::Farkas(multipliers)),
            Check::Limit => return Err(CountingFailure::Stuck),
            Check::Feasible(_) => {}
        }
        let total =
            Linear::new((0..scope.counts as u32).map(|i| (Var(i), Ratio::from(1))), Ratio::ZERO);
        let equalities = scope.equalities();
        let candidate =
            match integer_minimize(&mut scope.simplex, &scope.vars, &total, self.effort.branches) {
                IntegerMinimum::Found { point, .. } => point,
                IntegerMinimum::Infeasible | IntegerMinimum::Limit => {
                    return match integer_infeasible(&equalities) {
                        Some(multipliers) => Ok(Tree::Lattice(multipliers)),
                        None => self.split_fraction(scope, &total, depth),
                    };
                }
                IntegerMinimum::Unbounded => return Err(CountingFailure::Stuck),
            };
        let counts: Option<Vec<i64>> =
            self.outcome.iter().map(|form| form.evaluate(&candidate).to_i64()).collect();
        let counts = counts.ok_or(CountingFailure::Stuck)?;
        let found = |at: &usize| self.serial.components[*at].contains(&counts).ok().flatten();
        let containing: Vec<(usize, Option<Vec<i64>>)> =
            self.serial.maximal.iter().map(|at| (*at, found(at))).collect();
        if containing.iter().all(|(_, found)| found.is_none()) {
            return match self.lemmas {
                Some(_) => self.exclude(scope, &counts, depth),
                None => self.cut(scope, &candidate, &counts, depth),
            };
        }
        let lattice = Lattice::new(&scope.vars, &equalities).ok_or(CountingFailure::Stuck)?;
        let mut best: Option<(usize, Plan)> = None;
        for (component, found) in containing {
            // Few letters: then other components may tell where to split, too.
            if found.is_none() && self.lemmas.is_none() {
                continue;
            }
            for chosen in self.choices(component, found.as_deref()) {
                let plan = self.plan(scope, &lattice, component, found.as_deref(), &chosen);
                let Some(plan) = plan else { continue };
                if let Plan::Done(tree) = plan {
                    return Ok(tree);
                }
                let cost = self.cost(&plan) + usize::from(found.is_none());
                if best.as_ref().is_none_or(|(least, _)| cost < *least)
                    && (found.is_some() || self.is_possible(scope, &plan))
                {
                    best = Some((cost, plan));
                }
            }
        }
        let best = best.map(|(_, plan)| plan);
        match best {
            Some(Plan::Sign(form, _)) => self.split(scope, &form, -1, depth),
            Some(Plan::Remainder(form, divisor)) => self.modulo(scope, &form, divisor, depth),
            Some(Plan::Zero(form, _)) => self.sign(scope, &form, depth),
            Some(Plan::Done(tree)) => Ok(tree),
            None => Err(CountingFailure::Stuck),
        }
    }

    /// Linearly independent periods of a component, those first that the candidate uses.
    fn choices(&self, component: usize, found: Option<&[i64]>) -> Vec<Vec<usize>> {
        let set = &self.serial.components[component];
        let uses = |j: &usize| found.and_then(|f| f.get(*j)).copied().unwrap_or(0);
        let mut order: Vec<usize> = (0..set.periods.len()).collect();
        order.sort_by_key(|j| (uses(j) == 0, *j));
        let first = independent(&set.periods, &order);
        if self.lemmas.is_none() || first.len() == set.periods.len() {
            return vec![first];
        }
        let mut choices = vec![first];
        order.sort_by_key(|j| (uses(j) == 0, std::cmp::Reverse(*j)));
        choices.push(independent(&set.periods, &order));
        order.sort_by_key(|j| (std::cmp::Reverse(uses(j)), *j));
        choices.push(independent(&set.periods, &order));
        // Few letters each: then conditions are about few letters, too.
        order.sort_by_key(|j| (set.periods[*j].iter().filter(|n| **n > 0).count(), *j));
        choices.push(independent(&set.periods, &order));
        choices.iter_mut().for_each(|choice| choice.sort_unstable());
        choices.dedup();
        choices
    }

    /// How much is missing.
    fn cost(&self, plan: &Plan) -> usize {
        match plan {
            Plan::Done(_) => 0,
            Plan::Sign(_, missing) => 3 * missing,
            Plan::Remainder(form, ..) if self.lemmas.is_some() => 2 + 2 * form.terms().len(),
            Plan::Zero(_, missing) if self.lemmas.is_some() => 3 * missing + 1,
            Plan::Remainder(..) => usize::MAX - 2,
            Plan::Zero(..) => usize::MAX - 1,
        }
    }

    /// Whether what is missing may be true here.
    fn is_possible(&self, scope: &mut Scope, plan: &Plan) -> bool {
        let mut above = |form: &Linear| match scope.simplex.minimize(&-form) {
            Minimum::Optimal { value, .. } => !value.is_positive(),
            Minimum::Unbounded => true,
            Minimum::Infeasible(_) | Minimum::Limit => false,
        };
        match plan {
            Plan::Done(_) => true,
            Plan::Sign(form, _) => above(form),
            Plan::Zero(form, _) => above(form) && above(&-form),
            Plan::Remainder(form, divisor) => {
                let divisor = Int::from(*divisor as i64);
                !form.terms().all(|(_, c)| divisor.divides(c.numerator()))
            }
        }
    }

    /// What it takes for a component to contain all outcomes here, if periods that are not chosen
    /// are used as often as in the candidate.
    fn plan(
        &self,
        scope: &mut Scope,
        lattice: &Lattice,
        component: usize,
        found: Option<&[i64]>,
        chosen: &[usize],
    ) -> Option<Plan> {
        let set = &self.serial.components[component];
        let periods: Vec<&Vec<i64>> = chosen.iter().map(|j| &set.periods[*j]).collect();
        let mut fixed = found.map_or_else(|| vec![0; set.periods.len()], <[i64]>::to_vec);
        chosen.iter().for_each(|j| fixed[*j] = 0);
        let base = set.member(&fixed)?;
        let forms = match lattice.coefficients(self.outcome, &base, &periods) {
            Ok(forms) => forms,
            Err((form, missing)) => return Some(Plan::Zero(form, missing)),
        };
        let mut lambda: Vec<Linear> = fixed.iter().map(|n| Linear::constant(*n)).collect();
        for (j, form) in chosen.iter().zip(forms) {
            lambda[*j] = form;
        }
        if let Some(form) = lambda.iter().find(|form| !form.is_integral()) {
            let (divisor, scaled) = form.clear_denominators();
            let divisor = u64::try_from(divisor.to_i64()?).ok().filter(|d| *d <= 24)?;
            return Some(Plan::Remainder(scaled, divisor));
        }
        let mut nonneg = Vec::new();
        let mut missing: Option<(Linear, usize)> = None;
        for form in &lambda {
            match scope.simplex.entails_integral(form) {
                Entails::Proved(multipliers) => nonneg.push(multipliers),
                Entails::Refuted(_) => {
                    let (form, count) = missing.take().unwrap_or_else(|| (form.clone(), 0));
                    missing = Some((form, count + 1));
                }
                Entails::Infeasible(_) | Entails::Limit => return None,
            }
        }
        if let Some((form, count)) = missing {
            return Some(Plan::Sign(form, count));
        }
        let mut equal = Vec::new();
        for (letter, form) in self.outcome.iter().enumerate() {
            let mut rest = form.plus_scaled(&Ratio::from(-1), &Linear::constant(set.base[letter]));
            for (period, times) in set.periods.iter().zip(&lambda) {
                rest = rest.plus_scaled(&Ratio::from(-period[letter]), times);
            }
            equal.push(scope.simplex.entails_eq(&rest)?);
        }
        Some(Plan::Done(Tree::Member { component, lambda, nonneg, equal }))
    }

    /// Excludes counts that no run has: each literal of a clause holds, or none.
    fn exclude(
        &mut self,
        scope: &mut Scope,
        counts: &[i64],
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        let Some(lemmas) = &mut self.lemmas else { return Err(CountingFailure::Stuck) };
        let clause = lemmas.excluding(counts)?;
        self.clause(scope, clause, 0, depth)
    }

    /// One of the literals of a clause holds, the first ones of which do not.
    pub(super) fn clause(
        &mut self,
        scope: &mut Scope,
        clause: usize,
        known: usize,
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        let literals = self.lemmas.as_ref().and_then(|l| l.clauses.get(clause));
        let Some(literals) = literals.map(|c| &c.literals) else {
            return Err(CountingFailure::Stuck);
        };
        let hypothesis = scope.next_hypothesis;
        let Some(form) = literals.get(known).cloned() else {
            let (first, first_var) = (hypothesis - known, scope.next_var);
            return Ok(Tree::Lemma { clause, first_hypothesis: first, first_var });
        };
        scope.next_hypothesis += 1;
        let violated = Linear::constant(-1) - form.clone();
        let le = scope.branch(
            |s| s.assert_ge(hypothesis, &violated),
            |scope| self.clause(scope, clause, known + 1, depth + 1),
        )?;
        let gt = scope
            .branch(|s| s.assert_ge(hypothesis, &form), |scope| self.prove(scope, depth + 1))?;
        scope.next_hypothesis -= 1;
        Ok(Tree::Split { form, at: -1, hypothesis, branches: Box::new((le, gt)) })
    }

    /// The form is at most `at`, or larger.
    fn split(
        &mut self,
        scope: &mut Scope,
        form: &Linear,
        at: i64,
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        let hypothesis = scope.next_hypothesis;
        scope.next_hypothesis += 1;
        let below = Linear::constant(at) - form.clone();
        let above = form.clone() - Linear::constant(at + 1);
        let le = scope
            .branch(|s| s.assert_ge(hypothesis, &below), |scope| self.prove(scope, depth + 1))?;
        let gt = scope
            .branch(|s| s.assert_ge(hypothesis, &above), |scope| self.prove(scope, depth + 1))?;
        scope.next_hypothesis -= 1;
        Ok(Tree::Split { form: form.clone(), at, hypothesis, branches: Box::new((le, gt)) })
    }

    /// The form is negative, zero or positive.
    fn sign(
        &mut self,
        scope: &mut Scope,
        form: &Linear,
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        let hypothesis = scope.next_hypothesis;
        scope.next_hypothesis += 1;
        // First where the candidate is.
        let zero = scope
            .branch(|s| s.assert_eq(hypothesis, form), |scope| self.prove(scope, depth + 1))?;
        let below = Linear::constant(-1) - form.clone();
        let negative = scope
            .branch(|s| s.assert_ge(hypothesis, &below), |scope| self.prove(scope, depth + 1))?;
        let above = form.clone() - Linear::constant(1);
        let positive = scope
            .branch(|s| s.assert_ge(hypothesis, &above), |scope| self.prove(scope, depth + 1))?;
        scope.next_hypothesis -= 1;
        let branches = Box::new([negative, zero, positive]);
        Ok(Tree::Sign { form: form.clone(), hypothesis, branches })
    }

    /// Splits on a variable that is not an integer at the rational minimum.
    fn split_fraction(
        &mut self,
        scope: &mut Scope,
        total: &Linear,
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        let Minimum::Optimal { point, .. } = scope.simplex.minimize(total) else {
            return Err(CountingFailure::Stuck);
        };
        // Quotients of other branches are still variables of the simplex, but mean nothing here.
        let fraction =
            point.iter().find(|(var, value)| scope.vars.contains(*var) && !value.is_integer());
        let Some((var, value)) = fraction else { return Err(CountingFailure::Stuck) };
        let floor: Int = value.floor();
        let at = floor.to_i64().ok_or(CountingFailure::Stuck)?;
        self.split(scope, &Linear::var(*var), at, depth)
    }

    /// The remainder of a form.
    fn modulo(
        &mut self,
        scope: &mut Scope,
        form: &Linear,
        divisor: u64,
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        let hypothesis = scope.next_hypothesis;
        let quotient = Var(scope.next_var);
        scope.next_hypothesis += 1;
        scope.next_var += 1;
        scope.simplex.declare(quotient, false);
        scope.vars.push(quotient);
        let mut branches = Vec::new();
        for remainder in 0..divisor {
            let times = Linear::term(divisor as i64, quotient);
            let equation = form.clone() - times - Linear::constant(remainder as i64);
            let branch = scope.branch(
                |s| s.assert_eq(hypothesis, &equation),
                |scope| self.prove(scope, depth + 1),
            )?;
            branches.push(branch);
        }
        scope.vars.pop();
        scope.next_hypothesis -= 1;
        Ok(Tree::Modulo { form: form.clone(), divisor, hypothesis, quotient, branches })
    }

    /// Excludes a candidate that cannot fire in any order.
    fn cut(
        &mut self,
        scope: &mut Scope,
        candidate: &Point,
        counts: &[i64],
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        // The whole run first, then the parts that have one end in common with it.
        let count = self.net.transitions.len();
        let whole: Vec<Linear> = (0..count).map(|i| Linear::var(Var(i as u32))).collect();
        let mut parts = vec![(None, false, whole.clone()), (None, true, whole)];
        for (hypothesis, transition, phase) in &scope.phases {
            let first = (0..count).map(|i| scope.first(*transition, *phase, i)).collect();
            let second = (0..count).map(|i| scope.second(*transition, *phase, i)).collect();
            parts.push((Some(*hypothesis), false, first));
            parts.push((Some(*hypothesis), true, second));
        }
        for (phase, at_end, forms) in parts {
            let fires = |i: &usize| !forms[*i].evaluate(candidate).is_zero();
            let support: Vec<usize> = (0..count).filter(fires).collect();
            if let Some(spots) = self.unmarked(&support, scope.end, at_end) {
                return self.cut_at(scope, spots, at_end, phase, &forms, depth);
            }
        }
        if let Some(transition) = self.dividing(scope, candidate) {
            return self.last(scope, transition, depth);
        }
        let outcome = self.letters.iter().zip(counts).filter(|(_, n)| **n > 0);
        let outcome = outcome.map(|(o, n)| (*o, u32::try_from(*n).unwrap_or(u32::MAX)));
        Err(CountingFailure::Candidate(outcome.collect()))
    }

    /// Whoever takes from places that are empty needs somebody who brings a token in.
    fn cut_at(
        &mut self,
        scope: &mut Scope,
        spots: Vec<Spot>,
        at_end: bool,
        phase: Option<usize>,
        forms: &[Linear],
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        let (mut users, mut bringers) = (Linear::zero(), Linear::zero());
        for (t, fires) in self.net.transitions.iter().zip(forms) {
            let ends = |global: u32, place: Option<PlaceId>| {
                spots.contains(&Spot::Global(global))
                    || place.is_some_and(|p| spots.contains(&Spot::Place(p)))
            };
            let (takes, gives) = (ends(t.before.0, t.takes), ends(t.after.0, t.gives()));
            let (uses, brings) = if at_end { (gives, takes) } else { (takes, gives) };
            if uses {
                users = users.plus_scaled(&Ratio::from(1), fires);
            } else if brings {
                bringers = bringers.plus_scaled(&Ratio::from(1), fires);
            }
        }
        let hypothesis = scope.next_hypothesis;
        scope.next_hypothesis += 1;
        let somebody = bringers - Linear::constant(1);
        let none = scope
            .branch(|s| s.assert_eq(hypothesis, &users), |scope| self.prove(scope, depth + 1))?;
        let some = scope
            .branch(|s| s.assert_ge(hypothesis, &somebody), |scope| self.prove(scope, depth + 1))?;
        scope.next_hypothesis -= 1;
        Ok(Tree::Cut { spots, at_end, phase, hypothesis, branches: Box::new((none, some)) })
    }

    /// A transition of the candidate whose last occurrence shows that the candidate cannot fire.
    fn dividing(&self, scope: &mut Scope, candidate: &Point) -> Option<usize> {
        if scope.phases.len() >= self.effort.phases {
            return None;
        }
        let count = self.net.transitions.len();
        let phase = self.next_phase(scope);
        let fires = |i: &usize| candidate.get(&Var(*i as u32)).is_some_and(|n| !n.is_zero());
        (0..count).filter(fires).find(|transition| {
            scope.simplex.push();
            scope.divide(self.net, *transition, phase);
            // Numbers of hypotheses do not matter here: nothing is kept.
            let free = phase.first_hypothesis + 2 * count + self.net.global_count;
            for i in 0..count {
                let var = Var(i as u32);
                let value = candidate.get(&var).cloned().unwrap_or(Ratio::ZERO);
                scope.simplex.assert_eq(
                    free + self.net.places.len() + i,
                    &(Linear::var(var) - Linear::constant(value)),
                );
            }
            let excluded = match scope.simplex.check() {
                Check::Infeasible(_) => true,
                Check::Limit => false,
                Check::Feasible(point) => {
                    let first =
                        |i: &usize| !scope.first(*transition, phase, *i).evaluate(&point).is_zero();
                    let second = |i: &usize| {
                        !scope.second(*transition, phase, *i).evaluate(&point).is_zero()
                    };
                    let (first, second): (Vec<usize>, Vec<usize>) =
                        ((0..count).filter(first).collect(), (0..count).filter(second).collect());
                    self.unmarked(&first, scope.end, false).is_some()
                        || self.unmarked(&second, scope.end, true).is_some()
                }
            };
            scope.simplex.pop();
            excluded
        })
    }

    fn next_phase(&self, scope: &Scope) -> Phase {
        Phase { first_hypothesis: scope.next_hypothesis + 1, first_var: scope.next_var }
    }

    /// Either a transition never fires, or the run is divided at its last occurrence.
    fn last(
        &mut self,
        scope: &mut Scope,
        transition: usize,
        depth: usize,
    ) -> Result<Tree, CountingFailure> {
        let count = self.net.transitions.len();
        let (hypothesis, phase) = (scope.next_hypothesis, self.next_phase(scope));
        let saved = (scope.next_hypothesis, scope.next_var, scope.vars.len());
        scope.next_hypothesis += 1 + count + self.net.global_count + self.net.places.len();
        let fires = Linear::var(Var(transition as u32));
        let never = scope
            .branch(|s| s.assert_eq(hypothesis, &fires), |scope| self.prove(scope, depth + 1))?;
        scope.next_var += count as u32;
        let new = (0..count).filter(|i| *i != transition).map(|i| Var(phase.first_var + i as u32));
        scope.vars.extend(new);
        scope.phases.push((hypothesis, transition, phase));
        let net = self.net;
        scope.simplex.push();
        scope.divide(net, transition, phase);
        let some = self.prove(scope, depth + 1);
        scope.simplex.pop();
        scope.phases.pop();
        scope.vars.truncate(saved.2);
        (scope.next_hypothesis, scope.next_var) = (saved.0, saved.1);
        Ok(Tree::Last { transition, hypothesis, phase, branches: Box::new((never, some?)) })
    }

    /// The places that firing only the support, forward from the start or backward from the end
    /// (or from any end), never marks; none if every transition of the support can fire.
    fn unmarked(&self, support: &[usize], end: Option<u32>, backward: bool) -> Option<Vec<Spot>> {
        if !self.cuts {
            return None;
        }
        let net = self.net;
        let mut globals = vec![false; net.global_count];
        let mut places = vec![false; net.places.len()];
        match (backward, end) {
            (false, _) => globals[net.initial.index()] = true,
            (true, Some(end)) => globals[end as usize] = true,
            (true, None) => globals.fill(true),
        }
        let mut waiting: Vec<usize> = support.to_vec();
        loop {
            let before = waiting.len();
            waiting.retain(|i| {
                let t = &net.transitions[*i];
                let (from, takes, to, gives) = if backward {
                    (t.after, t.gives(), t.before, t.takes)
                } else {
                    (t.before, t.takes, t.after, t.gives())
                };
                let ready = globals[from.index()] && takes.is_none_or(|p| places[p.index()]);
                if ready {
                    globals[to.index()] = true;
                    if let Some(p) = gives {
                        places[p.index()] = true;
                    }
                }
                !ready
            });
            if waiting.len() == before {
                break;
            }
        }
        if waiting.is_empty() {
            return None;
        }
        // Only what the net mentions.
        let mut spots: Vec<Spot> = net
            .transitions
            .iter()
            .flat_map(|t| {
                let globals = [t.before, t.after].map(|g| Spot::Global(g.0));
                let places = [t.takes, t.gives()].into_iter().flatten().map(Spot::Place);
                globals.into_iter().chain(places)
            })
            .filter(|spot| match spot {
                Spot::Global(g) => !globals[*g as usize],
                Spot::Place(p) => !places[p.index()],
            })
            .collect();
        spots.sort_unstable();
        spots.dedup();
        Some(spots)
    }
}
