//! Random programs, one module for each language: the same seed gives the same text.

pub mod protocols;

/// True in `percent` of a hundred cases.
pub fn chance(rng: &mut fastrand::Rng, percent: u32) -> bool {
    rng.u32(..100) < percent
}
