//! Why a transaction fails.

use std::fmt;

/// An error of the server, which ends the transaction, with its SQLSTATE; or something that this
/// interpreter does not do, which ends the run without an answer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Failure {
    /// 40001.
    Serialization(Concurrent),
    /// 40P01.
    Deadlock,
    /// 55P03: `NOWAIT`.
    LockNotAvailable,
    /// 23505, with the name of the key.
    Unique(String),
    /// 23503, with the name of the constraint.
    ForeignKey(String),
    /// 23502, with the name of the column.
    NotNull(String),
    /// 23514, with the name of the constraint.
    Check(String),
    /// P0001: `RAISE EXCEPTION`.
    Raised(String),
    /// P0002: `INTO STRICT` without a row.
    NoRow,
    /// P0003: `INTO STRICT` with several rows.
    ManyRows,
    /// 21000: a query that stands for a value has several rows, or one command changes a row twice.
    Cardinality,
    /// 22012.
    DivisionByZero,
    /// 22003.
    OutOfRange,
    /// 22001: a text for `varchar(n)`.
    TooLong,
    /// 2F005: a function with a result comes to its end without `RETURN`.
    NoReturn,
    /// Not of the server: what this interpreter does not do, or will not do for so long.
    Beyond(String),
}

/// What concurrent transactions did that a snapshot cannot be reconciled with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Concurrent {
    Update,
    Delete,
    /// Reads and writes of several transactions form a dangerous structure.
    Dependencies,
}

impl Failure {
    /// The code that the server reports, if it is an error of the server.
    pub fn sqlstate(&self) -> Option<&'static str> {
        Some(match self {
            Failure::Serialization(_) => "40001",
            Failure::Deadlock => "40P01",
            Failure::LockNotAvailable => "55P03",
            Failure::Unique(_) => "23505",
            Failure::ForeignKey(_) => "23503",
            Failure::NotNull(_) => "23502",
            Failure::Check(_) => "23514",
            Failure::Raised(_) => "P0001",
            Failure::NoRow => "P0002",
            Failure::ManyRows => "P0003",
            Failure::Cardinality => "21000",
            Failure::DivisionByZero => "22012",
            Failure::OutOfRange => "22003",
            Failure::TooLong => "22001",
            Failure::NoReturn => "2F005",
            Failure::Beyond(_) => return None,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Serialization(Concurrent::Update) => {
                f.write_str("could not serialize access due to concurrent update")
            }
            Failure::Serialization(Concurrent::Delete) => {
                f.write_str("could not serialize access due to concurrent delete")
            }
            Failure::Serialization(Concurrent::Dependencies) => f.write_str(
                "could not serialize access due to read/write dependencies among transactions",
            ),
            Failure::Deadlock => f.write_str("deadlock detected"),
            Failure::LockNotAvailable => f.write_str("could not obtain lock on row"),
            Failure::Unique(key) => {
                write!(f, "duplicate key value violates unique constraint \"{key}\"")
            }
            Failure::ForeignKey(name) => write!(f, "violates foreign key constraint \"{name}\""),
            Failure::NotNull(name) => {
                write!(f, "null value in column \"{name}\" violates not-null constraint")
            }
            Failure::Check(name) => write!(f, "violates check constraint \"{name}\""),
            Failure::Raised(message) => f.write_str(message),
            Failure::NoRow => f.write_str("query returned no rows"),
            Failure::ManyRows => f.write_str("query returned more than one row"),
            Failure::Cardinality => {
                f.write_str("more than one row where there must be one at most")
            }
            Failure::DivisionByZero => f.write_str("division by zero"),
            Failure::OutOfRange => f.write_str("value out of range"),
            Failure::TooLong => f.write_str("value too long"),
            Failure::NoReturn => f.write_str("control reached end of function without RETURN"),
            Failure::Beyond(what) => f.write_str(what),
        }
    }
}
