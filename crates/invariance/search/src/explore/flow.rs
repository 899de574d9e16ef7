//! Where a thread goes: the statement of each location, what comes behind it, and how many paths it
//! has.

use ser_syntax::inv::ast::{Action, ActionKind, LocId, Place, ProcId, Stmt, StmtKind, System};

/// A statement and its surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'s> {
    pub statement: &'s Stmt,
    pub procedure: ProcId,
    /// What comes behind it.
    pub after: LocId,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CallSite<'s> {
    pub location: LocId,
    pub target: Option<&'s Place>,
    /// What comes behind it.
    pub after: LocId,
}

/// The control flow of a program.
#[derive(Clone, Debug)]
pub(super) struct Flow<'s> {
    /// By location.
    nodes: Vec<Option<Node<'s>>>,
    /// Of each procedure: who calls it, ascending.
    calls: Vec<Vec<CallSite<'s>>>,
    /// Of each procedure: the place of its site among the sites of a thread, if it has one.
    sites: Vec<Option<usize>>,
    /// Where procedures begin.
    entries: Vec<LocId>,
    /// The procedures with a site.
    with_site: Vec<ProcId>,
}

impl<'s> Flow<'s> {
    pub fn new(system: &'s System) -> Flow<'s> {
        let mut flow = Flow {
            nodes: vec![None; system.locations.len()],
            calls: vec![Vec::new(); system.procedures.len()],
            sites: vec![None; system.procedures.len()],
            entries: Vec::new(),
            with_site: Vec::new(),
        };
        for (number, procedure) in system.procedures.iter().enumerate() {
            // Behind the last statement, which is a `return`, nobody ever comes.
            let end = procedure.body.last().map_or(LocId(0), |last| last.location);
            flow.entries.push(first_of(&procedure.body, end));
            flow.block(&procedure.body, ProcId(number as u32), end, (end, end));
        }
        for (number, calls) in flow.calls.iter_mut().enumerate() {
            calls.sort_by_key(|call| call.location);
            if calls.len() > 1 {
                flow.sites[number] = Some(flow.with_site.len());
                flow.with_site.push(ProcId(number as u32));
            }
        }
        flow
    }

    /// `around`: the innermost loop, and what comes behind it.
    fn block(&mut self, block: &'s [Stmt], procedure: ProcId, end: LocId, around: (LocId, LocId)) {
        for (place, statement) in block.iter().enumerate() {
            let after = block.get(place + 1).map_or(end, |next| next.location);
            let location = statement.location;
            if let Some(node) = self.nodes.get_mut(location.0 as usize) {
                let after = match statement.kind {
                    StmtKind::Continue => around.0,
                    StmtKind::Break => around.1,
                    _ => after,
                };
                *node = Some(Node { statement, procedure, after });
            }
            match &statement.kind {
                StmtKind::If { then, otherwise, .. } => {
                    self.block(then, procedure, after, around);
                    self.block(otherwise, procedure, after, around);
                }
                StmtKind::While { body, .. } => {
                    self.block(body, procedure, location, (location, after));
                }
                StmtKind::Match(cases) => {
                    for (_, case) in cases {
                        self.block(case, procedure, after, around);
                    }
                }
                StmtKind::Choice(branches) => {
                    for branch in branches {
                        self.block(branch, procedure, after, around);
                    }
                }
                StmtKind::Call { target, procedure: callee, .. } => {
                    let call = CallSite { location, target: target.as_ref(), after };
                    if let Some(calls) = self.calls.get_mut(callee.0 as usize) {
                        calls.push(call);
                    }
                }
                StmtKind::Step(_) | StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => {}
            }
        }
    }

    /// The statement of a location.
    pub fn node(&self, location: LocId) -> Option<Node<'s>> {
        self.nodes.get(location.0 as usize).copied().flatten()
    }

    /// Who calls a procedure, ascending.
    pub fn calls(&self, procedure: ProcId) -> &[CallSite<'s>] {
        &self.calls[procedure.0 as usize]
    }

    /// The place of the site of a procedure, if it is called more than once.
    pub fn site(&self, procedure: ProcId) -> Option<usize> {
        self.sites[procedure.0 as usize]
    }

    /// The procedures that have a site, in the order of the sites.
    pub fn with_site(&self) -> &[ProcId] {
        &self.with_site
    }

    /// Where a procedure begins.
    pub fn entry(&self, procedure: ProcId) -> LocId {
        self.entries[procedure.0 as usize]
    }

    /// How many paths a location has.
    pub fn paths(&self, location: LocId) -> u64 {
        let Some(node) = self.node(location) else {
            return 0;
        };
        let ghost = ways(&node.statement.ghost);
        let base = match &node.statement.kind {
            StmtKind::If { .. } | StmtKind::While { .. } => 2,
            StmtKind::Choice(branches) => branches.len() as u64,
            StmtKind::Step(step) => ways(step.actions()),
            StmtKind::Match(cases) => cases.len() as u64,
            StmtKind::Call { .. } | StmtKind::Break | StmtKind::Continue => 1,
            StmtKind::Return(_) if node.procedure == ProcId(0) => 0,
            StmtKind::Return(_) => self.calls(node.procedure).len() as u64,
        };
        base.saturating_mul(ghost)
    }
}

/// The first statement of a block, or what comes behind it.
pub(super) fn first_of(block: &[Stmt], end: LocId) -> LocId {
    block.first().map_or(end, |first| first.location)
}

/// In how many ways one can go through actions, one after the other.
pub(super) fn ways(actions: &[Action]) -> u64 {
    actions.iter().fold(1, |ways, action| ways.saturating_mul(ways_of(action)))
}

/// In how many ways one can go through an action.
pub(super) fn ways_of(action: &Action) -> u64 {
    match &action.kind {
        ActionKind::If { then, otherwise, .. } => ways(then).saturating_add(ways(otherwise)),
        _ => 1,
    }
}
