//! All tests in one program: it links once.

mod client;
mod events;
mod icet;
mod inv;
mod kinds;
mod latency;
mod programs;
mod session;
