//! Every operation against brute force on small boxes, every certificate against an evaluator
//! that shares no arithmetic with the crate.

mod automaton;
mod exact;
mod integer;
mod lattice;
mod nonmember;
mod numbers;
mod semilinear;
mod simplex;
