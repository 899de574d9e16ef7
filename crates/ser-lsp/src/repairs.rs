//! Changes of the text that make it serializable: the one place that asks for them.

use ser_check::source::Source;
use ser_lang::Edit;
use ser_model::Limits;

/// A change that makes the program serializable, proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What it does, in words.
    pub title: String,
    /// The edits, none of which touch each other.
    pub edits: Vec<Edit>,
}

/// Looks for repairs, the best first.
pub fn repairs(_source: &Source, _limits: &Limits) -> Vec<Fix> {
    Vec::new()
}
