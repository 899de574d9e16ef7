//! Steps of a thread as paths: facts, new values, obligations.

use crate::environment::{Environment, Threads, Value, Write, new_value};
use crate::logic::{Field, Formula, Logic, TermRef};
use ser_base::Span;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, GlobalId, LocId, LocalId, Operator, Place, ProcId, Scalar,
    Step, Stmt, StmtKind, Type,
};
use std::collections::BTreeMap;

/// What stands at each location, and what comes behind it.
#[derive(Debug)]
pub struct Control<'s> {
    pub system: &'s System,
    statements: Vec<At<'s>>,
    /// The calls of each procedure, ascending.
    pub calls: Vec<Vec<LocId>>,
}

/// A statement and where it goes on.
#[derive(Clone, Copy, Debug)]
pub struct At<'s> {
    pub statement: &'s Stmt,
    /// Behind it; nothing behind a `return`.
    pub behind: Option<LocId>,
}

impl<'s> Control<'s> {
    /// Of a system without errors.
    pub fn new(system: &'s System) -> Control<'s> {
        let mut found = BTreeMap::new();
        for procedure in &system.procedures {
            block(&procedure.body, None, &mut found);
        }
        let statements: Vec<At<'s>> = found.into_values().collect();
        let mut calls = vec![Vec::new(); system.procedures.len()];
        for at in &statements {
            if let StmtKind::Call { procedure, .. } = at.statement.kind {
                calls[procedure.0 as usize].push(at.statement.location);
            }
        }
        Control { system, statements, calls }
    }

    /// The statement at a location.
    pub fn at(&self, location: LocId) -> At<'s> {
        self.statements[location.0 as usize]
    }

    /// Where threads start.
    pub fn entry(&self) -> LocId {
        self.first(ProcId(0))
    }

    fn first(&self, procedure: ProcId) -> LocId {
        self.system.procedures[procedure.0 as usize].body[0].location
    }

    pub fn locations(&self) -> impl Iterator<Item = LocId> + use<> {
        (0..self.system.locations.len() as u32).map(LocId)
    }

    /// The locations that are calls of a procedure with several calls: then it matters which.
    pub fn sites(&self) -> impl Iterator<Item = (ProcId, &[LocId])> {
        let calls = self.calls.iter().enumerate();
        calls.filter(|(_, it)| it.len() > 1).map(|(p, it)| (ProcId(p as u32), it.as_slice()))
    }

    /// How many paths a location has, if they are counted without looking at what they say.
    pub fn path_count(&self, location: LocId) -> usize {
        let statement = self.at(location).statement;
        let own = match &statement.kind {
            StmtKind::If { .. } | StmtKind::While { .. } => 2,
            StmtKind::Step(Step::Atomic(actions)) => forks(actions),
            StmtKind::Step(_) | StmtKind::Call { .. } => 1,
            StmtKind::Choice(branches) => branches.len(),
            StmtKind::Return(_) => {
                let procedure = self.system.locations[location.0 as usize].procedure;
                self.calls[procedure.0 as usize].len()
            }
        };
        own.saturating_mul(forks(&statement.ghost))
    }

    /// How many transitions the paper counts at a location: two for a test or an `await`, one for
    /// each path of an `atomic`, one for everything else.
    pub fn counted(&self, location: LocId) -> usize {
        let statement = self.at(location).statement;
        let own = match &statement.kind {
            StmtKind::If { .. } | StmtKind::While { .. } => 2,
            StmtKind::Step(Step::Action(action)) => match &action.kind {
                ActionKind::Await(_) => 2,
                _ => 1,
            },
            StmtKind::Step(Step::Atomic(actions)) => forks(actions),
            _ => 1,
        };
        own.saturating_mul(forks(&statement.ghost))
    }
}

/// How many ways lead through actions.
fn forks(actions: &[Action]) -> usize {
    let one = |action: &Action| match &action.kind {
        ActionKind::If { then, otherwise, .. } => forks(then).saturating_add(forks(otherwise)),
        _ => 1,
    };
    actions.iter().map(one).fold(1, usize::saturating_mul)
}

fn block<'s>(statements: &'s [Stmt], behind: Option<LocId>, found: &mut BTreeMap<LocId, At<'s>>) {
    for (place, statement) in statements.iter().enumerate() {
        let behind = statements.get(place + 1).map(|next| next.location).or(behind);
        found.insert(statement.location, At { statement, behind });
        match &statement.kind {
            StmtKind::If { then, otherwise, .. } => {
                block(then, behind, found);
                block(otherwise, behind, found);
            }
            StmtKind::While { body, .. } => block(body, Some(statement.location), found),
            StmtKind::Choice(branches) => {
                branches.iter().for_each(|branch| block(branch, behind, found));
            }
            StmtKind::Step(_) | StmtKind::Call { .. } | StmtKind::Return(_) => {}
        }
    }
}

/// One way through a step.
#[derive(Clone, Debug)]
pub struct Path {
    /// Its number at its location.
    pub number: u32,
    /// Where the thread is afterwards.
    pub to: LocId,
    /// What holds if this way is taken, in the order in which it becomes known.
    pub facts: Vec<Formula>,
    /// Values afterwards.
    pub after: Environment,
    /// What `havoc` and `malloc` choose.
    pub chosen: Vec<Value>,
    /// What must hold for the step to be no error.
    pub obligations: Vec<Obligation>,
    /// Which way: `Some(true)` if the (first) test holds.
    pub test: Option<bool>,
}

/// What must hold in the middle of a step.
#[derive(Clone, Copy, Debug)]
pub struct Obligation {
    /// How many facts are known before it.
    pub after: usize,
    /// What must hold.
    pub goal: Formula,
    /// What is wrong otherwise.
    pub what: Demand,
    /// Where it comes from.
    pub span: Span,
}

/// Why something must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// An address is not `null`.
    NotNull,
    /// Only who has locked a cell unlocks it.
    Owned,
    /// An assertion.
    Asserted,
    /// A set has a minimum.
    NotEmpty,
}

/// The paths of a location, for a mover among so many threads.
pub fn paths(
    control: &Control<'_>,
    logic: &mut Logic,
    location: LocId,
    mover: u32,
    blocks: u32,
    anchors: &[(GlobalId, u32)],
) -> Vec<Path> {
    let threads = Threads { me: Some(mover), parameters: Vec::new(), anchors: anchors.to_vec() };
    let before = Environment::before(control.system, logic, blocks);
    let mut walk = Walk { control, logic, threads, mover, blocks };
    let start = Path {
        number: 0,
        to: location,
        facts: Vec::new(),
        after: before,
        chosen: Vec::new(),
        obligations: Vec::new(),
        test: None,
    };
    let mut paths = walk.statement(location, start);
    for (number, path) in paths.iter_mut().enumerate() {
        path.number = number as u32;
        path.after.moved = Some((mover, path.to));
    }
    paths
}

struct Walk<'a, 's> {
    control: &'a Control<'s>,
    logic: &'a mut Logic,
    threads: Threads,
    mover: u32,
    blocks: u32,
}

impl Walk<'_, '_> {
    fn statement(&mut self, location: LocId, start: Path) -> Vec<Path> {
        let At { statement, behind } = self.control.at(location);
        let then = |path: Path, to: Option<LocId>| Path { to: to.unwrap_or(location), ..path };
        match &statement.kind {
            StmtKind::Step(step) => {
                let paths = self.actions(step.actions(), vec![start]);
                let paths = paths.into_iter().map(|path| then(path, behind)).collect();
                self.actions(&statement.ghost, paths)
            }
            StmtKind::If { condition, then: yes, otherwise: no } => {
                let first = |block: &[Stmt]| block.first().map(|s| s.location).or(behind);
                let [yes, no] = [first(yes), first(no)];
                let [holds, fails] = self.test(condition, start);
                let paths = vec![then(holds, yes), then(fails, no)];
                self.actions(&statement.ghost, paths)
            }
            StmtKind::While { condition, body, .. } => {
                let inside = body.first().map_or(location, |s| s.location);
                let [holds, fails] = self.test(condition, start);
                let paths = vec![then(holds, Some(inside)), then(fails, behind)];
                self.actions(&statement.ghost, paths)
            }
            StmtKind::Choice(branches) => {
                let paths = branches.iter().map(|branch| {
                    then(start.clone(), branch.first().map(|s| s.location).or(behind))
                });
                let paths = paths.collect();
                self.actions(&statement.ghost, paths)
            }
            StmtKind::Call { procedure, arguments, .. } => {
                let mut path = start;
                let values: Vec<Value> =
                    arguments.iter().map(|argument| self.demanded(argument, &mut path)).collect();
                let system = self.control.system;
                let parameters = &system.procedures[procedure.0 as usize].parameters;
                for (parameter, value) in parameters.iter().zip(values) {
                    path.after.set_local(*parameter, self.mover, value);
                }
                if self.control.calls[procedure.0 as usize].len() > 1 {
                    path.after.called = Some((self.mover, *procedure, location));
                }
                let to = self.control.first(*procedure);
                self.actions(&statement.ghost, vec![then(path, Some(to))])
            }
            StmtKind::Return(result) => self.ret(statement, result.as_ref(), start),
        }
    }

    fn ret(&mut self, statement: &Stmt, result: Option<&Expr>, start: Path) -> Vec<Path> {
        let procedure = self.control.system.locations[statement.location.0 as usize].procedure;
        if procedure == ProcId(0) {
            return Vec::new();
        }
        let mut path = start;
        let result = result.map(|result| self.demanded(result, &mut path));
        let calls = self.control.calls[procedure.0 as usize].clone();
        let several = calls.len() > 1;
        let mut all = Vec::new();
        for call in calls {
            let mut path = path.clone();
            if several {
                let atom = crate::logic::Atom::Site(procedure, self.mover, call);
                path.facts.push(self.logic.of_atom(atom));
            }
            let At { statement: caller, behind } = self.control.at(call);
            path.to = behind.unwrap_or(call);
            let StmtKind::Call { target, .. } = &caller.kind else { continue };
            // The end of a body that needs a result: every way there has returned before.
            if target.is_some() && result.is_none() {
                continue;
            }
            for mut path in self.actions(&statement.ghost, vec![path]) {
                if let (Some(target), Some(result)) = (target, result) {
                    self.assign(target, result, &mut path);
                }
                all.push(path);
            }
        }
        all
    }

    fn test(&mut self, condition: &Expr, mut path: Path) -> [Path; 2] {
        let holds = self.guard(condition, &mut path);
        [true, false].map(|way| {
            let mut path = path.clone();
            path.facts.push(if way { holds } else { !holds });
            path.test = path.test.or(Some(way));
            path
        })
    }

    fn actions(&mut self, actions: &[Action], mut paths: Vec<Path>) -> Vec<Path> {
        for action in actions {
            if let ActionKind::If { condition, then, otherwise } = &action.kind {
                let mut split = Vec::new();
                for path in paths {
                    let [holds, fails] = self.test(condition, path);
                    split.extend(self.actions(then, vec![holds]));
                    split.extend(self.actions(otherwise, vec![fails]));
                }
                paths = split;
            } else {
                paths.iter_mut().for_each(|path| self.action(action, path));
            }
        }
        paths
    }

    fn action(&mut self, action: &Action, path: &mut Path) {
        match &action.kind {
            ActionKind::Assign { target, value } => {
                let value = self.demanded(value, path);
                self.assign(target, value, path);
            }
            ActionKind::Havoc { target, condition } => {
                let ty = match target {
                    Place::Global(id) => self.control.system.globals[id.0 as usize].ty,
                    Place::Local(id) => self.control.system.locals[id.0 as usize].ty,
                    Place::Field(address, _) => address.ty,
                };
                let value = new_value(self.logic, ty, path.chosen.len() as u32);
                path.chosen.push(value);
                self.assign(target, value, path);
                if let Some(condition) = condition {
                    let fact = path.after.formula(self.logic, &self.threads, condition);
                    path.facts.push(fact);
                }
            }
            ActionKind::Malloc { target, data, next } => self.malloc(target, data, next, path),
            ActionKind::Lock(address) => {
                let address = self.address(address, path);
                let nobody = self.logic.nobody();
                let owner = self.owner(address, path);
                let free = self.logic.equal(owner, nobody);
                path.facts.push(free);
                let me = self.logic.thread(self.mover);
                path.after.writes.push(Write { field: Field::Lockid, address, value: me });
            }
            ActionKind::Unlock(at) => {
                let address = self.address(at, path);
                let me = self.logic.thread(self.mover);
                let owner = self.owner(address, path);
                let owned = self.logic.equal(owner, me);
                self.demand(owned, Demand::Owned, at.span, path);
                path.facts.push(owned);
                let nobody = self.logic.nobody();
                path.after.writes.push(Write { field: Field::Lockid, address, value: nobody });
            }
            ActionKind::Await(condition) => {
                let fact = self.guard(condition, path);
                path.facts.push(fact);
            }
            ActionKind::Assert(condition) => {
                let fact = self.guard(condition, path);
                self.demand(fact, Demand::Asserted, condition.span, path);
                path.facts.push(fact);
            }
            // Split before.
            ActionKind::If { .. } => {}
        }
    }

    fn owner(&mut self, address: TermRef, path: &Path) -> TermRef {
        let heap = path.after.version(&[Field::Lockid]);
        self.logic.read(Field::Lockid, heap, address)
    }

    /// An address that is locked, unlocked or written: not `null`.
    fn address(&mut self, expr: &Expr, path: &mut Path) -> TermRef {
        let address = self.demanded(expr, path).term();
        let null = self.logic.null();
        let there = !self.logic.equal(address, null);
        self.demand(there, Demand::NotNull, expr.span, path);
        path.facts.push(there);
        address
    }

    fn malloc(&mut self, target: &Place, data: &Expr, next: &Expr, path: &mut Path) {
        let data = self.demanded(data, path).term();
        let next = self.demanded(next, path).term();
        let new = new_value(self.logic, Type::Scalar(Scalar::Addr), path.chosen.len() as u32);
        path.chosen.push(new);
        let address = new.term();
        let null = self.logic.null();
        let there = !self.logic.equal(address, null);
        path.facts.push(there);
        let system = self.control.system;
        // Ghosts must not make a difference to what the program does.
        let globals = system.globals.iter().enumerate().filter(|(_, it)| !it.ghost);
        let globals = globals.map(|(g, it)| (it.ty, path.after.global(GlobalId(g as u32))));
        let mut variables: Vec<(Type, Value)> = globals.collect();
        for block in 0..self.blocks {
            let locals = system.locals.iter().enumerate().filter(|(_, it)| !it.ghost);
            let local = |l: usize| path.after.local(LocalId(l as u32), block);
            variables.extend(locals.map(|(l, it)| (it.ty, local(l))));
        }
        let heap = path.after.version(&[Field::Next]);
        let nothing = self.logic.cut_id(&[]);
        for (ty, value) in variables {
            match ty {
                Type::Set(Scalar::Addr) => {
                    let fact = !self.logic.member(address, value.term());
                    path.facts.push(fact);
                }
                Type::Scalar(Scalar::Addr) => {
                    let other = !self.logic.equal(address, value.term());
                    let apart = !self.logic.reach(heap, nothing, value.term(), address);
                    path.facts.extend([other, apart]);
                }
                _ => {}
            }
        }
        let nobody = self.logic.nobody();
        for (field, value) in [(Field::Data, data), (Field::Next, next), (Field::Lockid, nobody)] {
            path.after.writes.push(Write { field, address, value });
        }
        self.assign(target, new, path);
    }

    fn assign(&mut self, target: &Place, value: Value, path: &mut Path) {
        match target {
            Place::Global(id) => path.after.set_global(*id, value),
            Place::Local(id) => path.after.set_local(*id, self.mover, value),
            Place::Field(address, field) => {
                let address = self.address(address, path);
                path.after.writes.push(Write { field: *field, address, value: value.term() });
            }
        }
    }

    /// A value, with what must hold for it to have one.
    fn demanded(&mut self, expr: &Expr, path: &mut Path) -> Value {
        self.defined(expr, Formula::TRUE, path);
        let mut extremes = Vec::new();
        let value = path.after.value(self.logic, &self.threads, expr, &mut extremes);
        for set in extremes {
            let some = self.logic.some(set);
            self.demand(some, Demand::NotEmpty, expr.span, path);
        }
        value
    }

    /// A condition, with what must hold for it to have a meaning.
    fn guard(&mut self, condition: &Expr, path: &mut Path) -> Formula {
        self.defined(condition, Formula::TRUE, path);
        path.after.formula(self.logic, &self.threads, condition)
    }

    fn demand(&mut self, goal: Formula, what: Demand, span: Span, path: &mut Path) {
        if goal != Formula::TRUE {
            path.obligations.push(Obligation { after: path.facts.len(), goal, what, span });
        }
    }

    /// Asks for `a != null` wherever a field is read, if `given` holds.
    fn defined(&mut self, expr: &Expr, given: Formula, path: &mut Path) {
        match &expr.kind {
            ExprKind::Field(address, _) => {
                self.defined(address, given, path);
                let value = path.after.value(self.logic, &self.threads, address, &mut Vec::new());
                let null = self.logic.null();
                let there = !self.logic.equal(value.term(), null);
                let goal = self.logic.implies(given, there);
                self.demand(goal, Demand::NotNull, address.span, path);
            }
            ExprKind::Binary(
                operator @ (Operator::And | Operator::Or | Operator::Implies),
                left,
                right,
            ) => {
                self.defined(left, given, path);
                let holds = path.after.formula(self.logic, &self.threads, left);
                let holds = if *operator == Operator::Or { !holds } else { holds };
                let given = self.logic.and([given, holds]);
                self.defined(right, given, path);
            }
            _ => {
                let children = expr.children().into_iter();
                children.for_each(|child| self.defined(child, given, path));
            }
        }
    }
}
