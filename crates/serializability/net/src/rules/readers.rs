//! Requests that look at one part after the other, and see what was never there at one time.
//!
//! What they respond was right at some moment of another order, if the parts only rise in small
//! steps: the argument about intermediate values is told by the checker, which believes nothing of
//! what is found here. This is how to find it.
//!
//! *Readers* are the requests that write nothing, unless they commute with all others and have to
//! do with one group of variables only; *groups* are variables that a writer has to do with. A
//! reader as a tree of what it reads and then does tells which responses may take each other's
//! place where a variable is one value higher. That has to be an order, and one of its linear
//! extensions is the line of responses from low to high. Then no writer may lead further along it
//! than to the next.

use super::{Facts, RuleNet, RuleTransition, value_of};
use crate::{Effect, PlaceId};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Pace, Stop};
use ser_model::{RequestId, ResponseId, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// Requests that only read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Readers {
    /// For each of them its responses, from low to high.
    pub lines: BTreeMap<RequestId, Vec<ResponseId>>,
    /// The variables that they see and that are never higher than at first.
    pub falling: BTreeSet<VariableId>,
}

/// The work for all readers of a program, so that a program with large ones has time left for other
/// proofs.
const MOST_STEPS: u64 = 50_000_000;

/// Looks for an order in which each reader finds what it has found. Requests in places that are
/// `stuck` do not commute with others.
pub(super) fn find_readers(
    net: &RuleNet,
    facts: &Facts,
    stuck: &BTreeSet<PlaceId>,
    limits: &Limits,
) -> Result<Option<Readers>, Stop> {
    if net.transitions.iter().any(|t| t.opaque.is_some()) {
        return Ok(None);
    }
    let share = limits.share(MOST_STEPS);
    match look(net, facts, stuck, &mut share.pace()) {
        Err(Stop::Share) => Ok(None),
        found => found,
    }
}

fn look(
    net: &RuleNet,
    facts: &Facts,
    stuck: &BTreeSet<PlaceId>,
    pace: &mut Pace<'_>,
) -> Result<Option<Readers>, Stop> {
    let world = World::new(net, facts, pace)?;
    let stuck: BTreeSet<RequestId> = stuck.iter().map(|p| net.places[p.index()].0).collect();
    let readers = world.readers(&stuck);
    if !stuck.iter().all(|request| readers.contains(request)) {
        return Ok(None);
    }
    let mut trees = Vec::new();
    for request in readers {
        let Some(tree) = world.tree(request, pace)? else { return Ok(None) };
        trees.push((request, tree));
    }
    let seen: BTreeSet<VariableId> =
        trees.iter().flat_map(|(_, tree)| tree.asks().map(|(v, _)| v)).collect();
    let seen: BTreeSet<VariableId> = seen.into_iter().filter(|v| world.varies(*v)).collect();
    let groups: BTreeSet<usize> = seen.iter().map(|v| world.groups[v.index()]).collect();
    if groups.len() < seen.len() {
        return Ok(None);
    }
    let mut found = Readers::default();
    for variable in &seen {
        let (values, first) = (world.values(*variable), net.initial[variable.index()]);
        match (values.first() == Some(&first), values.last() == Some(&first)) {
            (true, _) => {}
            (false, true) => drop(found.falling.insert(*variable)),
            (false, false) => return Ok(None),
        }
    }
    let labels: BTreeSet<RequestId> = trees.iter().map(|(request, _)| *request).collect();
    let Some(raises) = world.raises(&seen, &labels, &found.falling, pace)? else {
        return Ok(None);
    };
    for (request, tree) in &trees {
        let line = world.line(tree, &found.falling, &raises, pace)?;
        let Some(line) = line else { return Ok(None) };
        found.lines.insert(*request, line);
    }
    Ok(Some(found))
}

/// A writer raises a variable from one value to another.
type Raise = (VariableId, i64, i64);

struct World<'a> {
    /// The values that each variable may have at some time, sorted.
    values: Vec<Vec<i64>>,
    /// The transitions of each label.
    of: BTreeMap<RequestId, Vec<&'a RuleTransition>>,
    /// For each variable the least one of its group.
    groups: Vec<usize>,
}

impl<'a> World<'a> {
    fn new(net: &'a RuleNet, facts: &Facts, pace: &mut Pace<'_>) -> Result<World<'a>, Stop> {
        let variables = (0..net.initial.len()).map(VariableId::from_index);
        let values = variables.map(|v| facts.choices(v, [None, None])).collect();
        let mut of: BTreeMap<RequestId, Vec<&RuleTransition>> = BTreeMap::new();
        for t in &net.transitions {
            pace.steps(1)?;
            let request = match (t.takes, t.effect) {
                (Some(p), _) | (None, Effect::InFlight(p)) => net.places[p.index()].0,
                (None, Effect::Respond(outcome)) => outcome.request,
            };
            of.entry(request).or_default().push(t);
        }
        let groups = (0..net.initial.len()).collect();
        let mut world = World { values, of, groups };
        for request in Vec::from_iter(world.of.keys().copied()) {
            if !world.only_reads(request) {
                world.join(&world.touched(request));
            }
        }
        Ok(world)
    }

    fn values(&self, variable: VariableId) -> &[i64] {
        &self.values[variable.index()]
    }

    fn varies(&self, variable: VariableId) -> bool {
        self.values(variable).len() > 1
    }

    fn transitions(&self, request: RequestId) -> &[&'a RuleTransition] {
        self.of.get(&request).map_or(&[], Vec::as_slice)
    }

    fn only_reads(&self, request: RequestId) -> bool {
        self.transitions(request).iter().all(|t| t.footprint.writes.is_empty())
    }

    /// The variables that vary and that requests with this label have to do with.
    fn touched(&self, request: RequestId) -> BTreeSet<VariableId> {
        let all = self.transitions(request).iter();
        let all = all.flat_map(|t| t.footprint.reads.iter().chain(&t.footprint.writes));
        all.map(|(v, _)| *v).filter(|v| self.varies(*v)).collect()
    }

    /// Makes one group of these variables and of whatever belongs to them.
    fn join(&mut self, variables: &BTreeSet<VariableId>) {
        let joined: BTreeSet<usize> = variables.iter().map(|v| self.groups[v.index()]).collect();
        let Some(least) = joined.first().copied() else { return };
        for group in &mut self.groups {
            if joined.contains(group) {
                *group = least;
            }
        }
    }

    /// Those that only read, and do not belong to one group.
    fn readers(&self, stuck: &BTreeSet<RequestId>) -> Vec<RequestId> {
        let one_group = |request: &RequestId| {
            let touched = self.touched(*request);
            let groups: BTreeSet<usize> = touched.iter().map(|v| self.groups[v.index()]).collect();
            groups.len() < 2
        };
        let all = self.of.keys().copied().filter(|request| self.only_reads(*request));
        all.filter(|request| stuck.contains(request) || !one_group(request)).collect()
    }

    /// The values of a variable from low to high.
    fn upwards(&self, variable: VariableId, falling: &BTreeSet<VariableId>) -> Vec<i64> {
        let mut values = self.values(variable).to_vec();
        if falling.contains(&variable) {
            values.reverse();
        }
        values
    }

    /// All ways in which writers raise what readers see; nothing if one does so twice.
    fn raises(
        &self,
        seen: &BTreeSet<VariableId>,
        readers: &BTreeSet<RequestId>,
        falling: &BTreeSet<VariableId>,
        pace: &mut Pace<'_>,
    ) -> Result<Option<BTreeSet<Raise>>, Stop> {
        let mut raises = BTreeSet::new();
        for (_, transitions) in self.of.iter().filter(|(request, _)| !readers.contains(request)) {
            let mut raising: Vec<bool> = Vec::new();
            for t in transitions {
                let before = raises.len();
                let mut is_raising = false;
                for (v, to) in t.footprint.writes.iter().filter(|(v, _)| seen.contains(v)) {
                    let known = value_of(&t.footprint.reads, *v);
                    for from in self.values(*v) {
                        pace.steps(1)?;
                        let higher = if falling.contains(v) { to < from } else { to > from };
                        if higher && known.is_none_or(|known| known == *from) {
                            is_raising = true;
                            raises.insert((*v, *from, *to));
                        }
                    }
                }
                debug_assert!(is_raising || raises.len() == before);
                raising.push(is_raising);
            }
            if self.twice(transitions, &raising, pace)? {
                return Ok(None);
            }
        }
        Ok(Some(raises))
    }

    /// Whether one of these transitions may follow another one.
    fn twice(
        &self,
        transitions: &[&RuleTransition],
        raising: &[bool],
        pace: &mut Pace<'_>,
    ) -> Result<bool, Stop> {
        let ends = transitions.iter().zip(raising).filter(|(_, raising)| **raising);
        let mut behind: BTreeSet<PlaceId> = ends.filter_map(|(t, _)| t.gives()).collect();
        loop {
            let before = behind.len();
            for (t, raising) in transitions.iter().zip(raising) {
                pace.steps(1)?;
                if t.takes.is_some_and(|p| behind.contains(&p)) {
                    if *raising {
                        return Ok(true);
                    }
                    behind.extend(t.gives());
                }
            }
            if behind.len() == before {
                return Ok(false);
            }
        }
    }

    /// A reader as what it does after what it has read; nothing if it may be stopped or has a
    /// choice, or reads a variable that varies in two steps.
    fn tree(&self, request: RequestId, pace: &mut Pace<'_>) -> Result<Option<Tree>, Stop> {
        let mut onwards: FxHashMap<Option<PlaceId>, Vec<&RuleTransition>> = FxHashMap::default();
        for t in self.transitions(request) {
            onwards.entry(t.takes).or_default().push(t);
        }
        let (known, nodes) = (FxHashMap::default(), Vec::new());
        let mut growing = Growing { world: self, onwards, known, nodes };
        if growing.node((None, Vec::new()), 0, pace)?.is_none() {
            return Ok(None);
        }
        let tree = Tree { nodes: growing.nodes };
        // What comes after a node was made before it.
        let mut later: Vec<BTreeSet<VariableId>> = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            let mut here = BTreeSet::new();
            if let Node::Ask(variable, then) = node {
                for next in then {
                    pace.steps(1 + later[*next].len())?;
                    here.extend(later[*next].iter().copied());
                }
                if self.varies(*variable) && !here.insert(*variable) {
                    return Ok(None);
                }
            }
            later.push(here);
        }
        Ok(Some(tree))
    }

    /// The responses of a reader from low to high; nothing if there is no such order, or a writer
    /// leaves out one of them.
    fn line(
        &self,
        tree: &Tree,
        falling: &BTreeSet<VariableId>,
        raises: &BTreeSet<Raise>,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Vec<ResponseId>>, Stop> {
        let index = |v: VariableId, value: i64| self.values(v).binary_search(&value).ok();
        let mut starts = Vec::new();
        for (variable, then) in tree.asks() {
            for pair in self.upwards(variable, falling).windows(2) {
                if let [Some(low), Some(high)] =
                    [index(variable, pair[0]), index(variable, pair[1])]
                {
                    starts.push((then[low], then[high]));
                }
            }
        }
        let Some(line) = sorted(tree, &tree.pairs(starts, pace)?) else { return Ok(None) };
        let mut starts = Vec::new();
        for (variable, then) in tree.asks() {
            let from = (variable, i64::MIN, i64::MIN);
            let to = (variable, i64::MAX, i64::MAX);
            for (_, from, to) in raises.range(from..=to) {
                pace.steps(1)?;
                if let [Some(low), Some(high)] = [index(variable, *from), index(variable, *to)] {
                    starts.push((then[low], then[high]));
                }
            }
        }
        let at: FxHashMap<ResponseId, usize> =
            line.iter().enumerate().map(|(at, response)| (*response, at)).collect();
        let steps = tree.pairs(starts, pace)?;
        let small = steps.iter().all(|(low, high)| at[high] <= at[low] + 1);
        Ok(small.then_some(line))
    }
}

/// The responses of a reader in an order in which the first of each pair comes first; nothing if
/// there is none. Where the pairs leave it open, they are in the order of their numbers.
fn sorted(tree: &Tree, pairs: &BTreeSet<(ResponseId, ResponseId)>) -> Option<Vec<ResponseId>> {
    let mut before: BTreeMap<ResponseId, usize> = BTreeMap::new();
    for node in &tree.nodes {
        if let Node::Respond(response) = node {
            before.insert(*response, 0);
        }
    }
    for (low, high) in pairs.iter().filter(|(low, high)| low != high) {
        before.entry(*low).or_default();
        *before.entry(*high).or_default() += 1;
    }
    let mut ready: BTreeSet<ResponseId> =
        before.iter().filter(|(_, n)| **n == 0).map(|(response, _)| *response).collect();
    let mut line = Vec::new();
    while let Some(next) = ready.pop_first() {
        line.push(next);
        let after = pairs.range((next, ResponseId::from_index(0))..);
        for (_, high) in after.take_while(|(low, _)| *low == next).filter(|(_, high)| *high != next)
        {
            let left = before.get_mut(high)?;
            *left -= 1;
            if *left == 0 {
                ready.insert(*high);
            }
        }
    }
    (line.len() == before.len()).then_some(line)
}

/// What a reader does next.
enum Node {
    /// It reads a variable; what comes then, for each of its values.
    Ask(VariableId, Vec<usize>),
    Respond(ResponseId),
}

/// A reader; what comes later has a smaller number.
struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    fn asks(&self) -> impl Iterator<Item = (VariableId, &Vec<usize>)> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Ask(variable, then) => Some((*variable, then)),
            Node::Respond(_) => None,
        })
    }

    /// The responses of pairs that read the same values from now on.
    fn pairs(
        &self,
        mut open: Vec<(usize, usize)>,
        pace: &mut Pace<'_>,
    ) -> Result<BTreeSet<(ResponseId, ResponseId)>, Stop> {
        let mut seen = FxHashSet::default();
        let mut responses = BTreeSet::new();
        while let Some((low, high)) = open.pop() {
            pace.steps(1)?;
            if !seen.insert((low, high)) {
                continue;
            }
            match (&self.nodes[low], &self.nodes[high]) {
                (Node::Respond(low), Node::Respond(high)) => {
                    responses.insert((*low, *high));
                }
                (Node::Ask(v, a), Node::Ask(w, b)) if v == w => {
                    open.extend(a.iter().copied().zip(b.iter().copied()));
                }
                (Node::Ask(_, a), _) => open.extend(a.iter().map(|next| (*next, high))),
                (_, Node::Ask(_, b)) => open.extend(b.iter().map(|next| (low, *next))),
            }
        }
        Ok(responses)
    }
}

/// Where a reader stands: its place, and what it has read in the current step.
type Stand = (Option<PlaceId>, Vec<(VariableId, i64)>);

/// The most places and variables on the way of a reader, as in the checker.
const MAX_DEPTH: usize = 300;

struct Growing<'a> {
    world: &'a World<'a>,
    onwards: FxHashMap<Option<PlaceId>, Vec<&'a RuleTransition>>,
    known: FxHashMap<Stand, usize>,
    nodes: Vec<Node>,
}

impl Growing<'_> {
    fn node(
        &mut self,
        stand: Stand,
        depth: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<usize>, Stop> {
        if let Some(node) = self.known.get(&stand) {
            return Ok(Some(*node));
        }
        if depth > MAX_DEPTH {
            return Ok(None);
        }
        let (place, read) = &stand;
        let mut next = None;
        let mut effects = BTreeSet::new();
        for t in self.onwards.get(place).into_iter().flatten() {
            let reads = &t.footprint.reads;
            pace.steps(1 + reads.len() * (1 + read.len()))?;
            let agrees = |(v, x): &(VariableId, i64)| value_of(read, *v).is_none_or(|y| y == *x);
            if reads.iter().all(agrees) {
                effects.insert(t.effect);
                let unknown = reads.iter().find(|(v, _)| value_of(read, *v).is_none());
                next = next.or(unknown.map(|(v, _)| *v));
            }
        }
        let node = match (next, effects.pop_first(), effects.is_empty()) {
            (Some(variable), ..) => {
                let mut then = Vec::new();
                for value in self.world.values(variable) {
                    let read = read.iter().copied().chain([(variable, *value)]).collect();
                    let Some(node) = self.node((*place, read), depth + 1, pace)? else {
                        return Ok(None);
                    };
                    then.push(node);
                }
                Node::Ask(variable, then)
            }
            (None, Some(Effect::Respond(outcome)), true) => Node::Respond(outcome.response),
            (None, Some(Effect::InFlight(place)), true) => {
                let node = self.node((Some(place), Vec::new()), depth + 1, pace)?;
                self.known.extend(node.map(|node| (stand, node)));
                return Ok(node);
            }
            _ => return Ok(None),
        };
        self.nodes.push(node);
        self.known.insert(stand, self.nodes.len() - 1);
        Ok(Some(self.nodes.len() - 1))
    }
}
