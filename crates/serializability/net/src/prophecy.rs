//! Prophecy: what a request in flight will respond is part of where it is.
//!
//! Each place x becomes places (x, r, c): r is a response with which a request there may end, and c
//! says whether it has *committed*. It commits with the first step that does to the global state
//! just what the request would do if it ran alone with this response: the serial automaton has the
//! edge. (These are the prophecy variables of Abadi and Lamport, and the linearization points of
//! Herlihy and Wing.)
//!
//! *Why it is exact.* In a complete run every request ends with a response: put it into the places
//! on its way. Conversely, forget it.
//!
//! A step that looks the same, of requests that end differently, becomes several; what cannot be
//! any more with one of the responses goes away by slicing; and a proof by inclusion may read a
//! response before it is given, but not before it has its effect.

use crate::{Effect, Net, Outcome, Place, PlaceId, SerialAutomaton, Transition};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Stop};
use ser_model::ResponseId;
use std::collections::BTreeSet;

/// What is known of a request in a place because of how it ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Foresight {
    /// Its response.
    pub response: ResponseId,
    /// Whether it has committed to it.
    pub committed: bool,
}

/// More transitions than this are not worth it.
const MOST: usize = 50_000;

/// The net with foresight; none if it has too many transitions.
pub(crate) fn foresee(
    net: &Net,
    automaton: &SerialAutomaton,
    limits: &Limits,
) -> Result<Option<Net>, Stop> {
    let mut pace = limits.pace();
    // The outcomes of each place, from the last steps backwards.
    let mut before: Vec<Vec<PlaceId>> = vec![Vec::new(); net.places.len()];
    let mut outcomes: Vec<BTreeSet<Outcome>> = vec![BTreeSet::new(); net.places.len()];
    let mut open: Vec<(PlaceId, Outcome)> = Vec::new();
    for t in &net.transitions {
        pace.steps(1)?;
        match (t.takes, t.effect) {
            (Some(place), Effect::Respond(outcome)) => open.push((place, outcome)),
            (Some(place), Effect::InFlight(to)) => before[to.index()].push(place),
            (None, _) => {}
        }
    }
    for list in &mut before {
        list.sort_unstable();
        list.dedup();
    }
    while let Some((place, outcome)) = open.pop() {
        if outcomes[place.index()].insert(outcome) {
            pace.steps(1 + before[place.index()].len())?;
            open.extend(before[place.index()].iter().map(|earlier| (*earlier, outcome)));
        }
    }

    let edges: FxHashSet<_> =
        automaton.edges.iter().map(|e| (e.before, e.outcome, e.after)).collect();
    let mut places: Vec<Place> = Vec::new();
    let mut known: FxHashMap<(PlaceId, Foresight), PlaceId> = FxHashMap::default();
    let mut split = |place: PlaceId, foresight: Foresight| {
        *known.entry((place, foresight)).or_insert_with(|| {
            let foresight = Some(foresight);
            places.push(Place { foresight, ..net.places[place.index()].clone() });
            PlaceId((places.len() - 1) as u32)
        })
    };
    let mut transitions = Vec::new();
    for t in &net.transitions {
        let one;
        let ends = match t.effect {
            Effect::InFlight(place) => &outcomes[place.index()],
            Effect::Respond(outcome) => {
                one = BTreeSet::from([outcome]);
                &one
            }
        };
        for outcome in ends {
            let response = outcome.response;
            let fits = edges.contains(&(t.before, *outcome, t.after));
            let ways: &[bool] = if t.takes.is_some() { &[false, true] } else { &[false] };
            for &committed in ways {
                pace.steps(1)?;
                let takes = t.takes.map(|p| split(p, Foresight { response, committed }));
                let effect = match t.effect {
                    Effect::InFlight(p) => {
                        let committed = committed || fits;
                        Effect::InFlight(split(p, Foresight { response, committed }))
                    }
                    respond => respond,
                };
                transitions.push(Transition { takes, effect, ..*t });
            }
        }
        if transitions.len() > MOST {
            return Ok(None);
        }
    }
    transitions.sort_unstable();
    Ok(Some(Net { places, transitions, ..net.clone() }))
}
