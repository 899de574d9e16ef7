//! Exact arithmetic.

mod echelon;
mod int;
mod linear;
mod ratio;
mod simplex;

pub use int::{Int, ParseNumberError};
pub use linear::{Linear, Point, Var};
pub use ratio::Ratio;
pub use simplex::{Check, Entails, Minimum, Multipliers, Simplex};
