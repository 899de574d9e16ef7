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
//!
//! Some variables may be *opaque*: nobody keeps track of their values. A rule that reads or writes
//! such a variable says so, always with the value 0, and what a request computes from it is opaque,
//! too. Then a rule stands for many steps, of which it says where they lead and what they touch;
//! see [`Precision`].

use crate::{Footprint, LocalId, NetworkSystem, VariableId};
use std::collections::BTreeSet;

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
    /// What is known of the values in it.
    pub precision: Precision,
}

/// How much a rule tells about the steps that it stands for.
///
/// A request in a local state without opaque values is in exactly this state; otherwise it is in
/// one of many, which differ in these values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Precision {
    /// Everything: it is one step.
    Exact,
    /// It touches opaque variables, or the request has opaque values.
    Opaque,
    /// The same, and the request is afterwards in the same state as before, whatever that was:
    /// opaque values have not changed.
    Waits,
}

/// A network system as rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSystem {
    frame: NetworkSystem,
    rules: Vec<Rule>,
    starts: Vec<u32>,
    values: Vec<Vec<i64>>,
    is_partial: bool,
    opaque: Opaque,
}

/// What is opaque in a system of rules.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Opaque {
    /// The names of all opaque variables and parameters.
    pub names: BTreeSet<String>,
    /// Which global variables are.
    pub globals: Vec<bool>,
    /// Which local states have opaque values.
    pub locals: Vec<bool>,
}

impl RuleSystem {
    /// A system of rules. `frame` is the system without its steps; `values` are the values that
    /// each variable may take.
    pub(crate) fn new(
        frame: NetworkSystem,
        mut rules: Vec<Rule>,
        mut values: Vec<Vec<i64>>,
        opaque: Opaque,
    ) -> RuleSystem {
        rules.sort_unstable();
        rules.dedup();
        for list in &mut values {
            list.sort_unstable();
        }
        let starts = (0..=frame.local_count())
            .map(|l| rules.partition_point(|r| r.from.index() < l) as u32)
            .collect();
        let mut system = RuleSystem { frame, rules, starts, values, is_partial: false, opaque };
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

    /// What is opaque: global variables, as in `Balance`, and parameters, as in `withdraw.amount`.
    pub fn opaque(&self) -> &BTreeSet<String> {
        &self.opaque.names
    }

    /// Whether nobody keeps track of the values of a variable.
    pub fn is_opaque(&self, variable: VariableId) -> bool {
        self.opaque.globals.get(variable.index()).copied().unwrap_or(false)
    }

    /// Whether a request in this local state has opaque values.
    pub fn has_opaque_values(&self, local: LocalId) -> bool {
        self.opaque.locals.get(local.index()).copied().unwrap_or(false)
    }

    /// The position of the first rule for a request in `local`, in [`RuleSystem::rules`].
    pub fn first_rule_of(&self, local: LocalId) -> usize {
        self.starts[local.index()] as usize
    }

    /// Whether some rule leaves the known values.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }
}
