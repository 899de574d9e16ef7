//! What programs and processes mean, and network systems as JSON.

mod json;
mod linear;
mod network;
mod opaque;
mod processes;
mod random_processes;
mod semantics;
