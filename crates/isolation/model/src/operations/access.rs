//! The operations of one statement for the server.

use super::paths::{First, Path, Target};
use super::{Facts, Kind, Operation, Outside, Row, Term};
use crate::ast::{
    Aggregate, BinaryOp, ColumnId, ConflictAction, Delete, Expr, ExprKind, Insert, InsertRows,
    Item, Join, OnDelete, Program, Query, Source, Sql, SqlKind, Strength, TableId, Transaction,
    Update, Wait,
};
use crate::value::{Type, Value};
use ser_base::Span;
use std::collections::{BTreeMap, BTreeSet};

/// What is the same for all statements of a transaction.
pub(super) struct Scene<'p> {
    pub program: &'p Program,
    pub transaction: &'p Transaction,
    pub number: usize,
    pub tables: &'p [Facts],
}

/// The sources of a query, and what is read of each.
struct Frame {
    columns: Vec<BTreeSet<ColumnId>>,
}

/// What is known of a source of a statement.
#[derive(Clone, Default)]
struct Known {
    row: Row,
    /// The row has a whole key, so that it names one object at most.
    single: bool,
    /// The condition says nothing else, and no other table is in it.
    exact: bool,
    /// The condition says nothing else.
    pure: bool,
}

/// Adds the operations of a statement to a path.
pub(super) fn sql(scene: &Scene<'_>, path: &mut Path, sql: &Sql, outside: &mut Vec<Outside>) {
    path.statement += 1;
    path.first = None;
    let mut access = Access { scene, path, span: sql.span, outside, frames: Vec::new() };
    let target = match &sql.kind {
        SqlKind::Select(query) => access.query(query, true),
        SqlKind::Insert(insert) => access.insert(insert),
        SqlKind::Update(update) => access.update(update),
        SqlKind::Delete(delete) => access.delete(delete),
    };
    if !sql.quiet {
        path.target = target;
    }
}

struct Access<'a, 'p> {
    scene: &'a Scene<'p>,
    path: &'a mut Path,
    span: Span,
    outside: &'a mut Vec<Outside>,
    frames: Vec<Frame>,
}

impl Access<'_, '_> {
    fn facts(&self, table: TableId) -> &Facts {
        &self.scene.tables[table.0 as usize]
    }

    fn add(&mut self, table: TableId, row: &Row, kind: Kind, certain: bool, fresh: bool) -> usize {
        self.path.operations.push(Operation {
            span: self.span,
            statement: self.path.statement,
            table,
            row: row.clone(),
            kind,
            certain,
            found: false,
            fresh,
            shielded: false,
            guards: self.path.guards.clone(),
        });
        self.path.operations.len() - 1
    }

    /// Those of some columns that somebody updates.
    fn moving(&self, table: TableId, columns: &BTreeSet<ColumnId>) -> Vec<ColumnId> {
        columns.iter().copied().filter(|it| !self.facts(table).is_stable(*it)).collect()
    }

    /// Notes which columns an expression reads, and adds the operations of queries in it.
    fn expr(&mut self, expr: &Expr) {
        let mut inner = Vec::new();
        let mut columns = Vec::new();
        expr.walk(&mut |it| match &it.kind {
            ExprKind::Column { up, source, column } => columns.push((*up, *source, *column)),
            ExprKind::InQuery(_, query) | ExprKind::Exists(query) | ExprKind::Scalar(query) => {
                inner.push(query);
            }
            _ => {}
        });
        for (up, source, column) in columns {
            let depth = self.frames.len().checked_sub(1 + up as usize);
            let frame = depth.and_then(|it| self.frames.get_mut(it));
            if let Some(read) = frame.and_then(|it| it.columns.get_mut(source as usize)) {
                read.insert(column);
            }
        }
        for query in inner {
            self.query(query, false);
        }
    }

    fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|it| self.expr(&it.expr));
    }

    fn enter(&mut self, sources: usize) {
        self.frames.push(Frame { columns: vec![BTreeSet::new(); sources] });
    }

    fn joins(&mut self, sources: &[Source]) {
        for source in sources {
            if let Join::Inner(on) | Join::Left(on) = &source.join {
                self.expr(on);
            }
        }
    }

    fn query(&mut self, query: &Query, outermost: bool) -> Option<Target> {
        self.enter(query.sources.len());
        self.joins(&query.sources);
        self.items(&query.items);
        let parts = query.filter.iter().chain(&query.group_by).chain(&query.having);
        for it in parts.chain(&query.limit).chain(&query.offset) {
            self.expr(it);
        }
        query.order_by.iter().for_each(|it| self.expr(&it.expr));
        let frame = self.frames.pop()?;
        let known = self.known(&query.sources, query.filter.as_ref());
        let mut target = None;
        for (number, (source, known)) in query.sources.iter().zip(&known).enumerate() {
            let locks = query.locks.iter();
            let locks = locks.filter(|it| it.of.is_empty() || it.of.contains(&number));
            let lock = locks.clone().map(|it| it.strength).max();
            if locks.clone().any(|it| it.wait == Wait::SkipLocked) {
                self.outside.push(Outside {
                    transaction: self.scene.number,
                    span: self.span,
                    reason: "what SKIP LOCKED finds depends on transactions that have not committed",
                });
            }
            let table = source.table;
            let columns = self.moving(table, &frame.columns[number]);
            let exact = outermost && known.exact;
            let gap = self.add(table, &known.row, Kind::Gap, exact, false);
            let mut loose = None;
            if lock.is_some() && !exact {
                let kind = Kind::Read { columns: columns.clone(), lock: None };
                loose = Some(self.add(table, &known.row, kind, false, false));
            }
            let main = self.add(table, &known.row, Kind::Read { columns, lock }, exact, false);
            if outermost && query.locks.is_empty() && known.pure && query.sources.len() == 1 {
                self.path.first =
                    first_of(query).map(|(item, column)| First { main, item, column });
            }
            let whole = !query.is_grouped() && query.limit.is_none() && query.offset.is_none();
            if outermost && known.single && query.sources.len() == 1 && whole {
                let keeps = lock.is_none() && !exact;
                target = Some(Target { gap: Some(gap), loose, main, keeps });
            }
        }
        target
    }

    /// The row of each source, from conditions that hold for every row of the result.
    fn known(&self, sources: &[Source], filter: Option<&Expr>) -> Vec<Known> {
        let mut conjuncts = Vec::new();
        filter.iter().for_each(|it| split(it, &mut conjuncts));
        let mut left = BTreeMap::new();
        for (number, source) in sources.iter().enumerate() {
            match &source.join {
                Join::Inner(on) => split(on, &mut conjuncts),
                Join::Left(on) => {
                    let mut own = Vec::new();
                    split(on, &mut own);
                    left.insert(number, own);
                }
                Join::Cross => {}
            }
        }
        // Columns that are equal, and terms that they are equal to.
        let mut terms: BTreeMap<(usize, ColumnId), Term> = BTreeMap::new();
        let mut more = true;
        while more {
            more = false;
            for (one, other) in conjuncts.iter().filter_map(|it| equation(it)) {
                for (it, value) in [(one, other), (other, one)] {
                    if let Some(place) = column(it)
                        && !left.contains_key(&place.0)
                        && !terms.contains_key(&place)
                        && let Some(term) = self.term(value, &terms, self.ty(sources, place))
                    {
                        terms.insert(place, term);
                        more = true;
                    }
                }
            }
        }
        let inner = terms.clone();
        for (number, own) in &left {
            for (one, other) in own.iter().filter_map(|it| equation(it)) {
                for (it, value) in [(one, other), (other, one)] {
                    if let Some(place) = column(it)
                        && place.0 == *number
                        && let Some(term) = self.term(value, &inner, self.ty(sources, place))
                    {
                        terms.entry(place).or_insert(term);
                    }
                }
            }
        }
        let plain = sources.len() == 1;
        let describe = |(number, source): (usize, &Source)| {
            let facts = self.facts(source.table);
            let row: Row = terms
                .iter()
                .filter(|((it, column), _)| *it == number && facts.is_stable(*column))
                .map(|((_, column), term)| (*column, term.clone()))
                .collect();
            let has = |it: &ColumnId| row.iter().any(|(column, _)| column == it);
            let single = facts.keys.iter().any(|key| key.iter().all(has));
            // Each conjunct is the equation that a column of the key has its term from.
            let exact = plain
                && conjuncts.len() == row.len()
                && facts.keys.iter().any(|key| key.len() == row.len() && key.iter().all(has));
            let pure = plain && conjuncts.len() == row.len();
            Known { row, single, exact, pure }
        };
        sources.iter().enumerate().map(describe).collect()
    }

    fn ty(&self, sources: &[Source], (source, column): (usize, ColumnId)) -> Option<Type> {
        let table = &self.scene.program.tables[sources.get(source)?.table.0 as usize];
        Some(table.columns.get(column.0 as usize)?.ty)
    }

    /// What an expression is equal to, if that is a variable, a constant, or a column with a term,
    /// when it is compared with a column of a type.
    fn term(
        &self,
        expr: &Expr,
        columns: &BTreeMap<(usize, ColumnId), Term>,
        ty: Option<Type>,
    ) -> Option<Term> {
        match &expr.kind {
            ExprKind::Value(value) => is_plain(value, ty?).then(|| Term::Value(value.clone())),
            ExprKind::Variable(variable) => self.path.value(*variable),
            ExprKind::Column { .. } => columns.get(&column(expr)?).cloned(),
            _ => None,
        }
    }

    fn update(&mut self, update: &Update) -> Option<Target> {
        let target = update.sources.first()?;
        self.enter(update.sources.len());
        // What the condition reads, apart from what is computed for rows that fulfil it.
        self.joins(&update.sources);
        update.filter.iter().for_each(|it| self.expr(it));
        let condition = self.frames.last()?.columns.first().cloned().unwrap_or_default();
        update.sets.iter().for_each(|(_, it)| self.expr(it));
        self.items(&update.returning);
        let frame = self.frames.pop()?;
        let known = self.known(&update.sources, update.filter.as_ref());
        self.others(&update.sources, &known, &frame);
        let table = target.table;
        let written: BTreeSet<ColumnId> = update.sets.iter().map(|(it, _)| *it).collect();
        let mut reads = frame.columns.first().cloned().unwrap_or_default();
        for check in &self.scene.program.tables[table.0 as usize].checks {
            check.condition.walk(&mut |it| {
                if let ExprKind::Column { column, .. } = it.kind {
                    reads.insert(column);
                }
            });
        }
        let keys = &self.scene.program.tables[table.0 as usize].keys;
        let is_key = keys.iter().any(|key| key.columns.iter().any(|it| written.contains(it)));
        if is_key {
            self.unique(table);
        }
        let terms = |access: &Self, column: ColumnId| {
            let set = update.sets.iter().find(|(it, _)| *it == column)?;
            access.kept(table, column, &set.1)
        };
        self.parents(table, Some(&written), &terms);
        if is_key {
            self.children(table, known.first()?.row.clone(), &mut BTreeSet::new());
        }
        let kind = Kind::Update {
            reads: self.moving(table, &reads),
            writes: written.into_iter().collect(),
            // Stronger if a key gets another value, but it may get the one that it has.
            lock: Strength::NoKeyUpdate,
        };
        self.change(table, known.first()?, &condition, kind, update.sources.len() == 1)
    }

    fn delete(&mut self, delete: &Delete) -> Option<Target> {
        let target = delete.sources.first()?;
        self.enter(delete.sources.len());
        self.joins(&delete.sources);
        delete.filter.iter().for_each(|it| self.expr(it));
        let condition = self.frames.last()?.columns.first().cloned().unwrap_or_default();
        self.items(&delete.returning);
        let frame = self.frames.pop()?;
        let known = self.known(&delete.sources, delete.filter.as_ref());
        self.others(&delete.sources, &known, &frame);
        let known = known.first()?;
        self.children(target.table, known.row.clone(), &mut BTreeSet::new());
        self.change(target.table, known, &condition, Kind::Delete, delete.sources.len() == 1)
    }

    /// Finds objects and changes them.
    fn change(
        &mut self,
        table: TableId,
        known: &Known,
        condition: &BTreeSet<ColumnId>,
        kind: Kind,
        alone: bool,
    ) -> Option<Target> {
        let gap = self.add(table, &known.row, Kind::Gap, known.exact, false);
        let columns = self.moving(table, condition);
        let mut loose = None;
        if !known.exact && (!columns.is_empty() || !alone) {
            let kind = Kind::Read { columns, lock: None };
            loose = Some(self.add(table, &known.row, kind, false, false));
        }
        let main = self.add(table, &known.row, kind, known.exact, false);
        (alone && known.single).then_some(Target { gap: Some(gap), loose, main, keeps: false })
    }

    /// The sources of an `UPDATE` or `DELETE` that are only read.
    fn others(&mut self, sources: &[Source], known: &[Known], frame: &Frame) {
        for (number, (source, known)) in sources.iter().zip(known).enumerate().skip(1) {
            let columns = self.moving(source.table, &frame.columns[number]);
            self.add(source.table, &known.row, Kind::Gap, false, false);
            self.add(source.table, &known.row, Kind::Read { columns, lock: None }, false, false);
        }
    }

    fn insert(&mut self, insert: &Insert) -> Option<Target> {
        let table = insert.table;
        let rows: Vec<Row> = match &insert.rows {
            InsertRows::Query(query) => {
                self.query(query, false);
                vec![Row::new()]
            }
            InsertRows::Values(rows) => {
                self.enter(0);
                rows.iter().flatten().flatten().for_each(|it| self.expr(it));
                self.frames.pop();
                rows.iter().map(|values| self.inserted(table, &insert.columns, values)).collect()
            }
        };
        let mut updated = None;
        if let Some(conflict) = &insert.conflict
            && let ConflictAction::Update { sets, filter } = &conflict.action
        {
            // Source 0 is the row that is there, source 1 is `excluded`.
            self.enter(2);
            sets.iter().for_each(|(_, it)| self.expr(it));
            filter.iter().for_each(|it| self.expr(it));
            self.items(&insert.returning);
            if let Some(mut frame) = self.frames.pop() {
                let reads = self.moving(table, &std::mem::take(&mut frame.columns[0]));
                let writes: Vec<ColumnId> = sets.iter().map(|(it, _)| *it).collect();
                updated = Some((reads, writes));
            }
        } else {
            self.enter(1);
            self.items(&insert.returning);
            self.frames.pop();
        }
        if self.facts(table).moving_keys {
            self.unique(table);
        }
        let alone = rows.len() == 1;
        let mut target = None;
        for row in rows {
            let mut there_already = None;
            let terms = |_: &Self, column: ColumnId| {
                row.iter().find(|(it, _)| *it == column).map(|(_, term)| term.clone())
            };
            self.parents(table, None, &terms);
            if let Some(conflict) = &insert.conflict {
                let keys = &self.scene.program.tables[table.0 as usize].keys;
                let key = conflict.key.and_then(|it| keys.get(it)).map(|it| it.columns.clone());
                // Any key may be the one that is there already.
                let there: Row = match key {
                    Some(key) => row.iter().filter(|(it, _)| key.contains(it)).cloned().collect(),
                    None => Row::new(),
                };
                let kind = match &updated {
                    None => Kind::Read { columns: Vec::new(), lock: None },
                    Some((reads, writes)) => Kind::Update {
                        reads: reads.clone(),
                        writes: writes.clone(),
                        lock: Strength::NoKeyUpdate,
                    },
                };
                // At READ COMMITTED, it may be newer than the snapshot of the statement.
                let fresh = updated.is_none();
                there_already = Some(self.add(table, &there, kind, false, fresh));
                // A condition that does not hold reads the row, but then it is locked.
            }
            let certain = insert.conflict.is_none();
            let number = self.add(table, &row, Kind::Insert, certain, true);
            // Without a conflict clause, whoever gets here has inserted it.
            let values = matches!(insert.rows, InsertRows::Values(_));
            self.path.operations[number].found = certain && values;
            // After `DO NOTHING`, `FOUND` says whether it was inserted.
            if alone && values && updated.is_none() && there_already.is_some() {
                let main = number;
                target = Some(Target { gap: None, loose: there_already, main, keeps: false });
            }
        }
        target
    }

    /// The equations of a row that is inserted: what is stored as it was given.
    fn inserted(&self, table: TableId, columns: &[ColumnId], values: &[Option<Expr>]) -> Row {
        let mut row = Row::new();
        for (column, value) in columns.iter().zip(values) {
            if let Some(value) = value
                && self.facts(table).is_stable(*column)
                && let Some(term) = self.kept(table, *column, value)
            {
                row.push((*column, term));
            }
        }
        row.sort();
        row
    }

    /// What is stored in a column, if it is stored as it was given.
    fn kept(&self, table: TableId, column: ColumnId, value: &Expr) -> Option<Term> {
        let columns = &self.scene.program.tables[table.0 as usize].columns;
        let declared = columns.get(column.0 as usize)?;
        if let ExprKind::Variable(it) = &value.kind {
            let variable = self.scene.transaction.variables.get(it.0 as usize)?;
            if variable.ty != declared.ty {
                return None;
            }
        }
        let kept = declared.scale.is_none() && !matches!(value.kind, ExprKind::Column { .. });
        kept.then(|| self.term(value, &BTreeMap::new(), Some(declared.ty))).flatten()
    }

    /// Unique keys of columns that somebody updates are free or taken wherever such rows are.
    fn unique(&mut self, table: TableId) {
        let keys = &self.scene.program.tables[table.0 as usize].keys;
        let columns = keys.iter().flat_map(|it| it.columns.iter().copied()).collect();
        let columns = self.moving(table, &columns);
        self.shielded(table, &Row::new(), columns);
    }

    /// Looks whether rows are there, and holds what makes others wait who want to change that.
    fn shielded(&mut self, table: TableId, row: &Row, columns: Vec<ColumnId>) {
        for kind in [Kind::Gap, Kind::Read { columns, lock: None }] {
            let number = self.add(table, row, kind, false, true);
            self.path.operations[number].shielded = true;
        }
    }

    /// Whoever refers to a row makes sure that it is there, and that it stays: `FOR KEY SHARE`.
    fn parents(
        &mut self,
        table: TableId,
        written: Option<&BTreeSet<ColumnId>>,
        term: &dyn Fn(&Self, ColumnId) -> Option<Term>,
    ) {
        for key in &self.scene.program.tables[table.0 as usize].foreign_keys {
            if written.is_some_and(|it| key.columns.iter().all(|column| !it.contains(column))) {
                continue;
            }
            let parent = key.parent;
            let mut row: Row = key
                .columns
                .iter()
                .zip(&key.referenced)
                .filter(|(_, column)| self.facts(parent).is_stable(**column))
                .filter_map(|(own, column)| Some((*column, term(self, *own)?)))
                .collect();
            row.sort();
            let columns = self.moving(parent, &key.referenced.iter().copied().collect());
            let lock = Some(Strength::KeyShare);
            // At REPEATABLE READ, a parent that came up since the snapshot is not found.
            self.add(parent, &row, Kind::Read { columns, lock }, false, false);
        }
    }

    /// What refers to rows that go away.
    fn children(&mut self, parent: TableId, row: Row, seen: &mut BTreeSet<(TableId, Row)>) {
        // The second time, all rows; so this ends.
        let row = if seen.iter().any(|(it, _)| *it == parent) { Row::new() } else { row };
        if !seen.insert((parent, row.clone())) {
            return;
        }
        for (number, table) in self.scene.program.tables.iter().enumerate() {
            for key in table.foreign_keys.iter().filter(|it| it.parent == parent) {
                let Ok(number) = u32::try_from(number) else { continue };
                let child = TableId(number);
                let term = |column: &ColumnId| {
                    row.iter().find(|(it, _)| it == column).map(|(_, term)| term.clone())
                };
                let mut refers: Row = key
                    .columns
                    .iter()
                    .zip(&key.referenced)
                    .filter(|(own, _)| self.facts(child).is_stable(**own))
                    .filter_map(|(own, column)| Some((*own, term(column)?)))
                    .collect();
                refers.sort();
                let columns = self.moving(child, &key.columns.iter().copied().collect());
                self.shielded(child, &refers, columns);
                match key.on_delete {
                    OnDelete::Refuse => {}
                    OnDelete::Cascade => {
                        self.children(child, refers.clone(), seen);
                        self.add(child, &refers, Kind::Delete, false, false);
                    }
                    OnDelete::SetNull => {
                        let kind = Kind::Update {
                            reads: Vec::new(),
                            writes: key.columns.clone(),
                            lock: Strength::NoKeyUpdate,
                        };
                        self.add(child, &refers, kind, false, false);
                    }
                }
            }
        }
    }
}

/// The item of a query that is the least or greatest value of a column, if only the row that
/// has it is looked at.
fn first_of(query: &Query) -> Option<(usize, ColumnId)> {
    let alone = query.group_by.is_empty() && query.having.is_none() && query.offset.is_none();
    if !alone {
        return None;
    }
    if let [item] = query.items.as_slice()
        && let ExprKind::Aggregate { function: Aggregate::Min | Aggregate::Max, argument, .. } =
            &item.expr.kind
        && query.limit.is_none()
    {
        return Some((0, column(argument.as_deref()?)?.1));
    }
    let one = query.limit.as_ref().is_some_and(|it| it.kind == ExprKind::Value(Value::Int(1)));
    if !one || query.is_grouped() || query.distinct {
        return None;
    }
    let by = column(&query.order_by.first()?.expr)?;
    let item = query.items.iter().position(|it| column(&it.expr) == Some(by))?;
    Some((item, by.1))
}

/// The parts of a conjunction.
fn split<'e>(expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    if let ExprKind::Binary(BinaryOp::And, left, right) = &expr.kind {
        split(left, parts);
        split(right, parts);
    } else {
        parts.push(expr);
    }
}

fn equation(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Equal, left, right) => Some((left, right)),
        _ => None,
    }
}

/// A column of this query.
fn column(expr: &Expr) -> Option<(usize, ColumnId)> {
    match expr.kind {
        ExprKind::Column { up: 0, source, column } => Some((source as usize, column)),
        _ => None,
    }
}

/// Whether a constant is what it is, however it is compared: two that are written differently
/// differ. Dates, numbers with a point, and texts that may be identifiers of some kind can be
/// written in several ways.
fn is_plain(value: &Value, ty: Type) -> bool {
    match value {
        Value::Int(_) => ty == Type::Int,
        Value::Bool(_) => ty == Type::Bool,
        Value::Text(text) => {
            let mut bytes = text.bytes();
            ty == Type::Text
                && bytes.next().is_some_and(|it| it.is_ascii_lowercase())
                && bytes.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_')
        }
        Value::Decimal(_) | Value::Null => false,
    }
}
