//! The family on which the paper about event tracing measures (its section 7): lost updates.
//!
//! Two processes add to one shared `X`, C times each, reading it in one step and writing it back in
//! another. One adds C*C, the other 2C-1. Can `X` be D in the end? The largest sum is C * (C*C +
//! 2C-1), and there is one instance for each D up to that: 2,498 for C = 4..9. Some are reachable
//! and some are not, and nothing but the data tells which.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The smallest C: with one round, nothing is repeated.
pub const MIN_C: u32 = 2;

/// The largest C: 4C steps and C^3 instances are more than anybody waits for.
pub const MAX_C: u32 = 40;

/// A question of the family.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instance {
    /// How often each process adds.
    pub c: u32,
    /// What `X` should be in the end.
    pub d: u32,
}

/// The largest value that `X` can have.
///
/// ```
/// assert_eq!(ser_bench::lost_updates::largest(4), 92);
/// ```
pub fn largest(c: u32) -> u32 {
    c * c * c + 2 * c * c - c
}

/// Every so many instances of one C, the one with D = 0 first.
pub fn instances(c: u32, every: u32) -> Vec<Instance> {
    (0..=largest(c)).step_by(every.max(1) as usize).map(|d| Instance { c, d }).collect()
}

impl Instance {
    /// The instance for `ser trace`, as a file with processes.
    pub fn source(self) -> String {
        let Instance { c, d } = self;
        let mut text = format!("var X: 0..{}\n", largest(c));
        for (name, more) in [("F", c * c), ("G", 2 * c - 1)] {
            let body = format!("for _ in 1..{c} {{ a := X; X := a + {more} }}");
            let _ = write!(text, "\nprocess {name} {{\n    {body}\n}}\n");
        }
        let _ = write!(text, "\nreach done && X == {d}\n");
        text
    }

    /// How many steps a complete run has.
    pub fn steps(self) -> u32 {
        4 * self.c
    }
}

/// All values that `X` can have in the end, by trying all interleavings. A state is where both
/// processes are, what they have read, and `X`; there are more than C^7 of them in the worst case,
/// so this is for small C.
pub fn reachable(c: u32) -> BTreeSet<u32> {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    struct State {
        at: [u32; 2],
        read: [u32; 2],
        x: u32,
    }
    let adds = [c * c, 2 * c - 1];
    let start = State { at: [0; 2], read: [0; 2], x: 0 };
    let (mut seen, mut open) = (BTreeSet::from([start]), vec![start]);
    let mut ends = BTreeSet::new();
    while let Some(state) = open.pop() {
        if state.at == [2 * c; 2] {
            ends.insert(state.x);
        }
        for (process, adds) in adds.into_iter().enumerate() {
            let mut next = state;
            match state.at[process] {
                at if at == 2 * c => continue,
                at if at.is_multiple_of(2) => next.read[process] = state.x,
                _ => {
                    next.x = state.read[process] + adds;
                    // Nobody looks at it any more.
                    next.read[process] = 0;
                }
            }
            next.at[process] += 1;
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_has_2498_instances() {
        assert_eq!((4..=9).map(|c| instances(c, 1).len()).sum::<usize>(), 2498);
        let few = instances(2, 5);
        assert_eq!(few.iter().map(|i| i.d).collect::<Vec<_>>(), [0, 5, 10]);
    }

    #[test]
    fn two_updates_survive_at_least_and_all_at_most() {
        for c in 2..=4 {
            let ends = reachable(c);
            assert_eq!(ends.last(), Some(&largest(c)));
            // One of each process; or G writes over all that F did, and goes on alone.
            let least = (c * c + 2 * c - 1).min(c * (2 * c - 1));
            assert_eq!(ends.first(), Some(&least), "C = {c}");
        }
    }

    #[test]
    fn sources_say_what_the_instance_is() {
        let source = Instance { c: 3, d: 7 }.source();
        assert_eq!(
            source,
            "var X: 0..42\n\nprocess F {\n    for _ in 1..3 { a := X; X := a + 9 }\n}\n\n\
             process G {\n    for _ in 1..3 { a := X; X := a + 5 }\n}\n\nreach done && X == 7\n"
        );
        assert_eq!(Instance { c: 3, d: 7 }.steps(), 12);
    }
}
