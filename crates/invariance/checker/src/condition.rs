//! One case of one premise: what is assumed, what has to be shown, and the lemmas.

use crate::axiom::{Axioms, Clause};
use crate::certificate::{CaseProof, Instance, Mover, Term};
use crate::control::Control;
use crate::environment::{Environment, Heap, Position, Scope, Value};
use crate::logic::{Formula, Logic};
use crate::propositional::{Domain, Found, refute};
use crate::rejection::{CasePlace, LocationPlace, Place, Premise, Reason, Rejection};
use crate::step::{Actor, Executed, execute};
use crate::table::Table;
use crate::translate::Translator;
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_base::LineIndex;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{GlobalId, InvId, Invariant, LocId, Type};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// When so many terms and formulas are there, they are forgotten between two groups of cases.
const STORE: usize = 500_000;

/// About so many bytes has a term or a formula.
const BYTES: usize = 100;

/// An invariant may have so many instances in one case.
const MAX_INSTANCES: usize = 20_000;

#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    pub conditions: usize,
    pub shown: usize,
    pub searched: usize,
    pub lemmas: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<'a> {
    pub invariant: Option<InvId>,
    pub premise: Kind,
    pub mover: Mover,
    pub location: u32,
    pub path: u32,
    pub partition: &'a [u32],
    /// How many blocks there are.
    pub blocks: u32,
    /// The block of each anchor.
    pub anchors: &'a [(GlobalId, u32)],
}

/// Which kind of premise it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Initiation,
    Consecution,
    Follows,
    Safety,
}

/// What a step chooses and writes.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    pub heap: &'a Heap,
    pub chosen: &'a [Type],
}

/// Checks premises, one case after the other.
pub(crate) struct Checker<'a> {
    pub system: &'a System,
    pub control: &'a Control<'a>,
    pub lines: &'a LineIndex,
    pub limits: &'a Limits,
    pub terms: &'a [Term],
    /// The invariants that are claimed.
    pub nodes: &'a BTreeMap<&'a str, InvId>,
    pub anchors: Vec<GlobalId>,
    pub logic: Logic,
    pub counts: Counts,
    executed: FxHashMap<(u32, u32, u32, u32), Rc<Executed>>,
}

impl<'a> Checker<'a> {
    pub fn new(
        system: &'a System,
        control: &'a Control<'a>,
        lines: &'a LineIndex,
        limits: &'a Limits,
        terms: &'a [Term],
        nodes: &'a BTreeMap<&'a str, InvId>,
        anchors: Vec<GlobalId>,
    ) -> Checker<'a> {
        let (logic, counts, executed) = (Logic::new(), Counts::default(), FxHashMap::default());
        Checker { system, control, lines, limits, terms, nodes, anchors, logic, counts, executed }
    }

    /// Forgets terms and formulas if there are many.
    pub fn tidy(&mut self) {
        if self.logic.size() > STORE {
            self.logic = Logic::new();
            self.executed.clear();
        }
    }

    /// The blocks of the anchors, which are the variables from `first` on.
    pub fn anchor_blocks(&self, partition: &[u32], first: usize) -> Vec<(GlobalId, u32)> {
        let blocks = partition.get(first..).unwrap_or_default();
        self.anchors.iter().copied().zip(blocks.iter().copied()).collect()
    }

    /// A path, executed by a block.
    pub fn executed(
        &mut self,
        location: u32,
        path: u32,
        me: u32,
        blocks: u32,
        obligations: bool,
    ) -> Result<Rc<Executed>, Reason> {
        let key = (location, path, me, blocks);
        if !obligations && let Some(known) = self.executed.get(&key) {
            return Ok(known.clone());
        }
        self.limits.check_clock()?;
        self.limits.check_room(self.logic.size().saturating_mul(BYTES))?;
        let paths = self.control.paths_of(LocId(location));
        let what = || Reason::Source { what: "a path that does not exist".into() };
        let found = paths.get(path as usize).ok_or_else(what)?;
        let actor = Actor { me, blocks, location: LocId(location), obligations };
        let has_site = |procedure| self.control.has_site(procedure);
        let done = execute(self.system, &self.anchors, &mut self.logic, found, actor, has_site)?;
        let done = Rc::new(done);
        if !obligations {
            self.executed.insert(key, done.clone());
        }
        Ok(done)
    }

    /// The conjuncts of an invariant (or one of them), for some blocks.
    pub fn instance(
        &mut self,
        invariant: &Invariant,
        conjunct: Option<u32>,
        environment: &Environment,
        parameters: &[u32],
        anchors: &[(GlobalId, u32)],
        out: &mut Vec<Formula>,
    ) -> Result<(), Reason> {
        let scope = Scope { me: None, parameters, anchors };
        let mut translator = Translator::new(self.system, &mut self.logic, environment, scope);
        for (place, it) in invariant.conjuncts.iter().enumerate() {
            if conjunct.is_none_or(|wanted| wanted as usize == place) {
                out.push(translator.formula(&it.formula)?);
            }
        }
        Ok(())
    }

    /// All instances of an invariant.
    pub fn all_instances(
        &mut self,
        invariant: &Invariant,
        environment: &Environment,
        blocks: u32,
        anchors: &[(GlobalId, u32)],
    ) -> Result<Vec<Formula>, Reason> {
        let parameters = invariant.parameters.len();
        let count = (blocks as usize).checked_pow(parameters as u32);
        if count.is_none_or(|count| count > MAX_INSTANCES) {
            let what = format!("an invariant has more than {MAX_INSTANCES} instances in a case");
            return Err(Reason::Size { what });
        }
        let mut found = Vec::new();
        let mut tuple = vec![0; parameters];
        loop {
            self.instance(invariant, None, environment, &tuple, anchors, &mut found)?;
            // The next tuple: count up, the last place first.
            let Some(place) = tuple.iter().rposition(|block| block + 1 < blocks) else { break };
            tuple[place] += 1;
            tuple[place + 1..].fill(0);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// What holds of the anchors.
    fn background(&mut self, case: &Case<'_>, out: &mut Vec<Formula>) -> Result<(), Reason> {
        let environment = Environment::before(Position::Unknown);
        for (global, block) in case.anchors {
            let scope = Scope { me: None, parameters: &[], anchors: &[] };
            let mut translator = Translator::new(self.system, &mut self.logic, &environment, scope);
            let Value::Term(value) = translator.global(global.0)? else {
                return Err(Reason::Source { what: "a thread of type `bool`".into() });
            };
            let thread = self.logic.thread(*block);
            out.push(self.logic.equal(value, thread));
        }
        Ok(())
    }

    /// Instances that the proof uses, in the state before.
    fn used(
        &mut self,
        case: &Case<'_>,
        environment: &Environment,
        uses: &[Instance],
        out: &mut Vec<Formula>,
    ) -> Result<(), Reason> {
        let system = self.system;
        for Instance { invariant: name, conjunct, threads } in uses {
            let none = || Reason::NotClaimed { invariant: name.clone() };
            let found = self.nodes.get(name.as_str()).ok_or_else(none)?;
            let invariant = system.invariants.get(found.0 as usize).ok_or_else(none)?;
            let (given, wanted) = (threads.len(), invariant.parameters.len());
            if given != wanted {
                let invariant = name.clone();
                return Err(Reason::InstanceThreads { invariant, given, wanted });
            }
            if let Some(block) = threads.iter().find(|block| **block >= case.blocks) {
                return Err(Reason::NoThread { block: *block });
            }
            if let Some(conjunct) = *conjunct
                && conjunct as usize >= invariant.conjuncts.len()
            {
                return Err(Reason::NoConjunct { invariant: name.clone(), conjunct });
            }
            self.instance(invariant, *conjunct, environment, threads, case.anchors, out)?;
        }
        Ok(())
    }

    /// Shows that formulas have no solution, with the background of the case, and what its proof
    /// lists.
    pub fn refute(
        &mut self,
        case: &Case<'_>,
        before: &Environment,
        path: Path<'_>,
        mut asserted: Vec<Formula>,
        proof: Option<&CaseProof>,
    ) -> Result<(), Reason> {
        self.limits.check_clock()?;
        self.counts.shown += 1;
        self.background(case, &mut asserted)?;
        let mut clauses: Vec<Clause> = Vec::new();
        if let Some(proof) = proof {
            self.used(case, before, &proof.uses, &mut asserted)?;
            self.counts.lemmas += proof.lemmas.len();
            let mut pace = self.limits.pace();
            let mut table = Table {
                system: self.system,
                terms: self.terms,
                axioms: Axioms { logic: &mut self.logic, heap: path.heap },
                chosen: path.chosen,
                blocks: case.blocks,
                made: FxHashMap::default(),
            };
            for (number, lemma) in proof.lemmas.iter().enumerate() {
                pace.steps(16)?;
                let made = table.clauses(lemma).map_err(|problem| Reason::Lemma {
                    lemma: number,
                    axiom: lemma.axiom(),
                    problem,
                })?;
                clauses.extend(made);
            }
        }
        let domain = Domain { locations: self.system.locations.len(), calls: &self.control.calls };
        match refute(&self.logic, &domain, &asserted, &clauses, self.limits)? {
            Found::Propagation => Ok(()),
            Found::Search => {
                self.counts.searched += 1;
                Ok(())
            }
            Found::Solution => {
                Err(Reason::Open { lemmas: proof.map_or(0, |proof| proof.lemmas.len()) })
            }
        }
    }

    /// The end of a case, which is worth nothing if a number was too large.
    pub fn finish(&self, case: &Case<'_>, done: Result<(), Reason>) -> Result<(), Rejection> {
        let done = match self.logic.overflowed() {
            true => Err(Reason::Overflow),
            false => done,
        };
        done.map_err(|reason| Rejection::from(reason).at(|| self.place(case)))
    }

    /// Where a case is, for people.
    pub fn place(&self, case: &Case<'_>) -> Place {
        let invariant = case.invariant.and_then(|it| self.system.invariants.get(it.0 as usize));
        let global = |it: &GlobalId| match self.system.globals.get(it.0 as usize) {
            Some(global) => global.name.text.clone(),
            None => String::new(),
        };
        let mut names: Vec<String> = Vec::new();
        if case.premise == Kind::Safety {
            names.push("mover".into());
        }
        names.extend(invariant.iter().flat_map(|it| &it.parameters).map(|it| it.text.clone()));
        names.extend(self.anchors.iter().map(global));
        let premise = match (case.premise, case.mover) {
            (Kind::Initiation, _) => Premise::Initiation,
            (Kind::Follows, _) => Premise::Follows,
            (Kind::Safety, _) => Premise::Safety,
            (Kind::Consecution, Mover::Variable(variable)) => {
                Premise::Own { thread: names.get(variable as usize).cloned().unwrap_or_default() }
            }
            (Kind::Consecution, Mover::Fresh | Mover::Nobody) => Premise::Other,
        };
        names.push("mover".into());
        let mut blocks: Vec<Vec<&str>> = vec![Vec::new(); case.blocks as usize];
        for (block, name) in case.partition.iter().zip(&names) {
            if let Some(block) = blocks.get_mut(*block as usize) {
                block.push(name);
            }
        }
        let threads: Vec<String> = blocks.iter().map(|block| block.join(" = ")).collect();
        let has_step = matches!(case.premise, Kind::Consecution | Kind::Safety);
        let location = self.system.locations.get(case.location as usize).filter(|_| has_step);
        Place::Case(Box::new(CasePlace {
            invariant: invariant.map(|it| it.name.text.clone()),
            premise,
            location: location.map(|it| LocationPlace {
                number: case.location + 1,
                name: it.name.as_ref().map(|name| name.text.clone()),
                line: self.lines.line(it.span.start),
            }),
            path: case.path,
            threads: threads.join(", "),
            partition: case.partition.to_vec(),
        }))
    }
}

type Key<'c> = (Mover, u32, u32, &'c [u32]);

/// The cases that a proof lists.
pub(crate) struct Listed<'c> {
    cases: FxHashMap<Key<'c>, (&'c CaseProof, Cell<bool>)>,
    order: &'c [CaseProof],
}

impl<'c> Listed<'c> {
    pub fn new(cases: &'c [CaseProof]) -> Result<Listed<'c>, (&'c CaseProof, Reason)> {
        let mut found = FxHashMap::default();
        for case in cases {
            if found.insert(key(case), (case, Cell::new(false))).is_some() {
                return Err((case, Reason::CaseTwice));
            }
        }
        Ok(Listed { cases: found, order: cases })
    }

    /// The proof of a case, if it is listed.
    pub fn find(&self, case: &Case<'_>) -> Option<&'c CaseProof> {
        if self.cases.is_empty() {
            return None;
        }
        let key: Key<'_> = (case.mover, case.location, case.path, case.partition);
        let (proof, seen) = self.cases.get(&key)?;
        seen.set(true);
        Some(proof)
    }

    /// Whether every case that is listed was there.
    pub fn finish(&self) -> Result<(), Reason> {
        let unseen = |case: &&CaseProof| self.cases.get(&key(case)).is_some_and(|it| !it.1.get());
        match self.order.iter().find(unseen) {
            None => Ok(()),
            Some(CaseProof { mover, location, path, partition, .. }) => Err(Reason::NoCase {
                mover: *mover,
                location: *location,
                path: *path,
                partition: partition.clone(),
            }),
        }
    }
}

fn key(case: &CaseProof) -> Key<'_> {
    (case.mover, case.location, case.path, &case.partition)
}

/// A rejection of a premise as a whole.
pub(crate) fn of_invariant(
    checker: &Checker<'_>,
    invariant: InvId,
) -> impl Fn(Reason) -> Rejection {
    let found = checker.system.invariants.get(invariant.0 as usize);
    let name = found.map(|it| it.name.text.clone()).unwrap_or_default();
    move |reason| Rejection::from(reason).at(|| Place::Invariant(name.clone()))
}
