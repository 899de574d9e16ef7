//! What a file with processes means: processes as a program, with ranges and goals.

use super::Name;
use crate::core::{Expr, Program};
use ser_base::Span;

/// Processes over shared variables, as a program of requests that run once each.
///
/// Every process is a request of [`program`](Model::program); every combination of values of its
/// parameters is a process of its own. The `yield`s in its body stand between its actions. Names
/// with a `.` inside are hidden: no user can write them. `Q.len` and `Q.0`, `Q.1`, ... are the
/// length and the slots of a queue, `Done.P` is 1 once the process `P` has ended, and local
/// variables that start with a `.` are helpers within one process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Constants, the first value of every shared variable, and one request for each process. All
    /// places are those of the source.
    pub program: Program,
    /// The values that shared variables can have: one entry for each, hidden ones too, in the order
    /// of [`globals`](Program::globals).
    pub ranges: Vec<Range>,
    /// What to look for, in the order of the source.
    pub goals: Vec<Goal>,
}

/// The values that a shared variable can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The variable; its place is the declaration.
    pub name: Name,
    /// The smallest value.
    pub low: i64,
    /// The largest value.
    pub high: i64,
    /// Whether values that do not fit wrap around (`bits n`). The program does that itself, in
    /// ordinary arithmetic; this is for whoever can do it better.
    pub wraps: bool,
    /// What the values 0, 1, 2, ... are called, if they are those of an enumeration.
    pub symbols: Vec<String>,
}

/// `reach condition`: a state to look for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    /// What the source calls it.
    pub name: Option<String>,
    /// When it is reached: an expression over shared variables, hidden ones too. Constants have
    /// been replaced by their values.
    pub condition: Expr,
    /// The whole item.
    pub span: Span,
}
