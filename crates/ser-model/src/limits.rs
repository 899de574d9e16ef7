//! How much work is allowed, and why work stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bounds on states, time and memory for one piece of work, and a way to call it off.
///
/// Loops call [`Limits::check`] now and then and pass the error up.
///
/// ```
/// use ser_model::{Limits, Stop};
/// let limits = Limits { max_states: 10, ..Limits::default() };
/// assert!(limits.check(10, 0).is_ok());
/// assert_eq!(limits.check(11, 0), Err(Stop::States { limit: 10 }));
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// The largest number of global and local states together.
    pub max_states: usize,
    /// The largest number of bytes in the main tables.
    pub max_bytes: usize,
    /// When to stop, and how long that was from the start.
    pub deadline: Option<(Instant, Duration)>,
    /// Set from another thread to stop.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_states: 100_000, max_bytes: 4 << 30, deadline: None, cancel: None }
    }
}

/// Why work stopped before its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// Too many states.
    #[error("more than {limit} states")]
    States {
        /// The limit that was passed.
        limit: usize,
    },
    /// Too much memory.
    #[error("more than {} MiB of memory", limit >> 20)]
    Memory {
        /// The limit that was passed, in bytes.
        limit: usize,
    },
    /// Too much time.
    #[error("the time limit of {} s was reached", limit.as_secs_f64())]
    Time {
        /// The limit that was passed.
        limit: Duration,
    },
    /// Called off.
    #[error("cancelled")]
    Cancelled,
}

impl Limits {
    /// The same limits with `timeout` counted from now.
    pub fn with_timeout(mut self, timeout: Duration) -> Limits {
        self.deadline = Instant::now().checked_add(timeout).map(|at| (at, timeout));
        self
    }

    /// Whether work that has made `states` states in `bytes` bytes may go on.
    pub fn check(&self, states: usize, bytes: usize) -> Result<(), Stop> {
        if states > self.max_states {
            return Err(Stop::States { limit: self.max_states });
        }
        if bytes > self.max_bytes {
            return Err(Stop::Memory { limit: self.max_bytes });
        }
        self.check_clock()
    }

    /// Whether there is time left and nobody has called the work off.
    pub fn check_clock(&self) -> Result<(), Stop> {
        if let Some((at, limit)) = self.deadline
            && Instant::now() >= at
        {
            return Err(Stop::Time { limit });
        }
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Stop::Cancelled);
        }
        Ok(())
    }
}
