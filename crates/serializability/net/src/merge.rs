//! Quotient: places of one request that behave alike become one place.
//!
//! Two places are equivalent if their transitions are the same up to equivalence of the places
//! that they give: the coarsest strong bisimulation, by refining a partition until it is stable.
//! Exact because a run of the one can be imitated step by step by the other, with the same
//! global states and outcomes.

use crate::{Effect, Net, Outcome, Place, PlaceId};
use rustc_hash::FxHashMap;
use ser_base::{Limits, Stop};
use ser_model::GlobalId;

/// What a transition of a place looks like when places are known by their class only.
type Move = (GlobalId, GlobalId, Result<u32, Outcome>);

/// A partition that is not stable after so many rounds is not worth more: long chains of places
/// are split one by one.
const MAX_ROUNDS: usize = 300;

/// Merges equivalent places. Also returns the groups of two or more that became one, each as
/// places of the given net, in ascending order.
pub fn merge_equivalent_places(
    net: &Net,
    limits: &Limits,
) -> Result<(Net, Vec<Vec<PlaceId>>), Stop> {
    let mut pace = limits.pace();
    let count = net.places.len();
    let mut class: Vec<u32> = net.places.iter().map(|p| p.request.0).collect();
    let mut classes = 0;
    for round in 0.. {
        if round == MAX_ROUNDS {
            return Ok((net.clone(), Vec::new()));
        }
        let mut moves: Vec<Vec<Move>> = vec![Vec::new(); count];
        for t in &net.transitions {
            pace.steps(1)?;
            if let Some(p) = t.takes {
                let effect = match t.effect {
                    Effect::InFlight(q) => Ok(class[q.index()]),
                    Effect::Respond(outcome) => Err(outcome),
                };
                moves[p.index()].push((t.before, t.after, effect));
            }
        }
        let mut ids: FxHashMap<(u32, Vec<Move>), u32> = FxHashMap::default();
        let mut refined: Vec<u32> = Vec::with_capacity(count);
        for (mut m, class) in moves.into_iter().zip(&class) {
            pace.steps(1 + m.len())?;
            m.sort_unstable();
            m.dedup();
            let next = ids.len() as u32;
            refined.push(*ids.entry((*class, m)).or_insert(next));
        }
        class = refined;
        if ids.len() == classes {
            break;
        }
        classes = ids.len();
    }

    let mut groups: Vec<Vec<PlaceId>> = vec![Vec::new(); classes];
    for (i, c) in class.iter().enumerate() {
        groups[*c as usize].push(PlaceId(i as u32));
    }
    let places = groups
        .iter()
        .map(|group| {
            let request = net.places[group[0].index()].request;
            let mut members: Vec<_> =
                group.iter().flat_map(|p| net.places[p.index()].members.iter().copied()).collect();
            // The representative of the first place stays in front.
            members[1..].sort_unstable();
            Place { request, members, foresight: None }
        })
        .collect();
    let merged = net.rename(places, |p| PlaceId(class[p.index()]));
    groups.retain(|group| group.len() > 1);
    Ok((merged, groups))
}
