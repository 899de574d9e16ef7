//! `ser`: is this concurrent program serializable, for any number of requests?
//!
//! The command line and what it is made of: sources, checks, traces, reports. The science is in
//! the other crates of the workspace; see `ARCHITECTURE.md`.

pub mod cli;
mod commands;
pub mod diff;
pub mod export;
mod picture;
pub mod process;

pub use commands::run;
