//! What is read is shown in a compact form, beside what the text says.

mod examples;
mod messages;
mod mutants;
mod show;
mod trees;
