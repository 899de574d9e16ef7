//! Exact arithmetic: everything that a proof by counting needs, and nothing rounded.
//!
//! ```text
//! Int -> Ratio -> Linear -+-> Simplex -> integer_minimize -> combination -+
//!                         +-> smith -> solve_integer, non_member ----------|
//!                                       Semilinear -> automaton_outcomes <+
//! ```
//!
//! - [`Int`], [`Ratio`]: exact numbers, machine words as long as they fit;
//! - [`Linear`]: linear forms over variables;
//! - [`Simplex`]: a stack of hypotheses; every "no" comes with Farkas multipliers;
//! - [`integer_minimize`]: integer points by branch and bound;
//! - [`smith`], [`solve_integer`]: lattices; every "no" comes with a combination;
//! - [`Semilinear`], [`automaton_outcomes`]: the letter counts of words, with the words;
//! - [`non_member`]: not being in a component, as a clause; [`simplicial`] makes it applicable.
//!
//! Every search has a limit and says so when it reaches it. Everything is deterministic. Nothing
//! here is trusted: results go into certificates, and the checker does its own arithmetic on them.

/// The forms of operators by value and in place, made from those on references.
macro_rules! by_value {
    ($Number:ty: $($Trait:ident $method:ident $Assign:ident $assign:ident),*) => {$(
        impl $Trait<$Number> for $Number {
            type Output = $Number;
            fn $method(self, other: $Number) -> $Number {
                (&self).$method(&other)
            }
        }
        impl $Trait<&$Number> for $Number {
            type Output = $Number;
            fn $method(self, other: &$Number) -> $Number {
                (&self).$method(other)
            }
        }
        impl $Trait<$Number> for &$Number {
            type Output = $Number;
            fn $method(self, other: $Number) -> $Number {
                self.$method(&other)
            }
        }
        impl $Assign<&$Number> for $Number {
            fn $assign(&mut self, other: &$Number) {
                *self = (&*self).$method(other);
            }
        }
        impl $Assign<$Number> for $Number {
            fn $assign(&mut self, other: $Number) {
                *self = (&*self).$method(&other);
            }
        }
    )*};
}

mod automaton;
mod cone;
mod echelon;
mod int;
mod integer;
mod lattice;
mod linear;
mod nonmember;
mod outcomes;
mod ratio;
mod row;
mod semilinear;
mod simplex;
mod simplicial;

pub use automaton::{AutomatonEdge, automaton_outcomes};
pub use cone::{GaveUp, combination};
pub use int::{Int, ParseNumberError};
pub use integer::{IntegerMinimum, integer_minimize};
pub use lattice::{
    IntegerSolution, Matrix, Smith, identity, integer_infeasible, integer_solution, smith,
    solve_integer,
};
pub use linear::{Linear, Point, Var};
pub use nonmember::{Literal, NonMember, non_member};
pub use outcomes::Outcomes;
pub use ratio::Ratio;
pub use semilinear::{
    Alphabet, Component, Cycle, Letter, Limits, Origin, OutcomeOptions, Semilinear, TooLarge,
};
pub use simplex::{Check, Entails, Minimum, Multipliers, Simplex};
pub use simplicial::{LinearSet, simplicial};
