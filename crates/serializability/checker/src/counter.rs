//! How many requests are in flight in a place, as a set of numbers.
//!
//! A [`Counter`] (n, p) stands for {n} if p = 0 and for {n, n + p, n + 2p, ...} otherwise.
//!
//! *Theorem.* Let C be such a set. [`Counter::within`] is inclusion. [`Counter::take`] is
//! {c - 1 : c in C, c > 0}, or nothing if that is empty. [`Counter::put`] is {c + 1 : c in C}.
//! [`Counter::split`] is two counters whose union is C. *Proof.* Each by cases; for inclusion of
//! (a, q) in (b, p) with p > 0: a must be b plus a multiple of p, and then a + q is one if and
//! only if q is a multiple of p (0 is one). For taking from (0, p): the numbers above 0 are
//! p, 2p, ... ∎

/// A set of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Counter {
    pub(crate) least: u64,
    /// 0 if `least` is the only number.
    pub(crate) period: u64,
}

impl Counter {
    /// Nobody.
    pub(crate) const ZERO: Counter = Counter { least: 0, period: 0 };

    /// Whether every number of `self` is one of `other`.
    pub(crate) fn within(self, other: Counter) -> bool {
        if other.period == 0 {
            return self == other;
        }
        let Some(distance) = self.least.checked_sub(other.least) else {
            return false;
        };
        distance.is_multiple_of(other.period) && self.period.is_multiple_of(other.period)
    }

    /// One less, for the numbers above 0; none if there is no such number.
    pub(crate) fn take(self) -> Option<Counter> {
        let above = if self.least > 0 { self.least } else { self.period };
        let least = above.checked_sub(1)?;
        Some(Counter { least, ..self })
    }

    /// One more; none if that is too large.
    pub(crate) fn put(self) -> Option<Counter> {
        let least = self.least.checked_add(1)?;
        Some(Counter { least, ..self })
    }

    /// The least number, and the rest; none if there is no rest, or if it is too large.
    pub(crate) fn split(self) -> Option<[Counter; 2]> {
        if self.period == 0 {
            return None;
        }
        let least = self.least.checked_add(self.period)?;
        let first = Counter { period: 0, ..self };
        Some([first, Counter { least, ..self }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: u64 = 200;

    fn numbers(c: Counter) -> Vec<u64> {
        match c.period {
            0 => vec![c.least],
            p => (c.least..BOUND).step_by(p as usize).collect(),
        }
    }

    fn small() -> impl Iterator<Item = Counter> {
        (0..7).flat_map(|least| (0..7).map(move |period| Counter { least, period }))
    }

    #[test]
    fn the_operations_are_those_on_sets() {
        for a in small() {
            let mut less: Vec<u64> = numbers(a).iter().filter_map(|c| c.checked_sub(1)).collect();
            let mut taken = a.take().map(numbers).unwrap_or_default();
            less.retain(|c| *c < BOUND - 10);
            taken.retain(|c| *c < BOUND - 10);
            assert_eq!(taken, less, "take {a:?}");

            let mut more: Vec<u64> = numbers(a).iter().map(|c| c + 1).collect();
            more.retain(|c| *c < BOUND);
            assert_eq!(a.put().map(numbers), Some(more), "put {a:?}");

            let split = a.split().map(|parts| parts.map(numbers).concat());
            let expected = (a.period > 0).then(|| numbers(a));
            assert_eq!(split, expected, "split {a:?}");

            for b in small() {
                let inside = numbers(a).iter().all(|c| numbers(b).contains(c));
                assert_eq!(a.within(b), inside, "{a:?} within {b:?}");
            }
        }
    }

    #[test]
    fn large_numbers_do_not_wrap_around() {
        let huge = Counter { least: u64::MAX, period: u64::MAX };
        assert_eq!(huge.put(), None);
        assert_eq!(huge.split(), None);
        assert!(huge.within(huge));
        assert!(!Counter::ZERO.within(huge));
        let taken = Counter { least: 0, ..huge }.take();
        assert_eq!(taken.map(|c| c.least), Some(u64::MAX - 1));
        assert_eq!(Counter::ZERO.take(), None);
    }
}
