#![no_main]
//! Any bytes as queries about the net that the first byte chooses.

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use ser_fuzz_targets::{mutate, words};

fuzz_target!(|data: &[u8]| ser_fuzz::readers::properties(data));
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed, 1, words)
});
