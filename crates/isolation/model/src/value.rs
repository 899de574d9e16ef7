//! Values of SQL, and what can be computed with them.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// The types that are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `smallint`, `integer`, `bigint`, `serial` and so on.
    Int,
    /// `numeric`, `decimal`: exact, with digits behind the point.
    Decimal,
    /// `text`, `varchar`, `char`, `uuid`, `json`, and everything else that is only stored and compared.
    Text,
    Bool,
    /// `timestamp`, `date`, `time`: stored and compared. `now()` is one of them.
    Time,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Int => "bigint",
            Type::Decimal => "numeric",
            Type::Text => "text",
            Type::Bool => "boolean",
            Type::Time => "timestamptz",
        })
    }
}

/// A value. The order is that of the server within a type; `NULL` comes last.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Decimal(Decimal),
    Text(Arc<str>),
}

/// `digits / 10^scale`, exactly.
#[derive(Clone, Copy, Hash, Debug)]
pub struct Decimal {
    pub digits: i128,
    pub scale: u32,
}
