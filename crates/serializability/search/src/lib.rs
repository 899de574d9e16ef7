//! The engine: from a network system to an answer.
//!
//! [`decide`] reduces the interleaving net, answers at once if nothing can interleave, and
//! otherwise lets refuter and provers take turns. [`decide_program`] comes before it: it looks for
//! answers on the rules and on parts of a program, which need no list of its states. Whatever they
//! find is untrusted until `ser-serializability-checker` has accepted the certificate that
//! [`certify`] makes of it.

mod certify;
mod claims;
mod decide;
mod large;
mod options;
mod portfolio;
mod prove;
mod refute;
mod run;
mod serial;
mod sizes;
mod slices;
mod strict;
mod symbolic;
mod walk;

pub use certify::{
    certify, certify_along, certify_no_yield, certify_part, certify_rules, certify_slices,
    certify_symbolic, in_slice,
};
pub use claims::{ClaimFound, Listed, Waiting, decide_claims};
pub use decide::{Answer, Argument, Proof, Sizes, Tried, Unknown, decide};
pub use large::{
    LargeAnswer, LargeOptions, LargeUnknown, PartModel, PartRefutation, decide_large,
    refute_suspects,
};
pub use options::{ArithmeticOptions, InclusionOptions, Methods, Options, RuleOptions, Strategy};
pub use portfolio::{Decided, InParts, Subject, Suspects, decide_program};
pub use prove::arithmetic::{Counting, CountingFailure};
pub use prove::follows::Follows;
pub use prove::inclusion::{Attempt, Commit, Explanation, Failure, Invariant, StandIn, Triple};
pub use prove::serial_outcomes::serial_outcomes;
pub use prove::tree::{Phase, Spot, Tree};
pub use refute::{RefuteOptions, Refuted, SearchStop, Searched, refute};
pub use run::{Event, Refutation, Run};
pub use ser_arith::OutcomeOptions;
pub use serial::{SerialRuns, closest_serial_runs, contradiction};
pub use sizes::{NetSize, NetSizes, OutcomeSizes, net_sizes, outcome_sizes};
pub use slices::{DecidedSlice, find_slices};
pub use strict::decide_strictly;
pub use symbolic::{NoSymbolicProof, StepAt, SymbolicFound, prove_symbolically};

/// What the engine is doing, for those who wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The states are being listed.
    Exploring,
    /// The net is being reduced.
    Reducing,
    /// A proof by inclusion is being looked for.
    Proving { attempt: Attempt },
    /// A proof by arithmetic is being looked for.
    Counting,
    /// The refuter is searching.
    Searching { requests: usize, in_flight: u32, states: usize },
}
