//! Random conditions of small systems, and what is true of them by brute force.

pub mod grammar;
pub mod oracle;
pub mod question;
