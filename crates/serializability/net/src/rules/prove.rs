//! Every yield point is harmless: Lipton's argument, for all handlers at once.
//!
//! Each place is *before* or *after* the commit point of its request. Every
//! transition into a place before must move right, every transition out of a place after must move
//! left, and no transition leads from a place after to a place before. A request then runs through
//! transitions that move right, one that need not move at all, and transitions that move left.
//!
//! *Why this is enough.* Take the request that commits first in a complete run. Put off its
//! earlier transitions until that moment, and bring its later ones forward to it: it now runs in
//! one go, with nobody in between. Do the same with the request that commits next; on its way
//! it passes whole requests, one transition at a time. In the end requests run one after the other,
//! with the same responses.
//!
//! The places before are the most that can be: those that only transitions that move right lead to,
//! from other such places or from nowhere.

use super::counts::{Count, find_counts};
use super::deferral::defer;
use super::movers::Movers;
use super::readers::{Readers, find_readers};
use super::stuttering::without_stuttering_steps;
use super::{Facts, RuleNet, RuleTransition};
use crate::{Deferred, Effect, PlaceId};
use ser_base::{Limits, Stop};
use std::collections::BTreeSet;

/// A change of the net that keeps its outcomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuleReduction {
    /// Facts were worked out, with these counts; what they rule out or what cannot complete was
    /// dropped.
    Facts(Vec<Count>),
    /// Stuttering steps were removed.
    Stuttering,
    /// Requests wait where they are instead of looking around.
    Defer(Deferred),
}

/// A reduced net of rules, and where its requests commit.
#[derive(Clone, Debug)]
pub struct Effects {
    pub net: RuleNet,
    /// The reductions in the order in which they were applied, each with the places that it did
    /// away with.
    pub applied: Vec<(RuleReduction, BTreeSet<PlaceId>)>,
    /// The places after the commit point of the request.
    pub after: BTreeSet<PlaceId>,
    /// Places after that moment with a transition that does not move left: if there are any,
    /// nothing is proved, unless they are of readers.
    pub stuck: BTreeSet<PlaceId>,
    /// Requests that find what was there at some moment, wherever they yield; nothing if they are
    /// not needed.
    pub readers: Readers,
    /// Whether variables may leave the values that are known: then nothing is proved either.
    pub leaves: bool,
}

impl Effects {
    /// Whether the system is serializable: every yield point is harmless, or that of a reader.
    pub fn is_proof(&self) -> bool {
        (self.stuck.is_empty() || !self.readers.lines.is_empty()) && !self.leaves
    }

    /// Whether a request in this place is a reader.
    pub fn is_of_reader(&self, place: PlaceId) -> bool {
        self.readers.lines.contains_key(&self.net.places[place.index()].0)
    }
}

/// The most rounds of reductions.
const MAX_ROUNDS: usize = 5;

/// What a proof may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arguments {
    /// Variables that count requests.
    pub counts: bool,
    /// Readers, placed among intermediate values. They do not keep real-time order.
    pub readers: bool,
}

impl Arguments {
    /// Everything.
    pub const ALL: Arguments = Arguments { counts: true, readers: true };
}

/// Looks for the commit points of requests.
pub fn find_effects(net: &RuleNet, arguments: Arguments, limits: &Limits) -> Result<Effects, Stop> {
    let mut net = net.clone();
    let mut applied = Vec::new();
    let mut facts = None;
    let mut leaves = false;
    for round in 0..MAX_ROUNDS {
        let mut changed = false;
        // Whether variables keep to their values is a question about all runs, complete or not, so
        // it comes before everything else.
        let first = round == 0 && net.is_partial;
        if !first {
            while let Some((smaller, deferred)) = defer(&net, limits)? {
                changed = true;
                applied.push((RuleReduction::Defer(deferred), gone(&net, &smaller)));
                net = smaller;
            }
            let stuttering = without_stuttering_steps(&net, limits)?;
            if stuttering.transitions.len() < net.transitions.len() {
                changed = true;
                applied.push((RuleReduction::Stuttering, gone(&net, &stuttering)));
                net = stuttering;
            }
        }
        let (found, counts) = facts_with_counts(&net, arguments.counts, limits)?;
        if first {
            leaves = net.transitions.iter().any(|t| net.leaves(t) && found.possible(t));
            changed = true;
        }
        let before = net.clone();
        net.transitions.retain(|t| found.possible(t));
        keep_co_reachable(&mut net);
        changed |= net.transitions.len() < before.transitions.len();
        applied.push((RuleReduction::Facts(counts), gone(&before, &net)));
        facts = Some(found);
        if !changed || round + 1 == MAX_ROUNDS {
            break;
        }
    }
    let (after, stuck) = match &facts {
        Some(facts) => effects(&net, &Movers::new(&net, facts, limits)?, limits)?,
        None => Default::default(),
    };
    let mut readers = None;
    if let Some(facts) = &facts
        && arguments.readers
        && !stuck.is_empty()
        && !leaves
    {
        readers = find_readers(&net, facts, &stuck, limits)?;
    }
    let readers = readers.unwrap_or_default();
    Ok(Effects { net, applied, after, stuck, readers, leaves })
}

/// The facts about a net, given the counts that hold.
fn facts_with_counts(
    net: &RuleNet,
    counting: bool,
    limits: &Limits,
) -> Result<(Facts, Vec<Count>), Stop> {
    let mut counts = if counting { find_counts(net, limits)? } else { Vec::new() };
    let mut facts = Facts::new(net, &counts, limits)?;
    // A count that does not hold would make the facts wrong: without it, then.
    while let Some(wrong) = counts.iter().position(|count| !facts.keep(net, count)) {
        counts.remove(wrong);
        facts = Facts::new(net, &counts, limits)?;
    }
    Ok((facts, counts))
}

/// The places that requests get to in the first net and not in the second.
fn gone(before: &RuleNet, after: &RuleNet) -> BTreeSet<PlaceId> {
    let used = |net: &RuleNet| -> BTreeSet<PlaceId> {
        net.transitions.iter().filter_map(RuleTransition::gives).collect()
    };
    used(before).difference(&used(after)).copied().collect()
}

/// Drops steps into places from which no path leads to a response.
fn keep_co_reachable(net: &mut RuleNet) {
    let mut co_reachable = vec![false; net.places.len()];
    let mut before: Vec<Vec<PlaceId>> = vec![Vec::new(); net.places.len()];
    let mut open = Vec::new();
    for t in &net.transitions {
        match (t.takes, t.effect) {
            (Some(p), Effect::Respond(_)) => open.push(p),
            (Some(p), Effect::InFlight(q)) => before[q.index()].push(p),
            (None, _) => {}
        }
    }
    while let Some(p) = open.pop() {
        if !std::mem::replace(&mut co_reachable[p.index()], true) {
            open.extend(&before[p.index()]);
        }
    }
    net.transitions.retain(|t| t.gives().is_none_or(|p| co_reachable[p.index()]));
}

type Places = BTreeSet<PlaceId>;

/// The places after the commit point, and those where that does not work.
fn effects(net: &RuleNet, movers: &Movers<'_>, limits: &Limits) -> Result<(Places, Places), Stop> {
    let mut pace = limits.pace();
    let mut after = Places::new();
    let mut next: Vec<Vec<PlaceId>> = vec![Vec::new(); net.places.len()];
    for t in &net.transitions {
        pace.steps(1)?;
        if let Some(p) = t.gives()
            && !after.contains(&p)
            && !movers.right(t, &mut pace)?
        {
            after.insert(p);
        }
        if let (Some(p), Some(q)) = (t.takes, t.gives()) {
            next[p.index()].push(q);
        }
    }
    // Whoever can be reached from there is after, too.
    let mut open: Vec<PlaceId> = after.iter().copied().collect();
    while let Some(p) = open.pop() {
        open.extend(next[p.index()].iter().copied().filter(|q| after.insert(*q)));
    }
    let mut stuck = Places::new();
    for t in &net.transitions {
        pace.steps(1)?;
        if let Some(p) = t.takes
            && after.contains(&p)
            && !stuck.contains(&p)
            && !movers.left(t, &mut pace)?
        {
            stuck.insert(p);
        }
    }
    Ok((after, stuck))
}
