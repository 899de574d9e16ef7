//! Random inputs and a naive oracle, for tests and for `cargo run -p ser-fuzz`.
//!
//! Everything is a function of a seed. The oracle shares nothing with the engine but the network
//! system: it enumerates runs of few requests, step by step, as the definition says.

mod locking;
mod nets;
mod oracle;
mod programs;
mod random;
pub mod readers;
mod switches;
mod systems;
mod trial;
mod trial_program;

pub use locking::locking;
pub use nets::{net, try_net};
pub use oracle::{Oracle, brute_force};
pub use programs::program;
pub use random::Random;
pub use switches::options;
pub use systems::system;
pub use trial::{Finding, Trial, try_system, try_system_with};
pub use trial_program::{ProgramTrial, try_program};
