//! What never happens, however many threads there are: sets of states that no step leaves.
//!
//! A *box* is a core (see [`crate::crowd`]) and a largest number for each place where others may
//! stand, or *any number*. It stands for all states with this core in which there are at most so
//! many of them, and nobody anywhere else. The checker makes sure that
//!
//! 1. every state in which the program may start is in some box;
//! 2. every step of every thread from a state in a box is no error (if that is claimed), or ends
//!    the run (if it is not), and leads to a state in some box;
//! 3. in every state in a box, all invariants that are claimed hold for all threads.
//!
//! **Theorem.** Then these invariants hold in every state that a run without an error reaches, for
//! every number of threads (for the number of the file, if it says one). By induction on the run: 1
//! is its start; a step of a thread from a state in a box is one of [`Space::moves`], of a named
//! thread or of somebody in the crowd, of whom the box must have room for one; what it does to the
//! numbers (one less there, one more here) it does to the largest numbers of the box. Where a box
//! allows more threads than there are, it stands for states that do not exist; that costs nothing
//! but proofs.
//!
//! For 3, only threads that a formula names matter: its parameters are mapped to named threads and
//! to members of the crowd, the same one or as many different ones as the box has room for.
//!
//! # Waiting forever
//!
//! That a thread waits forever after a run is the same: from the state after the run, with that
//! thread as the *hero* and as many others at the start as may still come, no step leaves the
//! boxes, and no step of the hero ends its round ([`Landing::completes`]), nor is it at its end.

use crate::crowd::{Core, Landing, Move, Outcome, Space, Spot, Standing, Start};
use crate::evaluate::View;
use crate::rejection::{Place, Reason, Rejection};
use crate::run::State;
use rustc_hash::FxHashMap;
use ser_base::{Limits, Pace};
use ser_syntax::inv::ast::Invariant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Cores and crowds, in tables.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boxes {
    pub cores: Vec<Core>,
    pub standings: Vec<Standing>,
    pub boxes: Vec<CrowdBox>,
}

/// A core, by its number, with a number of others for each standing, ascending.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrowdBox {
    pub core: u32,
    /// The number of a standing, and how many; any number if nothing is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crowd: Vec<(u32, Option<u32>)>,
}

/// How many others stand where.
pub type Crowd = BTreeMap<u32, Option<u32>>;

/// Steps of a mover, perhaps with a guest, from a core; landings with numbers.
pub(crate) type Steps = Rc<Vec<(Move, Option<Landed>)>>;

/// Where a step leads, if its core and standings are in the tables.
#[derive(Clone, Debug)]
pub(crate) struct Landed {
    pub core: Option<u32>,
    pub released: Vec<Option<u32>>,
    pub completes: bool,
}

/// The tables of a certificate, looked through.
pub(crate) struct Tables<'t, 's> {
    pub space: &'t Space<'s>,
    pub given: &'t Boxes,
    cores: FxHashMap<&'t Core, u32>,
    standings: FxHashMap<&'t Standing, u32>,
    known: FxHashMap<(u32, Mover, Option<u32>), Steps>,
}

/// Who takes a step: a named thread, or somebody of the crowd who stands here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mover {
    Named(u32),
    Crowd(u32),
}

fn wrong(what: impl Into<String>) -> Reason {
    Reason::Boxes { what: what.into() }
}

impl<'t, 's> Tables<'t, 's> {
    pub fn new(space: &'t Space<'s>, given: &'t Boxes) -> Result<Tables<'t, 's>, Reason> {
        let system = space.system;
        let stands = |it: &Standing| {
            let locals = it.locals.iter().zip(&system.locals);
            (it.location as usize) < system.locations.len()
                && it.locals.len() == system.locals.len()
                && locals.into_iter().all(|(value, of)| crate::evaluate::has_type(value, of.ty, 0))
        };
        if !given.standings.iter().all(stands) {
            return Err(wrong("nobody can stand as the table says"));
        }
        for core in &given.cores {
            let named = core.named.len() as u32;
            let globals = core.globals.iter().zip(&system.globals);
            let fits = core.globals.len() == system.globals.len()
                && globals.into_iter().all(|(it, of)| crate::evaluate::has_type(it, of.ty, named))
                && core.named.iter().all(stands)
                && core.hero.is_none_or(|hero| hero < named);
            if !fits {
                return Err(wrong("a core has values that the program does not have"));
            }
        }
        for one in &given.boxes {
            let known = one.crowd.iter().all(|it| (it.0 as usize) < given.standings.len());
            let ascending = one.crowd.windows(2).all(|two| two[0].0 < two[1].0);
            if one.core as usize >= given.cores.len() || !known || !ascending {
                return Err(wrong("a box speaks of something that is not in the tables"));
            }
        }
        Ok(Tables {
            space,
            given,
            cores: given.cores.iter().zip(0..).collect(),
            standings: given.standings.iter().zip(0..).collect(),
            known: FxHashMap::default(),
        })
    }

    pub fn core(&self, core: &Core) -> Option<u32> {
        self.cores.get(core).copied()
    }

    pub fn standing(&self, standing: &Standing) -> Option<u32> {
        self.standings.get(standing).copied()
    }

    pub fn spot(&self, mover: Mover) -> Spot {
        match mover {
            Mover::Named(place) => Spot::Named(place),
            Mover::Crowd(standing) => Spot::Crowd(self.given.standings[standing as usize].clone()),
        }
    }

    pub fn landed(&self, landing: &Landing) -> Landed {
        Landed {
            core: self.core(&landing.core),
            released: landing.released().map(|it| self.standing(it)).collect(),
            completes: landing.completes,
        }
    }

    pub fn steps(&mut self, core: u32, mover: Mover, guest: Option<u32>) -> Result<Steps, Reason> {
        if let Some(known) = self.known.get(&(core, mover, guest)) {
            return Ok(Rc::clone(known));
        }
        let standing = guest.map(|it| &self.given.standings[it as usize]);
        let moves =
            self.space.moves(&self.given.cores[core as usize], &self.spot(mover), standing)?;
        let steps = moves.into_iter().map(|it| {
            let landed = match &it.outcome {
                Outcome::Landed(landing) => Some(self.landed(landing)),
                Outcome::Fault(_) => None,
            };
            (it, landed)
        });
        let steps = Rc::new(steps.collect::<Vec<_>>());
        self.known.insert((core, mover, guest), Rc::clone(&steps));
        Ok(steps)
    }

    /// Who may take a step, with the crowd that is left then.
    pub fn movers(&self, core: u32, crowd: &Crowd) -> Vec<(Mover, Crowd)> {
        let named = self.given.cores[core as usize].named.len() as u32;
        let named = (0..named).map(|place| (Mover::Named(place), crowd.clone()));
        let others = crowd
            .keys()
            .filter_map(|standing| Some((Mover::Crowd(*standing), without(crowd, *standing)?)));
        named.chain(others).collect()
    }

    /// Whether a mover may choose somebody of the crowd.
    pub fn may_pick(&self, core: u32, mover: Mover) -> bool {
        let standing = match mover {
            Mover::Named(place) => self.given.cores[core as usize].named.get(place as usize),
            Mover::Crowd(standing) => self.given.standings.get(standing as usize),
        };
        standing.is_some_and(|it| self.space.may_pick(it))
    }

    /// Who of the crowd may be chosen by a mover, with the crowd that is left then.
    pub fn guests(&self, core: u32, mover: Mover, crowd: &Crowd) -> Vec<(Option<u32>, Crowd)> {
        let mut guests = vec![(None, crowd.clone())];
        if self.may_pick(core, mover) {
            guests.extend(
                crowd
                    .keys()
                    .filter_map(|standing| Some((Some(*standing), without(crowd, *standing)?))),
            );
        }
        guests
    }
}

/// One less, if there is one.
pub(crate) fn without(crowd: &Crowd, standing: u32) -> Option<Crowd> {
    let mut left = crowd.clone();
    match left.get_mut(&standing)? {
        None => {}
        Some(0) => return None,
        Some(number) => *number -= 1,
    }
    if left.get(&standing) == Some(&Some(0)) {
        left.remove(&standing);
    }
    Some(left)
}

/// One more.
pub(crate) fn with(crowd: &mut Crowd, standing: u32) {
    if let Some(number) = crowd.entry(standing).or_insert(Some(0)) {
        *number = number.saturating_add(1);
    }
}

/// Boxes by their cores.
struct Cover(FxHashMap<u32, Vec<Crowd>>);

impl Cover {
    fn of(given: &Boxes) -> Cover {
        let mut all: FxHashMap<u32, Vec<Crowd>> = FxHashMap::default();
        for one in &given.boxes {
            all.entry(one.core).or_default().push(one.crowd.iter().copied().collect());
        }
        Cover(all)
    }

    /// Whether all states with this core and at most so many others are in one box.
    fn has(&self, core: u32, crowd: &Crowd) -> bool {
        let fits = |room: &Crowd| {
            crowd.iter().all(|(standing, number)| match (number, room.get(standing)) {
                (Some(0), _) | (_, Some(None)) => true,
                (Some(number), Some(Some(most))) => number <= most,
                _ => false,
            })
        };
        self.0.get(&core).is_some_and(|all| all.iter().any(fits))
    }
}

/// What was gone through.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Went {
    pub boxes: usize,
    pub steps: usize,
}

/// Checks that no run leaves the boxes, and that all invariants of this name hold in them.
pub(crate) fn always(
    space: &Space<'_>,
    boxes: &Boxes,
    (invariants, safe): (&[String], bool),
    limits: &Limits,
) -> Result<Went, Rejection> {
    let mut claimed = Vec::new();
    for name in invariants {
        let at = || Place::Invariant(name.clone());
        let known = space.system.invariants.iter().find(|it| it.name.text == *name);
        let invariant = known.ok_or(Reason::NoInvariant);
        claimed.push(invariant.map_err(|reason| Rejection::from(reason).at(at))?);
    }
    if boxes.cores.iter().any(|core| core.hero.is_some()) {
        return Err(wrong("a thread is followed for no reason").into());
    }
    let mut tables = Tables::new(space, boxes)?;
    let cover = Cover::of(boxes);
    for Start { core, standings, others } in space.starts(limits)? {
        let crowd: Option<Crowd> =
            standings.iter().map(|it| Some((tables.standing(it)?, others))).collect();
        let inside = tables.core(&core).zip(crowd).is_some_and(|(core, it)| cover.has(core, &it));
        if !inside {
            return Err(wrong("the program may start in a state outside of all boxes").into());
        }
    }
    let went = closed(&mut tables, &cover, safe, limits)?;
    let mut pace = limits.pace();
    for invariant in claimed {
        let at = || Place::Invariant(invariant.name.text.clone());
        for one in &boxes.boxes {
            holds(space, boxes, one, invariant, &mut pace)
                .map_err(|it| Rejection::from(it).at(at))?;
        }
    }
    Ok(went)
}

/// Checks that no step leaves the boxes, and that none is an error if they are `safe`.
fn closed(
    tables: &mut Tables<'_, '_>,
    cover: &Cover,
    safe: bool,
    limits: &Limits,
) -> Result<Went, Reason> {
    let given = tables.given;
    let mut went = Went { boxes: given.boxes.len(), steps: 0 };
    for one in &given.boxes {
        limits.check_clock()?;
        let crowd: Crowd = one.crowd.iter().copied().collect();
        let hero = given.cores[one.core as usize].hero;
        for (mover, left) in tables.movers(one.core, &crowd) {
            for (guest, left) in tables.guests(one.core, mover, &left) {
                for (_, landed) in tables.steps(one.core, mover, guest)?.iter() {
                    went.steps += 1;
                    let Some(Landed { core, released, completes }) = landed else {
                        match safe {
                            true => return Err(wrong("a step from a state in a box is an error")),
                            false => continue,
                        }
                    };
                    if *completes && hero.is_some_and(|hero| mover == Mover::Named(hero)) {
                        return Err(wrong("the thread that is said to wait can go on"));
                    }
                    let after: Option<Vec<u32>> = released.iter().copied().collect();
                    let inside = core.zip(after).is_some_and(|(core, after)| {
                        let mut crowd = left.clone();
                        after.into_iter().for_each(|standing| with(&mut crowd, standing));
                        cover.has(core, &crowd)
                    });
                    if !inside {
                        return Err(wrong("a step leads out of all boxes"));
                    }
                }
            }
        }
    }
    Ok(went)
}

/// Checks that an invariant holds in all states of a box, for all threads.
fn holds(
    space: &Space<'_>,
    boxes: &Boxes,
    one: &CrowdBox,
    invariant: &Invariant,
    pace: &mut Pace<'_>,
) -> Result<(), Reason> {
    let core = &boxes.cores[one.core as usize];
    for (crowd, threads) in tuples(core, &one.crowd, invariant.parameters.len()) {
        pace.steps(64)?;
        let crowd: Vec<&Standing> = crowd.iter().map(|it| &boxes.standings[*it as usize]).collect();
        let state = space.state(core, &crowd);
        if !satisfied(&state, invariant, &threads)? {
            return Err(wrong("it does not hold in some state of a box"));
        }
    }
    Ok(())
}

/// Whether an invariant holds for these threads.
pub fn satisfied(state: &State, invariant: &Invariant, threads: &[u32]) -> Result<bool, Reason> {
    let view = View { state, me: None, parameters: threads };
    for conjunct in &invariant.conjuncts {
        if !view.holds(&conjunct.formula)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// All ways to choose so many threads: which of the crowd they are, and the number of each thread
/// in the state of the core with these.
pub fn tuples(
    core: &Core,
    crowd: &[(u32, Option<u32>)],
    parameters: usize,
) -> Vec<(Vec<u32>, Vec<u32>)> {
    let named = core.named.len() as u32;
    let mut all: Vec<(Vec<u32>, Vec<u32>)> = vec![(Vec::new(), Vec::new())];
    for _ in 0..parameters {
        let mut longer = Vec::new();
        for (chosen, threads) in &all {
            let there = named + chosen.len() as u32;
            let with = |thread: u32| [threads.clone(), vec![thread]].concat();
            longer.extend((0..there).map(|thread| (chosen.clone(), with(thread))));
            for (standing, number) in crowd {
                let taken = chosen.iter().filter(|it| *it == standing).count();
                if number.is_none_or(|number| taken < number as usize) {
                    longer.push(([chosen.clone(), vec![*standing]].concat(), with(there)));
                }
            }
        }
        all = longer;
    }
    all
}

/// Checks that a thread waits forever from a state on, whatever others come.
pub(crate) fn forever(
    space: &Space<'_>,
    boxes: &Boxes,
    state: &State,
    (thread, start): (u32, Option<&Start>),
    limits: &Limits,
) -> Result<Went, Reason> {
    let is_over = |it: &Standing| space.done.get(it.location as usize) == Some(&true);
    let Some(own) = state.threads.get(thread as usize) else {
        return Err(wrong("there is no such thread"));
    };
    if is_over(&Standing::from(own)) {
        return Err(wrong("the thread that is said to wait is at its end"));
    }
    let mut tables = Tables::new(space, boxes)?;
    if boxes.cores.iter().any(|core| core.hero.is_none()) {
        return Err(wrong("in a box nobody is followed"));
    }
    let cover = Cover::of(boxes);
    let (core, spots) = space.split(state, Some(thread))?;
    let missing = || wrong("the state after the run is in no box");
    let mut crowd = Crowd::new();
    for spot in &spots {
        if let Spot::Crowd(standing) = spot {
            with(&mut crowd, tables.standing(standing).ok_or_else(missing)?);
        }
    }
    // Others may still come.
    if let Some(Start { standings, others: None, .. }) = start {
        for standing in standings {
            crowd.insert(tables.standing(standing).ok_or_else(missing)?, None);
        }
    }
    let core = tables.core(&core).ok_or_else(missing)?;
    if !cover.has(core, &crowd) {
        return Err(missing());
    }
    closed(&mut tables, &cover, false, limits)
}
