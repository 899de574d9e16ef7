//! Reports: the same answer for people, programs and code-scanning services.

pub mod human;
pub mod json;
pub mod sarif;
mod words;

/// Why a program is serializable when nothing can interleave.
pub(crate) const ATOMIC_EXPLANATION: &str = "nothing can interleave: once waiting that is the same as coming later is left out, every request runs from its arrival to its response in a single step";

/// What to say when ser's own checker rejects its answer.
pub(crate) const INTERNAL: &str =
    "internal error, please report it: the independent checker rejected the engine's answer, which is therefore withheld";
