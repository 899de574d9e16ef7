//! Random inputs against those who know better, in one binary. Most are short versions of
//! campaigns: `cargo run --release -p ser-fuzz` is the long one, and `cargo test -p ser-fuzz --
//! --ignored` those that find little for their time.

#[allow(clippy::print_stderr)]
mod along;
#[allow(clippy::print_stderr)]
mod bridge;
mod campaign;
mod corpus;
#[allow(clippy::print_stderr)]
mod forged;
mod forgery;
#[allow(clippy::print_stderr)]
mod metamorphic;
mod nets;
#[allow(clippy::print_stderr)]
mod opaque;
mod repairs;
mod rule_doubts;
#[allow(clippy::print_stderr)]
mod rule_tampering;
#[allow(clippy::print_stderr)]
mod rules;
#[allow(clippy::print_stderr)]
mod semantics;
mod sources;
mod stages;
