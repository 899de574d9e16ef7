//! A second opinion on what programs and network systems mean. For tests only.
//!
//! Engine and checker share one front end. If `ser-model` misunderstood a program, both would prove
//! things about another program, and every certificate would still be accepted. This crate is what
//! would notice. It shares the syntax tree with the front end and nothing else: it executes the
//! definitions of Amir, Barbone, Amat, Jacobs (TACAS 2026) as they stand there, without compiling,
//! merging or forgetting anything.
//!
//! | module | what it transcribes |
//! | --- | --- |
//! | `term` | the expressions of section 2.2 and those that our language adds |
//! | `rules` | the small steps of appendix C, one function for each rule, with the paper's names |
//! | `program` | the big steps of appendix C, and the network system of section 2.4 |
//! | `system` | a network system as it stands in a JSON file |
//! | `whole` | programs of the whole language, with values that have parts; a reading of its own |
//! | `network` | the three transitions of section 2.3, one function each |
//! | `runs` | all complete runs of few requests, interleaved and serial |
//!
//! ```
//! use ser_oracle::{Findings, ProgramNetwork, compare};
//!
//! let parse = ser_syntax::parse("request r { a := X; yield; X := a + 1; assume(X < 3); a }");
//! let mut network = ProgramNetwork::new(&parse.program).unwrap();
//! // Two requests read the same value.
//! assert!(matches!(compare(&mut network, 3, 10_000), Ok(Findings::Broken { requests: 2, .. })));
//! ```

mod configurations;
mod network;
mod program;
mod rules;
mod runs;
mod system;
mod term;
mod whole;

pub use configurations::{GlobalConfiguration, configurations};
pub use network::{Network, State, TooMuch};
pub use program::ProgramNetwork;
pub use rules::{Configuration, RULES, Rule, small_steps};
pub use runs::{Findings, Outcome, Runs, compare, explained};
pub use system::{SystemError, SystemNetwork};
pub use term::{CoreProgram, CoreRequest, Store, Term, core_program};
pub use whole::{Value, WholeNetwork};
