//! Parametrized invariance: safety of programs with unbounded data, for any number of threads.

pub mod explore;
