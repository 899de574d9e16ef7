//! Variables that count requests in flight: semaphores, readers of a lock.
//!
//! A variable counts if every request adds a fixed amount to it for as long as it is in a place:
//! its value is then always its first value plus the amounts of all requests in flight. With
//! amounts that are never negative, a request in place p and another one in q know that the
//! variable is at least its first value plus both amounts (at most, with amounts that are never
//! positive), which is more than [`Facts`](super::Facts) could find out one variable at a time.
//!
//! Amounts are found by following each request from its arrival: a transition that reads a and
//! writes b adds b - a. Whether the invariant holds is for the facts to check: a transition that
//! would break it may be one that cannot happen.

use super::{RuleNet, RuleTransition, value_of};
use crate::PlaceId;
use ser_base::{Limits, Stop};
use ser_model::VariableId;

/// A variable whose value is its first value plus the amounts of all requests in flight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    pub variable: VariableId,
    /// Its first value.
    pub first: i64,
    /// For each place, what a request in it adds; all of them of one sign.
    pub amounts: Vec<i64>,
    /// Whether amounts are positive.
    pub rises: bool,
}

impl Count {
    /// What a request in this place adds.
    pub(super) fn amount(&self, place: Option<usize>) -> i64 {
        place.map_or(0, |p| self.amounts[p])
    }

    /// Whether the variable may have this value while requests are in these places.
    pub(super) fn allows(&self, value: i64, places: [Option<usize>; 2]) -> bool {
        let bound = places.iter().map(|p| self.amount(*p)).fold(self.first, i64::saturating_add);
        if self.rises { value >= bound } else { value <= bound }
    }

    /// Whether a transition keeps the count.
    pub(super) fn keeps(&self, t: &RuleTransition) -> bool {
        let amount = |p: Option<PlaceId>| self.amount(p.map(PlaceId::index));
        change(t, self.variable) == amount(t.gives()).checked_sub(amount(t.takes))
    }
}

/// By how much a transition changes a variable, if that can be told.
fn change(t: &RuleTransition, variable: VariableId) -> Option<i64> {
    match value_of(&t.footprint.writes, variable) {
        None => Some(0),
        Some(after) => after.checked_sub(value_of(&t.footprint.reads, variable)?),
    }
}

/// All variables that seem to count.
pub(super) fn find_counts(net: &RuleNet, limits: &Limits) -> Result<Vec<Count>, Stop> {
    // Each variable is looked for in all that is read and written.
    let touched = |t: &RuleTransition| 1 + t.footprint.reads.len() + t.footprint.writes.len();
    let size = net.transitions.iter().map(touched).sum();
    let mut pace = limits.pace();
    let mut counts = Vec::new();
    for variable in (0..net.initial.len()).map(VariableId::from_index) {
        pace.steps(size)?;
        counts.extend(find_count(net, variable));
    }
    Ok(counts)
}

fn find_count(net: &RuleNet, variable: VariableId) -> Option<Count> {
    let first = net.initial[variable.index()];
    let changes = |t: &&RuleTransition| value_of(&t.footprint.writes, variable).is_some();
    // Only if somebody adds to it, and nobody writes without reading.
    if !net.transitions.iter().any(|t| changes(&t))
        || net.transitions.iter().any(|t| change(t, variable).is_none())
    {
        return None;
    }
    let mut amounts: Vec<Option<i64>> = vec![None; net.places.len()];
    let mut open: Vec<Option<PlaceId>> = vec![None];
    let mut by_takes: Vec<Vec<&RuleTransition>> = vec![Vec::new(); net.places.len() + 1];
    let slot = |p: Option<PlaceId>| p.map_or(0, |p| p.index() + 1);
    for t in &net.transitions {
        by_takes[slot(t.takes)].push(t);
    }
    while let Some(from) = open.pop() {
        let amount = from.map_or(Some(0), |p| amounts[p.index()])?;
        for t in &by_takes[slot(from)] {
            // A transition that needs less than what is there at least (or more than what is there
            // at most) cannot happen.
            let bound = first.saturating_add(amount);
            let beyond = |value| amount > 0 && value < bound || amount < 0 && value > bound;
            if value_of(&t.footprint.reads, variable).is_some_and(beyond) {
                continue;
            }
            let after = amount.checked_add(change(t, variable)?)?;
            match t.gives() {
                None if after != 0 => return None,
                None => {}
                Some(p) => match amounts[p.index()] {
                    Some(known) if known != after => return None,
                    Some(_) => {}
                    None => {
                        amounts[p.index()] = Some(after);
                        open.push(Some(p));
                    }
                },
            }
        }
    }
    let amounts: Vec<i64> = amounts.into_iter().map(|a| a.unwrap_or(0)).collect();
    let rises = amounts.iter().any(|a| *a > 0);
    let falls = amounts.iter().any(|a| *a < 0);
    (rises != falls).then_some(Count { variable, first, amounts, rises })
}
