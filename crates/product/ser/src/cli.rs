//! The command line, as data.

mod answer;
mod edit;
mod prove;
mod reach;
mod sequentialize;
mod sql;
mod trace;

pub use answer::AnswerArgs;
pub use edit::{FmtArgs, NewArgs, RepairArgs, RepairFormat, Template};
pub use prove::{ProveArgs, TacticName};
pub use reach::ReachArgs;
pub use sequentialize::SequentializeArgs;
pub use sql::SqlArgs;
pub use trace::{Encoding, TraceArgs, TraceSolver, encoding_options};

use crate::process::Process;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};
use ser_base::Limits;
use ser_net::Reductions;
use ser_report::text::shell_file;
use ser_serializability_search::{
    ArithmeticOptions, InclusionOptions, Methods, Options, OutcomeOptions, RefuteOptions,
    RuleOptions, Strategy,
};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// Is this concurrent program serializable, for any number of requests?
///
/// Requests run concurrently and interleave at `yield`. `ser check` decides whether every
/// combination of responses could also have come from running the requests one after the other.
/// If not, it shows the shortest interleaving it can find that breaks it.
#[derive(Parser, Debug)]
#[command(
    name = "ser",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Start here:\n  ser new                                 a program to start from\n  ser check examples/lost_update.ser      a counterexample, step by step\n  ser check examples/*.ser                many files at once\n  ser check --format json FILE            one JSON object per line, for programs\n  ser check --certificate c.json FILE     keep the certificate ...\n  ser verify c.json                       ... and check it again, independently\n  ser trace examples/processes/bank.ser   what processes with large data can reach\n  ser sequentialize examples/messages/ex2.ser  processes that send messages, as one program\n  ser prove examples/threads/ticket_lock.ser   invariants, for any number of threads\n\nA program is a set of request handlers:\n\n  request increment { x := X; yield; X := x + 1 }\n\nGlobal variables start with an uppercase letter and are shared; local variables start with a lowercase letter. Other requests may run at each `yield`. The value of the last expression is the response. docs/language.md has the whole language, also for processes, messages and threads.\n\nExit codes of `ser check`: 0 serializable, 1 not serializable, 2 usage or input error, 3 unknown. Over several answers and files the most serious one wins: 2, 1, 3, 0."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours; NO_COLOR is respected.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// If the output is a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Answer what files ask: are these requests serializable, can this be reached, does it hold
    ///
    /// Programs with requests and network systems are decided: is every combination of responses
    /// also one of a serial run? What a program claims besides (`reach`, `invariant`, `deadlock`,
    /// assertions) has a report of its own. Files with processes, messages or threads are answered
    /// as by `ser trace`, `ser sequentialize` and `ser prove`.
    Check(CheckArgs),
    /// Decide, and explain the whole proof in words
    ///
    /// The same as `ser check`, with every step of the argument: which yield points are harmless
    /// and why, where each request commits, which serial schedule gives which responses.
    Explain(CheckArgs),
    /// Format sources
    ///
    /// For programs (.ser) and unwindings (.unw). Tokens and comments stay the same; only white
    /// space changes. Files are changed in place; without a file, standard input is formatted to
    /// standard output.
    Fmt(FmtArgs),
    /// Start a program from a commented template
    ///
    /// A template's name is also a good name for a program: `ser new lock` writes lock.ser.
    New(NewArgs),
    /// Find the smallest changes that make a program serializable, and prove them
    ///
    /// Tries to remove `yield`s, to move them, and to hold a lock in as few handlers as possible.
    Repair(RepairArgs),
    /// Check a certificate again, without the engine that made it
    Verify(VerifyArgs),
    /// Show a stage on the way from the source to the answer
    Show(ShowArgs),
    /// Decide whether a place/transition net reaches a marking
    ///
    /// The same engine and the same certificates as `ser check`, for any net with weighted arcs
    /// and any condition on token counts.
    Reach(ReachArgs),
    /// Check whether processes, requests or an unwinding can reach something
    ///
    /// Bounded event tracing: a solver chooses which events occur, which token each of them reads,
    /// and a partial order. Data stays symbolic, so large ranges of values cost little.
    Trace(TraceArgs),
    /// Turn processes that send messages into one sequential program, for any number of them
    ///
    /// Canonical sequentialization: if a protocol (a .ser file with messages) can be rewritten into
    /// a program without sends, receives and interleaving, no process waits forever, however many
    /// there are. Otherwise the answer says what is in the way, with a run that goes wrong if there
    /// is one.
    #[command(alias = "seq")]
    Sequentialize(SequentializeArgs),
    /// Prove invariants of threads with unbounded data, for any number of them
    ///
    /// Parametrized invariance: a program that any number of threads run, with unbounded numbers,
    /// sets and lists, and invariants about it. Each invariant is proved by finitely many
    /// conditions. Otherwise the condition that fails is shown with a state that breaks it, or with
    /// a run that really gets there.
    Prove(ProveArgs),
    /// Which isolation levels do transactions in SQL need?
    ///
    /// Tables and transactions for PostgreSQL: are they serializable at the levels that they have,
    /// for any number of concurrent transactions and rows? If not, the schedule that shows it, also
    /// on a real server.
    Sql(SqlArgs),
    /// Serve an editor: the Language Server Protocol on standard input and output
    ///
    /// Editors start this by themselves; docs/command_line.md says what it can do. Exit codes: 0
    /// after `shutdown` and `exit`, 1 otherwise.
    Lsp(LspArgs),
    /// Benchmarks have their own program: `cargo run --release -p ser-bench -- --help`
    #[command(hide = true, disable_help_flag = true)]
    Bench {
        /// The arguments of that program.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
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

/// Arguments of `ser lsp`.
#[derive(Args, Debug)]
pub struct LspArgs {
    /// Use standard input and output: the only transport, but some editors pass this option
    #[arg(long)]
    pub stdio: bool,
}

/// Arguments of `ser check`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 serializable, 1 not serializable, 2 usage or input error, 3 unknown, 4 (threads) not inductive; other good and bad news count like the first two. Over several answers and files the most serious one wins, in the order 2, 1, 4, 3, 0."
)]
pub struct CheckArgs {
    /// Files of any kind (.ser, .json, .unw); `-` is standard input, a program
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// Write proofs of serializability here as SMT-LIB, for z3 or cvc5; with several files, the
    /// name of a folder
    #[arg(long, value_name = "PATH")]
    pub smtlib: Option<String>,

    /// Write a file here for `ser prove` to start from, which does what the program does: for
    /// programs with too many states; an existing file is not overwritten; with several files, the
    /// name of a folder
    #[arg(long, value_name = "PATH")]
    pub start_proof: Option<String>,

    /// Ask for strict serializability: requests that do not overlap keep their order
    #[arg(long)]
    pub strict: bool,

    #[command(flatten)]
    pub answer: AnswerArgs,

    #[command(flatten)]
    pub engine: EngineArgs,

    /// Show all points of a proof
    #[arg(long)]
    pub explain: bool,
}

/// How to search for an answer.
#[derive(Args, Debug)]
pub struct EngineArgs {
    /// How many states the search for a counterexample may visit [default: until the other limits]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub search_states: Option<usize>,

    /// Search runs with at most this many requests
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_requests: Option<usize>,

    /// Search runs with at most this many requests in flight at a time
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_in_flight: Option<u32>,

    /// The order in which search and proofs take turns, for experiments
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
    pub without: WithoutArgs,
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
    /// Ask a solver for requests that break it first, then in turns (programs only)
    EventsFirst,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MethodName {
    /// Search for counterexamples
    Refute,
    /// The text alone: no request can yield
    NoYield,
    /// Rules alone: every yield point is harmless
    Rules,
    /// Steps without values: every yield point is harmless, whatever the numbers are
    Symbolic,
    /// Reductions alone: nothing can interleave
    Atomic,
    /// A finite invariant
    Inclusion,
    /// Linear arithmetic
    Arithmetic,
}

impl EngineArgs {
    /// The engine's options.
    pub fn options(&self) -> Options {
        let on = |name| self.only.is_empty() || self.only.contains(&name);
        let defaults = RefuteOptions::default();
        let rules = self.without.rules();
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
                StrategyName::EventsFirst => Strategy::EventsFirst,
            },
            refute: RefuteOptions {
                max_states: self.search_states.unwrap_or(defaults.max_states),
                max_in_flight: self.max_in_flight.unwrap_or(defaults.max_in_flight),
                max_requests: self.max_requests.unwrap_or(defaults.max_requests),
            },
            inclusion: self.without.inclusion(),
            arithmetic: self.without.arithmetic(),
            rules: RuleOptions {
                no_yield: on(MethodName::NoYield) && rules.no_yield,
                prove: on(MethodName::Rules) && rules.prove,
                symbolic: on(MethodName::Symbolic) && rules.symbolic,
                ..rules
            },
            strict: false,
        }
    }
}

/// Output formats of all commands that answer questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// One JSON object per line
    Json,
    /// SARIF 2.1.0, for code-scanning services
    Sarif,
}

/// Bounds on the work for one file.
#[derive(Args, Clone, Debug)]
pub struct LimitArgs {
    /// Give up on a file after this many seconds; the answer comes at most a second later
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, help_heading = "Limits")]
    pub timeout: f64,

    /// Give up on a file when the whole process, with all files that are checked at the same time,
    /// needs more memory than this
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub memory: u64,

    /// The most states to list, wherever states are listed: of a program, or of an instance that is
    /// tried
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
    pub fn start(&self, process: &Process) -> Limits {
        let limits = Limits {
            max_states: self.max_states,
            max_bytes: usize::try_from(self.memory.saturating_mul(1 << 20)).unwrap_or(usize::MAX),
            ..Limits::default()
        };
        let limits = process.limit(limits);
        // A longer time than the clock can represent is not a limit.
        limits.with_timeout(Duration::try_from_secs_f64(self.timeout).unwrap_or(Duration::MAX))
    }
}

/// What to leave out.
#[derive(Args, Debug)]
pub struct WithoutArgs {
    /// Switch optimisations off, for experiments; the answer stays right, but may become unknown
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "OPTIMISATION",
        help_heading = "Experiments"
    )]
    pub without: Vec<SwitchName>,
}

/// The optimisations by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SwitchName {
    /// Net: drop what no complete run uses
    Slice,
    /// Net: drop waiting that is the same as being scheduled later
    Idle,
    /// Net: merge local states that behave alike
    Merge,
    /// Net: drop what mutual exclusion rules out
    Exclude,
    /// Net: drop yield points that make no difference
    Movers,
    /// Net: let requests come later that only look around
    Deferral,
    /// System: do not tell apart states that nobody sees a difference between
    Alike,
    /// Serial outcomes: drop redundant periods and components
    Pruning,
    /// Serial outcomes: shortcuts for repetition
    FewerConstraints,
    /// Serial outcomes: eliminate states with few paths first
    EliminationOrder,
    /// Serial outcomes: merge components that continue each other
    MergeRule,
    /// Inclusion: requests commit when their response is determined
    Labels,
    /// Inclusion: explain responses earlier than they happened
    Loops,
    /// Inclusion: explain responses last that are possible whatever comes
    Last,
    /// Inclusion: explain responses later than they happened
    Debts,
    /// Inclusion: one response may wait
    Waiting,
    /// Inclusion: places promise loops instead of being counted
    Promises,
    /// Inclusion: requests commit to a response before it is determined
    Prophecy,
    /// Inclusion: states of serial runs stand in for others that can do less
    StandIns,
    /// Arithmetic: a transition that takes a token needs one that put it there
    Cuts,
    /// Arithmetic: divide runs at the last occurrence of a transition
    Phases,
    /// Programs: see at once that no request can yield
    NoYield,
    /// Programs: leave out variables that nobody sees, and decide independent parts one by one
    #[value(alias = "slices")]
    ProgramSlices,
    /// Arithmetic: first look for what the responses of all runs have in common
    Clauses,
    /// Programs: prove on rules, without listing global states
    Rules,
    /// Rules: variables that count requests
    Counts,
    /// Rules: place requests that only read among intermediate values
    Readers,
    /// Rules: do not keep track of variables that take many values
    Opaque,
    /// Programs: prove on steps without values
    Symbolic,
    /// Large programs: look for counterexamples in parts
    Parts,
    /// Large programs with many request labels: ask a solver for arguments that break it
    Events,
}

impl WithoutArgs {
    fn has(&self, name: SwitchName) -> bool {
        !self.without.contains(&name)
    }

    /// The reductions that are left.
    pub fn reductions(&self) -> Reductions {
        Reductions {
            slice: self.has(SwitchName::Slice),
            stuttering: self.has(SwitchName::Idle),
            merge: self.has(SwitchName::Merge),
            exclude: self.has(SwitchName::Exclude),
            movers: self.has(SwitchName::Movers),
            deferral: self.has(SwitchName::Deferral),
            alike: self.has(SwitchName::Alike),
        }
    }

    /// What may be used of a program without listing its global states.
    pub fn rules(&self) -> RuleOptions {
        RuleOptions {
            no_yield: self.has(SwitchName::NoYield),
            slices: self.has(SwitchName::ProgramSlices),
            prove: self.has(SwitchName::Rules),
            counts: self.has(SwitchName::Counts),
            readers: self.has(SwitchName::Readers),
            opaque: self.has(SwitchName::Opaque),
            symbolic: self.has(SwitchName::Symbolic),
            parts: self.has(SwitchName::Parts),
            events: self.has(SwitchName::Events),
        }
    }

    /// How the semilinear set of serial outcomes is built.
    pub fn outcomes(&self) -> OutcomeOptions {
        OutcomeOptions {
            prune: self.has(SwitchName::Pruning),
            shortcuts: self.has(SwitchName::FewerConstraints),
            lowest_degree_first: self.has(SwitchName::EliminationOrder),
            merge: self.has(SwitchName::MergeRule),
        }
    }

    /// What proofs by inclusion may use.
    pub fn inclusion(&self) -> InclusionOptions {
        InclusionOptions {
            labels: self.has(SwitchName::Labels),
            loops: self.has(SwitchName::Loops),
            last: self.has(SwitchName::Last),
            debts: self.has(SwitchName::Debts),
            waiting: self.has(SwitchName::Waiting),
            promises: self.has(SwitchName::Promises),
            prophecy: self.has(SwitchName::Prophecy),
            stand_ins: self.has(SwitchName::StandIns),
        }
    }

    /// What proofs by arithmetic may use.
    pub fn arithmetic(&self) -> ArithmeticOptions {
        ArithmeticOptions {
            outcomes: self.outcomes(),
            cuts: self.has(SwitchName::Cuts),
            phases: self.has(SwitchName::Phases),
            clauses: self.has(SwitchName::Clauses),
        }
    }
}

/// Arguments of `ser verify`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 valid, 1 rejected (the message says where), 2 unreadable, 3 beyond the limits."
)]
pub struct VerifyArgs {
    /// The certificate
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: String,

    /// The source that it certifies; without this, the file that the certificate names, searched
    /// for here and next to the certificate
    #[arg(long, value_name = "FILE")]
    pub source: Option<String>,

    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Arguments of `ser show`.
#[derive(Args, Debug)]
#[command(
    after_help = "Formats of each stage; the first one is the default:\n  ast, ns, automaton   text, json, dot, svg\n  paper-net, net       text, json, dot, svg, net, pnml\n  rules, outcomes      text, json\n  query                text, json, xml, smtlib\n  triples              text, json, smtlib\n  certificate          json, smtlib\n\nFor another tool, a net and the question about it:\n  ser show --stage paper-net --format pnml FILE > net.pnml\n  ser show --stage query --for paper-net --format xml FILE > query.xml\nThe program is serializable iff the markings of the query cannot be reached.\n\nExit codes: 0 shown, 2 usage or input error or nothing to show, 3 beyond the limits."
)]
pub struct ShowArgs {
    /// A program (.ser) or network system (.json); `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: String,

    /// Which stage
    #[arg(long, value_enum, default_value_t = Stage::Ns)]
    pub stage: Stage,

    /// How to print it; without this, the first format of the stage
    #[arg(long, value_enum)]
    pub format: Option<ShowFormat>,

    /// Stages net and query: the net before any reduction
    #[arg(long, conflicts_with_all = ["without", "after", "steps"])]
    pub raw: bool,

    /// Stages net and query: the net after this reduction, by its number in --steps, or by its name
    /// for the last one of that name
    #[arg(long, value_name = "REDUCTION", conflicts_with = "steps")]
    pub after: Option<String>,

    /// Stage net: what each reduction did to the net
    #[arg(long)]
    pub steps: bool,

    /// Stage query: which net to query
    #[arg(long = "for", value_enum, value_name = "NET")]
    pub about: Option<NetStage>,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Stages of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Stage {
    /// The syntax tree
    Ast,
    /// The network system: global and local states, steps with footprints
    Ns,
    /// The rules of a program, for any number of global states, and the commit points of requests
    Rules,
    /// The interleaving net as in the SER paper, appendix E
    PaperNet,
    /// The interleaving net in normal form, reduced
    Net,
    /// The serial automaton
    Automaton,
    /// The serial outcomes, as a semilinear set
    Outcomes,
    /// The question whether a marking is reachable that no serial run explains
    Query,
    /// The invariant of a proof by inclusion
    Triples,
    /// The certificate of the answer
    Certificate,
}

/// The nets that a query can refer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum NetStage {
    /// The net of --stage paper-net
    PaperNet,
    /// The net of --stage net
    Net,
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
    /// A picture
    Svg,
    /// A net, for Tina and other tools
    Net,
    /// A net, in the standard format of ISO 15909-2
    Pnml,
    /// A query, for tools of the Model Checking Contest
    Xml,
    /// For z3, cvc5 and other solvers
    Smtlib,
}

/// Says what is wrong with the command line, and ends the process: exit code 2, or 0 after help.
pub fn exit(error: &clap::Error) -> ! {
    if let Some(meant) = file_without_command(error) {
        // Nobody is left to tell that this could not be written.
        let _ = writeln!(std::io::stderr(), "{meant}");
        std::process::exit(2);
    }
    error.exit()
}

/// What was meant by `ser program.ser`.
fn file_without_command(error: &clap::Error) -> Option<String> {
    let ErrorKind::InvalidSubcommand = error.kind() else { return None };
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let command = match Path::new(name).extension()?.to_str()? {
        "ser" | "json" => "check",
        "unw" => "trace",
        "net" | "pnml" | "ndr" => "reach",
        _ => return None,
    };
    let file = shell_file(name);
    Some(format!("error: {file} is not a command\n  help: did you mean `ser {command} {file}`?"))
}
