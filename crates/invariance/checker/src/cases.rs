//! Cases: in which ways the variables of a premise can be equal or not.
//!
//! A partition is written as the number of the block of each variable, blocks numbered in the order
//! in which they appear: each number is at most one more than all before it. All such lists are
//! enumerated in lexicographic order.

use crate::rejection::Reason;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{ExprKind, GlobalId, Invariant, Thread};

/// So many cases are looked at in one certificate.
const MAX_CASES: u64 = 5_000_000;

/// All partitions of so many variables into at most `most` blocks.
pub fn partitions(variables: usize, most: Option<u32>) -> Partitions {
    let most = most.unwrap_or(u32::MAX);
    let first = (variables == 0 || most > 0).then(|| vec![0; variables]);
    Partitions { next: first, most }
}

pub struct Partitions {
    next: Option<Vec<u32>>,
    most: u32,
}

impl Iterator for Partitions {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let current = self.next.take()?;
        // The last place that can grow does, and all behind it are 0 again.
        for place in (1..current.len()).rev() {
            let before = current[..place].iter().max().map_or(0, |block| block + 1);
            if current[place] < before && current[place] + 1 < self.most {
                let mut next = current.clone();
                next[place] += 1;
                next[place + 1..].fill(0);
                self.next = Some(next);
                break;
            }
        }
        Some(current)
    }
}

/// How many blocks a partition has.
pub fn blocks(partition: &[u32]) -> u32 {
    partition.iter().max().map_or(0, |block| block + 1)
}

/// How many partitions there are, at most (without a bound on the number of blocks).
fn bell(variables: usize) -> u64 {
    // The triangle: each row starts with the end of the one before.
    let mut row = vec![1u64];
    for _ in 1..variables.max(1) {
        let mut next = vec![row.last().copied().unwrap_or(1)];
        for number in &row {
            next.push(next.last().copied().unwrap_or(1).saturating_add(*number));
        }
        row = next;
    }
    row.last().copied().unwrap_or(1)
}

/// Whether there are not too many cases: of premises with so many variables, each with so many
/// steps.
pub(crate) fn count(premises: impl IntoIterator<Item = (usize, usize)>) -> Result<(), Reason> {
    let mut total = 0u64;
    for (variables, steps) in premises {
        let partitions = if variables > 30 { u64::MAX } else { bell(variables) };
        total = total.saturating_add(partitions.saturating_mul(steps as u64));
    }
    match total > MAX_CASES {
        true => Err(Reason::Size { what: format!("there are more than {MAX_CASES} cases") }),
        false => Ok(()),
    }
}

/// Globals that are one thread forever, ascending.
pub fn anchors(system: &System) -> Vec<GlobalId> {
    let fixed = system.globals.iter().enumerate().filter(|(_, global)| global.fixed);
    fixed.map(|(number, _)| GlobalId(number as u32)).collect()
}

/// Which of the anchors occur in an invariant, as a thread or as a value.
pub fn anchors_in(invariant: &Invariant, anchors: &[GlobalId]) -> Vec<bool> {
    let mut found = vec![false; anchors.len()];
    for conjunct in &invariant.conjuncts {
        conjunct.formula.walk(&mut |expr| {
            if let ExprKind::Local(_, Thread::Global(global))
            | ExprKind::At(Thread::Global(global), _)
            | ExprKind::Thread(Thread::Global(global))
            | ExprKind::Global(global) = &expr.kind
                && let Ok(place) = anchors.binary_search(global)
            {
                found[place] = true;
            }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn partitions_are_counted_by_bell_numbers() {
        for (variables, count) in [(0, 1), (1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203)] {
            let all: BTreeSet<_> = partitions(variables, None).collect();
            assert_eq!(all.len(), count);
            assert_eq!(partitions(variables, None).count(), count, "none comes twice");
            assert_eq!(bell(variables), count as u64);
        }
    }

    #[test]
    fn blocks_are_numbered_as_they_appear() {
        let all: Vec<_> = partitions(3, None).collect();
        assert_eq!(all, [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]);
    }

    #[test]
    fn in_a_closed_system_there_are_no_more_blocks_than_threads() {
        let all: Vec<_> = partitions(3, Some(2)).collect();
        assert_eq!(all, [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]]);
        assert_eq!(partitions(3, Some(1)).count(), 1);
        assert_eq!(partitions(0, Some(0)).count(), 1);
        assert_eq!(partitions(1, Some(0)).count(), 0);
    }

    #[test]
    fn too_many_cases_are_refused() {
        assert!(count([(3, 100), (4, 100)]).is_ok());
        assert!(count([(40, 1)]).is_err());
        assert!(count([(12, 100)]).is_err());
    }
}
