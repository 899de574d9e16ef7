//! Token traces (Definition 3 of the paper).

use crate::ids::{ArcId, TransitionId, VariableId};
use crate::net::{ArcKind, Net};
use std::collections::{BTreeMap, BTreeSet};

/// Which events occur, where each of them takes its tokens from, and the values of their variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TokenTrace {
    /// The events.
    pub events: BTreeSet<TransitionId>,
    /// For each input and test arc of an event, the output arc that made its token.
    pub source: BTreeMap<ArcId, ArcId>,
    /// The values of the variables of all events.
    pub binding: BTreeMap<VariableId, i64>,
}

impl TokenTrace {
    /// Which events have to occur before which (item 5 of the definition): makers of tokens before readers,
    /// and testers before takers of the same token. Sorted, without repetitions.
    pub fn precedences(&self, net: &Net) -> Vec<(TransitionId, TransitionId)> {
        let mut pairs = BTreeSet::new();
        let mut takers: BTreeMap<ArcId, Vec<TransitionId>> = BTreeMap::new();
        for (reader, output) in &self.source {
            let reader = net.arc(*reader);
            pairs.insert((net.arc(*output).transition, reader.transition));
            if reader.kind == ArcKind::Input {
                takers.entry(*output).or_default().push(reader.transition);
            }
        }
        for (reader, output) in &self.source {
            let reader = net.arc(*reader);
            if reader.kind == ArcKind::Test {
                let takers = takers.get(output).into_iter().flatten();
                pairs.extend(takers.map(|taker| (reader.transition, *taker)));
            }
        }
        pairs.into_iter().collect()
    }
}
