#![no_main]
//! Any bytes as a certificate for the protocol that the first byte chooses.

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use ser_fuzz_targets::{json, mutate};

fuzz_target!(|data: &[u8]| ser_fuzz::readers::derivation(data));
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed, 1, json)
});
