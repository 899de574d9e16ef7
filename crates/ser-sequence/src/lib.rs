//! Canonical sequentialization: from protocols to sequential programs.

mod answer;
mod code;
mod diagnose;
mod evaluate;
pub mod explore;
mod failure;
mod names;
mod print;
pub mod promela;
pub mod random;
mod rules;
mod search;
mod simplify;
mod sources;
mod state;
mod top;
mod value;

pub use answer::{Answer, Failure, Kind, Options, Verdict, sequentialize};
pub use diagnose::{a as with_article, diagnose, sizes_text, small_instances};
pub use failure::{Stuck, Why};
pub use print::{Node, Style, describe, nodes, text_of};
pub use simplify::simplify;
pub use sources::{Candidate, Race, sources};

use ser_kernel::Step;
use ser_lang::icet::Protocol;

/// Searches a derivation.
pub fn derive(protocol: &Protocol, budget: u64) -> Result<Vec<Step>, (Vec<Step>, Stuck)> {
    let Ok(sources) = sources(protocol) else {
        return Err((Vec::new(), Stuck::new(Why::NoRule)));
    };
    let context = state::Context::new(protocol, sources, budget);
    let mut state = state::State::start(protocol);
    match top::derive(&mut state, &context) {
        Ok(()) => Ok(state.script),
        Err(stuck) => Err((state.script, stuck)),
    }
}
