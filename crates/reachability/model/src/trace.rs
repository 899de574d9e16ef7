//! Token traces (Definition 3 of the paper), and how they and executions give each other (Theorem
//! 1).

use crate::execution::{Execution, Marking, Step};
use crate::ids::{ArcId, TransitionId, VariableId};
use crate::net::{ArcKind, Net};
use crate::order::find_cycles;
use std::collections::{BTreeMap, BTreeSet};

/// Which events occur, where each of them takes its tokens from, and the values of their variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenTrace {
    pub events: BTreeSet<TransitionId>,
    /// For each input and test arc of an event, the output arc that made its token.
    pub source: BTreeMap<ArcId, ArcId>,
    /// The values of the variables of all events.
    pub binding: BTreeMap<VariableId, i64>,
}

/// Which item of Definition 3 does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Why {
    /// Item 1.
    #[error("event {0:?} is no transition of the net")]
    NoTransition(TransitionId),
    /// Item 2: every reading arc of an event has a source, and nothing else has.
    #[error("arc {0:?} has no source, or should have none")]
    Domain(ArcId),
    /// Item 2: a source is an output arc of an event.
    #[error("the source of arc {0:?} is no output of an event")]
    Source(ArcId),
    /// Item 2a.
    #[error("arc {0:?} and its source are at different places")]
    Place(ArcId),
    /// Item 2b.
    #[error("the token of arc {0:?} is consumed twice")]
    ConsumedTwice(ArcId),
    /// Item 3: each variable of an event has a value, one of its own, and no other variable has.
    #[error("variable {0:?} has no proper value, or should have none")]
    Binding(VariableId),
    /// Item 3.
    #[error("arc {0:?} and its source have different values")]
    Value(ArcId),
    /// Item 4.
    #[error("the guard of event {0:?} does not hold")]
    Guard(TransitionId),
    /// Item 5.
    #[error("event {0:?} would have to occur before itself")]
    Cycle(TransitionId),
}

impl TokenTrace {
    /// Whether this is a token trace of the net.
    pub fn check(&self, net: &Net) -> Result<(), Why> {
        let mut domain = BTreeSet::new();
        let mut variables = BTreeSet::new();
        for event in &self.events {
            let transition = net.transitions.get(event.index()).ok_or(Why::NoTransition(*event))?;
            let arcs = transition.arcs.iter().copied();
            domain.extend(arcs.filter(|arc| net.arc(*arc).kind != ArcKind::Output));
            variables.extend(transition.variables.iter().copied());
        }
        let sources: BTreeSet<ArcId> = self.source.keys().copied().collect();
        if let Some(arc) = domain.symmetric_difference(&sources).next() {
            return Err(Why::Domain(*arc));
        }
        let bound: BTreeSet<VariableId> = self.binding.keys().copied().collect();
        if let Some(variable) = variables.symmetric_difference(&bound).next() {
            return Err(Why::Binding(*variable));
        }
        for (variable, value) in &self.binding {
            if !net.variables[variable.index()].interval.contains(*value) {
                return Err(Why::Binding(*variable));
            }
        }
        let mut consumed = BTreeSet::new();
        for (reader, output) in &self.source {
            let made = net.arcs.get(output.index()).ok_or(Why::Source(*reader))?;
            let read = net.arc(*reader);
            if made.kind != ArcKind::Output || !self.events.contains(&made.transition) {
                return Err(Why::Source(*reader));
            }
            if made.place != read.place {
                return Err(Why::Place(*reader));
            }
            if read.kind == ArcKind::Input && !consumed.insert(*output) {
                return Err(Why::ConsumedTwice(*reader));
            }
            for (made, read) in made.values.iter().zip(&read.values) {
                let made = net.terms.evaluate_in(*made, &self.binding);
                if made.is_none() || made != net.terms.evaluate_in(*read, &self.binding) {
                    return Err(Why::Value(*reader));
                }
            }
        }
        for event in &self.events {
            let guard = net.transition(*event).guard;
            if matches!(net.terms.evaluate_in(guard, &self.binding), None | Some(0)) {
                return Err(Why::Guard(*event));
            }
        }
        match find_cycles(&self.precedences(net)).first().and_then(|cycle| cycle.first()) {
            Some(event) => Err(Why::Cycle(*event)),
            None => Ok(()),
        }
    }

    /// Which events have to occur before which (item 5 of the definition): makers of tokens before
    /// readers, and testers before takers of the same token. Sorted, without repetitions.
    pub fn precedences(&self, net: &Net) -> Vec<(TransitionId, TransitionId)> {
        let mut pairs = BTreeSet::new();
        let mut takers: BTreeMap<ArcId, Vec<TransitionId>> = BTreeMap::new();
        for (reader, output) in &self.source {
            let reader = net.arc(*reader);
            pairs.insert((net.arc(*output).transition, reader.transition));
            if reader.kind == ArcKind::Input {
                takers.entry(*output).or_default().push(reader.transition);
            }
        }
        for (reader, output) in &self.source {
            let reader = net.arc(*reader);
            if reader.kind == ArcKind::Test {
                let takers = takers.get(output).into_iter().flatten();
                pairs.extend(takers.map(|taker| (reader.transition, *taker)));
            }
        }
        pairs.into_iter().collect()
    }

    /// The tokens that nobody consumes.
    pub fn residual(&self, net: &Net) -> Marking {
        let taken =
            self.source.iter().filter(|(reader, _)| net.arc(**reader).kind == ArcKind::Input);
        let taken: BTreeSet<ArcId> = taken.map(|(_, output)| *output).collect();
        let mut marking = Marking::default();
        for event in &self.events {
            for output in net.arcs_of(*event, ArcKind::Output).filter(|o| !taken.contains(o)) {
                if let Some(token) = self.step(net, *event).token(net, net.arc(output)) {
                    marking.put(net.arc(output).place, token);
                }
            }
        }
        marking
    }

    fn step(&self, net: &Net, transition: TransitionId) -> Step {
        let variables = net.transition(transition).variables.iter();
        let binding = variables.filter_map(|v| Some((*v, *self.binding.get(v)?))).collect();
        Step { transition, binding }
    }

    /// The events that one of them depends on, and that one. They are downward closed, so this is a
    /// token trace, too (Lemma 2).
    pub fn past_of(&self, net: &Net, event: TransitionId) -> TokenTrace {
        let mut before: BTreeMap<TransitionId, Vec<TransitionId>> = BTreeMap::new();
        for (first, then) in self.precedences(net) {
            before.entry(then).or_default().push(first);
        }
        let mut events = BTreeSet::from([event]);
        let mut open = vec![event];
        while let Some(event) = open.pop() {
            let first = before.get(&event).into_iter().flatten();
            open.extend(first.copied().filter(|t| events.insert(*t)));
        }
        let source = self.source.iter();
        let source = source.filter(|(arc, _)| events.contains(&net.arc(**arc).transition));
        let source = source.map(|(arc, output)| (*arc, *output)).collect();
        let variables = events.iter().flat_map(|t| &net.transition(*t).variables);
        let binding = variables.filter_map(|v| Some((*v, *self.binding.get(v)?))).collect();
        TokenTrace { events, source, binding }
    }

    /// An execution with the same events (Lemma 4), with few switches between processes: it stays
    /// with a process as long as it can, and then goes on with the one that can run longest. Fails
    /// if this is no token trace.
    pub fn to_execution(
        &self,
        net: &Net,
        process: &dyn Fn(TransitionId) -> usize,
    ) -> Result<Execution, Why> {
        self.check(net)?;
        let mut schedule = Schedule::new(&self.events, &self.precedences(net));
        let mut steps = Vec::new();
        while let Some(run) = schedule.longest_run(process) {
            for event in run {
                schedule.occur(event);
                steps.push(self.step(net, event));
            }
        }
        Ok(Execution { steps })
    }
}

/// Events that are left, and how many have to occur before each.
#[derive(Clone)]
struct Schedule {
    waiting: BTreeMap<TransitionId, usize>,
    after: BTreeMap<TransitionId, Vec<TransitionId>>,
    ready: BTreeSet<TransitionId>,
}

impl Schedule {
    fn new(events: &BTreeSet<TransitionId>, pairs: &[(TransitionId, TransitionId)]) -> Schedule {
        let mut waiting: BTreeMap<TransitionId, usize> = events.iter().map(|t| (*t, 0)).collect();
        let mut after: BTreeMap<TransitionId, Vec<TransitionId>> = BTreeMap::new();
        for (t, u) in pairs {
            *waiting.entry(*u).or_default() += 1;
            after.entry(*t).or_default().push(*u);
        }
        let ready = waiting.iter().filter(|(_, count)| **count == 0).map(|(t, _)| *t).collect();
        Schedule { waiting, after, ready }
    }

    fn occur(&mut self, event: TransitionId) {
        self.ready.remove(&event);
        for u in self.after.get(&event).into_iter().flatten() {
            if let Some(count) = self.waiting.get_mut(u) {
                *count -= 1;
                if *count == 0 {
                    self.ready.insert(*u);
                }
            }
        }
    }

    /// The most events that one process can do now, without the others.
    fn longest_run(&self, process: &dyn Fn(TransitionId) -> usize) -> Option<Vec<TransitionId>> {
        let processes: BTreeSet<usize> = self.ready.iter().map(|t| process(*t)).collect();
        let mut best: Option<Vec<TransitionId>> = None;
        for p in processes {
            let mut ahead = self.clone();
            let mut run = Vec::new();
            while let Some(event) = ahead.ready.iter().copied().find(|t| process(*t) == p) {
                ahead.occur(event);
                run.push(event);
            }
            if best.as_ref().is_none_or(|best| run.len() > best.len()) {
                best = Some(run);
            }
        }
        best
    }
}
