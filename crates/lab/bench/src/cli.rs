//! The command line.

use crate::events::EventsArgs;
use crate::prove::ProveArgs;
use crate::sequentialize::SequentializeArgs;
use crate::tool;
use clap::{Args, Parser, Subcommand, ValueEnum};
use ser_generators::families::{MAX_N, MIN_N};
use std::path::PathBuf;

/// Measure `ser`: run suites of programs, and see how the cost grows
#[derive(Parser, Debug)]
#[command(
    name = "ser-bench",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    after_help = "For example:\n  ser-bench examples                          verdicts as their comments expect them\n  ser-bench DIR --expected DIR/expected.csv   columns: file, serializable (yes or no), and perhaps\n                                              paper_certificate_ms and paper_total_ms\n  ser-bench examples --against 'tool {file}' --against-serializable 'OK' \\\n            --against-not-serializable 'BUG'  another tool, side by side\n  ser-bench examples --format markdown --output report.md --plot plots\n\nEvery program runs in a process of its own. A folder called like a subcommand is written ./scaling.\n\nExit codes: 0 all verdicts are as expected, 1 some are wrong, 2 usage or input error, 3 some are\nunknown."
)]
pub struct Cli {
    /// What to do instead of running a suite.
    #[command(subcommand)]
    pub measurement: Option<Measurement>,

    /// The `ser` to measure; without this, the one beside this program, or else the one in PATH
    #[arg(long, value_name = "PROGRAM", global = true)]
    pub ser: Option<PathBuf>,

    #[command(flatten)]
    pub suite: SuiteArgs,
}

/// What to run, and what to compare it with.
#[derive(Args, Debug)]
pub struct SuiteArgs {
    #[command(flatten)]
    pub programs: Programs,

    /// The expected verdicts as a table; without it, comments `// expect: serializable` or
    /// `// expect: not_serializable` tell, and `"_expect"` in JSON
    #[arg(long, value_name = "CSV")]
    pub expected: Option<String>,

    #[command(flatten)]
    pub options: CheckOptions,

    /// Another tool to run side by side; `{file}` is where the program's name goes
    #[arg(long, value_name = "COMMAND", help_heading = "Comparison")]
    pub against: Option<String>,

    /// What the other tool prints if a program is serializable, as a regular expression
    #[arg(long, value_name = "REGEX", default_value = tool::SERIALIZABLE, requires = "against", help_heading = "Comparison")]
    pub against_serializable: String,

    /// What it prints if a program is not; this one is tried first
    #[arg(long, value_name = "REGEX", default_value = tool::NOT_SERIALIZABLE, requires = "against", help_heading = "Comparison")]
    pub against_not_serializable: String,

    #[command(flatten)]
    pub measure: MeasureArgs,

    #[command(flatten)]
    pub report: ReportArgs,
}

/// What to measure.
#[derive(Args, Debug)]
pub struct Programs {
    /// Programs (.ser), network systems (.json), and folders of them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
}

/// What `ser check` is told.
#[derive(Args, Debug)]
pub struct CheckOptions {
    /// Options for `ser check`, for example `--check='--without movers'`
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub check: Option<String>,
}

/// How to measure.
#[derive(Args, Debug)]
pub struct MeasureArgs {
    /// Give up on a program after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, help_heading = "Measuring")]
    pub timeout: f64,

    /// Give up on a program when it needs more memory than this
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Measuring")]
    pub memory: u64,

    /// Measure each program so many times; the run with the middle time counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Measuring")]
    pub repeat: u32,

    /// Run each program so many times before that
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000), help_heading = "Measuring")]
    pub warmup: u32,

    /// How many programs at the same time; more than one makes times less exact
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = "Measuring")]
    pub jobs: u32,
}

/// What to do with the numbers.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// How to write the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Human, help_heading = "Report")]
    pub format: ReportFormat,

    /// Write the report to this file
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub output: Option<String>,

    /// Write plots to this folder, as SVG
    #[arg(long, value_name = "DIR", help_heading = "Report")]
    pub plot: Option<String>,

    /// Leave out the date
    #[arg(long, help_heading = "Report")]
    pub no_date: bool,
}

/// Formats of reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReportFormat {
    /// For people
    Human,
    /// One table, a line for each run
    Csv,
    /// Everything, for programs
    Json,
    /// For documents
    Markdown,
}

/// What `ser-bench` can do besides running a suite.
#[derive(Subcommand, Debug)]
pub enum Measurement {
    /// List the families of programs
    Families,
    /// Print a program of a family, or write it to a folder
    Generate(GenerateArgs),
    /// See how time and memory grow with the size of programs
    ///
    /// For each family and variant, n grows until a run takes longer than the budget or has no
    /// verdict. Reported are the largest n within the budget and the exponent e of the growth n^e,
    /// fitted to the runs that take long enough to be measured.
    Scaling(ScalingArgs),
    /// See what each optimisation is good for
    ///
    /// The counterparts of the SER paper's Table 5 (sizes of semilinear sets with each option off),
    /// Figure 16 (sizes of nets before and after reductions) and Figure 15 (programs solved over
    /// time with each option off), on any programs.
    Ablation(AblationArgs),
    /// Measure event tracing (`ser trace`) against bounded model checking
    ///
    /// The family of section 7 of the paper about event tracing: two processes add to a shared X, C
    /// times each, reading and writing in two steps; can X be D in the end? C = 4..9 are 2,498
    /// instances. All run one after the other in this process, each by both methods with the same
    /// solver, and the answers are compared.
    Events(EventsArgs),
    /// Measure sequentialization (`ser sequentialize`) against the model checker Spin
    ///
    /// Ours answers for sets of any size. Spin lists the states for given sizes, so the smallest
    /// size is looked for at which it needs too much time or memory: as in Table 1 of the paper on
    /// canonical sequentialization, whose numbers stand beside ours. Wherever Spin finishes, the
    /// answers are compared.
    Sequentialize(SequentializeArgs),
    /// Measure parametrized invariance (`ser prove`) beside the paper's Figure 7
    ///
    /// The 20 invariants of two ticket locks and of the lock-coupling list: how many conditions
    /// each has, what they were proved with, and how long that takes with the tactics of the
    /// paper's four columns and with each tactic switched off.
    Prove(ProveArgs),
}

/// Arguments of `ser-bench generate`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser-bench generate two_phase_locking --n 5\n  ser-bench generate all --out programs      every family, both variants"
)]
pub struct GenerateArgs {
    /// A family (`ser-bench families` lists them), or `all`
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

/// Arguments of `ser-bench scaling`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0, or 1 if a verdict is wrong, 2 usage or input error.")]
pub struct ScalingArgs {
    /// Families (`ser-bench families` lists them); all if none is given
    #[arg(value_name = "FAMILY")]
    pub families: Vec<String>,

    /// The time for one program
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    pub budget: f64,

    /// Stop at this size
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = size)]
    pub max_n: usize,

    /// The memory for one program
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,

    #[command(flatten)]
    pub options: CheckOptions,

    #[command(flatten)]
    pub report: ReportArgs,
}

/// Arguments of `ser-bench ablation`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0, or 1 if a verdict is wrong with any option, 2 usage or input error."
)]
pub struct AblationArgs {
    #[command(flatten)]
    pub programs: Programs,

    /// The expected verdicts, as for `ser-bench`
    #[arg(long, value_name = "CSV")]
    pub expected: Option<String>,

    /// Switch off these, one at a time; all if none is given
    #[arg(long, value_delimiter = ',', value_name = "OPTION")]
    pub without: Vec<String>,

    /// The time for building one semilinear set or one net
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    pub size_timeout: f64,

    /// Tell the sizes of nets and sets only, and run nothing
    #[arg(long)]
    pub sizes_only: bool,

    #[command(flatten)]
    pub measure: MeasureArgs,

    #[command(flatten)]
    pub report: ReportArgs,
}

fn size(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if (MIN_N..=MAX_N).contains(&n) => Ok(n),
        _ => Err(format!("expected a number from {} to {}", MIN_N, MAX_N)),
    }
}

/// A positive number of seconds.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    positive(text).map_err(|_| "expected a positive number of seconds".into())
}

/// A positive number.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() && x > 0.0 => Ok(x),
        _ => Err("expected a positive number".into()),
    }
}
