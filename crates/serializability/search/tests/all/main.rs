//! The engine against brute force, and its certificates under attack.

mod claims;
#[path = "../../../net/tests/common/mod.rs"]
mod common;
mod differential;
mod e2_family;
mod many_requests;
mod opaque;
mod slices;
mod strict;
mod symbolic;
mod tampering;
