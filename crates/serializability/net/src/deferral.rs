//! Deferral: a request that only looks around may as well come later.
//!
//! Let x be a place, or "not arrived", and E a set of places of the same request without x. A
//! transition of a place in E is *idle* if it leaves the global state alone and leads into E or to
//! x; all others are *exits*. Suppose that for every exit (g, e -> g', o) a request in x can do the
//! same at g: in one step, or by transitions that leave the global state at g and lead from x into
//! E and on through E, and a last one from there. Then the transitions from x into E that leave the
//! global state alone are replaced by the exits, taken from x: (g, x -> g', o).
//!
//! *Why it is exact.* In a complete run take a request that gets from x into E like this, and what
//! it does until its first exit, or until it is back in x. None of this has an effect, so leave it
//! out: the request stays in x meanwhile, nobody sees the difference, and at the exit it takes the
//! new transition. Conversely each new transition is several of the old ones in a row.
//!
//! Compare and swap, version numbers, check-yield-check and optimistic retry go away like this,
//! whatever the number of values. With E a single place and exits that x has, too, this is the
//! removal of stuttering steps.

use crate::{Effect, Net, PlaceId, Transition};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Pace, Stop};
use ser_model::{GlobalId, RequestId};
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

/// A deferral that was carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deferred {
    pub request: RequestId,
    /// Where requests wait instead; nothing if they arrive later.
    pub from: Option<PlaceId>,
    /// The places, as places of the net before.
    pub places: BTreeSet<PlaceId>,
}

/// Carries out one deferral, if there is one: arrivals first, then the places in their order.
pub fn defer(net: &Net, limits: &Limits) -> Result<Option<(Net, Deferred)>, Stop> {
    let mut pace = limits.pace();
    let tables = Tables::new(net, &mut pace)?;
    let requests: BTreeSet<RequestId> = net.places.iter().map(|p| p.request).collect();
    let arrivals = requests.into_iter().map(|request| (request, None));
    let places = (0..net.places.len() as u32).map(PlaceId);
    let places = places.map(|place| (net.places[place.index()].request, Some(place)));
    for (request, from) in arrivals.chain(places) {
        let places = tables.greatest((request, from), &mut pace)?;
        if places.is_empty() {
            continue;
        }
        let deferred = Deferred { request, from, places };
        let smaller = tables.without(net, &deferred);
        pace.steps(net.transitions.len())?;
        if size(&smaller) < size(net) {
            return Ok(Some((smaller, deferred)));
        }
    }
    Ok(None)
}

/// What becomes less with each deferral, so that there is a last one: places that requests get
/// to, and steps between places that only look.
fn size(net: &Net) -> (usize, usize) {
    let looks = net.transitions.iter().filter(|t| t.before == t.after && t.gives().is_some());
    let places: FxHashSet<PlaceId> = net.transitions.iter().filter_map(Transition::gives).collect();
    (places.len(), looks.count())
}

/// Where a request is: in a place, or not yet there.
type At = (RequestId, Option<PlaceId>);

/// Transitions by where the request is, in the order of the global state before.
struct Tables {
    taking: FxHashMap<At, Vec<Transition>>,
}

impl Tables {
    fn new(net: &Net, pace: &mut Pace<'_>) -> Result<Tables, Stop> {
        let mut taking: FxHashMap<At, Vec<Transition>> = FxHashMap::default();
        for t in &net.transitions {
            pace.steps(1)?;
            let request = match (t.takes, t.effect) {
                (Some(p), _) | (None, Effect::InFlight(p)) => net.places[p.index()].request,
                (None, Effect::Respond(outcome)) => outcome.request,
            };
            taking.entry((request, t.takes)).or_default().push(*t);
        }
        Ok(Tables { taking })
    }

    fn of(&self, at: At) -> &[Transition] {
        self.taking.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The transitions at a global state.
    fn at(&self, at: At, global: GlobalId) -> &[Transition] {
        let all = self.of(at);
        let start = all.partition_point(|t| t.before < global);
        let count = all[start..].partition_point(|t| t.before == global);
        &all[start..start + count]
    }

    /// The greatest set that can be deferred to `from`; it is empty if there is none.
    ///
    /// A place whose exit has no counterpart stays without one when there are fewer places, so it
    /// is in none of the sets that are looked for.
    fn greatest(&self, from: At, pace: &mut Pace<'_>) -> Result<BTreeSet<PlaceId>, Stop> {
        let mut places: BTreeSet<PlaceId> = BTreeSet::new();
        let mut todo = vec![from.1];
        while let Some(at) = todo.pop() {
            let all = self.of((from.0, at));
            pace.steps(all.len())?;
            for p in all.iter().filter(|t| t.before == t.after).filter_map(Transition::gives) {
                if Some(p) != from.1 && places.insert(p) {
                    todo.push(Some(p));
                }
            }
        }
        let enters = |t: &Transition, places: &BTreeSet<PlaceId>| {
            t.before == t.after && t.gives().is_some_and(|p| places.contains(&p))
        };
        loop {
            if !self.of(from).iter().any(|t| enters(t, &places)) {
                return Ok(BTreeSet::new());
            }
            let mut reached: FxHashMap<GlobalId, FxHashSet<(GlobalId, Effect)>> =
                FxHashMap::default();
            let mut left: BTreeSet<PlaceId> = BTreeSet::new();
            for place in &places {
                let all = self.of((from.0, Some(*place)));
                pace.steps(all.len())?;
                for t in all.iter().filter(|t| is_exit(t, from.1, &places)) {
                    let here = match reached.entry(t.before) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(new) => {
                            new.insert(self.reached(from, &places, t.before, pace)?)
                        }
                    };
                    if !here.contains(&(t.after, t.effect)) {
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

    /// What a request in `from` can do at a global state, through the places.
    fn reached(
        &self,
        from: At,
        places: &BTreeSet<PlaceId>,
        global: GlobalId,
        pace: &mut Pace<'_>,
    ) -> Result<FxHashSet<(GlobalId, Effect)>, Stop> {
        let mut all = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut todo = vec![from.1];
        while let Some(at) = todo.pop() {
            let here = self.at((from.0, at), global);
            pace.steps(here.len())?;
            for t in here {
                all.insert((t.after, t.effect));
                let next = t.gives().filter(|p| t.after == global && places.contains(p));
                todo.extend(next.filter(|p| seen.insert(*p)).map(Some));
            }
        }
        Ok(all)
    }

    /// The net after a deferral.
    fn without(&self, net: &Net, deferred: &Deferred) -> Net {
        let Deferred { request, from, places } = deferred;
        let is_entry = |t: &Transition| {
            t.takes == *from
                && t.before == t.after
                && t.gives().is_some_and(|p| places.contains(&p))
        };
        let mut transitions = net.transitions.clone();
        transitions.retain(|t| !is_entry(t));
        for place in places {
            let exits = self.of((*request, Some(*place))).iter();
            let exits = exits.filter(|t| is_exit(t, *from, places));
            transitions.extend(exits.map(|t| Transition { takes: *from, ..*t }));
        }
        transitions.sort_unstable();
        transitions.dedup();
        Net { transitions, ..net.clone() }
    }
}

/// Whether a transition of one of the places has an effect, or leads away from them and from
/// where they come from.
fn is_exit(t: &Transition, from: Option<PlaceId>, places: &BTreeSet<PlaceId>) -> bool {
    let stays = t.gives().is_some_and(|p| Some(p) == from || places.contains(&p));
    t.before != t.after || !stays
}
