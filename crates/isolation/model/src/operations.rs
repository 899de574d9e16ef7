//! What a transaction reads and writes, whatever the values: *templates*.
//!
//! A template is one path through a transaction: a sequence of [`Operation`]s on rows of tables. A
//! row is named by a [`Row`], equations between columns and [`Term`]s, so that two operations of
//! one transaction that use the same variable are known to be about the same row, and operations of
//! two transactions may be.
//!
//! Templates say at least as much as happens. What that means, because proofs rest on it:
//!
//! - **Objects.** A row that is inserted is an object until it is deleted. A [`Row`] only has
//!   equations on *stable* columns, which no transaction of the file updates, so that an object
//!   fulfils it for all its life or never. Conditions on other columns are reads of these columns.
//! - **Every access of a statement is one of its operations**: for each object that a statement
//!   looks at, changes or could miss, there is an operation whose row the object fulfils. What is
//!   only looked at on some way through a statement, a loop or a branch has operations all the
//!   same.
//! - **Phantoms.** Whoever looks for rows has a [`Kind::Gap`]: it depends on which objects there
//!   are *not*.
//! - **Certain** operations happen whenever the object is there, provided that the parts of the
//!   path that they belong to (`guards`: rounds of loops, and branches in them) are run.
//! - **Locked** reads and updates by key are atomic: what they read is what is there when they have
//!   their lock (PostgreSQL evaluates the condition again on the newest version), not what the
//!   statement's snapshot has. This is so only for objects that the statement has found by stable
//!   columns alone; what it missed it missed in the snapshot (hence the gap), and conditions on
//!   other columns that did not hold were read in the snapshot, too, without a lock.
//! - **Order.** The operations of a statement see the same snapshot and lock afterwards.
//!   Statements are in the order of `statement`.
//!
//! - **The first of several.** `SELECT min(c)`, and `ORDER BY c LIMIT 1`, depend on the row that
//!   they find and on which rows come up, but not on whether other rows go away.
//!
//! Rounds of a loop: any number of them conflict with others just as two do, an earlier and a later
//! one, because a cycle enters and leaves a transaction at two operations. So a loop is there
//! twice, and variables that it assigns are new terms in each round.

mod access;
mod paths;
mod tables;

use crate::ast::{ColumnId, Program, Strength, TableId, VariableId};
use crate::value::Value;
use ser_base::Span;

pub use tables::Facts;

/// All that transactions do, as far as proofs know.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Operations {
    /// For each table of the program.
    pub tables: Vec<Facts>,
    /// By transaction, without those that repeat another one of the same transaction.
    pub templates: Vec<Template>,
    /// What proofs say nothing about.
    pub outside: Vec<Outside>,
}

impl Operations {
    pub fn of(program: &Program) -> Operations {
        let tables = Facts::of(program);
        let mut found = Operations { tables, ..Operations::default() };
        for number in 0..program.transactions.len() {
            paths::templates(program, number, &mut found);
        }
        found
    }
}

/// A statement that conflicts do not explain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outside {
    pub transaction: usize,
    pub span: Span,
    /// For `... cannot be proved: {reason}`.
    pub reason: &'static str,
}

/// One path through a transaction that ends well.
#[derive(Clone, PartialEq, Debug)]
pub struct Template {
    /// Of [`Program::transactions`].
    pub transaction: usize,
    pub operations: Vec<Operation>,
    /// Where each [`Term::Free`] comes from.
    pub origins: Vec<Origin>,
}

/// Where the value of a term comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    pub variable: VariableId,
    /// The statement that assigned it; nothing for what a parameter is at the start.
    pub assigned: Option<Span>,
}

/// A value that a transaction compares keys with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// The value that a variable has at some time: equal to itself, perhaps equal to others.
    Free(u32),
    Value(Value),
}

/// Equations between stable columns and terms, by column.
pub type Row = Vec<(ColumnId, Term)>;

/// What is done with the objects that fulfil a row.
#[derive(Clone, PartialEq, Debug)]
pub struct Operation {
    /// The statement that does it.
    pub span: Span,
    /// The number of the statement on the path.
    pub statement: u32,
    pub table: TableId,
    pub row: Row,
    pub kind: Kind,
    /// It happens if the object is there (and the guards are run).
    pub certain: bool,
    /// Besides, the object was there: the path says so.
    pub found: bool,
    /// It sees what was committed up to now even if the transaction has an older snapshot.
    pub fresh: bool,
    /// It looks whether a key is free, or still in use, and holds what others would need to change
    /// that. Whoever changes it later depends on somebody in between, who took the key away or gave
    /// it back, so not directly on this operation.
    pub shielded: bool,
    /// The rounds and branches that it is in, outermost first. If it is about an object that is
    /// there, then all of them are run.
    pub guards: Vec<u32>,
}

/// Columns in here are those that somebody updates; others stay what they are while the object is
/// there.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// That the object is there, and what it has in the columns.
    Read {
        columns: Vec<ColumnId>,
        lock: Option<Strength>,
    },
    /// That no other object fulfils the row.
    Gap,
    /// One atomic read and write.
    Update {
        reads: Vec<ColumnId>,
        writes: Vec<ColumnId>,
        lock: Strength,
    },
    /// A new object; its keys were free.
    Insert,
    Delete,
}

impl Kind {
    /// How much of the object is locked until the transaction ends.
    pub fn lock(&self) -> Option<Strength> {
        match self {
            Kind::Read { lock, .. } => *lock,
            Kind::Gap => None,
            Kind::Update { lock, .. } => Some(*lock),
            Kind::Insert | Kind::Delete => Some(Strength::Update),
        }
    }

    pub fn is_write(&self) -> bool {
        matches!(self, Kind::Update { .. } | Kind::Insert | Kind::Delete)
    }
}

#[cfg(test)]
mod tests;
