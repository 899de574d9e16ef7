//! What every crate of the workspace speaks: places in a source text and what to say about them,
//! how much work is allowed and why it stopped, ids, switches, digests, and text that steers no
//! terminal.
//!
//! Nothing here knows a language or a method.

mod diagnostic;
mod digest;
mod files;
mod grouped;
mod ids;
mod limits;
mod sink;
mod span;
mod suggest;
mod switches;
mod visible;

pub use diagnostic::{Diagnostic, Edit, Help, Label, Severity};
pub use digest::sha256_hex;
pub use files::{
    Content, FILE_MARK, Part, add_file, add_same_file, end_of_file, first_file, parts, path_from,
    with_item,
};
pub use grouped::grouped;
pub use limits::{Limits, Pace, Stop};
pub use sink::{KEPT_DIAGNOSTICS, Sink};
pub use span::{Line, LineIndex, Position, Span};
pub use suggest::{closest_name, did_you_mean};
pub use visible::{is_hidden, spelled_out, visible};
