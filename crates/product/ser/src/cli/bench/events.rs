//! The command line of `ser bench events`.

use super::ReportArgs;
use crate::cli::trace::{Encoding, TraceSolver};
use clap::{Args, ValueEnum};
use ser_bench::lost_updates::{MAX_C, MIN_C};
use ser_bench::machine::Clock;
use std::time::Duration;

/// Arguments of `ser bench events`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser bench events --to 5                     the first 264 instances\n  ser bench events --every 20 --plot plots    every 20th, with a scatter plot\n  ser bench events --ablation --every 50 --timeout 10\n\nExit codes: 0, or 1 if two answers contradict each other, 2 usage or input error, 3 if event tracing\nhad no answer somewhere."
)]
pub struct EventsArgs {
    /// The smallest C
    #[arg(long, value_name = "C", default_value_t = 4, value_parser = rounds())]
    pub from: u32,

    /// The largest C
    #[arg(long, value_name = "C", default_value_t = 9, value_parser = rounds())]
    pub to: u32,

    /// Every Nth instance of each C only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,

    /// Give up on an instance after this many seconds of event tracing
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = crate::cli::seconds)]
    pub timeout: f64,

    /// Give up on an instance when the process needs more memory than this
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,

    /// Cut bounded model checking after so many times the time of event tracing, but not within a second
    #[arg(long, value_name = "FACTOR", default_value_t = 30.0, value_parser = factor)]
    pub bmc_factor: f64,

    /// Cut it after this many seconds instead
    #[arg(long, value_name = "SECONDS", value_parser = crate::cli::seconds, conflicts_with = "bmc_factor")]
    pub bmc_timeout: Option<f64>,

    /// Event tracing only
    #[arg(long, conflicts_with_all = ["bmc_factor", "bmc_timeout"])]
    pub no_bmc: bool,

    /// Compare with all interleavings, one by one, up to this C
    #[arg(long, value_name = "C", default_value_t = 5)]
    pub check_up_to: u32,

    /// Check the solver's proofs, too; the time of that is told apart
    #[arg(long)]
    pub check_proofs: bool,

    /// Change one thing of the encoding at a time, and see what it was good for
    #[arg(long, conflicts_with_all = ["encoding", "bmc_factor", "bmc_timeout", "no_bmc", "check_up_to", "check_proofs"])]
    pub ablation: bool,

    /// Changes of the encoding, as for `ser trace`
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CHANGE")]
    pub encoding: Vec<Encoding>,

    /// The solver, for both methods
    #[arg(long, value_enum, default_value_t = TraceSolver::Batsat)]
    pub solver: TraceSolver,

    /// How to measure time; limits are always about the time that goes by
    #[arg(long, value_enum, default_value_t = ClockName::Wall)]
    pub clock: ClockName,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub report: ReportArgs,
}

/// The clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ClockName {
    /// The time that goes by
    Wall,
    /// The time that the processor works for it: for machines that are busy with other things
    Cpu,
}

impl ClockName {
    /// The clock of the library.
    pub fn clock(self) -> Clock {
        match self {
            ClockName::Wall => Clock::Wall,
            ClockName::Cpu => Clock::Cpu,
        }
    }
}

fn rounds() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(MIN_C)..=i64::from(MAX_C))
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("expected a positive number".into()),
    }
}

/// Bounded model checking has so much time at least.
const LEAST: Duration = Duration::from_secs(1);

impl EventsArgs {
    /// The time for bounded model checking where event tracing took so long.
    pub fn bmc_time(&self, events: Duration) -> Duration {
        let seconds = self.bmc_timeout.unwrap_or(events.as_secs_f64() * self.bmc_factor);
        let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        if self.bmc_timeout.is_some() { time } else { time.max(LEAST) }
    }

    /// The limits in a line.
    pub fn limits(&self) -> String {
        let bmc = match (self.no_bmc || self.ablation, self.bmc_timeout) {
            (true, _) => String::new(),
            (false, Some(seconds)) => format!(", {seconds} s for bmc"),
            (false, None) => {
                format!(", {} times as long (1 s at least) for bmc", self.bmc_factor)
            }
        };
        format!("{} s for each instance{bmc}, {} MiB", self.timeout, self.memory)
    }
}
