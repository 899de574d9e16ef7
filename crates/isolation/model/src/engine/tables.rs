//! The tables: all rows, where they stand, and who locks what.

use super::rows::{Row, RowId, SessionId, Stamp, Values, Version, View};
use crate::ast::TableId;

/// All rows of all tables.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tables {
    tables: Vec<Vec<Row>>,
    /// Where the next version of a row of each table will stand.
    places: Vec<u32>,
    /// How many transactions have committed.
    pub now: Stamp,
    /// Tables that commands have looked at and changed, since somebody asked.
    pub log: Vec<(TableId, Access)>,
}

/// What a command does with a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    /// It reads what is committed by now, and not what its transaction sees.
    ReadLatest,
    Write,
}

impl Tables {
    pub fn new(count: usize) -> Tables {
        Tables { tables: vec![Vec::new(); count], places: vec![0; count], ..Tables::default() }
    }

    /// The rows that are seen, with the number of committed versions up to that one, in the order in
    /// which they stand.
    pub fn scan(&self, table: TableId, view: View) -> Vec<(RowId, usize, Values)> {
        let rows = self.tables[table.0 as usize].iter().enumerate();
        let seen = rows.filter_map(|(number, row)| {
            let (upto, version) = row.seen(view)?;
            let id = RowId { table, number: number as u32 };
            Some((version.place, (id, upto, version.values.clone()?)))
        });
        let mut seen: Vec<_> = seen.collect();
        seen.sort_by_key(|(place, _)| *place);
        seen.into_iter().map(|(_, row)| row).collect()
    }

    pub fn row(&self, id: RowId) -> &Row {
        &self.tables[id.table.0 as usize][id.number as usize]
    }

    pub fn row_mut(&mut self, id: RowId) -> &mut Row {
        &mut self.tables[id.table.0 as usize][id.number as usize]
    }

    /// All rows that have ever been in a table.
    pub fn rows(&self, table: TableId) -> impl Iterator<Item = (RowId, &Row)> {
        let rows = self.tables[table.0 as usize].iter().enumerate();
        rows.map(move |(number, row)| (RowId { table, number: number as u32 }, row))
    }

    /// A row that nobody has seen yet.
    pub fn add(&mut self, table: TableId) -> RowId {
        let rows = &mut self.tables[table.0 as usize];
        rows.push(Row::default());
        RowId { table, number: rows.len() as u32 - 1 }
    }

    pub fn write(&mut self, id: RowId, view: View, values: Option<Values>, key_changed: bool) {
        self.log.push((id.table, Access::Write));
        let place = &mut self.places[id.table.0 as usize];
        *place += 1;
        let version = Version { values, place: *place };
        self.row_mut(id).write(view, version, key_changed);
    }

    /// Whether a transaction has locked or changed a row.
    pub fn is_marked_by(&self, session: SessionId) -> bool {
        let marked = |row: &Row| {
            row.locks.iter().any(|it| it.by == session)
                || row.pending.as_ref().is_some_and(|it| it.by == session)
        };
        self.tables.iter().flatten().any(marked)
    }

    /// A transaction commits or rolls back.
    pub fn end(&mut self, session: SessionId, commit: bool) {
        let stamp = commit.then(|| {
            self.now = Stamp(self.now.0 + 1);
            self.now
        });
        for row in self.tables.iter_mut().flatten() {
            row.end(session, stamp);
        }
    }
}
