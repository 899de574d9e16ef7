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
            Tree::Farkas(_) | Tree::Lattice(_) | Tree::Member { .. } => Vec::new(),
        }
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
            Tree::Farkas(_) | Tree::Lattice(_) => {}
        }
    }
}
