//! All tests of this crate, in one binary.

mod format;
mod icet_format;
mod inv_format;
mod inv_show;
mod processes_format;
mod rename;
mod shared;
mod symbols;
