//! All tests of this crate, in one binary.

mod benchmarks;
mod constants;
mod diagnostics;
mod documentation;
mod domains;
mod files;
mod grammar;
mod icet;
mod icet_diagnostics;
mod inv;
mod inv_language;
mod inv_names;
mod inv_proofs;
mod inv_syntax;
mod inv_syntax_formulas;
mod inv_threads;
mod inv_types;
mod lexer;
mod process_diagnostics;
mod processes;
mod requests;
mod robustness;
mod shared;
mod unwindings;
mod values;
