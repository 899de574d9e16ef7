//! All runs of a protocol whose sets have given sizes: what is true of small instances, without any
//! theory.
//!
//! [`explore`] lists all states, breadth first, and tells whether somebody waits forever, fails,
//! or is never listened to, with a run for each, and all final stores. Statements mean what the
//! interpreter says that they mean. It shares nothing with the rules nor with the search that
//! applies them: it is what both are compared with, and it gives people the run that shows what is
//! wrong ([`smallest_violation`]).
//!
//! # Steps
//! One step is one process that executes its first statement. Sends never wait. A message goes into
//! the queue of its sender, receiver and type; a receive takes the oldest of one queue. `for` over
//! processes takes any member that was not visited. A process that fails stops; the others go on.
//!
//! # Which interleavings are left out
//! A step of one process that is not a receive cannot be prevented by others, nor does it prevent
//! or change any step of theirs: a send puts its message *behind* those that others can take. The
//! same is true of a receive that names its sender, and of one from several if no further choice
//! can come up: each of them has a message there or has ended. If some process has such a step, it
//! is enough to look at the steps of this process (all of them, if there is a choice) and to leave
//! those of the others for later, provided that they are not put off forever. So one of the states
//! that this leads to must not have been looked at before; else everybody's steps are taken. Then
//! for every run there is one among those explored that differs from a continuation of it only in
//! the order of independent steps. Hence all final states are found, all failures, and for every
//! state in which a process is blocked forever another one in which it is, too. (Persistent sets,
//! with a condition on cycles for breadth-first search; [`Coverage::reduce`] turns it off, and a
//! test compares.)

mod finding;
mod local;
mod search;
mod stuck;
pub mod value;
mod violation;

pub(crate) use value::Domain;
pub use violation::{SmallestViolation, smallest_violation};

use ser_base::Limits;
use ser_sequentialization_checker::run::{Actor, Run, Value};
use ser_syntax::icet::ast::{Protocol, StmtId};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// How many members a set of processes may have here.
pub const MAX_MEMBERS: u32 = 30;

/// The most numbers in a set of indices.
const MAX_INDICES: u32 = 10_000;
/// How many processes may run here.
pub const MAX_ACTORS: usize = 1000;

/// Which runs are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// Whether to leave out interleavings that make no difference.
    pub reduce: bool,
    /// Whether to stop soon after a violation was found.
    pub stop_at_violation: bool,
}

impl Default for Coverage {
    fn default() -> Coverage {
        Coverage { reduce: true, stop_at_violation: false }
    }
}

/// Why not everything was looked at.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Stop {
    /// Too many states, too much memory or time, or called off.
    #[error(transparent)]
    Limit(#[from] ser_base::Stop),
    /// Too many messages in flight.
    #[error("more than {limit} messages in flight in one queue")]
    Queue {
        /// How many are allowed.
        limit: usize,
    },
    /// Too many processes.
    #[error("at most {MAX_MEMBERS} members of a set and {MAX_ACTORS} processes can be explored")]
    TooLarge,
    /// An expression has no value.
    #[error("a number has more than 63 bits")]
    Overflow,
    /// A violation was found, and that was enough.
    #[error("a violation was found")]
    Found,
}

/// The values of the variables in a final state, by actor and variable.
pub type Store = BTreeMap<(Actor, u32), Value>;

/// What all runs of one instance have in common, or some of them.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// How many states there are (after leaving out interleavings).
    pub states: usize,
    /// Why not all of them were looked at, if so.
    pub stopped: Option<Stop>,
    pub findings: Findings,
    /// For every final state (nobody can take a step) the variables of processes that have ended,
    /// and of servers; without those of loops.
    pub finals: BTreeSet<Store>,
    /// The same for final states in which nobody has failed, with whom the store is about.
    pub ends: BTreeSet<(BTreeSet<Actor>, Store)>,
}

/// What is wrong with a protocol.
#[derive(Clone, Default, Debug)]
pub struct Findings {
    /// Nobody can take a step, and somebody other than a server has not ended. (Final states in
    /// which somebody has failed do not count: the failure is what went wrong.)
    pub deadlock: Option<Run>,
    /// Somebody fails.
    pub failure: Option<Run>,
    /// Nobody can take a step, and a message was never received. (The same.)
    pub orphan: Option<Run>,
    /// Somebody other than a server can never take a step again, whether others go on or not (or
    /// have failed). Only known if everything was looked at.
    pub blocked: Option<Actor>,
    /// All statements that fail in some run.
    pub failing: BTreeSet<StmtId>,
}

impl Findings {
    /// Whether nothing was found.
    pub fn none(&self) -> bool {
        self.deadlock.is_none()
            && self.failure.is_none()
            && self.orphan.is_none()
            && self.blocked.is_none()
    }
}

impl Exploration {
    /// Whether everything was looked at.
    pub fn complete(&self) -> bool {
        self.stopped.is_none()
    }
}

/// Explores all runs of the protocol with sets of these sizes, in the order of the file.
///
/// ```
/// use ser_base::Limits;
/// use ser_sequentialization_search::explore::explore;
/// let text = "msg A = A; process p { send A to q; } process q { x := recv A from p; }";
/// let parsed = ser_syntax::icet::parse(text);
/// let exploration = explore(&parsed.protocol, &[], &Limits::default());
/// assert!(exploration.complete() && exploration.findings.none());
/// assert_eq!(exploration.finals.len(), 1);
/// ```
pub fn explore(protocol: &Protocol, sizes: &[u32], limits: &Limits) -> Exploration {
    explore_with(protocol, sizes, Coverage::default(), limits)
}

/// The same, with a choice of which runs to look at.
pub fn explore_with(
    protocol: &Protocol,
    sizes: &[u32],
    coverage: Coverage,
    limits: &Limits,
) -> Exploration {
    search::Search::new(protocol, sizes).run(coverage, limits)
}
