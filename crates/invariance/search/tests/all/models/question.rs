//! One random condition: what the decision layer says of it, and what is true.

use super::grammar::{LISTS, Theory, system};
use super::oracle::{
    HIGHEST, LOWEST, NOBODY, Partial, Piece, Scene, Slot, Stop, Universe, Variable, Who, ways,
};
use fastrand::Rng;
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_generators::Draw;
use ser_invariance_checker::Mover;
use ser_invariance_checker::run::{Elem, Value};
use ser_invariance_search::cases::{blocks, tuples};
use ser_invariance_search::conditions::{Case, Conditions, Found, Tactics};
use ser_invariance_search::decide::Reason;
use ser_invariance_search::explore::{self, NotEnabled, State};
use ser_invariance_search::model::state;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Field, InvId, LocId, Scalar, Step, StmtKind, Type};

const GOAL: InvId = InvId(0);
const SUPPORT: InvId = InvId(1);

fn parsed(text: &str) -> System {
    let parse = ser_syntax::inv::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    parse.system
}

/// Which condition is asked for.
#[derive(Clone, Debug)]
pub enum Ask {
    /// The block keeps the goal.
    Step(Case),
    /// The goal holds at the start.
    Start(Vec<u32>),
    /// The goal follows from the support.
    Follows(Vec<u32>),
}

/// What came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is valid, and there is no small model; or there were too many to look at all (`false`).
    Valid(bool),
    /// There is a model, which is one.
    Model,
    /// There is one, but only if the element of `null` is the lowest or the highest.
    Odd,
    /// It was not found out; whether there is a small model.
    Unknown(Reason, Option<bool>),
}

/// A state that a solution describes, and what is chosen in the step.
type Made = (State, Vec<Value>);

/// A random system and a condition of it.
pub struct Question {
    pub text: String,
    pub system: System,
    pub ask: Ask,
}

impl Question {
    pub fn new(theory: Theory, random: &mut Rng) -> Question {
        let text = system(theory, random);
        let system = parsed(&text);
        let ask = ask(&system, random);
        Question { text, system, ask }
    }

    /// Whether a block on lists, moved by some thread, keeps a goal that is about no thread.
    pub fn of_lists(block: &str, goal: &str) -> Question {
        let text = format!(
            "{LISTS}set Threads  process thread for self in Threads {{\n    var p: addr; var v: elem;\n    go: atomic {{ {block} }}\n    \
             done: skip;\n}}\ninvariant goal: {goal};\ninvariant support: true;\n"
        );
        let system = parsed(&text);
        let location = place(&system, "go");
        let case = Case { mover: Mover::Fresh, location, path: 0, partition: vec![0] };
        Question { text, system, ask: Ask::Step(case) }
    }

    /// What the decision layer says.
    pub fn decide(&self, tactics: Tactics, limits: &Limits) -> (Conditions<'_>, Found) {
        let mut conditions = Conditions::new(&self.system, tactics);
        let support = [(SUPPORT, None)];
        let found = match &self.ask {
            Ask::Step(case) => conditions.step(GOAL, case, &support, limits),
            Ask::Start(partition) => conditions.start(GOAL, partition, limits),
            Ask::Follows(partition) => conditions.follows(GOAL, partition, &support, limits),
        };
        (conditions, found)
    }

    /// Asks, and compares the answer with the truth.
    pub fn compare(&self, tactics: Tactics) -> Result<Outcome, String> {
        let (mut conditions, found) = self.decide(tactics, &Limits::default());
        match found {
            Found::Valid { .. } => match self.search(&conditions) {
                Some(true) => Err("valid, but there is a small model".to_owned()),
                outcome => Ok(Outcome::Valid(outcome.is_some())),
            },
            Found::Unknown(reason) => Ok(Outcome::Unknown(reason, self.search(&conditions))),
            Found::Model { solution, .. } => {
                let count = self.blocks();
                let here = self.mover().map(|mover| (mover, self.go()));
                let chosen = match (&self.ask, self.mover()) {
                    (Ask::Step(case), Some(mover)) => {
                        let paths = conditions.steps.paths(case.location, mover, count);
                        paths[case.path as usize].chosen.clone()
                    }
                    _ => Vec::new(),
                };
                let made = state(&mut conditions.steps, &solution, count, here, &chosen);
                self.confirm(&conditions, &made)
            }
        }
    }

    fn partition(&self) -> &[u32] {
        match &self.ask {
            Ask::Step(case) => &case.partition,
            Ask::Start(partition) | Ask::Follows(partition) => partition,
        }
    }

    fn blocks(&self) -> u32 {
        let least = u32::from(matches!(self.ask, Ask::Step(_)));
        blocks(self.partition()).max(least)
    }

    fn parameters(&self) -> usize {
        self.system.invariants[0].parameters.len()
    }

    fn anchors(&self, conditions: &Conditions<'_>) -> Vec<(ser_syntax::inv::ast::GlobalId, u32)> {
        let blocks = self.partition()[self.parameters()..].iter().copied();
        conditions.steps.anchors.iter().copied().zip(blocks).collect()
    }

    fn mover(&self) -> Option<u32> {
        let Ask::Step(case) = &self.ask else { return None };
        match case.mover {
            Mover::Variable(v) => Some(case.partition[v as usize]),
            _ => case.partition.last().copied(),
        }
    }

    fn go(&self) -> LocId {
        place(&self.system, "go")
    }

    fn pieces(&self) -> Vec<Piece<'_>> {
        let Ask::Step(case) = &self.ask else { return Vec::new() };
        let mut all = ways(block(&self.system));
        all.swap_remove(case.path as usize)
    }

    /// Whether a state is a model of the negated condition.
    fn is_model(&self, state: &Partial<'_>, pieces: &[Piece<'_>]) -> Result<bool, Stop> {
        let before = Scene::before(state);
        let mut all = Vec::new();
        let holds = |invariant: InvId, scene: &Scene<'_>, parameters: &[u32]| {
            let conjuncts = &self.system.invariants[invariant.0 as usize].conjuncts;
            scene.holds(Who { me: None, parameters }, &conjuncts[0].formula)
        };
        let tuple = &self.partition()[..self.parameters()];
        match &self.ask {
            Ask::Step(_) => {
                let mover = self.mover().expect("somebody moves");
                let mut after = Scene::before(state);
                match after.run(mover, self.blocks(), pieces) {
                    Ok(true) => {
                        after.changes.moved = Some((mover, place(&self.system, "done")));
                        all.push(holds(GOAL, &after, tuple).map(|it| !it));
                    }
                    other => all.push(other),
                }
                for tuple in tuples(self.parameters(), self.blocks()) {
                    all.push(holds(GOAL, &before, &tuple));
                }
            }
            Ask::Follows(_) => all.push(holds(GOAL, &before, tuple).map(|it| !it)),
            Ask::Start(_) => {
                all.push(holds(GOAL, &before, tuple).map(|it| !it));
                let nobody = Who { me: None, parameters: &[] };
                for assumption in &self.system.assumptions {
                    all.push(before.holds(nobody, assumption));
                }
            }
        }
        if !matches!(self.ask, Ask::Start(_)) {
            let count = self.system.invariants[1].parameters.len();
            for tuple in tuples(count, self.blocks()) {
                all.push(holds(SUPPORT, &before, &tuple));
            }
        }
        let mut need = None;
        for outcome in all {
            match outcome {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(stop) => {
                    need.get_or_insert(stop);
                }
            }
        }
        need.map_or(Ok(true), Err)
    }

    /// What is known of the state before anything is chosen.
    fn start(&self, conditions: &Conditions<'_>) -> FxHashMap<Slot, i64> {
        let mut slots = FxHashMap::default();
        for (global, block) in self.anchors(conditions) {
            slots.insert(Slot::One(Variable::Global(global.0)), i64::from(block));
        }
        if let Some(mover) = self.mover() {
            slots.insert(Slot::At(mover), i64::from(self.go().0));
        }
        if let Ask::Start(_) = self.ask {
            for block in 0..self.blocks() {
                slots.insert(Slot::At(block), 0);
            }
        }
        slots
    }

    /// Looks for a small model, in a small universe and then in a larger one. Nothing if even in
    /// the small one there are too many states.
    fn search(&self, conditions: &Conditions<'_>) -> Option<bool> {
        let small = self.search_in(conditions, [-1, 1], 2, &[LOWEST, 0, HIGHEST], 8_000)?;
        let elems = [LOWEST, 0, 1, HIGHEST];
        let larger = self.search_in(conditions, [-2, 3], 3, &elems, 2_000).unwrap_or(false);
        Some(small || larger)
    }

    fn search_in(
        &self,
        conditions: &Conditions<'_>,
        [least, most]: [i64; 2],
        cells: i64,
        elems: &[i64],
        budget: usize,
    ) -> Option<bool> {
        let threads = i64::from(self.blocks());
        let universe = Universe {
            ints: (least..=most).collect(),
            tids: (NOBODY..=threads).collect(),
            cells,
            elems: elems.to_vec(),
            locations: self.system.locations.len() as i64,
        };
        let slots = self.start(conditions);
        let mut state = Partial { system: &self.system, universe, slots, complete: false };
        let pieces = self.pieces();
        let mut budget = budget;
        self.fill(&mut state, &pieces, &mut budget)
    }

    fn fill(
        &self,
        state: &mut Partial<'_>,
        pieces: &[Piece<'_>],
        budget: &mut usize,
    ) -> Option<bool> {
        *budget = budget.checked_sub(1)?;
        let (slot, ty) = match self.is_model(state, pieces) {
            Ok(found) => return Some(found),
            Err(Stop::Need(slot, ty)) => (slot, ty),
            Err(stop) => panic!("{stop:?} in\n{}", self.text),
        };
        let values = match slot {
            Slot::At(_) => (0..state.universe.locations).collect(),
            // Cells that nobody has spoken of are all alike: one of them is enough.
            _ if ty == Type::Scalar(Scalar::Addr) => {
                let known = state.slots.iter().map(|(slot, value)| spoken_of(self, *slot, *value));
                let most = known.max().unwrap_or(0).max(match slot {
                    Slot::Of(_, cell) => cell,
                    _ => 0,
                });
                (0..=(most + 1).min(state.universe.cells)).collect()
            }
            _ => state.universe.all(ty),
        };
        for value in values {
            state.slots.insert(slot, value);
            let found = self.fill(state, pieces, budget);
            state.slots.remove(&slot);
            if found != Some(false) {
                return found;
            }
        }
        Some(false)
    }

    /// Whether a snapshot is a model, by both evaluators; nothing if only with an element of `null`
    /// that it never has in a run.
    fn confirm(&self, conditions: &Conditions<'_>, made: &Made) -> Result<Outcome, String> {
        let (state, chosen) = made;
        let pieces = self.pieces();
        let mut slots = self.start(conditions);
        let mut universe = Universe {
            ints: Vec::new(),
            tids: Vec::new(),
            cells: 60,
            elems: Vec::new(),
            locations: 0,
        };
        let mut put = |slots: &mut FxHashMap<Slot, i64>, variable: Variable, value: &Value| {
            if let Value::Set(members) = value {
                for member in members {
                    let number = number(member);
                    slots.insert(Slot::Has(variable, number), 1);
                    match member {
                        Value::Int(_) => universe.ints.push(number),
                        Value::Tid(_) => universe.tids.push(number),
                        Value::Elem(_) => universe.elems.push(number),
                        _ => {}
                    }
                }
            } else if let Some(other) = slots.insert(Slot::One(variable), number(value)) {
                assert_eq!(other, number(value), "an anchor is its thread");
            }
        };
        for (place, value) in state.globals.iter().enumerate() {
            put(&mut slots, Variable::Global(place as u32), value);
        }
        for (block, thread) in state.threads.iter().enumerate() {
            slots.insert(Slot::At(block as u32), i64::from(thread.location.0));
            for (place, value) in thread.locals.iter().enumerate() {
                put(&mut slots, Variable::Local(place as u32, block as u32), value);
            }
        }
        for (place, value) in chosen.iter().enumerate() {
            put(&mut slots, Variable::New(place as u32), value);
        }
        for (address, cell) in &state.cells {
            let address = i64::from(*address);
            slots.insert(Slot::Of(Field::Next, address), i64::from(cell.next));
            slots.insert(Slot::Of(Field::Data, address), number(&Value::Elem(cell.data)));
            slots.insert(Slot::Of(Field::Lockid, address), number(&Value::Tid(cell.lockid)));
        }
        let mut partial = Partial { system: &self.system, universe, slots, complete: true };
        match self.is_model(&partial, &pieces) {
            Ok(true) => {}
            // Large numbers in sets: the interpreter decides.
            Err(Stop::TooLarge) => {}
            other => {
                for end in [LOWEST, HIGHEST] {
                    partial.slots.insert(Slot::Of(Field::Data, 0), end);
                    if self.is_model(&partial, &pieces) == Ok(true) {
                        return Ok(Outcome::Odd);
                    }
                }
                return Err(format!("no model: {other:?} {made:?}"));
            }
        }
        self.confirm_by_interpreter(made)?;
        Ok(Outcome::Model)
    }

    fn confirm_by_interpreter(&self, made: &Made) -> Result<(), String> {
        let (state, chosen) = made;
        let tuple = &self.partition()[..self.parameters()];
        let holds = |state: &State, invariant: InvId, tuple: &[u32]| {
            explore::holds(&self.system, state, invariant, tuple).map(|it| it.is_ok())
        };
        let no = |what: &str| Err(format!("no model by the interpreter: {what} {made:?}"));
        let mut end = state.clone();
        match &self.ask {
            Ask::Step(case) => {
                let mover = self.mover().expect("somebody moves");
                for tuple in tuples(self.parameters(), self.blocks()) {
                    if holds(state, GOAL, &tuple) != Ok(true) {
                        return no("the goal before");
                    }
                }
                match explore::apply(&self.system, state, mover, case.path, chosen) {
                    Ok(after) => end = after,
                    // That a step is an error is another condition.
                    Err(NotEnabled::Fault(_)) => return Ok(()),
                    Err(why) => return no(&format!("the step: {why:?}")),
                }
            }
            Ask::Start(_) => {
                for assumption in &self.system.assumptions {
                    let value = explore::evaluate(&self.system, state, assumption, &[]);
                    if value != Ok(Value::Bool(true)) {
                        return no("what is assumed");
                    }
                }
            }
            Ask::Follows(_) => {}
        }
        if holds(&end, GOAL, tuple) != Ok(false) {
            return no("the goal");
        }
        let count = self.system.invariants[1].parameters.len();
        for tuple in tuples(count, self.blocks()) {
            if !matches!(self.ask, Ask::Start(_)) && holds(state, SUPPORT, &tuple) != Ok(true) {
                return no("the support");
            }
        }
        Ok(())
    }
}

/// The largest cell that a slot speaks of.
fn spoken_of(question: &Question, slot: Slot, value: i64) -> i64 {
    let system = &question.system;
    let ty = |variable: Variable| match variable {
        Variable::Global(g) => Some(system.globals[g as usize].ty),
        Variable::Local(l, _) => Some(system.locals[l as usize].ty),
        Variable::New(_) => None,
    };
    match slot {
        Slot::One(variable) => match ty(variable) {
            Some(Type::Scalar(Scalar::Addr)) => value,
            // Whatever was chosen: better too many than too few.
            None => value.clamp(0, 3),
            _ => 0,
        },
        Slot::Has(variable, member) => match ty(variable) {
            Some(Type::Set(Scalar::Addr)) => member,
            _ => 0,
        },
        Slot::At(_) => 0,
        Slot::Of(Field::Next, cell) => cell.max(value),
        Slot::Of(_, cell) => cell,
    }
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Bool(value) => i64::from(*value),
        Value::Int(value) => *value,
        Value::Tid(thread) => thread.map_or(NOBODY, i64::from),
        Value::Addr(address) => i64::from(*address),
        Value::Elem(Elem::Lowest) => LOWEST,
        Value::Elem(Elem::Highest) => HIGHEST,
        Value::Elem(Elem::Between(value)) => {
            assert!(LOWEST < *value && *value < HIGHEST, "elements are few");
            *value
        }
        Value::Set(_) => panic!("sets have no sets in them"),
    }
}

/// The location with a name.
fn place(system: &System, name: &str) -> LocId {
    let named =
        |it: &ser_syntax::inv::ast::Location| it.name.as_ref().is_some_and(|it| it.text == name);
    LocId(system.locations.iter().position(named).expect("every system has it") as u32)
}

/// The actions of the block `go`.
fn block(system: &System) -> &[ser_syntax::inv::ast::Action] {
    let go = place(system, "go");
    let statement = system.procedures[0].body.iter().find(|it| it.location == go);
    match statement.map(|it| &it.kind) {
        Some(StmtKind::Step(Step::Atomic(actions))) => actions,
        other => panic!("`go` is an atomic block: {other:?}"),
    }
}

fn ask(system: &System, random: &mut Rng) -> Ask {
    let conditions = Conditions::new(system, Tactics::default());
    let one = |all: Vec<Vec<u32>>, random: &mut Rng| {
        let place = random.below(all.len());
        all[place].clone()
    };
    match random.below(10) {
        0 => Ask::Start(one(conditions.partitions(GOAL, Mover::Nobody), random)),
        1..5 => Ask::Follows(one(conditions.partitions(GOAL, Mover::Nobody), random)),
        _ => {
            let own = conditions.own_variables(GOAL);
            let mover = match random.below(3) {
                0 => Mover::Fresh,
                _ if own.is_empty() => Mover::Fresh,
                _ => Mover::Variable(own[random.below(own.len())]),
            };
            let partition = one(conditions.partitions(GOAL, mover), random);
            let path = random.below(ways(block(system)).len()) as u32;
            Ask::Step(Case { mover, location: place(system, "go"), path, partition })
        }
    }
}
