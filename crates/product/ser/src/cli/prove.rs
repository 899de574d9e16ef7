//! Arguments of `ser prove`.

use super::AnswerArgs;
use clap::{Args, ValueEnum};
use ser_invariance_search::conditions::Tactics;
use ser_invariance_search::cross_check::Solver;
use ser_session::invariance::{GraphFormat, Invariance};

/// Arguments of `ser prove`.
#[derive(Args, Debug)]
#[command(
    after_help = "For example:\n  ser prove examples/threads/ticket_lock.ser\n  ser prove --infer --write whole.ser goal.ser      find the invariants that the proof needs\n  ser prove --certificate c.json FILE               keep the proof; `ser verify c.json`\n  ser prove --conditions FILE                       every condition, and what it was proved with\n  ser prove --graph proof.svg FILE                  which invariants support which\n\nExit codes: 0 proved, 1 refuted by a run, 2 usage or input error, 3 unknown, 4 not inductive: no run was found that violates an invariant, but the proof does not go through. Over several files the most serious one wins, in the order 2, 1, 4, 3, 0."
)]
pub struct ProveArgs {
    /// Threads with invariants; `-` is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,

    /// Prove only this invariant, and whatever is needed for it; may be given more than once
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,

    /// Search for invariants that support those of the file
    #[arg(long)]
    pub infer: bool,

    /// Write the file with the invariants that were found here; with several files, the name of a
    /// folder
    #[arg(long, value_name = "PATH", requires = "infer")]
    pub write: Option<String>,

    /// Report every condition, and show every run and every state that breaks one
    #[arg(long)]
    pub conditions: bool,

    /// List the locations of the program with their numbers, and prove nothing
    #[arg(
        long,
        conflicts_with_all = ["certificate", "infer", "conditions", "graph", "only"]
    )]
    pub list_locations: bool,

    /// Draw which invariants support which: the name ends in .svg, .dot or .txt; with several
    /// files, the name of a folder for SVGs
    #[arg(long, value_name = "PATH")]
    pub graph: Option<String>,

    /// Write every condition of an invariant that needs a solver as an SMT-LIB script, one after
    /// the other: `unsat` means that it is valid (for conditions about a heap: in all models with
    /// up to 4 cells); with several files, the name of a folder
    #[arg(long, value_name = "PATH")]
    pub smtlib: Option<String>,

    /// Ask an installed SMT solver about every condition: z3, or cvc5, or the one given here (by
    /// name or path)
    #[arg(
        long,
        value_name = "SOLVER",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        hide_default_value = true
    )]
    pub cross_check: Option<String>,

    /// With --cross-check: this solver; the same as --cross-check=SOLVER
    #[arg(long, value_name = "SOLVER", requires = "cross_check")]
    pub solver: Option<String>,

    /// The largest instance, in threads, to search for a run that violates an invariant
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=8), help_heading = "Limits")]
    pub threads: u32,

    /// Use only these tactics, for experiments; the answer stays right, but may become unknown
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "TACTIC",
        help_heading = "Experiments"
    )]
    pub tactics: Vec<TacticName>,

    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TacticName {
    /// Support as the file says, instead of all invariants
    Needed,
    /// Support only where a condition does not hold without it
    Offending,
    /// Instances of support only if they exclude a state that was found
    Lazy,
    /// Substitute what the location of the moving thread implies before solving anything
    Simplify,
    /// All of them, as without this option
    All,
    /// None of them
    None,
}

impl ProveArgs {
    /// The solver to ask, if any, or what is wrong with the request.
    fn solver(&self) -> Result<Option<Solver>, String> {
        let Some(one) = self.cross_check.as_deref() else { return Ok(None) };
        let one = Some(one).filter(|it| !it.is_empty());
        let named = match (one, self.solver.as_deref()) {
            (Some(one), Some(other)) if one != other => {
                return Err(format!("--cross-check={one} and --solver {other} name two solvers"));
            }
            (one, other) => one.or(other),
        };
        Solver::find(named).map(Some).map_err(|error| format!("--cross-check: {error}"))
    }

    /// The method with its options, or what is wrong with them.
    pub fn method(&self, graph: Option<GraphFormat>) -> Result<Invariance, String> {
        Ok(Invariance {
            count: false,
            tactics: self.tactics()?,
            only: self.only.clone(),
            threads: self.threads,
            infer: self.infer,
            graph,
            scripts: self.smtlib.is_some(),
            cross_check: self.solver()?,
        })
    }

    fn tactics(&self) -> Result<Tactics, String> {
        let whole = [TacticName::All, TacticName::None];
        let given = |name: TacticName| self.tactics.contains(&name);
        if self.tactics.len() > 1 && whole.into_iter().any(given) {
            return Err("--tactics: `all` and `none` stand alone".to_owned());
        }
        let on = |name| self.tactics.is_empty() || given(TacticName::All) || given(name);
        Ok(Tactics {
            needed: on(TacticName::Needed),
            offending: on(TacticName::Offending),
            lazy: on(TacticName::Lazy),
            simplify: on(TacticName::Simplify),
        })
    }
}
