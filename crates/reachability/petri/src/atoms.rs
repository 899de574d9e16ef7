//! `deadlock` and `fireable`: atoms of queries that stand for formulas over tokens.
//!
//! One word stands for as many comparisons as the net has arcs, and a query may say it again and
//! again; so what has been written out is counted.

use crate::{Formula, PetriNet, PlaceId, Relation, Sum, Transition, TransitionId};
use std::cell::Cell;

/// The most comparisons that the atoms of a text may stand for.
const MAX_COMPARISONS: usize = 2_000_000;

/// Writes out the atoms of a text.
pub(crate) struct Atoms<'a> {
    net: &'a PetriNet,
    left: Cell<usize>,
}

/// The atoms of a text are too long when they are written out.
#[derive(Debug, thiserror::Error)]
#[error("`deadlock` and `fireable` stand for more than {MAX_COMPARISONS} comparisons")]
pub(crate) struct TooLong;

impl<'a> Atoms<'a> {
    pub fn new(net: &'a PetriNet) -> Atoms<'a> {
        Atoms { net, left: Cell::new(MAX_COMPARISONS) }
    }

    /// No transition can fire.
    pub fn deadlock(&self) -> Result<Formula, TooLong> {
        self.spend(self.net.transitions.iter())?;
        let disabled = |t: &Transition| {
            one_or_all(t.takes.iter().map(|(p, n)| has(*p, *n, false)).collect(), false)
        };
        Ok(one_or_all(self.net.transitions.iter().map(disabled).collect(), true))
    }

    /// Some of these transitions can fire.
    pub fn fireable(&self, transitions: &[TransitionId]) -> Result<Formula, TooLong> {
        let chosen = || transitions.iter().filter_map(|t| self.net.transitions.get(t.index()));
        self.spend(chosen())?;
        let enabled = |t: &Transition| {
            one_or_all(t.takes.iter().map(|(p, n)| has(*p, *n, true)).collect(), true)
        };
        Ok(one_or_all(chosen().map(enabled).collect(), false))
    }

    fn spend<'t>(&self, transitions: impl Iterator<Item = &'t Transition>) -> Result<(), TooLong> {
        let comparisons = transitions.map(|t| t.takes.len() + 1).sum();
        self.left.set(self.left.get().checked_sub(comparisons).ok_or(TooLong)?);
        Ok(())
    }
}

fn one_or_all(mut parts: Vec<Formula>, all: bool) -> Formula {
    match (parts.len(), all) {
        (1, _) => parts.swap_remove(0),
        (_, true) => Formula::And(parts),
        (_, false) => Formula::Or(parts),
    }
}

/// The place has this many tokens or more, or that it does not.
fn has(place: PlaceId, tokens: u64, wanted: bool) -> Formula {
    let (left, relation, right) = match i64::try_from(tokens) {
        Ok(tokens) => (0, Relation::AtLeast, tokens),
        // Weights may be larger than constants: p >= n is p - m > n - 1 - m, with m = i64::MAX.
        Err(_) => (-i64::MAX, Relation::Greater, (tokens - 1 - i64::MAX as u64) as i64),
    };
    let relation = if wanted { relation } else { relation.opposite() };
    let sum = Sum { constant: left, ..Sum::tokens(place) };
    Formula::Compare(sum, relation, Sum::constant(right))
}
