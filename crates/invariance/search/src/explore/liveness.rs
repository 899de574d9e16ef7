//! Dead variables: which locals of a thread nobody reads any more while it stands at a location.
//!
//! A local keeps its last value long after anybody needs it, and states that differ in such values
//! only are many. A local is *dead* at a location if on every way from there it is written before
//! anybody reads it; an invariant that looks at it reads it, too. Then its value can be dropped:
//! related by "equal but for dead variables, up to names", a state and its copy without them
//! violate the same invariants and have the same steps, with the same faults, to states that are
//! related again.
//!
//! An invariant looks at `x[i]` at all locations, unless it stands beside or behind `at(i, L)` in
//! such a way that its value is of no consequence elsewhere: in `at(i, L) && ...`, `at(i, L) ->
//! ...`, `!at(i, L) || ...`.
//!
//! (One more thing depends on variables that nobody reads: which addresses `malloc` may give. But
//! all new addresses are the same up to names, and in a run that is found a new cell gets an
//! address that was never used before.)

use super::flow::{Flow, first_of};
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, LocId, LocalId, Operator, Place, ProcId, Stmt, StmtKind,
    System, Thread,
};

/// A set of slots of a thread: sites first, then locals.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Slots(Vec<bool>);

/// For programs that are too large for this, everything counts as live.
const MAX_WORK: usize = 1 << 24;

/// By location: the slots of a thread that are dead, counted from its first word.
#[derive(Clone, Debug, Default)]
pub(super) struct Liveness {
    dead: Vec<Vec<u32>>,
}

impl Liveness {
    /// Everything is live.
    pub fn all(system: &System) -> Liveness {
        Liveness { dead: vec![Vec::new(); system.locations.len()] }
    }

    /// What the program or an invariant may still read.
    pub fn new(system: &System, flow: &Flow<'_>) -> Liveness {
        let sites = flow.with_site().len();
        let count = sites + system.locals.len();
        let mut budget = MAX_WORK;
        if count.saturating_mul(system.locations.len()) > budget {
            return Liveness::all(system);
        }
        let mut seen = vec![Slots(vec![false; count]); system.locations.len()];
        for conjunct in system.invariants.iter().flat_map(|invariant| &invariant.conjuncts) {
            observe(&conjunct.formula, &mut Vec::new(), &mut |local, places| {
                budget = budget.saturating_sub(system.locations.len());
                if budget == 0 {
                    return;
                }
                let slot = sites + local.0 as usize;
                for (location, seen) in (0..).map(LocId).zip(&mut seen) {
                    let is_seen = |places: &&Vec<LocId>| places.binary_search(&location).is_ok();
                    if places.iter().all(is_seen) {
                        seen.0[slot] = true;
                    }
                }
            });
        }
        if budget == 0 {
            return Liveness::all(system);
        }
        // To be looked at is to be read.
        let live = liveness(system, flow, sites, seen);
        let dead = live.into_iter().map(|live| {
            let slots = (1..).zip(live.0);
            slots.filter(|(_, live)| !live).map(|(slot, _)| slot).collect()
        });
        Liveness { dead: dead.collect() }
    }

    /// What is dead at a location: words, counted from the first of the thread.
    pub fn dead(&self, location: usize) -> &[u32] {
        self.dead.get(location).map_or(&[], Vec::as_slice)
    }
}

/// What a location reads, what it surely writes before anybody reads it, and where it leads.
struct Block {
    reads: Slots,
    writes: Slots,
    next: Vec<LocId>,
}

/// What is read later on, by location: what is read there for sure is in `live` already.
fn liveness(system: &System, flow: &Flow<'_>, sites: usize, mut live: Vec<Slots>) -> Vec<Slots> {
    let count = sites + system.locals.len();
    let locations: Vec<LocId> = (0..system.locations.len() as u32).map(LocId).collect();
    let blocks: Vec<Option<Block>> =
        locations.iter().map(|location| block(system, flow, sites, count, *location)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (place, block) in blocks.iter().enumerate().rev() {
            let Some(block) = block else {
                continue;
            };
            for slot in 0..count {
                let later = block.next.iter().any(|next| live[next.0 as usize].0[slot]);
                let is_live = block.reads.0[slot] || later && !block.writes.0[slot];
                if is_live && !live[place].0[slot] {
                    live[place].0[slot] = true;
                    changed = true;
                }
            }
        }
    }
    live
}

fn block(
    system: &System,
    flow: &Flow<'_>,
    sites: usize,
    count: usize,
    location: LocId,
) -> Option<Block> {
    let node = flow.node(location)?;
    let empty = Slots(vec![false; count]);
    let mut block = Block { reads: empty.clone(), writes: empty, next: Vec::new() };
    let statement: &Stmt = node.statement;
    let after = node.after;
    match &statement.kind {
        StmtKind::Step(step) => {
            block.actions(step.actions(), sites);
            block.next.push(after);
        }
        StmtKind::If { condition, then, otherwise } => {
            block.read(condition, sites);
            block.next.extend([first_of(then, after), first_of(otherwise, after)]);
        }
        StmtKind::While { condition, body, .. } => {
            block.read(condition, sites);
            block.next.extend([first_of(body, location), after]);
        }
        StmtKind::Choice(branches) => {
            block.next.extend(branches.iter().map(|branch| first_of(branch, after)));
        }
        StmtKind::Match(cases) => {
            cases.iter().for_each(|(condition, _)| block.read(condition, sites));
            block.next.extend(cases.iter().map(|(_, case)| first_of(case, after)));
        }
        StmtKind::Break | StmtKind::Continue => block.next.push(after),
        StmtKind::Call { procedure, arguments, .. } => {
            arguments.iter().for_each(|argument| block.read(argument, sites));
            let callee = system.procedures.get(procedure.0 as usize)?;
            callee.parameters.iter().for_each(|parameter| block.write(*parameter, sites));
            if let Some(site) = flow.site(*procedure) {
                block.writes.0[site] = true;
            }
            block.next.push(flow.entry(*procedure));
        }
        StmtKind::Return(value) => {
            value.iter().for_each(|value| block.read(value, sites));
            if node.procedure != ProcId(0) {
                if let Some(site) = flow.site(node.procedure) {
                    block.reads.0[site] = true;
                }
                for call in flow.calls(node.procedure) {
                    if let Some(Place::Field(address, _)) = call.target {
                        block.read(address, sites);
                    }
                    block.next.push(call.after);
                }
            }
        }
    }
    block.actions(&statement.ghost, sites);
    Some(block)
}

impl Block {
    fn read(&mut self, expr: &Expr, sites: usize) {
        expr.walk(&mut |part| {
            if let ExprKind::Local(local, _) = part.kind {
                let slot = sites + local.0 as usize;
                self.reads.0[slot] |= !self.writes.0[slot];
            }
        });
    }

    fn write(&mut self, local: LocalId, sites: usize) {
        self.writes.0[sites + local.0 as usize] = true;
    }

    fn target(&mut self, target: &Place, sites: usize) {
        match target {
            Place::Global(_) => {}
            Place::Local(local) => self.write(*local, sites),
            Place::Field(address, _) => self.read(address, sites),
        }
    }

    fn actions(&mut self, actions: &[Action], sites: usize) {
        for action in actions {
            match &action.kind {
                ActionKind::Assign { target, value } => {
                    self.read(value, sites);
                    self.target(target, sites);
                }
                ActionKind::Havoc { target, condition } => {
                    self.target(target, sites);
                    condition.iter().for_each(|condition| self.read(condition, sites));
                }
                ActionKind::Malloc { target, data, next } => {
                    self.read(data, sites);
                    self.read(next, sites);
                    self.target(target, sites);
                }
                ActionKind::Lock(expr)
                | ActionKind::Unlock(expr)
                | ActionKind::Await(expr)
                | ActionKind::Assert(expr) => self.read(expr, sites),
                ActionKind::If { condition, then, otherwise } => {
                    self.read(condition, sites);
                    // What only one branch writes is not surely written.
                    let before = self.writes.clone();
                    self.actions(then, sites);
                    let after_then = std::mem::replace(&mut self.writes, before);
                    self.actions(otherwise, sites);
                    for (both, then) in self.writes.0.iter_mut().zip(after_then.0) {
                        *both &= then;
                    }
                }
            }
        }
    }
}

/// Where a thread must be for the rest to matter.
type Guards<'e> = Vec<(Thread, &'e Vec<LocId>)>;

/// Calls `see` with each local that a formula looks at, and the places where its thread must be for
/// that.
fn observe<'e>(
    formula: &'e Expr,
    guards: &mut Guards<'e>,
    see: &mut dyn FnMut(LocalId, &[&'e Vec<LocId>]),
) {
    match &formula.kind {
        ExprKind::Local(local, thread) => {
            let places = guards.iter().filter(|(guarded, _)| guarded == thread);
            let places: Vec<&Vec<LocId>> = places.map(|(_, places)| *places).collect();
            see(*local, &places);
        }
        ExprKind::Binary(Operator::And | Operator::Implies | Operator::Or, left, right) => {
            let height = guards.len();
            match formula.kind {
                // Elsewhere it is false (or true) whatever the rest is.
                ExprKind::Binary(Operator::And, ..) => {
                    conditions(left, true, guards);
                    conditions(right, true, guards);
                }
                ExprKind::Binary(Operator::Implies, ..) => {
                    conditions(left, true, guards);
                    conditions(right, false, guards);
                }
                _ => {
                    conditions(left, false, guards);
                    conditions(right, false, guards);
                }
            }
            observe(left, guards, see);
            observe(right, guards, see);
            guards.truncate(height);
        }
        _ => formula.children().into_iter().for_each(|part| observe(part, guards, see)),
    }
}

/// The conditions `at(i, L)` without which a formula cannot have the truth value `wanted`.
fn conditions<'e>(formula: &'e Expr, wanted: bool, guards: &mut Guards<'e>) {
    match (&formula.kind, wanted) {
        (ExprKind::At(thread, places), true) => guards.push((*thread, places)),
        (ExprKind::Not(inner), _) => conditions(inner, !wanted, guards),
        (ExprKind::Binary(Operator::And, left, right), true)
        | (ExprKind::Binary(Operator::Or, left, right), false) => {
            conditions(left, wanted, guards);
            conditions(right, wanted, guards);
        }
        (ExprKind::Binary(Operator::Implies, left, right), false) => {
            conditions(left, true, guards);
            conditions(right, false, guards);
        }
        _ => {}
    }
}
