//! Rows with their versions and locks.
//!
//! A row is there under its number from the moment it is inserted. It has the versions that
//! transactions have committed, in the order of their commits, and at most one transaction that
//! changes it at the moment: whoever changes a row holds a lock on it that no other one who changes
//! it can have.

use crate::ast::{Strength, TableId};
use crate::value::Value;
use std::sync::Arc;

/// A transaction that runs, or ran: a session of [`super::Engine`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SessionId(pub u32);

/// How many transactions have committed: a moment in a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamp(pub u32);

/// A row of a table, from its insertion on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RowId {
    pub table: TableId,
    pub number: u32,
}

pub type Values = Arc<[Value]>;

/// A row at some time; nothing if it is not there (any more).
#[derive(Clone, PartialEq, Debug)]
pub struct Version {
    pub values: Option<Values>,
    /// Where it stands in the table: the server looks at rows in this order.
    pub place: u32,
}

/// A version that is committed.
#[derive(Clone, PartialEq, Debug)]
pub struct Committed {
    pub version: Version,
    pub stamp: Stamp,
    pub by: Option<SessionId>,
    /// Whether it is not only other columns that changed: those of keys, or that there is a row.
    pub key_changed: bool,
}

/// What a transaction has made of a row and not yet committed.
#[derive(Clone, PartialEq, Debug)]
pub struct Pending {
    pub by: SessionId,
    /// After each command that changed it.
    pub after: Vec<(u32, Version)>,
    pub key_changed: bool,
    /// Its first change left keys alone.
    pub gently: bool,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Row {
    pub committed: Vec<Committed>,
    pub pending: Option<Pending>,
    pub locks: Vec<Lock>,
    /// A new version that is not in all indexes yet: in those before this one.
    pub entering: Option<usize>,
}

/// A lock on a row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lock {
    pub by: SessionId,
    pub strength: Strength,
    /// How many committed versions there were when it was taken.
    pub since: usize,
}

/// What a command sees: what was committed before a moment, and what its transaction did before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    pub snapshot: Stamp,
    pub session: SessionId,
    pub command: u32,
}

impl Row {
    /// The version that is seen, and how many committed ones there are up to it.
    pub fn seen(&self, view: View) -> Option<(usize, &Version)> {
        let upto = self.committed.partition_point(|it| it.stamp <= view.snapshot);
        let own = self.pending.as_ref().filter(|it| it.by == view.session).and_then(|it| {
            it.after.iter().rev().find(|(command, _)| *command < view.command).map(|(_, it)| it)
        });
        let version = own.or_else(|| Some(&self.committed[..upto].last()?.version))?;
        version.values.is_some().then_some((upto, version))
    }

    /// What is there now, to this transaction: its own last version, or the last committed one.
    pub fn latest(&self, session: SessionId) -> Option<&Version> {
        let own = self.pending.as_ref().filter(|it| it.by == session);
        match own {
            Some(own) => own.after.last().map(|(_, it)| it),
            None => self.committed.last().map(|it| &it.version),
        }
    }

    /// Whether a command of this transaction has changed it already.
    pub fn changed_by(&self, view: View) -> bool {
        let own = self.pending.as_ref().filter(|it| it.by == view.session);
        own.is_some_and(|it| it.after.last().is_some_and(|(at, _)| *at >= view.command))
    }

    /// Whether its last version is one that this transaction has made.
    pub fn is_of(&self, session: SessionId) -> bool {
        self.pending.as_ref().is_some_and(|it| it.by == session)
    }

    /// Who else holds a lock that is in the way, and has held it since there were so many versions.
    pub fn in_the_way(
        &self,
        session: SessionId,
        strength: Strength,
        upto: usize,
    ) -> Vec<SessionId> {
        let others = self.locks.iter().filter(|it| it.by != session && it.since <= upto);
        let mut all: Vec<SessionId> =
            others.filter(|it| it.strength.conflicts(strength)).map(|it| it.by).collect();
        all.sort();
        all.dedup();
        all
    }

    pub fn lock(&mut self, session: SessionId, strength: Strength) {
        let since = self.committed.len();
        match self.locks.iter_mut().find(|it| it.by == session) {
            Some(held) => held.strength = strength.max(held.strength),
            None => self.locks.push(Lock { by: session, strength, since }),
        }
    }

    /// Who has locked the whole row first is taken to change its key, whatever it changes.
    pub fn write(&mut self, view: View, version: Version, key_changed: bool) {
        let mut own = self.locks.iter().filter(|it| it.by == view.session);
        let key_changed = key_changed || own.any(|it| it.strength == Strength::Update);
        match &mut self.pending {
            Some(pending) if pending.by == view.session => {
                pending.after.push((view.command, version));
                pending.key_changed |= key_changed;
            }
            other => {
                let after = vec![(view.command, version)];
                let gently = !key_changed;
                *other = Some(Pending { by: view.session, after, key_changed, gently });
            }
        }
    }

    /// The transaction ends.
    pub fn end(&mut self, session: SessionId, committed: Option<Stamp>) {
        self.locks.retain(|it| it.by != session);
        if self.is_of(session) {
            self.entering = None;
        }
        if self.pending.as_ref().is_none_or(|it| it.by != session) {
            return;
        }
        let pending = self.pending.take();
        if let (Some(stamp), Some(mut pending)) = (committed, pending)
            && let Some((_, version)) = pending.after.pop()
        {
            let key_changed = pending.key_changed;
            self.committed.push(Committed { version, stamp, by: Some(session), key_changed });
        }
    }
}
