//! When to stop, whatever has been found by then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Bounds on time and memory, and a way to call work off. Looking at it is cheap: once a pivot, or
/// once a component, is often enough.
///
/// ```
/// use ser_arith::Clock;
/// use std::time::Instant;
/// assert!(!Clock::default().is_up());
/// assert!(Clock { deadline: Some(Instant::now()), ..Clock::default() }.is_up());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Set from another thread to stop.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Tells how many bytes the process has in use, and how many it may have.
    pub memory: Option<(fn() -> usize, usize)>,
}

impl Clock {
    /// Whether time is up, the process is too large, or the work was called off.
    pub fn is_up(&self) -> bool {
        self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|at| Instant::now() >= at)
            || self.memory.is_some_and(|(in_use, most)| in_use() > most)
    }
}
