//! Bounds on what one check may cost, so that no certificate can keep the checker busy forever.

use crate::Reason;
use ser_base::Limits;

/// How many table entries the checker may make for each state that the limits allow.
const ENTRIES_PER_STATE: usize = 100;

/// A generous size of a table entry, in bytes.
const BYTES_PER_ENTRY: usize = 64;

/// The most small steps (comparisons, look-ups) of one check.
const MAX_WORK: u64 = 1 << 36;

/// How many small steps go between two looks at the clock.
const CLOCK_EVERY: u64 = 1 << 14;

/// Counts table entries and small steps against the limits.
pub(crate) struct Meter<'a> {
    limits: &'a Limits,
    entries: usize,
    work: u64,
    next_look: u64,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Meter<'a> {
        Meter { limits, entries: 0, work: 0, next_look: 0 }
    }

    /// A table grows by one entry.
    pub(crate) fn entry(&mut self) -> Result<(), Reason> {
        self.entries(1)
    }

    /// A table grows by one entry with a row of so many words.
    pub(crate) fn row(&mut self, words: usize) -> Result<(), Reason> {
        self.entries(1 + words / (BYTES_PER_ENTRY / 8))
    }

    /// Tables grow by so many entries.
    pub(crate) fn entries(&mut self, count: usize) -> Result<(), Reason> {
        self.entries = self.entries.saturating_add(count);
        let limit = self.limits.max_states.saturating_mul(ENTRIES_PER_STATE);
        if self.entries > limit {
            return Err(Reason::TooManyEntries { limit });
        }
        if self.entries.saturating_mul(BYTES_PER_ENTRY) > self.limits.max_bytes {
            self.limits.check(0, usize::MAX)?;
        }
        self.work(count)
    }

    /// Tables have given back so many entries.
    pub(crate) fn release(&mut self, count: usize) {
        self.entries = self.entries.saturating_sub(count);
    }

    /// So many small steps are about to be done.
    pub(crate) fn work(&mut self, steps: usize) -> Result<(), Reason> {
        self.work = self.work.saturating_add(steps as u64);
        if self.work > MAX_WORK {
            return Err(Reason::TooMuchWork { limit: MAX_WORK });
        }
        if self.work >= self.next_look {
            self.next_look = self.work.saturating_add(CLOCK_EVERY);
            self.limits.check_clock()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_base::Stop;
    use std::time::Duration;

    #[test]
    fn entries_bytes_work_and_time_are_limited() {
        let few = Limits { max_states: 1, ..Limits::default() };
        let mut meter = Meter::new(&few);
        for _ in 0..ENTRIES_PER_STATE {
            assert_eq!(meter.entry(), Ok(()));
        }
        let limit = ENTRIES_PER_STATE;
        assert_eq!(meter.entry(), Err(Reason::TooManyEntries { limit }));

        // A row takes an entry, and another one for every eight words.
        assert_eq!(Meter::new(&few).row(8 * (limit - 1) + 7), Ok(()));
        assert_eq!(Meter::new(&few).row(8 * limit), Err(Reason::TooManyEntries { limit }));
        // What is given back can be used again.
        let mut meter = Meter::new(&few);
        assert_eq!(meter.entries(limit), Ok(()));
        meter.release(1);
        assert_eq!(meter.entry(), Ok(()));
        assert_eq!(meter.entry(), Err(Reason::TooManyEntries { limit }));

        let enough = Limits { max_bytes: BYTES_PER_ENTRY, ..Limits::default() };
        assert_eq!(Meter::new(&enough).entry(), Ok(()));
        let small = Limits { max_bytes: 10, ..Limits::default() };
        let memory = Err(Reason::Stopped(Stop::Memory { limit: 10 }));
        assert_eq!(Meter::new(&small).entry(), memory);

        let limits = Limits::default();
        let mut meter = Meter::new(&limits);
        assert_eq!(meter.work(1 << 20), Ok(()));
        let limit = MAX_WORK;
        assert_eq!(meter.work(usize::MAX), Err(Reason::TooMuchWork { limit }));
        let mut meter = Meter::new(&limits);
        assert_eq!(meter.work(MAX_WORK as usize), Ok(()));
        assert_eq!(meter.work(1), Err(Reason::TooMuchWork { limit }));

        let late = Limits::default().with_timeout(Duration::ZERO);
        let time = Err(Reason::Stopped(Stop::Time { limit: Duration::ZERO }));
        assert_eq!(Meter::new(&late).work(1), time);
    }
}
