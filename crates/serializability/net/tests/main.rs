//! All tests of this crate, in one binary.

mod alike;
mod common;
mod reductions;
