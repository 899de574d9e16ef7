//! ser-engine
