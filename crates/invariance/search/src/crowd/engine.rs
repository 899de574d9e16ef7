//! Cores and standings by numbers, and the steps between them, each looked at once.

use super::Undecided;
use super::runs::Way;
use rustc_hash::FxHashMap;
use ser_base::{Limits, Stop};
use ser_invariance_checker::cover::{Boxes, CrowdBox, satisfied, tuples};
use ser_invariance_checker::crowd::{Core, Outcome, Space, Spot, Standing, Start};
use ser_invariance_checker::run::{Fault, Value};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{InvId, Scalar, Type};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

/// How many others stand where; any number if nothing is said.
pub type Crowd = BTreeMap<u32, Option<u32>>;

/// Cores and standings in all.
const MAX_PARTS: usize = 60_000;

/// And where a number has no range, so that it may grow: then there is little hope, and induction
/// waits.
const FEW_PARTS: usize = 1_000;

/// Things with numbers.
#[derive(Debug)]
pub struct Numbered<T> {
    all: Vec<T>,
    known: FxHashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { all: Vec::new(), known: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    pub fn number(&mut self, it: &T) -> u32 {
        if let Some(known) = self.known.get(it) {
            return *known;
        }
        let number = self.all.len() as u32;
        self.all.push(it.clone());
        self.known.insert(it.clone(), number);
        number
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn get(&self, number: u32) -> &T {
        &self.all[number as usize]
    }
}

/// Who takes a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Mover {
    Named(u32),
    Crowd(u32),
}

/// Where a thread is after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Now {
    Named(u32),
    Crowd(u32),
}

/// A step.
#[derive(Clone, Debug)]
pub struct Taken {
    pub path: u32,
    pub chosen: Vec<Value>,
    pub outcome: Result<After, Fault>,
}

/// What a step leads to.
#[derive(Clone, Debug)]
pub struct After {
    pub core: u32,
    /// Of the named threads before, of the mover if it was none, of the guest.
    pub threads: Vec<Now>,
    pub completes: bool,
}

impl After {
    pub fn released(&self) -> impl Iterator<Item = u32> + '_ {
        self.threads.iter().filter_map(|it| match it {
            Now::Crowd(standing) => Some(*standing),
            Now::Named(_) => None,
        })
    }
}

/// A way to start, by numbers.
#[derive(Clone, Debug)]
pub struct Beginning {
    pub start: Start,
    pub core: u32,
    pub standings: Vec<u32>,
}

/// Which threads of a core and a crowd violate an invariant.
type Culprits = Option<Meant>;

/// Some of the crowd, and which threads of the state with these are meant.
type Meant = (Vec<u32>, Vec<u32>);

/// A core and how many others stand where.
pub type Boxed = (u32, Vec<(u32, Option<u32>)>);

pub struct Engine<'t, 's> {
    pub space: &'t Space<'s>,
    pub cores: Numbered<Core>,
    pub standings: Numbered<Standing>,
    pub beginnings: Vec<Beginning>,
    most: usize,
    steps: FxHashMap<(u32, Mover, Option<u32>), Rc<Vec<Taken>>>,
    may_pick: Vec<bool>,
    judged: FxHashMap<(u32, InvId), FxHashMap<Meant, bool>>,
}

impl<'t, 's> Engine<'t, 's> {
    pub fn new(space: &'t Space<'s>, limits: &Limits) -> Result<Engine<'t, 's>, Undecided> {
        let mut engine = Engine {
            space,
            cores: Numbered::default(),
            standings: Numbered::default(),
            beginnings: Vec::new(),
            most: if has_open_numbers(space.system) { FEW_PARTS } else { MAX_PARTS },
            steps: FxHashMap::default(),
            may_pick: Vec::new(),
            judged: FxHashMap::default(),
        };
        for start in space.starts(limits)? {
            let core = engine.cores.number(&start.core);
            let standings = start.standings.iter().map(|it| engine.standings.number(it)).collect();
            engine.beginnings.push(Beginning { start, core, standings });
        }
        if engine.beginnings.is_empty() {
            let what = "there is no state in which the program can start".to_owned();
            return Err(Undecided::Other(what));
        }
        Ok(engine)
    }

    /// Whether there are too many parts.
    pub fn check(&self, limits: &Limits) -> Result<(), Undecided> {
        let parts = self.cores.len() + self.standings.len();
        if parts > self.most {
            return Err(Undecided::Stopped(Stop::States { limit: self.most }));
        }
        Ok(limits.check(parts, parts * 1000)?)
    }

    /// How many others are looked at in all steps.
    pub fn most_work(&self) -> usize {
        if self.most == FEW_PARTS { 200_000 } else { 50_000_000 }
    }

    pub fn standing_of(&self, core: u32, mover: Mover) -> &Standing {
        match mover {
            Mover::Named(place) => &self.cores.get(core).named[place as usize],
            Mover::Crowd(standing) => self.standings.get(standing),
        }
    }

    /// The steps of somebody; with a guest, those in which this one is chosen.
    pub fn steps(
        &mut self,
        core: u32,
        mover: Mover,
        guest: Option<u32>,
    ) -> Result<Rc<Vec<Taken>>, Undecided> {
        if let Some(known) = self.steps.get(&(core, mover, guest)) {
            return Ok(Rc::clone(known));
        }
        let spot = match mover {
            Mover::Named(place) => Spot::Named(place),
            Mover::Crowd(standing) => Spot::Crowd(self.standings.get(standing).clone()),
        };
        let other = guest.map(|it| self.standings.get(it).clone());
        let moves = self.space.moves(self.cores.get(core), &spot, other.as_ref())?;
        let mut steps = Vec::new();
        for one in moves {
            let outcome = match one.outcome {
                Outcome::Fault(fault) => Err(fault),
                Outcome::Landed(landing) => Ok(After {
                    core: self.cores.number(&landing.core),
                    threads: landing
                        .threads
                        .iter()
                        .map(|it| match it {
                            Spot::Named(place) => Now::Named(*place),
                            Spot::Crowd(standing) => Now::Crowd(self.standings.number(standing)),
                        })
                        .collect(),
                    completes: landing.completes,
                }),
            };
            steps.push(Taken { path: one.path, chosen: one.chosen, outcome });
        }
        let steps = Rc::new(steps);
        self.steps.insert((core, mover, guest), Rc::clone(&steps));
        Ok(steps)
    }

    /// Whether all variables with a range are within it; but for parameters, which are so only at
    /// times.
    pub fn is_in_range(&self, core: u32, mut crowd: impl Iterator<Item = u32>) -> bool {
        let system = self.space.system;
        let within = |value: &Value, range: Option<(i64, i64)>| match (value, range) {
            (Value::Int(number), Some((low, high))) => (low..=high).contains(number),
            _ => true,
        };
        let fits = |it: &Standing| {
            let mut locals = it.locals.iter().zip(&system.locals);
            locals.all(|(value, of)| of.initial.is_none() || within(value, of.range))
        };
        let core = self.cores.get(core);
        let mut globals = core.globals.iter().zip(&system.globals);
        globals.all(|(value, of)| within(value, of.range))
            && core.named.iter().all(fits)
            && crowd.all(|it| fits(self.standings.get(it)))
    }

    /// A step that was looked at before.
    pub fn known_step(&self, core: u32, way: Way) -> Option<&Taken> {
        self.steps.get(&(core, way.mover, way.guest))?.get(way.step as usize)
    }

    /// Whether somebody may choose another thread of the crowd next.
    pub fn may_pick(&mut self, core: u32, mover: Mover) -> bool {
        if self.may_pick.is_empty() {
            let count = self.space.system.locations.len() as u32;
            let at = |location| Standing { location, locals: Vec::new(), sites: Vec::new() };
            self.may_pick = (0..count).map(|it| self.space.may_pick(&at(it))).collect();
        }
        let location = self.standing_of(core, mover).location;
        self.may_pick.get(location as usize) == Some(&true)
    }

    /// Threads of a core with such a crowd that violate an invariant.
    pub fn violated(
        &mut self,
        core: u32,
        crowd: &[(u32, Option<u32>)],
        invariant: InvId,
    ) -> Result<Culprits, Undecided> {
        let declared = &self.space.system.invariants[invariant.index()];
        let given = self.cores.get(core);
        let judged = self.judged.entry((core, invariant)).or_default();
        for (chosen, threads) in tuples(given, crowd, declared.parameters.len()) {
            let key = (chosen, threads);
            let holds = match judged.get(&key) {
                Some(known) => *known,
                None => {
                    let others: Vec<&Standing> =
                        key.0.iter().map(|it| self.standings.get(*it)).collect();
                    let state = self.space.state(given, &others);
                    let holds = satisfied(&state, declared, &key.1)?;
                    judged.insert(key.clone(), holds);
                    holds
                }
            };
            if !holds {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// Boxes with tables of what they speak of.
    pub fn written(&self, boxes: &[Boxed]) -> Boxes {
        let mut table = Table::default();
        let written = boxes.iter().map(|(core, crowd)| CrowdBox {
            core: table.core(self, *core),
            crowd: {
                let mut crowd: Vec<_> =
                    crowd.iter().map(|it| (table.standing(self, it.0), it.1)).collect();
                crowd.sort_unstable();
                crowd
            },
        });
        let boxes = written.collect();
        Boxes { cores: table.cores.all, standings: table.standings.all, boxes }
    }
}

/// The cores and standings that a certificate speaks of.
#[derive(Debug, Default)]
pub struct Table {
    pub cores: Numbered<Core>,
    pub standings: Numbered<Standing>,
}

impl Table {
    pub fn core(&mut self, engine: &Engine<'_, '_>, core: u32) -> u32 {
        self.cores.number(engine.cores.get(core))
    }

    pub fn standing(&mut self, engine: &Engine<'_, '_>, standing: u32) -> u32 {
        self.standings.number(engine.standings.get(standing))
    }
}

impl<T> Numbered<T> {
    pub fn into_all(self) -> Vec<T> {
        self.all
    }
}

/// Whether there are variables for numbers of any size.
fn has_open_numbers(system: &System) -> bool {
    let is_open = |ty, range: Option<(i64, i64)>| match ty {
        Type::Scalar(Scalar::Int) => range.is_none(),
        Type::Set(Scalar::Int) => true,
        _ => false,
    };
    system.globals.iter().any(|it| is_open(it.ty, it.range))
        || system.locals.iter().any(|it| is_open(it.ty, it.range))
}

/// One less of these; nothing if there is none.
pub fn without(crowd: &Crowd, standing: u32) -> Option<Crowd> {
    let mut left = crowd.clone();
    match left.get(&standing)? {
        None => {}
        Some(0) => return None,
        Some(1) => drop(left.remove(&standing)),
        Some(number) => drop(left.insert(standing, Some(number - 1))),
    }
    Some(left)
}

/// One more.
pub fn with(crowd: &mut Crowd, standing: u32) {
    if let Some(number) = crowd.entry(standing).or_insert(Some(0)) {
        *number += 1;
    }
}
