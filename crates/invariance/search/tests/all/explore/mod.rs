//! The explorer: what statements do, what it finds in the examples, and that its shortcuts lose
//! nothing.

mod checker;
mod common;
mod examples;
mod outside;
mod semantics;
mod shortcuts;
