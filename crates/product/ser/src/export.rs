//! Nets and queries for other tools, with names that lead back to the source.
//!
//! A program is serializable iff the [query](NonSerial) cannot be reached in its interleaving net.
//! Net and query use the same places: one for each global state, one for each place where a request
//! can be in flight, and one sink for each request and response.

mod condition;
mod names;
mod net;
mod query;

pub use condition::{Clause, Condition, Terms};
pub use net::{ExportedNet, PlaceKind, normal_net, paper_net};
pub use query::{NoQuery, NonSerial, non_serial};
