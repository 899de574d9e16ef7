//! Values as a person thinks of them, and how they are written.

use std::fmt;
use std::rc::Rc;

/// A value of any type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A number.
    Number(i64),
    /// `false` or `true`.
    Bool(bool),
    /// A member of an enumeration: which one, counted from 0, of which enumeration.
    Member { enumeration: usize, at: usize, name: Rc<str> },
    /// A record with its fields, in the order of its declaration.
    Record(Rc<str>, Vec<(Rc<str>, Value)>),
    /// `(a, b)`.
    Tuple(Vec<Value>),
    /// Elements with what they are counted by.
    Array(Vec<(Value, Value)>),
}

impl Value {
    /// Whether it counts as true where a condition stands.
    pub(super) fn is_true(&self) -> bool {
        !matches!(self, Value::Number(0) | Value::Bool(false))
    }

    /// `==`, part by part.
    pub(super) fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.1.is_same(&b.1))
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
            }
            (Value::Record(_, a), Value::Record(_, b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.1.is_same(&b.1))
            }
            _ => self == other,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: Vec<String>, ends: [&str; 2]| {
            write!(f, "{}{}{}", ends[0], parts.join(", "), ends[1])
        };
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Member { name, .. } => f.write_str(name),
            Value::Record(name, fields) => {
                let fields = fields.iter().map(|(name, value)| format!("{name}: {value}"));
                f.write_str(name)?;
                list(f, fields.collect(), ["(", ")"])
            }
            Value::Tuple(parts) => {
                list(f, parts.iter().map(Value::to_string).collect(), ["(", ")"])
            }
            Value::Array(parts) => {
                list(f, parts.iter().map(|(_, part)| part.to_string()).collect(), ["[", "]"])
            }
        }
    }
}
