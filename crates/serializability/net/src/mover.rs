//! Mover elimination: a yield point that makes no difference goes away.
//!
//! After Lipton's reduction, and its use in canonical sequentialization. A place l is eliminated if
//! every step into it can be moved right, past whatever other requests do next, until its own
//! request goes on; or if every step out of it can be moved left to the step into it. Then the
//! steps into l and out of l may as well happen at once, and are replaced by their compositions.
//!
//! *Right.* For every producer t = (g, x -> g', l) and every transition u = (g', v -> g'', w) of
//! another request: there is an h with (g, v -> h, w) and (h, x -> g'', l) in the net. Not needed
//! if a request in l can never complete once the global state is g'', and, in the sharp form, if
//! x and v are never occupied together at g.
//!
//! *Left.* For every consumer w = (g', l -> g'', o) and every u = (g, v -> g', y) of another
//! request: there is an h with (g, l -> h, o) and (h, v -> g'', y). In the sharp form not needed if
//! l and v are never occupied together at g.
//!
//! In both cases no transition leads from l to l.
//!
//! *Why it is exact.* In a complete run take the rightmost producer of l that is not directly
//! followed by its own request's next transition, and swap it with what follows: the marking and
//! the outcome after the two are the same. Passing a pair that is already adjacent takes two
//! exchanges and leaves it adjacent. So the number of adjacent pairs grows until all are adjacent.
//! Left is the mirror image.
//!
//! Each elimination explains a `yield`: it is harmless, because the step before it (or after it)
//! commutes with everything that can come between.

use crate::may_happen_in_parallel::MayHappenInParallel;
use crate::slice::CoReachable;
use crate::{Effect, Net, PlaceId, Transition};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Pace, Stop};
use ser_model::GlobalId;

/// In which direction steps are moved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Steps into the place move right.
    Right,
    /// Steps out of the place move left.
    Left,
}

/// An elimination that was carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The place, as a place of the net before.
    pub place: PlaceId,
    /// The direction.
    pub side: Side,
    /// Whether it takes the sharp form.
    pub sharp: bool,
}

/// Compositions may not grow the net beyond this factor.
const MAX_GROWTH: usize = 4;

/// Eliminates one place, if there is one: plain before sharp, right before left, in the order of
/// the places.
pub fn eliminate_mover(
    net: &Net,
    sharp: bool,
    limits: &Limits,
) -> Result<Option<(Net, Moved)>, Stop> {
    let mut pace = limits.pace();
    let tables = Tables::new(net, &mut pace)?;
    let co_reachable = CoReachable::new(net, limits)?;
    let plain = tables.first(net, &co_reachable, None, &mut pace)?;
    if plain.is_some() || !sharp {
        return Ok(plain);
    }
    match MayHappenInParallel::new(net, limits)? {
        Some(parallel) => tables.first(net, &co_reachable, Some(&parallel), &mut pace),
        None => Ok(None),
    }
}

/// The transitions of a net, found by what they do.
struct Tables {
    all: FxHashSet<Transition>,
    /// By (before, takes, effect): where they lead.
    targets: FxHashMap<(GlobalId, Option<PlaceId>, Effect), Vec<GlobalId>>,
    from: Vec<Vec<Transition>>,
    into: Vec<Vec<Transition>>,
    producers: Vec<Vec<Transition>>,
    consumers: Vec<Vec<Transition>>,
}

impl Tables {
    fn new(net: &Net, pace: &mut Pace<'_>) -> Result<Tables, Stop> {
        let mut tables = Tables {
            all: FxHashSet::default(),
            targets: FxHashMap::default(),
            from: vec![Vec::new(); net.global_count],
            into: vec![Vec::new(); net.global_count],
            producers: vec![Vec::new(); net.places.len()],
            consumers: vec![Vec::new(); net.places.len()],
        };
        for t in &net.transitions {
            pace.steps(8)?;
            tables.all.insert(*t);
            tables.targets.entry((t.before, t.takes, t.effect)).or_default().push(t.after);
            tables.from[t.before.index()].push(*t);
            tables.into[t.after.index()].push(*t);
            if let Some(p) = t.takes {
                tables.consumers[p.index()].push(*t);
            }
            if let Some(p) = t.gives() {
                tables.producers[p.index()].push(*t);
            }
        }
        Ok(tables)
    }

    /// The first place that can be eliminated, eliminated.
    fn first(
        &self,
        net: &Net,
        co_reachable: &CoReachable,
        parallel: Option<&MayHappenInParallel>,
        pace: &mut Pace<'_>,
    ) -> Result<Option<(Net, Moved)>, Stop> {
        for place in (0..net.places.len() as u32).map(PlaceId) {
            for side in [Side::Right, Side::Left] {
                if self.is_mover(place, side, co_reachable, parallel, pace)? {
                    if let Some(smaller) = compose(net, self, place, pace)? {
                        let moved = Moved { place, side, sharp: parallel.is_some() };
                        return Ok(Some((smaller, moved)));
                    }
                    break;
                }
            }
        }
        Ok(None)
    }

    /// Whether `first` followed by `second`, moves of two requests, can be replaced by `second`
    /// followed by `first`.
    fn commutes(&self, first: &Transition, second: &Transition) -> bool {
        let key = (first.before, second.takes, second.effect);
        self.targets.get(&key).into_iter().flatten().any(|h| {
            let late = Transition { before: *h, after: second.after, ..*first };
            self.all.contains(&late)
        })
    }

    fn is_mover(
        &self,
        place: PlaceId,
        side: Side,
        co_reachable: &CoReachable,
        parallel: Option<&MayHappenInParallel>,
        pace: &mut Pace<'_>,
    ) -> Result<bool, Stop> {
        let (producers, consumers) =
            (&self.producers[place.index()], &self.consumers[place.index()]);
        if producers.is_empty() || producers.iter().any(|t| t.takes == Some(place)) {
            return Ok(false);
        }
        // Whether requests in `x` and `v` may be in flight together at `g`.
        let possible = |g: GlobalId, x: Option<PlaceId>, v: Option<PlaceId>| match parallel {
            None => true,
            Some(sets) => match (x, v) {
                (Some(x), Some(v)) => sets.pair(g.index(), x.index(), v.index()),
                (Some(p), None) | (None, Some(p)) => sets.single(g.index(), p.index()),
                (None, None) => sets.reached(g.index()),
            },
        };
        match side {
            Side::Right => {
                for t in producers {
                    let others = &self.from[t.after.index()];
                    let harmless = |u: &Transition| {
                        !co_reachable.contains(u.after, place)
                            || !possible(t.before, t.takes, u.takes)
                            || self.commutes(t, u)
                    };
                    pace.steps(others.len())?;
                    if !others.iter().all(harmless) {
                        return Ok(false);
                    }
                }
            }
            Side::Left => {
                for w in consumers {
                    let others = &self.into[w.before.index()];
                    let harmless = |u: &Transition| {
                        !possible(u.before, Some(place), u.takes) || self.commutes(u, w)
                    };
                    pace.steps(others.len())?;
                    if !others.iter().all(harmless) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}

/// Replaces the steps into and out of a place by their compositions.
fn compose(
    net: &Net,
    tables: &Tables,
    place: PlaceId,
    pace: &mut Pace<'_>,
) -> Result<Option<Net>, Stop> {
    let mut transitions: Vec<Transition> = net
        .transitions
        .iter()
        .filter(|t| t.takes != Some(place) && t.gives() != Some(place))
        .copied()
        .collect();
    let most = MAX_GROWTH * net.transitions.len() + 1000;
    // Transitions are sorted by the global state before, and so are consumers.
    let consumers = &tables.consumers[place.index()];
    for t in &tables.producers[place.index()] {
        pace.steps(16)?;
        let first = consumers.partition_point(|w| w.before < t.after);
        for w in consumers[first..].iter().take_while(|w| w.before == t.after) {
            transitions.push(Transition { before: t.before, takes: t.takes, ..*w });
        }
        if transitions.len() > most {
            return Ok(None);
        }
    }
    transitions.sort_unstable();
    transitions.dedup();
    Ok(Some(Net { transitions, ..net.clone() }))
}
