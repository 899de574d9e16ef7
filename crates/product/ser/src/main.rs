//! The `ser` command.

use cap::Cap;
use clap::Parser as _;
use std::alloc::System;
use std::process::ExitCode;

/// Counts the bytes in use, for `--memory`.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> ExitCode {
    let cli = ser::cli::Cli::try_parse().unwrap_or_else(|error| ser::cli::exit(&error));
    let process = ser::process::Process::new(Some(|| ALLOCATOR.allocated()));
    // A server has nothing to bring to an end: signals end it at once.
    if !matches!(cli.command, ser::cli::Command::Lsp(_)) {
        process.listen_to_signals();
    }
    ser::run(cli, &process)
}
