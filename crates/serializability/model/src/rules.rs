//! A system as rules: steps without their global states.
//!
//! A program over many variables has more valuations than anybody could list, and yet few
//! different steps: each reads and writes a handful of variables. A [`Rule`] is such a step. It is
//! possible in every global state that agrees with what it reads, and changes what it writes.
//! Fifty locks have 2^50 valuations and a few hundred rules.
//!
//! A [`RuleSystem`] means the same as the network system that lists its steps for every valuation,
//! provided that no rule that [leaves](RuleSystem::leaves) the known values ever applies. Where a
//! variable seems to have no end of values, only some of them are followed: a semaphore that counts
//! down and up never leaves its range, but one rule alone cannot know that.

use crate::{Footprint, LocalId, NetworkSystem, VariableId};

/// A step of a request from one local state to another, wherever the global variables agree with
/// what it reads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rule {
    /// The local state before.
    pub from: LocalId,
    /// What it reads and what it writes. A variable that is written back unchanged is not written.
    pub footprint: Footprint,
    /// The local state after.
    pub to: LocalId,
}

/// A network system as rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSystem {
    frame: NetworkSystem,
    rules: Vec<Rule>,
    starts: Vec<u32>,
    values: Vec<Vec<i64>>,
    is_partial: bool,
}

impl RuleSystem {
    /// A system of rules. `frame` is the system without its steps; `values` are the values that
    /// each variable may take.
    pub(crate) fn new(
        frame: NetworkSystem,
        mut rules: Vec<Rule>,
        mut values: Vec<Vec<i64>>,
    ) -> RuleSystem {
        rules.sort_unstable();
        rules.dedup();
        for list in &mut values {
            list.sort_unstable();
        }
        let starts = (0..=frame.local_count())
            .map(|l| rules.partition_point(|r| r.from.index() < l) as u32)
            .collect();
        let mut system = RuleSystem { frame, rules, starts, values, is_partial: false };
        system.is_partial = system.rules.iter().any(|rule| system.leaves(rule));
        system
    }

    /// The system without its steps: variables and their first values, local states, requests,
    /// responses, where requests start and where they respond.
    pub fn frame(&self) -> &NetworkSystem {
        &self.frame
    }

    /// All rules, sorted.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rules for a request in `local`.
    pub fn rules_of(&self, local: LocalId) -> &[Rule] {
        let (first, last) = (self.starts[local.index()], self.starts[local.index() + 1]);
        &self.rules[first as usize..last as usize]
    }

    /// For each variable the values that it may take, sorted: its first value, and whatever some
    /// rule writes, unless that is out of range.
    pub fn values(&self) -> &[Vec<i64>] {
        &self.values
    }

    /// Whether a rule writes a value out of range. There are rules for the values in range only, so
    /// whoever relies on them has to show that such a rule never applies.
    pub fn leaves(&self, rule: &Rule) -> bool {
        let inside = |v: VariableId, value| self.values[v.index()].binary_search(&value).is_ok();
        rule.footprint.writes.iter().any(|(v, value)| !inside(*v, *value))
    }

    /// Whether some rule leaves the known values.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }
}
