//! Looking for answers to questions about states: what never happens, what can happen, and who
//! waits forever. See `ser_serializability_checker::check_claim` for what the evidence says.
//!
//! *Never*: all states are listed, and then configurations in which counts are exact up to a cap
//! and "so many or more" above it. A larger cap is tried where a smaller one cannot tell; and then
//! sets with *at most so many* up to a cap, and any number above it, of which there are fewer. For
//! some cap these exclude whatever does not happen (expand, enlarge and check; Geeraerts, Raskin
//! and Van Begin, 2006). *Happens*: runs are tried, with few requests first. *Forever*: from the
//! steps by which requests complete, back to everything from which they are in reach; what is
//! needed besides is kept small. A configuration that is not among that is stuck.

use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, Stop};
use ser_model::{
    Asked as Run, ExploreError, Found, GlobalId, LocalId, NetworkSystem, ProgramModel, Step,
};
use ser_serializability_checker::{Asked, CanEnd, ClaimAnswer, ClaimEvidence, CountBox, is_asked};
use ser_syntax::core::{ClaimKind, Program};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The caps of counts, in the order in which they are tried. Two tells one from many, which is what
/// locks need.
const CAPS: [u8; 3] = [2, 3, 1];

/// The caps of largest numbers.
const LARGEST: [u8; 6] = [1, 2, 3, 4, 6, 8];

/// A number without an end.
const ANY: u8 = u8::MAX;

/// Sets of configurations for each cap.
const MAX_BOXES: usize = 100_000;

/// Situations from which a request can complete.
const MAX_ENDS: usize = 200_000;

/// Configurations when a run is looked for after which somebody is stuck.
const MAX_CONFIGURATIONS: usize = 200_000;

/// Requests in such a run.
const MAX_REQUESTS: usize = 8;

/// The answer to one question.
#[derive(Clone, Debug)]
pub enum ClaimFound {
    /// It does not happen, or nobody waits forever.
    Never(ClaimEvidence, Listed),
    /// It happens in a run.
    Happens(ClaimEvidence, Box<Found>),
    /// After these steps, a request waits forever.
    Stuck(ClaimEvidence, Box<Waiting>),
    Open(Vec<String>),
}

/// How much was listed.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    pub globals: usize,
    pub locals: usize,
}

/// A run after which somebody waits forever.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub model: ProgramModel,
    pub requests: Vec<String>,
    pub steps: Vec<(usize, Step)>,
    pub who: usize,
}

/// Answers questions about the states of a program, in the order given.
pub fn decide_claims(
    program: &Program,
    text: &str,
    asked: &[Asked],
    limits: &Limits,
) -> Vec<ClaimFound> {
    let listed = ProgramModel::asked(program, text, limits);
    let mut search = match &listed {
        Ok(model) => Some(Search::new(model, program)),
        Err(_) => None,
    };
    let count = asked.len() as u32;
    let kind = |asked: &Asked| match asked {
        Asked::Failures => None,
        Asked::Question(number) => program.questions.get(*number as usize).map(|it| it.kind),
    };
    let one = |(at, asked): (usize, &Asked)| {
        // No question takes the time of those behind it.
        let limits = &limits.parts_of_time(1, count - at as u32);
        let deadlock = kind(asked) == Some(ClaimKind::Deadlock);
        let why = match (&mut search, &listed) {
            (Some(search), _) if deadlock => match search.deadlock(*asked, limits) {
                Ok(found) => return found,
                Err(why) => vec![why],
            },
            (Some(search), _) => match search.never(*asked, limits) {
                Ok(found) => return found,
                Err(why) => vec![why],
            },
            (None, Err(error)) => vec![format!("listing all states: {error}")],
            (None, Ok(_)) => Vec::new(),
        };
        if deadlock { ClaimFound::Open(why) } else { happens(program, text, *asked, why, limits) }
    };
    asked.iter().enumerate().map(one).collect()
}

/// Runs are tried.
fn happens(
    program: &Program,
    text: &str,
    asked: Asked,
    mut tried: Vec<String>,
    limits: &Limits,
) -> ClaimFound {
    match ProgramModel::failing(program, text, &|fault| is_asked(asked, fault), limits) {
        Ok(Run::Found(found)) => {
            let (requests, moves) = (found.run.requests.clone(), found.run.moves.clone());
            let answer = ClaimAnswer::Happens { requests, moves };
            ClaimFound::Happens(ClaimEvidence { asked, answer }, found)
        }
        Ok(Run::Open { requests, stop }) => {
            tried.push(format!("runs of up to {requests} requests: none leads there"));
            tried.extend(stop.map(|stop: Stop| stop.to_string()));
            ClaimFound::Open(tried)
        }
        Err(error) => {
            tried.push(ExploreError::to_string(&error));
            ClaimFound::Open(tried)
        }
    }
}

/// Counts up to a cap: the cap means so many or more. Sorted, without zeros.
type Counts = Vec<(LocalId, u8)>;

/// Sets of configurations that are closed, for one cap.
struct Closed {
    boxes: Vec<(GlobalId, Counts)>,
    cap: u8,
    /// Where requests have failed.
    failed: BTreeSet<LocalId>,
}

/// Others by number, sorted.
type Others = Vec<(LocalId, u32)>;

struct Search<'a> {
    model: &'a ProgramModel,
    system: &'a NetworkSystem,
    initial: Vec<bool>,
    is_over: Vec<bool>,
    /// Where requests that are no observers arrive, with a label.
    arrive: Vec<(LocalId, String)>,
    closed: BTreeMap<u8, Result<Closed, String>>,
    ends: Option<Result<Ends, String>>,
}

impl<'a> Search<'a> {
    fn new(model: &'a ProgramModel, program: &Program) -> Search<'a> {
        let system = model.system();
        let mut initial = vec![false; system.local_count()];
        let mut arrive = Vec::new();
        for (request, local) in system.spawns() {
            initial[local.index()] = true;
            let label = system.request_name(*request);
            if !program.questions.iter().any(|it| it.observer.name.text == label) {
                arrive.push((*local, label.to_owned()));
            }
        }
        let locals = (0..system.local_count()).map(LocalId::from_index);
        let over =
            |it: LocalId| system.replies_of(it).next().is_some() || model.fault(it).is_some();
        let is_over = locals.map(over).collect();
        Search { model, system, initial, is_over, arrive, closed: BTreeMap::new(), ends: None }
    }

    fn counts(&self, local: LocalId) -> bool {
        !self.initial[local.index()] && !self.is_over[local.index()]
    }

    fn listed(&self) -> Listed {
        Listed { globals: self.system.globals().len(), locals: self.system.local_count() }
    }

    /// Sets of configurations with this cap.
    fn closed(&mut self, cap: u8, limits: &Limits) -> Result<&Closed, String> {
        if !self.closed.contains_key(&cap) {
            let found = self.close(cap, limits);
            self.closed.insert(cap, found);
        }
        match self.closed.get(&cap) {
            Some(Ok(closed)) => Ok(closed),
            Some(Err(why)) => Err(why.clone()),
            None => Err(String::new()),
        }
    }

    /// Everything that can be reached, as far as counts up to the cap tell. With the cap 0, there
    /// is one set for each global state, and all that is known is who may be there.
    fn close(&self, cap: u8, limits: &Limits) -> Result<Closed, String> {
        if cap == 0 {
            return self.pairs(limits);
        }
        let mut seen: FxHashSet<(GlobalId, Counts)> = FxHashSet::default();
        let mut boxes = vec![(self.system.initial_global(), Counts::new())];
        seen.insert(boxes[0].clone());
        let mut failed = BTreeSet::new();
        let mut next = 0;
        let initial: Vec<LocalId> = self.initial();
        while let Some((global, counts)) = boxes.get(next).cloned() {
            next += 1;
            if next % 256 == 0 {
                limits.check(boxes.len(), boxes.len() * 200).map_err(|stop| stop.to_string())?;
            }
            if boxes.len() > MAX_BOXES {
                return Err(format!("more than {MAX_BOXES} sets of configurations"));
            }
            for mover in initial.iter().copied().chain(counts.iter().map(|it| it.0)) {
                for step in self.system.steps_at(mover, global) {
                    if self.model.fault(step.to).is_some() {
                        failed.insert(step.to);
                        continue;
                    }
                    for after in self.after(&counts, step, cap) {
                        let after = (step.after, after);
                        if seen.insert(after.clone()) {
                            boxes.push(after);
                        }
                    }
                }
            }
        }
        Ok(Closed { boxes, cap, failed })
    }

    fn initial(&self) -> Vec<LocalId> {
        let all = (0..self.system.local_count()).map(LocalId::from_index);
        all.filter(|it| self.initial[it.index()]).collect()
    }

    /// The counts after a step; of "so many or more", one less may be either.
    fn after(&self, counts: &Counts, step: &Step, cap: u8) -> Vec<Counts> {
        let mut all = vec![counts.clone()];
        if self.counts(step.from) {
            let number = counts.iter().find(|it| it.0 == step.from).map_or(0, |it| it.1);
            let less = with(counts, step.from, number.saturating_sub(1));
            all = if number == cap { vec![less, counts.clone()] } else { vec![less] };
        }
        if self.counts(step.to) {
            for one in &mut all {
                let number = one.iter().find(|it| it.0 == step.to).map_or(0, |it| it.1);
                *one = with(one, step.to, (number + 1).min(cap));
            }
        }
        all
    }

    /// Who may be there, for each global state.
    fn pairs(&self, limits: &Limits) -> Result<Closed, String> {
        let mut there: FxHashMap<GlobalId, BTreeSet<LocalId>> = FxHashMap::default();
        let mut open = VecDeque::from([self.system.initial_global()]);
        there.insert(self.system.initial_global(), BTreeSet::new());
        let (initial, mut failed) = (self.initial(), BTreeSet::new());
        let mut work = 0_usize;
        while let Some(global) = open.pop_front() {
            limits.check(there.len(), 0).map_err(|stop| stop.to_string())?;
            let here = there.get(&global).cloned().unwrap_or_default();
            for mover in initial.iter().copied().chain(here.iter().copied()) {
                for step in self.system.steps_at(mover, global) {
                    if self.model.fault(step.to).is_some() {
                        failed.insert(step.to);
                        continue;
                    }
                    work += here.len() + 1;
                    if work > MAX_BOXES * 100 {
                        return Err("too many pairs of states".to_owned());
                    }
                    let is_new = !there.contains_key(&step.after);
                    let known = there.entry(step.after).or_default();
                    let before = known.len();
                    known.extend(here.iter().copied());
                    if self.counts(step.to) {
                        known.insert(step.to);
                    }
                    if (is_new || known.len() > before) && !open.contains(&step.after) {
                        open.push_back(step.after);
                    }
                }
            }
        }
        let boxes = there.into_iter();
        let mut boxes: Vec<(GlobalId, Counts)> = boxes
            .map(|(global, here)| (global, here.into_iter().map(|it| (it, 0)).collect()))
            .collect();
        boxes.sort_unstable();
        Ok(Closed { boxes, cap: 0, failed })
    }

    /// That something never happens; or why that is not known.
    fn never(&mut self, asked: Asked, limits: &Limits) -> Result<ClaimFound, String> {
        let listed = self.listed();
        let mut last = String::new();
        for cap in [0].into_iter().chain(CAPS) {
            let model = self.model;
            let closed = match self.closed(cap, limits) {
                Ok(closed) => closed,
                Err(why) => {
                    last = why;
                    continue;
                }
            };
            let happens = |local: &LocalId| {
                model.fault(*local).is_some_and(|(fault, _)| is_asked(asked, fault))
            };
            if !closed.failed.iter().any(happens) {
                let answer = ClaimAnswer::Never { boxes: closed.written() };
                return Ok(ClaimFound::Never(ClaimEvidence { asked, answer }, listed));
            }
            last = "listing all states: it cannot be excluded".to_owned();
        }
        for cap in LARGEST {
            let (boxes, failed) = self.at_most(cap, limits)?;
            let happens = |local: &LocalId| {
                self.model.fault(*local).is_some_and(|(fault, _)| is_asked(asked, fault))
            };
            if !failed.iter().any(happens) {
                let answer = ClaimAnswer::Never { boxes };
                return Ok(ClaimFound::Never(ClaimEvidence { asked, answer }, listed));
            }
        }
        Err(last)
    }

    /// Sets of configurations with at most so many at each place, up to the cap, or any number; and
    /// where requests fail in them. Of two sets, one of which is in the other, the larger one is
    /// kept.
    fn at_most(
        &self,
        cap: u8,
        limits: &Limits,
    ) -> Result<(Vec<CountBox>, BTreeSet<LocalId>), String> {
        let mut all: Vec<(GlobalId, Counts, bool)> = Vec::new();
        let mut by: FxHashMap<GlobalId, Vec<usize>> = FxHashMap::default();
        let (initial, mut failed, mut next) = (self.initial(), BTreeSet::new(), 0);
        let mut fresh = vec![(self.system.initial_global(), Counts::new())];
        loop {
            for (global, counts) in fresh.drain(..) {
                let known = by.entry(global).or_default();
                if known.iter().any(|at| has_room(&all[*at].1, &counts)) {
                    continue;
                }
                known.retain(|at| {
                    let inside = has_room(&counts, &all[*at].1);
                    all[*at].2 &= !inside;
                    !inside
                });
                known.push(all.len());
                all.push((global, counts, true));
            }
            let Some((global, counts, is_largest)) = all.get(next).cloned() else { break };
            next += 1;
            if next % 256 == 0 {
                limits.check(all.len(), all.len() * 200).map_err(|stop| stop.to_string())?;
            }
            if all.len() > MAX_BOXES / 4 {
                return Err(format!("more than {} sets of configurations", MAX_BOXES / 4));
            }
            if !is_largest {
                continue;
            }
            for mover in initial.iter().copied().chain(counts.iter().map(|it| it.0)) {
                for step in self.system.steps_at(mover, global) {
                    if self.model.fault(step.to).is_some() {
                        failed.insert(step.to);
                        continue;
                    }
                    let number = |counts: &Counts, local: LocalId| {
                        counts.iter().find(|it| it.0 == local).map_or(0, |it| it.1)
                    };
                    let mut after = counts.clone();
                    if self.counts(step.from) && number(&after, step.from) != ANY {
                        let less = number(&after, step.from).saturating_sub(1);
                        after = with(&after, step.from, less);
                    }
                    if self.counts(step.to) {
                        let more = number(&after, step.to).saturating_add(1);
                        after = with(&after, step.to, if more > cap { ANY } else { more });
                    }
                    fresh.push((step.after, after));
                }
            }
        }
        let boxes = all.into_iter().filter(|it| it.2).map(|(global, counts, _)| CountBox {
            global: global.0,
            counts: counts
                .into_iter()
                .map(|(local, most)| (local.0, 0, (most != ANY).then_some(u32::from(most))))
                .collect(),
        });
        Ok((boxes.collect(), failed))
    }

    fn ends(&mut self, limits: &Limits) -> Result<&Ends, String> {
        let ends = match self.ends.take() {
            Some(ends) => ends,
            None => Ends::of(self, None, limits),
        };
        match self.ends.insert(ends) {
            Ok(ends) => Ok(ends),
            Err(why) => Err(why.clone()),
        }
    }

    /// Whether somebody can wait forever.
    fn deadlock(&mut self, asked: Asked, limits: &Limits) -> Result<ClaimFound, String> {
        let listed = self.listed();
        if let Some(evidence) = self.all_complete(asked, limits)? {
            return Ok(ClaimFound::Never(evidence, listed));
        }
        let written = self.ends(limits)?.written();
        for cap in CAPS {
            let closed = match self.closed(cap, limits) {
                Ok(closed) => closed.boxes.clone(),
                Err(_) => continue,
            };
            let Some(Ok(ends)) = &self.ends else { break };
            if closed.iter().all(|(global, counts)| self.all_finish(ends, *global, counts)) {
                let boxes = self.closed(cap, limits)?.written();
                let answer = ClaimAnswer::Finishing { boxes, ends: written };
                return Ok(ClaimFound::Never(ClaimEvidence { asked, answer }, listed));
            }
            if cap == CAPS[0]
                && let Some(waiting) = self.stuck(limits)?
            {
                let steps = waiting.steps.iter().map(|(who, step)| (*who, self.number(step)));
                let (requests, who) = (waiting.requests.clone(), waiting.who);
                let steps = steps.collect();
                let answer = ClaimAnswer::Stuck { requests, steps, who, ends: written };
                return Ok(ClaimFound::Stuck(ClaimEvidence { asked, answer }, Box::new(waiting)));
            }
        }
        match self.stuck(limits)? {
            Some(waiting) => {
                let steps = waiting.steps.iter().map(|(who, step)| (*who, self.number(step)));
                let (requests, who, steps) =
                    (waiting.requests.clone(), waiting.who, steps.collect());
                let answer = ClaimAnswer::Stuck { requests, steps, who, ends: written };
                Ok(ClaimFound::Stuck(ClaimEvidence { asked, answer }, Box::new(waiting)))
            }
            None => Err(format!(
                "runs of up to {MAX_REQUESTS} requests: everybody can complete, and counts up to \
                 three do not tell whether that is always so"
            )),
        }
    }

    /// That everybody can complete, from what is known to be reachable at most: there is no need to
    /// look at how others would get on.
    fn all_complete(
        &mut self,
        asked: Asked,
        limits: &Limits,
    ) -> Result<Option<ClaimEvidence>, String> {
        let Ok(closed) = self.closed(CAPS[0], limits) else { return Ok(None) };
        let within = Within::of(closed);
        let boxes = closed.written();
        let all = closed.boxes.clone();
        let Ok(ends) = Ends::of(self, Some(&within), limits) else { return Ok(None) };
        if !all.iter().all(|(global, counts)| self.all_finish(&ends, *global, counts)) {
            return Ok(None);
        }
        let answer = ClaimAnswer::Finishing { boxes, ends: ends.written() };
        Ok(Some(ClaimEvidence { asked, answer }))
    }

    fn number(&self, step: &Step) -> u32 {
        let steps = self.system.steps();
        steps.iter().position(|other| other == step).unwrap_or(0) as u32
    }

    /// Whether, in every configuration with at least these counts, everybody can complete.
    fn all_finish(&self, ends: &Ends, global: GlobalId, counts: &Counts) -> bool {
        let least: Others =
            counts.iter().map(|(local, number)| (*local, u32::from(*number))).collect();
        let heroes = self.arrive.iter().map(|it| it.0).chain(counts.iter().map(|it| it.0));
        heroes.into_iter().all(|hero| {
            let mut others = least.clone();
            if self.counts(hero) {
                take(&mut others, hero);
            }
            ends.has_less(global, hero, &others)
        })
    }

    /// A run after which somebody waits forever, with few requests; nothing if none was found.
    fn stuck(&self, limits: &Limits) -> Result<Option<Waiting>, String> {
        let Some(Ok(ends)) = &self.ends else { return Ok(None) };
        type At = (GlobalId, Vec<LocalId>);
        /// From where, which step, and the label of a request that comes with it.
        type Came<'l> = Option<(usize, Step, Option<&'l str>)>;
        let mut all: Vec<(At, Came<'_>, usize)> =
            vec![((self.system.initial_global(), Vec::new()), None, 0)];
        let mut seen: FxHashSet<At> = FxHashSet::default();
        seen.insert(all[0].0.clone());
        let (mut open, mut next) = (VecDeque::from([0]), VecDeque::new());
        loop {
            if open.is_empty() {
                std::mem::swap(&mut open, &mut next);
            }
            let Some(at) = open.pop_front() else { return Ok(None) };
            let ((global, there), _, count) = all[at].clone();
            if all.len() > MAX_CONFIGURATIONS {
                return Ok(None);
            }
            if at % 256 == 0 {
                limits.check(all.len(), all.len() * 150).map_err(|stop| stop.to_string())?;
            }
            let mut heroes = there.clone();
            heroes.dedup();
            let arriving = self.arrive.iter().map(|it| it.0);
            for hero in heroes.into_iter().chain(arriving) {
                let mut others = numbers(&there);
                if self.counts(hero) {
                    take(&mut others, hero);
                }
                if !ends.has_less(global, hero, &others) {
                    let way = {
                        let mut way = Vec::new();
                        let mut here = at;
                        while let Some((from, step, label)) = all[here].1 {
                            way.push((step, label));
                            here = from;
                        }
                        way.reverse();
                        way
                    };
                    return Ok(Some(self.waiting(&way, hero)));
                }
            }
            for (place, local) in there.iter().enumerate() {
                if place > 0 && there[place - 1] == *local {
                    continue;
                }
                for step in self.system.steps_at(*local, global) {
                    let mut others = there.clone();
                    others.remove(place);
                    self.visit(at, step, None, others, count, &mut all, &mut seen, &mut open);
                }
            }
            if count < MAX_REQUESTS {
                for (local, label) in &self.arrive {
                    for step in self.system.steps_at(*local, global) {
                        let label = Some(label.as_str());
                        let others = there.clone();
                        self.visit(
                            at,
                            step,
                            label,
                            others,
                            count + 1,
                            &mut all,
                            &mut seen,
                            &mut next,
                        );
                    }
                }
            }
        }
    }

    #[allow(
        clippy::too_many_arguments,
        clippy::type_complexity,
        reason = "one search in two places"
    )]
    fn visit<'l>(
        &self,
        from: usize,
        step: &Step,
        label: Option<&'l str>,
        mut others: Vec<LocalId>,
        count: usize,
        all: &mut Vec<((GlobalId, Vec<LocalId>), Option<(usize, Step, Option<&'l str>)>, usize)>,
        seen: &mut FxHashSet<(GlobalId, Vec<LocalId>)>,
        queue: &mut VecDeque<usize>,
    ) {
        if self.model.fault(step.to).is_some() {
            return;
        }
        if self.counts(step.to) {
            others.push(step.to);
            others.sort_unstable();
        }
        let at = (step.after, others);
        if seen.insert(at.clone()) {
            queue.push_back(all.len());
            all.push((at, Some((from, *step, label)), count));
        }
    }

    /// A run with names for those who move. Who has gone back to the start of a request and goes on
    /// is the same one, if there is such a one.
    fn waiting(&self, way: &[(Step, Option<&str>)], hero: LocalId) -> Waiting {
        let (mut requests, mut stand): (Vec<String>, Vec<LocalId>) = (Vec::new(), Vec::new());
        let mut steps = Vec::new();
        for (step, label) in way {
            let who = stand.iter().position(|it| *it == step.from);
            let who = who.unwrap_or_else(|| {
                requests.push(label.unwrap_or_default().to_owned());
                stand.push(step.from);
                stand.len() - 1
            });
            stand[who] = step.to;
            steps.push((who, *step));
        }
        let who = stand.iter().position(|it| *it == hero).unwrap_or_else(|| {
            let label = self.arrive.iter().find(|it| it.0 == hero);
            requests.push(label.map(|it| it.1.clone()).unwrap_or_default());
            requests.len() - 1
        });
        Waiting { model: self.model.clone(), requests, steps, who }
    }
}

impl Closed {
    fn written(&self) -> Vec<CountBox> {
        let range = |number: u8| match number {
            _ if self.cap == 0 => (0, None),
            _ if number == self.cap => (u32::from(number), None),
            _ => (u32::from(number), Some(u32::from(number))),
        };
        let boxes = self.boxes.iter().map(|(global, counts)| CountBox {
            global: global.0,
            counts: counts
                .iter()
                .map(|(local, number)| {
                    let (low, high) = range(*number);
                    (local.0, low, high)
                })
                .collect(),
        });
        boxes.collect()
    }
}

/// Situations from which a request can complete, each with the step that leads on.
struct Ends {
    all: Vec<(GlobalId, LocalId, Others, u32, bool)>,
    by: FxHashMap<(GlobalId, LocalId), Vec<usize>>,
}

/// What may be reachable.
struct Within {
    boxes: FxHashMap<GlobalId, Vec<Counts>>,
    cap: u8,
}

impl Within {
    fn of(closed: &Closed) -> Within {
        let mut boxes: FxHashMap<GlobalId, Vec<Counts>> = FxHashMap::default();
        for (global, counts) in &closed.boxes {
            boxes.entry(*global).or_default().push(counts.clone());
        }
        Within { boxes, cap: closed.cap }
    }

    /// Whether there may be so many others at once.
    fn has(&self, global: GlobalId, others: &Others) -> bool {
        let number = |counts: &Counts, local: LocalId| {
            counts.binary_search_by_key(&local, |it| it.0).map_or(0, |at| counts[at].1)
        };
        let fits = |counts: &Counts| {
            others.iter().all(|(local, least)| {
                let number = number(counts, *local);
                number == self.cap || *least <= u32::from(number)
            })
        };
        self.boxes.get(&global).is_some_and(|all| all.iter().any(fits))
    }
}

impl Ends {
    /// All of them that may be reachable, those that need few others first.
    fn of(search: &Search<'_>, within: Option<&Within>, limits: &Limits) -> Result<Ends, String> {
        let system = search.system;
        let may_be = |global: GlobalId, hero: LocalId, others: &Others| {
            let Some(within) = within else { return true };
            let mut all = others.clone();
            if search.counts(hero) {
                add(&mut all, hero);
            }
            within.has(global, &all)
        };
        let mut ends = Ends { all: Vec::new(), by: FxHashMap::default() };
        let mut into: FxHashMap<GlobalId, Vec<(u32, Step)>> = FxHashMap::default();
        let mut open: BTreeMap<usize, VecDeque<usize>> = BTreeMap::new();
        for (number, step) in system.steps().iter().enumerate() {
            into.entry(step.after).or_default().push((number as u32, *step));
            if system.replies_of(step.to).next().is_some() && !search.is_over[step.from.index()] {
                ends.add(step.before, step.from, Others::new(), number as u32, true, &mut open);
            }
        }
        let mut looked = 0_usize;
        while let Some(mut first) = open.first_entry() {
            let Some(at) = first.get_mut().pop_front() else {
                first.remove();
                continue;
            };
            looked += 1;
            if looked.is_multiple_of(256) {
                let bytes = ends.all.len() * 100;
                limits.check(ends.all.len(), bytes).map_err(|stop| stop.to_string())?;
            }
            if ends.all.len() > MAX_ENDS {
                return Err(format!(
                    "more than {MAX_ENDS} situations from which a request can complete"
                ));
            }
            let (global, hero, others, ..) = ends.all[at].clone();
            for (number, step) in into.get(&global).into_iter().flatten() {
                if search.is_over[step.from.index()] {
                    continue;
                }
                if step.to == hero && may_be(step.before, step.from, &others) {
                    ends.add(step.before, step.from, others.clone(), *number, true, &mut open);
                }
                let mut earlier = others.clone();
                if search.counts(step.to) {
                    take(&mut earlier, step.to);
                }
                if search.counts(step.from) {
                    add(&mut earlier, step.from);
                }
                if may_be(step.before, hero, &earlier) {
                    ends.add(step.before, hero, earlier, *number, false, &mut open);
                }
            }
        }
        Ok(ends)
    }

    fn add(
        &mut self,
        global: GlobalId,
        hero: LocalId,
        others: Others,
        step: u32,
        by_hero: bool,
        open: &mut BTreeMap<usize, VecDeque<usize>>,
    ) {
        if self.has_less(global, hero, &others) {
            return;
        }
        let needed = others.iter().map(|it| it.1 as usize).sum();
        open.entry(needed).or_default().push_back(self.all.len());
        self.by.entry((global, hero)).or_default().push(self.all.len());
        self.all.push((global, hero, others, step, by_hero));
    }

    /// Whether there is one that asks for no more than this.
    fn has_less(&self, global: GlobalId, hero: LocalId, others: &Others) -> bool {
        let number = |local: LocalId| {
            others.binary_search_by_key(&local, |it| it.0).map_or(0, |at| others[at].1)
        };
        let known = self.by.get(&(global, hero)).into_iter().flatten();
        known.into_iter().any(|at| self.all[*at].2.iter().all(|(it, least)| number(*it) >= *least))
    }

    fn written(&self) -> Vec<CanEnd> {
        let all = self.all.iter().map(|(global, hero, others, step, by_hero)| CanEnd {
            global: global.0,
            hero: hero.0,
            others: others.iter().map(|(local, number)| (local.0, *number)).collect(),
            step: *step,
            by_hero: *by_hero,
        });
        all.collect()
    }
}

/// The counts with this one changed.
fn with(counts: &Counts, local: LocalId, number: u8) -> Counts {
    let mut counts = counts.clone();
    match (counts.binary_search_by_key(&local, |it| it.0), number) {
        (Ok(at), 0) => {
            counts.remove(at);
        }
        (Ok(at), _) => counts[at].1 = number,
        (Err(_), 0) => {}
        (Err(at), _) => counts.insert(at, (local, number)),
    }
    counts
}

/// Whether there is room for all of these.
fn has_room(room: &Counts, counts: &Counts) -> bool {
    let most =
        |local: LocalId| room.binary_search_by_key(&local, |it| it.0).map_or(0, |at| room[at].1);
    counts.iter().all(|(local, number)| most(*local) >= *number)
}

/// How many there are of each, of a sorted list.
fn numbers(there: &[LocalId]) -> Others {
    let mut all = Others::new();
    for local in there {
        add(&mut all, *local);
    }
    all
}

fn take(others: &mut Others, local: LocalId) {
    if let Ok(at) = others.binary_search_by_key(&local, |it| it.0) {
        others[at].1 -= 1;
        if others[at].1 == 0 {
            others.remove(at);
        }
    }
}

fn add(others: &mut Others, local: LocalId) {
    match others.binary_search_by_key(&local, |it| it.0) {
        Ok(at) => others[at].1 += 1,
        Err(at) => others.insert(at, (local, 1)),
    }
}
