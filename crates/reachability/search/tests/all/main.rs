//! Token traces, encodings and searches, on random nets and on processes.

mod common;
mod encoding;
mod family;
mod growth;
mod instances;
mod processes;
mod sizes;
mod traces;
