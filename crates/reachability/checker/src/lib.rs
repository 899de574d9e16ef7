//! Evidence that a goal can be reached, or cannot, and the check of it.
//!
//! The checker reads the source anew. Nothing of the search is known here:
//!
//! | evidence | check |
//! | --- | --- |
//! | a run | replayed by the machine of `ser-model`; the goal is evaluated in its last state |
//! | a firing sequence of an unwinding | fired, transition by transition; the target is among them |
//! | what a solver learnt about events | the unwinding and its formula are made anew, and the learnt clauses are checked against it |
//! | what a solver learnt about steps | the same for the interleaving |
//! | a list of all states | they are listed anew |
//!
//! What has to be believed is `ser-reachability-model`: that the formula has all runs.

mod check;
mod evidence;
mod reject;

pub use check::{Accepted, Argument, Question, check};
pub use evidence::{Evidence, FormulaSize, Occurrence, Stage};
pub use reject::{Reason, Rejection};
