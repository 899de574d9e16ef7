//! The command line of `ser bench`.

use clap::{Args, Subcommand};
use ser_bench::families;

/// Arguments of `ser bench`.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct BenchArgs {
    /// What to do instead of running a suite.
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
}

/// What `ser bench` can do besides running a suite.
#[derive(Subcommand, Debug)]
pub enum BenchCommand {
    /// List the families of programs
    Families,
    /// Print a program of a family, or write it to a folder
    Generate(GenerateArgs),
}

/// Arguments of `ser bench generate`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser bench generate two_phase_locking --n 5\n  ser bench generate all --out programs      every family, both variants"
)]
pub struct GenerateArgs {
    /// A family (`ser bench families` lists them), or `all`
    #[arg(value_name = "FAMILY")]
    pub family: String,

    /// How large; what n is depends on the family
    #[arg(long, default_value_t = 3, value_parser = size)]
    pub n: usize,

    /// The variant that is not serializable
    #[arg(long)]
    pub broken: bool,

    /// Write both variants, or with --broken that one, to files in this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<String>,
}

fn size(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if (families::MIN_N..=families::MAX_N).contains(&n) => Ok(n),
        _ => Err(format!("expected a number from {} to {}", families::MIN_N, families::MAX_N)),
    }
}
