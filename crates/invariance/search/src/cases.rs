//! Cases: in which ways the threads that a premise speaks of are equal or not.

use ser_syntax::inv::System;
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, GlobalId, InvId, Place, Scalar, Step, Stmt, StmtKind,
    Thread, Type,
};
use std::collections::BTreeSet;

/// The globals that are one thread for ever, ascending: these can be an index.
pub fn anchors(system: &System) -> Vec<GlobalId> {
    let numbered = (0..).map(GlobalId).zip(&system.globals);
    numbered.filter(|(_, global)| global.fixed).map(|(id, _)| id).collect()
}

/// The anchors that occur in an invariant, as an index or as a value.
pub fn anchors_in(system: &System, anchors: &[GlobalId], invariant: InvId) -> Vec<GlobalId> {
    let mut found = BTreeSet::new();
    for conjunct in &system.invariants[invariant.0 as usize].conjuncts {
        walk(&conjunct.formula, &mut |expr| match &expr.kind {
            ExprKind::Local(_, Thread::Global(id))
            | ExprKind::At(Thread::Global(id), _)
            | ExprKind::Global(id) => {
                found.insert(*id);
            }
            _ => {}
        });
    }
    anchors.iter().copied().filter(|it| found.contains(it)).collect()
}

/// Visits an expression and all inside it.
pub fn walk<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Field(inner, _)
        | ExprKind::Not(inner)
        | ExprKind::Negate(inner)
        | ExprKind::Min(inner)
        | ExprKind::Max(inner)
        | ExprKind::Cells(inner)
        | ExprKind::Elems(inner) => walk(inner, visit),
        ExprKind::Binary(_, left, right)
        | ExprKind::Reach(left, right)
        | ExprKind::Ordered(left, right) => {
            walk(left, visit);
            walk(right, visit);
        }
        ExprKind::Set(elements) => elements.iter().for_each(|it| walk(it, visit)),
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Null
        | ExprKind::Nobody
        | ExprKind::Lowest
        | ExprKind::Highest
        | ExprKind::Thread(_)
        | ExprKind::Global(_)
        | ExprKind::Local(..)
        | ExprKind::At(..) => {}
    }
}

/// All partitions of so many variables into at most `limit` blocks: the block of each, numbered in the order of first
/// appearance.
pub fn partitions(variables: usize, limit: Option<u32>) -> Vec<Vec<u32>> {
    let limit = limit.unwrap_or(u32::MAX);
    let mut all = vec![Vec::new()];
    for _ in 0..variables {
        let mut longer = Vec::new();
        for partition in all {
            let blocks = blocks(&partition);
            for block in 0..=blocks {
                if block < limit {
                    let mut next = partition.clone();
                    next.push(block);
                    longer.push(next);
                }
            }
        }
        all = longer;
    }
    all
}

/// How many blocks a partition has.
pub fn blocks(partition: &[u32]) -> u32 {
    partition.iter().max().map_or(0, |most| most + 1)
}

/// All tuples of so many blocks.
pub fn tuples(length: usize, blocks: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .into_iter()
            .flat_map(|tuple: Vec<u32>| {
                (0..blocks).map(move |block| {
                    let mut longer = tuple.clone();
                    longer.push(block);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Visits every expression of the statements of a system.
pub fn walk_statements<'e>(statements: &'e [Stmt], visit: &mut dyn FnMut(&'e Expr)) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Step(Step::Action(action)) => actions(std::slice::from_ref(action), visit),
            StmtKind::Step(Step::Atomic(inner)) => actions(inner, visit),
            StmtKind::Step(_) => {}
            StmtKind::If { condition, then, otherwise } => {
                walk(condition, visit);
                walk_statements(then, visit);
                walk_statements(otherwise, visit);
            }
            StmtKind::While { condition, body, .. } => {
                walk(condition, visit);
                walk_statements(body, visit);
            }
            StmtKind::Choice(branches) => {
                branches.iter().for_each(|branch| walk_statements(branch, visit));
            }
            StmtKind::Call { arguments, .. } => {
                arguments.iter().for_each(|argument| walk(argument, visit));
            }
            StmtKind::Return(result) => {
                if let Some(result) = result {
                    walk(result, visit);
                }
            }
        }
        actions(&statement.ghost, visit);
    }
}

fn actions<'e>(all: &'e [Action], visit: &mut dyn FnMut(&'e Expr)) {
    for action in all {
        match &action.kind {
            ActionKind::Assign { target, value } => {
                if let Place::Field(address, _) = target {
                    walk(address, visit);
                }
                walk(value, visit);
            }
            ActionKind::Havoc { condition, .. } => {
                if let Some(condition) = condition {
                    walk(condition, visit);
                }
            }
            ActionKind::Malloc { data, next, .. } => {
                walk(data, visit);
                walk(next, visit);
            }
            ActionKind::Lock(it)
            | ActionKind::Unlock(it)
            | ActionKind::Await(it)
            | ActionKind::Assert(it) => walk(it, visit),
            ActionKind::If { condition, then, otherwise } => {
                walk(condition, visit);
                actions(then, visit);
                actions(otherwise, visit);
            }
        }
    }
}

/// Whether a system has a heap.
pub fn has_heap(system: &System) -> bool {
    let types = system.globals.iter().map(|it| it.ty).chain(system.locals.iter().map(|it| it.ty));
    types.into_iter().any(|ty| {
        matches!(
            ty,
            Type::Scalar(Scalar::Addr | Scalar::Elem) | Type::Set(Scalar::Addr | Scalar::Elem)
        )
    })
}
