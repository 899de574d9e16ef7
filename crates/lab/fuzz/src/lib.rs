//! Random inputs, what must hold of them, and a run that looks for one where it does not.
//!
//! | module | what is in it |
//! | --- | --- |
//! | `generate` | random programs, network systems, nets with queries, sets, linear systems: each a function of a seed |
//! | `judge` | one input through everything, compared with `ser-oracle` or with enumeration |
//! | `shrink` | a smaller input with the same fault |
//! | `forgery` | forged certificates, and whether the checker is right about those that it accepts |
//! | `campaign` | many inputs, for a given time or number, and their summary |
//! | `readers` | what must hold of any text that a reader is given |
//!
//! `cargo run --release -p ser-fuzz -- --help` is the long run. Tests do a short one.

pub mod campaign;
pub mod forgery;
mod generate;
mod judge;
mod parts;
mod random;
pub mod readers;
pub mod shrink;

pub use generate::{
    Equations, SetRecipe, border, edited, equations, expressions, ledger, locking, net, options,
    processes, program, random_core, requests, set_recipe, shards, sliced, some_opaque, system,
};
pub use judge::{
    Finding, ProgramTrial, Trial, brute_force, judge_program, program_findings, try_claims,
    try_equations, try_net, try_processes, try_program, try_requests, try_set, try_source,
    try_system, try_whole, with_claims,
};
pub use random::Random;
pub use ser_oracle::Findings;
