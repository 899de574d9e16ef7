//! Benchmarks for `ser`: what to measure, and how to tell what was measured.
//!
//! [`families`] writes programs of any size with known verdicts.

pub mod families;
