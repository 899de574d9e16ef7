//! All states of small instances: what is true of two or three threads, without any theory.
//!
//! [`explore`] goes breadth first through all interleavings of some threads, from all states in
//! which they may start, and looks in each state at each invariant, for all tuples of threads. What
//! it finds is real: a shortest [`Run`] that violates an invariant or ends in a fault. What it does
//! not find may still be there, with more threads, larger numbers or longer lists.
//!
//! It executes the syntax tree as the header of [`ser_invariance_checker`] describes it, and shares
//! no code with the checker or with the search for proofs: it is what both are compared with. A
//! proved invariant that this violates is a bug.
//!
//! Besides, it answers questions about single states ([`evaluate`], [`holds`], [`apply`]):
//! counter-models of the proof search are looked at once more before anybody sees them.
//!
//! # What is bounded
//! Threads, and how many cells a heap has. Numbers are not bounded: only what `choose` chooses, and
//! what initial values leave open, is taken from a few ([`Bounds::ints`], [`Bounds::elems`]). If
//! states are too many, the search stops and says so ([`Explored::stopped`]).
//!
//! # Which states are the same
//! Threads are compared with `==` alone, and so are addresses: states that differ in names only are
//! listed once (see `normal`). So are states that differ in the values of dead variables
//! ([`Bounds::drop_dead`], see `liveness`).

mod choices;
mod eval;
mod fault;
mod flow;
mod heap;
mod liveness;
mod memory;
mod normal;
mod outside;
mod search;
mod sets;
mod start;
mod state;
mod step;
mod store;
mod trace;

pub use outside::{
    MAX_STEPS, NoValue, NotEnabled, Possible, apply, evaluate, holds, is_start, steps,
};
pub use search::{Explorer, View};
pub use ser_invariance_checker::run::{Fault, FaultKind, State, ThreadState};
pub use ser_invariance_checker::{Change, Changed, changes};
pub use state::{MAX_THREADS, NotAState};

use ser_base::{Limits, Stop};
use ser_invariance_checker::Run;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{InvId, LocId};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// How many threads there are, at least 1. A file that says `threads N;` has `N`.
    pub threads: u32,
    /// The largest number of states.
    pub states: usize,
    /// The largest number of steps, if there is one.
    pub depth: Option<u32>,
    /// The largest number of states at the start.
    pub initial: usize,
    /// How many cells the heap has.
    pub cells: u32,
    /// How many numbers `choose` may choose from: [`Bounds::hints`], those of the program and their
    /// neighbours, small ones first.
    pub ints: usize,
    /// Numbers that may be interesting.
    pub hints: Vec<i64>,
    /// How many elements there are between `lowest` and `highest`.
    pub elems: u32,
    /// Whether to drop the values of dead variables: of locals that neither the program nor an
    /// invariant of the file reads any more. An [`Explorer`] whose states are looked at afterwards
    /// never does.
    pub drop_dead: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            threads: 2,
            states: 200_000,
            depth: None,
            initial: 100,
            cells: 5,
            ints: 8,
            hints: Vec::new(),
            elems: 2,
            drop_dead: true,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// How many threads there are.
    pub threads: u32,
    /// How many states there are at the start.
    pub initial: usize,
    /// How many states there are, up to names.
    pub states: usize,
    /// How many steps lead to the farthest state that was looked at.
    pub depth: u32,
    /// Why the search did not come to its end, if it did not.
    pub stopped: Option<Stop>,
    /// What was left out by the bounds.
    pub narrowed: Narrowing,
    /// By location: whether some thread comes there.
    pub reached: Vec<bool>,
    /// By location: the paths that were taken, as bits (all from the 63rd on are the last one).
    pub taken: Vec<u64>,
    /// One for each invariant that does not hold: a shortest run.
    pub violations: Vec<Violation>,
    /// One for each fault and its place: a shortest run.
    pub faults: Vec<Faulty>,
}

impl Explored {
    /// Whether everything was seen that so many threads can do.
    pub fn is_complete(&self) -> bool {
        self.stopped.is_none() && self.narrowed == Narrowing::default()
    }

    /// Whether a larger bound on states would show nothing new.
    pub fn is_exhausted(&self) -> bool {
        let narrowed = Narrowing { values: false, ..self.narrowed.clone() };
        self.stopped.is_none() && narrowed == Narrowing::default()
    }

    /// Whether nothing is wrong with what was seen.
    pub fn is_fine(&self) -> bool {
        self.violations.is_empty() && self.faults.is_empty()
    }

    /// The run that violates an invariant.
    pub fn violation(&self, invariant: InvId) -> Option<&Violation> {
        self.violations.iter().find(|violation| violation.invariant == invariant)
    }

    /// The locations that nobody comes to.
    pub fn unreached(&self) -> Vec<LocId> {
        let numbered = (0..).map(LocId).zip(&self.reached);
        numbered.filter(|(_, reached)| !**reached).map(|(location, _)| location).collect()
    }
}

/// What bounds have kept from being seen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Narrowing {
    /// A state at the start was left out.
    pub start: bool,
    /// A number did not fit into a machine word.
    pub integers: bool,
    /// A new cell was needed, and there was none left.
    pub cells: bool,
    /// A longer run was not followed.
    pub depth: bool,
    /// Where something is open, a few values were tried, and there are others.
    pub values: bool,
}

/// An invariant that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub invariant: InvId,
    /// Which conjunct of it, from 0.
    pub conjunct: usize,
    pub run: Run,
}

/// A step that must not be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Faulty {
    pub fault: Fault,
    pub location: LocId,
    /// A shortest run, whose last step it is.
    pub run: Run,
}

/// All states of an instance.
///
/// ```
/// use ser_invariance_search::explore::{Bounds, explore};
/// let text = "
///     set Threads
///     var x: int = 0
///     process thread for self in Threads { var y: int = 0; read: y := x; write: x := y + 1; end: skip; }
///     invariant both(i, j): i != j && at(i, end) && at(j, end) -> x == 2;
/// ";
/// let system = ser_syntax::inv::parse(text).system;
/// let explored = explore(&system, &Bounds { threads: 2, ..Bounds::default() }, &Default::default());
/// // Both read, then both write.
/// let run = &explored.violations[0].run;
/// assert_eq!(run.steps.len(), 4);
/// assert!(ser_invariance_checker::witness(text, &system, run, &Default::default()).is_ok());
/// ```
pub fn explore(system: &System, bounds: &Bounds, limits: &Limits) -> Explored {
    Explorer::with(system, bounds).run(limits)
}
