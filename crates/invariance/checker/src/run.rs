//! Concrete runs of an instance with some number of threads.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A run that shows what is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// How many threads there are; their numbers count from 0.
    pub threads: u32,
    /// The values of the globals at the start, in the order of the file.
    pub globals: Vec<Value>,
    /// Of each thread the values of all locals at the start, in the order of [`System::locals`](ser_syntax::inv::System::locals).
    pub locals: Vec<Vec<Value>>,
    /// Cells of the heap at the start. All other addresses have the cell [`Cell::default`].
    pub cells: BTreeMap<u32, Cell>,
    /// What happens.
    pub steps: Vec<RunStep>,
    /// What it shows, at its end.
    pub shows: Shows,
}

/// What a run shows at its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shows {
    /// After the last step (or at the start) this invariant does not hold for these threads.
    Violated {
        /// Its name.
        invariant: String,
        /// A thread for each parameter.
        threads: Vec<u32>,
    },
    /// The last step meets an obligation that does not hold: `null` is read, written, locked or unlocked, a lock of somebody else is
    /// unlocked, an assertion does not hold, the minimum of an empty set is asked for.
    Error,
}

/// One step of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunStep {
    /// Who.
    pub thread: u32,
    /// Which path of its location, as numbered in the crate's text. All facts of it hold (of an error: those before it).
    pub path: u32,
    /// What `havoc` and `malloc` choose, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<Value>,
}

/// A value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Of type `bool`.
    Bool(bool),
    /// Of type `int`.
    Int(i64),
    /// Of type `tid`; nothing is `nobody`.
    Tid(Option<u32>),
    /// Of type `addr`; 0 is `null`.
    Addr(u32),
    /// Of type `elem`.
    Elem(Elem),
    /// A set.
    Set(BTreeSet<Value>),
}

/// A value of type `elem`, in its order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Elem {
    /// `lowest`.
    Lowest,
    /// Something between.
    Between(i64),
    /// `highest`.
    Highest,
}

/// A cell of the heap. The cell of `null` is the default one, and is never written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// `.next`; 0 is `null`.
    pub next: u32,
    /// `.data`.
    pub data: Elem,
    /// `.lockid`; nothing is `nobody`.
    pub lockid: Option<u32>,
}

impl Default for Cell {
    fn default() -> Cell {
        Cell { next: 0, data: Elem::Between(0), lockid: None }
    }
}
