//! What is known about one question about one source, as plain data.
//!
//! Every method ends in a [`Report`], and every renderer (text, JSON, SARIF, the page, the editor)
//! begins with one. A report knows nothing of searches and nets: names are strings, values are
//! [`Value`]s, places are spans in its [`Source`]. So a new method needs no renderer, and
//! a new renderer serves all methods.
//!
//! - [`Answer`] is what was found out; it decides the exit code and the name of the verdict.
//! - [`Run`] is an execution: lanes, steps, what each step read and wrote.
//! - [`Section`]s are the answer in words, in the order in which a person reads them.
//! - [`Finding`]s are what an editor underlines and what a code-scanning service lists.

mod answer;
mod finding;
mod report;
pub mod run;
mod section;
mod source;
pub mod text;

pub use answer::{
    Answer, EXPLORATION, Method, Proof, Question, Unknown, Violation, most_serious, noun_of,
};
pub use finding::{Finding, Level, Mark, MarkKind, Related, Rule};
pub use report::{Attachment, Report, Timing};
pub use run::{Run, Step, Value};
pub use section::{Block, Detail, Picture, Points, Section, Table};
pub use source::{Kind, Source, SourceError};
