//! Proofs that isolation levels are enough, and the checker that goes through them.
//!
//! A set of transactions is *robust* for levels if every schedule that the levels allow is conflict
//! serializable: then whatever happens is what happens in some serial run. [`split`] has the
//! theorem, [`conflict`] says what depends on what. A [`Certificate`] lists the dependencies, and
//! for each way to split a transaction the ways in which others can be reached from it. [`check`]
//! finds out from the tree of the program by itself what depends on what, and that the lists are
//! closed and lead to no cycle.

mod anomaly;
mod certificate;
pub mod conflict;
mod evidence;
mod rejection;
pub mod split;

pub use anomaly::{Refused, Shown, check_anomaly, closest, explanation};
pub use certificate::{Certificate, Chains, Dependency, Reached, Why, check, check_operations};
pub use evidence::{Claim, Evidence, Unaccepted, check_evidence};
pub use rejection::Rejection;
