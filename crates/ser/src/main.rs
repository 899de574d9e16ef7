//! The `ser` command.

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    ser::run(ser::cli::Cli::parse())
}
