//! For people who write programs: layout, lints, renaming, symbols.
//!
//! No verdict depends on anything here: checkers know `ser-syntax` alone.
//!
//! - [`parse`], [`icet::parse`], [`inv::parse`]: as in `ser-syntax`, with lints among the
//!   diagnostics;
//! - [`format()`], [`format_unwinding`]: layout;
//! - [`symbols`], [`Names`], [`rename()`]: who is who;
//! - [`inv::show`]: expressions as they are written.

mod format;
mod lint;
mod names;
mod places;
mod rename;
mod show;
pub mod symbols;

pub use format::{MAX_WIDTH, format, format_unwinding};
pub use lint::parse;
pub use names::{Names, type_name};
pub use rename::{RenameError, rename};

/// Files with messages.
pub mod icet {
    pub use crate::lint::parse_protocol as parse;
}

/// Models of threads.
pub mod inv {
    pub use crate::lint::parse_invariants as parse;
    pub use crate::show::{show, show_action, show_place, show_type, show_values, show_with};
}
