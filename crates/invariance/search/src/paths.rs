//! What stands at each location, and how its paths are counted.

use ser_invariance_checker::control::{Standing, standing};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Action, ActionKind, LocId, ProcId, Step, StmtKind};

/// What stands at each location, and what comes behind it.
#[derive(Debug)]
pub struct Control<'s> {
    pub system: &'s System,
    statements: Vec<Standing<'s>>,
    /// The calls of each procedure, ascending.
    pub calls: Vec<Vec<LocId>>,
}

impl<'s> Control<'s> {
    /// Of a system without errors.
    pub fn new(system: &'s System) -> Control<'s> {
        let statements = standing(system).unwrap_or_default();
        let mut calls = vec![Vec::new(); system.procedures.len()];
        for at in &statements {
            if let StmtKind::Call { procedure, .. } = at.statement.kind {
                calls[procedure.0 as usize].push(at.statement.location);
            }
        }
        Control { system, statements, calls }
    }

    /// The statement at a location.
    pub fn at(&self, location: LocId) -> Standing<'s> {
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

    /// How many transitions the paper counts at a location: two for a test or an `await`, one for
    /// each path of an `atomic`, one for everything else.
    pub fn counted(&self, location: LocId) -> usize {
        let statement = self.at(location).statement;
        let own = match &statement.kind {
            StmtKind::If { .. } | StmtKind::While { .. } => 2,
            StmtKind::Match(cases) => cases.len(),
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
