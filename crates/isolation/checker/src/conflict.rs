//! When an operation depends on another one.
//!
//! `before` and `after` belong to different transactions, and what `after` finds, or what is left
//! in the end, would be different if `before` came later. The dependencies here are *direct*: they
//! are between operations on one object (see `operations` in the model), or between the lack of an
//! object and its coming and going. Others follow: who missed an object that somebody inserted, and
//! a third one updated, comes before the first, and the first before the third. So there is a cycle
//! of dependencies if and only if there is a cycle of direct ones.

use ser_isolation_model::ast::ColumnId;
use ser_isolation_model::operations::{Facts, Kind, Operation, Term};

/// That `after` may depend on `before`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// `before` reads what `after` overwrites. If not, `after` finds or overwrites what is there
    /// when the transaction of `before` has committed.
    pub overwritten: bool,
    /// `before` has a lock for which `after` waits.
    pub waits: bool,
    /// The columns on which the rows of both have to agree.
    pub columns: Vec<ColumnId>,
}

/// Whether `after` may depend on `before`, and what that means.
pub fn conflict(facts: &Facts, before: &Operation, after: &Operation) -> Option<Conflict> {
    if before.table != after.table {
        return None;
    }
    let meet = |one: &[ColumnId], other: &[ColumnId]| one.iter().any(|it| other.contains(it));
    let mut columns: Vec<ColumnId> = before
        .row
        .iter()
        .map(|(column, _)| *column)
        .filter(|it| after.row.iter().any(|(column, _)| column == it))
        .collect();
    let overwritten = match (&before.kind, &after.kind) {
        (Kind::Read { columns, .. }, Kind::Update { writes, .. }) => {
            if !meet(columns, writes) {
                return None;
            }
            true
        }
        (Kind::Read { .. }, Kind::Delete) | (Kind::Gap, Kind::Insert) => true,
        (Kind::Update { writes, .. }, Kind::Read { columns, .. }) => {
            if !meet(writes, columns) {
                return None;
            }
            false
        }
        (
            Kind::Update { reads, writes, .. },
            Kind::Update { reads: read_after, writes: written_after, .. },
        ) => {
            let meets = meet(writes, written_after)
                || meet(writes, read_after)
                || meet(reads, written_after);
            if !meets {
                return None;
            }
            false
        }
        (Kind::Update { .. } | Kind::Insert, Kind::Delete)
        | (Kind::Insert, Kind::Read { .. } | Kind::Update { .. })
        | (Kind::Delete, Kind::Gap) => false,
        // A key is free again. It is not the same object, so only the key has to agree.
        (Kind::Delete, Kind::Insert) => {
            match (facts.keys.as_slice(), facts.moving_keys) {
                ([], false) => return None,
                ([key], false) => columns.retain(|it| key.contains(it)),
                _ => columns.clear(),
            }
            false
        }
        _ => return None,
    };
    if overwritten && before.shielded {
        return None;
    }
    let differ = |column: &ColumnId| {
        let term = |it: &Operation| {
            it.row.iter().find(|(other, _)| other == column).map(|(_, term)| term.clone())
        };
        match (term(before), term(after)) {
            (Some(Term::Value(one)), Some(Term::Value(other))) => one != other,
            _ => false,
        }
    };
    if columns.iter().any(differ) {
        return None;
    }
    let locks = before.kind.lock().zip(after.kind.lock());
    let waits = locks.is_some_and(|(one, other)| one.conflicts(other));
    Some(Conflict { overwritten, waits, columns })
}
