//! ser-cert
