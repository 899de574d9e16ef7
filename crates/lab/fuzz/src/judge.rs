//! One input through everything that answers, compared with those who know.

mod claims;
mod equations;
mod events;
mod net;
mod program;
mod set;
mod source;
mod trial;
mod whole;

pub use claims::{try_claims, with_claims};
pub use equations::try_equations;
pub use events::{try_processes, try_requests};
pub use net::try_net;
pub use program::{ProgramTrial, judge_program, program_findings, try_program};
pub use set::try_set;
pub use source::try_source;
pub(crate) use trial::ORACLE_STATES;
pub use trial::{Finding, Trial, brute_force, try_system};
pub use whole::try_whole;
