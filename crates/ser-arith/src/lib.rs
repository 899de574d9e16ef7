//! Exact arithmetic.

mod automaton;
mod cone;
mod echelon;
mod int;
mod integer;
mod lattice;
mod linear;
mod ratio;
mod semilinear;
mod simplex;

pub use automaton::{AutomatonEdge, automaton_outcomes};
pub use cone::{GaveUp, combination};
pub use int::{Int, ParseNumberError};
pub use integer::{IntegerMinimum, integer_minimize};
pub use lattice::{
    Hermite, IntegerSolution, Matrix, Smith, hermite, identity, integer_infeasible,
    integer_solution, smith, solve_integer,
};
pub use linear::{Linear, Point, Var};
pub use ratio::Ratio;
pub use semilinear::{
    Alphabet, Component, Cycle, Letter, Limits, Origin, Outcomes, Semilinear, TooLarge,
};
pub use simplex::{Check, Entails, Minimum, Multipliers, Simplex};
