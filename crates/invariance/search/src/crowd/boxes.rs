//! Boxes that no step leaves, with numbers up to a cap.

use super::Undecided;
use super::engine::{Boxed, Crowd, Engine, Mover, with, without};
use rustc_hash::FxHashMap;
use ser_base::{Limits, Stop};
use std::collections::VecDeque;

/// So many boxes for one cap.
const MAX_BOXES: usize = 20_000;

/// Boxes that no step leaves.
#[derive(Debug)]
pub struct Closed {
    pub boxes: Vec<Boxed>,
    /// Whether some step may be an error.
    pub fails: bool,
    /// Whether the hero, if there is one, may end a round.
    pub completes: bool,
    /// Whether some variable may leave its range. What would come then was not looked at, so
    /// nothing is shown.
    pub cut: bool,
}

/// From the start of the program; only within the ranges of variables, if `bounded`.
pub fn close(
    engine: &mut Engine<'_, '_>,
    (cap, bounded): (u32, bool),
    limits: &Limits,
) -> Result<Closed, Undecided> {
    let starts = engine.beginnings.iter().map(|it| {
        let crowd = it.standings.iter().map(|standing| (*standing, it.start.others));
        (it.core, crowd.collect::<Crowd>())
    });
    let starts: Vec<(u32, Crowd)> = starts.collect();
    close_from(engine, starts, (cap, bounded), limits)
}

/// Boxes that no step leaves, around these. With the cap 0 there is one for each core, and all that
/// is known is who may be there.
pub fn close_from(
    engine: &mut Engine<'_, '_>,
    starts: Vec<(u32, Crowd)>,
    (cap, bounded): (u32, bool),
    limits: &Limits,
) -> Result<Closed, Undecided> {
    let mut found = Found { by: FxHashMap::default(), all: Vec::new(), open: VecDeque::new(), cap };
    let (mut fails, mut completes, mut cut) = (false, false, false);
    for (core, crowd) in starts {
        found.add(core, crowd);
    }
    let (mut looked, mut work) = (0_usize, 0_usize);
    while let Some(at) = found.open.pop_front() {
        let (core, crowd, alive) = &found.all[at];
        if !alive {
            continue;
        }
        let (core, crowd) = (*core, crowd.clone());
        looked += 1;
        engine.check(limits)?;
        if looked > MAX_BOXES || work > engine.most_work() {
            return Err(Undecided::Stopped(Stop::States { limit: MAX_BOXES }));
        }
        if bounded && !engine.is_in_range(core, crowd.keys().copied()) {
            cut = true;
            continue;
        }
        let hero = engine.cores.get(core).hero;
        let named = engine.cores.get(core).named.len() as u32;
        let movers = (0..named).map(Mover::Named).chain(crowd.keys().map(|it| Mover::Crowd(*it)));
        let movers: Vec<Mover> = movers.collect();
        for mover in movers {
            let left = match mover {
                Mover::Named(_) => Some(crowd.clone()),
                Mover::Crowd(standing) => without(&crowd, standing),
            };
            let Some(left) = left else { continue };
            let mut guests = vec![(None, left.clone())];
            if engine.may_pick(core, mover) {
                let picked = left.keys().filter_map(|it| Some((Some(*it), without(&left, *it)?)));
                guests.extend(picked);
            }
            for (guest, left) in guests {
                for step in engine.steps(core, mover, guest)?.iter() {
                    let Ok(after) = &step.outcome else {
                        fails = true;
                        continue;
                    };
                    completes |=
                        after.completes && hero.is_some_and(|hero| mover == Mover::Named(hero));
                    work += left.len() + 1;
                    let mut crowd = left.clone();
                    after.released().for_each(|standing| with(&mut crowd, standing));
                    found.add(after.core, crowd);
                }
            }
            limits.check_clock()?;
        }
    }
    let boxes = found.all.into_iter().filter(|it| it.2);
    let mut boxes: Vec<Boxed> =
        boxes.map(|(core, crowd, _)| (core, crowd.into_iter().collect())).collect();
    boxes.sort_unstable();
    Ok(Closed { boxes, fails, completes, cut })
}

struct Found {
    by: FxHashMap<u32, Vec<usize>>,
    /// Whether it is in no other one is the last part.
    all: Vec<(u32, Crowd, bool)>,
    open: VecDeque<usize>,
    cap: u32,
}

impl Found {
    fn add(&mut self, core: u32, mut crowd: Crowd) {
        for number in crowd.values_mut() {
            *number = number.filter(|it| *it <= self.cap);
        }
        let known = self.by.entry(core).or_default();
        if known.iter().any(|at| is_within(&crowd, &self.all[*at].1)) {
            return;
        }
        if self.cap == 0 {
            for at in known.iter() {
                crowd.extend(self.all[*at].1.keys().map(|standing| (*standing, None)));
            }
        }
        known.retain(|at| {
            let inside = is_within(&self.all[*at].1, &crowd);
            if inside {
                self.all[*at].2 = false;
            }
            !inside
        });
        known.push(self.all.len());
        self.open.push_back(self.all.len());
        self.all.push((core, crowd, true));
    }
}

/// Whether a crowd has room in another one.
fn is_within(crowd: &Crowd, room: &Crowd) -> bool {
    crowd.len() <= room.len()
        && crowd.iter().all(|(standing, number)| match (number, room.get(standing)) {
            (_, Some(None)) => true,
            (Some(number), Some(Some(most))) => number <= most,
            _ => false,
        })
}
