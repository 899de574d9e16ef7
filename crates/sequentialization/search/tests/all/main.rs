//! All tests in one program: it links once.

mod assertions;
mod assertions_random;
mod common;
mod diagnose;
mod examples;
mod explore;
mod finals;
mod printed;
mod promela;
mod random;
mod rules;
mod theorem;
mod theorem_4_1;
mod traps;
