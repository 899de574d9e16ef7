//! Reports that are made by hand, rendered.

mod html;
mod samples;
mod sarif;
