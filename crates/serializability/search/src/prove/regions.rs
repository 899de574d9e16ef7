//! Regions: what the outcomes of all runs have in common, by the counts of letters alone.
//!
//! Proving that all ways to count transitions give a serial outcome drowns in cases where there
//! are many transitions, or many components of serial outcomes. Often the reason is short: the
//! state equation allows only outcomes with `foo/0 <= bar/0`, and all of these are serial. So the
//! tree of cases is about the counts of letters, which are few:
//!
//! 1. where all outcomes are in one component, or none is left, done, as always;
//! 2. if a smallest candidate is in no component, no run may have it. A *clause* says so: a
//!    disjunction of inequalities that holds for the outcomes of all runs, and not for this one.
//!
//! Clauses are learned on demand. If the state equation has no rational solution with these
//! counts, its multipliers are a single inequality. Otherwise cuts may help, and the bounds of
//! the counts that they need are a clause, as weak as possible: a reader that got 3 needs 3
//! increments. Each is proved once, for runs with any end.
//!
//! At last, every letter is replaced by the transitions that respond so, which makes one tree for
//! runs with any end, with nothing but ordinary nodes.

use super::arithmetic::{CountingFailure, Effort, Prover};
use super::scope::Scope;
use super::tree::{Move, Tree};
use ser_arith::{Check, Int, Linear, Minimum, Outcomes, Ratio, Var};
use ser_base::Limits;
use ser_net::{Net, Outcome};
use ser_serializability_checker::MAX_TREE_DEPTH;

/// So many cases of letters for one of transitions.
const LETTER_NODES: usize = 4;

/// So many cases of transitions for all clauses together.
const CLAUSE_NODES: usize = 20;

/// In nets with more transitions than this, a node costs more, and there are fewer.
const SMALL_NET: usize = 20;

/// The most clauses, and the most nodes of the proof of one.
const MAX_CLAUSES: usize = 100;
const MAX_CLAUSE_NODES: usize = 150;

/// A disjunction that holds for the outcomes of all runs.
pub(super) struct Clause {
    /// Forms in the counts of letters, one of which is not negative.
    pub literals: Vec<Linear>,
    /// Why not all of them are negative, in the scope of all runs.
    tree: Tree,
}

impl Clause {
    fn excludes(&self, counts: &[i64]) -> bool {
        self.literals.iter().all(|literal| value(literal, counts).is_negative())
    }
}

/// The value of a form in the counts of letters.
fn value(form: &Linear, counts: &[i64]) -> Ratio {
    let mut sum = form.constant_term().clone();
    for (var, factor) in form.terms() {
        let count = counts.get(var.0 as usize).copied().unwrap_or(0);
        sum += &(factor * &Ratio::from(count));
    }
    sum
}

/// What is known about the outcomes of all runs.
pub(super) struct Lemmas<'a> {
    net: &'a Net,
    letters: &'a [Outcome],
    /// How often each letter occurs, as a form in the firings.
    outcome: &'a [Linear],
    limits: &'a Limits,
    effort: Effort,
    cuts: bool,
    /// The state equation of runs that end anywhere.
    scope: Scope,
    /// Nothing is serial: what is to be proved is that there is no run at all.
    nothing: &'a Outcomes,
    pub clauses: Vec<Clause>,
    /// There is a new inequality, which all cases had better know.
    again: bool,
    /// How many nodes the proofs of clauses may still have, those that fail included.
    nodes: usize,
}

/// A tree for all runs.
pub(super) fn prove(
    net: &Net,
    letters: &[Outcome],
    outcome: &[Linear],
    serial: &Outcomes,
    (effort, cuts): (Effort, bool),
    limits: &Limits,
) -> Result<Tree, CountingFailure> {
    let mut scope = Scope::new(net, None, effort.pivots);
    scope.simplex.set_clock(limits.clone());
    let nothing = Outcomes { components: Vec::new(), maximal: Vec::new() };
    let counted: Vec<Linear> = (0..letters.len() as u32).map(|i| Linear::var(Var(i))).collect();
    let (clauses, again) = (Vec::new(), false);
    let lemmas = Lemmas {
        net,
        letters,
        outcome,
        limits,
        effort,
        cuts,
        scope,
        nothing: &nothing,
        clauses,
        again,
        nodes: CLAUSE_NODES * effort.nodes * SMALL_NET / net.transitions.len().max(SMALL_NET),
    };
    let lemmas = Some(lemmas);
    let outcome = counted.as_slice();
    // Cases of letters are cheap.
    let effort = Effort { nodes: LETTER_NODES * effort.nodes, ..effort };
    let mut prover =
        Prover { net, letters, serial, outcome, limits, nodes: 0, effort, cuts, lemmas };
    let tree = loop {
        prover.nodes = 0;
        let mut scope = Scope::free(letters.len(), effort.pivots);
        scope.simplex.set_clock(limits.clone());
        let result = prover.with_inequalities(&mut scope, 0);
        let Some(lemmas) = &mut prover.lemmas else { return Err(CountingFailure::Stuck) };
        match result {
            Err(_) if lemmas.again => lemmas.again = false,
            result => break result?,
        }
    };
    let Some(lemmas) = &prover.lemmas else { return Err(CountingFailure::Stuck) };
    let tree = lemmas.finish(&tree);
    // Deeper ones cannot be checked.
    if tree.depth() > MAX_TREE_DEPTH { Err(CountingFailure::TooManyCases) } else { Ok(tree) }
}

impl Prover<'_> {
    /// All inequalities first, from this clause on.
    fn with_inequalities(
        &mut self,
        scope: &mut Scope,
        from: usize,
    ) -> Result<Tree, CountingFailure> {
        let clauses = self.lemmas.as_ref().map_or(&[][..], |lemmas| &lemmas.clauses);
        let next = clauses.iter().skip(from).position(|c| c.literals.len() == 1);
        let Some(clause) = next.map(|at| from + at) else { return self.prove(scope, 0) };
        let Some(form) = clauses[clause].literals.first().cloned() else {
            return Err(CountingFailure::Stuck);
        };
        let (hypothesis, first_var) = (scope.next_hypothesis, scope.next_var);
        scope.next_hypothesis += 1;
        scope.simplex.assert_ge(hypothesis, &form);
        let rest = self.with_inequalities(scope, clause + 1)?;
        let violated = Tree::Lemma { clause, first_hypothesis: hypothesis, first_var };
        Ok(Tree::Split { form, at: -1, hypothesis, branches: Box::new((violated, rest)) })
    }
}

impl Lemmas<'_> {
    /// A clause that does not hold of these counts.
    pub fn excluding(&mut self, counts: &[i64]) -> Result<usize, CountingFailure> {
        if let Some(known) = self.clauses.iter().position(|clause| clause.excludes(counts)) {
            return Ok(known);
        }
        if self.clauses.len() >= MAX_CLAUSES {
            return Err(CountingFailure::TooManyCases);
        }
        let mut bounds = Vec::new();
        for (letter, count) in (0..).zip(counts) {
            bounds.push(Bound { letter, upper: true, at: *count });
        }
        for (letter, count) in (0..).zip(counts).filter(|(_, count)| **count > 0) {
            bounds.push(Bound { letter, upper: false, at: *count });
        }
        if let Some(inequality) = self.inequality(&bounds) {
            self.clauses.push(inequality);
            self.again = true;
            return Err(CountingFailure::TooManyCases);
        }
        let outcome = self.letters.iter().zip(counts).filter(|(_, n)| **n > 0);
        let outcome = outcome.map(|(o, n)| (*o, u32::try_from(*n).unwrap_or(u32::MAX)));
        let clause = self.weakest(bounds);
        self.limits.check_clock().map_err(CountingFailure::Limit)?;
        let Some(clause) = clause else {
            return Err(CountingFailure::Candidate(outcome.collect()));
        };
        self.clauses.push(clause);
        Ok(self.clauses.len() - 1)
    }

    /// A form in letters as one in firings.
    fn fired(&self, form: &Linear) -> Linear {
        let mut sum = Linear::constant(form.constant_term().clone());
        for (var, factor) in form.terms() {
            if let Some(fired) = self.outcome.get(var.0 as usize) {
                sum = sum.plus_scaled(factor, fired);
            }
        }
        sum
    }

    /// The multipliers with which the bounds contradict the state equation over the rationals.
    fn conflict(&mut self, bounds: &[Bound]) -> Option<Vec<Ratio>> {
        let first = self.scope.next_hypothesis;
        let forms: Vec<Linear> = bounds.iter().map(|b| self.fired(&b.form())).collect();
        self.scope.simplex.push();
        for (i, form) in forms.iter().enumerate() {
            self.scope.simplex.assert_ge(first + i, form);
        }
        let check = self.scope.simplex.check();
        self.scope.simplex.pop();
        let Check::Infeasible(multipliers) = check else { return None };
        let mut found = vec![Ratio::ZERO; bounds.len()];
        for (id, factor) in multipliers {
            if let Some(entry) = id.checked_sub(first).and_then(|i| found.get_mut(i)) {
                *entry = factor;
            }
        }
        Some(found)
    }

    /// An inequality that the state equation implies and the bounds contradict.
    fn inequality(&mut self, bounds: &[Bound]) -> Option<Clause> {
        let mut bounds = bounds.to_vec();
        let mut factors = self.conflict(&bounds)?;
        // Few letters make a general inequality.
        let mut at = 0;
        loop {
            let used = bounds.iter().zip(&factors).filter(|(_, f)| !f.is_zero());
            (bounds, factors) = used.map(|(b, f)| (*b, f.clone())).unzip();
            if at >= bounds.len() {
                break;
            }
            let mut fewer = bounds.clone();
            fewer.remove(at);
            match self.conflict(&fewer) {
                Some(found) => (bounds, factors) = (fewer, found),
                None => at += 1,
            }
        }
        let mut sum = Linear::zero();
        for (bound, factor) in bounds.iter().zip(&factors) {
            sum = sum.plus_scaled(factor, &bound.form());
        }
        let form = primitive(&sum.with_constant(0))?;
        let Minimum::Optimal { value, .. } = self.scope.simplex.minimize(&-self.fired(&form))
        else {
            return None;
        };
        let most = Linear::constant(Ratio::from((-value).floor()));
        let literals = vec![most - form];
        let tree = self.refute(&literals).ok()?;
        Some(Clause { literals, tree })
    }

    /// Why no run violates all of these literals.
    fn refute(&mut self, literals: &[Linear]) -> Result<Tree, CountingFailure> {
        let forms: Vec<Linear> =
            literals.iter().map(|l| Linear::constant(-1) - self.fired(l)).collect();
        let first = self.scope.next_hypothesis;
        let nodes = self.effort.nodes.min(MAX_CLAUSE_NODES).min(self.nodes);
        let mut prover = Prover {
            net: self.net,
            letters: self.letters,
            serial: self.nothing,
            outcome: self.outcome,
            limits: self.limits,
            nodes: 0,
            effort: Effort { nodes, ..self.effort },
            cuts: self.cuts,
            lemmas: None,
        };
        let (vars, next_var) = (self.scope.vars.len(), self.scope.next_var);
        self.scope.next_hypothesis += forms.len();
        let tree = self.scope.branch(
            |simplex| {
                for (i, form) in forms.iter().enumerate() {
                    simplex.assert_ge(first + i, form);
                }
            },
            |scope| prover.prove(scope, 0),
        );
        self.nodes = self.nodes.saturating_sub(prover.nodes);
        // What a proof that failed has left behind.
        self.scope.vars.truncate(vars);
        self.scope.phases.clear();
        (self.scope.next_hypothesis, self.scope.next_var) = (first, next_var);
        tree
    }

    /// A clause with few literals that hold for as little as possible, if no run has counts
    /// within these bounds.
    fn weakest(&mut self, mut bounds: Vec<Bound>) -> Option<Clause> {
        let literals = |bounds: &[Bound]| -> Vec<Linear> {
            bounds.iter().map(|b| Linear::constant(-1) - b.form()).collect()
        };
        let mut tree = self.refute(&literals(&bounds)).ok()?;
        let mut at = 0;
        while at < bounds.len() {
            // Those that are not mentioned first.
            let used = self.used(&tree, bounds.len());
            let mut fewer: Vec<Bound> =
                bounds.iter().zip(&used).filter(|(_, used)| **used).map(|(b, _)| *b).collect();
            let mentioned = fewer.len() == bounds.len();
            if mentioned {
                fewer.remove(at);
            }
            match self.refute(&literals(&fewer)) {
                Ok(found) => (bounds, tree) = (fewer, found),
                Err(failure) if mentioned => {
                    // It cannot go, but it may be wider, up to what is a candidate without it.
                    let wider = bounds[at].before(&failure, self.letters);
                    let wider = wider.map(|b| {
                        let mut wider = bounds.clone();
                        wider[at] = b;
                        wider
                    });
                    if let Some(wider) = wider
                        && let Ok(found) = self.refute(&literals(&wider))
                    {
                        (bounds, tree) = (wider, found);
                    }
                    at += 1;
                }
                Err(_) => at += 1,
            }
        }
        Some(Clause { literals: literals(&bounds), tree })
    }

    /// Which of the bounds a tree uses.
    fn used(&self, tree: &Tree, bounds: usize) -> Vec<bool> {
        let first = self.scope.next_hypothesis;
        let mut used = vec![false; bounds];
        tree.for_each_hypothesis(&mut |id| {
            if let Some(flag) = id.checked_sub(first).and_then(|i| used.get_mut(i)) {
                *flag = true;
            }
        });
        used
    }

    /// The tree with transitions in the place of letters, and proofs of clauses for lemmas.
    fn finish(&self, tree: &Tree) -> Tree {
        let letters = self.letters.len() as u32;
        let transitions = self.net.transitions.len() as u32;
        let rows = self.net.global_count + self.net.places.len();
        let lemma = |clause: usize, first: usize, free: Var| {
            let Some(clause) = self.clauses.get(clause) else { return Tree::Farkas(Vec::new()) };
            let to = Move {
                var: &|v| (v.0 < transitions).then(|| Linear::var(v)),
                new_var: &|v| Var(v.0 - transitions + free.0),
                hypothesis: &|id| if id < rows { id } else { id - rows + first },
                lemma: &|_, _, _| Tree::Farkas(Vec::new()),
            };
            clause.tree.moved(&to)
        };
        let to = Move {
            var: &|v| self.outcome.get(v.0 as usize).cloned(),
            new_var: &|v| Var(v.0 - letters + transitions),
            hypothesis: &|id| id + rows,
            lemma: &lemma,
        };
        tree.moved(&to)
    }
}

/// A bound of the count of a letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bound {
    letter: u32,
    /// At most the number, or at least.
    upper: bool,
    at: i64,
}

impl Bound {
    /// What is not negative if it holds.
    fn form(&self) -> Linear {
        let (count, at) = (Linear::var(Var(self.letter)), Linear::constant(self.at));
        if self.upper { at - count } else { count - at }
    }

    /// The widest bound that excludes a candidate, if it is wider than this one.
    fn before(&self, failure: &CountingFailure, letters: &[Outcome]) -> Option<Bound> {
        let CountingFailure::Candidate(outcome) = failure else { return None };
        let letter = letters.get(self.letter as usize)?;
        let found = outcome.iter().find(|(o, _)| o == letter).map_or(0, |(_, n)| i64::from(*n));
        let at = if self.upper { found - 1 } else { found + 1 };
        let wider = if self.upper { at > self.at } else { at < self.at };
        wider.then_some(Bound { at, ..*self })
    }
}

/// The form times the positive factor that makes its coefficients integers without a common
/// divisor; none if it is zero.
fn primitive(form: &Linear) -> Option<Linear> {
    let (_, form) = form.clear_denominators();
    let divisor = form.terms().fold(Int::ZERO, |d, (_, c)| d.gcd(c.numerator()));
    Some(form.scale(&Ratio::from(divisor).recip()?))
}
