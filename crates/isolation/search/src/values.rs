//! Rows and values that are likely to make transactions meet.
//!
//! Columns and variables that are compared or assigned to each other have the same domain: a few
//! values, among them those that the program mentions. Keys have two values, so that transactions
//! that are chosen at random often work on the same rows.

use ser_isolation_model::ast::{
    BinaryOp, ColumnId, ConflictAction, Default_, Expr, ExprKind, InsertRows, Program, Query,
    Source, Sql, SqlKind, Statement, StatementKind, TableId, VariableId,
};
use ser_isolation_model::engine::Engine;
use ser_isolation_model::value::{Type, Value};
use std::collections::BTreeMap;

/// A column, or a variable of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Column(TableId, ColumnId),
    Variable(usize, VariableId),
}

/// What can be chosen for each column and parameter.
#[derive(Clone, Debug)]
pub struct Values<'p> {
    program: &'p Program,
    /// Which places have the same domain.
    same: BTreeMap<Place, Place>,
    /// Values that the program mentions beside a place.
    mentioned: BTreeMap<Place, Vec<Value>>,
    keys: BTreeMap<Place, bool>,
    /// All parameters of a domain get the same value, chosen by this number, unless it is one of
    /// keys.
    pub agree: Option<usize>,
}

impl<'p> Values<'p> {
    pub fn new(program: &'p Program) -> Values<'p> {
        let mut values = Values {
            program,
            same: BTreeMap::new(),
            mentioned: BTreeMap::new(),
            keys: BTreeMap::new(),
            agree: None,
        };
        for (at, table) in program.tables.iter().enumerate() {
            let id = TableId(at as u32);
            for key in &table.foreign_keys {
                for (own, other) in key.columns.iter().zip(&key.referenced) {
                    values.join(Place::Column(id, *own), Place::Column(key.parent, *other));
                }
            }
            for check in &table.checks {
                let source = Source {
                    table: id,
                    name: table.name.text.clone(),
                    join: ser_isolation_model::ast::Join::Cross,
                    span: table.span,
                };
                values.expr(0, &check.condition, &[&[source]]);
            }
        }
        for (at, transaction) in program.transactions.iter().enumerate() {
            values.block(at, &transaction.body);
        }
        // Rows that are there at the start belong to no transaction.
        program.seed.iter().for_each(|it| values.sql(usize::MAX, it));
        for (at, table) in program.tables.iter().enumerate() {
            for key in &table.keys {
                for column in &key.columns {
                    let root = values.root(Place::Column(TableId(at as u32), *column));
                    values.keys.insert(root, true);
                }
            }
        }
        values
    }

    fn root(&self, mut place: Place) -> Place {
        while let Some(next) = self.same.get(&place) {
            place = *next;
        }
        place
    }

    fn join(&mut self, one: Place, other: Place) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            let values = self.mentioned.remove(&one).unwrap_or_default();
            self.mentioned.entry(other).or_default().extend(values);
            self.same.insert(one, other);
        }
    }

    fn block(&mut self, transaction: usize, block: &[Statement]) {
        for statement in block {
            match &statement.kind {
                StatementKind::Sql(sql) => self.sql(transaction, sql),
                StatementKind::Assign(variable, expr) => {
                    self.meet(transaction, &Place::Variable(transaction, *variable), expr, &[]);
                    self.expr(transaction, expr, &[]);
                }
                StatementKind::If(cases, otherwise) => {
                    for (condition, block) in cases {
                        self.expr(transaction, condition, &[]);
                        self.block(transaction, block);
                    }
                    self.block(transaction, otherwise);
                }
                StatementKind::Loop { condition, body, .. } => {
                    condition.iter().for_each(|it| self.expr(transaction, it, &[]));
                    self.block(transaction, body);
                }
                StatementKind::ForRange { body, .. } => self.block(transaction, body),
                StatementKind::ForRows { sql, body, .. } => {
                    self.sql(transaction, sql);
                    self.block(transaction, body);
                }
                StatementKind::Fail { unless, .. } => {
                    unless.iter().for_each(|it| self.expr(transaction, it, &[]));
                }
                _ => {}
            }
        }
    }

    fn sql(&mut self, transaction: usize, sql: &Sql) {
        let sets = |values: &mut Values<'p>,
                    table: TableId,
                    sets: &[(ColumnId, Expr)],
                    scopes: &[&[Source]]| {
            for (column, expr) in sets {
                values.meet(transaction, &Place::Column(table, *column), expr, scopes);
                values.expr(transaction, expr, scopes);
            }
        };
        match &sql.kind {
            SqlKind::Select(query) => {
                self.query(transaction, query, &[]);
                if let ser_isolation_model::ast::Rows::Into { variables, .. } = &sql.rows {
                    for (item, variable) in query.items.iter().zip(variables) {
                        let place = Place::Variable(transaction, *variable);
                        self.meet(transaction, &place, &item.expr, &[&query.sources]);
                    }
                }
            }
            SqlKind::Insert(insert) => {
                if let InsertRows::Values(rows) = &insert.rows {
                    for row in rows {
                        for (column, expr) in insert.columns.iter().zip(row) {
                            if let Some(expr) = expr {
                                let place = Place::Column(insert.table, *column);
                                self.meet(transaction, &place, expr, &[]);
                            }
                        }
                    }
                }
                if let InsertRows::Query(query) = &insert.rows {
                    self.query(transaction, query, &[]);
                    for (column, item) in insert.columns.iter().zip(&query.items) {
                        let place = Place::Column(insert.table, *column);
                        self.meet(transaction, &place, &item.expr, &[&query.sources]);
                    }
                }
                let action = insert.conflict.as_ref().map(|it| &it.action);
                if let Some(ConflictAction::Update { sets: changes, .. }) = action {
                    sets(self, insert.table, changes, &[]);
                }
            }
            SqlKind::Update(update) => {
                let scopes: &[&[Source]] = &[&update.sources];
                if let Some(first) = update.sources.first() {
                    sets(self, first.table, &update.sets, scopes);
                }
                update.filter.iter().for_each(|it| self.expr(transaction, it, scopes));
            }
            SqlKind::Delete(delete) => {
                let scopes: &[&[Source]] = &[&delete.sources];
                delete.filter.iter().for_each(|it| self.expr(transaction, it, scopes));
            }
        }
    }

    /// `scopes`: the sources of the queries around, innermost first.
    fn query(&mut self, transaction: usize, query: &Query, outer: &[&[Source]]) {
        let mut scopes: Vec<&[Source]> = vec![&query.sources];
        scopes.extend(outer);
        let items = query.items.iter().map(|it| &it.expr);
        for expr in items.chain(&query.filter).chain(&query.having) {
            self.expr(transaction, expr, &scopes);
        }
        for source in &query.sources {
            if let ser_isolation_model::ast::Join::Inner(it)
            | ser_isolation_model::ast::Join::Left(it) = &source.join
            {
                self.expr(transaction, it, &scopes);
            }
        }
    }

    fn expr(&mut self, transaction: usize, expr: &Expr, scopes: &[&[Source]]) {
        let mut all: Vec<&Expr> = Vec::new();
        expr.walk(&mut |it| all.push(it));
        for it in all {
            match &it.kind {
                ExprKind::Binary(
                    BinaryOp::Equal
                    | BinaryOp::NotEqual
                    | BinaryOp::Less
                    | BinaryOp::LessEqual
                    | BinaryOp::Greater
                    | BinaryOp::GreaterEqual
                    | BinaryOp::Same,
                    left,
                    right,
                ) => {
                    if let Some(place) = place(transaction, left, scopes) {
                        self.meet(transaction, &place, right, scopes);
                    }
                    if let Some(place) = place(transaction, right, scopes) {
                        self.meet(transaction, &place, left, scopes);
                    }
                }
                ExprKind::InList(it, list) => {
                    if let Some(place) = place(transaction, it, scopes) {
                        list.iter().for_each(|it| self.meet(transaction, &place, it, scopes));
                    }
                }
                ExprKind::InQuery(it, query) => {
                    self.query(transaction, query, scopes);
                    let item = query.items.first().map(|it| &it.expr);
                    let mut inner: Vec<&[Source]> = vec![&query.sources];
                    inner.extend(scopes);
                    let other = item.and_then(|it| place(transaction, it, &inner));
                    if let (Some(one), Some(other)) = (place(transaction, it, scopes), other) {
                        self.join(one, other);
                    }
                }
                ExprKind::Exists(query) | ExprKind::Scalar(query) => {
                    self.query(transaction, query, scopes);
                }
                _ => {}
            }
        }
    }

    /// A place is compared with, or gets, an expression.
    fn meet(&mut self, transaction: usize, one: &Place, expr: &Expr, scopes: &[&[Source]]) {
        if let ExprKind::Value(value) = &expr.kind {
            let root = self.root(*one);
            let known = self.mentioned.entry(root).or_default();
            if !known.contains(value) && !value.is_null() {
                known.push(value.clone());
            }
        } else if let Some(other) = place(transaction, expr, scopes) {
            self.join(*one, other);
        }
    }

    /// What may stand at a place.
    fn domain(&self, place: Place, ty: Type) -> Vec<Value> {
        let root = self.root(place);
        let key = self.keys.contains_key(&root);
        let mut all = self.mentioned.get(&root).cloned().unwrap_or_default();
        let own = match (ty, key) {
            (Type::Int, true) => vec![Value::Int(1), Value::Int(2)],
            (Type::Int, false) => {
                let near = all.iter().flat_map(|it| match it {
                    Value::Int(it) => vec![it.saturating_add(1), it.saturating_add(it / 2)],
                    _ => Vec::new(),
                });
                let near: Vec<Value> = near.map(Value::Int).collect();
                let usual = [1, 2, 5, 10, 100, 0].map(Value::Int);
                usual.into_iter().chain(near).collect()
            }
            (Type::Decimal, _) => {
                [1, 10, 100, 50, 150, 250].map(|it| Value::Decimal(it.into())).into()
            }
            (Type::Text, _) if all.len() < 2 || key => vec![Value::text("a"), Value::text("b")],
            (Type::Text, _) => Vec::new(),
            (Type::Bool, _) => vec![Value::Bool(true), Value::Bool(false)],
            (Type::Time, _) => vec![Value::text("2026-01-01 00:00:00+00")],
        };
        all.retain(|it| fits(it, ty));
        for value in own {
            if !all.contains(&value) {
                all.push(value);
            }
        }
        all
    }

    /// Up to so many rows for each table, with references to rows that are there; not those that
    /// the tables do not allow.
    pub fn rows(&self, random: &mut fastrand::Rng, most: usize) -> Vec<(TableId, Vec<Value>)> {
        let mut rows: Vec<(TableId, Vec<Value>)> = Vec::new();
        let Ok(mut engine) = Engine::new(self.program) else { return rows };
        for (at, table) in self.program.tables.iter().enumerate() {
            let id = TableId(at as u32);
            for _ in 0..most {
                let mut row = Vec::new();
                for (at, column) in table.columns.iter().enumerate() {
                    let place = Place::Column(id, ColumnId(at as u32));
                    let domain = self.domain(place, column.ty);
                    let null = !column.not_null && random.u8(..10) == 0;
                    let value = match (&column.default, null) {
                        // What the server numbers by itself does not meet what is there.
                        (Some(Default_::Sequence), _) => Value::Int(1001 + rows.len() as i64),
                        (_, true) => Value::Null,
                        _ => domain[random.usize(..domain.len())].clone(),
                    };
                    row.push(value);
                }
                for key in &table.foreign_keys {
                    let parents = engine.contents(key.parent);
                    let null = key.columns.iter().any(|it| row[it.0 as usize].is_null());
                    if !null && !parents.is_empty() {
                        let parent = &parents[random.usize(..parents.len())];
                        for (own, other) in key.columns.iter().zip(&key.referenced) {
                            row[own.0 as usize] = parent[other.0 as usize].clone();
                        }
                    }
                }
                if engine.put(id, row.clone()).is_ok() {
                    rows.push((id, row));
                }
            }
        }
        rows
    }

    /// Arguments for a transaction.
    pub fn arguments(&self, transaction: usize, random: &mut fastrand::Rng) -> Vec<Value> {
        let declared = &self.program.transactions[transaction];
        let parameters = declared.variables.iter().take(declared.parameters).enumerate();
        let choose = |(at, variable): (usize, &ser_isolation_model::ast::Variable)| {
            let place = Place::Variable(transaction, VariableId(at as u32));
            let domain = self.domain(place, variable.ty);
            let at = match self.agree {
                Some(number) if !self.keys.contains_key(&self.root(place)) => number,
                _ => random.usize(..),
            };
            domain[at % domain.len()].clone()
        };
        parameters.map(choose).collect()
    }
}

fn fits(value: &Value, ty: Type) -> bool {
    matches!(
        (value, ty),
        (Value::Int(_), Type::Int | Type::Decimal)
            | (Value::Decimal(_), Type::Decimal)
            | (Value::Text(_), Type::Text | Type::Time)
            | (Value::Bool(_), Type::Bool)
    )
}

fn place(transaction: usize, expr: &Expr, scopes: &[&[Source]]) -> Option<Place> {
    match &expr.kind {
        ExprKind::Variable(variable) => Some(Place::Variable(transaction, *variable)),
        ExprKind::Column { up, source, column } => {
            let sources = scopes.get(*up as usize)?;
            Some(Place::Column(sources.get(*source as usize)?.table, *column))
        }
        ExprKind::Cast(it, _) => place(transaction, it, scopes),
        _ => None,
    }
}
