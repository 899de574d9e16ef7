//! All tests in one program: it links once.

mod client;
mod events;
mod files;
mod inv;
mod kinds;
mod latency;
mod messages;
mod names;
mod programs;
mod session;
