//! Bounded event tracing: symbolic reachability for asynchronous systems with data.
//!
//! Instead of unrolling an interleaving step by step, one fixes a finite set of *potential events* (an
//! unwinding), each of which occurs at most once, and lets a SAT solver choose which of them occur, which token
//! each of them reads, and a partial order. Independence costs nothing, and data stays symbolic. The method
//! is J. Dubrovin's, "Checking Bounded Reachability in Asynchronous Systems by Symbolic Event Tracing"
//! (TKK-ICS-R14, 2009); "the paper" below.

mod actions;
mod bits;
mod bmc;
mod encode;
mod execution;
mod explicit;
mod formula;
mod ids;
mod net;
mod order;
mod search;
mod suspects;
mod term;
mod trace;
mod unwind;
mod values;
mod written;

pub use bmc::{Bmc, BmcOutcome};
pub use encode::{EncodeError, Encoder, Options, OrderMethod, Outcome, Sizes};
pub use execution::{Execution, Marking, NotEnabled, Step, Token};
pub use explicit::{Explored, explore, possible_steps};
pub use formula::{Count, Formula, PARTS, Part};
pub use ids::{ArcId, PlaceId, TransitionId, VariableId};
pub use net::{Arc, ArcKind, Growth, Net, NewTransition, Place, Transition, Variable};
pub use order::{Elimination, StaticOrder, Triangle, eliminate, find_cycles};
pub use search::{
    Bound, Clauses, Covered, Method, Refutation, Search, SearchAnswer, SearchError, SearchOptions,
    SearchProgress, search, search_watched,
};
#[cfg(feature = "cadical")]
pub use ser_sat::CaDiCaL;
pub use ser_sat::{Answer, BatSat, Lit, Solver, SolverKind, write_dimacs, write_drat};
pub use suspects::suspects;
pub use term::{Interval, Node, Term, Terms};
pub use trace::{TokenTrace, Why};
pub use unwind::{Goal, Grown, Origin, Process, Task, UnwindError, Unwinding};
pub use values::Values;
