//! Reports: the same answer for people, programs and code-scanning services.

pub mod html;
pub mod human;
pub mod json;
pub mod prove;
pub mod reach;
pub mod repair;
pub mod sarif;
pub(crate) mod sentence;
pub mod sequence;
pub mod statistics;
pub(crate) mod subject;
pub mod trace;

pub(crate) use human::table::code_of;

/// What to say when ser's own checker rejects its answer.
pub(crate) const INTERNAL: &str = "internal error, please report it: the independent checker rejected the engine's answer, which is therefore withheld";

/// What to say when the limits are not enough to check an answer.
pub(crate) const UNCHECKED: &str =
    "there is an answer, but the limits were not enough to check its certificate";
