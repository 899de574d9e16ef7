//! Benchmarks for `ser`: what to measure, and how to tell what was measured.
//!
//! [`suite`] finds programs and what is expected of them, [`process`] runs a tool on one of them,
//! [`tool`] reads its answer, and [`measurement`] is a row of a report. Every measurement ends in a
//! [`report`] of [`table`]s and [`plot`]s: [`suite_report`], [`scaling`] and [`ablation`] about
//! serializability, [`events`] and [`event_ablation`] about event tracing, [`sequentialize`] beside
//! the model checker [`spin`], [`prove`] beside the numbers of [`papers`].

pub mod ablation;
mod bar;
pub mod cli;
pub mod event_ablation;
pub mod event_run;
pub mod events;
mod generate;
pub mod lost_updates;
pub mod machine;
pub mod measurement;
pub mod papers;
mod peak;
pub mod plot;
pub mod process;
pub mod prove;
pub mod report;
pub mod scaling;
pub mod sequentialize;
mod sizes;
pub mod spin;
pub mod spin_wall;
pub mod statistics;
pub mod suite;
pub mod suite_report;
pub mod table;
pub mod tool;
pub mod verdict;

use cli::{Cli, Measurement};
use ser::process::Process;
use std::path::PathBuf;
use thiserror::Error;

/// What all measurements need.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Whether somebody wants it to end, and how much memory is in use.
    pub process: Process,
    /// The `ser` that the user wants to be measured.
    wanted: Option<PathBuf>,
}

impl Bench {
    /// The `ser` to measure: the one that the user names, the one beside this program, or the one
    /// that the system finds.
    pub fn ser(&self) -> Result<PathBuf, Failure> {
        let name = format!("ser{}", std::env::consts::EXE_SUFFIX);
        let beside = || Some(std::env::current_exe().ok()?.with_file_name(&name));
        self.wanted
            .clone()
            .or_else(|| beside().filter(|path| path.is_file()))
            .or_else(|| process::find(&std::env::var_os("PATH")?, &["ser"]))
            .ok_or_else(|| {
                let help = "build it with `cargo build --release`, or name one with --ser";
                Failure::new("there is no `ser` beside this program or in PATH").help(help)
            })
    }

    /// Whether somebody wants it to end.
    pub fn is_interrupted(&self) -> bool {
        self.process.is_interrupted()
    }
}

/// Why a measurement cannot begin or end: a message, and perhaps help.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("{message}")]
pub struct Failure {
    pub message: String,
    pub help: Option<String>,
}

impl Failure {
    /// A failure that nobody knows help for.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), help: None }
    }

    /// The same with help.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Failure {
        Failure { help: Some(help.into()), ..self }
    }
}

/// Measures, and gives the exit code.
pub fn run(cli: &Cli, process: Process) -> Result<u8, Failure> {
    let bench = Bench { process, wanted: cli.ser.clone() };
    match &cli.measurement {
        None => suite_report::run(&cli.suite, &bench)?.publish(&cli.suite.report),
        Some(Measurement::Families) => generate::list(),
        Some(Measurement::Generate(args)) => generate::run(args),
        Some(Measurement::Scaling(args)) => scaling::run(args, &bench)?.publish(&args.report),
        Some(Measurement::Ablation(args)) => ablation::run(args, &bench)?.publish(&args.report),
        Some(Measurement::Events(args)) => events::run(args, &bench)?.publish(&args.report),
        Some(Measurement::Sequentialize(args)) => {
            sequentialize::run(args, &bench)?.publish(&args.report)
        }
        Some(Measurement::Prove(args)) => prove::run(args, &bench)?.publish(&args.report),
    }
}
