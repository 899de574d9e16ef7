//! Which isolation levels are enough: robustness, allocation, and repairs.
//!
//! [`decide`] looks for a cycle that the checker's theorem (`ser_isolation_checker::split`) does
//! not exclude; without one, what it has seen is the certificate. [`allocate`] lowers levels as far
//! as no cycle comes up, [`largest_robust`] leaves out transactions, and [`repairs`] locks reads.

mod allocate;
pub mod anomaly;
mod cycle;
mod repair;
mod robust;
mod subsets;
mod values;

pub use allocate::{Allocation, Need, allocate};
pub use cycle::{Cycle, Link, Member};
pub use repair::{Lock, locked, repairs};
pub use robust::{Answer, Search, decide};
pub use subsets::{largest_robust, only};
