//! No invariant that some small instance violates is ever accepted.
//!
//! Random systems with random invariants. All states of instances with one to three threads are
//! looked at (as far as there is room), and every certificate that claims an invariant that does
//! not hold there, or that nothing is an error where something is, has to be rejected, whatever
//! lemmas and instances it lists in whatever case.

use super::{Done, Machine};
use crate::axiom::Axioms;
use crate::cases::{anchors, anchors_in, blocks, partitions};
use crate::certificate::{CaseProof, Claim, How, Instance, Mover, Node};
use crate::check::check_claim;
use crate::control::{Control, Piece};
use crate::environment::Heap;
use crate::evaluate::View;
use crate::logic::Logic;
use crate::run::{Elem, Run, RunStep, Shows, State, Value};
use crate::step::{Actor, execute};
use crate::table::Table;
use crate::tests::pool::{Pool, World};
use fastrand::Rng;
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_base::LineIndex;
use ser_generators::Draw;
use ser_generators::threads::actions::{self, Context, VARIABLES};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{ActionKind, LocId, Place, Scalar, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The value that a variable of a type has at the start.
fn initial(ty: &str) -> &'static str {
    match ty {
        "int" => "0",
        "Threads" => "nobody",
        "addr" => "null",
        "elem" => "lowest",
        "bool" => "false",
        _ => "{}",
    }
}

fn value(ty: Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(false),
        Type::Scalar(Scalar::Int) => Value::Int(0),
        Type::Scalar(Scalar::Tid) => Value::Tid(None),
        Type::Scalar(Scalar::Addr) => Value::Addr(0),
        Type::Scalar(Scalar::Elem) => Value::Elem(Elem::Lowest),
        Type::Set(_) => Value::Set(BTreeSet::new()),
    }
}

fn values(ty: Type, threads: u32) -> Vec<Value> {
    match ty {
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Scalar(Scalar::Int) => (0..3).map(Value::Int).collect(),
        Type::Scalar(Scalar::Tid) => {
            std::iter::once(None).chain((0..threads).map(Some)).map(Value::Tid).collect()
        }
        Type::Scalar(Scalar::Addr) => (0..4).map(Value::Addr).collect(),
        Type::Scalar(Scalar::Elem) => {
            [Elem::Lowest, Elem::Between(0), Elem::Highest].map(Value::Elem).to_vec()
        }
        Type::Set(of) => {
            let elements = values(Type::Scalar(of), threads).into_iter().take(2);
            let singles = elements.map(|it| Value::Set([it].into()));
            std::iter::once(Value::Set(BTreeSet::new())).chain(singles).collect()
        }
    }
}

/// A system with labels `p0`, `p1`, ... in a loop, and invariants.
fn random_system(random: &mut Rng) -> String {
    let heap = random.one_in(4);
    let mut text = String::new();
    for (name, ty, _) in VARIABLES.iter().filter(|it| !it.2) {
        text += &format!("var {name}: {ty} = {};\n", initial(ty));
    }
    text += "set Threads  process thread for self in Threads {\n";
    for (name, ty, _) in VARIABLES.iter().filter(|it| it.2) {
        text += &format!("var {name}: {ty} = {};\n", initial(ty));
    }
    text += "loop {\n";
    let statements = 2 + random.below(3);
    let labels = ["p0", "p1", "p2", "p3"];
    for label in labels.iter().take(statements) {
        let actions: Vec<String> = (0..1 + random.below(2))
            .map(|_| {
                loop {
                    let action = actions::action(random, 1);
                    let of_heap =
                        [".", "lock", "malloc", "reach", "ordered", "addr2set", "set2elem"];
                    let errs = action.contains("assert")
                        || action.contains("min(")
                        || action.contains("max(");
                    if heap || !(errs || of_heap.iter().any(|it| action.contains(it))) {
                        return action;
                    }
                }
            })
            .collect();
        text += &format!("{label}: atomic {{ {} }}\n", actions.join(" "));
    }
    text += "}\n}\n";
    let labels = &labels[..statements];
    for number in 0..3 {
        let parameters: &[&str] = match random.below(3) {
            0 => &[],
            1 => &["i"],
            _ => &["i", "j"],
        };
        let context = Context { parameters: Some(parameters), labels, heap };
        let place =
            |random: &mut Rng, thread: &str| format!("at({thread}, {})", random.pick(labels));
        let formula = context.expr(random, "bool", 1);
        let formula = match parameters {
            [] => formula,
            [i] => format!("{} -> {formula}", place(random, i)),
            _ => {
                let (first, second) = (place(random, "i"), place(random, "j"));
                match random.below(3) {
                    0 => format!("i != j -> !({first} && {second})"),
                    1 => format!("{first} && {second} -> {formula}"),
                    _ => format!("i != j && {first} && {second} -> {formula}"),
                }
            }
        };
        text += &format!("invariant phi{number}({}) : {formula};\n", parameters.join(", "));
    }
    text
}

/// What is found in all instances.
struct Found {
    violated: BTreeSet<usize>,
    error: bool,
    states: usize,
}

fn explore(system: &System, control: &Control<'_>, lines: &LineIndex) -> Found {
    let mut found = Found { violated: BTreeSet::new(), error: false, states: 0 };
    for threads in 1..4 {
        let run = Run {
            threads,
            globals: system.globals.iter().map(|it| value(it.ty)).collect(),
            locals: vec![system.locals.iter().map(|it| value(it.ty)).collect(); threads as usize],
            cells: BTreeMap::new(),
            steps: vec![],
            shows: Shows::Error,
        };
        let start = Machine::start(system, control, lines, &run).expect("it starts like this");
        let mut seen: BTreeSet<State> = [start.state].into();
        let mut open: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = open.pop() {
            found.states += 1;
            violations(system, &state, &mut found.violated);
            if seen.len() > 150 {
                continue;
            }
            for thread in 0..threads {
                let at = state.threads[thread as usize].location;
                for path in 0..control.paths_of(at).len() as u32 {
                    for chosen in choices(system, control, at, path, threads) {
                        let state = state.clone();
                        let mut machine = Machine { system, control, lines, state };
                        match machine.step(&RunStep { thread, path, chosen }) {
                            Ok(Done::Moved) => {
                                if seen.insert(machine.state.clone()) {
                                    open.push(machine.state);
                                }
                            }
                            Ok(Done::Error(_)) => found.error = true,
                            Err(_) => {}
                        }
                    }
                }
            }
        }
    }
    found
}

fn violations(system: &System, state: &State, violated: &mut BTreeSet<usize>) {
    let threads = state.threads.len() as u32;
    for (number, invariant) in system.invariants.iter().enumerate() {
        for i in 0..threads {
            for j in 0..threads {
                let parameters = [i, j];
                let parameters = &parameters[..invariant.parameters.len()];
                let view = View { state, me: None, parameters };
                let holds = |formula| view.holds(formula).unwrap_or(true);
                if !invariant.conjuncts.iter().all(|it| holds(&it.formula)) {
                    violated.insert(number);
                }
            }
        }
    }
}

/// Lists of choices for a path.
fn choices(
    system: &System,
    control: &Control<'_>,
    at: LocId,
    path: u32,
    threads: u32,
) -> Vec<Vec<Value>> {
    let mut all = vec![vec![]];
    for piece in &control.paths_of(at)[path as usize].pieces {
        let Piece::Act(action) = piece else { continue };
        let ty = match &action.kind {
            ActionKind::Malloc { .. } => Type::Scalar(Scalar::Addr),
            ActionKind::Havoc { target: Place::Global(global), .. } => {
                system.globals[global.0 as usize].ty
            }
            ActionKind::Havoc { target: Place::Local(local), .. } => {
                system.locals[local.0 as usize].ty
            }
            _ => continue,
        };
        let values = values(ty, threads);
        let longer =
            |list: &Vec<Value>, value: &Value| [&list[..], std::slice::from_ref(value)].concat();
        all = all.iter().flat_map(|it| values.iter().map(move |value| longer(it, value))).collect();
    }
    all
}

/// Makes certificates.
struct Forger<'a> {
    system: &'a System,
    control: &'a Control<'a>,
    random: &'a mut Rng,
    terms: Vec<crate::certificate::Term>,
}

impl Forger<'_> {
    /// A case with random lemmas, all of which make sense, and random instances.
    fn case(&mut self, mover: Mover, me: u32, at: (u32, u32), partition: &[u32]) -> CaseProof {
        let count = blocks(partition);
        let mut logic = Logic::new();
        let (heap, chosen) = match mover {
            Mover::Nobody => (Heap::default(), vec![]),
            _ => {
                let location = LocId(at.0);
                let actor = Actor { me, blocks: count, location, obligations: false };
                let path = &self.control.paths_of(location)[at.1 as usize];
                let has_site = |procedure| self.control.has_site(procedure);
                let done = execute(self.system, &[], &mut logic, path, actor, has_site);
                let done = done.expect("a path");
                (done.after.heap, done.chosen)
            }
        };
        let world =
            World { system: self.system, blocks: count, chosen: &chosen, versions: heap.version() };
        let pool = Pool::behind(std::mem::take(&mut self.terms), self.random, world);
        let mut lemmas = Vec::new();
        let mut table = Table {
            system: self.system,
            terms: &pool.terms,
            axioms: Axioms { logic: &mut logic, heap: &heap },
            chosen: &chosen,
            blocks: count,
            made: FxHashMap::default(),
        };
        for _ in 0..40 {
            let lemma = pool.lemma(self.random);
            if table.clauses(&lemma).is_ok() {
                lemmas.push(lemma);
            }
        }
        // The terms of all cases are in one table.
        self.terms = pool.terms;
        let mut uses = Vec::new();
        if mover != Mover::Nobody && count > 0 {
            for _ in 0..3 {
                let invariant = self.random.pick(&self.system.invariants);
                let threads = invariant.parameters.iter();
                let threads = threads.map(|_| self.random.below(count as usize) as u32).collect();
                let invariant = invariant.name.text.clone();
                uses.push(Instance { invariant, conjunct: None, threads });
            }
        }
        let (location, path) = at;
        CaseProof { mover, location, path, partition: partition.to_vec(), uses, lemmas }
    }

    fn induction(&mut self, number: usize) -> Node {
        let invariant = &self.system.invariants[number];
        let parameters = invariant.parameters.len();
        assert!(anchors(self.system).is_empty() && anchors_in(invariant, &[]).is_empty());
        let initiation =
            partitions(parameters, None).map(|it| self.case(Mover::Nobody, 0, (0, 0), &it));
        let initiation = initiation.collect();
        let mut consecution = Vec::new();
        for location in 0..self.system.locations.len() as u32 {
            for path in 0..self.control.paths_of(LocId(location)).len() as u32 {
                for partition in partitions(parameters, None) {
                    for variable in 0..parameters {
                        let (mover, me) = (Mover::Variable(variable as u32), partition[variable]);
                        consecution.push(self.case(mover, me, (location, path), &partition));
                    }
                    let fresh = blocks(&partition);
                    let partition = [&partition[..], &[fresh]].concat();
                    consecution.push(self.case(Mover::Fresh, fresh, (location, path), &partition));
                }
            }
        }
        let how = How::Induction { initiation, consecution };
        Node { invariant: invariant.name.text.clone(), how }
    }

    fn safety(&mut self) -> Vec<CaseProof> {
        let mut safety = Vec::new();
        for location in 0..self.system.locations.len() as u32 {
            for path in 0..self.control.paths_of(LocId(location)).len() as u32 {
                safety.push(self.case(Mover::Fresh, 0, (location, path), &[0]));
            }
        }
        safety
    }
}

/// How many certificates were accepted, rejected although nothing is wrong, and rejected as they
/// had to be.
#[derive(Default, Debug)]
struct Counts {
    accepted: usize,
    unproved: usize,
    refused: usize,
}

fn campaign(seed: u64, systems: usize) -> Counts {
    let mut random = Rng::with_seed(seed);
    let mut counts = Counts::default();
    for _ in 0..systems {
        let text = random_system(&mut random);
        let parse = ser_syntax::inv::parse(&text);
        assert!(!parse.has_errors(), "{text}\n{:?}", parse.diagnostics);
        let system = parse.system;
        let (control, lines) = (Control::new(&system).expect("a program"), LineIndex::new(&text));
        let found = explore(&system, &control, &lines);
        let mut claims = vec![(vec![0, 1, 2], true, true), (vec![0, 1, 2], true, false)];
        for it in 0..3 {
            claims.extend([false, true].map(|with_lemmas| (vec![it], with_lemmas, true)));
            claims.push((vec![it], true, false));
        }
        for (claimed, with_lemmas, safe) in claims {
            let mut forger =
                Forger { system: &system, control: &control, random: &mut random, terms: vec![] };
            let mut nodes: Vec<Node> = Vec::new();
            let mut safety = Vec::new();
            for number in &claimed {
                if with_lemmas {
                    nodes.push(forger.induction(*number));
                } else {
                    let how = How::Induction { initiation: vec![], consecution: vec![] };
                    nodes.push(Node { invariant: format!("phi{number}"), how });
                }
            }
            if with_lemmas {
                safety = forger.safety();
            }
            let names: BTreeSet<String> = nodes.iter().map(|it| it.invariant.clone()).collect();
            let keep = |case: &mut CaseProof| case.uses.retain(|it| names.contains(&it.invariant));
            for node in &mut nodes {
                if let How::Induction { consecution, .. } = &mut node.how {
                    consecution.iter_mut().for_each(keep);
                }
            }
            safety.iter_mut().for_each(keep);
            let claim =
                Claim::Proved { terms: forger.terms, nodes, safety: safe.then_some(safety) };
            let is_wrong =
                safe && found.error || claimed.iter().any(|it| found.violated.contains(it));
            match check_claim(&system, &lines, &claim, &Limits::default()) {
                Ok(verdict) => {
                    assert!(!is_wrong, "{claimed:?}: {verdict:?}\n{text}\n{:?}", found.violated);
                    counts.accepted += 1;
                }
                Err(rejection) => {
                    use crate::rejection::Reason;
                    assert!(
                        matches!(*rejection.reason, Reason::Open { .. }),
                        "{rejection}\n{text}"
                    );
                    *(if is_wrong { &mut counts.refused } else { &mut counts.unproved }) += 1;
                }
            }
        }
    }
    counts
}

#[test]
fn no_invariant_that_an_instance_violates_is_accepted() {
    let counts = campaign(3, 60);
    assert!(counts.accepted > 20 && counts.refused > 100, "{counts:?}");
}

#[test]
#[ignore = "a long campaign"]
fn no_invariant_that_an_instance_violates_is_accepted_in_a_long_campaign() {
    for seed in 100..120 {
        campaign(seed, 500);
    }
}
