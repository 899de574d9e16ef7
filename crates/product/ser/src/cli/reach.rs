//! Arguments of `ser reach`.

use super::AnswerArgs;
use clap::{ArgGroup, Args};
use ser_serializability_search::{Options, RefuteOptions};

/// Arguments of `ser reach`.
#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("queries").required(true).args(["query", "query_file"]),
    after_help = "Queries:\n  P1 + 2*P2 >= 3 && !(P3 = 0)     some reachable marking satisfies it\n  AG P1 <= 1                      all reachable markings satisfy it\n  deadlock, fireable(t1, t2)      no transition, or one of these, can fire\n  {odd name} = 1                  names with other characters go in braces\n\nExit codes: 0 unreachable, 1 reachable, 2 usage or input error, 3 unknown. For `AG`, ser looks for a marking that breaks the property: 0 means that it holds. Over several properties the most serious one wins, in the order 2, 1, 3, 0."
)]
pub struct ReachArgs {
    /// Nets with weighted arcs: Tina's .net or .pnml; `-` is standard input
    #[arg(value_name = "NET")]
    pub nets: Vec<String>,

    /// The query, as text
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    pub query: Option<String>,

    /// Queries in the XML format of the Model Checking Contest, one answer each
    #[arg(long, value_name = "FILE")]
    pub query_file: Option<String>,

    /// Only this property of the query file
    #[arg(long, value_name = "NAME", requires = "query_file")]
    pub property: Option<String>,

    #[command(flatten)]
    pub answer: AnswerArgs,

    /// How many states the search for a firing sequence may visit
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Limits")]
    pub search_states: usize,
}

impl ReachArgs {
    /// The engine's options.
    pub fn options(&self) -> Options {
        let refute = RefuteOptions { max_states: self.search_states, ..RefuteOptions::default() };
        Options { refute, ..Options::default() }
    }
}
