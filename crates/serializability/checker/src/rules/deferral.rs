//! `defer` among rules: a request that only looks around may as well come later.
//!
//! x is a place, or nothing, and E a set of places of the same request, without x. A transition
//! from E is *idle* if it writes nothing and puts the request into E or x, and an *exit* otherwise.
//! For every exit, with reads R and writes W to o, there is a path: transitions from x into E and
//! on through E, any number or none, that write nothing, and then one that writes W and leads to o;
//! all of them with reads among R. Those on the way are exact; the last one is exact or has the
//! same rule as the exit. Neither x nor the places of E have opaque values.
//!
//! Then the transitions from x into E that write nothing are removed, and every exit is added with
//! x in place of where it comes from. Transitions from places that no path of transitions leads to,
//! from an arrival, are removed, too.
//!
//! *Theorem.* The outcomes stay the same. *Proof.* A valuation at which an exit is possible agrees
//! with R, so the path is possible there: nothing is written on it before its end. So the rule net
//! stands for a net on which the premise of `deferral` holds, and what is removed and added here
//! stands for what is removed and added there. Nobody is ever in a place that no path leads to.
//!
//! The same is true of the full net of `opaque`: the places look like themselves only, and what an
//! exit stands for depends on its rule alone, because it takes its request from E. ∎

use super::{RuleNet, Transition};
use crate::Reason;
use crate::format::Defer;
use crate::meter::Meter;
use crate::names::{Names, Place};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Lets requests wait in x instead of in E.
pub(crate) fn defer(
    net: &mut RuleNet<'_>,
    entry: &Defer,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let request = names.request(&entry.request)?;
    let place = |local: &String| names.place(&entry.request, local);
    let from = entry.from.as_ref().map(place).transpose()?;
    let places: BTreeSet<Place> = entry.places.iter().map(place).collect::<Result<_, _>>()?;
    if let Some(from) = from.filter(|from| places.contains(from)) {
        return Err(Reason::Repeated { what: names.show_place(from) });
    }
    for place in places.iter().chain(&from) {
        if net.system.has_opaque_values(place.local) {
            return Err(Reason::OpaqueValues { place: names.show_place(*place) });
        }
    }
    let is_inside = |t: &Transition| t.put().is_some_and(|p| places.contains(&p));
    let is_look = |t: &Transition| t.writes.is_empty() && is_inside(t);
    let is_exit = |t: &Transition| {
        let back = t.writes.is_empty() && from.is_some() && t.put() == from;
        t.take.is_some_and(|p| places.contains(&p)) && !is_look(t) && !back
    };
    let mut by_take: FxHashMap<Option<Place>, Vec<&Transition>> = FxHashMap::default();
    for t in net.transitions.iter().filter(|t| t.effect.request() == request) {
        by_take.entry(t.take).or_default().push(t);
    }
    let mut exits = Vec::new();
    for exit in net.transitions.iter().filter(|t| is_exit(t)) {
        let mut seen: BTreeSet<Option<Place>> = BTreeSet::from([from]);
        let mut todo = vec![from];
        let mut found = false;
        while let Some(here) = todo.pop() {
            for t in by_take.get(&here).into_iter().flatten() {
                meter.work(1)?;
                if t.reads.iter().any(|(v, value)| exit.reads.get(v) != Some(value)) {
                    continue;
                }
                found |=
                    t.writes == exit.writes && t.effect == exit.effect && t.opaque == exit.opaque;
                if is_look(t) && t.opaque.is_none() && seen.insert(t.put()) {
                    todo.push(t.put());
                }
            }
        }
        if !found {
            let from = from.map_or_else(|| "not arrived".into(), |from| names.show_place(from));
            return Err(Reason::CannotWait { from, transition: names.show_rule(exit) });
        }
        meter.row(4 * exit.reads.len())?;
        exits.push(Transition { take: from, ..exit.clone() });
    }
    net.transitions.retain(|t| !(t.take == from && is_look(t)));
    net.transitions.extend(exits);
    let mut reached: BTreeSet<Option<Place>> = BTreeSet::from([None]);
    loop {
        meter.work(net.transitions.len())?;
        let size = reached.len();
        for t in &net.transitions {
            if t.put().is_some() && reached.contains(&t.take) {
                reached.insert(t.put());
            }
        }
        if reached.len() == size {
            break;
        }
    }
    net.transitions.retain(|t| reached.contains(&t.take));
    Ok(())
}
