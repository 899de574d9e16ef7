//! Exact arithmetic.

mod int;
mod ratio;

pub use int::{Int, ParseNumberError};
pub use ratio::Ratio;
