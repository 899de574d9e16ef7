//! One file for each thing that an editor can ask for. Each is a function of a document (and the
//! session's settings) that returns what the protocol wants; none of them waits for anything.

pub mod actions;
pub mod capabilities;
pub mod completion;
pub mod diagnostics;
pub mod formatting;
pub mod hints;
pub mod hover;
pub mod invariants;
pub mod keywords;
pub mod lenses;
pub mod navigation;
pub mod outline;
pub mod protocol;
pub mod rename;
pub mod slot;
pub mod structure;
pub mod tokens;
