//! Proofs and runs that are accepted, and all ways in which they can be wrong.

mod accepted;
mod common;
mod runs;
mod tampering;
mod traps;
