//! Nobody has to wait forever: whatever has happened, every thread can still come to its end, or to
//! the end of the round of its outermost `loop`.
//!
//! Others that have not begun may still come, as many as it takes; of a file with `set Threads ==
//! N` there are no others. So in the crowd there are infinitely many of those who stand at the
//! start, if the file leaves their number open.
//!
//! The evidence has two parts. *Boxes* with numbers up to a cap: a smaller number means exactly so
//! many, the cap means so many or more, no number infinitely many; who is not mentioned is not
//! there. (With the cap 0, all numbers are *some or none*.) The checker makes sure that every state
//! in which the program may start is in a box, and that every step from a state in a box leads into
//! one; of *so many or more*, one less is so many or more, or exactly one less.
//!
//! *Ends*: situations from which the hero can come to its end, each with the step that leads on. A
//! situation is a core with a hero, and others that have to be there at least. The step must be
//! possible with these, and either end the round of the hero, or lead to at least what an end
//! **before** this one asks for. So there is a run to the end of the round from each of them, by
//! induction on their order, and more threads do not hinder it, since a step never asks that
//! somebody is *not* there.
//!
//! **Theorem.** If, for every box, and every thread in it that is not at its end, named or in the
//! crowd, there is an end that asks for no more than what all states of the box have, then
//! nobody has to wait forever.

use crate::cover::{Boxes, Crowd, Landed, Mover, Tables, Went, with, without};
use crate::crowd::{Space, Spot, Start};
use crate::rejection::Reason;
use crate::run::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::Limits;
use serde::{Deserialize, Serialize};

/// A situation from which the hero can come to its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// By its number; it has a hero.
    pub core: u32,
    /// The number of a standing, and how many others have to be there, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(u32, u32)>,
    pub by: By,
    /// The standing of the thread of the crowd that is chosen, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<u32>,
    pub path: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<Value>,
    /// The end that it leads to; nothing if the round of the hero ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<u32>,
}

/// Who takes a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    Named(u32),
    Crowd(u32),
}

/// The largest cap.
const MAX_CAP: u32 = 100;

fn wrong(what: &str) -> Reason {
    Reason::Boxes { what: what.to_owned() }
}

/// Checks that nobody has to wait forever.
pub(crate) fn finishing(
    space: &Space<'_>,
    boxes: &Boxes,
    (cap, ends): (u32, &[End]),
    limits: &Limits,
) -> Result<Went, Reason> {
    if cap > MAX_CAP {
        return Err(wrong("there is no such cap"));
    }
    let mut tables = Tables::new(space, boxes)?;
    let mut all = All { cap, boxes: FxHashSet::default(), by: FxHashMap::default() };
    for one in &boxes.boxes {
        let fits = |number: u32| number <= cap && (number > 0 || cap == 0);
        if one.crowd.iter().any(|it| it.1.is_some_and(|number| !fits(number))) {
            return Err(wrong("a box has a number beyond the cap, or one that says nothing"));
        }
        if boxes.cores[one.core as usize].hero.is_some() {
            return Err(wrong("a thread is followed for no reason"));
        }
        let crowd: Crowd = one.crowd.iter().copied().collect();
        all.by.entry(one.core).or_default().push(crowd.clone());
        all.boxes.insert((one.core, crowd));
    }
    for start in space.starts(limits)? {
        let core = tables.core(&start.core);
        let standings: Option<Vec<u32>> =
            start.standings.iter().map(|it| tables.standing(it)).collect();
        let inside = core.zip(standings).is_some_and(|(core, standings)| {
            first_crowds(&standings, &start, cap).into_iter().all(|it| all.have(core, it))
        });
        if !inside {
            return Err(wrong("the program may start in a state outside of all boxes"));
        }
    }
    let mut went = Went { boxes: boxes.boxes.len(), steps: 0 };
    for (core, crowd) in &all.boxes {
        limits.check_clock()?;
        for mover in everybody(&tables, *core, crowd) {
            let may_pick = tables.may_pick(*core, mover);
            for left in taken(crowd, mover, cap) {
                let picked = left.keys().filter(|_| may_pick).flat_map(|guest| {
                    let rest = taken(&left, Mover::Crowd(*guest), cap);
                    rest.into_iter().map(|rest| (Some(*guest), rest))
                });
                let mut guests: Vec<(Option<u32>, Crowd)> = picked.collect();
                guests.push((None, left));
                for (guest, left) in guests {
                    for (_, landed) in tables.steps(*core, mover, guest)?.iter() {
                        went.steps += 1;
                        let Some(landed) = landed else { continue };
                        if !all.leads_into(landed, &left) {
                            return Err(wrong("a step leads out of all boxes"));
                        }
                    }
                }
            }
        }
    }
    let by_core = checked_ends(&mut tables, ends, limits)?;
    for (core, crowd) in &all.boxes {
        limits.check_clock()?;
        let given = &boxes.cores[*core as usize];
        for hero in everybody(&tables, *core, crowd) {
            let spot = tables.spot(hero);
            let stands = match &spot {
                Spot::Named(place) => &given.named[*place as usize],
                Spot::Crowd(standing) => standing,
            };
            if space.done.get(stands.location as usize) == Some(&true) {
                continue;
            }
            let followed = tables.core(&space.follow(given, &spot)?);
            // What is there at least besides the hero comes first.
            let others = taken(crowd, hero, cap).into_iter().next();
            let known = followed.and_then(|it| by_core.get(&it)).zip(others);
            let can_end =
                known.is_some_and(|(ends, others)| ends.iter().any(|it| asks_for(it, &others)));
            if !can_end {
                return Err(wrong("of some thread in some box it is not shown that it can go on"));
            }
        }
    }
    Ok(went)
}

/// The crowds at the start: infinitely many of each standing, or all ways to share their number.
pub fn first_crowds(standings: &[u32], start: &Start, cap: u32) -> Vec<Crowd> {
    let Some(number) = start.others else {
        return vec![standings.iter().map(|it| (*it, None)).collect()];
    };
    let mut all: Vec<(Crowd, u32)> = vec![(Crowd::new(), number)];
    for (place, standing) in standings.iter().enumerate() {
        let is_last = place + 1 == standings.len();
        let shares = |(crowd, left): (Crowd, u32)| {
            let least = if is_last { left } else { 0 };
            (least..=left).map(move |some| {
                let mut crowd = crowd.clone();
                if some > 0 {
                    crowd.insert(*standing, Some(some.min(cap)));
                }
                (crowd, left - some)
            })
        };
        all = all.into_iter().flat_map(shares).collect();
    }
    all.into_iter().map(|it| it.0).collect()
}

/// What is left of a crowd when one of it goes: of *so many or more* there are two answers.
pub(crate) fn taken(crowd: &Crowd, who: Mover, cap: u32) -> Vec<Crowd> {
    let Mover::Crowd(standing) = who else { return vec![crowd.clone()] };
    let less = without(crowd, standing);
    let same = (crowd.get(&standing) == Some(&Some(cap))).then(|| crowd.clone());
    less.into_iter().chain(same).collect()
}

/// A crowd with more, up to the cap.
pub(crate) fn joined(left: &Crowd, released: &[u32], cap: u32) -> Crowd {
    let mut crowd = left.clone();
    for standing in released {
        with(&mut crowd, *standing);
        if let Some(Some(number)) = crowd.get_mut(standing) {
            *number = (*number).min(cap);
        }
    }
    crowd
}

/// Everybody who may be there.
fn everybody(tables: &Tables<'_, '_>, core: u32, crowd: &Crowd) -> Vec<Mover> {
    let named = tables.given.cores[core as usize].named.len() as u32;
    (0..named).map(Mover::Named).chain(crowd.keys().map(|it| Mover::Crowd(*it))).collect()
}

/// All boxes.
struct All {
    cap: u32,
    boxes: FxHashSet<(u32, Crowd)>,
    by: FxHashMap<u32, Vec<Crowd>>,
}

impl All {
    /// Whether the states of this box are in one of these. With the cap 0, all that a box says
    /// is who may be there, so a larger one will do.
    fn have(&self, core: u32, crowd: Crowd) -> bool {
        let larger = |room: &Crowd| {
            crowd.iter().all(|(standing, number)| room.get(standing) == Some(number))
                && room
                    .iter()
                    .all(|(standing, number)| number.is_some() || crowd.contains_key(standing))
        };
        let wide = self.cap == 0 && self.by.get(&core).is_some_and(|all| all.iter().any(larger));
        wide || self.boxes.contains(&(core, crowd))
    }

    fn leads_into(&self, landed: &Landed, left: &Crowd) -> bool {
        let released: Option<Vec<u32>> = landed.released.iter().copied().collect();
        let target = landed.core.zip(released);
        target.is_some_and(|(core, released)| self.have(core, joined(left, &released, self.cap)))
    }
}

/// What an end asks for, by its core.
type ByCore<'e> = FxHashMap<u32, Vec<&'e End>>;

/// Checks that each end leads on.
fn checked_ends<'e>(
    tables: &mut Tables<'_, '_>,
    ends: &'e [End],
    limits: &Limits,
) -> Result<ByCore<'e>, Reason> {
    let mut by_core = ByCore::default();
    for (number, end) in ends.iter().enumerate() {
        limits.check_clock()?;
        let nowhere = || wrong("an end speaks of something that is not in the tables");
        let core = tables.given.cores.get(end.core as usize).ok_or_else(nowhere)?;
        let Some(hero) = core.hero else { return Err(wrong("an end has no hero")) };
        let known = |it: u32| (it as usize) < tables.given.standings.len();
        if !end.others.iter().all(|it| known(it.0))
            || !end.others.windows(2).all(|it| it[0].0 < it[1].0)
        {
            return Err(nowhere());
        }
        let mut others: Crowd = end.others.iter().map(|it| (it.0, Some(it.1))).collect();
        let missing = || wrong("an end lets somebody move who is not there");
        let mover = match end.by {
            By::Named(place) if (place as usize) < core.named.len() => Mover::Named(place),
            By::Named(_) => return Err(missing()),
            By::Crowd(standing) => {
                others = without(&others, standing).ok_or_else(missing)?;
                Mover::Crowd(standing)
            }
        };
        if let Some(guest) = end.guest {
            others = without(&others, guest).ok_or_else(missing)?;
        }
        let steps = tables.steps(end.core, mover, end.guest)?;
        let step = steps.iter().find(|it| it.0.path == end.path && it.0.chosen == end.chosen);
        let landed = step.and_then(|it| it.1.as_ref());
        let landed = landed.ok_or_else(|| wrong("an end takes a step that is not possible"))?;
        match end.then {
            None if landed.completes && mover == Mover::Named(hero) => {}
            None => return Err(wrong("the step of an end does not end the round of the hero")),
            Some(then) => {
                let before = ends.get(then as usize).filter(|_| (then as usize) < number);
                // Who is not in the tables is not asked for.
                let released = landed.released.iter().copied().flatten();
                let mut after = others;
                released.for_each(|it| with(&mut after, it));
                let leads_on = before.is_some_and(|before| {
                    landed.core == Some(before.core) && asks_for(before, &after)
                });
                if !leads_on {
                    return Err(wrong("an end does not lead to one before it"));
                }
            }
        }
        by_core.entry(end.core).or_default().push(end);
    }
    Ok(by_core)
}

/// Whether an end asks for no more than these others.
fn asks_for(end: &End, others: &Crowd) -> bool {
    end.others.iter().all(|(standing, least)| match others.get(standing) {
        Some(None) => true,
        Some(Some(number)) => least <= number,
        None => *least == 0,
    })
}
