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
#[path = "../../../serializability/checker/tests/all/common/rules.rs"]
mod places;
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

/// How many inputs; more where somebody asks for it.
fn inputs(usual: u64) -> u64 {
    let factor = std::env::var("SER_FUZZ_FACTOR").ok().and_then(|text| text.parse().ok());
    usual * factor.unwrap_or(1)
}
