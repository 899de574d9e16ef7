//! Runs transactions side by side.
