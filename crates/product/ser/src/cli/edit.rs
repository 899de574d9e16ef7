//! Arguments of the commands that write programs: `ser fmt`, `ser new` and `ser repair`.

use super::{EngineArgs, LimitArgs, seconds};
use clap::{Args, ValueEnum};

/// Arguments of `ser fmt`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 fine, 1 something would change (--check), 2 a file has errors or cannot be read. Over several files the most serious one wins, in the order 2, 1, 0. A file with errors is left as it is."
)]
pub struct FmtArgs {
    /// Sources (.ser, .unw), changed in place; `-` or nothing: from standard
    /// input to standard output
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// Change nothing; print what would change as a unified diff
    #[arg(long)]
    pub check: bool,
}

/// Arguments of `ser new`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 written, 2 not written (the message says why).")]
pub struct NewArgs {
    /// The file to write, with or without `.ser`; `-` is standard output
    ///
    /// Without it, the file is named after the template. The name of a template chooses that
    /// template.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// What to start from [default: bank]
    #[arg(long, value_enum)]
    pub template: Option<Template>,

    /// List the templates
    #[arg(long)]
    pub list: bool,

    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
}

/// The templates by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Template {
    /// Transfers between two accounts; broken on purpose, to be repaired
    Bank,
    /// A counter behind a lock
    Lock,
    /// A cache in front of a database
    Cache,
    /// A stateful firewall
    Firewall,
    /// Producers and consumers with a queue between them
    Queue,
}

/// Arguments of `ser repair`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 there is a repair, or nothing to repair; 1 no repair was found; 2 usage or input error; 3 no repair was found in time (--timeout), or it is not known whether the program is serializable.\n\nEvery suggestion has been applied to the text and proved serializable, with a certificate. Run alone, a request does what it did before; none waits without letting others in, and no two requests block each other that did not before."
)]
pub struct RepairArgs {
    /// Programs (.ser); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,

    /// Change the file: apply the first suggestion, or another one: --apply=2; for standard input,
    /// print the changed program
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub apply: Option<u32>,

    /// How to print the suggestions
    #[arg(long, value_enum, default_value_t = RepairFormat::Human)]
    pub format: RepairFormat,

    /// Stop searching after this many seconds for each file
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds, help_heading = "Limits")]
    pub timeout: f64,

    /// Stop when the whole process needs more memory than this
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub memory: u64,

    /// How many global and local states a program may have
    #[arg(long, value_name = "N", default_value_t = 100_000, help_heading = "Limits")]
    pub max_states: usize,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub engine: EngineArgs,
}

impl RepairArgs {
    /// The limits for each file.
    pub fn limits(&self) -> LimitArgs {
        LimitArgs { timeout: self.timeout, memory: self.memory, max_states: self.max_states }
    }
}

/// How to print repairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RepairFormat {
    /// For people
    Human,
    /// One object per line, for programs
    Json,
}
