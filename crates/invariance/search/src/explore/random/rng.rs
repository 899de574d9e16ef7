//! Random numbers that depend on the seed alone.

/// A generator (xorshift, after mixing the seed).
#[derive(Clone, Debug)]
pub(super) struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        // Neighbouring seeds must not give similar numbers, and the state must not be 0.
        let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Rng((mixed ^ (mixed >> 31)) | 1)
    }

    fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below the bound (0 if that is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { ((self.number() >> 33) as usize) % bound }
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// One of these words.
    pub fn word(&mut self, words: &[&'static str]) -> &'static str {
        self.pick(words).copied().unwrap_or("")
    }
}
