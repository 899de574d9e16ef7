//! Concrete runs of a protocol whose sets have given sizes.

use serde::{Deserialize, Serialize};

/// A run that shows what is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// How many members each set has, in the order of the file.
    pub sizes: Vec<u32>,
    /// What happens, from the start.
    pub steps: Vec<RunStep>,
    /// What it shows, at its end.
    pub shows: Shows,
}

/// What a run shows at its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shows {
    /// Nobody can take a step, and this process, which is not a server, has neither ended nor
    /// failed.
    Deadlock(Actor),
    /// The last step was an assertion that does not hold, a `fail`, or a message with an unexpected
    /// constructor.
    Failure(Actor),
    /// Nobody can take a step, and this message was never received.
    #[serde(alias = "superfluous")]
    Orphan { from: Actor, to: Actor, message: u32 },
}

/// A process that runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Actor {
    /// The `proc`, by its number in the file.
    pub process: u32,
    /// Which member of its set, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<u32>,
}

/// One step: one process executes its first statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunStep {
    pub who: Actor,
    /// What was chosen, if the statement leaves a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
}

/// What was chosen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Of `if ?`.
    Branch(bool),
    /// Of `any`.
    Value(Value),
    /// Of `pick`, and of `for` over processes that has members left: which one.
    Member(u32),
    /// Of a receive from a set or from anyone: whose message.
    From(Actor),
}

/// A value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    Int(i64),
    /// True or false.
    Bool(bool),
    /// A value of an enumeration.
    Enum(u32),
    Pid(Actor),
    Message(u32, Vec<Value>),
}

impl Value {
    /// How many parts it has.
    pub fn size(&self) -> usize {
        match self {
            Value::Message(_, fields) => 1 + fields.iter().map(Value::size).sum::<usize>(),
            _ => 1,
        }
    }
}
