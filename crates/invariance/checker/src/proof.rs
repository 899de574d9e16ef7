//! The claim that invariants hold: its nodes, what uses what, and all premises of each.

use crate::cases::{anchors, anchors_in, count};
use crate::certificate::{CaseProof, How, Node, Term};
use crate::check::Verdict;
use crate::condition::Checker;
use crate::control::Control;
use crate::rejection::{Place, Reason, Rejection};
use crate::table::check_order;
use crate::{induction, safety};
use ser_base::Limits;
use ser_base::LineIndex;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::InvId;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a claim.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'c> {
    pub terms: &'c [Term],
    pub nodes: &'c [Node],
    /// That no step is an error, if that is claimed.
    pub safety: Option<&'c [CaseProof]>,
}

/// Checks all premises of a claim.
pub(crate) fn check(
    system: &System,
    control: &Control<'_>,
    lines: &LineIndex,
    limits: &Limits,
    parts: Parts<'_>,
) -> Result<Verdict, Rejection> {
    check_order(parts.terms)?;
    let nodes = find(system, parts.nodes)?;
    graph(system, &nodes, parts)?;

    let anchors = anchors(system);
    let steps: usize = control.paths.iter().map(Vec::len).sum();
    let sizes = nodes.values().flat_map(|invariant| {
        let invariant = &system.invariants[invariant.0 as usize];
        let (parameters, all) = (invariant.parameters.len(), anchors.len());
        let own = anchors_in(invariant, &anchors).iter().filter(|it| **it).count();
        [
            (parameters + all, (parameters + own).saturating_mul(steps)),
            (parameters + all + 1, steps),
        ]
    });
    count(sizes.chain([(anchors.len() + 1, steps)]))?;

    let mut checker = Checker::new(system, control, lines, limits, parts.terms, &nodes, anchors);
    for node in parts.nodes {
        let Some(invariant) = nodes.get(node.invariant.as_str()) else { continue };
        match &node.how {
            How::Induction { initiation, consecution } => {
                induction::initiation(&mut checker, *invariant, initiation)?;
                induction::consecution(&mut checker, *invariant, consecution)?;
            }
            How::Follows(cases) => induction::follows(&mut checker, *invariant, cases)?,
        }
    }
    if let Some(cases) = parts.safety {
        safety::safety(&mut checker, cases)?;
    }
    let counts = checker.counts;
    Ok(Verdict::Proved {
        invariants: parts.nodes.iter().map(|node| node.invariant.clone()).collect(),
        safe: parts.safety.is_some(),
        conditions: counts.conditions,
        shown: counts.shown,
        searched: counts.searched,
        lemmas: counts.lemmas,
    })
}

/// The nodes by their names.
fn find<'c>(system: &System, nodes: &'c [Node]) -> Result<BTreeMap<&'c str, InvId>, Rejection> {
    let mut all = BTreeMap::new();
    for (number, invariant) in system.invariants.iter().enumerate() {
        all.insert(invariant.name.text.as_str(), InvId(number as u32));
    }
    let mut found = BTreeMap::new();
    for node in nodes {
        let name = node.invariant.as_str();
        let place = || Place::Invariant(name.to_owned());
        let known = all.get(name).ok_or_else(|| Rejection::from(Reason::NoInvariant).at(place))?;
        if found.insert(name, *known).is_some() {
            return Err(Rejection::from(Reason::Twice).at(place));
        }
    }
    Ok(found)
}

/// Everything that is used is a node, nothing follows from itself, and there are no cycles at all
/// if the file says so.
fn graph(
    system: &System,
    nodes: &BTreeMap<&str, InvId>,
    parts: Parts<'_>,
) -> Result<(), Rejection> {
    let mut follows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut supports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let claimed = |cases: &[CaseProof]| {
        let used = cases.iter().flat_map(|case| &case.uses);
        match used.map(|it| &it.invariant).find(|it| !nodes.contains_key(it.as_str())) {
            Some(invariant) => Err(Reason::NotClaimed { invariant: invariant.clone() }),
            None => Ok(()),
        }
    };
    for node in parts.nodes {
        let place = || Place::Invariant(node.invariant.clone());
        let cases = match &node.how {
            How::Induction { consecution, .. } => consecution,
            How::Follows(cases) => cases,
        };
        claimed(cases).map_err(|reason| Rejection::from(reason).at(place))?;
        let used = cases.iter().flat_map(|case| &case.uses).map(|it| it.invariant.as_str());
        let name = node.invariant.as_str();
        match &node.how {
            How::Induction { .. } => {
                // Its own instances are assumed anyway.
                supports.insert(name, used.filter(|it| *it != name).collect());
            }
            How::Follows(_) => {
                let used: BTreeSet<&str> = used.collect();
                supports.insert(name, used.clone());
                follows.insert(name, used);
            }
        }
    }
    claimed(parts.safety.unwrap_or_default())?;
    if let Some(cycle) = cycle(&follows) {
        return Err(Reason::FollowsCycle { cycle }.into());
    }
    if system.proof.as_ref().is_some_and(|proof| proof.acyclic)
        && let Some(cycle) = cycle(&supports)
    {
        return Err(Reason::SupportCycle { cycle }.into());
    }
    Ok(())
}

/// A cycle, if there is one: nodes that only lead to nodes without a way on are taken away until
/// none is left.
fn cycle(graph: &BTreeMap<&str, BTreeSet<&str>>) -> Option<Vec<String>> {
    let mut left: BTreeSet<&str> = graph.keys().copied().collect();
    loop {
        let leads_on = |node: &&str| {
            graph.get(*node).is_some_and(|used| used.iter().any(|it| left.contains(it)))
        };
        let rest: BTreeSet<&str> = left.iter().filter(|node| leads_on(node)).copied().collect();
        if rest.len() == left.len() {
            break;
        }
        left = rest;
    }
    // Whoever goes on within what is left comes around.
    let mut way = vec![*left.first()?];
    loop {
        let last = way.last()?;
        let next = *graph.get(last)?.iter().find(|it| left.contains(*it))?;
        if let Some(place) = way.iter().position(|it| *it == next) {
            let mut cycle: Vec<String> = way[place..].iter().map(|it| (*it).to_owned()).collect();
            cycle.push(next.to_owned());
            return Some(cycle);
        }
        way.push(next);
    }
}
