//! Deferral among rules: a request that only looks around may as well come later.
//!
//! As in [`defer`](crate::defer), with what is read and written in place of global states. A step
//! of a place in E that writes nothing and leads into E or to x is idle, all others are exits. For
//! every exit there is a path from x through E, whose steps read no more than the exit and write
//! nothing, up to the last one, which writes what the exit writes and leads where it leads. So
//! wherever the exit is possible the path is. Steps that touch opaque values are no part of a path,
//! except in the end, if the exit comes from the same rule; and requests in x and E have none.

use super::{RuleNet, RuleTransition};
use crate::{Deferred, Effect, PlaceId};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Pace, Stop};
use ser_model::RequestId;
use std::collections::BTreeSet;

/// Carries out one deferral, if there is one: arrivals first, then the places in their order.
pub(super) fn defer(net: &RuleNet, limits: &Limits) -> Result<Option<(RuleNet, Deferred)>, Stop> {
    let mut pace = limits.pace();
    let mut taking: FxHashMap<At, Vec<&RuleTransition>> = FxHashMap::default();
    for t in &net.transitions {
        pace.steps(1)?;
        let request = match (t.takes, t.effect) {
            (Some(p), _) | (None, Effect::InFlight(p)) => net.places[p.index()].0,
            (None, Effect::Respond(outcome)) => outcome.request,
        };
        taking.entry((request, t.takes)).or_default().push(t);
    }
    let tables = Tables { taking, opaque_places: &net.opaque_places };
    let requests: BTreeSet<RequestId> = net.places.iter().map(|(request, _)| *request).collect();
    let arrivals = requests.into_iter().map(|request| (request, None));
    let places = (0..net.places.len() as u32).map(PlaceId);
    let places = places.map(|place| (net.places[place.index()].0, Some(place)));
    for (request, from) in arrivals.chain(places) {
        let places = tables.greatest((request, from), &mut pace)?;
        if places.is_empty() {
            continue;
        }
        let deferred = Deferred { request, from, places };
        let smaller = RuleNet { transitions: tables.without(net, &deferred), ..net.clone() };
        pace.steps(net.transitions.len())?;
        if size(&smaller) < size(net) {
            return Ok(Some((smaller, deferred)));
        }
    }
    Ok(None)
}

/// What becomes less with each deferral, so that there is a last one: places that requests get to,
/// and steps between places that only look.
fn size(net: &RuleNet) -> (usize, usize) {
    let looks = |t: &&RuleTransition| t.footprint.writes.is_empty() && t.gives().is_some();
    let places: FxHashSet<PlaceId> =
        net.transitions.iter().filter_map(RuleTransition::gives).collect();
    (places.len(), net.transitions.iter().filter(looks).count())
}

/// Where a request is: in a place, or not yet there.
type At = (RequestId, Option<PlaceId>);

/// Transitions by where the request is.
struct Tables<'a> {
    taking: FxHashMap<At, Vec<&'a RuleTransition>>,
    opaque_places: &'a [bool],
}

impl<'a> Tables<'a> {
    fn of(&self, at: At) -> &[&'a RuleTransition] {
        self.taking.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The greatest set that can be deferred to `from`; it is empty if there is none.
    fn greatest(&self, from: At, pace: &mut Pace<'_>) -> Result<BTreeSet<PlaceId>, Stop> {
        let mut places: BTreeSet<PlaceId> = BTreeSet::new();
        let is_opaque = |p: PlaceId| self.opaque_places[p.index()];
        if from.1.is_some_and(is_opaque) {
            return Ok(places);
        }
        let mut todo = vec![from.1];
        while let Some(at) = todo.pop() {
            let all = self.of((from.0, at));
            pace.steps(all.len())?;
            for p in all.iter().filter(|t| t.footprint.writes.is_empty()).filter_map(|t| t.gives())
            {
                if Some(p) != from.1 && !is_opaque(p) && places.insert(p) {
                    todo.push(Some(p));
                }
            }
        }
        loop {
            if !self.of(from).iter().any(|t| enters(t, &places)) {
                return Ok(BTreeSet::new());
            }
            let mut left: BTreeSet<PlaceId> = BTreeSet::new();
            for place in &places {
                let exits = self.of((from.0, Some(*place))).iter();
                for exit in exits.filter(|t| is_exit(t, from.1, &places)) {
                    if !self.has_path(from, &places, exit, pace)? {
                        left.insert(*place);
                        break;
                    }
                }
            }
            if left.is_empty() {
                return Ok(places);
            }
            places.retain(|p| !left.contains(p));
        }
    }

    /// Whether a request in `from` can do what the exit does, wherever the exit is possible.
    fn has_path(
        &self,
        from: At,
        places: &BTreeSet<PlaceId>,
        exit: &RuleTransition,
        pace: &mut Pace<'_>,
    ) -> Result<bool, Stop> {
        let mut seen = FxHashSet::default();
        let mut todo = vec![from.1];
        while let Some(at) = todo.pop() {
            let here = self.of((from.0, at));
            pace.steps(1 + here.len())?;
            for t in here {
                let (reads, known) = (&t.footprint.reads, &exit.footprint.reads);
                if !reads.iter().all(|read| known.contains(read)) {
                    continue;
                }
                if t.effect == exit.effect
                    && t.footprint.writes == exit.footprint.writes
                    && t.opaque == exit.opaque
                {
                    return Ok(true);
                }
                let on_the_way = t.opaque.is_none() && enters(t, places);
                if let Some(p) = t.gives().filter(|_| on_the_way).filter(|p| seen.insert(*p)) {
                    todo.push(Some(p));
                }
            }
        }
        Ok(false)
    }

    /// The transitions after a deferral.
    fn without(&self, net: &RuleNet, deferred: &Deferred) -> Vec<RuleTransition> {
        let Deferred { request, from, places } = deferred;
        let mut transitions = net.transitions.clone();
        transitions.retain(|t| t.takes != *from || !enters(t, places));
        for place in places {
            let exits = self.of((*request, Some(*place))).iter();
            let exits = exits.filter(|t| is_exit(t, *from, places));
            transitions.extend(exits.map(|t| RuleTransition { takes: *from, ..(*t).clone() }));
        }
        transitions.sort_unstable();
        transitions.dedup();
        // Where nobody gets to any more, nothing happens.
        let mut next: FxHashMap<Option<PlaceId>, Vec<PlaceId>> = FxHashMap::default();
        for t in &transitions {
            next.entry(t.takes).or_default().extend(t.gives());
        }
        let mut reached: FxHashSet<Option<PlaceId>> = FxHashSet::from_iter([None]);
        let mut todo = vec![None];
        while let Some(here) = todo.pop() {
            let new = next.get(&here).into_iter().flatten().map(|p| Some(*p));
            todo.extend(new.filter(|p| reached.insert(*p)));
        }
        transitions.retain(|t| reached.contains(&t.takes));
        transitions
    }
}

/// Whether a transition leads into the places and writes nothing.
fn enters(t: &RuleTransition, places: &BTreeSet<PlaceId>) -> bool {
    t.footprint.writes.is_empty() && t.gives().is_some_and(|p| places.contains(&p))
}

/// Whether a transition of one of the places writes something, or leads away from them and from
/// where they come from.
fn is_exit(t: &RuleTransition, from: Option<PlaceId>, places: &BTreeSet<PlaceId>) -> bool {
    let stays = t.gives().is_some_and(|p| Some(p) == from || places.contains(&p));
    !t.footprint.writes.is_empty() || !stays
}
