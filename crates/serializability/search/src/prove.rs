//! Provers, cheapest first.

pub(crate) mod arithmetic;
pub(crate) mod counters;
pub(crate) mod follows;
pub(crate) mod inclusion;
mod interned;
mod lambda;
mod regions;
mod scope;
pub(crate) mod serial_outcomes;
pub(crate) mod serial_words;
mod stand_ins;
pub(crate) mod tree;
