//! Canonical sequentialization: from protocols to sequential programs.
