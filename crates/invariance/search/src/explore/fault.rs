//! Why a step does not come to its end.

use ser_invariance_checker::run::Fault;

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
