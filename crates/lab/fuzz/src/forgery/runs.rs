//! Runs of few requests, listed one by one.

use super::net::{Effect, Letter, Net, Place, Transition};
use ser_model::{GlobalId, NetworkSystem};
use std::collections::{BTreeMap, BTreeSet};

/// A multiset of letters, sorted.
pub(super) type Letters = Vec<Letter>;

/// How much is listed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// The most requests.
    pub(super) requests: usize,
    /// The most transitions of one run, where runs are listed.
    pub(super) length: usize,
    /// The most runs, or configurations.
    pub(super) most: usize,
}

/// A complete run: transitions, each with the number of the request that it moves.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) steps: Vec<(Transition, usize)>,
    pub(super) end: GlobalId,
}

/// Where a run has got to: the global state, where each request is, and the steps so far.
type Prefix = (GlobalId, Vec<Option<Place>>, Vec<(Transition, usize)>);

/// Complete runs within the extent, shortest first.
pub(super) fn complete_runs(net: &Net, extent: Extent) -> Vec<Run> {
    let mut found = Vec::new();
    let mut layer: Vec<Prefix> = vec![(net.initial, Vec::new(), Vec::new())];
    for _ in 0..=extent.length {
        let mut next = Vec::new();
        for (global, requests, steps) in layer {
            if requests.iter().all(Option::is_none) {
                found.push(Run { steps: steps.clone(), end: global });
            }
            if found.len() + next.len() >= extent.most {
                return found;
            }
            for t in net.transitions.iter().filter(|t| t.before == global) {
                let arrives = t.take.is_none() && requests.len() < extent.requests;
                let movers: Vec<usize> = match t.take {
                    None => arrives.then_some(requests.len()).into_iter().collect(),
                    Some(_) => (0..requests.len()).filter(|i| requests[*i] == t.take).collect(),
                };
                for mover in movers {
                    let mut requests = requests.clone();
                    requests.resize(requests.len().max(mover + 1), None);
                    requests[mover] = t.put();
                    let mut steps = steps.clone();
                    steps.push((*t, mover));
                    next.push((t.after, requests, steps));
                }
            }
        }
        layer = next;
    }
    found
}

/// A global state, requests in flight, and the letters read on the way; both sorted.
pub(super) type Configuration = (GlobalId, Vec<Place>, Letters);

/// All configurations of at most so many requests, where a transition reads what `read` says; none
/// if there are too many.
pub(super) fn configurations(
    net: &Net,
    extent: Extent,
    read: &dyn Fn(&Transition) -> Option<Letter>,
) -> Option<BTreeSet<Configuration>> {
    let start = (net.initial, Vec::new(), Vec::new(), 0);
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some((global, flying, letters, arrived)) = open.pop() {
        for t in net.transitions.iter().filter(|t| t.before == global) {
            let mut flying: Vec<Place> = flying.clone();
            match t.take {
                None if arrived == extent.requests => continue,
                None => {}
                Some(place) => match flying.iter().position(|p| *p == place) {
                    None => continue,
                    Some(at) => drop(flying.remove(at)),
                },
            }
            flying.extend(t.put());
            flying.sort_unstable();
            let mut letters: Letters = letters.clone();
            letters.extend(read(t));
            letters.sort_unstable();
            let arrived = arrived + usize::from(t.take.is_none());
            let next = (t.after, flying, letters, arrived);
            if seen.insert(next.clone()) {
                if seen.len() > extent.most {
                    return None;
                }
                open.push(next);
            }
        }
    }
    Some(seen.into_iter().map(|(g, flying, letters, _)| (g, flying, letters)).collect())
}

/// The outcomes of complete runs of at most so many requests; none if there are too many
/// configurations.
pub(super) fn outcomes(net: &Net, extent: Extent) -> Option<BTreeSet<Letters>> {
    let responds = |t: &Transition| match t.effect {
        Effect::Letter(letter) => Some(letter),
        Effect::Place(_) => None,
    };
    let all = configurations(net, extent, &responds)?;
    Some(all.into_iter().filter(|(_, flying, _)| flying.is_empty()).map(|(_, _, w)| w).collect())
}

/// What one request alone can do, from each global state.
#[derive(Debug)]
pub(super) struct Serial {
    pub(super) initial: GlobalId,
    edges: BTreeMap<GlobalId, BTreeSet<(Letter, GlobalId)>>,
}

impl Serial {
    pub(super) fn of(system: &NetworkSystem) -> Serial {
        let alone = |start: GlobalId| {
            // Whoever has given up may have done nothing.
            let mut edges: BTreeSet<(Letter, GlobalId)> =
                system.free().iter().map(|letter| (*letter, start)).collect();
            for (request, local) in system.spawns() {
                let mut seen = BTreeSet::from([(*local, start)]);
                let mut open = vec![(*local, start)];
                while let Some((local, global)) = open.pop() {
                    edges.extend(system.replies_of(local).map(|r| ((*request, r), global)));
                    let steps = system.steps().iter();
                    for s in steps.filter(|s| s.from == local && s.before == global) {
                        if seen.insert((s.to, s.after)) {
                            open.push((s.to, s.after));
                        }
                    }
                }
            }
            edges
        };
        Serial {
            initial: system.initial_global(),
            edges: system.globals().map(|g| (g, alone(g))).collect(),
        }
    }

    /// Where a request with this letter may lead.
    pub(super) fn next(
        &self,
        from: GlobalId,
        letter: Letter,
    ) -> impl Iterator<Item = GlobalId> + '_ {
        let edges = self.edges.get(&from).into_iter().flatten();
        edges.filter(move |(l, _)| *l == letter).map(|(_, to)| *to)
    }

    /// Whether requests with this letter can be inserted into runs that pass a global state: one
    /// may leave it as it was, or is possible wherever runs go from there.
    pub(super) fn can_insert(&self, at: GlobalId, letter: Letter) -> bool {
        let mut reached = BTreeSet::from([at]);
        let mut open = vec![at];
        while let Some(now) = open.pop() {
            let after = self.edges.get(&now).into_iter().flatten().map(|(_, to)| *to);
            open.extend(after.filter(|to| reached.insert(*to)));
        }
        self.next(at, letter).any(|to| to == at)
            || reached.into_iter().all(|now| self.next(now, letter).next().is_some())
    }

    /// Whether requests with these letters can run one after the other, in this order.
    pub(super) fn has_word(&self, word: &[Letter]) -> bool {
        let mut now = BTreeSet::from([self.initial]);
        for letter in word {
            now = now.into_iter().flat_map(|g| self.next(g, *letter)).collect();
        }
        !now.is_empty()
    }

    /// Whether a serial run has these letters, in any order.
    pub(super) fn has_outcome(&self, letters: &[Letter]) -> bool {
        !self.paths(letters).is_empty()
    }

    /// The paths from the initial global state whose letters are all of these, as their states.
    pub(super) fn paths(&self, letters: &[Letter]) -> Vec<Vec<GlobalId>> {
        let mut found: BTreeSet<(Vec<Letter>, Vec<GlobalId>)> =
            BTreeSet::from([(letters.to_vec(), vec![self.initial])]);
        for _ in 0..letters.len() {
            let mut next = BTreeSet::new();
            for (rest, path) in &found {
                let Some(now) = path.last() else { continue };
                for (i, letter) in rest.iter().enumerate() {
                    let mut fewer = rest.clone();
                    fewer.remove(i);
                    for to in self.next(*now, *letter) {
                        let mut longer = path.clone();
                        longer.push(to);
                        next.insert((fewer.clone(), longer));
                    }
                }
            }
            found = next;
        }
        found.into_iter().map(|(_, path)| path).collect()
    }
}
