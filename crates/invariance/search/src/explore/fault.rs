//! Why a step does not come to its end.

use ser_base::Span;
use std::fmt;

/// Something that a step must not do, with its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fault {
    /// What.
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

/// Why something was not evaluated, or not executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// Something must hold first: the thread waits.
    Waits,
    /// It must not be done.
    Fault(Fault),
    /// A number does not fit into a word.
    Overflow,
    /// A new cell is needed, and there is none left.
    NoCell,
    /// A thread is spoken of that is not there.
    NoThread,
    /// A word is needed that is not known yet.
    Unknown(usize),
    /// There is no such path, or the values that are given are not those that it needs.
    NoPath,
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Fault(fault)
    }
}
