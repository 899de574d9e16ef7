//! The rules: one file for each kind of step, and one for the end.
//!
//! A rule changes a symbolic state or rejects the step; a rejection may leave the state half way.
//! Rules with steps inside (forks, loops and turns) come in two halves, so that the replay can put
//! the steps of a derivation between them, and a search can look for some.

mod draw;
pub mod each;
pub mod end;
mod fold;
pub mod fork;
pub mod frame;
pub mod loops;
mod pick;
mod run;
mod take;
mod unfold;
