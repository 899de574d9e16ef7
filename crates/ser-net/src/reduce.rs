//! The exact reductions, one after the other until nothing changes.

use crate::{Net, merge_equivalent_places, remove_idle_steps, slice};
use ser_model::{LocalId, RequestId};

/// Which reductions to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Bidirectional slicing.
    pub slice: bool,
    /// Removal of idle steps.
    pub idle: bool,
    /// Quotient by bisimulation.
    pub merge: bool,
}

impl Default for Reductions {
    fn default() -> Reductions {
        Reductions {
            slice: true,
            idle: true,
            merge: true,
        }
    }
}

/// A reduction that changed the net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// Slicing.
    Slice,
    /// Idle steps were removed.
    Idle,
    /// These places became one each; a place is known by its request and its representative.
    Merge(Vec<Vec<(RequestId, LocalId)>>),
}

/// A reduced net, and how it came about.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The net.
    pub net: Net,
    /// The reductions in the order in which they were applied.
    pub applied: Vec<Reduction>,
}

/// Applies the chosen reductions until none changes the net any more.
///
/// ```
/// use ser_model::{Limits, ProgramModel};
/// use ser_net::{Reductions, normal_form, reduce};
/// let text = "request take { while (L == 1) { yield }; L := 1 } request give { L := 0 }";
/// let model = ProgramModel::new(&ser_lang::parse(text).program, text, &Limits::default()).unwrap();
/// let reduced = reduce(&normal_form(model.system()), Reductions::default());
/// assert!(reduced.net.is_atomic()); // waiting for the lock is the same as coming later
/// ```
pub fn reduce(net: &Net, which: Reductions) -> Reduced {
    let mut net = net.clone();
    let mut applied = Vec::new();
    loop {
        let passes = applied.len();
        if which.slice {
            step(&mut net, &mut applied, Reduction::Slice, slice);
        }
        if which.idle {
            step(&mut net, &mut applied, Reduction::Idle, remove_idle_steps);
        }
        if which.merge {
            // Places without transitions would all be alike.
            let compact = net.compact();
            let (merged, groups) = merge_equivalent_places(&compact);
            if !groups.is_empty() {
                let names = |group: &Vec<crate::PlaceId>| {
                    group
                        .iter()
                        .map(|p| {
                            let place = &compact.places[p.index()];
                            (place.request, place.members[0])
                        })
                        .collect()
                };
                applied.push(Reduction::Merge(groups.iter().map(names).collect()));
                net = merged;
            }
        }
        if applied.len() == passes {
            return Reduced {
                net: net.compact(),
                applied,
            };
        }
    }
}

fn step(net: &mut Net, applied: &mut Vec<Reduction>, name: Reduction, pass: impl Fn(&Net) -> Net) {
    let smaller = pass(net);
    if smaller.transitions.len() < net.transitions.len() {
        applied.push(name);
        *net = smaller;
    }
}
