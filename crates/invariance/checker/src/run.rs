//! Concrete runs of an instance with some number of threads.

use ser_base::Span;
use ser_syntax::inv::ast::{LocId, ProcId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A run that shows what is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// How many threads there are; their numbers count from 0.
    pub threads: u32,
    /// The values of the globals at the start, in the order of the file.
    pub globals: Vec<Value>,
    /// Of each thread the values of all locals at the start, in the order of
    /// [`System::locals`](ser_syntax::inv::System::locals).
    pub locals: Vec<Vec<Value>>,
    /// Cells of the heap at the start. All other addresses have the cell [`Cell::default`].
    pub cells: BTreeMap<u32, Cell>,
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
        invariant: String,
        /// A thread for each parameter.
        threads: Vec<u32>,
    },
    /// The last step meets an obligation that does not hold: `null` is read, written, locked or
    /// unlocked, a lock of somebody else is unlocked, an assertion does not hold, the minimum of an
    /// empty set is asked for.
    Error,
    /// This thread waits forever. That it never goes on is not shown by the run alone.
    Waits { thread: u32 },
}

/// One step of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunStep {
    pub thread: u32,
    /// Which path of its location, as numbered in the crate's text. All facts of it hold (of an
    /// error: those before it).
    pub path: u32,
    /// What `choose` and `malloc` choose, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<Value>,
}

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

/// A state of an instance: reached, or invented (a counter-model).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct State {
    /// In the order of the file.
    pub globals: Vec<Value>,
    /// By number. Values of type `tid` may also name threads that are not among them.
    pub threads: Vec<ThreadState>,
    /// All other addresses have the cell [`Cell::default`]; 0 is `null`, and must not be here.
    pub cells: BTreeMap<u32, Cell>,
}

/// What belongs to one thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadState {
    pub location: LocId,
    /// In the order of [`System::locals`](ser_syntax::inv::System::locals).
    pub locals: Vec<Value>,
    /// From where it has called procedures last. A procedure that is not here was called from the
    /// first of its calls, or not at all.
    pub sites: BTreeMap<ProcId, LocId>,
}

/// Something that a step must not do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    /// The expression or the action that does it.
    pub span: Span,
}

/// What a step must not do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// `a.next` is read and `a` is `null`.
    NullRead,
    /// `a.next` is written and `a` is `null`.
    NullWrite,
    /// `lock a` and `a` is `null`.
    NullLock,
    /// `unlock a` and `a` is `null`.
    NullUnlock,
    /// `unlock a`, which this thread has not locked.
    ForeignUnlock,
    /// `assert` of something that does not hold.
    Assertion,
    /// `min` or `max` of the empty set.
    EmptySet,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::NullRead => "a field of `null` is read",
            FaultKind::NullWrite => "a field of `null` is written",
            FaultKind::NullLock => "`null` is locked",
            FaultKind::NullUnlock => "`null` is unlocked",
            FaultKind::ForeignUnlock => "a cell is unlocked by a thread that has not locked it",
            FaultKind::Assertion => "an assertion does not hold",
            FaultKind::EmptySet => "the minimum or maximum of the empty set is asked for",
        })
    }
}
