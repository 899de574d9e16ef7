//! Arguments of `ser trace`.

use super::AnswerArgs;
use clap::{Args, ValueEnum};
use ser_reachability_search::{Bound, Method, Options, OrderMethod, SearchOptions, SolverKind};
use ser_session::reachability::Question;

/// Arguments of `ser trace`.
#[derive(Args, Debug)]
#[command(
    after_help = "Sources:\n  FILE.ser        processes over shared variables and queues, with `reach CONDITION`\n  FILE.ser        requests, with --requests 'main*2,flip' and --reach 'main[0] == 1 && X == 0'\n  FILE.unw        an unwinding: places, transitions that occur once, `target t`\n\nExit codes: 0 unreachable (within the reported bound, or completely), 1 reachable, 2 usage or input error, 3 unknown. Over several goals and files the most serious one wins, in the order 2, 1, 3, 0."
)]
pub struct TraceArgs {
    /// Processes or requests (.ser), or unwindings (.unw); `-` is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// The requests of a program that run: `main*2,put(3)`
    #[arg(long, value_name = "LIST")]
    pub requests: Option<String>,

    /// What to reach, for a program: a condition on globals, responses (`main[0] == 1`) and `done`
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub reach: Vec<String>,

    /// Let loops whose end is not known iterate at most N times; with --method bmc, take at most N
    /// steps
    #[arg(long, value_name = "N", conflicts_with = "expand")]
    pub bound: Option<u32>,

    /// Let loops iterate more and more often, as long as it matters (this is the default)
    #[arg(long)]
    pub expand: bool,

    /// How to search
    #[arg(long, value_enum, default_value_t = TraceMethod::Events)]
    pub method: TraceMethod,

    /// Changes to the encoding, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CHANGE")]
    pub encoding: Vec<Encoding>,

    /// The solver
    #[arg(long, value_enum, default_value_t = TraceSolver::Batsat)]
    pub solver: TraceSolver,

    /// Write the token trace of a run here as a picture, .svg or .dot; with several goals, their
    /// numbers are added; with several files, the name of a folder
    #[arg(long, value_name = "PATH")]
    pub picture: Option<String>,

    /// Write the formula here in the DIMACS format, for other solvers; several goals or files as
    /// with --picture
    #[arg(long, value_name = "PATH")]
    pub dimacs: Option<String>,

    /// Write the solver's proof here in the DRAT format, for other checkers; it belongs to the
    /// formula that --dimacs writes
    #[arg(long, value_name = "PATH")]
    pub proof: Option<String>,

    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// The methods of `ser trace`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TraceMethod {
    /// Bounded event tracing: which events occur, and which token each of them reads
    Events,
    /// Interleaving bounded model checking, for comparison: one action per step
    Bmc,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TraceSolver {
    /// BatSat, in Rust, with proofs
    Batsat,
    /// CaDiCaL, if `ser` was built with `--features cadical`; without proofs, so it only finds runs
    Cadical,
}

/// Changes to the encoding, for comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Encoding {
    /// Encode places that hold at most one token like all others
    NoSafePlaces,
    /// Forbid cycles as they turn up instead of beforehand
    LazyOrder,
    /// Do not use what the net alone implies about the order of events
    NoStaticOrder,
    /// Do not propagate small sets of values through the net first
    NoValues,
    /// Let a reader be linked to several tokens of the same value
    ManyLinks,
}

/// How to encode and solve, with clauses and proof kept.
pub fn encoding_options(changes: &[Encoding], solver: TraceSolver) -> Result<Options, String> {
    let has = |change| changes.contains(&change);
    let solver = match solver {
        TraceSolver::Batsat => SolverKind::BatSat,
        #[cfg(feature = "cadical")]
        TraceSolver::Cadical => SolverKind::CaDiCaL,
        #[cfg(not(feature = "cadical"))]
        TraceSolver::Cadical => {
            return Err("this `ser` was built without CaDiCaL: build it with `cargo build --release --features cadical`, or leave --solver out".to_owned());
        }
    };
    let encoding = ser_reachability_search::Encoding {
        safe_places: !has(Encoding::NoSafePlaces),
        order: match has(Encoding::LazyOrder) {
            true => OrderMethod::Lazy,
            false => OrderMethod::Eliminate,
        },
        static_order: !has(Encoding::NoStaticOrder),
        values: !has(Encoding::NoValues),
        single_links: !has(Encoding::ManyLinks),
    };
    Ok(Options { encoding, solver })
}

impl TraceArgs {
    /// The question to ask.
    pub fn question(&self) -> Result<Question, String> {
        let solving = encoding_options(&self.encoding, self.solver)?;
        let bound = self.bound.map_or(Bound::Expand, Bound::Rounds);
        let method = match self.method {
            TraceMethod::Events => Method::Events,
            TraceMethod::Bmc => Method::Bmc,
        };
        let search = SearchOptions { method, bound, solving };
        let (requests, reach) = (self.requests.clone(), self.reach.clone());
        Ok(Question { requests, reach, search, ..Question::default() })
    }
}
