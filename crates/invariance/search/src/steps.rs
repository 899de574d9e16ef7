//! The steps of a system, its start and its formulas in terms of a logic.
//!
//! What all of these mean is decided in one place: the checker executes paths and translates
//! expressions, also here. Whoever looks for a proof only has to keep what was made.

use crate::decide::ground::Places;
use crate::paths::Control;
use rustc_hash::FxHashMap;
use ser_invariance_checker::Reason as Refused;
use ser_invariance_checker::cases::anchors;
use ser_invariance_checker::control::{Control as Paths, Piece};
use ser_invariance_checker::environment::{Environment, Position, Scope, Value};
use ser_invariance_checker::logic::{Formula, Logic};
use ser_invariance_checker::step::{Actor, Item, execute};
use ser_invariance_checker::translate::Translator;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{ActionKind, Expr, ExprKind, GlobalId, LocId, StmtKind};
use std::rc::Rc;

/// The block of each anchor.
pub type Anchored = [(GlobalId, u32)];

/// One way through a step.
#[derive(Clone, Debug)]
pub struct Path {
    /// Where the thread is afterwards.
    pub to: LocId,
    /// What holds if this way is taken, in the order in which it becomes known.
    pub facts: Vec<Formula>,
    /// What must hold for the step to be no error.
    pub obligations: Vec<Obligation>,
    pub after: Environment,
    /// What `choose` and `malloc` choose.
    pub chosen: Vec<Value>,
}

/// What must hold in the middle of a step.
#[derive(Clone, Copy, Debug)]
pub struct Obligation {
    /// How many facts are known before it.
    pub after: usize,
    pub goal: Formula,
}

/// A system in terms of a logic.
pub struct Steps<'s> {
    pub system: &'s System,
    pub control: Control<'s>,
    pub logic: Logic,
    /// Globals that are threads.
    pub anchors: Vec<GlobalId>,
    pub places: Places,
    /// Nothing if there are too many.
    paths: Option<Paths<'s>>,
    /// By location, mover and number of blocks.
    known: FxHashMap<(LocId, u32, u32), Rc<Vec<Path>>>,
    before: Environment,
    refused: bool,
}

impl<'s> Steps<'s> {
    /// Of a system without errors.
    pub fn new(system: &'s System) -> Steps<'s> {
        let control = Control::new(system);
        let sites = control.sites().map(|(it, calls)| (it, calls.to_vec())).collect();
        Steps {
            system,
            control,
            logic: Logic::new(),
            anchors: anchors(system),
            places: Places { locations: system.locations.len() as u32, sites },
            paths: Paths::new(system).ok(),
            known: FxHashMap::default(),
            before: Environment::before(Position::Unknown),
            refused: false,
        }
    }

    /// Whether there are more paths than anybody could look at.
    pub fn has_too_many_paths(&self) -> bool {
        self.paths.is_none()
    }

    /// Whether something was too large: what was made is not what it should be.
    pub fn is_too_large(&self) -> bool {
        self.refused || self.logic.overflowed()
    }

    fn accept<T>(&mut self, made: Result<T, Refused>) -> Option<T> {
        self.refused |= made.is_err();
        made.ok()
    }

    /// The values of all variables of so many threads before a step.
    pub fn variables(&mut self, blocks: u32) -> (Vec<Value>, Vec<Vec<Value>>) {
        let (system, before) = (self.system, &self.before);
        let mut to = Translator::new(system, &mut self.logic, before, Scope::default());
        let globals = (0..system.globals.len() as u32).map(|it| to.global(it));
        let globals: Result<Vec<Value>, Refused> = globals.collect();
        let locals = (0..blocks)
            .map(|block| (0..system.locals.len() as u32).map(|it| to.local(it, block)).collect());
        let locals: Result<Vec<Vec<Value>>, Refused> = locals.collect();
        (self.accept(globals).unwrap_or_default(), self.accept(locals).unwrap_or_default())
    }

    /// The paths of a location, for a mover among so many threads.
    pub fn paths(&mut self, location: LocId, mover: u32, blocks: u32) -> Rc<Vec<Path>> {
        let key = (location, mover, blocks);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        // Variables come before what is made of them.
        self.variables(blocks);
        let made = self.execute(location, mover, blocks);
        let made = Rc::new(self.accept(made).unwrap_or_default());
        self.known.insert(key, made.clone());
        made
    }

    fn execute(&mut self, location: LocId, me: u32, blocks: u32) -> Result<Vec<Path>, Refused> {
        let Some(paths) = &self.paths else { return Ok(Vec::new()) };
        let actor = Actor { me, blocks, location, obligations: true };
        let mut made = Vec::new();
        for path in paths.paths_of(location) {
            let has_site = |procedure| paths.has_site(procedure);
            let logic = &mut self.logic;
            let done = execute(self.system, &self.anchors, logic, path, actor, has_site)?;
            let (mut facts, mut obligations) = (Vec::new(), Vec::new());
            for item in done.items {
                match item {
                    Item::Fact(fact) => facts.push(fact),
                    Item::Obligation(goal) => {
                        obligations.push(Obligation { after: facts.len(), goal });
                    }
                }
            }
            let chosen = (0..).zip(&done.chosen).map(|(number, ty)| logic.chosen(number, *ty));
            let chosen = chosen.collect();
            made.push(Path { to: path.target, facts, obligations, after: done.after, chosen });
        }
        Ok(made)
    }

    /// Where steps from a location can lead: everywhere but behind a `loop` or an `await false`.
    pub fn successors(&self, location: LocId) -> Vec<LocId> {
        let kind = &self.control.at(location).statement.kind;
        let is_loop = matches!(kind, StmtKind::While { forever: true, .. });
        let leads = |piece: &Piece<'_>| match piece {
            Piece::Test(_, holds) => *holds || !is_loop,
            Piece::Act(action) => match &action.kind {
                ActionKind::Await(condition) => condition.kind != ExprKind::Bool(false),
                _ => true,
            },
            _ => true,
        };
        let paths = self.paths.iter().flat_map(|it| it.paths_of(location));
        paths.filter(|it| it.pieces.iter().all(leads)).map(|it| it.target).collect()
    }

    /// What a formula means in an environment.
    pub fn formula(&mut self, at: &Environment, scope: Scope<'_>, formula: &Expr) -> Formula {
        let made = Translator::new(self.system, &mut self.logic, at, scope).formula(formula);
        self.accept(made).unwrap_or(Formula::TRUE)
    }

    /// What a formula means before a step.
    pub fn formula_before(&mut self, scope: Scope<'_>, formula: &Expr) -> Formula {
        let (system, before) = (self.system, &self.before);
        let made = Translator::new(system, &mut self.logic, before, scope).formula(formula);
        self.accept(made).unwrap_or(Formula::TRUE)
    }

    /// What holds of anchors in any case.
    pub fn background(&mut self, anchors: &Anchored) -> Vec<Formula> {
        let (globals, _) = self.variables(0);
        let fact = |(id, block): &(GlobalId, u32)| {
            let thread = self.logic.thread(*block);
            match globals.get(id.0 as usize) {
                Some(Value::Term(global)) => self.logic.equal(*global, thread),
                _ => Formula::TRUE,
            }
        };
        anchors.iter().map(fact).collect()
    }

    /// The initial condition for so many threads.
    pub fn initial(&mut self, blocks: u32, anchors: &Anchored) -> Vec<Formula> {
        let mut given = self.background(anchors);
        let entry = self.control.entry();
        given.extend((0..blocks).map(|block| self.logic.at(block, &[entry])));
        let (globals, locals) = self.variables(blocks);
        let (system, before) = (self.system, &self.before);
        let scope = Scope { anchors, ..Scope::default() };
        let mut to = Translator::new(system, &mut self.logic, before, scope);
        let mut made: Vec<Result<Formula, Refused>> = Vec::new();
        for (global, value) in system.globals.iter().zip(globals) {
            made.extend(global.initial.iter().map(|it| to.equation(value, it)));
        }
        made.extend(system.assumptions.iter().map(|it| to.formula(it)));
        for (block, locals) in (0..).zip(locals) {
            let scope = Scope { me: Some(block), ..scope };
            let mut to = Translator::new(system, &mut self.logic, before, scope);
            for (local, value) in system.locals.iter().zip(locals) {
                made.extend(local.initial.iter().map(|it| to.equation(value, it)));
            }
        }
        given.extend(made.into_iter().filter_map(|it| self.accept(it)));
        given
    }
}
