//! Benchmarks for `ser`: what to measure, and how to tell what was measured.
//!
//! [`families`] writes programs of any size with known verdicts; [`suite`] finds programs and what is
//! expected of them; [`process`] runs a tool on one of them, and [`tool`] reads its answer.
//! [`measurement`] is one row of a report, [`suite_report`], [`scaling`] and [`ablation`] are whole ones, written with
//! [`table`] and [`plot`].

pub mod ablation;
pub mod document;
pub mod families;
pub mod machine;
pub mod measurement;
pub mod plot;
pub mod process;
pub mod scaling;
pub mod statistics;
pub mod suite;
pub mod suite_report;
pub mod table;
pub mod tool;
