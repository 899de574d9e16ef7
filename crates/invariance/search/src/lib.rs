//! Parametrized invariance: safety of programs with unbounded data, for any number of threads.
//!
//! A file of the [`ser_syntax::inv`] language has a program and invariants. For each invariant
//! there are finitely many conditions, whatever the number of threads (rules P-INV, SP-INV and
//! G-INV of Sanchez and Sanchez, *Parametrized Invariance for Infinite State Processes*, Acta
//! Informatica 2015): it holds at the start, each step of one of its threads keeps it, and each
//! step of any other thread does. What exactly has to hold is written down in
//! [`ser_invariance_checker`], whose checker goes through a proof without knowing how it was found.
//! Here it is found:
//!
//! ```text
//! System -> steps -> conditions -> decide -+-> prove -> certify -> Certificate (proved)
//!                                          |
//!                                          +-> model -> counter -> CounterModel
//!           explore (small instances) -----------------> answer -> Certificate (refuted)
//!           infer (support from nothing but the goal)
//! ```
//!
//! - [`steps`]: what a step does, in the terms and formulas ([`logic`]) of the checker; [`paths`]:
//!   how steps are counted;
//! - [`cases`], [`conditions`]: the premises of the rules, one case for each way in which threads
//!   can be equal;
//! - [`decide`]: whether a condition is valid: a propositional solver, and axioms that are added
//!   when a solution breaks them;
//! - [`prove`]: all conditions of a file, with the support that they need; [`certify`]: the
//!   certificate;
//! - [`model`], [`counter`]: a condition that fails as a concrete step of the program, evaluated by
//!   [`explore`];
//! - [`explore`]: all states of small instances, by an interpreter that shares nothing with the
//!   rest;
//! - [`crowd`]: programs with finite data, decided by counting threads that stand alike;
//! - [`infer`]: support invariants from candidates (Houdini);
//! - [`smtlib`], [`cross_check`]: conditions for other solvers, and what these say;
//! - [`answer`](mod@answer): all of it together.

pub mod answer;
pub mod cases;
pub mod certify;
pub mod conditions;
pub mod counter;
pub mod cross_check;
pub mod crowd;
pub mod decide;
pub mod explore;
pub mod infer;
pub mod model;
pub mod paths;
pub mod prove;
pub mod smtlib;
pub mod steps;

pub use ser_invariance_checker::logic;
