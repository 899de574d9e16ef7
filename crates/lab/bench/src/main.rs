//! The `ser-bench` command.

use cap::Cap;
use clap::Parser as _;
use ser_bench::cli::Cli;
use std::alloc::System;
use std::process::ExitCode;

/// Counts the bytes in use, for what is measured within this process.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

#[allow(clippy::print_stderr)]
fn main() -> ExitCode {
    let cli = Cli::parse();
    let process = ser::process::Process::new(Some(|| ALLOCATOR.allocated()));
    process.listen_to_signals();
    match ser_bench::run(&cli, process) {
        Ok(code) => code.into(),
        Err(failure) => {
            eprintln!("error: {failure}");
            if let Some(help) = failure.help {
                eprintln!("help: {help}");
            }
            ExitCode::from(2)
        }
    }
}
