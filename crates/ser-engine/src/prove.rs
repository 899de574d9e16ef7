//! Provers, cheapest first.

pub(crate) mod arithmetic;
pub(crate) mod counters;
pub(crate) mod inclusion;
mod lambda;
pub(crate) mod serial_words;
