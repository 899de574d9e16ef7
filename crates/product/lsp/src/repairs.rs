//! Changes of the text that make it serializable: the one place that asks for them.

use ser_base::Limits;
use ser_report::Source;
use ser_session::repair;
use ser_session::serializability::Serializability;
use ser_syntax::Edit;

/// So many are offered: a menu is no place for all that exist.
const OFFERED: usize = 5;

/// A change that makes the program serializable, proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What it does, in words.
    pub title: String,
    /// The edits, in order; none overlaps another.
    pub edits: Vec<Edit>,
}

/// Looks for repairs, the smallest first.
pub fn repairs(source: &Source, limits: &Limits) -> Vec<Fix> {
    let found = repair(source, &Serializability::default().engine, limits, &|_| ());
    let fix = |r: ser_session::Repair| Fix { title: r.title, edits: r.edits };
    found.suggestions.into_iter().take(OFFERED).map(fix).collect()
}
