//! All tests of this crate, in one binary.

mod benchmarks;
mod diagnostics;
mod documentation;
mod grammar;
mod icet;
mod icet_diagnostics;
mod icet_robustness;
mod inv;
mod inv_language;
mod inv_names;
mod inv_proofs;
mod inv_robustness;
mod inv_syntax;
mod inv_syntax_formulas;
mod inv_threads;
mod inv_types;
mod process_diagnostics;
mod processes;
mod processes_robustness;
mod requests;
mod robustness;
mod shared;
mod unwindings;
mod values;
