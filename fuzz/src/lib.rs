//! Mutations that know a little about the text: of JSON, and of words.
//!
//! Bytes changed at random rarely leave JSON or a program whole, and then only the first lines of a
//! reader are tried. So one half of all mutations is left to libFuzzer, and the other half
//! exchanges parts of a text that belong together.

mod json;
mod words;

pub use json::json;
pub use words::words;

use ser_fuzz::Random;

/// Changes the first `size` bytes of `data` and says how many there are now. The first `kept` bytes
/// are no part of the text.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    kept: usize,
    change: fn(&str, &mut Random) -> Option<String>,
) -> usize {
    let mut random = Random::new(u64::from(seed));
    if random.chance(50)
        && let Some(text) = data.get(kept..size).and_then(|bytes| std::str::from_utf8(bytes).ok())
        && let Some(changed) = change(text, &mut random)
        && kept + changed.len() <= max_size
        && let Some(place) = data.get_mut(kept..kept + changed.len())
    {
        place.copy_from_slice(changed.as_bytes());
        return kept + changed.len();
    }
    libfuzzer_sys::fuzzer_mutate(data, size, max_size)
}
