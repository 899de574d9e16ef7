//! Conditions: the premises of the rules for one system, case by case, and what the decision layer
//! says of each.

use crate::cases::{anchors_in, blocks, partitions, tuples};
use crate::decide::{Decision, Problem, Procedure, Reason, Solution, decide};
use crate::logic::{Atom, Formula, Logic};
use crate::prove::Premise;
use crate::smtlib::{Size, script};
use crate::steps::{Anchored, Steps};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::Limits;
use ser_invariance_checker::environment::{Environment, Heap, Scope};
use ser_invariance_checker::{Lemma, Mover};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Conjunct, GlobalId, InvId, LocId, StmtKind};
use std::rc::Rc;

/// How many threads a condition may speak of: there are 203 ways in which six can be equal or not.
const MOST_VARIABLES: usize = 6;

ser_base::switches! {
    /// Which shortcuts are taken.
    pub struct Tactics {
        /// Support only as the file says, if it says something; otherwise all invariants for all
        /// premises.
        pub needed: bool,
        /// Support only where the condition does not hold without.
        pub offending: bool,
        /// Instances of support only if they exclude a model that was found.
        pub lazy: bool,
        /// What is known from the location of the mover is put in before anything is solved, and
        /// what is literally assumed is not asked again.
        pub simplify: bool,
    }
}

/// An instance of one conjunct of an invariant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Use {
    pub invariant: InvId,
    /// Its conjunct, by place.
    pub conjunct: u32,
    /// The block of each parameter.
    pub threads: Vec<u32>,
}

/// One case of a premise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Case {
    pub mover: Mover,
    /// From where (0 if nobody moves).
    pub location: LocId,
    /// On which path (0 if nobody moves).
    pub path: u32,
    /// The block of each variable.
    pub partition: Vec<u32>,
}

/// A condition about a step that is to be decided: all of its cases.
#[derive(Clone, Debug)]
pub struct Pending {
    pub premise: Premise,
    pub location: LocId,
    /// Which of the transitions that are counted there, from 0.
    pub transition: u32,
    pub cases: Vec<Case>,
}

/// What was found about a case.
#[derive(Debug)]
pub enum Found {
    Valid {
        /// Who has shown it.
        procedure: Procedure,
        /// With which instances of others.
        uses: Vec<Use>,
        /// By which axioms.
        lemmas: Vec<Lemma>,
    },
    /// It is not.
    Model {
        /// A solution of the opposite.
        solution: Box<Solution>,
        /// The instances that were available.
        available: Vec<Use>,
    },
    /// It was not found out.
    Unknown(Reason),
}

/// What a case is about, besides its formulas.
struct Setting<'a> {
    heap: &'a Heap,
    /// Where the mover is.
    here: Option<(u32, LocId)>,
    /// The invariant that may be assumed before the step.
    own: Option<InvId>,
    blocks: u32,
    /// The blocks that the premise is about.
    about: Vec<u32>,
    anchors: &'a Anchored,
}

/// The threads of an invariant in a case.
#[derive(Default)]
struct Threads {
    parameters: Vec<u32>,
    anchors: Vec<(GlobalId, u32)>,
}

impl Threads {
    fn scope(&self) -> Scope<'_> {
        Scope { me: None, parameters: &self.parameters, anchors: &self.anchors }
    }
}

/// A case as a script, and whether it is valid (or is not known to be).
pub type Kept = (String, Option<bool>);
/// Invariant, the block of each parameter, and the block of each anchor.
type InstanceKey = (InvId, Vec<u32>, Vec<u32>);

/// Makes the conditions of a system.
pub struct Conditions<'s> {
    pub steps: Steps<'s>,
    tactics: Tactics,
    scripts: Option<(Size, Vec<Kept>)>,
    /// Conjuncts that are given up: neither shown nor used.
    given_up: FxHashSet<(InvId, u32)>,
    instances: FxHashMap<InstanceKey, Rc<Vec<Formula>>>,
    placed: FxHashMap<(u32, LocId), FxHashMap<u32, Formula>>,
}

impl<'s> Conditions<'s> {
    /// Of a system without errors.
    pub fn new(system: &'s System, tactics: Tactics) -> Conditions<'s> {
        Conditions {
            steps: Steps::new(system),
            tactics,
            scripts: None,
            given_up: FxHashSet::default(),
            instances: FxHashMap::default(),
            placed: FxHashMap::default(),
        }
    }

    pub fn system(&self) -> &'s System {
        self.steps.system
    }

    pub fn give_up(&mut self, invariant: InvId, conjunct: u32) {
        self.given_up.insert((invariant, conjunct));
    }

    /// Whether a conjunct is given up.
    pub fn is_given_up(&self, invariant: InvId, conjunct: u32) -> bool {
        self.given_up.contains(&(invariant, conjunct))
    }

    /// How many parameters an invariant has.
    pub fn parameters(&self, invariant: InvId) -> usize {
        self.system().invariants[invariant.0 as usize].parameters.len()
    }

    /// The variables that are threads of an invariant: parameters, and anchors that occur in it, by
    /// their number.
    pub fn own_variables(&self, invariant: InvId) -> Vec<u32> {
        let count = self.parameters(invariant);
        let invariant = &self.system().invariants[invariant.0 as usize];
        let anchors = anchors_in(invariant, &self.steps.anchors).into_iter().enumerate();
        let anchors = anchors.filter(|(_, occurs)| *occurs);
        let anchors = anchors.map(|(place, _)| (count + place) as u32);
        (0..count as u32).chain(anchors).collect()
    }

    /// The partitions of a premise with this mover.
    pub fn partitions(&self, invariant: InvId, mover: Mover) -> Vec<Vec<u32>> {
        let named = self.parameters(invariant) + self.steps.anchors.len();
        let fresh = mover == Mover::Fresh;
        let all = partitions(named + usize::from(fresh), self.system().threads);
        if !fresh {
            return all.collect();
        }
        let own = self.own_variables(invariant);
        let apart = |it: &Vec<u32>| own.iter().all(|v| it[*v as usize] != it[named]);
        all.filter(apart).collect()
    }

    /// The threads of an invariant in a partition.
    fn threads(&self, parameters: usize, partition: &[u32]) -> Threads {
        let anchors = self.steps.anchors.iter().copied();
        let anchors = anchors.zip(partition[parameters..].iter().copied()).collect();
        Threads { parameters: partition[..parameters].to_vec(), anchors }
    }

    /// The conjuncts of an invariant before a step.
    fn instance(
        &mut self,
        invariant: InvId,
        tuple: &[u32],
        anchors: &[(GlobalId, u32)],
    ) -> Rc<Vec<Formula>> {
        let at: Vec<u32> = anchors.iter().map(|(_, block)| *block).collect();
        let key = (invariant, tuple.to_vec(), at);
        if let Some(known) = self.instances.get(&key) {
            return known.clone();
        }
        // Variables come before what is made of them.
        let most = tuple.iter().chain(&key.2).max().map_or(1, |most| most + 1);
        self.steps.variables(most);
        let scope = Scope { me: None, parameters: tuple, anchors };
        let conjuncts = &self.system().invariants[invariant.0 as usize].conjuncts;
        let formulas = conjuncts.iter().map(|it| self.steps.formula_before(scope, &it.formula));
        let formulas: Rc<Vec<Formula>> = Rc::new(formulas.collect());
        self.instances.insert(key, formulas.clone());
        formulas
    }

    fn conjuncts(&mut self, invariant: InvId, at: &Environment, threads: &Threads) -> Vec<Formula> {
        let conjuncts = &self.system().invariants[invariant.0 as usize].conjuncts;
        let formula = |it: &Conjunct| self.steps.formula(at, threads.scope(), &it.formula);
        conjuncts.iter().map(formula).collect()
    }

    /// Puts in where the mover is.
    fn place(&mut self, f: Formula, mover: Option<(u32, LocId)>) -> Formula {
        let (Some((mover, location)), true) = (mover, self.tactics.simplify) else { return f };
        let mut memo = self.placed.remove(&(mover, location)).unwrap_or_default();
        let value = move |logic: &Logic, id: crate::logic::AtomId| match logic.atom(id) {
            Atom::At(block, set) if *block == mover => {
                Some(logic.locations(*set).binary_search(&location).is_ok())
            }
            _ => None,
        };
        let result = self.steps.logic.restrict(f, &value, &mut memo);
        self.placed.insert((mover, location), memo);
        result
    }

    /// From now on, every case that needs a decision is kept as a script for other solvers, with
    /// models of this size.
    pub fn keep_scripts(&mut self, size: Size) {
        self.scripts = Some((size, Vec::new()));
    }

    /// The scripts that were kept since the last call, in the order of the decisions.
    pub fn take_scripts(&mut self) -> Vec<Kept> {
        self.scripts.as_mut().map(|(_, kept)| std::mem::take(kept)).unwrap_or_default()
    }

    /// The paths of each transition that the paper counts at a location.
    fn transitions(&mut self, location: LocId) -> Vec<Vec<u32>> {
        let paths = self.steps.paths(location, 0, 1).len();
        let counted = self.steps.control.counted(location).max(1);
        let mut all = vec![Vec::new(); counted];
        let together = match &self.steps.control.at(location).statement.kind {
            // Several paths are one transition.
            StmtKind::Choice(_) | StmtKind::Return(_) => counted,
            _ => usize::MAX,
        };
        for path in 0..paths {
            all[(path % together).min(counted - 1)].push(path as u32);
        }
        all
    }

    /// The cases of a premise without a step.
    pub fn still_cases(&self, invariant: InvId) -> Vec<Case> {
        let partitions = self.partitions(invariant, Mover::Nobody).into_iter();
        let case =
            |partition| Case { mover: Mover::Nobody, location: LocId(0), path: 0, partition };
        partitions.map(case).collect()
    }

    /// The conditions of steps that must keep an invariant.
    pub fn kept_by(&mut self, invariant: InvId) -> Vec<Pending> {
        let own = self.own_variables(invariant).into_iter();
        let movers = own.map(|v| (Mover::Variable(v), Premise::Own(v)));
        let movers: Vec<_> = movers.chain([(Mover::Fresh, Premise::Other)]).collect();
        let mut all = Vec::new();
        for location in self.steps.control.locations() {
            let transitions = self.transitions(location);
            for (mover, premise) in &movers {
                let partitions = self.partitions(invariant, *mover);
                for (transition, paths) in (0..).zip(&transitions) {
                    let cases = paths.iter().flat_map(|path| {
                        partitions.iter().map(|partition| Case {
                            mover: *mover,
                            location,
                            path: *path,
                            partition: partition.clone(),
                        })
                    });
                    let cases = cases.collect();
                    all.push(Pending { premise: *premise, location, transition, cases });
                }
            }
        }
        all
    }

    /// The conditions of steps that could be errors.
    pub fn could_fail(&mut self) -> Vec<Pending> {
        let (mover, premise) = (Mover::Fresh, Premise::Safety);
        let mut all = Vec::new();
        for location in self.steps.control.locations() {
            for (transition, paths) in (0..).zip(self.transitions(location)) {
                let mut cases = Vec::new();
                for path in paths {
                    for partition in self.safety_partitions() {
                        if self.is_obliged(location, path, &partition) {
                            cases.push(Case { mover, location, path, partition });
                        }
                    }
                }
                if !cases.is_empty() {
                    all.push(Pending { premise, location, transition, cases });
                }
            }
        }
        all
    }

    /// Decides a case of an invariant, with these invariants (or conjuncts) as support.
    pub fn step(
        &mut self,
        invariant: InvId,
        case: &Case,
        support: &[(InvId, Option<u32>)],
        limits: &Limits,
    ) -> Found {
        let count = self.parameters(invariant);
        let threads = self.threads(count, &case.partition);
        let blocks = blocks(&case.partition).max(1);
        let variable = match case.mover {
            Mover::Variable(v) => v as usize,
            Mover::Fresh | Mover::Nobody => case.partition.len() - 1,
        };
        let mover = case.partition[variable];
        let all = self.steps.paths(case.location, mover, blocks);
        let Some(path) = all.get(case.path as usize) else {
            return Found::Valid { procedure: Procedure::Locations, uses: vec![], lemmas: vec![] };
        };
        let here = Some((mover, case.location));
        let own = self.own_variables(invariant).into_iter();
        let mut about: Vec<u32> = own.map(|v| case.partition[v as usize]).collect();
        about.push(mover);
        let before = self.instance(invariant, &threads.parameters, &threads.anchors);
        let after = self.conjuncts(invariant, &path.after, &threads);
        let mut broken = Vec::new();
        for (place, (before, after)) in before.iter().zip(after).enumerate() {
            if self.is_given_up(invariant, place as u32) {
                continue;
            }
            let (before, after) = (self.place(*before, here), self.place(after, here));
            if before != after || !self.tactics.simplify {
                broken.push(!after);
            }
        }
        let mut given = self.steps.background(&threads.anchors);
        given.extend(&path.facts);
        given.push(self.steps.logic.or(broken));
        if !self.tactics.simplify {
            given.push(self.steps.logic.at(mover, &[case.location]));
        }
        let setting = Setting {
            heap: &path.after.heap,
            here,
            own: Some(invariant),
            blocks,
            about,
            anchors: &threads.anchors,
        };
        self.answer(given, &setting, support, limits)
    }

    /// Decides a case of initiation.
    pub fn start(&mut self, invariant: InvId, partition: &[u32], limits: &Limits) -> Found {
        let count = self.parameters(invariant);
        let threads = self.threads(count, partition);
        let blocks = blocks(partition);
        let mut given = self.steps.initial(blocks, &threads.anchors);
        let goal = self.goal(invariant, &threads);
        given.push(goal);
        self.still(given, blocks, &threads, &[], limits)
    }

    /// Decides a case in which nobody moves.
    fn still(
        &mut self,
        given: Vec<Formula>,
        blocks: u32,
        threads: &Threads,
        support: &[(InvId, Option<u32>)],
        limits: &Limits,
    ) -> Found {
        let (heap, about) = (&Heap::default(), threads.parameters.clone());
        let anchors = &threads.anchors;
        let setting = Setting { heap, here: None, own: None, blocks, about, anchors };
        self.answer(given, &setting, support, limits)
    }

    /// That an invariant does not hold before a step.
    fn goal(&mut self, invariant: InvId, threads: &Threads) -> Formula {
        let goal = self.instance(invariant, &threads.parameters, &threads.anchors);
        let goal = goal.iter().enumerate();
        let goal = goal.filter(|(place, _)| !self.is_given_up(invariant, *place as u32));
        let broken: Vec<Formula> = goal.map(|(_, f)| !*f).collect();
        self.steps.logic.or(broken)
    }

    /// The conjuncts that do not hold after the step (or at the start) in a solution for a case.
    pub fn broken(&mut self, invariant: InvId, case: &Case, solution: &Solution) -> Vec<u32> {
        let count = self.parameters(invariant);
        let threads = self.threads(count, &case.partition);
        let blocks = blocks(&case.partition).max(1);
        let (after, here) = match case.mover {
            Mover::Nobody => {
                let before = self.instance(invariant, &threads.parameters, &threads.anchors);
                (before.to_vec(), None)
            }
            mover => {
                let variable = match mover {
                    Mover::Variable(v) => v as usize,
                    _ => case.partition.len() - 1,
                };
                let mover = case.partition[variable];
                let all = self.steps.paths(case.location, mover, blocks);
                let Some(path) = all.get(case.path as usize) else { return Vec::new() };
                let after = self.conjuncts(invariant, &path.after, &threads);
                (after, Some((mover, case.location)))
            }
        };
        let after: Vec<Formula> = after.into_iter().map(|f| self.place(f, here)).collect();
        let wrong =
            after.iter().enumerate().filter(|(_, f)| !solution.holds(&self.steps.logic, **f));
        let wrong = wrong.map(|(place, _)| place as u32);
        wrong.filter(|place| !self.is_given_up(invariant, *place)).collect()
    }

    /// Whether it is certain that no run starts: the initial condition has no model, however
    /// anchors are equal or not.
    pub fn never_starts(&mut self, limits: &Limits) -> bool {
        self.safety_partitions().into_iter().all(|partition| {
            let anchors = self.safety_anchors(&partition);
            let blocks = blocks(&partition);
            let given = self.steps.initial(blocks, &anchors);
            let threads = Threads { parameters: vec![partition[0]], anchors };
            matches!(self.still(given, blocks, &threads, &[], limits), Found::Valid { .. })
        })
    }

    /// Whether there are too many paths or cases to go through.
    pub fn too_many(&self) -> Option<Reason> {
        let most = self.system().invariants.iter().map(|it| it.parameters.len()).max();
        let variables = most.unwrap_or(0) + self.steps.anchors.len() + 1;
        if self.steps.has_too_many_paths() {
            return Some(Reason::Paths);
        }
        (variables > MOST_VARIABLES).then_some(Reason::Cases)
    }

    /// Decides whether an invariant follows from others.
    pub fn follows(
        &mut self,
        invariant: InvId,
        partition: &[u32],
        support: &[(InvId, Option<u32>)],
        limits: &Limits,
    ) -> Found {
        let count = self.parameters(invariant);
        let threads = self.threads(count, partition);
        let blocks = blocks(partition);
        let mut given = self.steps.background(&threads.anchors);
        let goal = self.goal(invariant, &threads);
        given.push(goal);
        self.still(given, blocks, &threads, support, limits)
    }

    /// The partitions of a premise of safety: the mover, then the anchors.
    fn safety_partitions(&self) -> Vec<Vec<u32>> {
        partitions(1 + self.steps.anchors.len(), self.system().threads).collect()
    }

    /// Whether a path can be an error, in a partition of mover and anchors.
    fn is_obliged(&mut self, location: LocId, path: u32, partition: &[u32]) -> bool {
        let all = self.steps.paths(location, partition[0], blocks(partition));
        all.get(path as usize).is_some_and(|it| !it.obligations.is_empty())
    }

    /// Which anchor is in which block, in a partition of mover and anchors.
    pub fn safety_anchors(&self, partition: &[u32]) -> Vec<(GlobalId, u32)> {
        self.steps.anchors.iter().copied().zip(partition[1..].iter().copied()).collect()
    }

    /// Decides whether the step can be an error.
    pub fn safe(
        &mut self,
        case: &Case,
        support: &[(InvId, Option<u32>)],
        limits: &Limits,
    ) -> Found {
        let anchors = self.safety_anchors(&case.partition);
        let blocks = blocks(&case.partition);
        let mover = case.partition[0];
        let all = self.steps.paths(case.location, mover, blocks);
        let Some(path) = all.get(case.path as usize) else {
            return Found::Valid { procedure: Procedure::Locations, uses: vec![], lemmas: vec![] };
        };
        let here = Some((mover, case.location));
        let mut broken = Vec::new();
        let mut met: Vec<Formula> = Vec::new();
        for obligation in &path.obligations {
            let mut parts = path.facts[..obligation.after].to_vec();
            parts.extend(&met);
            parts.push(!obligation.goal);
            let wrong = self.steps.logic.and(parts);
            broken.push(self.place(wrong, here));
            met.push(obligation.goal);
        }
        let mut given = self.steps.background(&anchors);
        given.push(self.steps.logic.or(broken));
        if !self.tactics.simplify {
            given.push(self.steps.logic.at(mover, &[case.location]));
        }
        let (heap, about) = (&path.after.heap, vec![mover]);
        let setting = Setting { heap, here, own: None, blocks, about, anchors: &anchors };
        self.answer(given, &setting, support, limits)
    }

    fn answer(
        &mut self,
        given: Vec<Formula>,
        setting: &Setting<'_>,
        support: &[(InvId, Option<u32>)],
        limits: &Limits,
    ) -> Found {
        let Setting { heap, here, own, blocks, ref about, anchors } = *setting;
        if self.steps.is_too_large() {
            return Found::Unknown(Reason::Arithmetic);
        }
        if let Err(stop) = limits.check(0, 0) {
            return Found::Unknown(Reason::Stopped(stop));
        }
        let closed = self.steps.logic.and(given.iter().copied());
        if closed == Formula::FALSE {
            return Found::Valid { procedure: Procedure::Locations, uses: vec![], lemmas: vec![] };
        }
        let mut names: Vec<Use> = Vec::new();
        let mut formulas: Vec<Formula> = Vec::new();
        let mut add = |this: &mut Self, invariant: InvId, only: Option<u32>| {
            for tuple in tuples(this.parameters(invariant), blocks) {
                let conjuncts = this.instance(invariant, &tuple, anchors);
                for (place, conjunct) in conjuncts.iter().enumerate() {
                    let place = place as u32;
                    let f = this.place(*conjunct, here);
                    let wanted = only.is_none_or(|it| it == place);
                    if f != Formula::TRUE && wanted && !this.is_given_up(invariant, place) {
                        names.push(Use { invariant, conjunct: place, threads: tuple.clone() });
                        formulas.push(f);
                    }
                }
            }
        };
        if let Some(own) = own {
            add(self, own, None);
        }
        let free = {
            for (invariant, only) in support {
                if Some(*invariant) != own {
                    add(self, *invariant, *only);
                }
            }
            own
        };
        // Threads that the premise is about come first.
        let late: Vec<bool> = names
            .iter()
            .map(|it| it.threads.iter().any(|thread| !about.contains(thread)))
            .collect();
        let owned = names.iter().take_while(|it| Some(it.invariant) == free).count();
        let Tactics { lazy, offending, .. } = self.tactics;
        let mut problem = Problem {
            heap,
            places: &self.steps.places,
            given,
            support: formulas,
            late,
            eager: !lazy,
            blocks,
        };
        let mut decision = None;
        if !lazy && offending {
            let all = problem.support.split_off(owned);
            decision = Some(decide(&mut self.steps.logic, &problem, limits));
            problem.support.extend(all);
        }
        let decision = match decision {
            Some(valid @ Decision::Valid { .. }) => valid,
            _ => decide(&mut self.steps.logic, &problem, limits),
        };
        if self.steps.is_too_large() {
            return Found::Unknown(Reason::Arithmetic);
        }
        if let Some((size, _)) = self.scripts {
            let mut formulas = problem.given.clone();
            formulas.extend(&problem.support);
            let valid = match &decision {
                Decision::Valid { .. } => Some(true),
                Decision::Model(_) => Some(false),
                Decision::Unknown(_) => None,
            };
            let status = match valid {
                Some(true) => "unsat",
                Some(false) => "sat",
                None => "unknown",
            };
            let comment =
                format!("A condition of `ser prove`: `unsat` if it is valid.\nser says: {status}");
            let Steps { logic, places, .. } = &mut self.steps;
            let text = script(logic, &comment, heap, places, blocks, &formulas, size);
            if let Some((_, kept)) = &mut self.scripts {
                kept.push((text, valid));
            }
        }
        match decision {
            Decision::Valid { procedure, uses, lemmas } => {
                let uses = uses.into_iter().filter(|place| *place >= owned);
                let uses = uses.map(|place| names[place].clone()).collect();
                Found::Valid { procedure, uses, lemmas }
            }
            Decision::Model(solution) => Found::Model { solution, available: names },
            Decision::Unknown(reason) => Found::Unknown(reason),
        }
    }
}
