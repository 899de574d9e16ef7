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

/// Where counting ends, for each place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Caps {
    /// Numbers below this are exact.
    pub caps: Vec<u32>,
    /// From the cap on, numbers are known up to this.
    pub period: u32,
}

impl Caps {
    pub fn cap(&self, place: u32) -> u32 {
        self.caps[place as usize]
    }

    /// The count that stands for this number, or for it and what follows in steps of the period.
    fn count(&self, place: u32, least: u32, exact: bool) -> Count {
        let cap = self.cap(place);
        if exact && least < cap {
            return Count { least, period: 0 };
        }
        Count { least: cap + (least - cap) % self.period, period: self.period }
    }
}

impl Counters {
    /// Whether it may be that nobody is in flight.
    pub fn may_be_empty(&self) -> bool {
        self.0.iter().all(|(_, count)| count.least == 0)
    }

    /// Places that are occupied only perhaps.
    pub fn doubtful(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().filter(|(_, count)| count.least == 0).map(|(place, _)| *place)
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
            Err(_) if count == Count::ZERO => {}
            Err(at) => self.0.insert(at, (place, count)),
        }
    }

    /// Whether every marking of `self` is one of `other`.
    pub fn is_within(&self, other: &Counters) -> bool {
        self.0.iter().all(|(p, c)| c.is_within(other.get(*p)))
            && other.0.iter().all(|(p, c)| self.get(*p).is_within(*c))
    }

    /// Any number of requests in `place`, if it need not be counted.
    pub fn admit(&mut self, place: u32, caps: &Caps) {
        if caps.cap(place) == 0 {
            self.set(place, Count { least: 0, period: 1 });
        }
    }

    /// One more request in `place`.
    pub fn add(&mut self, place: u32, caps: &Caps) {
        let count = self.get(place);
        self.set(place, caps.count(place, count.least + 1, count.period == 0));
    }

    /// One request less in `place`: nothing if there is none, and two possibilities if the count
    /// was at its cap: one less than the cap, or more.
    pub fn remove(&self, place: u32, caps: &Caps) -> SmallVec<[Counters; 2]> {
        let count = self.get(place);
        let with = |count: Count| {
            let mut counters = self.clone();
            counters.set(place, count);
            counters
        };
        let Count { least, period } = count;
        if period == 0 {
            let less = least.checked_sub(1).map(|less| with(Count { least: less, period: 0 }));
            return less.into_iter().collect();
        }
        // Without the number 0, which cannot give anything.
        let least = if least == 0 { period } else { least };
        if least > caps.cap(place) {
            return SmallVec::from_iter([with(Count { least: least - 1, period })]);
        }
        let exact = Count { least: least - 1, period: 0 };
        let rest = Count { least: least - 1 + period, period };
        SmallVec::from_iter([with(exact), with(rest)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: Count, most: u32) -> Vec<u32> {
        let step = if count.period == 0 { most + 1 } else { count.period };
        (count.least..=most).step_by(step as usize).collect()
    }

    /// Adding and removing cover everything that the numbers themselves do.
    #[test]
    fn counts_cover_their_numbers() {
        for cap in 0..4 {
            for period in 1..4 {
                let caps = Caps { caps: vec![cap], period };
                let exact = (0..cap).map(|least| Count { least, period: 0 });
                let open = (cap..cap + period).map(|least| Count { least, period });
                for count in exact.chain(open) {
                    let counters = Counters(SmallVec::from_iter([(0, count)]));
                    let counters =
                        if count == Count::ZERO { Counters::default() } else { counters };
                    let mut more = counters.clone();
                    more.add(0, &caps);
                    for n in numbers(count, 20) {
                        assert!(numbers(more.get(0), 30).contains(&(n + 1)), "{cap} {period} {n}");
                        let less = counters.remove(0, &caps);
                        let covered =
                            less.iter().any(|c| n > 0 && numbers(c.get(0), 30).contains(&(n - 1)));
                        assert_eq!(covered, n > 0, "{cap} {period} {count:?} {n}");
                    }
                }
            }
        }
    }
}
