//! *Houdini*: assume all candidates before each step, and drop those that a counter-model breaks,
//! until nothing is broken. What is left is inductive, and nothing that is inductive together with
//! it was dropped.
//!
//! A candidate is about threads that stand at certain locations (its *site*). So in each of its
//! conditions it is known where everybody is, and only candidates about these locations can help:
//! conditions are small, however many candidates there are. All candidates of one site are looked
//! at together. What a condition has used is remembered; it is looked at again only if something of
//! that is dropped.
//!
//! Nothing here is trusted: what is found is proved once more, as if somebody had written it.

use super::candidates::Candidate;
use crate::cases::tuples;
use crate::decide::{Decision, Problem, decide};
use crate::logic::{Atom, AtomId, Formula, Logic};
use crate::steps::Steps;
use rustc_hash::FxHashMap;
use ser_base::{Limits, Stop};
use ser_invariance_checker::environment::{Heap, Scope, Value, Variable};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{ExprKind, Field, GlobalId, LocId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// How many threads a condition may speak of.
const MOST_BLOCKS: u32 = 6;

/// Something that can be assumed: a candidate, or behind all of them a goal.
pub type Id = u32;

/// What has to hold of the candidates of one site.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Condition {
    site: Vec<LocId>,
    how: Moves,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Moves {
    /// Nobody: it holds at the start.
    Nobody,
    /// A thread of the site comes there on this path.
    Own { thread: u32, from: LocId, path: u32 },
    /// Somebody else takes this path.
    Other { from: LocId, path: u32 },
}

/// What was found about candidates.
pub enum Outcome {
    /// They hold, by these.
    Holds(BTreeSet<Id>),
    /// These of them do not.
    Broken(Vec<Id>),
    /// It was not found out.
    Unclear,
}

/// What a path changes, and where it ends.
struct Effect {
    from: LocId,
    path: u32,
    to: LocId,
    changes: Footprint,
    /// Whether locals of the thread that moves change.
    moves: bool,
}

/// Globals and fields that something reads or writes.
#[derive(Clone, Default, Debug)]
struct Footprint {
    globals: BTreeSet<GlobalId>,
    fields: BTreeSet<Field>,
}

impl Footprint {
    fn meets(&self, other: &Footprint) -> bool {
        !self.globals.is_disjoint(&other.globals) || !self.fields.is_disjoint(&other.fields)
    }

    fn of(candidate: &Candidate) -> Footprint {
        let mut found = Footprint::default();
        candidate.body.walk(&mut |it| match &it.kind {
            ExprKind::Global(id) => {
                found.globals.insert(*id);
            }
            ExprKind::Field(_, field) => {
                found.fields.insert(*field);
            }
            ExprKind::Cells(_) | ExprKind::Reach(..) => {
                found.fields.insert(Field::Next);
            }
            ExprKind::Elems(_) => {
                found.fields.insert(Field::Data);
            }
            ExprKind::Ordered(..) => found.fields.extend([Field::Next, Field::Data]),
            _ => {}
        });
        found
    }
}

/// Where everybody is in a case.
struct Scene {
    /// The location of each block before the step, as far as it is known.
    at: Vec<Option<LocId>>,
    anchors: Vec<(GlobalId, u32)>,
}

/// The candidates of a system, and what is known about them.
pub struct Houdini<'s> {
    steps: Steps<'s>,
    pub candidates: Rc<Vec<Candidate>>,
    footprints: Vec<Footprint>,
    by_site: BTreeMap<Vec<LocId>, Vec<Id>>,
    effects: Vec<Effect>,
    /// Which candidates, and behind them goals, may be assumed.
    pub alive: Vec<bool>,
    /// Which of them are known to be inductive together: they need not be looked at again.
    known: Vec<bool>,
    /// Conditions that are valid, with what they have used.
    valid: BTreeMap<Condition, BTreeSet<Id>>,
    users: Vec<BTreeSet<Condition>>,
    instances: FxHashMap<(Id, Vec<u32>), Formula>,
    goals: FxHashMap<(Id, Vec<u32>, Vec<u32>), Formula>,
}

impl<'s> Houdini<'s> {
    /// Nothing is assumed yet.
    pub fn new(system: &'s System, candidates: Vec<Candidate>) -> Houdini<'s> {
        let mut steps = Steps::new(system);
        steps.variables(MOST_BLOCKS);
        let mut by_site: BTreeMap<Vec<LocId>, Vec<Id>> = BTreeMap::new();
        for (id, candidate) in candidates.iter().enumerate() {
            by_site.entry(candidate.at.clone()).or_default().push(id as Id);
        }
        let all = candidates.len() + system.invariants.len();
        let mut engine = Houdini {
            steps,
            footprints: candidates.iter().map(Footprint::of).collect(),
            candidates: Rc::new(candidates),
            by_site,
            effects: Vec::new(),
            alive: vec![false; all],
            known: vec![false; all],
            valid: BTreeMap::new(),
            users: vec![BTreeSet::new(); all],
            instances: FxHashMap::default(),
            goals: FxHashMap::default(),
        };
        engine.effects = engine.find_effects();
        engine
    }

    /// The number of a goal.
    pub fn goal(&self, place: usize) -> Id {
        (self.candidates.len() + place) as Id
    }

    fn find_effects(&mut self) -> Vec<Effect> {
        let mut all = Vec::new();
        let (globals, locals) = self.steps.variables(1);
        let locals = locals.into_iter().next().unwrap_or_default();
        let is_new = |before: Option<&Value>, after: &Value| before != Some(after);
        for from in self.steps.control.locations() {
            for (number, path) in self.steps.paths(from, 0, 1).iter().enumerate() {
                let (mut changes, mut moves) = (Footprint::default(), false);
                for (variable, value) in path.after.changed() {
                    match *variable {
                        Variable::Global(id) if is_new(globals.get(id as usize), value) => {
                            changes.globals.insert(GlobalId(id));
                        }
                        Variable::Global(_) => {}
                        Variable::Local(id, _) => moves |= is_new(locals.get(id as usize), value),
                    }
                }
                changes.fields.extend(path.after.heap.writes().iter().map(|it| it.field));
                all.push(Effect { from, path: number as u32, to: path.to, changes, moves });
            }
        }
        all
    }

    /// The conditions of a site, or of one candidate at it.
    pub fn conditions(&self, site: &[LocId], only: Option<Id>) -> Vec<Condition> {
        let ids = self.by_site.get(site).map(Vec::as_slice).unwrap_or_default();
        let ids: Vec<Id> = match only {
            Some(id) => vec![id],
            None => ids.iter().copied().filter(|id| self.is_open(*id)).collect(),
        };
        if ids.is_empty() {
            return Vec::new();
        }
        let mut all = Vec::new();
        let mut add = |how| all.push(Condition { site: site.to_vec(), how });
        if site.iter().all(|it| *it == self.steps.control.entry()) {
            add(Moves::Nobody);
        }
        let touched = |effect: &Effect| {
            ids.iter().any(|id| self.footprints[*id as usize].meets(&effect.changes))
        };
        for effect in &self.effects {
            let Effect { from, path, to, moves, .. } = *effect;
            for (thread, at) in site.iter().enumerate() {
                let stays = from == to && !moves && !touched(effect);
                if to == *at && !stays {
                    add(Moves::Own { thread: thread as u32, from, path });
                }
            }
        }
        for effect in self.effects.iter().filter(|it| touched(it)) {
            add(Moves::Other { from: effect.from, path: effect.path });
        }
        all
    }

    fn is_open(&self, id: Id) -> bool {
        self.alive[id as usize] && !self.known[id as usize]
    }

    /// Assumes these candidates, and all goals, besides what is known.
    pub fn assume(&mut self, candidates: impl IntoIterator<Item = Id>) {
        self.alive.clone_from(&self.known);
        let goals = (0..self.steps.system.invariants.len()).map(|it| self.goal(it));
        for id in candidates.into_iter().chain(goals.collect::<Vec<Id>>()) {
            self.alive[id as usize] = true;
        }
        self.valid.clear();
        self.users.iter_mut().for_each(BTreeSet::clear);
    }

    /// What is assumed is inductive: from now on it is known.
    pub fn learn(&mut self) {
        self.known.clone_from(&self.alive);
    }

    /// Only what is known is assumed.
    pub fn forget(&mut self) {
        self.alive.clone_from(&self.known);
    }

    /// Drops candidates until nothing is broken.
    pub fn run(&mut self, limits: &Limits) -> Result<(), Stop> {
        let mut open: VecDeque<Condition> = VecDeque::new();
        for site in self.by_site.keys() {
            open.extend(self.conditions(site, None));
        }
        // What threads do themselves breaks most, and is the cheapest to look at.
        open.make_contiguous().sort_by_key(|it| match it.how {
            Moves::Nobody => 0,
            Moves::Own { .. } => 1,
            Moves::Other { .. } => 2,
        });
        self.settle(open, limits)
    }

    /// Drops something that was assumed, and then what does not hold without it.
    pub fn without(&mut self, dropped: Id, limits: &Limits) -> Result<(), Stop> {
        let open = self.drop(dropped);
        self.settle(open.into(), limits)
    }

    /// Takes something away; the conditions that have to be looked at again.
    fn drop(&mut self, id: Id) -> Vec<Condition> {
        self.alive[id as usize] = false;
        let users = std::mem::take(&mut self.users[id as usize]);
        let used = |it: &Condition| self.valid.get(it).is_some_and(|used| used.contains(&id));
        let again: Vec<Condition> = users.into_iter().filter(used).collect();
        for condition in &again {
            self.valid.remove(condition);
        }
        again
    }

    fn settle(&mut self, mut open: VecDeque<Condition>, limits: &Limits) -> Result<(), Stop> {
        while let Some(condition) = open.pop_front() {
            loop {
                limits.check_clock()?;
                let group = self.group_of(&condition);
                let broken = match self.check(&condition, &group, &|_| true, limits) {
                    Outcome::Holds(used) => {
                        for id in &used {
                            self.users[*id as usize].insert(condition.clone());
                        }
                        self.valid.insert(condition, used);
                        break;
                    }
                    Outcome::Broken(broken) => broken,
                    Outcome::Unclear if group.len() > 1 => {
                        limits.check_clock()?;
                        // One of them is too hard: which?
                        let mut hard = Vec::new();
                        for id in group {
                            limits.check_clock()?;
                            let one = self.check(&condition, &[id], &|_| true, limits);
                            if !matches!(one, Outcome::Holds(_)) {
                                hard.push(id);
                            }
                        }
                        if hard.is_empty() {
                            hard.extend(self.group_of(&condition));
                        }
                        hard
                    }
                    Outcome::Unclear => group,
                };
                limits.check_clock()?;
                for id in broken {
                    open.extend(self.drop(id));
                }
            }
        }
        Ok(())
    }

    fn group_of(&self, condition: &Condition) -> Vec<Id> {
        let ids = self.by_site.get(&condition.site).cloned().unwrap_or_default();
        ids.into_iter().filter(|id| self.is_open(*id)).collect()
    }

    /// Looks at some candidates of one site, with what is alive and allowed as support.
    pub fn check(
        &mut self,
        condition: &Condition,
        group: &[Id],
        allowed: &dyn Fn(Id) -> bool,
        limits: &Limits,
    ) -> Outcome {
        let mut used = BTreeSet::new();
        let threads = condition.site.len() as u32;
        let named = threads + u32::from(matches!(condition.how, Moves::Other { .. }));
        let most = self.steps.system.threads.unwrap_or(MOST_BLOCKS).min(MOST_BLOCKS);
        if named > most {
            return match self.steps.system.threads {
                Some(fixed) if named > fixed => Outcome::Holds(used),
                _ => Outcome::Unclear,
            };
        }
        for (blocks, anchors) in self.placings(named, most) {
            let scene = Scene { at: self.standing(condition, blocks), anchors };
            match self.case(condition, group, blocks, &scene, allowed, limits) {
                Outcome::Holds(more) => used.extend(more),
                other => return other,
            }
        }
        Outcome::Holds(used)
    }

    /// In how many ways anchors can be threads that are named already, or others.
    fn placings(&self, named: u32, most: u32) -> Vec<(u32, Vec<(GlobalId, u32)>)> {
        let mut all = vec![(named, Vec::new())];
        for anchor in &self.steps.anchors {
            let mut longer = Vec::new();
            for (blocks, placed) in all {
                for block in 0..=blocks {
                    if block < most {
                        let mut placed: Vec<(GlobalId, u32)> = placed.clone();
                        placed.push((*anchor, block));
                        longer.push((blocks.max(block + 1), placed));
                    }
                }
            }
            all = longer;
        }
        all
    }

    fn standing(&self, condition: &Condition, blocks: u32) -> Vec<Option<LocId>> {
        let mut at: Vec<Option<LocId>> = condition.site.iter().map(|it| Some(*it)).collect();
        match condition.how {
            Moves::Nobody => {}
            Moves::Own { thread, from, .. } => at[thread as usize] = Some(from),
            Moves::Other { from, .. } => at.push(Some(from)),
        }
        at.resize(blocks as usize, None);
        at
    }

    fn case(
        &mut self,
        condition: &Condition,
        group: &[Id],
        blocks: u32,
        scene: &Scene,
        allowed: &dyn Fn(Id) -> bool,
        limits: &Limits,
    ) -> Outcome {
        let threads = condition.site.len() as u32;
        let candidates = self.candidates.clone();
        let (mut given, afters, heap): (Vec<Formula>, Vec<Formula>, Heap) = match condition.how {
            Moves::Nobody => {
                let given = self.steps.initial(blocks, &scene.anchors);
                let own: Vec<u32> = (0..threads).collect();
                let goals = group.iter().map(|id| self.instance(*id, &own)).collect();
                (given, goals, Heap::default())
            }
            Moves::Own { from, path, .. } | Moves::Other { from, path } => {
                let mover = match condition.how {
                    Moves::Own { thread, .. } => thread,
                    _ => threads,
                };
                let all = self.steps.paths(from, mover, blocks);
                let Some(path) = all.get(path as usize) else {
                    return Outcome::Holds(BTreeSet::new());
                };
                let mut given = self.steps.background(&scene.anchors);
                given.extend(&path.facts);
                let here = matches!(condition.how, Moves::Other { .. })
                    || matches!(condition.how, Moves::Own { thread, from, .. }
                        if condition.site[thread as usize] == from);
                let own: Vec<u32> = (0..threads).collect();
                let to = Scope { me: None, parameters: &own, anchors: &scene.anchors };
                let mut afters = Vec::new();
                for id in group {
                    let body = &candidates[*id as usize].body;
                    let after = self.steps.formula(&path.after, to, body);
                    // What holds before and does not change needs no proof.
                    let same = here && after == self.instance(*id, &own);
                    afters.push(if same { Formula::TRUE } else { after });
                }
                (given, afters, path.after.heap.clone())
            }
        };
        let broken: Vec<Formula> = afters.iter().map(|f| !*f).collect();
        let broken = self.steps.logic.or(broken);
        if broken == Formula::FALSE {
            return Outcome::Holds(BTreeSet::new());
        }
        given.push(broken);
        let (names, support) = match condition.how {
            Moves::Nobody => (Vec::new(), Vec::new()),
            _ => self.support(scene, blocks, allowed),
        };
        if let Some(place) = support.iter().position(|f| *f == Formula::FALSE) {
            return Outcome::Holds(BTreeSet::from([names[place]]));
        }
        let late = vec![false; support.len()];
        let problem = Problem {
            heap: &heap,
            places: &self.steps.places,
            given,
            support,
            late,
            eager: false,
            blocks,
        };
        match decide(&mut self.steps.logic, &problem, limits) {
            Decision::Valid { uses, .. } if !self.steps.is_too_large() => {
                Outcome::Holds(uses.into_iter().map(|place| names[place]).collect())
            }
            Decision::Model(solution) => {
                let wrong = group.iter().zip(&afters);
                let wrong = wrong.filter(|(_, f)| !solution.holds(&self.steps.logic, **f));
                let wrong: Vec<Id> = wrong.map(|(id, _)| *id).collect();
                if wrong.is_empty() { Outcome::Unclear } else { Outcome::Broken(wrong) }
            }
            _ => Outcome::Unclear,
        }
    }

    /// A candidate before the step, of these blocks.
    fn instance(&mut self, id: Id, blocks: &[u32]) -> Formula {
        if let Some(known) = self.instances.get(&(id, blocks.to_vec())) {
            return *known;
        }
        let candidates = self.candidates.clone();
        let to = Scope { parameters: blocks, ..Scope::default() };
        let f = self.steps.formula_before(to, &candidates[id as usize].body);
        self.instances.insert((id, blocks.to_vec()), f);
        f
    }

    /// What can be assumed of threads that stand where they stand.
    fn support(
        &mut self,
        scene: &Scene,
        blocks: u32,
        allowed: &dyn Fn(Id) -> bool,
    ) -> (Vec<Id>, Vec<Formula>) {
        let known: Vec<(u32, LocId)> =
            (0..).zip(&scene.at).filter_map(|(block, at)| Some((block, (*at)?))).collect();
        let mut tuples_at: Vec<(Vec<LocId>, Vec<u32>)> = vec![(vec![], vec![])];
        for (block, at) in &known {
            tuples_at.push((vec![*at], vec![*block]));
            for (other, there) in known.iter().filter(|(other, _)| other != block) {
                tuples_at.push((vec![*at, *there], vec![*block, *other]));
            }
        }
        let (mut names, mut formulas) = (Vec::new(), Vec::new());
        for (site, tuple) in tuples_at {
            for id in self.by_site.get(&site).cloned().unwrap_or_default() {
                if self.alive[id as usize] && allowed(id) {
                    let f = self.instance(id, &tuple);
                    if f != Formula::TRUE {
                        names.push(id);
                        formulas.push(f);
                    }
                }
            }
        }
        for place in 0..self.steps.system.invariants.len() {
            let id = self.goal(place);
            if self.alive[id as usize] && allowed(id) {
                for f in self.goal_instances(place, scene, blocks) {
                    names.push(id);
                    formulas.push(f);
                }
            }
        }
        (names, formulas)
    }

    /// A goal for all threads, with what is known about their places put in.
    fn goal_instances(&mut self, place: usize, scene: &Scene, blocks: u32) -> Vec<Formula> {
        let (system, id) = (self.steps.system, self.goal(place));
        let goal = &system.invariants[place];
        let anchors: Vec<u32> = scene.anchors.iter().map(|(_, block)| *block).collect();
        let at = scene.at.clone();
        let value = move |logic: &Logic, atom: AtomId| match logic.atom(atom) {
            Atom::At(block, set) => {
                let at = (*at.get(*block as usize)?)?;
                Some(logic.locations(*set).binary_search(&at).is_ok())
            }
            _ => None,
        };
        let mut memo = FxHashMap::default();
        let mut found = Vec::new();
        for tuple in tuples(goal.parameters.len(), blocks) {
            let key = (id, tuple.clone(), anchors.clone());
            let whole = match self.goals.get(&key) {
                Some(known) => *known,
                None => {
                    let to = Scope { me: None, parameters: &tuple, anchors: &scene.anchors };
                    let parts: Vec<Formula> = goal
                        .conjuncts
                        .iter()
                        .map(|it| self.steps.formula_before(to, &it.formula))
                        .collect();
                    let whole = self.steps.logic.and(parts);
                    self.goals.insert(key, whole);
                    whole
                }
            };
            let f = self.steps.logic.restrict(whole, &value, &mut memo);
            if f != Formula::TRUE {
                found.push(f);
            }
        }
        found
    }
}
