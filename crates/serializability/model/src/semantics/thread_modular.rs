//! Exploration by pairs: which local states may occur with which global states.
//!
//! A pair (g, l) is explored if some request may be in l while the global state is g. Which
//! pairs occur is over-approximated: when any step leads from g to g', every local state that
//! may be paired with g may be paired with g' (it belonged to another request), and so may the
//! target of the step. Requests arrive at any time, so initial local states are paired with
//! every g. The result may contain steps that no run takes, never the reverse.

use super::machine::StepError;
use super::states::States;
use crate::{GlobalId, LocalId};
use ser_base::Limits;

/// Explores all pairs.
pub(super) fn thread_modular(states: &mut States<'_>, limits: &Limits) -> Result<(), StepError> {
    let mut pairs = Pairs::default();
    pairs.ensure_global(states, GlobalId(0));
    let mut rounds = 0usize;
    while let Some((global, local)) = pairs.open.pop() {
        rounds += 1;
        if rounds.is_multiple_of(64) {
            let bits = states.builder.global_count() * states.continuations.len() / 8;
            states.check(limits, bits + pairs.count * 8)?;
        }
        for target in pairs.edges[global.index()].clone() {
            pairs.add(states, target, local);
        }
        for (to, after) in states.fire(global, local, true)? {
            pairs.ensure_global(states, after);
            pairs.edge(states, global, after);
            pairs.add(states, after, to);
        }
    }
    Ok(())
}

#[derive(Default)]
struct Pairs {
    /// For each global state, the unfinished local states that may occur with it, as a bit set.
    paired: Vec<Vec<u64>>,
    /// For each global state, the global states that one step leads to.
    edges: Vec<Vec<GlobalId>>,
    /// Pairs to explore.
    open: Vec<(GlobalId, LocalId)>,
    count: usize,
}

impl Pairs {
    /// Makes room for a global state; initial local states may always occur with it.
    fn ensure_global(&mut self, states: &States<'_>, global: GlobalId) {
        while self.paired.len() <= global.index() {
            let new = GlobalId::from_index(self.paired.len());
            self.paired.push(Vec::new());
            self.edges.push(Vec::new());
            for local in &states.initial_locals {
                self.add(states, new, *local);
            }
        }
    }

    /// `local` may occur with `global`.
    fn add(&mut self, states: &States<'_>, global: GlobalId, local: LocalId) {
        if states.is_done(local) {
            return;
        }
        let row = &mut self.paired[global.index()];
        let (word, bit) = (local.index() / 64, 1u64 << (local.index() % 64));
        if row.len() <= word {
            row.resize(word + 1, 0);
        }
        if row[word] & bit == 0 {
            row[word] |= bit;
            self.count += 1;
            self.open.push((global, local));
        }
    }

    /// Some step leads from `before` to `after`.
    fn edge(&mut self, states: &States<'_>, before: GlobalId, after: GlobalId) {
        if before == after || self.edges[before.index()].contains(&after) {
            return;
        }
        self.edges[before.index()].push(after);
        for (word, bits) in self.paired[before.index()].clone().into_iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.add(states, after, LocalId::from_index(word * 64 + bit));
            }
        }
    }
}
