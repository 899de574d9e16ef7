//! How many requests are in each place, up to a cap.
//!
//! Below the cap a number is exact. From the cap on, numbers are known only up to a period p: the
//! count (n, p) stands for n, n + p, n + 2p, ... With p = 1 that is "n or more". A counter that
//! never reaches its cap is simply bounded, which is how locks disappear.

use smallvec::SmallVec;

/// The numbers that a counter may have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Count {
    pub least: u32,
    /// 0 if the number is exact.
    pub period: u32,
}

impl Count {
    const ZERO: Count = Count { least: 0, period: 0 };

    /// Whether all numbers of `self` are numbers of `other`.
    fn is_within(self, other: Count) -> bool {
        if other.period == 0 {
            return self == other;
        }
        self.least >= other.least
            && (self.least - other.least).is_multiple_of(other.period)
            && self.period.is_multiple_of(other.period)
    }
}

/// The counters of all places that may be occupied, sorted by place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Counters(pub SmallVec<[(u32, Count); 6]>);

/// Where counting ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cap {
    pub cap: u32,
    pub period: u32,
}

impl Counters {
    /// Whether nobody is in flight.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, place: u32) -> Count {
        let at = self.0.binary_search_by_key(&place, |(p, _)| *p);
        at.map_or(Count::ZERO, |at| self.0[at].1)
    }

    fn set(&mut self, place: u32, count: Count) {
        match self.0.binary_search_by_key(&place, |(p, _)| *p) {
            Ok(at) if count == Count::ZERO => {
                self.0.remove(at);
            }
            Ok(at) => self.0[at].1 = count,
            Err(at) => self.0.insert(at, (place, count)),
        }
    }

    /// Whether every marking of `self` is one of `other`.
    pub fn is_within(&self, other: &Counters) -> bool {
        self.0.iter().all(|(p, c)| c.is_within(other.get(*p)))
            && other.0.iter().all(|(p, c)| self.get(*p).is_within(*c))
    }

    /// One more request in `place`.
    pub fn add(&mut self, place: u32, cap: Cap) {
        let count = self.get(place);
        let next = count.least + 1;
        let count = if count.period > 0 {
            // Past the last residue it starts again.
            let least = if next == cap.cap + cap.period { cap.cap } else { next };
            Count { least, period: cap.period }
        } else if next >= cap.cap {
            Count { least: next, period: cap.period }
        } else {
            Count { least: next, period: 0 }
        };
        self.set(place, count);
    }

    /// One request less in `place`: nothing if there is none, and two possibilities if the count
    /// was at its cap: one less than the cap, or more.
    pub fn remove(&self, place: u32, cap: Cap) -> SmallVec<[Counters; 2]> {
        let count = self.get(place);
        let with = |count: Count| {
            let mut counters = self.clone();
            counters.set(place, count);
            counters
        };
        if count.least == 0 {
            return SmallVec::new();
        }
        let less = count.least - 1;
        if count.period == 0 {
            return SmallVec::from_iter([with(Count { least: less, period: 0 })]);
        }
        if less >= cap.cap {
            return SmallVec::from_iter([with(Count { least: less, period: count.period })]);
        }
        let exact = Count { least: less, period: 0 };
        let rest = Count { least: less + count.period, period: count.period };
        SmallVec::from_iter([with(exact), with(rest)])
    }
}
