//! ser
fn main() {}
