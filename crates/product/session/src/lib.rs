//! From a source to a checked answer, and to what a person can do with it.
//!
//! [`check_source`] walks a text through the whole house: front end, engine, certificate,
//! independent checker. What comes out is a [`Report`]: a verdict that the checker has accepted,
//! the proof in words ([`explain`]) or the run on source lines ([`trace`]). [`reachability`] does the same for
//! goals that processes, requests or unwindings are to reach, and [`invariance`] for threads; [`bridge`] leads there from programs
//! whose states have no end.
//! Nothing here prints; the command line, the editor's server and the tests all start from here.

pub mod bridge;
pub mod cause;
pub mod certificate;
mod check;
pub mod explain;
pub mod invariance;
pub mod method;
pub mod outline;
pub mod petri;
pub mod reachability;
pub mod repair;
pub mod run;
pub mod sequentialization;
pub mod serializability;
pub mod shown;
pub mod smtlib;
pub mod source;
pub mod stages;
pub mod trace;
mod trials;
pub mod verified;
pub mod words;

pub use cause::{Causes, find_causes};
pub use check::{
    CHECKING_GRACE, InParts, Report, Verdict, Withheld, check_certificate, check_file,
    check_source, checked, most_serious, too_large,
};
pub use repair::{Repair, RepairKind, Repairs, repair};
