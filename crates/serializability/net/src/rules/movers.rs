//! Which transitions move right, and which move left.
//!
//! A transition moves right if, whenever a transition of another request follows it, the two may as
//! well happen in the other order; and left, if that holds for whatever comes before it. Two
//! transitions of different requests that share no variable that either of them writes commute. For
//! the others, take what is known of the valuation when one follows the other: what the first
//! reads, and what the second reads and the first did not write. If [`Facts`] rule that out,
//! nothing needs to be shown. Otherwise there must be transitions between the same places that
//! lead, in the other order, from there to the same valuation; where they read variables that are
//! not known yet, all values are tried. Where one writes an opaque variable that the other touches,
//! nothing is known of them; and nothing but itself does what a transition with opaque values does.

use super::{Facts, RuleNet, RuleTransition, value_of};
use crate::{Effect, PlaceId};
use rustc_hash::FxHashMap;
use ser_base::{Limits, Pace, Stop};
use ser_model::VariableId;

/// How many variables may be tried out in one swap.
const MAX_SPLITS: usize = 4;

/// What is known of a valuation.
type Known = Vec<(VariableId, i64)>;

/// A net with its transitions found by what they touch.
pub(super) struct Movers<'a> {
    net: &'a RuleNet,
    facts: &'a Facts,
    readers: Vec<Vec<usize>>,
    writers: Vec<Vec<usize>>,
    between: FxHashMap<(Option<PlaceId>, Effect), Group>,
}

/// Transitions between the same places, by the value of a variable that all of them read.
#[derive(Default)]
struct Group {
    all: Vec<usize>,
    key: Option<VariableId>,
    by_value: FxHashMap<i64, Vec<usize>>,
}

impl Group {
    /// Chooses the variable that tells the members apart best.
    fn index(&mut self, transitions: &[RuleTransition], pace: &mut Pace<'_>) -> Result<(), Stop> {
        let reads = |i: usize| &transitions[i].footprint.reads;
        let Some(first) = self.all.first() else { return Ok(()) };
        let size: usize = self.all.iter().map(|i| 1 + reads(*i).len()).sum();
        let mut shared = Vec::new();
        for (v, _) in reads(*first) {
            pace.steps(2 * size)?;
            if self.all.iter().all(|i| value_of(reads(*i), *v).is_some()) {
                shared.push(*v);
            }
        }
        let by_value = |v: VariableId| {
            let mut lists: FxHashMap<i64, Vec<usize>> = FxHashMap::default();
            for i in &self.all {
                lists.entry(value_of(reads(*i), v).unwrap_or(0)).or_default().push(*i);
            }
            lists
        };
        let best =
            shared.into_iter().map(|v| (v, by_value(v))).max_by_key(|(_, lists)| lists.len());
        if let Some((key, lists)) = best {
            self.key = Some(key);
            self.by_value = lists;
        }
        Ok(())
    }

    /// The members that may agree with what is known.
    fn fitting(&self, known: &Known) -> &[usize] {
        match self.key.and_then(|key| value_of(known, key)) {
            Some(value) => self.by_value.get(&value).map_or(&[], Vec::as_slice),
            None => &self.all,
        }
    }
}

impl<'a> Movers<'a> {
    pub fn new(net: &'a RuleNet, facts: &'a Facts, limits: &Limits) -> Result<Movers<'a>, Stop> {
        let mut movers = Movers {
            net,
            facts,
            readers: vec![Vec::new(); net.initial.len()],
            writers: vec![Vec::new(); net.initial.len()],
            between: FxHashMap::default(),
        };
        for (i, t) in net.transitions.iter().enumerate() {
            for (v, _) in &t.footprint.reads {
                movers.readers[v.index()].push(i);
            }
            for (v, _) in &t.footprint.writes {
                movers.writers[v.index()].push(i);
            }
            movers.between.entry((t.takes, t.effect)).or_default().all.push(i);
        }
        let mut pace = limits.pace();
        for group in movers.between.values_mut() {
            group.index(&net.transitions, &mut pace)?;
        }
        Ok(movers)
    }

    /// Whether a transition moves right.
    pub fn right(&self, t: &RuleTransition, pace: &mut Pace<'_>) -> Result<bool, Stop> {
        all(self.rivals(t), |u| self.commutes(t, &self.net.transitions[u], pace))
    }

    /// Whether a transition moves left.
    pub fn left(&self, t: &RuleTransition, pace: &mut Pace<'_>) -> Result<bool, Stop> {
        all(self.rivals(t), |u| self.commutes(&self.net.transitions[u], t, pace))
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
    fn commutes(
        &self,
        first: &RuleTransition,
        second: &RuleTransition,
        pace: &mut Pace<'_>,
    ) -> Result<bool, Stop> {
        pace.steps(1 + second.footprint.reads.len() * (1 + first.footprint.reads.len()))?;
        let places = [first.takes, second.takes];
        if !self.facts.may_meet(first.takes, second.takes)
            || first.gives().is_some_and(|y| !self.facts.may_meet(Some(y), second.takes))
        {
            return Ok(true);
        }
        let mut known: Known = first.footprint.reads.clone();
        for &(variable, value) in &second.footprint.reads {
            match value_of(&first.footprint.writes, variable)
                .or_else(|| value_of(&first.footprint.reads, variable))
            {
                Some(left) if left != value => return Ok(true),
                Some(_) => {}
                None => known.push((variable, value)),
            }
        }
        // Before, in between, and after: is that possible, for those who are there?
        let middle = updated(&known, &first.footprint.writes);
        let after = updated(&middle, &second.footprint.writes);
        let possible = self.facts.agree(&known, places)
            && self.facts.agree(&middle, [first.gives(), second.takes])
            && self.facts.agree(&after, [first.gives(), second.gives()]);
        if !possible {
            return Ok(true);
        }
        if self.share_opaque(first, second) || self.share_opaque(second, first) {
            return Ok(false);
        }
        self.commute_when(first, second, &known, MAX_SPLITS, pace)
    }

    /// Whether the first writes an opaque variable that the second touches.
    fn share_opaque(&self, first: &RuleTransition, second: &RuleTransition) -> bool {
        let (reads, writes) = (&second.footprint.reads, &second.footprint.writes);
        first.footprint.writes.iter().any(|(v, _)| {
            self.net.opaque_variables[v.index()]
                && reads.iter().chain(writes).any(|(other, _)| other == v)
        })
    }

    fn commute_when(
        &self,
        first: &RuleTransition,
        second: &RuleTransition,
        known: &Known,
        splits: usize,
        pace: &mut Pace<'_>,
    ) -> Result<bool, Stop> {
        let mut wanted: Option<VariableId> = None;
        let goal = |v: VariableId| {
            value_of(&second.footprint.writes, v)
                .or_else(|| value_of(&first.footprint.writes, v))
                .or_else(|| value_of(known, v))
        };
        for u in self.alike(second, known) {
            pace.steps(1 + u.footprint.reads.len() * known.len())?;
            let Some(missing) = misses(&u.footprint.reads, known) else { continue };
            if let Some(variable) = missing {
                wanted = wanted.or(Some(variable));
                continue;
            }
            let middle = updated(known, &u.footprint.writes);
            for t in self.alike(first, &middle) {
                pace.steps(1 + t.footprint.reads.len() * middle.len())?;
                let Some(missing) = misses(&t.footprint.reads, &middle) else { continue };
                if let Some(variable) = missing {
                    wanted = wanted.or(Some(variable));
                    continue;
                }
                let after = updated(&middle, &t.footprint.writes);
                // Every variable that somebody writes, in either order, must have the same value.
                let mut open = None;
                let same = [first, second, u, t].into_iter().all(|t| {
                    t.footprint.writes.iter().all(|(v, _)| {
                        let (found, goal) = (value_of(&after, *v), goal(*v));
                        if found.is_none() || goal.is_none() {
                            open = open.or(Some(*v));
                        }
                        found == goal && found.is_some()
                    })
                });
                if same {
                    return Ok(true);
                }
                wanted = wanted.or(open);
            }
        }
        let Some(variable) = wanted.filter(|v| value_of(known, *v).is_none()) else {
            return Ok(false);
        };
        let Some(splits) = splits.checked_sub(1) else { return Ok(false) };
        all(self.facts.choices(variable, [first.takes, second.takes]), |value| {
            let mut known = known.clone();
            known.push((variable, value));
            self.commute_when(first, second, &known, splits, pace)
        })
    }

    /// The transitions between the same places that may agree with what is known, and that may
    /// take the place of this one.
    fn alike<'b>(
        &'b self,
        t: &'b RuleTransition,
        known: &Known,
    ) -> impl Iterator<Item = &'a RuleTransition> + use<'a, 'b> {
        let group = self.between.get(&(t.takes, t.effect));
        let list = group.map_or(&[][..], |group| group.fitting(known));
        let all = list.iter().map(|i| &self.net.transitions[*i]);
        all.filter(move |other| *other == t || t.opaque.is_none() && other.opaque.is_none())
    }
}

/// Whether something holds for all of them.
fn all<T>(
    list: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool, Stop>,
) -> Result<bool, Stop> {
    for item in list {
        if !holds(item)? {
            return Ok(false);
        }
    }
    Ok(true)
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
