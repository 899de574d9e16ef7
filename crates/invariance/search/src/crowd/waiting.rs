//! Whether somebody can wait forever.
//!
//! For growing caps, sets of states with exact numbers up to the cap are listed; from each of them,
//! every thread must be able to come to the end of its round, with those who are there at least and
//! with any number who have not begun. A run to the end is looked for, and what it needs is kept
//! (the weakest it needs, going backwards), so that most questions are answered by what is known
//! already.
//!
//! In between, all states of small instances are looked at, for a thread that cannot. That it never
//! can is shown by boxes that no step leaves and in which it never does ([`close_from`], with the
//! thread as hero).

use super::boxes::close_from;
use super::engine::{Crowd, Engine, Mover, Table, with, without};
use super::runs::{Search, State, Told, Way, minus, ways};
use super::{Counted, Undecided};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, LineIndex, Stop};
use ser_invariance_checker::control::Control;
use ser_invariance_checker::cover::{Boxes, CrowdBox};
use ser_invariance_checker::crowd::{Space, Spot};
use ser_invariance_checker::run::Shows;
use ser_invariance_checker::waiting::{By, End};
use ser_invariance_checker::{Certificate, Claim, Covers, Run};
use ser_syntax::inv::System;
use std::collections::{BTreeMap, VecDeque};

/// The caps that are tried.
const CAPS: [u32; 7] = [0, 1, 2, 3, 4, 5, 6];

/// Sets of states for one cap.
const MAX_BOXES: usize = 50_000;

/// States on the way of one thread to its end.
const MAX_WAY: usize = 3_000;

/// And when only those help who come.
const FEW: usize = 200;

/// States of an instance in which somebody may wait.
const MAX_STATES: usize = 20_000;

/// Threads in such an instance.
const MAX_THREADS: u32 = 4;

/// The answer.
#[derive(Clone, Debug)]
pub enum Deadlock {
    /// Nobody has to wait forever.
    Free(Box<Certificate>, Counted),
    /// After a run, this thread waits forever.
    Waits { certificate: Box<Certificate>, run: Box<Run>, thread: u32 },
}

/// Decides whether somebody can wait forever.
///
/// ```
/// use ser_invariance_search::crowd::{Deadlock, deadlock};
/// let text = "
///     set Threads
///     var busy: bool = false
///     process thread for self in Threads {
///         loop { enter: await !busy { busy := true }; crit: skip; busy := false }
///     }
///     invariant nothing: true
/// ";
/// let answer = |text: &str| {
///     let system = ser_syntax::inv::parse(text).system;
///     deadlock(text, &system, &Default::default()).unwrap()
/// };
/// assert!(matches!(answer(text), Deadlock::Free(..)));
/// let forgotten = text.replace("busy := false }", "skip }");
/// assert!(matches!(answer(&forgotten), Deadlock::Waits { thread: 0, .. }));
/// ```
pub fn deadlock(text: &str, system: &System, limits: &Limits) -> Result<Deadlock, Undecided> {
    let control = Control::new(system)?;
    let lines = LineIndex::new(text);
    let space = Space::new(system, &control, &lines)?;
    let engine = Engine::new(&space, limits)?;
    let mut search =
        Waiting { engine, ends: Vec::new(), by: FxHashMap::default(), alone: FxHashSet::default() };
    let fixed = system.threads;
    let mut next = fixed.unwrap_or(1);
    let mut stopped = None;
    for cap in CAPS {
        let found = match &stopped {
            None => search.all_finish(cap, limits),
            Some(_) => Ok(None),
        };
        match found {
            Ok(Some(boxes)) => {
                let (boxes, ends) = search.written(&boxes);
                let counted = Counted {
                    cores: boxes.cores.len(),
                    standings: boxes.standings.len(),
                    boxes: boxes.boxes.len(),
                };
                let shows = Covers::Finishing { cap, ends };
                let claim = Claim::Covered { boxes, shows };
                return Ok(Deadlock::Free(Box::new(Certificate::new(text, claim)), counted));
            }
            Ok(None) => {}
            // A run may still be found.
            Err(Undecided::Stopped(stop @ Stop::States { .. })) => stopped = Some(stop),
            Err(why) => return Err(why),
        }
        let last = fixed.unwrap_or(cap + 1).min(fixed.unwrap_or(MAX_THREADS));
        while next <= last {
            if let Some((run, boxes)) = search.somebody_waits(next, limits)? {
                let Shows::Waits { thread } = run.shows else { break };
                let claim = Claim::Covered { boxes, shows: Covers::Waits(run.clone()) };
                let certificate = Box::new(Certificate::new(text, claim));
                return Ok(Deadlock::Waits { certificate, run: Box::new(run), thread });
            }
            next += 1;
        }
    }
    if let Some(stop) = stopped {
        return Err(stop.into());
    }
    let what = "numbers up to six do not tell whether everybody can go on".to_owned();
    Err(Undecided::Other(what))
}

/// A situation from which the hero can come to its end.
#[derive(Clone, Debug)]
struct Known {
    core: u32,
    others: Vec<(u32, u32)>,
    way: Way,
    then: Option<usize>,
}

struct Waiting<'t, 's> {
    engine: Engine<'t, 's>,
    ends: Vec<Known>,
    by: FxHashMap<u32, Vec<usize>>,
    /// Cores whose heroes need the help of those who are there, as far as is known.
    alone: FxHashSet<u32>,
}

/// Whether a thread can come to its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Can {
    Yes,
    /// It cannot, or that was not found out.
    Perhaps,
}

type Box_ = (u32, Crowd);

impl Waiting<'_, '_> {
    /// Boxes in which everybody can come to the end, if these are all.
    fn all_finish(&mut self, cap: u32, limits: &Limits) -> Result<Option<Vec<Box_>>, Undecided> {
        let Some(boxes) = self.boxes(cap, limits)? else { return Ok(None) };
        for (core, crowd) in &boxes {
            self.engine.check(limits)?;
            let free: Vec<u32> = crowd.iter().filter(|it| it.1.is_none()).map(|it| *it.0).collect();
            let least = crowd.iter().filter_map(|it| Some((*it.0, (*it.1)?)));
            let least: Vec<(u32, u32)> = least.filter(|it| it.1 > 0).collect();
            for hero in self.heroes(*core, crowd.keys().copied()) {
                let (core, others) = self.followed(&(*core, least.clone()), hero)?;
                // Most often, the others are of no help.
                let alone = match self.alone.contains(&core) {
                    true => Can::Perhaps,
                    false => self.can_end((core, Vec::new()), &free, FEW, limits)?,
                };
                if alone == Can::Yes {
                    continue;
                }
                self.alone.insert(core);
                if self.can_end((core, others), &free, MAX_WAY, limits)? != Can::Yes {
                    return Ok(None);
                }
            }
        }
        Ok(Some(boxes))
    }

    /// Who is there and not done.
    fn heroes(&self, core: u32, crowd: impl Iterator<Item = u32>) -> Vec<Mover> {
        let named = self.engine.cores.get(core).named.len() as u32;
        let all = (0..named).map(Mover::Named).chain(crowd.map(Mover::Crowd));
        let done = &self.engine.space.done;
        all.filter(|it| {
            let location = self.engine.standing_of(core, *it).location;
            done.get(location as usize) != Some(&true)
        })
        .collect()
    }

    /// A state with a hero.
    fn followed(&mut self, (core, crowd): &State, hero: Mover) -> Result<State, Undecided> {
        let (spot, crowd) = match hero {
            Mover::Named(place) => (Spot::Named(place), crowd.clone()),
            Mover::Crowd(standing) => {
                let spot = Spot::Crowd(self.engine.standings.get(standing).clone());
                (spot, minus(crowd, standing))
            }
        };
        let core = self.engine.space.follow(self.engine.cores.get(*core), &spot)?;
        Ok((self.engine.cores.number(&core), crowd))
    }

    /// The boxes for a cap: numbers below it are exact. Nothing if variables may leave their
    /// ranges.
    fn boxes(&mut self, cap: u32, limits: &Limits) -> Result<Option<Vec<Box_>>, Undecided> {
        if cap == 0 {
            return self.joined(limits);
        }
        let mut seen: FxHashSet<Box_> = FxHashSet::default();
        let mut all: Vec<Box_> = Vec::new();
        for it in &self.engine.beginnings {
            for crowd in
                ser_invariance_checker::waiting::first_crowds(&it.standings, &it.start, cap)
            {
                if seen.insert((it.core, crowd.clone())) {
                    all.push((it.core, crowd));
                }
            }
        }
        let less = |crowd: &Crowd, standing: u32| {
            let same = (crowd.get(&standing) == Some(&Some(cap))).then(|| crowd.clone());
            without(crowd, standing).into_iter().chain(same).collect::<Vec<Crowd>>()
        };
        let mut next = 0;
        while let Some((core, crowd)) = all.get(next).cloned() {
            next += 1;
            self.engine.check(limits)?;
            if all.len() > MAX_BOXES {
                return Err(Undecided::Stopped(Stop::States { limit: MAX_BOXES }));
            }
            if !self.engine.is_in_range(core, crowd.keys().copied()) {
                return Ok(None);
            }
            let named = self.engine.cores.get(core).named.len() as u32;
            let movers: Vec<Mover> = (0..named)
                .map(Mover::Named)
                .chain(crowd.keys().map(|it| Mover::Crowd(*it)))
                .collect();
            for mover in movers {
                let lefts = match mover {
                    Mover::Named(_) => vec![crowd.clone()],
                    Mover::Crowd(standing) => less(&crowd, standing),
                };
                for left in lefts {
                    let mut guests = vec![(None, left.clone())];
                    if self.engine.may_pick(core, mover) {
                        guests.extend(left.keys().flat_map(|standing| {
                            less(&left, *standing).into_iter().map(|it| (Some(*standing), it))
                        }));
                    }
                    for (guest, left) in guests {
                        for step in self.engine.steps(core, mover, guest)?.iter() {
                            let Ok(after) = &step.outcome else { continue };
                            let mut crowd = left.clone();
                            after.released().for_each(|it| with(&mut crowd, it));
                            for number in crowd.values_mut() {
                                *number = number.map(|it| it.min(cap));
                            }
                            if seen.insert((after.core, crowd.clone())) {
                                all.push((after.core, crowd));
                            }
                        }
                    }
                }
            }
        }
        Ok(Some(all))
    }

    /// One box for each core, which says who may be there.
    fn joined(&mut self, limits: &Limits) -> Result<Option<Vec<Box_>>, Undecided> {
        let closed = super::boxes::close(&mut self.engine, (0, true), limits)?;
        let beginnings = &self.engine.beginnings;
        let free: Vec<&[u32]> = beginnings
            .iter()
            .map(|it| if it.start.others.is_none() { &it.standings[..] } else { &[] })
            .collect();
        if closed.cut || free.windows(2).any(|two| two[0] != two[1]) {
            return Ok(None);
        }
        let free = free.first().copied().unwrap_or_default();
        let number = |standing: u32| (!free.contains(&standing)).then_some(0);
        let boxes = closed.boxes.into_iter().map(|(core, crowd)| {
            (core, crowd.into_iter().map(|it| (it.0, number(it.0))).collect())
        });
        Ok(Some(boxes.collect()))
    }

    /// A known end that asks for no more.
    fn known(&self, (core, crowd): &State, free: &[u32]) -> Option<usize> {
        let has = |standing: u32, least: u32| {
            free.contains(&standing)
                || crowd
                    .binary_search_by_key(&standing, |it| it.0)
                    .is_ok_and(|at| crowd[at].1 >= least)
        };
        let mut all = self.by.get(core)?.iter().copied();
        all.find(|at| self.ends[*at].others.iter().all(|it| has(it.0, it.1)))
    }

    /// Whether the hero can come to its end.
    fn can_end(
        &mut self,
        from: State,
        free: &[u32],
        most: usize,
        limits: &Limits,
    ) -> Result<Can, Undecided> {
        let mut all: Vec<(State, Option<(usize, Way)>)> = vec![(from.clone(), None)];
        let mut seen: FxHashSet<State> = FxHashSet::default();
        seen.insert(from);
        // By how many have to come, which should be few.
        let mut open: BTreeMap<u32, VecDeque<usize>> = BTreeMap::from([(0, VecDeque::from([0]))]);
        while let Some(mut first) = open.first_entry() {
            let came = *first.key();
            let Some(at) = first.get_mut().pop_front() else {
                first.remove();
                continue;
            };
            self.engine.check(limits)?;
            if all.len() > most {
                return Ok(Can::Perhaps);
            }
            let state = all[at].0.clone();
            if let Some(end) = self.known(&state, free) {
                self.keep(&all, at, None, Some(end))?;
                return Ok(Can::Yes);
            }
            let hero = self.engine.cores.get(state.0).hero;
            for (way, after) in ways(&mut self.engine, &state, free)? {
                let Ok(after) = after else { continue };
                if hero.is_some_and(|hero| way.mover == Mover::Named(hero))
                    && self.completes(state.0, way)?
                {
                    self.keep(&all, at, Some(way), None)?;
                    return Ok(Can::Yes);
                }
                if seen.insert(after.clone()) {
                    let comes = matches!(way.mover, Mover::Crowd(it) if free.contains(&it));
                    open.entry(came + u32::from(comes)).or_default().push_back(all.len());
                    all.push((after, Some((at, way))));
                }
            }
        }
        Ok(Can::Perhaps)
    }

    fn completes(&mut self, core: u32, way: Way) -> Result<bool, Undecided> {
        let steps = self.engine.steps(core, way.mover, way.guest)?;
        let outcome = steps.get(way.step as usize).map(|it| &it.outcome);
        Ok(matches!(outcome, Some(Ok(after)) if after.completes))
    }

    /// Keeps what a way to the end needs, from its end to its start.
    fn keep(
        &mut self,
        all: &[(State, Option<(usize, Way)>)],
        at: usize,
        last: Option<Way>,
        mut then: Option<usize>,
    ) -> Result<(), Undecided> {
        if let Some(way) = last {
            then = Some(self.add(all[at].0.0, way, None)?);
        }
        let mut here = at;
        while let Some((from, way)) = all[here].1 {
            then = Some(self.add(all[from].0.0, way, then)?);
            here = from;
        }
        Ok(())
    }

    fn add(&mut self, core: u32, way: Way, then: Option<usize>) -> Result<usize, Undecided> {
        let steps = self.engine.steps(core, way.mover, way.guest)?;
        let mut others = then.map_or_else(Vec::new, |it| self.ends[it].others.clone());
        if let Some(Ok(after)) = steps.get(way.step as usize).map(|it| &it.outcome) {
            after.released().for_each(|it| others = minus(&others, it));
        }
        if let Mover::Crowd(standing) = way.mover {
            super::runs::plus(&mut others, standing);
        }
        if let Some(standing) = way.guest {
            super::runs::plus(&mut others, standing);
        }
        let number = self.ends.len();
        self.ends.push(Known { core, others, way, then });
        self.by.entry(core).or_default().push(number);
        Ok(number)
    }

    /// A run of so many threads after which one waits forever.
    fn somebody_waits(
        &mut self,
        threads: u32,
        limits: &Limits,
    ) -> Result<Option<(Run, Boxes)>, Undecided> {
        let is_open = self.engine.space.system.threads.is_none();
        let begun = Search::new(&mut self.engine, threads, MAX_STATES);
        let mut all = begun.all;
        let mut seen: FxHashSet<State> = all.iter().map(|it| it.0.clone()).collect();
        let mut next = 0;
        while next < all.len() {
            self.engine.check(limits)?;
            if all.len() > MAX_STATES {
                return Ok(None);
            }
            let state = all[next].0.clone();
            let (first, _) = super::runs::way_to(&all, next);
            let beginning = self.engine.beginnings.iter().find(|it| it.core == first.0);
            let free = beginning.map_or_else(Vec::new, |it| it.standings.clone());
            let free = if is_open { free } else { Vec::new() };
            for hero in self.heroes(state.0, state.1.clone().into_iter().map(|it| it.0)) {
                let mut followed = self.followed(&state, hero)?;
                followed.1.retain(|it| !free.contains(&it.0));
                if self.can_end(followed.clone(), &free, MAX_WAY, limits)? == Can::Yes {
                    continue;
                }
                let mut crowd: Crowd = followed.1.iter().map(|it| (it.0, Some(it.1))).collect();
                crowd.extend(free.iter().map(|it| (*it, None)));
                for cap in 0..3 {
                    let starts = vec![(followed.0, crowd.clone())];
                    let closed = close_from(&mut self.engine, starts, (cap, true), limits);
                    let closed = match closed {
                        Err(Undecided::Stopped(Stop::States { .. })) => break,
                        closed => closed?,
                    };
                    if !closed.completes && !closed.cut {
                        let run = self.told(&all, next, hero, threads)?;
                        return Ok(Some((run, self.engine.written(&closed.boxes))));
                    }
                }
            }
            for (way, after) in ways(&mut self.engine, &state, &[])? {
                if let Ok(after) = after
                    && seen.insert(after.clone())
                {
                    all.push((after, Some((next, way))));
                }
            }
            next += 1;
        }
        Ok(None)
    }

    /// The run to a state, after which somebody waits.
    fn told(
        &mut self,
        all: &[(State, Option<(usize, Way)>)],
        at: usize,
        hero: Mover,
        threads: u32,
    ) -> Result<Run, Undecided> {
        let told = Told::of(&mut self.engine, super::runs::way_to(all, at), threads)?;
        let thread = match hero {
            Mover::Named(place) => told.concerned(&[])[place as usize],
            Mover::Crowd(standing) => {
                told.concerned(&[standing]).last().copied().unwrap_or_default()
            }
        };
        Ok(told.run(Shows::Waits { thread }))
    }

    /// Boxes and ends with tables of what they speak of.
    fn written(&self, boxes: &[Box_]) -> (Boxes, Vec<End>) {
        let mut table = Table::default();
        let engine = &self.engine;
        let mut written: Vec<CrowdBox> = Vec::new();
        for (core, crowd) in boxes {
            let core = table.core(engine, *core);
            let crowd = crowd.iter().map(|it| (table.standing(engine, *it.0), *it.1));
            let mut crowd: Vec<(u32, Option<u32>)> = crowd.collect();
            crowd.sort_unstable();
            written.push(CrowdBox { core, crowd });
        }
        let mut ends = Vec::new();
        for it in &self.ends {
            let core = table.core(engine, it.core);
            let others = it.others.iter().map(|it| (table.standing(engine, it.0), it.1));
            let mut others: Vec<(u32, u32)> = others.collect();
            others.sort_unstable();
            let by = match it.way.mover {
                Mover::Named(place) => By::Named(place),
                Mover::Crowd(standing) => By::Crowd(table.standing(engine, standing)),
            };
            let guest = it.way.guest.map(|guest| table.standing(engine, guest));
            // Steps were looked at when the end was found.
            let taken = engine.known_step(it.core, it.way);
            let (path, chosen) = taken.map_or((0, Vec::new()), |it| (it.path, it.chosen.clone()));
            let then = it.then.map(|then| then as u32);
            ends.push(End { core, others, by, guest, path, chosen, then });
        }
        let (cores, standings) = (table.cores.into_all(), table.standings.into_all());
        (Boxes { cores, standings, boxes: written }, ends)
    }
}
