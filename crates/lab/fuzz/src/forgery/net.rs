//! The normal form and its reductions, once more: from the definitions, with ordered sets, and
//! without any side condition.
//!
//! A certificate claims that each of its reductions keeps the outcomes. The checker believes that
//! after it has looked at the conditions of its theorems. Here a reduction is just carried out as
//! listed, and whether the outcomes of few requests are still the same is found out by trying (see
//! `claims`).

use super::runs::Serial;
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId};
use ser_serializability_checker::{Defer, Move, PlaceName, Reduction};
use std::collections::{BTreeMap, BTreeSet};

/// A request in flight: its label, where it is, and after a prophecy how it will respond and
/// whether it has committed to that.
pub(super) type Place = (RequestId, LocalId, Option<(ResponseId, bool)>);

/// A request with its response.
pub(super) type Letter = (RequestId, ResponseId);

/// What becomes of the request that a transition moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Effect {
    /// It is in flight.
    Place(Place),
    /// It has responded.
    Letter(Letter),
}

/// `before + take -> after + effect`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Transition {
    pub(super) before: GlobalId,
    pub(super) take: Option<Place>,
    pub(super) after: GlobalId,
    pub(super) effect: Effect,
}

impl Transition {
    pub(super) fn put(&self) -> Option<Place> {
        match self.effect {
            Effect::Place(place) => Some(place),
            Effect::Letter(_) => None,
        }
    }
}

/// A set of transitions, and where it all begins.
#[derive(Clone, Debug)]
pub(super) struct Net {
    pub(super) initial: GlobalId,
    pub(super) transitions: BTreeSet<Transition>,
}

impl Net {
    /// Requests arrive with their first step, and respond with their last one.
    pub(super) fn of(system: &NetworkSystem) -> Net {
        let mut transitions = BTreeSet::new();
        let mut seen: BTreeSet<(Option<Place>, Place)> = BTreeSet::new();
        let mut open: Vec<(Option<Place>, Place)> = Vec::new();
        for spawn in system.spawns() {
            open.push((None, (spawn.0, spawn.1, None)));
            for response in system.replies_of(spawn.1) {
                for g in system.globals() {
                    let effect = Effect::Letter((spawn.0, response));
                    transitions.insert(Transition { before: g, take: None, after: g, effect });
                }
            }
        }
        while let Some((take, (request, local, _))) = open.pop() {
            if !seen.insert((take, (request, local, None))) {
                continue;
            }
            for step in system.steps().iter().filter(|s| s.from == local) {
                let mut effects: Vec<Effect> =
                    system.replies_of(step.to).map(|r| Effect::Letter((request, r))).collect();
                if system.steps().iter().any(|s| s.from == step.to) {
                    let place = (request, step.to, None);
                    effects.push(Effect::Place(place));
                    open.push((Some(place), place));
                }
                let (before, after) = (step.before, step.after);
                let moves = effects.into_iter();
                transitions.extend(moves.map(|effect| Transition { before, take, after, effect }));
            }
        }
        Net { initial: system.initial_global(), transitions }
    }

    /// The net after the reductions of a certificate; none if one names what does not exist.
    pub(super) fn reduced(&self, reductions: &[Reduction], system: &NetworkSystem) -> Option<Net> {
        let mut net = self.clone();
        for reduction in reductions {
            net = match reduction {
                // The system is another one already.
                Reduction::Alike(_) => net,
                Reduction::Slice => net.sliced(),
                Reduction::Stuttering => net.without_stuttering(),
                Reduction::Merge(groups) => net.merged(groups, system)?,
                Reduction::Exclude => net.excluded(),
                Reduction::Prophecy => net.foreseen(&Serial::of(system)),
                Reduction::Move(entry) => net.moved(entry, system)?,
                Reduction::Defer(entry) => net.deferred(entry, system)?,
            };
        }
        Some(net)
    }

    fn keep(&self, wanted: impl Fn(&Transition) -> bool) -> Net {
        let transitions = self.transitions.iter().filter(|t| wanted(t)).copied().collect();
        Net { initial: self.initial, transitions }
    }

    /// Without what can neither happen nor complete, as far as pairs of a global state and a place
    /// can tell.
    fn sliced(&self) -> Net {
        let mut now = self.clone();
        loop {
            let size = now.transitions.len();
            now = now.forward().backward();
            if now.transitions.len() == size {
                return now;
            }
        }
    }

    fn forward(&self) -> Net {
        let mut controls = BTreeSet::from([self.initial]);
        let mut pairs: BTreeSet<(GlobalId, Place)> = BTreeSet::new();
        loop {
            let size = (controls.len(), pairs.len());
            for t in &self.transitions {
                if controls.contains(&t.before)
                    && t.take.is_none_or(|p| pairs.contains(&(t.before, p)))
                {
                    controls.insert(t.after);
                    let here: Vec<Place> =
                        pairs.iter().filter(|(g, _)| *g == t.before).map(|(_, p)| *p).collect();
                    pairs.extend(here.into_iter().chain(t.put()).map(|p| (t.after, p)));
                }
            }
            if size == (controls.len(), pairs.len()) {
                break;
            }
        }
        self.keep(|t| {
            controls.contains(&t.before) && t.take.is_none_or(|p| pairs.contains(&(t.before, p)))
        })
    }

    fn backward(&self) -> Net {
        let mut co_reachable: BTreeSet<(GlobalId, Place)> = BTreeSet::new();
        loop {
            let size = co_reachable.len();
            for t in &self.transitions {
                let completes = t.put().is_none_or(|p| co_reachable.contains(&(t.after, p)));
                let mut new: Vec<Place> =
                    co_reachable.iter().filter(|(g, _)| *g == t.after).map(|(_, p)| *p).collect();
                new.extend(t.take.filter(|_| completes));
                co_reachable.extend(new.into_iter().map(|p| (t.before, p)));
            }
            if co_reachable.len() == size {
                break;
            }
        }
        self.keep(|t| t.put().is_none_or(|p| co_reachable.contains(&(t.after, p))))
    }

    /// Without those who come to a place from which nothing leads to a response.
    pub(super) fn without_dead_ends(&self) -> Net {
        let mut co_reachable: BTreeSet<Place> = BTreeSet::new();
        loop {
            let size = co_reachable.len();
            for t in &self.transitions {
                if t.put().is_none_or(|p| co_reachable.contains(&p)) {
                    co_reachable.extend(t.take);
                }
            }
            if co_reachable.len() == size {
                return self.keep(|t| t.put().is_none_or(|p| co_reachable.contains(&p)));
            }
        }
    }

    fn without_stuttering(&self) -> Net {
        let stuttering = |t: &Transition| {
            let Some(p) = t.put().filter(|_| t.before == t.after) else { return false };
            let mut takers = self.transitions.iter().filter(|u| u.take == Some(p));
            takers.all(|u| self.transitions.contains(&Transition { take: t.take, ..*u }))
        };
        self.keep(|t| !stuttering(t))
    }

    fn merged(&self, groups: &[Vec<PlaceName>], system: &NetworkSystem) -> Option<Net> {
        let mut first: BTreeMap<Place, Place> = BTreeMap::new();
        for group in groups {
            let members: Option<Vec<Place>> = group.iter().map(|p| place(p, system)).collect();
            let members = members?;
            let head = *members.first()?;
            first.extend(members.into_iter().map(|p| (p, head)));
        }
        let new = |p: Place| first.get(&p).copied().unwrap_or(p);
        let change = |t: &Transition| {
            let effect = match t.effect {
                Effect::Place(p) => Effect::Place(new(p)),
                letter => letter,
            };
            Transition { take: t.take.map(new), effect, ..*t }
        };
        let transitions = self.transitions.iter().map(change).collect();
        Some(Net { initial: self.initial, transitions })
    }

    /// Without what cannot happen, as far as pairs of requests can tell.
    fn excluded(&self) -> Net {
        let mut controls = BTreeSet::from([self.initial]);
        let mut one: BTreeSet<(GlobalId, Place)> = BTreeSet::new();
        let mut two: BTreeSet<(GlobalId, Place, Place)> = BTreeSet::new();
        loop {
            let size = (controls.len(), one.len(), two.len());
            for t in &self.transitions {
                let g = t.before;
                if !controls.contains(&g) || t.take.is_some_and(|x| !one.contains(&(g, x))) {
                    continue;
                }
                controls.insert(t.after);
                let beside = |p: &Place| t.take.is_none_or(|x| two.contains(&(g, x, *p)));
                let here = one.iter().filter(|(h, _)| *h == g).map(|(_, p)| *p);
                let others: Vec<Place> = here.filter(beside).collect();
                let both = |p: &Place, q: &Place| two.contains(&(g, *p, *q));
                let mut pairs: Vec<(Place, Place)> = Vec::new();
                for p in &others {
                    pairs.extend(others.iter().filter(|q| both(p, q)).map(|q| (*p, *q)));
                    pairs.extend(t.put().into_iter().flat_map(|y| [(y, *p), (*p, y)]));
                }
                one.extend(others.into_iter().chain(t.put()).map(|p| (t.after, p)));
                two.extend(pairs.into_iter().map(|(p, q)| (t.after, p, q)));
            }
            if size == (controls.len(), one.len(), two.len()) {
                break;
            }
        }
        self.keep(|t| match t.take {
            None => controls.contains(&t.before),
            Some(p) => one.contains(&(t.before, p)),
        })
    }

    /// Whoever is in one of the places is where it came from.
    fn deferred(&self, entry: &Defer, system: &NetworkSystem) -> Option<Net> {
        let named =
            |local: &String| place(&PlaceName(entry.request.clone(), local.clone()), system);
        let from = entry.from.as_ref().map(|local| named(local).ok_or(())).transpose().ok()?;
        // In other places there is nobody.
        let places: BTreeSet<Place> = entry.places.iter().filter_map(named).collect();
        let mut transitions = BTreeSet::new();
        for t in &self.transitions {
            let looks = t.before == t.after && t.put().is_some_and(|p| places.contains(&p));
            let back = t.before == t.after && t.put().is_some() && t.put() == from;
            if !(looks && t.take == from) {
                transitions.insert(*t);
            }
            if t.take.is_some_and(|p| places.contains(&p)) && !looks && !back {
                transitions.insert(Transition { take: from, ..*t });
            }
        }
        Some(Net { initial: self.initial, transitions })
    }

    /// Places are told apart by how requests end that are there, and by whether these have taken a
    /// step that is all that they do to the global state if they run alone.
    fn foreseen(&self, serial: &Serial) -> Net {
        let mut ends: BTreeSet<(Place, Letter)> = BTreeSet::new();
        loop {
            let size = ends.len();
            for t in &self.transitions {
                let letters: Vec<Letter> = match t.effect {
                    Effect::Letter(letter) => vec![letter],
                    Effect::Place(p) => of_place(&ends, p),
                };
                ends.extend(t.take.iter().flat_map(|p| letters.iter().map(|l| (*p, *l))));
            }
            if ends.len() == size {
                break;
            }
        }
        let mut transitions = BTreeSet::new();
        for t in &self.transitions {
            let letters = match t.effect {
                Effect::Letter(letter) => vec![letter],
                Effect::Place(p) => of_place(&ends, p),
            };
            for letter in letters {
                let at = |p: Place, committed| (p.0, p.1, Some((letter.1, committed)));
                let fits = serial.next(t.before, letter).any(|after| after == t.after);
                for committed in [false, true] {
                    let effect = match t.effect {
                        Effect::Place(p) => Effect::Place(at(p, committed || fits)),
                        responds => responds,
                    };
                    let take = t.take.map(|p| at(p, committed));
                    if take.is_some() || !committed {
                        transitions.insert(Transition { take, effect, ..*t });
                    }
                }
            }
        }
        Net { initial: self.initial, transitions }
    }

    /// Whoever comes to the place leaves it at once.
    fn moved(&self, entry: &Move, system: &NetworkSystem) -> Option<Net> {
        let gone = place(&entry.place, system)?;
        let mut transitions = BTreeSet::new();
        for t in &self.transitions {
            if t.put() == Some(gone) && t.take != Some(gone) {
                let next = |w: &&Transition| w.take == Some(gone) && w.before == t.after;
                let whole = |w: &Transition| Transition { before: t.before, take: t.take, ..*w };
                transitions.extend(self.transitions.iter().filter(next).map(whole));
            } else if t.take != Some(gone) {
                transitions.insert(*t);
            }
        }
        Some(Net { initial: self.initial, transitions })
    }
}

/// The place with this name.
pub(super) fn place(
    PlaceName(request, local): &PlaceName,
    system: &NetworkSystem,
) -> Option<Place> {
    let request = request_id(request, system)?;
    if let Some(local) = local_id(local, system) {
        return Some((request, local, None));
    }
    let known = |name: &str| system.responses().iter().position(|r| r == name);
    [(" -> ", false), (" => ", true)].into_iter().find_map(|(sign, committed)| {
        let (local, response) = local.rsplit_once(sign)?;
        let response = ResponseId::from_index(known(response)?);
        Some((request, local_id(local, system)?, Some((response, committed))))
    })
}

fn of_place(ends: &BTreeSet<(Place, Letter)>, place: Place) -> Vec<Letter> {
    ends.iter().filter(|(p, _)| *p == place).map(|(_, letter)| *letter).collect()
}

pub(super) fn request_id(name: &str, system: &NetworkSystem) -> Option<RequestId> {
    system.requests().iter().position(|r| r == name).map(RequestId::from_index)
}

pub(super) fn local_id(name: &str, system: &NetworkSystem) -> Option<LocalId> {
    let mut all = (0..system.local_count()).map(LocalId::from_index);
    all.find(|l| system.local_name(*l) == name)
}

pub(super) fn global_id(name: &str, system: &NetworkSystem) -> Option<GlobalId> {
    system.globals().find(|g| system.global_name(*g) == name)
}

pub(super) fn letter(request: &str, response: &str, system: &NetworkSystem) -> Option<Letter> {
    let found = system.responses().iter().position(|r| r == response)?;
    Some((request_id(request, system)?, ResponseId::from_index(found)))
}
