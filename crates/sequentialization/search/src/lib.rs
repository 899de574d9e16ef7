//! Canonical sequentialization: from protocols to sequential programs.
//!
//! A protocol (a `.ser` file with messages) is a set of processes that send each other messages;
//! sets of them have any number of members. Where it is possible, it is turned into one sequential
//! program with the same final states: then nobody waits forever, and assertions can be proved as
//! in any program. The method is that of Bakst, v. Gleissenthall, Kici and Jhala, *Verifying
//! Distributed Programs via Canonical Sequentialization* (OOPSLA 2017); the rules, and why they are
//! sound, are written in `calculus.md` of `ser-sequentialization-checker`.
//!
//! The way through the crate: `answer` (the whole way, with the kernel's word and small instances);
//! `top` and `search` (which rule next), `point` and `repeat` (rules are the kernel's: a search may
//! call a checker, never the other way); `failure` and `diagnose` (what is in the way, on source
//! lines); `simplify` and `print` (the program as a person reads it). `explore` lists all runs of
//! an instance; it shares nothing with the rules, and is what they are tried against. `promela`
//! writes an instance for Spin.

// Fields and variants say by their names what they are.
#![allow(missing_docs)]

mod answer;
mod diagnose;
pub mod explore;
mod failure;
mod names;
mod point;
mod print;
pub mod promela;
mod repeat;
mod search;
mod simplify;
mod text;
mod top;

pub use answer::{Answer, Failure, Kind, Options, Verdict, sequentialize};
pub use diagnose::{a as with_article, diagnose, sizes_text, small_instances};
pub use failure::{Stuck, Why};
pub use print::{Node, Style, nodes, text_of};
pub use simplify::simplify;
pub use text::{actor_name, value_text};
