//! The `.ser` language: from text to a syntax tree, with messages a person likes.

pub mod ast;
mod diagnostic;
mod span;

pub use diagnostic::{Diagnostic, Edit, Help, Label, Severity};
pub use span::{LineIndex, Position, Span};
