//! What a program is asked about its states: can something fail, can this be so, is that always so,
//! can somebody wait forever?
//!
//! Each question has an *observer*, a request that may come at any time, changes nothing, and fails
//! where the answer is found. So the first three questions are one: can a request fail in this way?
//!
//! **Configurations.** A step that fails does not happen. A configuration is a global state and how
//! many requests are in each local state. Requests that are in an *initial* local state (in which
//! requests of some label arrive) are not counted, because such a request may come at any time:
//! what it can do there, one that arrives can do. Neither are those that are complete or have
//! failed: they do nothing any more.
//!
//! **Never.** A *box* is a global state and a range for each count. Let a set of boxes contain the
//! first configuration, and let it be closed: whatever a request in a configuration of a box can
//! do, or one that arrives, leads into a box. Then, by induction over the steps of a run, every
//! configuration of every run is in a box. So if no step out of a box fails in the way that is
//! asked about, nothing ever does. The successors of a box by a step are a box again; the checker
//! looks for boxes that contain it, cutting it in two where one is not enough.
//!
//! **Finishing.** An *end* is a global state, a local state of one request, its *hero*, and numbers
//! of others. Each has a step of the hero or of one of the others (or of one that arrives) after
//! which the hero is complete, or which leads to at least as much as an end *before* it in the list
//! says. By induction over the list, in every configuration that has at least as much as an end
//! says, the hero can still become complete: what is there besides does not hinder a step. So if,
//! for every box, the smallest configuration in it with a hero in each state that may be occupied
//! (and in every initial one) has at least as much as an end says, nobody ever waits without hope.
//!
//! **Stuck.** Conversely, let a set of ends be closed under going back: it has an end for every
//! step by which a hero completes, and with an end also, for every step that leads to at least as
//! much, what was there at least before it. Then, by induction over the length of a way to
//! complete, every configuration in which the hero can become complete has at least as much as an
//! end says. So in one that does not, the hero waits forever, whatever comes. Steps are those of
//! the listing, which has all that runs can take.

use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Stop};
use ser_model::{ExploreError, Footsteps, GlobalId, LocalId, NetworkSystem, ProgramModel, Step};
use ser_syntax::core::{ClaimKind, Fault, Program};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Can something fail: an assertion, a range, an index, a division?
    Failures,
    /// This question of the file.
    Question(u32),
}

/// Evidence for the answer to a question about states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimEvidence {
    pub asked: Asked,
    pub answer: ClaimAnswer,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ClaimAnswer {
    /// It never happens.
    Never { boxes: Vec<CountBox> },
    /// It happens in this run: who comes, and who moves, with which of its outcomes.
    Happens { requests: Vec<String>, moves: Vec<(usize, usize)> },
    /// Whoever is there can still complete.
    Finishing { boxes: Vec<CountBox>, ends: Vec<End> },
    /// After this run, `who` never completes.
    Stuck { requests: Vec<String>, steps: Vec<(usize, u32)>, who: usize, ends: Vec<End> },
}

/// A global state and ranges of counts; what is not listed is 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountBox {
    pub global: u32,
    /// Local states with their least and largest counts.
    pub counts: Vec<(u32, u32, Option<u32>)>,
}

/// A hero that can complete, if so many others are there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    pub global: u32,
    pub hero: u32,
    pub others: Vec<(u32, u32)>,
    /// The step that leads on, and whether the hero takes it.
    pub step: u32,
    pub by_hero: bool,
}

/// Why evidence is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It is wrong, here.
    Rejected(String),
    /// The limits were not enough to check it.
    Stopped(Stop),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Rejected(why) => f.write_str(why),
            Refusal::Stopped(stop) => write!(f, "{stop}"),
        }
    }
}

impl From<ExploreError> for Refusal {
    fn from(error: ExploreError) -> Refusal {
        match error {
            ExploreError::TooManyStates { stop, .. } => Refusal::Stopped(stop),
            other => Refusal::Rejected(format!("the states of the program: {other}")),
        }
    }
}

/// Accepts or rejects evidence; what was established, in words.
pub fn check_claim(
    evidence: &ClaimEvidence,
    program: &Program,
    text: &str,
    limits: &Limits,
) -> Result<String, Refusal> {
    let kind = match evidence.asked {
        Asked::Failures => None,
        Asked::Question(number) => {
            let question = program.questions.get(number as usize);
            Some(question.ok_or_else(|| wrong("asked", "there is no such question"))?.kind)
        }
    };
    let is_deadlock = kind == Some(ClaimKind::Deadlock);
    match &evidence.answer {
        ClaimAnswer::Happens { requests, moves } if !is_deadlock => {
            let run = Footsteps { requests: requests.clone(), moves: moves.clone() };
            let place = ProgramModel::retrace(program, text, &run, limits)?;
            let place = place.ok_or_else(|| wrong("moves", "this is no run of the program"))?;
            match place.fault {
                Some(fault) if is_asked(evidence.asked, &fault) => {
                    // The last one is that of the observer, who does nothing.
                    let steps = moves.len() - usize::from(matches!(fault, Fault::Claim(_)));
                    Ok(format!("a run in {} leads there", count(steps, "step")))
                }
                _ => Err(wrong("moves", "the run does not end in what was asked for")),
            }
        }
        ClaimAnswer::Never { boxes } if !is_deadlock => {
            let model = ProgramModel::asked(program, text, limits)?;
            let view = View::new(&model, program, Some(evidence.asked));
            view.closed(boxes, limits)?;
            Ok(format!(
                "{} of configurations {} closed and free of it",
                count(boxes.len(), "set"),
                if boxes.len() == 1 { "is" } else { "are" }
            ))
        }
        ClaimAnswer::Finishing { boxes, ends } if is_deadlock => {
            let model = ProgramModel::asked(program, text, limits)?;
            let view = View::new(&model, program, None);
            view.closed(boxes, limits)?;
            view.progress(ends, limits)?;
            view.all_finish(boxes, ends, limits)?;
            Ok(format!(
                "{} of configurations, {} from which a request can complete",
                count(boxes.len(), "closed set"),
                count(ends.len(), "situation")
            ))
        }
        ClaimAnswer::Stuck { requests, steps, who, ends } if is_deadlock => {
            let model = ProgramModel::asked(program, text, limits)?;
            let view = View::new(&model, program, None);
            view.going_back(ends, limits)?;
            let label = requests.get(*who);
            if program.questions.iter().any(|it| Some(&it.observer.name.text) == label) {
                return Err(wrong("who", "this is no request"));
            }
            view.stuck(requests, steps, *who, ends)?;
            Ok(format!(
                "a run in {} leads there, and no continuation leads out",
                count(steps.len(), "step")
            ))
        }
        _ => Err(wrong("answer", "this is no answer to that question")),
    }
}

/// Whether this failure is what the question asks about.
pub fn is_asked(asked: Asked, fault: &Fault) -> bool {
    match (asked, fault) {
        (Asked::Question(number), Fault::Claim(claim)) => number == *claim,
        (Asked::Question(_), _) => false,
        (Asked::Failures, Fault::Claim(_)) => false,
        (Asked::Failures, _) => true,
    }
}

fn wrong(place: impl fmt::Display, why: &str) -> Refusal {
    Refusal::Rejected(format!("{place}: {why}"))
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Counts, sorted by local state, without zeros.
type Others = Vec<(LocalId, u32)>;

/// Ranges, by local state; what is not there is 0.
type Ranges = BTreeMap<LocalId, (u32, Option<u32>)>;

/// How often a box is cut, at most.
const MAX_CUTS: usize = 16;

/// The states of a program, seen from one question.
struct View<'a> {
    system: &'a NetworkSystem,
    initial: Vec<bool>,
    /// Where nobody counts any more: complete or failed.
    is_over: Vec<bool>,
    /// Where a request has failed, and where in the way that is asked about.
    fails: Vec<bool>,
    is_asked: Vec<bool>,
    /// Where requests that are no observers arrive.
    arrive: Vec<LocalId>,
}

impl<'a> View<'a> {
    fn new(model: &'a ProgramModel, program: &Program, asked: Option<Asked>) -> View<'a> {
        let system = model.system();
        let locals = || (0..system.local_count()).map(LocalId::from_index);
        let mut initial = vec![false; system.local_count()];
        let mut arrive = Vec::new();
        for (request, local) in system.spawns() {
            initial[local.index()] = true;
            let label = system.request_name(*request);
            if !program.questions.iter().any(|it| it.observer.name.text == label) {
                arrive.push(*local);
            }
        }
        let complete = |it: LocalId| system.replies_of(it).next().is_some();
        let is_over = locals().map(|it| complete(it) || model.fault(it).is_some()).collect();
        let fails = |it: LocalId| {
            let fault = model.fault(it);
            asked.is_some_and(|asked| fault.is_some_and(|(fault, _)| is_asked(asked, fault)))
        };
        let is_asked = locals().map(fails).collect();
        let fails = locals().map(|it| model.fault(it).is_some()).collect();
        View { system, initial, is_over, fails, is_asked, arrive }
    }

    fn is_complete(&self, local: LocalId) -> bool {
        self.system.replies_of(local).next().is_some()
    }

    /// Whether requests in this state are counted.
    fn counts(&self, local: LocalId) -> bool {
        !self.initial[local.index()] && !self.is_over[local.index()]
    }

    fn local(&self, number: u32) -> Option<LocalId> {
        ((number as usize) < self.system.local_count())
            .then(|| LocalId::from_index(number as usize))
    }

    fn global(&self, number: u32) -> Option<GlobalId> {
        ((number as usize) < self.system.globals().len())
            .then(|| GlobalId::from_index(number as usize))
    }

    fn read_boxes(&self, boxes: &[CountBox]) -> Result<Vec<(GlobalId, Ranges)>, Refusal> {
        let mut all = Vec::with_capacity(boxes.len());
        for (at, one) in boxes.iter().enumerate() {
            let place = format!("boxes[{at}]");
            let global = self.global(one.global);
            let global = global.ok_or_else(|| wrong(&place, "there is no such global state"))?;
            let mut ranges = Ranges::new();
            for (local, low, high) in &one.counts {
                let local = self.local(*local).filter(|it| self.counts(*it));
                let local = local.ok_or_else(|| wrong(&place, "this state is not counted"))?;
                if high.is_some_and(|high| high < *low) {
                    return Err(wrong(&place, "an empty range"));
                }
                if *high != Some(0) && ranges.insert(local, (*low, *high)).is_some() {
                    return Err(wrong(&place, "a state is listed twice"));
                }
            }
            all.push((global, ranges));
        }
        Ok(all)
    }

    /// The boxes contain the first configuration, are closed, and nothing in them fails as asked.
    fn closed(&self, boxes: &[CountBox], limits: &Limits) -> Result<(), Refusal> {
        let boxes = self.read_boxes(boxes)?;
        let all = Boxes::new(&boxes);
        if !all.cover(self.system.initial_global(), &Ranges::new(), MAX_CUTS) {
            return Err(wrong("boxes", "the first configuration is in none of them"));
        }
        let initial = (0..self.system.local_count()).map(LocalId::from_index);
        let initial: Vec<LocalId> = initial.filter(|it| self.initial[it.index()]).collect();
        for (number, (global, ranges)) in boxes.iter().enumerate() {
            limits.check(0, 0).map_err(Refusal::Stopped)?;
            let there = ranges.iter().filter(|(_, (_, high))| *high != Some(0));
            let movers = initial.iter().chain(there.map(|(local, _)| local));
            for mover in movers {
                for step in self.system.steps_at(*mover, *global) {
                    let place = || {
                        let name = self.system.local_name(*mover);
                        format!("boxes[{number}]: a step from {name}")
                    };
                    if self.is_asked[step.to.index()] {
                        return Err(wrong(place(), "fails in the way that is asked about"));
                    }
                    if self.fails[step.to.index()] {
                        // Such a step does not happen.
                        continue;
                    }
                    let after = self.after(ranges, step);
                    if !all.cover(step.after, &after, MAX_CUTS) {
                        return Err(wrong(place(), "leads out of the boxes"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The configurations after a step.
    fn after(&self, ranges: &Ranges, step: &Step) -> Ranges {
        let mut after = ranges.clone();
        if self.counts(step.from) {
            let (low, high) = after.get(&step.from).copied().unwrap_or((0, Some(0)));
            let low = low.max(1) - 1;
            match (low, high.map(|high| high.saturating_sub(1))) {
                (_, Some(0)) => after.remove(&step.from),
                range => after.insert(step.from, range),
            };
        }
        if self.counts(step.to) {
            let (low, high) = after.get(&step.to).copied().unwrap_or((0, Some(0)));
            let more = high.map(|high| high.saturating_add(1));
            after.insert(step.to, (low.saturating_add(1), more));
        }
        after
    }

    fn read_ends(&self, ends: &[End]) -> Result<Vec<(GlobalId, LocalId, Others)>, Refusal> {
        let mut all = Vec::with_capacity(ends.len());
        for (at, end) in ends.iter().enumerate() {
            let place = format!("ends[{at}]");
            let global = self.global(end.global);
            let global = global.ok_or_else(|| wrong(&place, "there is no such global state"))?;
            let hero = self.local(end.hero).filter(|it| !self.is_over[it.index()]);
            let hero = hero.ok_or_else(|| wrong(&place, "there is no such hero"))?;
            let mut others = BTreeMap::new();
            for (local, number) in &end.others {
                let local = self.local(*local).filter(|it| self.counts(*it));
                let local = local.ok_or_else(|| wrong(&place, "this state is not counted"))?;
                if *number == 0 || others.insert(local, *number).is_some() {
                    return Err(wrong(&place, "a state is listed twice, or not at all"));
                }
            }
            all.push((global, hero, others.into_iter().collect()));
        }
        Ok(all)
    }

    /// Every end leads to the completion of its hero, or to one before it.
    fn progress(&self, ends: &[End], limits: &Limits) -> Result<(), Refusal> {
        let read = self.read_ends(ends)?;
        let mut before = Reached::default();
        for (number, ((global, hero, others), end)) in read.into_iter().zip(ends).enumerate() {
            limits.check(0, 0).map_err(Refusal::Stopped)?;
            let place = format!("ends[{number}]");
            let step = self.system.steps().get(end.step as usize).copied();
            let step = step.filter(|step| step.before == global);
            let step = step.ok_or_else(|| wrong(&place, "there is no such step here"))?;
            let mut left = others.clone();
            let mut next = hero;
            if end.by_hero {
                if step.from != hero {
                    return Err(wrong(&place, "this is no step of the hero"));
                }
                next = step.to;
            } else {
                if self.counts(step.from) && !take(&mut left, step.from) {
                    return Err(wrong(&place, "nobody is there to take this step"));
                }
                if !self.counts(step.from) && !self.initial[step.from.index()] {
                    return Err(wrong(&place, "nobody is there to take this step"));
                }
                if self.counts(step.to) {
                    add(&mut left, step.to);
                }
            }
            let completes = end.by_hero && self.is_complete(next);
            if !completes && !before.has_less(step.after, next, &left) {
                return Err(wrong(&place, "the step does not lead to an end before it"));
            }
            before.insert(global, hero, others);
        }
        Ok(())
    }

    /// Whoever may be there can complete.
    fn all_finish(&self, boxes: &[CountBox], ends: &[End], limits: &Limits) -> Result<(), Refusal> {
        let all: Reached = self.read_ends(ends)?.into_iter().collect();
        for (number, (global, ranges)) in self.read_boxes(boxes)?.into_iter().enumerate() {
            limits.check(0, 0).map_err(Refusal::Stopped)?;
            let least = ranges.iter().filter(|(_, (low, _))| *low > 0);
            let least: Others = least.map(|(local, (low, _))| (*local, *low)).collect();
            let there = ranges.iter().filter(|(_, (_, high))| *high != Some(0));
            for hero in self.arrive.iter().chain(there.map(|(local, _)| local)) {
                let mut others = least.clone();
                if self.counts(*hero) {
                    // The smallest configuration with the hero in it.
                    take(&mut others, *hero);
                }
                if !all.has_less(global, *hero, &others) {
                    let name = self.system.local_name(*hero);
                    let why = format!("nothing says that a request at {name} can complete");
                    return Err(wrong(format!("boxes[{number}]"), &why));
                }
            }
        }
        Ok(())
    }

    /// The ends are closed under going back.
    fn going_back(&self, ends: &[End], limits: &Limits) -> Result<(), Refusal> {
        let read = self.read_ends(ends)?;
        let all: Reached = read.iter().cloned().collect();
        let mut into: FxHashMap<GlobalId, Vec<&Step>> = FxHashMap::default();
        for step in self.system.steps() {
            into.entry(step.after).or_default().push(step);
            let alone = self.is_complete(step.to) && !self.is_over[step.from.index()];
            if alone && !all.has_less(step.before, step.from, &Others::new()) {
                let name = self.system.local_name(step.from);
                let why = format!("a request at {name} completes, and no end says so");
                return Err(wrong("ends", &why));
            }
        }
        for (number, (global, hero, others)) in read.iter().enumerate() {
            limits.check(0, 0).map_err(Refusal::Stopped)?;
            for step in into.get(global).into_iter().flatten() {
                let mut earlier = others.clone();
                if self.counts(step.to) {
                    take(&mut earlier, step.to);
                }
                if self.counts(step.from) {
                    add(&mut earlier, step.from);
                }
                let helped =
                    self.is_over[step.from.index()] || all.has_less(step.before, *hero, &earlier);
                let moved = step.to != *hero
                    || self.is_over[step.from.index()]
                    || all.has_less(step.before, step.from, others);
                if !helped || !moved {
                    let why = "what was there before a step to it is no end";
                    return Err(wrong(format!("ends[{number}]"), why));
                }
            }
        }
        Ok(())
    }

    /// The run is one, and after it nothing says that its hero can complete.
    fn stuck(
        &self,
        requests: &[String],
        steps: &[(usize, u32)],
        who: usize,
        ends: &[End],
    ) -> Result<(), Refusal> {
        let start = |label: &String| {
            let spawns = self.system.spawns().iter();
            let mut here = spawns.filter(|it| self.system.request_name(it.0) == label);
            here.next().map(|(_, local)| *local)
        };
        let stand: Option<Vec<LocalId>> = requests.iter().map(start).collect();
        let mut stand = stand.ok_or_else(|| wrong("requests", "there is no such request"))?;
        let mut moved = vec![false; stand.len()];
        let mut global = self.system.initial_global();
        for (number, (mover, step)) in steps.iter().enumerate() {
            let place = format!("steps[{number}]");
            let step = self.system.steps().get(*step as usize).filter(|it| it.before == global);
            let (Some(step), Some(local)) = (step, stand.get_mut(*mover)) else {
                return Err(wrong(place, "there is no such step here"));
            };
            if step.from != *local {
                return Err(wrong(place, "the request is somewhere else"));
            }
            (*local, global, moved[*mover]) = (step.to, step.after, true);
        }
        let hero = stand.get(who).copied().filter(|it| !self.is_over[it.index()]);
        let hero = hero.ok_or_else(|| wrong("who", "there is no such request any more"))?;
        let mut others = Others::new();
        for (number, local) in stand.iter().enumerate() {
            if number != who && moved[number] && self.counts(*local) {
                add(&mut others, *local);
            }
        }
        let all: Reached = self.read_ends(ends)?.into_iter().collect();
        match all.has_less(global, hero, &others) {
            true => Err(wrong("who", "it can still complete")),
            false => Ok(()),
        }
    }
}

/// Ends by their global states and heroes.
#[derive(Default)]
struct Reached(FxHashMap<(GlobalId, LocalId), Vec<Others>>);

impl Reached {
    fn insert(&mut self, global: GlobalId, hero: LocalId, others: Others) {
        self.0.entry((global, hero)).or_default().push(others);
    }

    /// Whether there is one that asks for no more than this.
    fn has_less(&self, global: GlobalId, hero: LocalId, others: &Others) -> bool {
        let number = |local: LocalId| {
            others.binary_search_by_key(&local, |it| it.0).map_or(0, |at| others[at].1)
        };
        let known = self.0.get(&(global, hero));
        known.is_some_and(|known| {
            known.iter().any(|less| less.iter().all(|(local, least)| number(*local) >= *least))
        })
    }
}

impl FromIterator<(GlobalId, LocalId, Others)> for Reached {
    fn from_iter<I: IntoIterator<Item = (GlobalId, LocalId, Others)>>(ends: I) -> Reached {
        let mut all = Reached::default();
        ends.into_iter().for_each(|(global, hero, others)| all.insert(global, hero, others));
        all
    }
}

/// One less; whether there was one.
fn take(others: &mut Others, local: LocalId) -> bool {
    let Ok(at) = others.binary_search_by_key(&local, |it| it.0) else { return false };
    others[at].1 -= 1;
    if others[at].1 == 0 {
        others.remove(at);
    }
    true
}

fn add(others: &mut Others, local: LocalId) {
    match others.binary_search_by_key(&local, |it| it.0) {
        Ok(at) => others[at].1 += 1,
        Err(at) => others.insert(at, (local, 1)),
    }
}

/// Boxes, by their global states.
struct Boxes {
    at: FxHashMap<GlobalId, (FxHashSet<Ranges>, Vec<Ranges>)>,
    /// Where ranges end, or the next one begins.
    edges: FxHashSet<(LocalId, u32)>,
    /// The largest beginnings of ranges without an end.
    open: FxHashMap<LocalId, u32>,
}

impl Boxes {
    fn new(boxes: &[(GlobalId, Ranges)]) -> Boxes {
        let mut all = Boxes {
            at: FxHashMap::default(),
            edges: FxHashSet::default(),
            open: FxHashMap::default(),
        };
        for (global, ranges) in boxes {
            for (local, (low, high)) in ranges {
                all.edges.extend(high.map(|high| (*local, high)));
                if high.is_none() {
                    let open = all.open.entry(*local).or_default();
                    *open = (*open).max(*low);
                }
                all.edges.extend(low.checked_sub(1).map(|before| (*local, before)));
            }
            let (same, list) = all.at.entry(*global).or_default();
            if same.insert(ranges.clone()) {
                list.push(ranges.clone());
            }
        }
        all
    }

    /// Whether every configuration of a box is in one of these.
    fn cover(&self, global: GlobalId, one: &Ranges, cuts: usize) -> bool {
        let Some((same, list)) = self.at.get(&global) else { return false };
        // More than this is most likely to be listed.
        let mut wide = one.clone();
        for (local, range) in &mut wide {
            if let Some(open) = self.open.get(local)
                && range.0 >= *open
            {
                *range = (*open, None);
            }
        }
        let few = list.len() <= 4;
        if same.contains(&wide) || few && list.iter().any(|other| contains(other, one)) {
            return true;
        }
        let one = &wide;
        // One side of the first edge within a range, and the other side.
        let inside = |(local, (low, high)): &(&LocalId, &(u32, Option<u32>))| {
            *high != Some(*low) && self.edges.contains(&(**local, *low))
        };
        if cuts > 0
            && let Some((local, (low, high))) = one.iter().find(inside)
        {
            let with = |range: (u32, Option<u32>)| {
                let mut half = one.clone();
                match range {
                    (0, Some(0)) => half.remove(local),
                    range => half.insert(*local, range),
                };
                half
            };
            if self.cover(global, &with((*low, Some(*low))), cuts - 1)
                && self.cover(global, &with((low + 1, *high)), cuts - 1)
            {
                return true;
            }
        }
        !few && list.iter().any(|other| contains(other, one))
    }
}

/// Whether all configurations of one box are in the other.
fn contains(other: &Ranges, one: &Ranges) -> bool {
    let range = |of: &Ranges, local: &LocalId| of.get(local).copied().unwrap_or((0, Some(0)));
    let inside = |(low, high): (u32, Option<u32>), (least, most): (u32, Option<u32>)| {
        least <= low && most.is_none_or(|most| high.is_some_and(|high| high <= most))
    };
    one.iter().all(|(local, ours)| inside(*ours, range(other, local)))
        && other.iter().all(|(local, theirs)| inside(range(one, local), *theirs))
}
