//! Canonical sequentialization: from protocols to sequential programs.

pub mod explore;
