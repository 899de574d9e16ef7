//! Transactions in SQL: what a file says, and what PostgreSQL's concurrency control does with it.
//!
//! [`read()`](read::read) makes a [`Program`](ast::Program) of a text: tables, the rows that are
//! there at the start, and transactions. [`engine`] runs transactions side by side, one statement
//! at a time, as the server does at each isolation level: versions, snapshots, row locks, waiting.

pub mod ast;
pub mod engine;
pub mod operations;
pub mod read;
pub mod value;
