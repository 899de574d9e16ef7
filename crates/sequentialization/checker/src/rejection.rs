//! Why a derivation, a run or a certificate is not accepted.

use crate::derivation::{Cell, Slot};
use std::fmt;
use thiserror::Error;

/// A part of the way from a derivation to one of its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The step with this number, from 0, of a derivation, of a loop or of an arm.
    Step(usize),
    /// The arm with this number, from 0, of a fork.
    Arm(usize),
}

/// The way to a step of a derivation: `step 3 > arm 1 > step 0`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path(pub Vec<Part>);

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, part) in self.0.iter().enumerate() {
            if place > 0 {
                write!(f, " > ")?;
            }
            match part {
                Part::Step(number) => write!(f, "step {number}")?,
                Part::Arm(number) => write!(f, "arm {number}")?,
            }
        }
        if self.0.is_empty() { write!(f, "at the end") } else { Ok(()) }
    }
}

/// A derivation, run or certificate that is not accepted: where, who, and why not.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct Rejection {
    pub path: Path,
    /// Who was to take it.
    pub slot: Option<Slot>,
    /// Its name in words.
    pub who: Option<String>,
    /// What is not allowed.
    pub reason: Box<Reason>,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(who) = &self.who {
            write!(f, ", {who}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl From<Reason> for Rejection {
    fn from(reason: Reason) -> Rejection {
        Rejection { path: Path::default(), slot: None, who: None, reason: Box::new(reason) }
    }
}

impl Rejection {
    /// The same, one level further out. Paths are collected from the inside.
    pub(crate) fn within(mut self, part: Part, slot: Option<Slot>) -> Rejection {
        self.path.0.insert(0, part);
        self.slot = self.slot.or(slot);
        self
    }
}

/// What is not allowed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Reason {
    #[error(
        "the receive at statement {receive} races: it can get messages of the sends {first} and \
         {second}"
    )]
    Race { receive: u32, first: u32, second: u32 },
    #[error("the derivation is too long to be replayed")]
    Budget,
    #[error(transparent)]
    Stopped(ser_base::Stop),
    #[error("the derivation is nested too deeply")]
    Depth,
    #[error("a value has more than {limit} parts")]
    LargeValue { limit: usize },
    #[error("there is no such process or unfolded member")]
    NoSlot,
    #[error("there is no such set of processes")]
    NoSet,
    #[error("there is no such variable in `havoc`")]
    NoVariable,
    #[error("the name {symbol} is not new")]
    UsedSymbol { symbol: u32 },
    #[error("the bag {bag} is not new")]
    UsedBag { bag: u32 },
    #[error("nothing is left to do")]
    NothingLeft,
    #[error("the step does not fit its first statement, {found}")]
    WrongStatement { found: String },
    #[error("which case its `{found}` takes is not decided")]
    Undecided { found: String },
    #[error("the receiver is not known, or is neither a single process nor an unfolded member")]
    UnknownReceiver,
    #[error("the sender is not known, or is neither a single process nor an unfolded member")]
    UnknownSender,
    #[error("it sends a message to itself")]
    SelfSend,
    #[error("messages that were in flight before the loop must stay untouched in it")]
    Frozen,
    #[error("messages of this kind are in a bag, and can only be drawn from it")]
    BagInTheWay,
    #[error("no message is there for its receive")]
    NoMessage,
    #[error("the message may have another constructor than the receive expects")]
    Constructor,
    #[error("the receive reads from members of a set: it must say whose message it takes")]
    ReceivesFromSet,
    #[error("the receive does not read from that set")]
    OtherSet,
    #[error(
        "somebody else's message may come first: the member was not chosen as its sender, and its \
         message is not a reply"
    )]
    NotTheSender,
    #[error(
        "the message is a reply, but another message of its type is in flight to the same receiver"
    )]
    SecondReply,
    #[error("the set may be empty")]
    MayBeEmpty,
    #[error("a member of this set is unfolded already")]
    AlreadyUnfolded,
    #[error("members of this set may be at different places in their code")]
    NotWhole,
    #[error("the name is not that of a member of this set")]
    NotAMember,
    #[error("it does not wait for a message from this set")]
    NoReceive,
    #[error("a message for this receive is in flight already")]
    MessageInFlight,
    #[error("the member was not unfolded here")]
    NotUnfoldedHere,
    #[error("the member that moves on in this loop is not folded")]
    MovesOn,
    #[error("the code of the member is not that of its set")]
    OtherCode,
    #[error("messages from or to the member are in flight")]
    MemberMessages,
    #[error("the member was unfolded as the sender of a message that nobody has received")]
    PivotMissing,
    #[error("there are {given} arms for {wanted} cases")]
    Arms { given: usize, wanted: usize },
    #[error("the arms end with different code left for {who}")]
    ArmsCode { who: String },
    #[error("the arms end with different members unfolded")]
    ArmsMembers,
    #[error("the arms end with different messages in flight")]
    ArmsMessages,
    #[error("the loops are not over one and the same set")]
    LoopSets,
    #[error("the loop names its slots or symbols wrongly")]
    LoopShape,
    #[error("the set of indices has no members that move on")]
    AdvanceOfIndices,
    #[error("the iteration does not end for {who}")]
    Iteration { who: String },
    #[error("the code of {who} is not what it was before")]
    CodeChanged { who: String },
    #[error("messages in flight are not what they were before")]
    MessagesChanged,
    #[error("members are unfolded that were not before, or no longer are")]
    MembersChanged,
    #[error("the member that moves on is not unfolded")]
    NobodyMovesOn,
    #[error("the member that moves on has no less to do than before")]
    NoProgress,
    #[error("the member that moves on may send the message by which it was chosen once more")]
    PivotAgain { tag: u32 },
    #[error("the variable {variable} of {who} may change, but is not in `havoc`")]
    Havoc { who: String, variable: String, all: Vec<(Cell, u32)> },
    #[error(
        "no bag fits: it must be drawn from once, in a loop over the set that says how many \
         messages it has"
    )]
    NoBag,
    #[error("not every iteration draws exactly one message from each of its bags")]
    Drawn,
    #[error("somebody may still send messages like those in the bag")]
    TagLeft,
    #[error("messages can be left in bags only by loops that are in no other loop")]
    LeavesInside,
    #[error("what is left in a bag is not exactly one message of this kind")]
    LeavesCount,
    #[error("messages like those that are left in a bag are received in the same loop")]
    LeavesReceived,
    #[error("messages are in flight at the end")]
    EndMessages,
    #[error("a member is unfolded at the end")]
    EndMember,
    #[error("{who} has not ended")]
    EndCode { who: String },
    #[error("there are only servers: nothing was checked")]
    OnlyServers,
    #[error("the messages of the send {tag} are taken as replies, but not all of them are")]
    ToldAndReply { tag: u32 },
    #[error("messages are taken as replies, but the server {who} sends without being asked")]
    ActiveServer { who: String },
    #[error("the protocol has errors: {what}")]
    Source { what: String },
    #[error("statement {statement} is claimed to hold, but this is not shown")]
    Unproved { statement: u32 },
    #[error("statement {statement} is not an assertion")]
    NoAssertion { statement: u32 },
    #[error("the run gives {given} sizes for {wanted} sets")]
    Sizes { given: usize, wanted: usize },
    #[error("the set {set} has at least {least} members, not {given}")]
    Size { set: String, least: u32, given: u32 },
    #[error("the sizes are too large to be run")]
    LargeSizes,
    #[error("there is no such process")]
    NoActor,
    #[error("it has ended or failed")]
    Ended,
    #[error("a choice is given where there is none, or of the wrong kind, or missing")]
    Choice,
    #[error("it uses a variable that has no value yet, or a value of the wrong type")]
    NoValue,
    #[error("a number becomes too large")]
    Overflow,
    #[error("the run does not show what it claims: {what}")]
    Shows { what: String },
}
