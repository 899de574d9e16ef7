//! What every command takes that answers questions about files.

use super::{Format, LimitArgs};
use clap::Args;

/// Arguments of all commands that answer questions about files.
#[derive(Args, Clone, Debug)]
pub struct AnswerArgs {
    /// How to print the answers
    #[arg(long, value_enum, default_value_t = Format::Human, help_heading = "Output")]
    pub format: Format,

    /// Write the certificate here; with several files, the name of a folder
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub certificate: Option<String>,

    /// Write a report to look at here, as one HTML file that needs nothing else; with several files,
    /// the name of a folder
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub html: Option<String>,

    /// Print the verdicts alone, one line each
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,

    /// Tell what it cost: times, sizes, memory
    #[arg(long, alias = "stats", help_heading = "Output")]
    pub statistics: bool,

    /// Do not print warnings about the source
    #[arg(long, help_heading = "Output")]
    pub no_warnings: bool,

    /// Stay, and look at a file again whenever it is saved, until Ctrl-C
    #[arg(long)]
    pub watch: bool,

    /// How many files to look at at the same time; 0 means one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,

    #[command(flatten)]
    pub limits: LimitArgs,
}
