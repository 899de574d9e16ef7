#![no_main]
//! Any bytes as processes that send messages.

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use ser_fuzz_targets::{mutate, words};

fuzz_target!(|data: &[u8]| ser_fuzz::readers::protocol(data));
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed, 0, words)
});
