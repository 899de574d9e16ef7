//! Runs in terms of the protocol: who does what at which statement, as the interpreter saw it.

use crate::run::{Actor, Shows, Value};
use ser_syntax::icet::ast::{MessageId, StmtId, VarId};

/// What happens in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// In order, one for each step.
    pub events: Vec<Event>,
    /// Where everybody stands at the end, in the order of the file.
    pub ends: Vec<Standing>,
    /// Messages that nobody has received, oldest first for each pair and type.
    pub in_flight: Vec<Message>,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    pub who: Actor,
    pub statement: StmtId,
    pub what: What,
}

impl Event {
    /// The statement, if the process fails there.
    pub fn failure(&self) -> Option<StmtId> {
        matches!(self.what, What::Fails | What::Refuses(_)).then_some(self.statement)
    }
}

/// What happens in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    Sends(Message),
    Receives(Message),
    /// A variable gets a value.
    Sets(VarId, Value),
    /// A `for` takes its next member, or a `pick` chooses one.
    Takes(VarId, Value),
    /// A decision of an `if` or a `while`, with its outcome.
    Decides(bool),
    /// Nothing that is worth telling.
    Passes,
    Fails,
    /// A message is received that has another constructor than expected.
    Refuses(Message),
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    pub from: Actor,
    pub to: Actor,
    pub message: MessageId,
    pub value: Value,
}

/// Where a process stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    pub who: Actor,
    /// Its next statement; nothing if it has ended or failed.
    pub statement: Option<StmtId>,
    pub failed: bool,
    /// The values of its variables.
    pub values: Vec<Option<Value>>,
    /// Whom it waits for, if it does and says so.
    pub waits_for: Option<Actor>,
}

impl Witness {
    /// The statement that a person should look at first: where somebody waits forever, where
    /// somebody fails, or where the message that nobody receives was sent.
    pub fn place(&self, shows: &Shows) -> Option<StmtId> {
        match shows {
            Shows::Deadlock(actor) => {
                self.ends.iter().find(|it| it.who == *actor).and_then(|it| it.statement)
            }
            Shows::Failure(_) => self.events.last().map(|it| it.statement),
            Shows::Orphan { from, to, message } => {
                let sent = self.events.iter().rev().find(|it| match &it.what {
                    What::Sends(it) => (it.from, it.to, it.message.0) == (*from, *to, *message),
                    _ => false,
                });
                sent.map(|it| it.statement)
            }
        }
    }
}
