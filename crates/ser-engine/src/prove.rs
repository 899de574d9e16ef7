//! Provers, cheapest first.

pub(crate) mod counters;
pub(crate) mod inclusion;
pub(crate) mod serial_words;
