//! All tests of the command, in one binary, because linking takes longer than most of them.
//! `cargo test -p ser limits` runs those of one file.

/// The program that is tested.
const PROGRAM: &str = env!("CARGO_BIN_EXE_ser");

mod bad_input;
mod book;
mod browser;
mod cli;
mod common;
mod crate_graph;
mod determinism;
mod examples;
mod exported_pairs;
#[cfg(unix)]
mod faults;
mod features;
mod fmt;
mod html;
mod limits;
mod lsp;
mod machine_integers;
mod new;
mod prove;
mod prove_words;
mod questions;
mod reach;
mod sequentialize;
#[allow(clippy::print_stderr)]
mod ser47;
#[allow(clippy::print_stderr)]
mod ser47_certificates;
mod several_files;
mod show;
#[cfg(target_os = "linux")]
mod signals;
#[allow(clippy::print_stderr)]
mod smtlib;
mod snapshots;
mod sql;
mod start_proof;
mod switches;
mod trace;
#[cfg(unix)]
mod watch;
