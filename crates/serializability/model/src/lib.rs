//! Network systems, and the semantics that turns a program into one.
//!
//! This crate is the front end that engine and checker share: everything in it is trusted, so
//! it holds only what both need. Nets, reductions and searches live further down the house.

mod export;
mod ids;
mod json;
mod rules;
mod semantics;
mod system;

pub use export::system_text;
pub use ids::{FootprintId, GlobalId, LocalId, RequestId, ResponseId, StepId, VariableId};
pub use json::{JsonError, object_of, read_json, read_json_leniently, write_json};
pub use rules::{Precision, Rule, RuleSystem};
pub use semantics::{
    ABORT, Action, Asked, Code, ExploreError, FollowError, Followed, Footsteps, Found, Growing,
    Handler, Instr, Linear, Listing, Literal, Liveness, MOST_KEYS, Move, NotSymbolic, Outline, Pc,
    Plan, ProgramModel, RunBound, RunPlace, Slot, Standing, StepEvent, Stepping, SymbolicArray,
    SymbolicHandler, SymbolicNet, SymbolicPlace, SymbolicStep, SymbolicTarget, Target, Trend, Var,
    coarse_rules, core_rules, opaque_rules, program_rules, step_through,
};
pub use system::{Footprint, LocalState, NetworkSystem, Step, SystemBuilder, Variable};
