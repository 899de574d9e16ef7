//! Cases: in which ways the threads that a premise speaks of are equal or not.

use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Scalar, Type};

pub use ser_invariance_checker::cases::{anchors, anchors_in, blocks, partitions};

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
