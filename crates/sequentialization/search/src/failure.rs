//! Why a protocol could not be sequentialized.

use ser_sequentialization_checker::Slot;
use ser_syntax::icet::ast::{MessageId, ProcessId, SetId, StmtId};

/// Where and why a derivation does not go on.
#[derive(Clone, PartialEq, Debug)]
pub struct Stuck {
    pub why: Why,
    /// Whose statement it is about.
    pub owner: Option<ProcessId>,
    pub statement: Option<StmtId>,
}

/// Why a derivation does not go on.
#[derive(Clone, PartialEq, Debug)]
pub enum Why {
    /// A receive waits for a sender that has ended or never sends.
    Blocked {
        /// What it waits for.
        message: MessageId,
    },
    /// Processes wait for each other: who, and at which statement.
    Cycle(Vec<(ProcessId, StmtId)>),
    /// One iteration needs a second member of a set.
    SecondMember { set: SetId },
    /// A message of any member could be received where only one member is talked to.
    OutOfTurn { set: SetId },
    /// A message is left that nobody receives.
    Orphan { send: StmtId, message: MessageId, from: ProcessId, to: ProcessId },
    /// A process is not back where it was at the end of an iteration.
    NotBack { process: ProcessId },
    /// The cases of a decision end differently.
    Apart,
    /// A loop whose end depends on what is not known.
    Stateful,
    /// A loop that is never left: an iteration leads back to where it began.
    Endless,
    /// A set may have no members.
    MayBeEmpty { set: SetId },
    /// It is not known to whom a message goes, or from whom one is awaited.
    Address,
    /// A message may have another constructor.
    Mismatch,
    /// The member changes nothing that could be taken off.
    NoProgress,
    /// There is nothing that the search knows to do.
    NoRule,
    /// The kernel does not accept what the search found.
    Rejected,
    /// Steps ran out.
    Budget,
    /// Not a failure: the slot has to decide something that is not known.
    Undecided(Slot),
    /// Not a failure: the slot has ended.
    Ended,
}

impl Stuck {
    /// Without a place.
    pub fn new(why: Why) -> Stuck {
        Stuck { why, owner: None, statement: None }
    }

    /// At a statement of a process.
    pub fn at(why: Why, owner: ProcessId, statement: StmtId) -> Stuck {
        Stuck { why, owner: Some(owner), statement: Some(statement) }
    }
}
