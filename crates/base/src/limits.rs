//! How much work is allowed, and why work stopped.

use crate::grouped;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Bounds on states, time and memory for one piece of work, and a way to call it off.
///
/// Loops call [`Limits::check`] now and then and pass the error up.
///
/// ```
/// use ser_base::{Limits, Stop};
/// let limits = Limits { max_states: 10, ..Limits::default() };
/// assert!(limits.check(10, 0).is_ok());
/// assert_eq!(limits.check(11, 0), Err(Stop::States { limit: 10 }));
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// The largest number of global and local states together.
    pub max_states: usize,
    /// The largest number of bytes in the main tables, and of the process if `memory` tells.
    pub max_bytes: usize,
    /// When to stop, and how long that was from the start.
    pub deadline: Option<(Instant, Duration)>,
    /// Set from another thread to stop.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Tells how many bytes the process has in use. Tables are estimates; this is the truth.
    pub memory: Option<fn() -> usize>,
    /// How many small steps are left of a share of the work.
    pub share: Option<Arc<AtomicU64>>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_states: 100_000,
            max_bytes: 4 << 30,
            deadline: None,
            cancel: None,
            memory: None,
            share: None,
        }
    }
}

/// Why work stopped before its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// Too many states.
    #[error("more than {} states", grouped(*limit))]
    States { limit: usize },
    /// Too much memory.
    #[error("more than {} MiB of memory", limit >> 20)]
    Memory { limit: usize },
    /// Too much time.
    #[error("the time limit of {} s was reached", limit.as_secs_f64())]
    Time { limit: Duration },
    /// Called off.
    #[error("interrupted")]
    Cancelled,
    /// A share of the work is done. Others may go on.
    #[error("its share of the work was done")]
    Share,
}

impl Limits {
    /// The same limits with `timeout` counted from now.
    pub fn with_timeout(mut self, timeout: Duration) -> Limits {
        self.deadline = Instant::now().checked_add(timeout).map(|at| (at, timeout));
        self
    }

    /// The same limits for something that is worth only so much time, counted from now.
    pub fn at_most(&self, time: Duration) -> Limits {
        let shorter = self.clone().with_timeout(time);
        match (self.deadline, shorter.deadline) {
            (Some((end, _)), Some((sooner, _))) if end <= sooner => self.clone(),
            _ => shorter,
        }
    }

    /// The same limits for one of several things that have to be done: so many parts of the time
    /// that is left. Messages keep the limit that the user knows.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use std::time::{Duration, Instant};
    /// let hour = Duration::from_secs(3600);
    /// let limits = Limits::default().with_timeout(hour).parts_of_time(3, 4);
    /// let (at, limit) = limits.deadline.expect("a deadline");
    /// assert_eq!(limit, hour);
    /// assert!(at <= Instant::now() + hour * 3 / 4);
    /// ```
    pub fn parts_of_time(&self, some: u32, all: u32) -> Limits {
        let now = Instant::now();
        let sooner = |(at, limit): (Instant, Duration)| {
            (now + at.saturating_duration_since(now) / all.max(1) * some.min(all), limit)
        };
        Limits { deadline: self.deadline.map(sooner), ..self.clone() }
    }

    /// The same limits for something that is worth only so many small steps. Unlike time, steps
    /// are the same on every machine.
    ///
    /// ```
    /// use ser_base::{Limits, Stop};
    /// let share = Limits::default().share(10);
    /// share.spend(9);
    /// assert_eq!(share.check_clock(), Ok(()));
    /// share.spend(9);
    /// assert_eq!(share.check_clock(), Err(Stop::Share));
    /// ```
    pub fn share(&self, steps: u64) -> Limits {
        Limits { share: Some(Arc::new(AtomicU64::new(steps))), ..self.clone() }
    }

    /// So many small steps of the share are done.
    pub fn spend(&self, steps: u64) {
        if let Some(share) = &self.share {
            let left = share.load(Ordering::Relaxed);
            share.store(left.saturating_sub(steps), Ordering::Relaxed);
        }
    }

    /// Whether the process is beyond its memory by more than a tenth.
    pub fn is_far_too_large(&self) -> bool {
        let most = self.max_bytes.saturating_add(self.max_bytes / 10);
        self.memory.is_some_and(|memory| memory() > most)
    }

    /// Whether there is room for a table that is about to take so many bytes more.
    pub fn check_room(&self, bytes: usize) -> Result<(), Stop> {
        let used = self.memory.map_or(0, |memory| memory());
        match used.saturating_add(bytes) > self.max_bytes {
            true => Err(Stop::Memory { limit: self.max_bytes }),
            false => Ok(()),
        }
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

    /// Whether there is time left, the process is not too large, and nobody has called the work
    /// off.
    pub fn check_clock(&self) -> Result<(), Stop> {
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Stop::Cancelled);
        }
        if self.share.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0) {
            return Err(Stop::Share);
        }
        if let Some((at, limit)) = self.deadline
            && Instant::now() >= at
        {
            return Err(Stop::Time { limit });
        }
        if self.memory.is_some_and(|in_use| in_use() > self.max_bytes) {
            return Err(Stop::Memory { limit: self.max_bytes });
        }
        Ok(())
    }

    /// For a loop of many small steps.
    pub fn pace(&self) -> Pace<'_> {
        Pace { limits: self, left: STEPS_BETWEEN_LOOKS }
    }
}

/// So many small steps go between two looks at the clock: some ten microseconds.
const STEPS_BETWEEN_LOOKS: usize = 1 << 12;

/// Counts small steps, and looks at the clock now and then.
///
/// ```
/// use ser_base::{Limits, Stop};
/// use std::time::Duration;
/// let limits = Limits::default().with_timeout(Duration::ZERO);
/// let mut pace = limits.pace();
/// let late = (0..1_000_000).try_for_each(|_| pace.steps(1));
/// assert_eq!(late, Err(Stop::Time { limit: Duration::ZERO }));
/// ```
#[derive(Clone, Debug)]
pub struct Pace<'a> {
    limits: &'a Limits,
    left: usize,
}

impl Pace<'_> {
    /// So many small steps are about to be done (look-ups, comparisons, words copied).
    pub fn steps(&mut self, count: usize) -> Result<(), Stop> {
        match self.left.checked_sub(count) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = STEPS_BETWEEN_LOOKS;
                self.limits.spend(STEPS_BETWEEN_LOOKS.max(count) as u64);
                self.limits.check_clock()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_too_large_has_to_stop() {
        let limits = Limits { max_bytes: 1000, memory: Some(|| 1001), ..Limits::default() };
        assert_eq!(limits.check_clock(), Err(Stop::Memory { limit: 1000 }));
        let limits = Limits { max_bytes: 1001, ..limits };
        assert_eq!(limits.check_clock(), Ok(()));
    }

    #[test]
    fn being_called_off_comes_before_all_else() {
        let cancel = Some(Arc::new(AtomicBool::new(true)));
        let limits = Limits { cancel, ..Limits::default() }.with_timeout(Duration::ZERO);
        assert_eq!(limits.check_clock(), Err(Stop::Cancelled));
    }

    #[test]
    fn one_large_step_is_followed_by_a_look() {
        let limits = Limits::default().with_timeout(Duration::ZERO);
        assert!(limits.pace().steps(1).is_ok());
        assert!(limits.pace().steps(1 << 20).is_err());
    }
}
