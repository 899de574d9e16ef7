//! Derivations: which rule was applied to whom, in which order.
//!
//! A derivation says nothing about states; whoever replays it computes them. What each step means
//! and when it is allowed is written in the [crate's documentation](crate).

use ser_syntax::icet::ast::SetId;
use serde::{Deserialize, Serialize};

/// A name for one member of a set of processes, or for one index: chosen by whoever wrote the
/// derivation, new wherever the rules say so.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Symbol(pub u32);

/// A bag of messages that are in flight, as many as the set that it belongs to has members.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bag(pub u32);

/// Who takes a step: a single process, or one member of a set that was unfolded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// A single process, by its number in the file.
    Process(u32),
    Member(Symbol),
}

/// Whose variables: those of a slot, or of all members of a set that are not unfolded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    /// Of a single process.
    Process(u32),
    /// Of an unfolded member.
    Member(Symbol),
    /// Of all members of a set of processes.
    Set(u32),
}

impl Cell {
    /// The slot, or the set whose other members these are.
    pub(crate) fn slot(self) -> Result<Slot, SetId> {
        match self {
            Cell::Process(process) => Ok(Slot::Process(process)),
            Cell::Member(symbol) => Ok(Slot::Member(symbol)),
            Cell::Set(set) => Err(SetId(set)),
        }
    }
}

/// A step of a derivation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The slot executes its first statement, whose effect is decided.
    Run(Slot),
    /// The slot executes its first statement, a receive from a set: the message comes from `from`,
    /// an unfolded member.
    Take {
        slot: Slot,
        /// Whose message it is.
        from: Symbol,
    },
    /// The slot executes its first statement, a receive: the message is any of a bag.
    Draw { slot: Slot, bag: Bag },
    /// The slot's first statement, `pick`, names the member that it chooses.
    Pick {
        slot: Slot,
        /// The name for what was chosen; new.
        symbol: Symbol,
    },
    /// The slot's first statement, an `if`, `while` or `match`, is not decided: all cases are
    /// derived, and end alike.
    Fork {
        slot: Slot,
        /// The cases: of `if` and `while` first true, then false; of `match` one for each
        /// constructor that is possible, ascending.
        arms: Vec<Vec<Step>>,
    },
    /// One member of a set gets a slot of its own.
    Unfold {
        set: u32,
        /// Which member.
        symbol: Symbol,
        /// The receiver whose next message it sends, if that is how `symbol` (then new) is chosen.
        sender_to: Option<Slot>,
    },
    /// The member of that name is again like all the others of its set.
    Fold(Symbol),
    /// `for` loops of one or more slots over one set, iteration by iteration together.
    Loop(Loop),
    /// Every member of a set does the same, one after the other.
    Each {
        set: u32,
        /// The member whose turn it is; new.
        symbol: Symbol,
        /// Variables that have no fixed value at the start of a turn.
        havoc: Vec<(Cell, u32)>,
        /// What happens in its turn.
        steps: Vec<Step>,
    },
}

/// [`Step::Loop`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Loop {
    /// Whose loops; all over the same set.
    pub slots: Vec<Slot>,
    /// The value of the loop variable of each; new. For indices all the same, otherwise all
    /// different.
    pub symbols: Vec<Symbol>,
    /// Which member of the set moves on in each iteration.
    pub advance: Advance,
    /// Variables that have no fixed value at the start of an iteration.
    pub havoc: Vec<(Cell, u32)>,
    /// Bags of which every iteration draws one message.
    pub draws: Vec<Bag>,
    /// Messages that every iteration leaves behind, one in each of these bags; new.
    pub leaves: Vec<Leave>,
    /// What happens in an iteration.
    pub steps: Vec<Step>,
}

/// Which member of the loop's set moves on in each iteration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advance {
    /// None.
    Nobody,
    /// The one that the loop variable of the first slot names.
    Named,
    /// The one whose message is received first.
    Sender(Symbol),
}

/// A message that every iteration of a loop leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Leave {
    pub bag: Bag,
    /// Who sent it: one of the slots of the loop, or an unfolded member that at the end of the
    /// iteration is like the others of its set but for this message.
    pub from: Slot,
    /// To which single process.
    pub to: u32,
    /// The type of the message.
    pub message: u32,
}
