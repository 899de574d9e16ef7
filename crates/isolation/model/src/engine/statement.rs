//! One statement, from its snapshot to its end; it may wait for other transactions in between.
//!
//! Every step here is done again after waiting, and either waits again or gets further. What has
//! been locked stays locked until the transaction ends, also if the row turns out not to match any
//! more.

use super::evaluate::{Combination, Evaluator, Scope, beyond, store, values_of};
use super::failure::{Concurrent, Failure};
use super::foreign::Check;
use super::rows::{RowId, SessionId, Stamp, Values, View};
use super::tables::Tables;
use crate::ast::{
    ColumnId, ConflictAction, Default_, Delete, Expr, Insert, InsertRows, Item, Level, Locking,
    Program, Query, SqlKind, Strength, TableId, Update, Wait,
};
use crate::value::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// What is shared by all transactions.
#[derive(Clone, PartialEq, Debug)]
pub struct World<'p> {
    pub program: &'p Program,
    pub tables: Tables,
    pub sequences: Sequences,
    /// The rows that sessions wait for, or have just waited for.
    waited: BTreeMap<SessionId, RowId>,
}

impl<'p> World<'p> {
    pub fn new(program: &'p Program) -> World<'p> {
        let tables = Tables::new(program.tables.len());
        World { program, tables, sequences: Sequences::default(), waited: BTreeMap::new() }
    }
}

/// Numbers that the server gives out, never the same one twice.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sequences {
    last: BTreeMap<(TableId, ColumnId), i64>,
    /// Who got which.
    pub given: Vec<(SessionId, TableId, ColumnId, i64)>,
    /// Who is to get which, when runs are compared.
    pub wanted: Vec<(SessionId, TableId, ColumnId, i64)>,
}

impl Sequences {
    fn next(&mut self, session: SessionId, table: TableId, column: ColumnId) -> i64 {
        let is_it = |it: &(SessionId, TableId, ColumnId, i64)| {
            (it.0, it.1, it.2) == (session, table, column)
        };
        let number = match self.wanted.iter().position(is_it) {
            Some(at) => self.wanted.remove(at).3,
            None => {
                let last = self.last.entry((table, column)).or_insert(0);
                *last = last.saturating_add(1);
                *last
            }
        };
        self.given.push((session, table, column, number));
        number
    }
}

/// A statement that is being executed.
#[derive(Clone, PartialEq, Debug)]
pub struct Execution<'p> {
    pub view: View,
    pub level: Level,
    variables: Vec<Value>,
    found: bool,
    work: Work<'p>,
    /// Foreign keys, which are checked when everything else is done.
    checks: VecDeque<Check>,
    pub rows: Vec<Vec<Value>>,
    pub count: usize,
}

#[derive(Clone, PartialEq, Debug)]
enum Work<'p> {
    Select { query: &'p Query, left: VecDeque<Combination>, taken: Vec<Vec<Option<Values>>> },
    Insert { insert: &'p Insert, left: VecDeque<Values>, placed: Option<RowId> },
    Update { update: &'p Update, left: VecDeque<Combination>, placed: Option<Placed> },
    Delete { delete: &'p Delete, left: VecDeque<Combination> },
    Done,
}

/// A row whose new version is in place, while its keys are looked at.
#[derive(Clone, PartialEq, Debug)]
struct Placed {
    row: RowId,
    combination: Combination,
    values: Values,
    changed: Vec<ColumnId>,
}

/// Whether a statement has come to its end.
#[derive(Clone, PartialEq, Debug)]
pub enum Progress {
    Done,
    Waits(Vec<SessionId>),
}

/// A row that was to be locked.
pub enum Acquired {
    /// It is as it was seen.
    Same,
    /// Somebody else has changed it, and the lock is on what it is now.
    Changed(Values),
    /// Somebody else has deleted it.
    Gone,
    Waits(Vec<SessionId>),
    /// `SKIP LOCKED`.
    Skipped,
}

/// Whether rows agree on a key.
enum Twin {
    None,
    Row(RowId),
    /// That depends on whether these commit.
    Waits(Vec<SessionId>),
}

impl World<'_> {
    /// Locks a row of which `upto` committed versions were seen.
    pub fn acquire(
        &mut self,
        level: Level,
        view: View,
        (id, upto): (RowId, usize),
        strength: Strength,
        wait: Wait,
    ) -> Result<Acquired, Failure> {
        let acquired = self.try_to_acquire(level, view, (id, upto), strength, wait)?;
        match acquired {
            Acquired::Waits(_) => self.waited.insert(view.session, id),
            _ => self.waited.remove(&view.session),
        };
        Ok(acquired)
    }

    fn try_to_acquire(
        &mut self,
        level: Level,
        view: View,
        (id, upto): (RowId, usize),
        strength: Strength,
        wait: Wait,
    ) -> Result<Acquired, Failure> {
        let row = self.tables.row(id);
        let own = row.is_of(view.session);
        let newer = if own { &[][..] } else { &row.committed[upto..] };
        let deleted = newer.last().is_some_and(|it| it.version.values.is_none());
        // A lock on the key alone does not mind what happened to other columns, unless it had to
        // wait.
        let mild = strength == Strength::KeyShare && self.waited.get(&view.session) != Some(&id);
        let matters = !newer.is_empty() && (!mild || newer.iter().any(|it| it.key_changed));
        // Whoever locked the version that was seen is waited for, even if it is known by now that
        // it is not the newest any more.
        let earlier = row.in_the_way(view.session, strength, upto);
        if matters && !earlier.is_empty() && wait == Wait::Wait {
            return Ok(Acquired::Waits(earlier));
        }
        if matters && level != Level::ReadCommitted {
            let what = if deleted { Concurrent::Delete } else { Concurrent::Update };
            return Err(Failure::Serialization(what));
        }
        if matters && deleted {
            return Ok(Acquired::Gone);
        }
        let newest = newer.last().and_then(|it| it.version.values.clone());
        let others = row.in_the_way(view.session, strength, usize::MAX);
        if !others.is_empty() {
            // The server gets past the first change, and then waits for the next, come what may.
            let gently = row.pending.as_ref().is_some_and(|it| it.gently);
            let wait = if gently && strength == Strength::KeyShare { Wait::Wait } else { wait };
            return match wait {
                Wait::Wait => Ok(Acquired::Waits(others)),
                Wait::NoWait => Err(Failure::LockNotAvailable),
                Wait::SkipLocked => Ok(Acquired::Skipped),
            };
        }
        self.tables.row_mut(id).lock(view.session, strength);
        Ok(match newest {
            Some(values) if matters => Acquired::Changed(values),
            _ => Acquired::Same,
        })
    }

    /// Another row with the same values in these columns.
    fn twin(
        &self,
        session: SessionId,
        own: Option<RowId>,
        (table, number): (TableId, usize),
        values: &[Value],
    ) -> Twin {
        let key = &self.program.tables[table.0 as usize].keys[number].columns;
        let part = |values: &[Value]| -> Vec<Value> {
            key.iter().map(|it| values[it.0 as usize].clone()).collect()
        };
        let wanted = part(values);
        if wanted.iter().any(Value::is_null) {
            return Twin::None;
        }
        let mut waits = Vec::new();
        for (id, row) in self.tables.rows(table) {
            if own == Some(id) {
                continue;
            }
            let has = |values: Option<&Values>| values.is_some_and(|it| part(it) == wanted);
            let committed = row.committed.last().and_then(|it| it.version.values.as_ref());
            match &row.pending {
                Some(pending) if pending.by != session => {
                    // Also what it had for a moment: that is still in the index. Not what has not
                    // come to this index yet, because it waits at one before it.
                    let outside = row.entering.is_some_and(|it| number >= it);
                    let entered = pending.after.len() - usize::from(outside);
                    let mut after = pending.after[..entered].iter();
                    if has(committed) || after.any(|(_, it)| has(it.values.as_ref())) {
                        waits.push(pending.by);
                    }
                }
                _ => {
                    if has(row.latest(session).and_then(|it| it.values.as_ref())) {
                        return Twin::Row(id);
                    }
                }
            }
        }
        if waits.is_empty() { Twin::None } else { Twin::Waits(waits) }
    }

    /// Whether no row has the same values for a key.
    pub fn distinct(
        &self,
        session: SessionId,
        table: TableId,
        values: &Values,
    ) -> Result<(), Failure> {
        let keys = self.program.tables[table.0 as usize].keys.iter().enumerate();
        for (number, key) in keys {
            if !matches!(self.twin(session, None, (table, number), values), Twin::None) {
                return Err(Failure::Unique(key.name.clone()));
            }
        }
        Ok(())
    }

    /// `NOT NULL` and `CHECK`.
    pub fn constraints(&self, view: View, table: TableId, values: &Values) -> Result<(), Failure> {
        let declared = &self.program.tables[table.0 as usize];
        for (column, value) in declared.columns.iter().zip(values.iter()) {
            if column.not_null && value.is_null() {
                return Err(Failure::NotNull(column.name.text.clone()));
            }
        }
        let evaluator = Evaluator { tables: &self.tables, view, variables: &[], found: false };
        for check in &declared.checks {
            let rows = [Some(values.clone())];
            let scope = Scope { rows: &rows, group: None, outer: None };
            if evaluator.expr(&check.condition, &scope)? == Value::Bool(false) {
                return Err(Failure::Check(check.name.clone()));
            }
        }
        Ok(())
    }

    /// The columns that any key of a table has.
    pub fn key_columns(&self, table: TableId) -> impl Iterator<Item = ColumnId> {
        let keys = self.program.tables[table.0 as usize].keys.iter();
        keys.flat_map(|it| it.columns.iter().copied())
    }

    /// The lock that a change of these columns takes.
    fn strength(&self, table: TableId, changed: &[ColumnId]) -> Strength {
        match self.key_columns(table).any(|it| changed.contains(&it)) {
            true => Strength::Update,
            false => Strength::NoKeyUpdate,
        }
    }
}

/// The columns in which two rows differ.
fn changed(old: &[Value], new: &[Value]) -> Vec<ColumnId> {
    let both = old.iter().zip(new).enumerate();
    both.filter(|(_, (old, new))| old != new).map(|(at, _)| ColumnId(at as u32)).collect()
}

impl<'p> Execution<'p> {
    /// Takes what the statement sees now; nothing is locked or changed yet.
    pub fn new(
        world: &mut World<'p>,
        kind: &'p SqlKind,
        view: View,
        level: Level,
        (variables, found): (&[Value], bool),
    ) -> Result<Execution<'p>, Failure> {
        let evaluator = Evaluator { tables: &world.tables, view, variables, found };
        let mut rows = Vec::new();
        let work = match kind {
            SqlKind::Select(query) if query.locks.is_empty() => {
                rows = evaluator.query(query, None)?;
                Work::Done
            }
            SqlKind::Select(query) => {
                let all = evaluator.combinations(&query.sources, query.filter.as_ref(), None)?;
                let mut sorted = Vec::new();
                for combination in all {
                    let values = values_of(&combination);
                    let scope = Scope { rows: &values, group: None, outer: None };
                    let order = query.order_by.iter().map(|it| evaluator.expr(&it.expr, &scope));
                    sorted.push((combination, order.collect::<Result<Vec<_>, _>>()?));
                }
                evaluator.sort(query, &mut sorted)?;
                let left = sorted.into_iter().map(|(combination, _)| combination).collect();
                Work::Select { query, left, taken: Vec::new() }
            }
            SqlKind::Update(update) => {
                let left = evaluator.combinations(&update.sources, update.filter.as_ref(), None)?;
                Work::Update { update, left: left.into(), placed: None }
            }
            SqlKind::Delete(delete) => {
                let left = evaluator.combinations(&delete.sources, delete.filter.as_ref(), None)?;
                Work::Delete { delete, left: left.into() }
            }
            SqlKind::Insert(insert) => {
                let given = match &insert.rows {
                    InsertRows::Query(query) => {
                        let rows = evaluator.query(query, None)?.into_iter();
                        rows.map(|row| row.into_iter().map(Some).collect()).collect()
                    }
                    InsertRows::Values(rows) => {
                        let value = |it: &Option<Expr>| {
                            it.as_ref().map(|it| evaluator.expr(it, &Scope::NONE)).transpose()
                        };
                        let row = |row: &Vec<Option<Expr>>| row.iter().map(value).collect();
                        rows.iter().map(row).collect::<Result<Vec<Vec<_>>, Failure>>()?
                    }
                };
                let given: Vec<Vec<Option<Value>>> = given;
                let full = given.into_iter().map(|row| full_row(world, view, insert, row));
                let left = full.collect::<Result<VecDeque<Values>, Failure>>()?;
                Work::Insert { insert, left, placed: None }
            }
        };
        let count = rows.len();
        let variables = variables.to_vec();
        let checks = VecDeque::new();
        Ok(Execution { view, level, variables, found, work, checks, rows, count })
    }

    /// Goes on until it is done or has to wait.
    pub fn run(&mut self, world: &mut World<'p>) -> Result<Progress, Failure> {
        loop {
            let waits = match &self.work {
                Work::Select { .. } => self.select(world)?,
                Work::Insert { .. } => self.insert(world)?,
                Work::Update { .. } => self.update(world)?,
                Work::Delete { .. } => self.delete(world)?,
                Work::Done => match self.checks.pop_front() {
                    None => return Ok(Progress::Done),
                    Some(mut check) => {
                        let (waits, more) = check.run(world, self.view, self.level)?;
                        if waits.is_some() {
                            self.checks.push_front(check);
                        }
                        self.checks.extend(more);
                        waits
                    }
                },
            };
            if let Some(waits) = waits {
                return Ok(Progress::Waits(waits));
            }
        }
    }

    fn evaluator<'a>(&'a self, world: &'a World<'_>) -> Evaluator<'a> {
        let Execution { view, variables, found, .. } = self;
        Evaluator { tables: &world.tables, view: *view, variables, found: *found }
    }

    /// The next row of `SELECT ... FOR`.
    fn select(&mut self, world: &mut World<'p>) -> Result<Option<Vec<SessionId>>, Failure> {
        let Work::Select { query, left, taken } = &self.work else { return Ok(None) };
        let query = *query;
        let (skipped, most) = self.evaluator(world).range(query, None)?;
        let enough = taken.len() >= skipped.saturating_add(most);
        let Some(mut combination) = left.front().filter(|_| !enough).cloned() else {
            let rows = taken.clone();
            let unsorted = Query { order_by: Vec::new(), ..query.clone() };
            self.rows = self.evaluator(world).shaped(&unsorted, rows, None)?;
            self.count = self.rows.len();
            self.work = Work::Done;
            return Ok(None);
        };
        let mut matches = true;
        let mut moved = false;
        for (at, part) in combination.iter_mut().enumerate() {
            let Some((row, upto, values)) = part else { continue };
            let Some((strength, wait)) = locking(&query.locks, at) else { continue };
            match world.acquire(self.level, self.view, (*row, *upto), strength, wait)? {
                Acquired::Same => {}
                Acquired::Changed(newest) => {
                    *values = newest;
                    moved = true;
                }
                Acquired::Waits(on) => return Ok(Some(on)),
                Acquired::Gone | Acquired::Skipped => {
                    matches = false;
                    break;
                }
            }
        }
        if matches && moved {
            let evaluator = self.evaluator(world);
            matches = evaluator.still(&query.sources, query.filter.as_ref(), &combination)?;
        }
        if let Work::Select { left, taken, .. } = &mut self.work {
            left.pop_front();
            if matches {
                taken.push(values_of(&combination));
            }
        }
        Ok(None)
    }

    fn update(&mut self, world: &mut World<'p>) -> Result<Option<Vec<SessionId>>, Failure> {
        let Work::Update { update, left, placed } = &self.work else { return Ok(None) };
        let update = *update;
        if let Some(placed) = placed.clone() {
            let Placed { row, combination, values, changed } = placed;
            if let Some(waits) = self.look_at_keys(world, row, &values, &changed)? {
                return Ok(Some(waits));
            }
            self.give(world, &update.returning, &values_of(&combination))?;
            if let Work::Update { left, placed, .. } = &mut self.work {
                left.pop_front();
                *placed = None;
            }
            return Ok(None);
        }
        let Some(mut combination) = left.front().cloned() else {
            self.work = Work::Done;
            return Ok(None);
        };
        let skip = |it: &mut Execution<'p>| {
            if let Work::Update { left, .. } = &mut it.work {
                left.pop_front();
            }
            Ok(None)
        };
        let Some((row, upto, seen)) = combination[0].clone() else { return skip(self) };
        if world.tables.row(row).changed_by(self.view) {
            return skip(self);
        }
        let mut old = seen;
        let mut values = self.assigned(world, row.table, &update.sets, &old, &combination)?;
        let mut moved = false;
        loop {
            let columns = changed(&old, &values);
            let strength = world.strength(row.table, &columns);
            let known = if moved { world.tables.row(row).committed.len() } else { upto };
            match world.acquire(self.level, self.view, (row, known), strength, Wait::Wait)? {
                Acquired::Same => {
                    let key_changed = strength == Strength::Update;
                    let own = world.tables.row(row).is_of(self.view.session);
                    world.tables.write(row, self.view, Some(values.clone()), key_changed);
                    self.checks.extend(Check::after_update(world, row, own, &old, &values));
                    if let Some(first) = &mut combination[0] {
                        first.2 = values.clone();
                    }
                    if let Work::Update { placed, .. } = &mut self.work {
                        *placed = Some(Placed { row, combination, values, changed: columns });
                    }
                    return Ok(None);
                }
                Acquired::Changed(newest) => {
                    if let Some(first) = &mut combination[0] {
                        first.2 = newest.clone();
                    }
                    let evaluator = self.evaluator(world);
                    if !evaluator.still(&update.sources, update.filter.as_ref(), &combination)? {
                        return skip(self);
                    }
                    old = newest;
                    values = self.assigned(world, row.table, &update.sets, &old, &combination)?;
                    moved = true;
                }
                Acquired::Waits(on) => return Ok(Some(on)),
                Acquired::Gone | Acquired::Skipped => return skip(self),
            }
        }
    }

    /// What a row becomes by `SET`; it must keep to the constraints that need no other row.
    fn assigned(
        &self,
        world: &mut World<'p>,
        table: TableId,
        sets: &[(ColumnId, Expr)],
        old: &Values,
        combination: &Combination,
    ) -> Result<Values, Failure> {
        let rows = values_of(combination);
        let scope = Scope { rows: &rows, group: None, outer: None };
        let mut new = old.to_vec();
        for (column, expr) in sets {
            let value = self.evaluator(world).expr(expr, &scope)?;
            let declared = &world.program.tables[table.0 as usize].columns[column.0 as usize];
            new[column.0 as usize] = store(value, declared.ty, declared.scale, declared.length)?;
        }
        let new: Values = new.into();
        world.constraints(self.view, table, &new)?;
        Ok(new)
    }

    /// Whether another row has the same key; of an update, only keys that change.
    fn look_at_keys(
        &self,
        world: &mut World<'p>,
        row: RowId,
        values: &Values,
        changed: &[ColumnId],
    ) -> Result<Option<Vec<SessionId>>, Failure> {
        let keys = world.program.tables[row.table.0 as usize].keys.iter().enumerate();
        for (number, key) in keys {
            if !key.columns.iter().any(|it| changed.contains(it)) {
                continue;
            }
            world.tables.row_mut(row).entering = Some(number);
            match world.twin(self.view.session, Some(row), (row.table, number), values) {
                Twin::None => {}
                Twin::Waits(on) => return Ok(Some(on)),
                Twin::Row(_) => return Err(Failure::Unique(key.name.clone())),
            }
        }
        world.tables.row_mut(row).entering = None;
        Ok(None)
    }

    /// Counts a row, and returns what `RETURNING` says of it.
    fn give(
        &mut self,
        world: &World<'p>,
        returning: &[Item],
        rows: &[Option<Values>],
    ) -> Result<(), Failure> {
        self.count += 1;
        if !returning.is_empty() {
            let scope = Scope { rows, group: None, outer: None };
            let row = self.evaluator(world).items(returning, &scope)?;
            self.rows.push(row);
        }
        Ok(())
    }

    fn delete(&mut self, world: &mut World<'p>) -> Result<Option<Vec<SessionId>>, Failure> {
        let Work::Delete { delete, left } = &self.work else { return Ok(None) };
        let delete = *delete;
        let Some(mut combination) = left.front().cloned() else {
            self.work = Work::Done;
            return Ok(None);
        };
        let target = combination.first().cloned().flatten();
        let target = target.filter(|it| !world.tables.row(it.0).changed_by(self.view));
        if let Some((row, upto, seen)) = target {
            let place = (row, upto);
            let old =
                match world.acquire(self.level, self.view, place, Strength::Update, Wait::Wait)? {
                    Acquired::Same => Some(seen),
                    Acquired::Changed(newest) => {
                        if let Some(first) = &mut combination[0] {
                            first.2 = newest.clone();
                        }
                        let evaluator = self.evaluator(world);
                        let filter = delete.filter.as_ref();
                        evaluator.still(&delete.sources, filter, &combination)?.then_some(newest)
                    }
                    Acquired::Waits(on) => return Ok(Some(on)),
                    Acquired::Gone | Acquired::Skipped => None,
                };
            if let Some(old) = old {
                world.tables.write(row, self.view, None, true);
                self.checks.extend(Check::after_delete(world, row, &old));
                self.give(world, &delete.returning, &values_of(&combination))?;
            }
        }
        if let Work::Delete { left, .. } = &mut self.work {
            left.pop_front();
        }
        Ok(None)
    }

    fn insert(&mut self, world: &mut World<'p>) -> Result<Option<Vec<SessionId>>, Failure> {
        let Work::Insert { insert, left, placed } = &self.work else { return Ok(None) };
        let insert = *insert;
        let Some(values) = left.front().cloned() else {
            self.work = Work::Done;
            return Ok(None);
        };
        let table = insert.table;
        let row = match *placed {
            Some(row) => row,
            None => {
                world.constraints(self.view, table, &values)?;
                match self.conflict(world, insert, &values)? {
                    Conflict::None => {}
                    Conflict::Waits(on) => return Ok(Some(on)),
                    Conflict::Settled => {
                        if let Work::Insert { left, .. } = &mut self.work {
                            left.pop_front();
                        }
                        return Ok(None);
                    }
                }
                let row = world.tables.add(table);
                world.tables.write(row, self.view, Some(values.clone()), true);
                world.tables.row_mut(row).lock(self.view.session, Strength::Update);
                if let Work::Insert { placed, .. } = &mut self.work {
                    *placed = Some(row);
                }
                row
            }
        };
        let all: Vec<ColumnId> = (0..values.len() as u32).map(ColumnId).collect();
        if let Some(waits) = self.look_at_keys(world, row, &values, &all)? {
            return Ok(Some(waits));
        }
        self.checks.extend(Check::after_insert(world, row, &values));
        self.give(world, &insert.returning, &[Some(values)])?;
        if let Work::Insert { left, placed, .. } = &mut self.work {
            left.pop_front();
            *placed = None;
        }
        Ok(None)
    }

    /// `ON CONFLICT`, for one row that is to be inserted.
    fn conflict(
        &mut self,
        world: &mut World<'p>,
        insert: &'p Insert,
        values: &Values,
    ) -> Result<Conflict, Failure> {
        let Some(conflict) = &insert.conflict else { return Ok(Conflict::None) };
        let table = insert.table;
        let keys = world.program.tables[table.0 as usize].keys.iter().enumerate();
        let keys = keys.filter(|(at, _)| conflict.key.is_none_or(|wanted| wanted == *at));
        let mut there = None;
        for (number, _) in keys {
            match world.twin(self.view.session, None, (table, number), values) {
                Twin::None => {}
                Twin::Waits(on) => return Ok(Conflict::Waits(on)),
                Twin::Row(row) => {
                    there = Some(row);
                    break;
                }
            }
        }
        let Some(row) = there else { return Ok(Conflict::None) };
        let known = world.tables.row(row);
        let own = known.is_of(self.view.session);
        // A row that the snapshot has not, or not in this version.
        let stale = !own
            && known.committed.last().is_some_and(|it| it.stamp > self.view.snapshot)
            && self.level != Level::ReadCommitted;
        let upto = known.committed.len();
        match &conflict.action {
            ConflictAction::Nothing if stale => Err(Failure::Serialization(Concurrent::Update)),
            ConflictAction::Nothing => Ok(Conflict::Settled),
            ConflictAction::Update { sets, filter } => {
                let set: Vec<ColumnId> = sets.iter().map(|(column, _)| *column).collect();
                let strength = world.strength(table, &set);
                match world.acquire(self.level, self.view, (row, upto), strength, Wait::Wait)? {
                    Acquired::Waits(on) => return Ok(Conflict::Waits(on)),
                    Acquired::Same => {}
                    _ => return Err(beyond("a row that is there and is not")),
                }
                if stale {
                    return Err(Failure::Serialization(Concurrent::Update));
                }
                if world.tables.row(row).changed_by(self.view) {
                    return Err(Failure::Cardinality);
                }
                let old = world.tables.row(row).latest(self.view.session);
                let old = old.and_then(|it| it.values.clone());
                let old = old.ok_or_else(|| beyond("a row that is there and is not"))?;
                let nowhere = |values: &Values| Some((row, upto, values.clone()));
                let combination = vec![nowhere(&old), nowhere(values)];
                let rows = values_of(&combination);
                let scope = Scope { rows: &rows, group: None, outer: None };
                let wanted = filter.as_ref();
                if !wanted.map_or(Ok(true), |it| self.evaluator(world).holds(it, &scope))? {
                    return Ok(Conflict::Settled);
                }
                let new = self.assigned(world, table, sets, &old, &combination)?;
                let columns = changed(&old, &new);
                let strength = world.strength(table, &columns);
                world.tables.row_mut(row).lock(self.view.session, strength);
                let key_changed = strength == Strength::Update;
                world.tables.write(row, self.view, Some(new.clone()), key_changed);
                if self.look_at_keys(world, row, &new, &columns)?.is_some() {
                    return Err(beyond("ON CONFLICT DO UPDATE that waits for another key"));
                }
                self.checks.extend(Check::after_update(world, row, own, &old, &new));
                self.give(world, &insert.returning, &[Some(new)])?;
                Ok(Conflict::Settled)
            }
        }
    }
}

/// What `ON CONFLICT` makes of a row.
enum Conflict {
    /// It is to be inserted.
    None,
    /// Done with it.
    Settled,
    Waits(Vec<SessionId>),
}

/// The lock that `SELECT ... FOR` takes on the rows of a source.
fn locking(locks: &[Locking], at: usize) -> Option<(Strength, Wait)> {
    let of = locks.iter().filter(|it| it.of.is_empty() || it.of.contains(&at));
    of.map(|it| (it.strength, it.wait)).max_by_key(|(strength, _)| *strength)
}

/// All columns of a row that is to be inserted.
fn full_row(
    world: &mut World<'_>,
    view: View,
    insert: &Insert,
    given: Vec<Option<Value>>,
) -> Result<Values, Failure> {
    let program = world.program;
    let columns = &program.tables[insert.table.0 as usize].columns;
    let mut row = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let id = ColumnId(at as u32);
        let place = insert.columns.iter().position(|it| *it == id);
        let given = place.and_then(|it| given.get(it).cloned().flatten());
        let value = match (given, &column.default) {
            (Some(value), _) => value,
            (None, None) => Value::Null,
            (None, Some(Default_::Sequence)) => {
                Value::Int(world.sequences.next(view.session, insert.table, id))
            }
            (None, Some(Default_::Expr(expr))) => {
                let tables = &world.tables;
                let evaluator = Evaluator { tables, view, variables: &[], found: false };
                evaluator.expr(expr, &Scope::NONE)?
            }
        };
        row.push(store(value, column.ty, column.scale, column.length)?);
    }
    Ok(Arc::from(row))
}

/// The moment at which everything that has committed is seen.
pub fn latest(world: &World<'_>) -> Stamp {
    world.tables.now
}
