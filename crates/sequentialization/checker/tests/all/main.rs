//! All tests in one program: it links once.

#[macro_use]
mod common;

mod accepted;
mod prefix;
mod replies;
mod sources;
mod tampering;
mod traps;
