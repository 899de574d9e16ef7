//! What is known about a value.

use ser_sequentialization_checker::Symbol;
use ser_syntax::icet::ast::{ConstructorId, ProcessId};

/// A value, as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A number.
    Int(i64),
    /// True or false.
    Bool(bool),
    /// A value of an enumeration.
    Enum(u32),
    /// The address of a single process.
    Process(ProcessId),
    /// The address of a member of a set of processes.
    Member(Symbol),
    /// In the variables of a set: the address of the member itself.
    Itself,
    /// A message.
    Message(ConstructorId, Vec<Value>),
    /// A message that is one of several; equal numbers are equal messages.
    Choice(u32, Vec<(ConstructorId, Vec<Value>)>),
    /// Anything; equal numbers are equal values.
    Unknown(u32),
    /// In the variables of a set: anything, another value for every member.
    Top,
}

/// At most so many messages are told apart in a [`Value::Choice`].
pub const MAX_CASES: usize = 16;

impl Value {
    /// Replaces every value inside that `change` has something else for, from the outside in.
    pub fn map(&self, change: &mut dyn FnMut(&Value) -> Option<Value>) -> Value {
        if let Some(other) = change(self) {
            return other;
        }
        match self {
            Value::Message(constructor, fields) => {
                Value::Message(*constructor, fields.iter().map(|field| field.map(change)).collect())
            }
            Value::Choice(number, cases) => {
                let mut case = |(constructor, fields): &(ConstructorId, Vec<Value>)| {
                    (*constructor, fields.iter().map(|field| field.map(change)).collect())
                };
                Value::Choice(*number, cases.iter().map(&mut case).collect())
            }
            other => other.clone(),
        }
    }
}
