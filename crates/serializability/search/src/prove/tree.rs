//! Trees of cases: the shape of a proof by arithmetic.

use ser_arith::{Linear, Multipliers, Var};
use ser_net::PlaceId;

/// A place of the net, for cuts: a global state or requests in flight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spot {
    /// A global state.
    Global(u32),
    /// Requests in flight.
    Place(PlaceId),
}

/// A tree of cases. Hypotheses are known by numbers: first the global states, then the places,
/// then those of the branches.
#[derive(Clone, Debug)]
pub enum Tree {
    /// The form is at most `at`, or larger.
    Split { form: Linear, at: i64, hypothesis: usize, branches: Box<(Tree, Tree)> },
    /// The form is negative, zero or positive.
    Sign { form: Linear, hypothesis: usize, branches: Box<[Tree; 3]> },
    /// The remainder of the form.
    Modulo { form: Linear, divisor: u64, hypothesis: usize, quotient: Var, branches: Vec<Tree> },
    /// A set of places that is empty at the start or at the end.
    Cut {
        /// The places.
        spots: Vec<Spot>,
        /// Empty at the end rather than at the start.
        at_end: bool,
        /// A part of the run instead of all of it, by the hypothesis of the phase: the first part
        /// for the start, the second for the end.
        phase: Option<usize>,
        /// The hypothesis of both branches.
        hypothesis: usize,
        /// Nobody uses them, or somebody brings a token in.
        branches: Box<(Tree, Tree)>,
    },
    /// The last time that a transition fires.
    Last {
        transition: usize,
        /// The hypothesis if it never fires, and the name of the phase.
        hypothesis: usize,
        /// Hypotheses and variables if it does.
        phase: Phase,
        /// It never fires, or it does.
        branches: Box<(Tree, Tree)>,
    },
    /// Impossible over the rationals.
    Farkas(Multipliers),
    /// Impossible over the integers.
    Lattice(Multipliers),
    /// The outcome is in a component.
    Member {
        component: usize,
        lambda: Vec<Linear>,
        nonneg: Vec<Multipliers>,
        equal: Vec<Multipliers>,
    },
    /// No literal of a clause holds, which is impossible for another reason: only on the way to a
    /// tree, see `regions`.
    Lemma {
        clause: usize,
        /// That the first literal does not hold; the hypotheses of the others come after it.
        first_hypothesis: usize,
        /// The first variable that is not in use here.
        first_var: u32,
    },
}

/// The two parts of a run that the last occurrence of a transition divides: numbers of hypotheses
/// and variables, one for each transition (and for hypotheses then for each global state and
/// place).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phase {
    /// The first of its hypotheses.
    pub first_hypothesis: usize,
    /// The first of its variables: how often each transition fires in the second part.
    pub first_var: u32,
}

impl Tree {
    /// The cases below.
    pub fn branches(&self) -> Vec<&Tree> {
        match self {
            Tree::Split { branches, .. }
            | Tree::Cut { branches, .. }
            | Tree::Last { branches, .. } => vec![&branches.0, &branches.1],
            Tree::Sign { branches, .. } => branches.iter().collect(),
            Tree::Modulo { branches, .. } => branches.iter().collect(),
            Tree::Farkas(_) | Tree::Lattice(_) | Tree::Member { .. } | Tree::Lemma { .. } => {
                Vec::new()
            }
        }
    }

    /// How deep it is in a certificate, where remainders are in a list.
    pub(super) fn depth(&self) -> usize {
        let own = if matches!(self, Tree::Modulo { .. }) { 2 } else { 1 };
        own + self.branches().into_iter().map(Tree::depth).max().unwrap_or(0)
    }

    /// Calls a function with the component of every member leaf.
    pub fn for_each_component(&self, f: &mut impl FnMut(usize)) {
        if let Tree::Member { component, .. } = self {
            f(*component);
        }
        for branch in self.branches() {
            branch.for_each_component(f);
        }
    }

    /// Calls a function with every hypothesis that a leaf uses.
    pub(super) fn for_each_hypothesis(&self, f: &mut impl FnMut(usize)) {
        match self {
            Tree::Farkas(m) | Tree::Lattice(m) => m.iter().for_each(|(id, _)| f(*id)),
            Tree::Member { nonneg, equal, .. } => {
                nonneg.iter().chain(equal).flatten().for_each(|(id, _)| f(*id));
            }
            _ => self.branches().into_iter().for_each(|b| b.for_each_hypothesis(f)),
        }
    }

    /// Renames the components of all member leaves.
    pub(super) fn rename_components(&mut self, to: &impl Fn(usize) -> usize) {
        match self {
            Tree::Split { branches, .. }
            | Tree::Cut { branches, .. }
            | Tree::Last { branches, .. } => {
                branches.0.rename_components(to);
                branches.1.rename_components(to);
            }
            Tree::Sign { branches, .. } => {
                branches.iter_mut().for_each(|b| b.rename_components(to));
            }
            Tree::Modulo { branches, .. } => {
                branches.iter_mut().for_each(|b| b.rename_components(to));
            }
            Tree::Member { component, .. } => *component = to(*component),
            Tree::Farkas(_) | Tree::Lattice(_) | Tree::Lemma { .. } => {}
        }
    }

    /// The same tree about other variables and hypotheses.
    pub(super) fn moved(&self, to: &Move<'_>) -> Tree {
        let list = |list: &[Tree]| -> Vec<Tree> { list.iter().map(|t| t.moved(to)).collect() };
        let pair = |pair: &(Tree, Tree)| Box::new((pair.0.moved(to), pair.1.moved(to)));
        let multipliers = |m: &Multipliers| -> Multipliers {
            m.iter().map(|(id, n)| ((to.hypothesis)(*id), n.clone())).collect()
        };
        let name = |id: usize| (to.hypothesis)(id);
        match self {
            Tree::Split { form, at, hypothesis, branches } => Tree::Split {
                form: to.form(form),
                at: *at,
                hypothesis: name(*hypothesis),
                branches: pair(branches),
            },
            Tree::Sign { form, hypothesis, branches } => {
                let [negative, zero, positive] = &**branches;
                let branches = [negative.moved(to), zero.moved(to), positive.moved(to)];
                let hypothesis = name(*hypothesis);
                Tree::Sign { form: to.form(form), hypothesis, branches: Box::new(branches) }
            }
            Tree::Modulo { form, divisor, hypothesis, quotient, branches } => Tree::Modulo {
                form: to.form(form),
                divisor: *divisor,
                hypothesis: name(*hypothesis),
                quotient: (to.new_var)(*quotient),
                branches: list(branches),
            },
            Tree::Cut { spots, at_end, phase, hypothesis, branches } => Tree::Cut {
                spots: spots.clone(),
                at_end: *at_end,
                phase: phase.map(name),
                hypothesis: name(*hypothesis),
                branches: pair(branches),
            },
            Tree::Last { transition, hypothesis, phase, branches } => Tree::Last {
                transition: *transition,
                hypothesis: name(*hypothesis),
                phase: Phase {
                    first_hypothesis: name(phase.first_hypothesis),
                    first_var: (to.new_var)(Var(phase.first_var)).0,
                },
                branches: pair(branches),
            },
            Tree::Farkas(m) => Tree::Farkas(multipliers(m)),
            Tree::Lattice(m) => Tree::Lattice(multipliers(m)),
            Tree::Member { component, lambda, nonneg, equal } => Tree::Member {
                component: *component,
                lambda: lambda.iter().map(|form| to.form(form)).collect(),
                nonneg: nonneg.iter().map(multipliers).collect(),
                equal: equal.iter().map(multipliers).collect(),
            },
            Tree::Lemma { clause, first_hypothesis, first_var } => {
                let var = (to.new_var)(Var(*first_var));
                (to.lemma)(*clause, name(*first_hypothesis), var)
            }
        }
    }
}

/// From the variables and hypotheses of one tree to those of another.
pub(super) struct Move<'a> {
    /// What is in the place of a variable that is there from the start; none for those that a
    /// branch brings.
    pub var: &'a dyn Fn(Var) -> Option<Linear>,
    /// The variable in the place of one that a branch brings.
    pub new_var: &'a dyn Fn(Var) -> Var,
    /// The new number of a hypothesis.
    pub hypothesis: &'a dyn Fn(usize) -> usize,
    /// The tree in the place of a lemma: clause, first hypothesis, first free variable.
    pub lemma: &'a dyn Fn(usize, usize, Var) -> Tree,
}

impl Move<'_> {
    fn form(&self, form: &Linear) -> Linear {
        let mut moved = Linear::constant(form.constant_term().clone());
        for (var, factor) in form.terms() {
            let new = || Linear::var((self.new_var)(var));
            moved = moved.plus_scaled(factor, &(self.var)(var).unwrap_or_else(new));
        }
        moved
    }
}
