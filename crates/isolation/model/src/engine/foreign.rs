//! Foreign keys: what the server looks up after a statement.
//!
//! A row with a reference locks the row that it refers to, so that nobody deletes it or changes its
//! key. It is looked for in the snapshot of the transaction, or in a new one at `READ COMMITTED`.
//! Who deletes a row, or changes its key, looks for references in what is committed *now*, at every
//! level.

use super::failure::{Concurrent, Failure};
use super::rows::{RowId, SessionId, Stamp, Values, View};
use super::statement::{Acquired, World, latest};
use super::tables::Access;
use crate::ast::{ColumnId, ForeignKey, Level, OnDelete, Strength, TableId, Wait};
use crate::value::Value;

/// Something to look up, and what is seen of it once it has begun: that stays while it waits.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    what: What,
    snapshot: Option<Stamp>,
}

#[derive(Clone, PartialEq, Debug)]
enum What {
    /// The row that this one refers to by a foreign key of its table.
    Parent { row: RowId, key: usize, wanted: Vec<Value> },
    /// Rows of a table that refer to one that is gone, by a foreign key of theirs.
    Children { table: TableId, key: usize, gone: Vec<Value>, deleted: bool },
}

fn part(columns: &[ColumnId], values: &[Value]) -> Vec<Value> {
    columns.iter().map(|it| values[it.0 as usize].clone()).collect()
}

impl Check {
    fn of(what: What) -> Check {
        Check { what, snapshot: None }
    }

    pub fn after_insert(world: &World<'_>, row: RowId, new: &Values) -> Vec<Check> {
        let keys = world.program.tables[row.table.0 as usize].foreign_keys.iter().enumerate();
        let checks = keys.filter_map(|(key, it)| {
            let wanted = part(&it.columns, new);
            let complete = !wanted.iter().any(Value::is_null);
            complete.then_some(Check::of(What::Parent { row, key, wanted }))
        });
        checks.collect()
    }

    /// `own`: the transaction had changed or inserted the row before; then the server looks again,
    /// even if the reference stays what it is.
    pub fn after_update(
        world: &World<'_>,
        row: RowId,
        own: bool,
        old: &Values,
        new: &Values,
    ) -> Vec<Check> {
        let keys = &world.program.tables[row.table.0 as usize].foreign_keys;
        let moved = |key: &ForeignKey| own || part(&key.columns, old) != part(&key.columns, new);
        let mut checks = Check::after_insert(world, row, new);
        checks.retain(|it| matches!(it.what, What::Parent { key, .. } if moved(&keys[key])));
        checks.extend(Check::children(world, row.table, old, Some(new)));
        checks
    }

    pub fn after_delete(world: &World<'_>, row: RowId, old: &Values) -> Vec<Check> {
        Check::children(world, row.table, old, None)
    }

    fn children(
        world: &World<'_>,
        parent: TableId,
        old: &Values,
        new: Option<&Values>,
    ) -> Vec<Check> {
        let mut checks = Vec::new();
        for (at, table) in world.program.tables.iter().enumerate() {
            for (key, it) in table.foreign_keys.iter().enumerate() {
                let gone = part(&it.referenced, old);
                let stays = new.is_some_and(|new| part(&it.referenced, new) == gone);
                if it.parent == parent && !stays && !gone.iter().any(Value::is_null) {
                    let table = TableId(at as u32);
                    let deleted = new.is_none();
                    checks.push(Check::of(What::Children { table, key, gone, deleted }));
                }
            }
        }
        checks
    }

    /// Looks it up: whom to wait for, or what else has to be looked up.
    pub fn run(
        &mut self,
        world: &mut World<'_>,
        view: View,
        level: Level,
    ) -> Result<(Option<Vec<SessionId>>, Vec<Check>), Failure> {
        let snapshot = *self.snapshot.get_or_insert(latest(world));
        let now = View { snapshot, command: view.command + 1, ..view };
        match &self.what {
            What::Parent { row, key, wanted } => {
                let known = world.tables.row(*row).latest(view.session);
                let known = known.and_then(|it| it.values.clone());
                let foreign = &world.program.tables[row.table.0 as usize].foreign_keys[*key];
                // It is no longer there, or refers to something else by now.
                if known.is_none_or(|it| part(&foreign.columns, &it) != *wanted) {
                    return Ok((None, Vec::new()));
                }
                let own = View { command: view.command + 1, ..view };
                let seen = if level == Level::ReadCommitted { now } else { own };
                world.tables.log.push((foreign.parent, Access::Read));
                let parents = world.tables.scan(foreign.parent, seen);
                let is_it = |values: &Values| part(&foreign.referenced, values) == *wanted;
                let parent = parents.into_iter().find(|(_, _, values)| is_it(values));
                let failure = || Failure::ForeignKey(foreign.name.clone());
                let (id, upto, _) = parent.ok_or_else(failure)?;
                match world.acquire(level, seen, (id, upto), Strength::KeyShare, Wait::Wait)? {
                    Acquired::Waits(on) => Ok((Some(on), Vec::new())),
                    Acquired::Changed(values) if !is_it(&values) => Err(failure()),
                    Acquired::Gone => Err(failure()),
                    _ => Ok((None, Vec::new())),
                }
            }
            What::Children { table, key, gone, deleted } => {
                let foreign = &world.program.tables[table.0 as usize].foreign_keys[*key];
                world.tables.log.push((*table, Access::ReadLatest));
                let children = world.tables.scan(*table, now);
                let refers = |values: &Values| part(&foreign.columns, values) == *gone;
                let mut more = Vec::new();
                for (id, upto, values) in children.into_iter().filter(|it| refers(&it.2)) {
                    let action = if *deleted { foreign.on_delete } else { OnDelete::Refuse };
                    let strength = match action {
                        OnDelete::Refuse => Strength::KeyShare,
                        OnDelete::Cascade => Strength::Update,
                        OnDelete::SetNull => Strength::NoKeyUpdate,
                    };
                    // What came after the snapshot must not be changed.
                    let row = world.tables.row(id);
                    let own = row.is_of(view.session);
                    let unseen =
                        !own && row.committed.last().is_some_and(|it| it.stamp > view.snapshot);
                    if action != OnDelete::Refuse && level != Level::ReadCommitted && unseen {
                        return Err(Failure::Serialization(Concurrent::Update));
                    }
                    let values =
                        match world.acquire(level, now, (id, upto), strength, Wait::Wait)? {
                            Acquired::Waits(on) => return Ok((Some(on), Vec::new())),
                            Acquired::Gone => continue,
                            Acquired::Changed(values) if !refers(&values) => continue,
                            Acquired::Changed(values) => values,
                            _ => values,
                        };
                    match action {
                        OnDelete::Refuse => return Err(Failure::ForeignKey(foreign.name.clone())),
                        OnDelete::Cascade => {
                            world.tables.write(id, now, None, true);
                            more.extend(Check::after_delete(world, id, &values));
                        }
                        OnDelete::SetNull => {
                            let mut new = values.to_vec();
                            for column in &foreign.columns {
                                new[column.0 as usize] = Value::Null;
                            }
                            let new: Values = new.into();
                            world.tables.write(id, now, Some(new.clone()), false);
                            more.extend(Check::after_update(world, id, false, &values, &new));
                        }
                    }
                }
                Ok((None, more))
            }
        }
    }
}
