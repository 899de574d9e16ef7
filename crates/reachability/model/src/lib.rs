//! Bounded event tracing: from a program to a formula.
//!
//! Instead of unrolling an interleaving step by step, one fixes a finite set of *potential events*
//! (an unwinding), each of which occurs at most once. A solution of the formula says which of them
//! occur, which token each of them reads, and a partial order. Independence costs nothing, and data
//! stays symbolic. The method is J. Dubrovin's, "Checking Bounded Reachability in Asynchronous
//! Systems by Symbolic Event Tracing" (TKK-ICS-R14, 2009); "the paper" below.
//!
//! Everything here is trusted: that an unwinding has all events, and that the formula has all its
//! token traces. The search asks a solver about the formula; the checker makes the formula anew.

mod actions;
mod bits;
mod bmc;
mod covered;
mod encode;
mod execution;
mod explicit;
mod formula;
mod ids;
mod net;
mod order;
mod question;
mod term;
mod trace;
mod unwind;
mod values;
mod written;

pub use bmc::Bmc;
pub use covered::Covered;
pub use encode::{EncodeError, Encoder, Encoding, OrderMethod, Sizes};
pub use execution::{Execution, Marking, NotEnabled, Step, Token};
pub use explicit::{Explored, explore, possible_steps};
pub use formula::{Count, Formula, PARTS, Part};
pub use ids::{ArcId, PlaceId, TransitionId, VariableId};
pub use net::{Arc, ArcKind, Growth, Net, NewTransition, Place, Transition, Variable};
pub use order::{Elimination, StaticOrder, Triangle, eliminate, find_cycles};
pub use question::{Condition, Participants, processes};
pub use term::{Interval, Node, Term, Terms};
pub use trace::{TokenTrace, Why};
pub use unwind::{
    Goal, Grown, Location, Loops, Origin, Process, Start, StepError, Stepper, Supply, Task,
    UnwindError, Unwinding, Way, Ways,
};
pub use values::Values;
