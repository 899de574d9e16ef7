//! Dangerous structures: which serializable transactions have read what others wrote later.
//!
//! `a -> b` (a read-write dependency) says that `a` read something that `b`, which ran at the same
//! time, wrote in a version that `a` did not see. Where serializable transactions do not come out
//! as in any serial order, there is `a -> b -> c` where `c` was the first of the three to commit
//! (Fekete and others 2005; Cahill, Roehm, Fekete 2008; for transactions that only read: Ports,
//! Grittner 2012). So the server fails a transaction wherever there would be such a structure: `b`,
//! if it has not committed, and otherwise the one whose statement shows it.
//!
//! What is read is remembered for whole tables, as the server does when it reads a table from its
//! start to its end. With an index it may remember less, and fail fewer transactions.

use super::failure::{Concurrent, Failure};
use super::rows::SessionId;
use super::tables::Access;
use crate::ast::{Expr, ExprKind, InsertRows, Query, SqlKind, TableId};

/// What serializable transactions did so far.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    all: Vec<Serializable>,
    /// Counts preparations and commits.
    sequence: u32,
}

#[derive(Clone, Debug)]
struct Serializable {
    id: SessionId,
    /// All transactions that have a number at least this high may have run at the same time.
    oldest: u32,
    /// The sequence number when the snapshot was taken.
    began: u32,
    read: Vec<TableId>,
    written: Vec<TableId>,
    out: Vec<SessionId>,
    into: Vec<SessionId>,
    ended: Option<Ended>,
    read_only: bool,
    doomed: bool,
}

/// When a transaction committed.
#[derive(Clone, Copy, Debug)]
struct Ended {
    prepared: u32,
    committed: u32,
    /// All transactions that had a number by then have one below this.
    before: u32,
    /// When the first one that it depends on committed, if that was before.
    out: Option<u32>,
}

/// What a statement did, for [`Dependencies::touch`].
#[derive(Clone, Copy, Debug)]
pub struct Touch<'t> {
    pub id: SessionId,
    /// The lowest number of a transaction that ran when the snapshot was taken.
    pub oldest: u32,
    pub tables: &'t [TableId],
    pub access: Access,
}

const FAILURE: Failure = Failure::Serialization(Concurrent::Dependencies);

impl Dependencies {
    fn at(&self, id: SessionId) -> Option<usize> {
        self.all.iter().position(|it| it.id == id)
    }

    /// A statement is about to start: has somebody decided that this transaction has to fail?
    pub fn start(&mut self, id: SessionId, oldest: u32) -> Result<(), Failure> {
        let me = match self.at(id) {
            Some(me) => me,
            None => {
                self.all.push(Serializable {
                    id,
                    oldest,
                    began: self.sequence,
                    read: Vec::new(),
                    written: Vec::new(),
                    out: Vec::new(),
                    into: Vec::new(),
                    ended: None,
                    read_only: false,
                    doomed: false,
                });
                self.all.len() - 1
            }
        };
        if self.all[me].doomed { Err(FAILURE) } else { Ok(()) }
    }

    /// A statement has read or written these tables.
    pub fn touch(&mut self, touch: Touch<'_>) -> Result<(), Failure> {
        self.start(touch.id, touch.oldest)?;
        let Some(me) = self.at(touch.id) else { return Ok(()) };
        if touch.access == Access::Write {
            return self.write(me, touch.tables);
        }
        self.all[me].read.extend(touch.tables);
        for other in 0..self.all.len() {
            let it = &self.all[other];
            let wrote = touch.tables.iter().any(|table| it.written.contains(table));
            // What was committed before the snapshot was seen.
            let latest = touch.access == Access::ReadLatest;
            let unseen = it.ended.is_none_or(|it| !latest && it.committed > self.all[me].began);
            if other != me && wrote && unseen && !it.doomed && !self.harmless(me, other) {
                self.depend(me, other, me)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, me: usize, tables: &[TableId]) -> Result<(), Failure> {
        self.all[me].written.extend(tables);
        for other in 0..self.all.len() {
            let it = &self.all[other];
            let read = tables.iter().any(|table| it.read.contains(table));
            let concurrent = it.ended.is_none_or(|it| self.all[me].oldest < it.before);
            if other != me && read && concurrent && !it.doomed {
                self.depend(other, me, me)?;
            }
        }
        Ok(())
    }

    /// Of a transaction that only reads, and a writer that has committed.
    fn harmless(&self, reader: usize, writer: usize) -> bool {
        let Some(ended) = self.all[writer].ended else { return false };
        let reader = &self.all[reader];
        reader.read_only && ended.out.is_none_or(|it| reader.began < it)
    }

    /// `reader -> writer`, found by a statement of `me`, which is one of them.
    fn depend(&mut self, reader: usize, writer: usize, me: usize) -> Result<(), Failure> {
        let (from, to) = (self.all[reader].id, self.all[writer].id);
        if self.all[reader].out.contains(&to) {
            return Ok(());
        }
        if self.is_dangerous(reader, writer) {
            if me == writer || self.all[writer].ended.is_some() {
                return Err(FAILURE);
            }
            self.all[writer].doomed = true;
        }
        self.all[reader].out.push(to);
        self.all[writer].into.push(from);
        Ok(())
    }

    fn is_dangerous(&self, reader: usize, writer: usize) -> bool {
        let (r, w) = (&self.all[reader], &self.all[writer]);
        // The writer has committed, and depends on one that did so before it.
        if w.ended.is_some_and(|it| it.out.is_some()) {
            return true;
        }
        // The writer is in the middle, and the end has committed first.
        let end = w.out.iter().filter_map(|it| self.all[self.at(*it)?].ended).any(|end| {
            r.ended.is_none_or(|it| end.prepared <= it.committed)
                && w.ended.is_none_or(|it| end.prepared <= it.committed)
                && (!r.read_only || end.prepared <= r.began)
        });
        // The reader is in the middle, and the writer has committed first.
        let middle = |end: Ended| {
            !r.read_only
                && r.into.iter().filter_map(|it| Some(&self.all[self.at(*it)?])).any(|first| {
                    !first.doomed
                        && first.ended.is_none_or(|it| it.committed >= end.prepared)
                        && (!first.read_only || first.began >= end.prepared)
                })
        };
        end || w.ended.is_some_and(middle)
    }

    /// A transaction is about to commit; `next` is the number of the next one that writes.
    pub fn commit(&mut self, id: SessionId, next: u32) -> Result<(), Failure> {
        let Some(me) = self.at(id) else { return Ok(()) };
        if self.all[me].doomed {
            return Err(FAILURE);
        }
        // Those in the middle of a structure of which this one would be the first to commit.
        for near in self.all[me].into.clone() {
            let Some(near) = self.at(near) else { continue };
            let open = |it: &Serializable| it.ended.is_none() && !it.doomed;
            if !open(&self.all[near]) {
                continue;
            }
            let far = self.all[near].into.iter().filter_map(|it| self.at(*it));
            let dangerous = far
                .into_iter()
                .any(|far| far == me || (open(&self.all[far]) && !self.all[far].read_only));
            if dangerous {
                self.all[near].doomed = true;
            }
        }
        let prepared = self.sequence + 1;
        self.sequence += 2;
        let read_only = self.all[me].written.is_empty();
        let ends = self.all[me].out.iter().filter_map(|it| self.all[self.at(*it)?].ended);
        let out = if read_only { None } else { ends.map(|it| it.prepared).min() };
        let committed = self.sequence;
        self.all[me].read_only = read_only;
        self.all[me].ended = Some(Ended { prepared, committed, before: next, out });
        let gone = |it: &Dependencies, other: &SessionId, into: bool| {
            let Some(other) = it.at(*other) else { return true };
            let other = &it.all[other];
            other.ended.is_some() || (into && other.read_only)
        };
        for (other, into) in self.all[me]
            .out
            .iter()
            .map(|it| (*it, false))
            .chain(self.all[me].into.iter().map(|it| (*it, true)))
            .collect::<Vec<_>>()
        {
            if gone(self, &other, into) {
                self.separate(id, other, into);
            }
        }
        Ok(())
    }

    fn separate(&mut self, me: SessionId, other: SessionId, into: bool) {
        for it in &mut self.all {
            let is = (it.id == me, it.id == other);
            if is.0 {
                let list = if into { &mut it.into } else { &mut it.out };
                list.retain(|known| *known != other);
            } else if is.1 {
                let list = if into { &mut it.out } else { &mut it.into };
                list.retain(|known| *known != me);
            }
        }
    }

    pub fn abort(&mut self, id: SessionId) {
        self.all.retain(|it| it.id != id);
        for it in &mut self.all {
            it.out.retain(|other| *other != id);
            it.into.retain(|other| *other != id);
        }
    }
}

/// The tables that a statement reads, besides those that foreign keys lead to.
pub fn tables_of(kind: &SqlKind) -> Vec<TableId> {
    let mut read = Vec::new();
    let expr = |it: &Expr, read: &mut Vec<TableId>| read.extend(tables_of_expr(it));
    match kind {
        SqlKind::Select(query) => query_tables(query, &mut read),
        SqlKind::Insert(insert) => match &insert.rows {
            InsertRows::Query(query) => query_tables(query, &mut read),
            InsertRows::Values(rows) => {
                rows.iter().flatten().flatten().for_each(|it| expr(it, &mut read));
            }
        },
        SqlKind::Update(update) => {
            read.extend(update.sources.iter().map(|it| it.table));
            update.filter.iter().for_each(|it| expr(it, &mut read));
            update.sets.iter().for_each(|(_, it)| expr(it, &mut read));
        }
        SqlKind::Delete(delete) => {
            read.extend(delete.sources.iter().map(|it| it.table));
            delete.filter.iter().for_each(|it| expr(it, &mut read));
        }
    }
    read
}

fn query_tables(query: &Query, read: &mut Vec<TableId>) {
    read.extend(query.sources.iter().map(|it| it.table));
    let items = query.items.iter().map(|it| &it.expr);
    let conditions = query.filter.iter().chain(&query.having);
    for expr in items.chain(conditions) {
        read.extend(tables_of_expr(expr));
    }
}

/// The tables that the queries in an expression read.
fn tables_of_expr(expr: &Expr) -> Vec<TableId> {
    let mut read = Vec::new();
    expr.walk(&mut |it| match &it.kind {
        ExprKind::InQuery(_, query) | ExprKind::Exists(query) | ExprKind::Scalar(query) => {
            query_tables(query, &mut read);
        }
        _ => {}
    });
    read
}
