//! One [`Report`](ser_report::Report), rendered: as [`text`] for a terminal, as [`json`] for
//! programs, as [`sarif`] for code-scanning services, as a page ([`html`]) for browsers.
//!
//! Renderers know reports and no method. What a method has to say is in its report; how it looks
//! is decided here, once for all of them.

mod address;
pub mod diagnostics;
pub mod html;
pub mod json;
pub mod sarif;
pub mod text;
