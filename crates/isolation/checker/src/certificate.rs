//! Certificates of robustness, and their check.

use crate::conflict::Conflict;
use crate::rejection::Rejection;
use crate::split::{Code, Node, Step, System};
use rustc_hash::FxHashSet;
use ser_base::Limits;
use ser_isolation_model::ast::{Level, Program};
use ser_isolation_model::operations::Operations;
use serde::{Deserialize, Serialize};

/// Why no schedule has a cycle. Operations are numbered through all templates.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The level of each transaction: `read committed`, `repeatable read`, `serializable`.
    pub levels: Vec<String>,
    pub dependencies: Vec<Dependency>,
    pub chains: Vec<Chains>,
}

/// An operation may depend on another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    pub before: u32,
    pub after: u32,
    pub why: Why,
    /// The columns on which their rows have to agree.
    pub columns: Vec<u32>,
}

/// What makes an operation depend on another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It overwrites what the other one reads.
    Overwrites,
    /// It overwrites what the other one reads, and waits for its lock.
    OverwritesLocked,
    /// It finds or overwrites what the other one wrote.
    Follows,
}

/// The ways in which others are reached from a split.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chains {
    pub template: u32,
    /// The read behind which the transaction is split, and where a cycle would come back.
    pub read: u32,
    pub back: u32,
    /// The value of each term of the template.
    pub values: Vec<Code>,
    pub reached: Vec<Reached>,
}

/// A transaction is left at an operation, whose row has values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reached {
    pub operation: u32,
    pub values: Vec<Code>,
    /// The first one of the chain runs at SERIALIZABLE, as the one that is split does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub second: bool,
    /// All of the chain do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

impl Why {
    pub fn of(conflict: &Conflict) -> Why {
        match (conflict.overwritten, conflict.waits) {
            (true, false) => Why::Overwrites,
            (true, true) => Why::OverwritesLocked,
            (false, _) => Why::Follows,
        }
    }
}

impl Dependency {
    /// All dependencies of a system, in order.
    pub fn all(system: &System) -> Vec<Dependency> {
        let of = |before: u32| {
            system.after(before).iter().map(move |(after, conflict)| Dependency {
                before,
                after: *after,
                why: Why::of(conflict),
                columns: conflict.columns.iter().map(|it| it.0).collect(),
            })
        };
        (0..system.count()).flat_map(of).collect()
    }
}

impl From<Node> for Reached {
    fn from(node: Node) -> Reached {
        let Node { operation, values, second, all } = node;
        Reached { operation, values, second, all }
    }
}

impl Certificate {
    /// What a level is called in a certificate.
    pub fn level(level: Level) -> &'static str {
        match level {
            Level::ReadCommitted => "read committed",
            Level::RepeatableRead => "repeatable read",
            Level::Serializable => "serializable",
        }
    }
}

/// Whether a certificate proves that a program is robust for the level of each transaction.
pub fn check(
    program: &Program,
    levels: &[Level],
    certificate: &Certificate,
    limits: &Limits,
) -> Result<(), Rejection> {
    let count = program.transactions.len();
    if levels.len() != count {
        return Err(Rejection::Levels { found: levels.len(), transactions: count });
    }
    check_operations(Operations::of(program), levels, certificate, limits)
}

/// The same for operations, of which there may be some without SQL. There must be a level for
/// each transaction that a template is of.
pub fn check_operations(
    operations: Operations,
    levels: &[Level],
    certificate: &Certificate,
    limits: &Limits,
) -> Result<(), Rejection> {
    if !levels.iter().map(|it| Certificate::level(*it)).eq(&certificate.levels) {
        return Err(Rejection::OtherLevels);
    }
    if let Some(it) = operations.outside.first() {
        return Err(Rejection::Outside { transaction: it.transaction, reason: it.reason });
    }
    if let Some(it) = operations.templates.iter().find(|it| it.transaction >= levels.len()) {
        return Err(Rejection::Levels { found: levels.len(), transactions: it.transaction + 1 });
    }
    let system = System::new(operations);
    let dependencies = Dependency::all(&system);
    for (number, dependency) in dependencies.iter().enumerate() {
        if certificate.dependencies.get(number) != Some(dependency) {
            return Err(Rejection::Dependency { number });
        }
    }
    if certificate.dependencies.len() > dependencies.len() {
        let surplus = certificate.dependencies.len() - dependencies.len();
        return Err(Rejection::MoreDependencies { surplus });
    }
    let mut number = 0;
    let mut pace = limits.pace();
    for template in 0..system.operations().templates.len() as u32 {
        for start in system.starts(template) {
            let Some(chains) = certificate.chains.get(number) else {
                return Err(Rejection::Split { number });
            };
            let same = chains.template == start.template
                && chains.read == start.read
                && chains.back == start.back
                && chains.values == start.values;
            if !same {
                return Err(Rejection::Split { number });
            }
            let frame = system.frame(start, levels);
            let reached: FxHashSet<&Reached> = chains.reached.iter().collect();
            let mut wrong = None;
            let mut see = |step: Step| {
                let operation = step.node.operation;
                if !step.closes.is_empty() {
                    wrong = Some(Rejection::Cycle { number, operation });
                } else if step.goes_on && !reached.contains(&Reached::from(step.node)) {
                    wrong.get_or_insert(Rejection::Open { number, operation });
                }
            };
            frame.begin(&mut see);
            for from in &chains.reached {
                pace.steps(100)?;
                if !system.has(from.operation, &from.values) {
                    return Err(Rejection::Place { number });
                }
                let node = Node {
                    operation: from.operation,
                    values: from.values.clone(),
                    second: from.second,
                    all: from.all,
                };
                frame.steps(&node, &mut see);
            }
            if let Some(rejection) = wrong {
                return Err(rejection);
            }
            number += 1;
        }
    }
    if certificate.chains.len() > number {
        return Err(Rejection::MoreSplits { surplus: certificate.chains.len() - number });
    }
    Ok(())
}
