//! Attacks the checker with forged certificates: `cargo run --release -p ser-fuzz --bin forge`.

#![allow(clippy::print_stdout)]

use clap::Parser;
use ser_fuzz::forgery::{Report, campaign};
use std::process::ExitCode;

/// Attacks the checker with mutants of genuine certificates.
#[derive(Parser)]
struct Arguments {
    /// How many mutants, at least.
    #[arg(long, default_value_t = 100_000)]
    mutants: usize,
    /// Another seed, other mutants.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut report = Report::default();
    campaign(arguments.seed, arguments.mutants, &mut report);
    println!("{report}");
    let missing = report.missing();
    if !missing.is_empty() {
        println!("never: {}", missing.join("; "));
    }
    if report.scandals.is_empty() && missing.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
