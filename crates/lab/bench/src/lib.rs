//! Benchmarks for `ser`: what to measure, and how to tell what was measured.
//!
//! [`families`] writes programs of any size with known verdicts; [`suite`] finds programs and what is
//! expected of them; [`process`] runs a tool on one of them, and [`tool`] reads its answer.
//! [`measurement`] is one row of a report, [`suite_report`], [`scaling`] and [`ablation`] are whole ones, written with
//! [`table`] and [`plot`]. [`lost_updates`] is the family of questions on which event tracing is measured, and
//! [`event_report`] and [`event_ablation`] tell what came out. [`spin`] runs the model checker Spin, [`spin_wall`] finds
//! the size at which it gives up, and [`sequence_report`] puts that beside sequentialization and [`sequence_paper`].
//! [`prove_report`] puts parametrized invariance beside [`prove_paper`].

pub mod ablation;
pub mod document;
pub mod event_ablation;
pub mod event_report;
pub mod event_run;
pub mod families;
pub mod lost_updates;
pub mod machine;
pub mod measurement;
pub mod plot;
pub mod process;
pub mod prove_paper;
pub mod prove_report;
pub mod scaling;
pub mod sequence_paper;
pub mod sequence_report;
pub mod spin;
pub mod spin_wall;
pub mod statistics;
pub mod suite;
pub mod suite_report;
pub mod table;
pub mod tool;
