//! Looking for runs and for proofs that there are none: the formulas of [`ser_reachability_model`]
//! in a SAT solver. Nothing here is trusted: what it finds is evidence, which
//! [`ser_reachability_checker`] checks.

mod search;
mod suspects;
mod tracer;

pub use search::{
    Bound, Clauses, Method, Refutation, Search, SearchAnswer, SearchError, SearchOptions,
    SearchProgress, search, search_watched,
};
pub use ser_clausal::Lit;
pub use ser_reachability_model::*;
#[cfg(feature = "cadical")]
pub use ser_sat::CaDiCaL;
pub use ser_sat::{BatSat, Solver, SolverKind, write_dimacs, write_drat};
pub use suspects::suspects;
pub use tracer::{Options, Outcome, Tracer};
