//! A cycle that no level excludes, to try out.

use ser_isolation_checker::Why;
use ser_isolation_checker::split::Code;
use ser_isolation_model::ast::{ColumnId, Level};

/// Transactions in a cycle of dependencies. The first one is split behind an operation; the others
/// run in between, one after the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Cycle {
    pub members: Vec<Member>,
    /// From each member to the next, and from the last to the first.
    pub links: Vec<Link>,
}

/// A transaction of a cycle.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// Of `Operations::templates`.
    pub template: u32,
    /// Of `Program::transactions`.
    pub transaction: usize,
    pub level: Level,
    /// The value of each term of the template: equal numbers are equal values, 0 is one that does
    /// not matter and is different from all others.
    pub values: Vec<Code>,
}

/// `after`, of the next transaction, depends on `before`.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Operations, by number through all templates.
    pub before: u32,
    pub after: u32,
    pub why: Why,
    /// The columns on which the rows agree, and the values that they have.
    pub row: Vec<(ColumnId, Code)>,
}

impl Cycle {
    /// The statement of the first transaction after which the others run.
    pub fn split(&self) -> u32 {
        self.links.first().map_or(0, |it| it.before)
    }
}
