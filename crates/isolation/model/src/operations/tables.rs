//! What transactions never do to a table.

use crate::ast::{
    Block, ColumnId, ConflictAction, OnDelete, Program, Sql, SqlKind, StatementKind, Table, TableId,
};

/// What can be taken for granted about a table, because no transaction of the file does otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// For each column, whether no object ever changes it.
    pub stable: Vec<bool>,
    /// Whether rows are inserted.
    pub grows: bool,
    /// Whether rows are deleted.
    pub shrinks: bool,
    /// The unique keys of stable columns that are never `NULL` for two rows at once: their values name
    /// at most one object at a time.
    pub keys: Vec<Vec<ColumnId>>,
    /// Whether there are unique keys with columns that somebody updates.
    pub moving_keys: bool,
}

impl Facts {
    pub(super) fn of(program: &Program) -> Vec<Facts> {
        let fresh =
            |table: &Table| Facts { stable: vec![true; table.columns.len()], ..Facts::default() };
        let mut facts: Vec<Facts> = program.tables.iter().map(fresh).collect();
        for transaction in &program.transactions {
            each_sql(&transaction.body, &mut |sql| note(sql, &mut facts));
        }
        cascade(program, &mut facts);
        for (table, facts) in program.tables.iter().zip(&mut facts) {
            for key in &table.keys {
                if key.columns.iter().all(|it| facts.stable[it.0 as usize]) {
                    facts.keys.push(key.columns.clone());
                } else {
                    facts.moving_keys = true;
                }
            }
        }
        facts
    }

    pub fn is_stable(&self, column: ColumnId) -> bool {
        self.stable.get(column.0 as usize) == Some(&true)
    }

    /// Which rows there are never changes.
    pub fn is_fixed(&self) -> bool {
        !self.grows && !self.shrinks
    }
}

fn note(sql: &Sql, facts: &mut [Facts]) {
    let mut changed = |table: TableId, columns: &mut dyn Iterator<Item = ColumnId>| {
        let facts = &mut facts[table.0 as usize];
        columns.for_each(|it| facts.stable[it.0 as usize] = false);
    };
    match &sql.kind {
        SqlKind::Select(_) => {}
        SqlKind::Insert(insert) => {
            if let Some(conflict) = &insert.conflict
                && let ConflictAction::Update { sets, .. } = &conflict.action
            {
                changed(insert.table, &mut sets.iter().map(|(column, _)| *column));
            }
            facts[insert.table.0 as usize].grows = true;
        }
        SqlKind::Update(update) => {
            if let Some(target) = update.sources.first() {
                changed(target.table, &mut update.sets.iter().map(|(column, _)| *column));
            }
        }
        SqlKind::Delete(delete) => {
            if let Some(target) = delete.sources.first() {
                facts[target.table.0 as usize].shrinks = true;
            }
        }
    }
}

/// What follows from deleting a parent.
fn cascade(program: &Program, facts: &mut [Facts]) {
    let mut more = true;
    while more {
        more = false;
        for (number, table) in program.tables.iter().enumerate() {
            for key in &table.foreign_keys {
                if !facts[key.parent.0 as usize].shrinks {
                    continue;
                }
                match key.on_delete {
                    OnDelete::Refuse => {}
                    OnDelete::Cascade => {
                        more |= !facts[number].shrinks;
                        facts[number].shrinks = true;
                    }
                    OnDelete::SetNull => {
                        for column in &key.columns {
                            facts[number].stable[column.0 as usize] = false;
                        }
                    }
                }
            }
        }
    }
}

/// Shows every statement for the server.
pub(super) fn each_sql<'p>(block: &'p Block, see: &mut dyn FnMut(&'p Sql)) {
    for statement in block {
        match &statement.kind {
            StatementKind::Sql(sql) => see(sql),
            StatementKind::If(arms, otherwise) => {
                arms.iter().for_each(|(_, block)| each_sql(block, see));
                each_sql(otherwise, see);
            }
            StatementKind::Loop { body, .. } | StatementKind::ForRange { body, .. } => {
                each_sql(body, see);
            }
            StatementKind::ForRows { sql, body, .. } => {
                see(sql);
                each_sql(body, see);
            }
            _ => {}
        }
    }
}
