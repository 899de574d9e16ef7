//! The events of a token trace one after the other, such that a person can follow.
//!
//! Any order that respects the trace's precedences is a one-off execution (Lemma 4 of the paper). Two things make
//! one readable: events that the target does not depend on are left out (what is left is downward closed, so
//! Lemma 2 makes it a trace), and a process goes on as long as it can before another one takes over.

use crate::ids::TransitionId;
use crate::net::Net;
use crate::trace::TokenTrace;
use std::collections::{BTreeMap, BTreeSet};

/// The events that `target` depends on and `target` itself, in order; all events if there is no target.
/// `process` tells to whom an event belongs, if to anybody.
///
/// `None` if the precedences go in circles: then it is no token trace.
pub fn linearise(
    net: &Net,
    trace: &TokenTrace,
    target: Option<TransitionId>,
    process: &dyn Fn(TransitionId) -> Option<usize>,
) -> Option<Vec<TransitionId>> {
    let mut before: BTreeMap<TransitionId, BTreeSet<TransitionId>> = BTreeMap::new();
    for (first, then) in trace.precedences(net) {
        before.entry(then).or_default().insert(first);
    }
    let needed = match target {
        Some(target) => past(target, &before),
        None => trace.events.clone(),
    };
    let mut after: BTreeMap<TransitionId, Vec<TransitionId>> = BTreeMap::new();
    let mut waits: BTreeMap<TransitionId, usize> = needed.iter().map(|event| (*event, 0)).collect();
    for event in &needed {
        for first in before.get(event).into_iter().flatten() {
            after.entry(*first).or_default().push(*event);
            *waits.entry(*event).or_default() += 1;
        }
    }
    let mut ready: BTreeSet<TransitionId> =
        waits.iter().filter(|(_, count)| **count == 0).map(|(event, _)| *event).collect();
    let mut order = Vec::new();
    let mut current = None;
    while !ready.is_empty() {
        let own = ready.iter().copied().find(|event| process(*event) == current);
        let next = match own {
            Some(event) => event,
            None => longest(&ready, &after, &waits, process)?,
        };
        ready.remove(&next);
        order.push(next);
        current = process(next);
        for event in after.get(&next).into_iter().flatten() {
            if let Some(count) = waits.get_mut(event) {
                *count -= 1;
                if *count == 0 {
                    ready.insert(*event);
                }
            }
        }
    }
    (order.len() == needed.len()).then_some(order)
}

/// What has to occur before an event, and the event.
fn past(
    target: TransitionId,
    before: &BTreeMap<TransitionId, BTreeSet<TransitionId>>,
) -> BTreeSet<TransitionId> {
    let mut found = BTreeSet::from([target]);
    let mut open = vec![target];
    while let Some(event) = open.pop() {
        for first in before.get(&event).into_iter().flatten() {
            if found.insert(*first) {
                open.push(*first);
            }
        }
    }
    found
}

/// Of the events that can occur, the one whose process can then go on longest by itself.
fn longest(
    ready: &BTreeSet<TransitionId>,
    after: &BTreeMap<TransitionId, Vec<TransitionId>>,
    waits: &BTreeMap<TransitionId, usize>,
    process: &dyn Fn(TransitionId) -> Option<usize>,
) -> Option<TransitionId> {
    let length = |start: TransitionId| {
        let owner = process(start);
        let mut left = waits.clone();
        let mut open = vec![start];
        let mut count = 0;
        while let Some(event) = open.pop() {
            count += 1;
            for next in after.get(&event).into_iter().flatten() {
                let Some(waits) = left.get_mut(next) else { continue };
                *waits -= 1;
                if *waits == 0 && process(*next) == owner {
                    open.push(*next);
                }
            }
        }
        count
    };
    // The first of the longest, so that the same trace always gives the same order.
    ready.iter().copied().max_by_key(|event| (length(*event), std::cmp::Reverse(*event)))
}
