//! Programs that are made, not written: random ones, one module for each language, where the same
//! seed gives the same text; and [families] of any size with known verdicts.

pub mod families;
pub mod protocols;

/// True in `percent` of a hundred cases.
pub fn chance(rng: &mut fastrand::Rng, percent: u32) -> bool {
    rng.u32(..100) < percent
}
