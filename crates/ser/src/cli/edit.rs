//! Arguments of the commands that write programs: `ser fmt` and `ser new`.

use clap::{Args, ValueEnum};

/// Arguments of `ser fmt`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 fine, 1 something would change (--check), 2 a file has errors or cannot be read.\nOver several files the most serious one wins, in the order 2, 1, 0. A file with errors stays as it is."
)]
pub struct FmtArgs {
    /// Programs (.ser), changed in place; `-` or nothing: from standard input to standard output
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
    /// Without it, the file is named after the template. The name of a template chooses that template.
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
