//! ser-model
