//! ser-net
