//! All tests of this crate, in one binary.

mod events_format;
mod format;
mod icet_format;
mod inv_format;
mod inv_show;
