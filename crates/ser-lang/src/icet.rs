//! The `.icet` language: processes that send each other messages, in sets of any size.

pub mod ast;

pub use ast::Protocol;
