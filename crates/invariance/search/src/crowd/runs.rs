//! Runs of a fixed number of threads, shortest first, up to which thread is which.

use super::Undecided;
use super::engine::{Engine, Mover, Now, Taken};
use crate::answer::Wrong;
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_invariance_checker::Run;
use ser_invariance_checker::run::{FaultKind, RunStep, Shows, Value};
use ser_syntax::inv::ast::{InvId, LocId};
use std::collections::BTreeMap;

/// What a run is looked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Goal {
    Violated(InvId),
    /// A step that is an error.
    Error,
}

/// A run that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hit {
    pub goal: Goal,
    pub run: Run,
    pub what: Wrong,
}

/// A core with so many others at each standing, ascending.
pub type State = (u32, Vec<(u32, u32)>);

/// A step between two states: who, who is chosen, and which of these steps.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub mover: Mover,
    pub guest: Option<u32>,
    pub step: u32,
}

pub struct Search<'e, 't, 's> {
    pub engine: &'e mut Engine<'t, 's>,
    threads: u32,
    most: usize,
    /// Whether to stop where a variable leaves its range.
    pub bounded: bool,
    /// States, and from which one and how they are reached.
    pub all: Vec<(State, Option<(usize, Way)>)>,
    seen: FxHashMap<State, usize>,
}

/// One less of these.
pub fn minus(crowd: &[(u32, u32)], standing: u32) -> Vec<(u32, u32)> {
    let mut left = crowd.to_vec();
    if let Ok(at) = left.binary_search_by_key(&standing, |it| it.0) {
        left[at].1 -= 1;
        if left[at].1 == 0 {
            left.remove(at);
        }
    }
    left
}

/// One more.
pub fn plus(crowd: &mut Vec<(u32, u32)>, standing: u32) {
    match crowd.binary_search_by_key(&standing, |it| it.0) {
        Ok(at) => crowd[at].1 += 1,
        Err(at) => crowd.insert(at, (standing, 1)),
    }
}

/// A step with where it leads; errors lead nowhere.
pub type Led = (Way, Result<State, FaultKind>);

/// All ways to take a step from a state. Of those who are `free` there are as many as it takes, and
/// nobody counts them.
pub fn ways(
    engine: &mut Engine<'_, '_>,
    (core, crowd): &State,
    free: &[u32],
) -> Result<Vec<Led>, Undecided> {
    let named = engine.cores.get(*core).named.len() as u32;
    let there = |left: &[(u32, u32)]| -> Vec<u32> {
        left.iter().map(|it| it.0).chain(free.iter().copied()).collect()
    };
    let movers = (0..named).map(Mover::Named).chain(there(crowd).into_iter().map(Mover::Crowd));
    let mut found = Vec::new();
    for mover in movers.collect::<Vec<_>>() {
        let left = match mover {
            Mover::Named(_) => crowd.clone(),
            Mover::Crowd(standing) => minus(crowd, standing),
        };
        let mut guests = vec![None];
        if engine.may_pick(*core, mover) {
            guests.extend(there(&left).into_iter().map(Some));
        }
        for guest in guests {
            let left = guest.map_or_else(|| left.clone(), |it| minus(&left, it));
            for (step, taken) in engine.steps(*core, mover, guest)?.iter().enumerate() {
                let way = Way { mover, guest, step: step as u32 };
                let after = match &taken.outcome {
                    Err(fault) => Err(fault.kind),
                    Ok(after) => {
                        let mut crowd = left.clone();
                        for standing in after.released().filter(|it| !free.contains(it)) {
                            plus(&mut crowd, standing);
                        }
                        Ok((after.core, crowd))
                    }
                };
                found.push((way, after));
            }
        }
    }
    Ok(found)
}

impl<'e, 't, 's> Search<'e, 't, 's> {
    pub fn new(engine: &'e mut Engine<'t, 's>, threads: u32, most: usize) -> Search<'e, 't, 's> {
        let mut search = Search {
            engine,
            threads,
            most,
            bounded: true,
            all: Vec::new(),
            seen: FxHashMap::default(),
        };
        search.begin();
        search
    }

    /// The states at the start.
    fn begin(&mut self) {
        let mut starts: Vec<State> = Vec::new();
        for beginning in &self.engine.beginnings {
            let named = self.engine.cores.get(beginning.core).named.len() as u32;
            let Some(others) = self.threads.checked_sub(named) else { continue };
            let mut shares: Vec<(Vec<(u32, u32)>, u32)> = vec![(Vec::new(), others)];
            for (place, standing) in beginning.standings.iter().enumerate() {
                let is_last = place + 1 == beginning.standings.len();
                let longer = |(crowd, left): (Vec<(u32, u32)>, u32)| {
                    let least = if is_last { left } else { 0 };
                    (least..=left).map(move |some| {
                        let mut crowd = crowd.clone();
                        if some > 0 {
                            crowd.push((*standing, some));
                            crowd.sort_unstable();
                        }
                        (crowd, left - some)
                    })
                };
                shares = shares.into_iter().flat_map(longer).collect();
            }
            shares.retain(|it| it.1 == 0);
            starts.extend(shares.into_iter().map(|(crowd, _)| (beginning.core, crowd)));
        }
        for state in starts {
            self.add(state, None);
        }
    }

    pub fn add(&mut self, state: State, from: Option<(usize, Way)>) {
        if !self.seen.contains_key(&state) {
            self.seen.insert(state.clone(), self.all.len());
            self.all.push((state, from));
        }
    }

    /// The first runs to each of these goals; and whether all states were looked at, or all goals
    /// found.
    pub fn run(mut self, goals: &[Goal], limits: &Limits) -> Result<(Vec<Hit>, bool), Undecided> {
        let mut open = goals.to_vec();
        let mut found = Vec::new();
        let mut next = 0;
        while next < self.all.len() {
            if next % 64 == 0 {
                self.engine.check(limits)?;
            }
            if self.all.len() > self.most {
                return Ok((found, false));
            }
            let state = self.all[next].0.clone();
            let crowd: Vec<(u32, Option<u32>)> =
                state.1.iter().map(|it| (it.0, Some(it.1))).collect();
            for goal in open.clone() {
                let Goal::Violated(id) = goal else { continue };
                if let Some((chosen, threads)) = self.engine.violated(state.0, &crowd, id)? {
                    open.retain(|it| *it != goal);
                    found.push(self.violation(next, id, &chosen, &threads)?);
                }
            }
            if open.is_empty() {
                return Ok((found, true));
            }
            let crowd = state.1.iter().map(|it| it.0);
            if self.bounded && !self.engine.is_in_range(state.0, crowd) {
                next += 1;
                continue;
            }
            for (way, after) in ways(self.engine, &state, &[])? {
                match after {
                    Ok(state) => self.add(state, Some((next, way))),
                    Err(kind) if open.contains(&Goal::Error) => {
                        open.retain(|it| *it != Goal::Error);
                        let location = LocId(self.engine.standing_of(state.0, way.mover).location);
                        let mut told = Told::of(self.engine, self.way_to(next), self.threads)?;
                        told.step(self.engine, state.0, way)?;
                        let what = Wrong::Error(kind, location);
                        let run = told.run(Shows::Error);
                        found.push(Hit { goal: Goal::Error, run, what });
                    }
                    Err(_) => {}
                }
            }
            next += 1;
        }
        Ok((found, true))
    }

    /// From the start to a state.
    pub fn way_to(&self, at: usize) -> (State, Vec<(u32, Way)>) {
        way_to(&self.all, at)
    }

    fn violation(
        &mut self,
        at: usize,
        id: InvId,
        chosen: &[u32],
        threads: &[u32],
    ) -> Result<Hit, Undecided> {
        let told = Told::of(self.engine, self.way_to(at), self.threads)?;
        let concerned = told.concerned(chosen);
        let threads: Vec<u32> = threads.iter().map(|it| concerned[*it as usize]).collect();
        let invariant = &self.engine.space.system.invariants[id.index()];
        let conjunct =
            told.conjunct(self.engine, self.all[at].0.0, chosen, id, &concerned, &threads)?;
        let shows = Shows::Violated { invariant: invariant.name.text.clone(), threads };
        let what = Wrong::Violated(id, conjunct);
        Ok(Hit { goal: Goal::Violated(id), run: told.run(shows), what })
    }
}

/// From the start to a state: steps with the cores that they start from.
pub fn way_to(all: &[(State, Option<(usize, Way)>)], at: usize) -> (State, Vec<(u32, Way)>) {
    let (mut here, mut steps) = (at, Vec::new());
    while let Some((from, way)) = all[here].1 {
        steps.push((all[from].0.0, way));
        here = from;
    }
    steps.reverse();
    (all[here].0.clone(), steps)
}

/// A run with threads that have numbers.
pub struct Told {
    globals: Vec<Value>,
    locals: Vec<Vec<Value>>,
    steps: Vec<RunStep>,
    /// Who is named now.
    named: Vec<u32>,
    /// Who stands where.
    crowd: BTreeMap<u32, Vec<u32>>,
}

impl Told {
    pub fn of(
        engine: &mut Engine<'_, '_>,
        ((core, crowd), way): (State, Vec<(u32, Way)>),
        threads: u32,
    ) -> Result<Told, Undecided> {
        let first = engine.cores.get(core);
        let mut told = Told {
            globals: first.globals.clone(),
            locals: first.named.iter().map(|it| it.locals.clone()).collect(),
            steps: Vec::new(),
            named: (0..first.named.len() as u32).collect(),
            crowd: BTreeMap::new(),
        };
        for (standing, number) in crowd {
            for _ in 0..number {
                let thread = told.locals.len() as u32;
                told.locals.push(engine.standings.get(standing).locals.clone());
                told.crowd.entry(standing).or_default().push(thread);
            }
        }
        debug_assert_eq!(told.locals.len(), threads as usize);
        for (core, way) in way {
            told.step(engine, core, way)?;
        }
        Ok(told)
    }

    fn leave(&mut self, standing: u32) -> u32 {
        self.crowd.get_mut(&standing).and_then(Vec::pop).unwrap_or_default()
    }

    /// One more step.
    pub fn step(
        &mut self,
        engine: &mut Engine<'_, '_>,
        core: u32,
        way: Way,
    ) -> Result<(), Undecided> {
        let steps = engine.steps(core, way.mover, way.guest)?;
        let Taken { path, chosen, outcome } = &steps[way.step as usize];
        let mut concerned = self.named.clone();
        let thread = match way.mover {
            Mover::Named(place) => self.named[place as usize],
            Mover::Crowd(standing) => {
                let thread = self.leave(standing);
                concerned.push(thread);
                thread
            }
        };
        if let Some(standing) = way.guest {
            let guest = self.leave(standing);
            concerned.push(guest);
        }
        let real = |value: &Value| match value {
            Value::Tid(Some(thread)) => Value::Tid(Some(concerned[*thread as usize])),
            value => value.clone(),
        };
        let chosen = chosen.iter().map(real).collect();
        self.steps.push(RunStep { thread, path: *path, chosen });
        if let Ok(after) = outcome {
            self.named = vec![0; engine.cores.get(after.core).named.len()];
            for (thread, now) in concerned.iter().zip(&after.threads) {
                match now {
                    Now::Named(place) => self.named[*place as usize] = *thread,
                    Now::Crowd(standing) => {
                        self.crowd.entry(*standing).or_default().push(*thread);
                    }
                }
            }
        }
        Ok(())
    }

    /// The named threads, and some of the crowd.
    pub fn concerned(&self, chosen: &[u32]) -> Vec<u32> {
        let mut crowd = self.crowd.clone();
        let others = chosen.iter().map(|it| crowd.get_mut(it).and_then(Vec::pop).unwrap_or(0));
        let others: Vec<u32> = others.collect();
        self.named.iter().copied().chain(others).collect()
    }

    /// The first conjunct that does not hold.
    fn conjunct(
        &self,
        engine: &Engine<'_, '_>,
        core: u32,
        chosen: &[u32],
        id: InvId,
        concerned: &[u32],
        threads: &[u32],
    ) -> Result<usize, Undecided> {
        let others: Vec<_> = chosen.iter().map(|it| engine.standings.get(*it)).collect();
        let state = engine.space.state(engine.cores.get(core), &others);
        let place = |it: &u32| concerned.iter().position(|other| other == it).unwrap_or(0) as u32;
        let threads: Vec<u32> = threads.iter().map(place).collect();
        let declared = &engine.space.system.invariants[id.index()];
        for (number, conjunct) in declared.conjuncts.iter().enumerate() {
            let mut alone = declared.clone();
            alone.conjuncts = vec![conjunct.clone()];
            if !ser_invariance_checker::cover::satisfied(&state, &alone, &threads)? {
                return Ok(number);
            }
        }
        Ok(0)
    }

    /// The run, with threads numbered in the order in which they move.
    pub fn run(self, shows: Shows) -> Run {
        let mut order: Vec<u32> = Vec::new();
        let all = 0..self.locals.len() as u32;
        for thread in self.steps.iter().map(|it| it.thread).chain(all) {
            if !order.contains(&thread) {
                order.push(thread);
            }
        }
        let new =
            |thread: &u32| order.iter().position(|it| it == thread).unwrap_or_default() as u32;
        let renamed = |value: &Value| match value {
            Value::Tid(Some(thread)) => Value::Tid(Some(new(thread))),
            Value::Set(members) => Value::Set(
                members
                    .iter()
                    .map(|it| match it {
                        Value::Tid(Some(thread)) => Value::Tid(Some(new(thread))),
                        it => it.clone(),
                    })
                    .collect(),
            ),
            value => value.clone(),
        };
        let shows = match shows {
            Shows::Violated { invariant, threads } => {
                Shows::Violated { invariant, threads: threads.iter().map(new).collect() }
            }
            Shows::Waits { thread } => Shows::Waits { thread: new(&thread) },
            Shows::Error => Shows::Error,
        };
        let steps = self.steps.iter().map(|it| RunStep {
            thread: new(&it.thread),
            path: it.path,
            chosen: it.chosen.iter().map(renamed).collect(),
        });
        Run {
            threads: self.locals.len() as u32,
            globals: self.globals.iter().map(renamed).collect(),
            locals: order.iter().map(|it| self.locals[*it as usize].clone()).collect(),
            cells: BTreeMap::new(),
            steps: steps.collect(),
            shows,
        }
    }
}
