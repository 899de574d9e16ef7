//! All tests of this crate, in one binary.

mod bridge;
mod causes;
mod drafts;
mod events;
mod infer;
mod invariance;
mod repair;
mod reports_of_goals;
mod reports_of_nets;
mod reports_of_programs;
mod sequentialization;
