//! Cases: in which ways the threads that a premise speaks of are equal or not.

use ser_syntax::inv::System;
use ser_syntax::inv::ast::{ExprKind, GlobalId, InvId, Scalar, Thread, Type};
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
        conjunct.formula.walk(&mut |expr| match &expr.kind {
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
