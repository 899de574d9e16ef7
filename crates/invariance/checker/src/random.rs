//! A small generator of random numbers for tests: the same numbers every time.

/// A state of the generator.
pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn between(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first + 1) as u64) as i64
    }

    /// One time out of `times`.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len() as u64) as usize]
    }
}
