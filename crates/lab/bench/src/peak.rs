//! How much memory was in use at most, within one process that measures many things one after the
//! other.
//!
//! The operating system knows the peak of a whole process only. But every loop that can run long
//! looks at its [`Limits`], and these ask how many bytes are in use: here somebody listens to the
//! answers. What comes and goes between two looks is missed.

use ser_base::Limits;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

static IN_USE: OnceLock<fn() -> usize> = OnceLock::new();
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// How many bytes are in use; and this is remembered if it is the most so far.
pub fn look() -> usize {
    let bytes = IN_USE.get().map_or(0, |in_use| in_use());
    PEAK.fetch_max(bytes, Ordering::Relaxed);
    bytes
}

/// The same limits, which remember how much memory they saw.
pub fn watched(limits: Limits) -> Limits {
    match limits.memory {
        Some(memory) => {
            IN_USE.get_or_init(|| memory);
            Limits { memory: Some(look), ..limits }
        }
        None => limits,
    }
}

/// What something gives, and how many bytes more than before were in use meanwhile.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = IN_USE.get().map_or(0, |in_use| in_use());
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    look();
    (result, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_that_was_seen_is_remembered() {
        static BYTES: AtomicUsize = AtomicUsize::new(100);
        let memory = Some((|| BYTES.load(Ordering::Relaxed)) as fn() -> usize);
        let limits = watched(Limits { memory, ..Limits::default() });
        let ((), peak) = measured(|| {
            BYTES.store(700, Ordering::Relaxed);
            assert!(limits.check_clock().is_ok());
            BYTES.store(200, Ordering::Relaxed);
        });
        assert_eq!(peak, 600);
    }
}
