//! Arguments of every command that answers questions about files.

use super::{Format, LimitArgs};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct AnswerArgs {
    /// How to print the answers
    #[arg(long, value_enum, default_value_t = Format::Human, help_heading = "Output")]
    pub format: Format,

    /// Write the certificate here; with several questions, their numbers are added; with several
    /// files, the name of a folder
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub certificate: Option<String>,

    /// Write a self-contained HTML report here; with several files, the name of a folder
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub html: Option<String>,

    /// Print only the verdicts, one line each
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,

    /// Show what it cost: times, sizes, memory
    #[arg(long, alias = "stats", help_heading = "Output")]
    pub statistics: bool,

    /// Do not print warnings about the source
    #[arg(long, help_heading = "Output")]
    pub no_warnings: bool,

    /// Keep running, and check a file again whenever it is saved, until Ctrl-C
    #[arg(long)]
    pub watch: bool,

    /// How many files to check at the same time; 0 means one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,

    #[command(flatten)]
    pub limits: LimitArgs,
}
