//! Mover elimination on rules: a pause that makes no difference goes away.
//!
//! The conditions are those of [`eliminate_mover`](crate::eliminate_mover), for all valuations at
//! once. Two transitions of different requests that share no variable that either of them writes
//! commute. For the others, take what is known of the valuation when one follows the other:
//! what the first reads, and what the second reads and the first did not write. If [`Facts`] rule
//! that out, nothing needs to be shown. Otherwise there must be transitions between the same
//! places that lead, in the other order, from there to the same valuation; where they read
//! variables that are not known yet, all values are tried.

use super::{Facts, RuleNet, RuleTransition, value_of};
use crate::{Effect, PlaceId, Side};
use rustc_hash::FxHashMap;
use ser_model::VariableId;

/// How many variables may be tried out in one swap.
const MAX_SPLITS: usize = 4;

/// Compositions may not grow the net beyond this factor.
const MAX_GROWTH: usize = 2;

/// What is known of a valuation.
type Known = Vec<(VariableId, i64)>;

/// A net with its transitions found by what they do.
pub(super) struct Tables<'a> {
    net: &'a RuleNet,
    facts: &'a Facts,
    producers: Vec<Vec<usize>>,
    consumers: Vec<Vec<usize>>,
    readers: Vec<Vec<usize>>,
    writers: Vec<Vec<usize>>,
    between: FxHashMap<(Option<PlaceId>, Effect), Vec<usize>>,
}

impl<'a> Tables<'a> {
    pub fn new(net: &'a RuleNet, facts: &'a Facts) -> Tables<'a> {
        let mut tables = Tables {
            net,
            facts,
            producers: vec![Vec::new(); net.places.len()],
            consumers: vec![Vec::new(); net.places.len()],
            readers: vec![Vec::new(); net.initial.len()],
            writers: vec![Vec::new(); net.initial.len()],
            between: FxHashMap::default(),
        };
        for (i, t) in net.transitions.iter().enumerate() {
            if let Some(p) = t.takes {
                tables.consumers[p.index()].push(i);
            }
            if let Some(p) = t.gives() {
                tables.producers[p.index()].push(i);
            }
            for (v, _) in &t.footprint.reads {
                tables.readers[v.index()].push(i);
            }
            for (v, _) in &t.footprint.writes {
                tables.writers[v.index()].push(i);
            }
            tables.between.entry((t.takes, t.effect)).or_default().push(i);
        }
        tables
    }

    /// Whether some request may be left in the place.
    pub fn is_used(&self, place: PlaceId) -> bool {
        !self.producers[place.index()].is_empty()
    }

    /// The direction in which the steps at a place can be moved, if they can.
    pub fn direction(&self, place: PlaceId) -> Option<Side> {
        let producers = &self.producers[place.index()];
        if producers.iter().any(|t| self.net.transitions[*t].takes == Some(place)) {
            return None;
        }
        let right = || producers.iter().all(|t| self.moves_right(&self.net.transitions[*t]));
        let left = || {
            let consumers = &self.consumers[place.index()];
            consumers.iter().all(|t| self.moves_left(&self.net.transitions[*t]))
        };
        if right() {
            Some(Side::Right)
        } else if left() {
            Some(Side::Left)
        } else {
            None
        }
    }

    fn moves_right(&self, t: &RuleTransition) -> bool {
        self.rivals(t).into_iter().all(|u| self.swaps(t, &self.net.transitions[u]))
    }

    fn moves_left(&self, t: &RuleTransition) -> bool {
        self.rivals(t).into_iter().all(|u| self.swaps(&self.net.transitions[u], t))
    }

    /// The transitions that do not commute by the variables they touch alone.
    fn rivals(&self, t: &RuleTransition) -> Vec<usize> {
        let mut rivals = Vec::new();
        for (v, _) in &t.footprint.writes {
            rivals.extend(&self.readers[v.index()]);
            rivals.extend(&self.writers[v.index()]);
        }
        for (v, _) in &t.footprint.reads {
            rivals.extend(&self.writers[v.index()]);
        }
        rivals.sort_unstable();
        rivals.dedup();
        rivals
    }

    /// Whether `first` and then `second`, of another request, never happens, or may as well happen
    /// in the other order.
    fn swaps(&self, first: &RuleTransition, second: &RuleTransition) -> bool {
        let places = [first.takes, second.takes];
        if !self.facts.may_meet(first.takes, second.takes)
            || first.gives().is_some_and(|y| !self.facts.may_meet(Some(y), second.takes))
        {
            return true;
        }
        let mut known: Known = first.footprint.reads.clone();
        for &(variable, value) in &second.footprint.reads {
            match value_of(&first.footprint.writes, variable)
                .or_else(|| value_of(&first.footprint.reads, variable))
            {
                Some(left) if left != value => return true,
                Some(_) => {}
                None => known.push((variable, value)),
            }
        }
        // Before, in between, and after: is that possible, for everybody who is there?
        let middle = updated(&known, &first.footprint.writes);
        let after = updated(&middle, &second.footprint.writes);
        let agrees = |values: &Known, place: Option<PlaceId>| {
            self.facts.agrees(values, place.map(PlaceId::index))
        };
        let possible = places.iter().all(|p| agrees(&known, *p))
            && agrees(&middle, second.takes)
            && first.gives().is_none_or(|y| agrees(&middle, Some(y)) && agrees(&after, Some(y)))
            && second.gives().is_none_or(|y| agrees(&after, Some(y)));
        !possible || self.swaps_when(first, second, &known, MAX_SPLITS)
    }

    fn swaps_when(
        &self,
        first: &RuleTransition,
        second: &RuleTransition,
        known: &Known,
        splits: usize,
    ) -> bool {
        let mut wanted: Option<VariableId> = None;
        let goal = |v: VariableId| {
            value_of(&second.footprint.writes, v)
                .or_else(|| value_of(&first.footprint.writes, v))
                .or_else(|| value_of(known, v))
        };
        for u in self.alike(second) {
            let Some(missing) = misses(&u.footprint.reads, known) else { continue };
            if let Some(variable) = missing {
                wanted = wanted.or(Some(variable));
                continue;
            }
            let middle = updated(known, &u.footprint.writes);
            for t in self.alike(first) {
                let Some(missing) = misses(&t.footprint.reads, &middle) else { continue };
                if let Some(variable) = missing {
                    wanted = wanted.or(Some(variable));
                    continue;
                }
                let after = updated(&middle, &t.footprint.writes);
                // Every variable that somebody writes, in either order, has the same value.
                let mut written = [first, second, u, t]
                    .into_iter()
                    .flat_map(|t| t.footprint.writes.iter().map(|(v, _)| *v));
                if written.all(|v| value_of(&after, v) == goal(v) && goal(v).is_some()) {
                    return true;
                }
                // A variable that only one order writes may have the right value already.
                let mut written = [first, second, u, t]
                    .into_iter()
                    .flat_map(|t| t.footprint.writes.iter().map(|(v, _)| *v));
                wanted = wanted.or_else(|| {
                    written.find(|v| value_of(&after, *v).is_none() || goal(*v).is_none())
                });
            }
        }
        let Some(variable) = wanted.filter(|v| value_of(known, *v).is_none()) else {
            return false;
        };
        splits > 0
            && self.facts.choices(variable, [first.takes, second.takes]).into_iter().all(|value| {
                let mut known = known.clone();
                known.push((variable, value));
                self.swaps_when(first, second, &known, splits - 1)
            })
    }

    /// The transitions between the same places.
    fn alike(&self, t: &RuleTransition) -> impl Iterator<Item = &'a RuleTransition> + '_ {
        let list = self.between.get(&(t.takes, t.effect)).map_or(&[][..], Vec::as_slice);
        list.iter().map(|i| &self.net.transitions[*i])
    }

    /// The transitions of the net when the steps into a place and out of it are one; nothing if
    /// they become too many.
    pub fn compose(&self, place: PlaceId) -> Option<Vec<RuleTransition>> {
        let all = &self.net.transitions;
        let mut transitions: Vec<RuleTransition> = Vec::with_capacity(all.len());
        let others = all.iter().filter(|t| t.takes != Some(place) && t.gives() != Some(place));
        transitions.extend(others.cloned());
        let most = MAX_GROWTH * all.len() + 100;
        for t in &self.producers[place.index()] {
            for w in &self.consumers[place.index()] {
                transitions.extend(all[*t].then(&all[*w]).filter(|c| self.facts.possible(c)));
            }
            if transitions.len() > most {
                return None;
            }
        }
        transitions.sort_unstable();
        transitions.dedup();
        Some(transitions)
    }
}

/// Whether a transition that reads this is possible: nothing if it is not, and otherwise the
/// first variable that is not known.
fn misses(reads: &[(VariableId, i64)], known: &Known) -> Option<Option<VariableId>> {
    let mut missing = None;
    for &(variable, value) in reads {
        match value_of(known, variable) {
            Some(found) if found != value => return None,
            Some(_) => {}
            None => missing = missing.or(Some(variable)),
        }
    }
    Some(missing)
}

/// What is known after some writes.
fn updated(known: &Known, writes: &[(VariableId, i64)]) -> Known {
    let mut after: Known =
        known.iter().filter(|(v, _)| value_of(writes, *v).is_none()).copied().collect();
    after.extend_from_slice(writes);
    after
}
