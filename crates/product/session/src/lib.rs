//! From a source and a question to a checked answer: the only way in.
//!
//! [`method::answer`] asks a [`method::Method`] about a source. Each method has a module of its own
//! ([`serializability`], [`reachability`], [`petri`], [`sequentialization`], [`invariance`]): it
//! calls its search, has the certificate checked, and makes a [`ser_report::Report`] of what was
//! accepted. [`certificate`] is the envelope in which certificates travel, and the way back from
//! one to a verdict. [`trace`], [`shown`] and [`run`] describe the runs of network systems, which
//! several methods share.
//!
//! Nothing here prints; the command line, the language server and the tests all start from here.

pub mod certificate;
pub mod invariance;
pub mod isolation;
pub mod method;
pub mod petri;
pub mod reachability;
pub mod run;
pub mod sequentialization;
pub mod serializability;
pub mod shown;
pub mod source;
pub mod trace;
pub mod verified;

pub use serializability::{
    Causes, Decision, InParts, Repair, RepairKind, Repairs, Verdict, Withheld, check_certificate,
    check_file, check_source, checked, find_causes, repair, too_large,
};
