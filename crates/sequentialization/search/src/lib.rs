//! Canonical sequentialization: from protocols to sequential programs.
//!
//! A protocol (`.icet`) is a set of processes that send each other messages; sets of them have any number of members. Where it
//! is possible, it is turned into one sequential program with the same final states: then nobody waits for ever, and
//! assertions can be proved as in any program. The method is that of Bakst, v. Gleissenthall, Kici and Jhala, *Verifying
//! Distributed Programs via Canonical Sequentialization* (OOPSLA 2017); the rules, and why they are sound, are written in the
//! header of `ser-sequentialization-checker`.
//!
//! The way through the crate, one file per step: `sources` (whom a receive can hear of), `state`, `code`, `value` and
//! `evaluate` (what is known at a point of a derivation), `rules` (one file each), `search` and `top` (which rule next),
//! `answer` (the whole way, with the kernel's word and small instances), `failure` and `diagnose` (what is in the way, on source
//! lines), `simplify` and `print` (the program as a person reads it). `explore` lists all runs of an instance; it
//! shares nothing with the rules, and is what they are tried against. `promela` writes an instance for Spin.

mod answer;
mod code;
mod diagnose;
mod evaluate;
pub mod explore;
mod failure;
mod names;
mod print;
pub mod promela;
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

use ser_sequentialization_checker::Step;
use ser_syntax::icet::Protocol;

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
