//! What is noted during the search, and the runs that show it.
//!
//! A run to a final state has the steps of all processes. A failure needs less: only what the
//! failing process did and what it heard of, directly or not. Steps of others that no message tells
//! of are left out; the rest is a run of its own, because steps depend on earlier ones of the same
//! process and on the messages that were received, and on nothing else.

use super::search::{Edge, Effect, Search, StateId};
use super::stuck::Graph;
use super::{Findings, Stop, Store};
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_sequentialization_checker::run::{Actor, Run, RunStep, Shows};
use ser_syntax::icet::ast::StmtId;
use std::collections::{BTreeSet, VecDeque};

/// Notes what is wrong, the shortest run for each kind.
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) findings: Findings,
    pub(super) finals: BTreeSet<Store>,
    pub(super) ends: BTreeSet<(BTreeSet<Actor>, Store)>,
    graph: Graph,
}

impl Recorder {
    /// A step of the search.
    pub(super) fn edge(&mut self, from: StateId, to: StateId, actor: u16) {
        self.graph.edge(from, to, actor);
    }

    /// A process fails before anybody else does anything.
    pub(super) fn fails_at_once(
        &mut self,
        search: &Search<'_>,
        place: usize,
        stmt: Option<StmtId>,
    ) {
        self.findings.failing.extend(stmt);
        let who = search.actors[place];
        let steps = vec![RunStep { who, choice: None }; search.first[place] as usize];
        self.offer_failure(search, who, steps);
    }

    /// The step fails.
    pub(super) fn fails(&mut self, search: &Search<'_>, from: StateId, edge: &Edge) {
        let new = edge.failed.is_some_and(|stmt| self.findings.failing.insert(stmt));
        let shorter = self.findings.failure.is_none();
        if new || shorter {
            let mut path = path_to(search, from);
            path.push(edge);
            let steps = causes(search, &path);
            self.offer_failure(search, search.actors[edge.actor as usize], steps);
        }
    }

    fn offer_failure(&mut self, search: &Search<'_>, who: Actor, steps: Vec<RunStep>) {
        offer(&mut self.findings.failure, search, steps, Shows::Failure(who));
    }

    /// Nobody can take a step.
    pub(super) fn ends(&mut self, search: &mut Search<'_>, state: StateId) {
        let places = 0..search.actors.len();
        if places.clone().any(|place| search.is_unclear(state, place)) {
            return;
        }
        let (actors, store) = search.store(state);
        self.finals.insert(store.clone());
        if places.clone().any(|place| search.local(state, place).failed) {
            return;
        }
        self.ends.insert((actors, store));
        let shorter = |run: &Option<Run>| {
            run.as_ref().is_none_or(|run| run.steps.len() > search.length(state) as usize)
        };
        if let Some(place) = places.into_iter().find(|place| search.waiting(state, *place))
            && shorter(&self.findings.deadlock)
        {
            let shows = Shows::Deadlock(search.actors[place]);
            offer(&mut self.findings.deadlock, search, whole(search, state), shows);
        }
        if let Some(channel) = search.some_queue(state)
            && shorter(&self.findings.orphan)
        {
            let (from, to, message) = search.ends_of(channel);
            let shows = Shows::Orphan { from, to, message };
            offer(&mut self.findings.orphan, search, whole(search, state), shows);
        }
    }

    /// Looks for processes that are blocked forever, when all states are known.
    pub(super) fn find_blocked(
        &mut self,
        search: &Search<'_>,
        limits: &Limits,
    ) -> Result<(), Stop> {
        self.findings.blocked = self.graph.blocked(search, limits)?;
        Ok(())
    }
}

fn offer(place: &mut Option<Run>, search: &Search<'_>, steps: Vec<RunStep>, shows: Shows) {
    if place.as_ref().is_none_or(|run| run.steps.len() > steps.len()) {
        *place = Some(Run { sizes: search.domain.instance.sizes.clone(), steps, shows });
    }
}

/// The edges from the start to a state.
fn path_to<'s>(search: &'s Search<'_>, mut state: StateId) -> Vec<&'s Edge> {
    let mut path = Vec::new();
    while let Some(Some(via)) = search.vias.get(state as usize) {
        path.push(&via.edge);
        state = via.from;
    }
    path.reverse();
    path
}

/// All steps to a state.
fn whole(search: &Search<'_>, state: StateId) -> Vec<RunStep> {
    let mut steps = Vec::new();
    for (who, &count) in search.actors.iter().zip(&search.first) {
        steps.extend(silent(*who, count));
    }
    for edge in path_to(search, state) {
        steps.extend(steps_of(search, edge, edge.steps));
    }
    steps
}

/// The steps that the last one depends on, and itself.
fn causes(search: &Search<'_>, path: &[&Edge]) -> Vec<RunStep> {
    let mut sent: FxHashMap<u32, VecDeque<usize>> = FxHashMap::default();
    let mut previous: Vec<Option<usize>> = vec![None; search.actors.len()];
    let mut needs: Vec<Vec<usize>> = Vec::new();
    for (number, edge) in path.iter().enumerate() {
        let mut before: Vec<usize> = previous[edge.actor as usize].into_iter().collect();
        match edge.effect {
            Effect::Nothing => {}
            Effect::Sent(channel) => sent.entry(channel).or_default().push_back(number),
            Effect::Took(channel) => {
                before.extend(sent.get_mut(&channel).and_then(VecDeque::pop_front));
            }
        }
        previous[edge.actor as usize] = Some(number);
        needs.push(before);
    }
    let mut kept = vec![false; path.len()];
    let mut open: Vec<usize> = path.len().checked_sub(1).into_iter().collect();
    while let Some(number) = open.pop() {
        if !std::mem::replace(&mut kept[number], true) {
            open.extend(&needs[number]);
        }
    }
    let mut steps = Vec::new();
    for (place, who) in search.actors.iter().enumerate() {
        if path.iter().zip(&kept).any(|(edge, kept)| *kept && edge.actor as usize == place) {
            steps.extend(silent(*who, search.first[place]));
        }
    }
    for (number, edge) in path.iter().enumerate() {
        if kept[number] {
            // Of the last thing that somebody else does, only the send matters.
            let later = path[number + 1..].iter().zip(&kept[number + 1..]);
            let last = !later.into_iter().any(|(it, kept)| *kept && it.actor == edge.actor);
            let count = if last && number + 1 < path.len() { 1 } else { edge.steps };
            steps.extend(steps_of(search, edge, count));
        }
    }
    steps
}

fn silent(who: Actor, count: u32) -> impl Iterator<Item = RunStep> {
    std::iter::repeat_n(RunStep { who, choice: None }, count as usize)
}

fn steps_of(search: &Search<'_>, edge: &Edge, count: u32) -> Vec<RunStep> {
    let who = search.actors[edge.actor as usize];
    let first = RunStep { who, choice: edge.choice.clone() };
    std::iter::once(first).chain(silent(who, count.saturating_sub(1))).collect()
}
