//! The command line, as data.

mod bench;
mod reach;

pub use bench::{
    AblationArgs, BenchArgs, BenchCommand, GenerateArgs, MeasureArgs, ReportArgs, ReportFormat,
    ScalingArgs,
};
pub use reach::{ReachArgs, ReachFormat};

use clap::{Args, Parser, Subcommand, ValueEnum};
use ser_engine::{Methods, Options, RefuteOptions, Strategy};
use ser_model::Limits;
use ser_net::Reductions;
use std::time::Duration;

/// Is this concurrent program serializable, for any number of requests?
///
/// Requests run concurrently and interleave at `yield`. `ser check` tells whether every
/// combination of responses could also have come from running the requests one after the other,
/// and shows the shortest interleaving that breaks it if not.
#[derive(Parser, Debug)]
#[command(
    name = "ser",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Start here:\n  ser check examples/lost_update.ser      a counterexample, step by step\n  ser check examples/*.ser                many files at once\n  ser check --format json FILE            one JSON object a line, for programs\n  ser check --certificate c.json FILE     keep the certificate ...\n  ser verify c.json                       ... and check it again, independently\n\nA program is a set of request handlers:\n\n  request increment { x := X; yield; X := x + 1 }\n\nGlobal variables start with an uppercase letter and are shared; local variables start with a\nlowercase letter. Other requests may run at each `yield`. The value of the last expression is\nthe response. docs/language.md has the whole language.\n\nExit codes of `ser check`: 0 serializable, 1 not serializable, 2 usage or input error,\n3 unknown. Over several files the most serious one wins: 2, 1, 3, 0."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours; NO_COLOR is respected.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// If the output is a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide whether programs or network systems are serializable
    Check(CheckArgs),
    /// Decide, and tell the whole proof in words
    ///
    /// The same as `ser check`, with every step of the argument: which pauses are harmless and
    /// why, where each request takes effect, which serial schedule gives which responses.
    Explain(CheckArgs),
    /// Check a certificate again, without the engine that made it
    Verify(VerifyArgs),
    /// Show a stage on the way from the source to the answer
    Show(ShowArgs),
    /// Decide whether a place/transition net reaches a marking
    ///
    /// The same engine and the same certificates as `ser check`, for any net with weighted arcs
    /// and any condition on token counts.
    Reach(ReachArgs),
    /// Measure: run suites of programs, and see how the cost grows
    Bench(Box<BenchArgs>),
    /// Print a completion script for a shell
    ///
    /// For example: `ser completions bash > ~/.local/share/bash-completion/completions/ser`
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    ///
    /// For example: `ser man > ser.1 && man ./ser.1`
    Man,
}

/// Arguments of `ser check`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 serializable, 1 not serializable, 2 usage or input error, 3 unknown.\nOver several files the most serious one wins, in the order 2, 1, 3, 0."
)]
pub struct CheckArgs {
    /// Programs (.ser) or network systems (.json); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,

    /// How to print the answers
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,

    /// Write the certificate here; with several files, the name of a folder
    #[arg(long, value_name = "PATH")]
    pub certificate: Option<String>,

    /// Write proofs of serializability here as SMT-LIB, for z3 or cvc5; with several files, the
    /// name of a folder
    #[arg(long, value_name = "PATH")]
    pub smtlib: Option<String>,

    /// How many files to check at the same time; 0 means one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,

    /// Tell what it cost: the time of each stage, sizes, memory
    #[arg(long)]
    pub statistics: bool,

    /// Do not print warnings about the source
    #[arg(long)]
    pub no_warnings: bool,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,

    /// How many states the search for a counterexample may visit
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Limits")]
    pub search_states: usize,

    /// Look at runs with at most this many requests
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_requests: Option<usize>,

    /// Look at runs with at most this many requests in flight at a time
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_in_flight: Option<u32>,

    /// In which order search and proofs take their turns, for experiments
    #[arg(long, value_enum, default_value_t = StrategyName::Portfolio, help_heading = "Experiments")]
    pub strategy: StrategyName,

    /// Use only these methods, for experiments
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "METHOD",
        help_heading = "Experiments"
    )]
    pub only: Vec<MethodName>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub without: WithoutArgs,

    /// Tell all points of a proof
    #[arg(long)]
    pub explain: bool,
}

/// The strategies by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StrategyName {
    /// In turns, cheap before expensive
    Portfolio,
    /// The whole search first, then proofs
    RefuteFirst,
    /// All proofs first, then the whole search
    ProveFirst,
}

/// The methods by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MethodName {
    /// Search for counterexamples
    Refute,
    /// Reductions alone: nothing can interleave
    Atomic,
    /// A finite invariant
    Inclusion,
    /// Linear arithmetic
    Arithmetic,
}

impl CheckArgs {
    /// The engine's options.
    pub fn options(&self) -> Options {
        let on = |name| self.only.is_empty() || self.only.contains(&name);
        let defaults = RefuteOptions::default();
        Options {
            reductions: self.without.reductions(),
            methods: Methods {
                refute: on(MethodName::Refute),
                atomic: on(MethodName::Atomic),
                inclusion: on(MethodName::Inclusion),
                arithmetic: on(MethodName::Arithmetic),
            },
            strategy: match self.strategy {
                StrategyName::Portfolio => Strategy::Portfolio,
                StrategyName::RefuteFirst => Strategy::RefuteFirst,
                StrategyName::ProveFirst => Strategy::ProveFirst,
            },
            refute: RefuteOptions {
                max_states: self.search_states,
                max_in_flight: self.max_in_flight.unwrap_or(defaults.max_in_flight),
                max_requests: self.max_requests.unwrap_or(defaults.max_requests),
            },
        }
    }
}

/// Output formats of `ser check`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// One JSON object a line
    Json,
    /// SARIF 2.1.0, for code-scanning services
    Sarif,
}

/// Bounds on the work for one file.
#[derive(Args, Debug)]
pub struct LimitArgs {
    /// Give up on a file after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, help_heading = "Limits")]
    pub timeout: f64,

    /// Give up on a file when its tables need more memory than this
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub memory: u64,

    /// How many global and local states a program may have
    #[arg(long, value_name = "N", default_value_t = 100_000, help_heading = "Limits")]
    pub max_states: usize,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 => Ok(s),
        _ => Err("expected a positive number of seconds".into()),
    }
}

impl LimitArgs {
    /// The limits, with the clock running from now.
    pub fn start(&self) -> Limits {
        let limits = Limits {
            max_states: self.max_states,
            max_bytes: usize::try_from(self.memory.saturating_mul(1 << 20)).unwrap_or(usize::MAX),
            ..Limits::default()
        };
        // A longer time than the clock can count is no limit at all.
        limits.with_timeout(Duration::try_from_secs_f64(self.timeout).unwrap_or(Duration::MAX))
    }
}

/// Reductions to leave out.
#[derive(Args, Debug)]
pub struct WithoutArgs {
    /// Leave out reductions of the net, for experiments
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "REDUCTION",
        help_heading = "Experiments"
    )]
    pub without: Vec<ReductionName>,
}

/// The reductions by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReductionName {
    /// Drop what no complete run uses
    Slice,
    /// Drop waiting that is the same as coming later
    Idle,
    /// Merge local states that behave alike
    Merge,
    /// Drop what mutual exclusion rules out
    Exclude,
    /// Drop pauses that make no difference
    Movers,
}

impl WithoutArgs {
    /// The reductions that are left.
    pub fn reductions(&self) -> Reductions {
        let on = |name| !self.without.contains(&name);
        Reductions {
            slice: on(ReductionName::Slice),
            idle: on(ReductionName::Idle),
            merge: on(ReductionName::Merge),
            exclude: on(ReductionName::Exclude),
            movers: on(ReductionName::Movers),
        }
    }
}

/// Arguments of `ser verify`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 valid, 1 rejected (the message says where), 2 unreadable.")]
pub struct VerifyArgs {
    /// The certificate
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: String,

    /// The source that it is about; without this, the file that the certificate names, looked
    /// for here and next to the certificate
    #[arg(long, value_name = "FILE")]
    pub source: Option<String>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
}

/// Arguments of `ser show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// A program (.ser) or network system (.json); `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: String,

    /// Which stage
    #[arg(long, value_enum, default_value_t = Stage::Ns)]
    pub stage: Stage,

    /// How to print it
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub format: ShowFormat,

    /// Show the net before any reduction
    #[arg(long, conflicts_with = "without")]
    pub raw: bool,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub without: WithoutArgs,
}

/// Stages of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Stage {
    /// The syntax tree
    Ast,
    /// The network system: global and local states, steps with footprints
    Ns,
    /// The interleaving net in normal form, reduced
    Net,
    /// The serial automaton
    Automaton,
}

/// Output formats of `ser show`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ShowFormat {
    /// For people
    Text,
    /// For programs; a network system can be read back
    Json,
    /// For Graphviz
    Dot,
}
