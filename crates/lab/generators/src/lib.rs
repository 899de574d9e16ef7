//! Programs that are made, not written: random ones, one module for each language, where the same
//! seed gives the same text; and [families] of any size with known verdicts. Besides, a few
//! [samples].

pub mod families;
pub mod protocols;
pub mod samples;
pub mod threads;
pub mod whole;

/// True in `percent` of a hundred cases.
pub fn chance(rng: &mut fastrand::Rng, percent: u32) -> bool {
    rng.u32(..100) < percent
}

/// Choices of a random generator.
pub trait Draw {
    /// A number below the bound (0 if that is 0).
    fn below(&mut self, bound: usize) -> usize;

    /// A number from `first` to `last`.
    fn between(&mut self, first: i64, last: i64) -> i64;

    /// True in `percent` of a hundred cases.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One time out of `times`.
    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these, of which there is at least one.
    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of these words, if there are any.
    fn word(&mut self, words: &[&'static str]) -> &'static str {
        words.get(self.below(words.len())).copied().unwrap_or_default()
    }
}

impl Draw for fastrand::Rng {
    fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { self.usize(..bound) }
    }

    fn between(&mut self, first: i64, last: i64) -> i64 {
        self.i64(first..=last)
    }
}
