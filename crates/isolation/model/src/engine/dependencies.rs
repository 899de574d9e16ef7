//! Dangerous structures: which serializable transactions have read what others wrote later.
//!
//! `a -> b` (a read-write dependency) says that `a` read something that `b`, which ran at the same time,
//! wrote in a version that `a` did not see. A serializable transaction fails if there would be
//! `a -> b -> c` where `c` commits first (Cahill, Roehm, Fekete 2008; Ports, Grittner 2012). This is
//! done for whole tables, which is what the server does when it reads a table from its start to its end.

use super::failure::{Concurrent, Failure};
use super::rows::{SessionId, Stamp};
use crate::ast::{Expr, ExprKind, InsertRows, Program, Query, SqlKind, TableId};

/// What serializable transactions did so far.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    all: Vec<Serializable>,
    commits: u32,
}

#[derive(Clone, Debug)]
struct Serializable {
    id: SessionId,
    snapshot: Stamp,
    read: Vec<TableId>,
    written: Vec<TableId>,
    /// Those that it depends on: they wrote what it did not see.
    out: Vec<SessionId>,
    into: Vec<SessionId>,
    committed: Option<u32>,
    /// How many had committed when it took its snapshot.
    began: u32,
    doomed: bool,
}

const FAILURE: Failure = Failure::Serialization(Concurrent::Dependencies);

impl Dependencies {
    fn at(&self, id: SessionId) -> Option<usize> {
        self.all.iter().position(|it| it.id == id)
    }

    /// A statement has read and written these tables.
    pub fn touch(
        &mut self,
        id: SessionId,
        snapshot: Stamp,
        read: &[TableId],
        written: &[TableId],
    ) -> Result<(), Failure> {
        let me = match self.at(id) {
            Some(me) => me,
            None => {
                let (read, written, out, into) = (vec![], vec![], vec![], vec![]);
                let began = self.commits;
                let (committed, doomed) = (None, false);
                self.all.push(Serializable {
                    id,
                    snapshot,
                    read,
                    written,
                    out,
                    into,
                    committed,
                    began,
                    doomed,
                });
                self.all.len() - 1
            }
        };
        if self.all[me].doomed {
            return Err(FAILURE);
        }
        self.all[me].read.extend(read);
        self.all[me].written.extend(written);
        for other in 0..self.all.len() {
            if other == me || !self.concurrent(me, other) {
                continue;
            }
            if read.iter().any(|it| self.all[other].written.contains(it)) {
                self.depend(me, other, me)?;
            }
            if written.iter().any(|it| self.all[other].read.contains(it)) {
                self.depend(other, me, me)?;
            }
        }
        Ok(())
    }

    /// Neither had committed when the other took its snapshot.
    fn concurrent(&self, one: usize, other: usize) -> bool {
        let before = |first: usize, second: usize| {
            self.all[first].committed.is_some_and(|it| it <= self.all[second].began)
        };
        !before(one, other) && !before(other, one)
    }

    /// `reader -> writer`, found by a statement of `me`.
    fn depend(&mut self, reader: usize, writer: usize, me: usize) -> Result<(), Failure> {
        let (from, to) = (self.all[reader].id, self.all[writer].id);
        if !self.all[reader].out.contains(&to) {
            self.all[reader].out.push(to);
            self.all[writer].into.push(from);
        }
        // The writer is a pivot that has committed, and what it depends on did so before it.
        let dangerous = self.pivot(writer) || self.pivot(reader);
        if !dangerous {
            return Ok(());
        }
        let _ = me;
        Err(FAILURE)
    }

    /// Whether it is in the middle of a dangerous structure whose end has committed first.
    fn pivot(&self, at: usize) -> bool {
        let it = &self.all[at];
        it.out.iter().filter_map(|out| self.at(*out)).any(|out| {
            let Some(first) = self.all[out].committed else { return false };
            let is_first = |other: Option<u32>| other.is_none_or(|it| first <= it);
            is_first(it.committed)
                && it.into.iter().filter_map(|into| self.at(*into)).any(|into| {
                    let reads_only = self.all[into].written.is_empty();
                    let reader = &self.all[into];
                    is_first(reader.committed)
                        && (!reads_only || reader.committed.is_none() || first <= reader.began)
                        && (into != out || true)
                })
        })
    }

    /// A transaction is about to commit.
    pub fn commit(&mut self, id: SessionId) -> Result<(), Failure> {
        let Some(me) = self.at(id) else {
            self.commits += 1;
            return Ok(());
        };
        if self.all[me].doomed {
            return Err(FAILURE);
        }
        self.commits += 1;
        self.all[me].committed = Some(self.commits);
        // Who depends on it and has somebody who depends on them cannot commit any more.
        for at in 0..self.all.len() {
            if self.all[at].committed.is_none() && self.pivot(at) {
                self.all[at].doomed = true;
            }
        }
        Ok(())
    }

    pub fn abort(&mut self, id: SessionId) {
        self.all.retain(|it| it.id != id);
        for it in &mut self.all {
            it.out.retain(|other| *other != id);
            it.into.retain(|other| *other != id);
        }
    }
}

/// The tables that a statement reads and writes.
pub fn tables_of(kind: &SqlKind, program: &Program) -> (Vec<TableId>, Vec<TableId>) {
    let mut read = Vec::new();
    let mut written = Vec::new();
    let expr = |it: &Expr, read: &mut Vec<TableId>| read.extend(tables_of_expr(it));
    match kind {
        SqlKind::Select(query) => query_tables(query, &mut read),
        SqlKind::Insert(insert) => {
            written.push(insert.table);
            match &insert.rows {
                InsertRows::Query(query) => query_tables(query, &mut read),
                InsertRows::Values(rows) => {
                    rows.iter().flatten().flatten().for_each(|it| expr(it, &mut read));
                }
            }
            let table = &program.tables[insert.table.0 as usize];
            read.extend(table.foreign_keys.iter().map(|it| it.parent));
        }
        SqlKind::Update(update) => {
            read.extend(update.sources.iter().map(|it| it.table));
            written.extend(update.sources.first().map(|it| it.table));
            update.filter.iter().for_each(|it| expr(it, &mut read));
            update.sets.iter().for_each(|(_, it)| expr(it, &mut read));
        }
        SqlKind::Delete(delete) => {
            read.extend(delete.sources.iter().map(|it| it.table));
            written.extend(delete.sources.first().map(|it| it.table));
            delete.filter.iter().for_each(|it| expr(it, &mut read));
        }
    }
    (read, written)
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
pub fn tables_of_expr(expr: &Expr) -> Vec<TableId> {
    let mut read = Vec::new();
    expr.walk(&mut |it| match &it.kind {
        ExprKind::InQuery(_, query) | ExprKind::Exists(query) | ExprKind::Scalar(query) => {
            query_tables(query, &mut read);
        }
        _ => {}
    });
    read
}
