//! Bidirectional slicing: drop what no complete run uses.
//!
//! After appendix H of the SER paper, sharpened from places to pairs of a global state and a
//! place, and repeated until nothing changes.
//!
//! *Forward.* A pair (g, p) may occur if a transition leads to g and gives p, or if any
//! transition leads from h to g and (h, p) may occur: the request in p belongs to somebody else.
//! A transition whose (before, takes) cannot occur never fires.
//!
//! *Backward.* A pair (g, p) is co-reachable if a transition takes p at g and responds, or gives p'
//! such that (after, p') is co-reachable; or if any transition leads from g to h and (h, p) is
//! co-reachable. In a complete run every request in flight is co-reachable at every moment, so a
//! transition that gives p where (after, p) is not co-reachable occurs in none.

use crate::{Effect, Net, PlaceId};
use ser_base::{Limits, Stop};
use ser_model::GlobalId;

/// Removes transitions that no complete run takes.
pub fn slice(net: &Net, limits: &Limits) -> Result<Net, Stop> {
    let mut net = net.clone();
    loop {
        let count = net.transitions.len();
        net = forward(&net, limits)?;
        net = backward(&net, limits)?;
        if net.transitions.len() == count {
            return Ok(net);
        }
    }
}

/// A bit for each pair of a global state and a place.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Pairs {
    width: usize,
    words: Vec<u64>,
}

impl Pairs {
    fn new(net: &Net) -> Pairs {
        let width = net.places.len().div_ceil(64);
        Pairs { width, words: vec![0; width * net.global_count] }
    }

    fn contains(&self, global: usize, place: usize) -> bool {
        self.words[global * self.width + place / 64] >> (place % 64) & 1 == 1
    }

    /// Whether this is new.
    fn insert(&mut self, global: usize, place: usize) -> bool {
        let word = &mut self.words[global * self.width + place / 64];
        let old = *word;
        *word |= 1 << (place % 64);
        *word != old
    }

    /// Adds everything paired with `from` to `to`. Whether anything was new.
    fn copy(&mut self, from: usize, to: usize) -> bool {
        let mut changed = false;
        for i in 0..self.width {
            let bits = self.words[from * self.width + i];
            let word = &mut self.words[to * self.width + i];
            changed |= bits & !*word != 0;
            *word |= bits;
        }
        changed
    }
}

fn forward(net: &Net, limits: &Limits) -> Result<Net, Stop> {
    let mut pace = limits.pace();
    let starts = net.starts_by_global();
    let mut reached = vec![false; net.global_count];
    let mut pairs = Pairs::new(net);
    let mut queued = vec![false; net.global_count];
    let mut open = vec![net.initial.index()];
    reached[net.initial.index()] = true;
    queued[net.initial.index()] = true;
    while let Some(g) = open.pop() {
        queued[g] = false;
        for t in &net.transitions[starts[g] as usize..starts[g + 1] as usize] {
            pace.steps(1 + pairs.width)?;
            if t.takes.is_some_and(|p| !pairs.contains(g, p.index())) {
                continue;
            }
            let to = t.after.index();
            let mut changed = !std::mem::replace(&mut reached[to], true);
            if to != g {
                changed |= pairs.copy(g, to);
            }
            if let Effect::InFlight(p) = t.effect {
                changed |= pairs.insert(to, p.index());
            }
            if changed && !std::mem::replace(&mut queued[to], true) {
                open.push(to);
            }
        }
    }
    Ok(net.retain(|t| {
        reached[t.before.index()]
            && t.takes.is_none_or(|p| pairs.contains(t.before.index(), p.index()))
    }))
}

fn backward(net: &Net, limits: &Limits) -> Result<Net, Stop> {
    let co_reachable = CoReachable::new(net, limits)?;
    Ok(net.retain(|t| t.gives().is_none_or(|p| co_reachable.contains(t.after, p))))
}

/// The pairs (g, p) such that a request in p may still complete once the global state is g.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoReachable(Pairs);

impl CoReachable {
    /// Whether a request in `place` may still complete once the global state is `global`.
    pub fn contains(&self, global: GlobalId, place: PlaceId) -> bool {
        self.0.contains(global.index(), place.index())
    }

    /// Whether every place that is co-reachable at `before` is co-reachable at `after` too.
    pub fn stays(&self, before: GlobalId, after: GlobalId) -> bool {
        let row = |g: GlobalId| &self.0.words[g.index() * self.0.width..][..self.0.width];
        row(before).iter().zip(row(after)).all(|(a, b)| a & !b == 0)
    }

    /// The co-reachable pairs of a net.
    pub fn new(net: &Net, limits: &Limits) -> Result<CoReachable, Stop> {
        let mut pace = limits.pace();
        // For each global state the transitions that lead to it.
        let mut into: Vec<Vec<u32>> = vec![Vec::new(); net.global_count];
        for (i, t) in net.transitions.iter().enumerate() {
            into[t.after.index()].push(i as u32);
        }
        let mut co_reachable = Pairs::new(net);
        let mut queued = vec![false; net.global_count];
        let mut open = Vec::new();
        for t in &net.transitions {
            if let (Some(p), Effect::Respond(_)) = (t.takes, t.effect) {
                let g = t.before.index();
                co_reachable.insert(g, p.index());
                if !std::mem::replace(&mut queued[g], true) {
                    open.push(g);
                }
            }
        }
        while let Some(g) = open.pop() {
            queued[g] = false;
            for t in &into[g] {
                pace.steps(1 + co_reachable.width)?;
                let t = &net.transitions[*t as usize];
                let from = t.before.index();
                let mut changed = from != g && co_reachable.copy(g, from);
                if let (Some(p), Some(q)) = (t.takes, t.gives())
                    && co_reachable.contains(g, q.index())
                {
                    changed |= co_reachable.insert(from, p.index());
                }
                if changed && !std::mem::replace(&mut queued[from], true) {
                    open.push(from);
                }
            }
        }
        Ok(CoReachable(co_reachable))
    }
}
