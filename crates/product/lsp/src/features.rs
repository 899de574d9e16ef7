//! One file for each thing that an editor can ask for. Each is a function of a document (and the
//! session's settings) that returns what the protocol wants; none of them waits for anything.
//! `language` is what they want to know of a language; `messages` and `inv` tell it.

pub mod actions;
pub mod capabilities;
pub mod completion;
mod cursor;
pub mod diagnostics;
pub mod formatting;
pub mod hints;
pub mod hover;
mod inv;
mod keywords;
mod language;
pub mod lenses;
mod messages;
pub mod navigation;
pub mod outline;
pub mod rename;
mod slot;
pub mod structure;
pub mod tokens;
