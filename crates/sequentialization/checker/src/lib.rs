//! The kernel: replays derivations that turn a protocol into a sequential program.
//!
//! A *protocol* (a `.ser` file with messages, [`ser_syntax::icet`]) is a set of processes that send
//! each other messages; sets of processes have any number of members. A *derivation* ([`Step`]s)
//! takes statements off the processes, one by one or a whole loop at a time, in one particular
//! order in which every message is received soon after it was sent. If nothing is left in the end,
//! then no process other than a server waits forever, whatever the sizes of the sets, and what was
//! taken off, in its order, is a sequential program ([`Sequential`]) with the same final states (or
//! more).
//!
//! This crate knows nothing of the search that finds derivations. It reads a [`Certificate`], which
//! holds the text of the protocol and a derivation (or a concrete [`Run`] that goes wrong), and
//! replays it. A search may call its rules ([`rules`]); what it finds is replayed from the
//! certificate alone.
//!
#![doc = include_str!("calculus.md")]
// Fields and variants of symbolic states are named after what `calculus.md` calls them.
#![allow(missing_docs)]

pub mod assertions;
mod check;
pub mod code;
pub mod derivation;
mod evaluate;
mod interpreter;
mod join;
pub mod kernel;
pub mod local;
mod refine;
mod rejection;
mod replay;
pub mod rules;
pub mod run;
pub mod sequential;
pub mod sources;
pub mod state;
pub mod value;
pub mod witness;

pub use check::{Verdict, check, read};
pub use derivation::{Advance, Bag, Cell, Leave, Loop, Slot, Step, Symbol};
pub use interpreter::replay_run;
pub use rejection::{Part, Path, Reason, Rejection};
pub use replay::{InFlight, Left, Outcome, Prefix, replay, replay_prefix};
pub use run::Run;
pub use sequential::Sequential;
pub use witness::Witness;

use serde::{Deserialize, Serialize};

/// A protocol and what is known about it, with everything that is needed to check it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The text of the protocol.
    pub source: String,
    /// What is claimed, and why.
    pub claim: Claim,
}

/// What a certificate claims.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// It can be sequentialized, so no process other than a server waits forever.
    Sequentialized {
        derivation: Vec<Step>,
        /// Statements `assert` and `fail`, by number, about which nothing is claimed; all others
        /// hold.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unproved: Vec<u32>,
    },
    /// This run goes wrong.
    Refuted(Run),
}
