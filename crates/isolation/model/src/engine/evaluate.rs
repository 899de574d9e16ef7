//! What expressions and queries give, on what a command sees.

use super::failure::Failure;
use super::rows::{RowId, Values, View};
use super::tables::Tables;
use crate::ast::{
    Aggregate, BinaryOp, Expr, ExprKind, Function, Item, Join, Query, Source, UnaryOp,
};
use crate::value::{Decimal, Type, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// How many combinations of rows a query may look at.
const MAX_COMBINATIONS: usize = 100_000;

/// How deep queries may be nested in one another.
const MAX_DEPTH: usize = 32;

/// A row of each source; nothing is the missing side of a `LEFT JOIN`.
pub type Combination = Vec<Option<(RowId, usize, Values)>>;

/// What an expression is evaluated in.
#[derive(Clone, Copy)]
pub struct Evaluator<'a> {
    pub tables: &'a Tables,
    pub view: View,
    pub variables: &'a [Value],
    pub found: bool,
}

/// The rows that columns refer to.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub rows: &'a [Option<Values>],
    /// The rows of a group, for aggregates.
    pub group: Option<&'a [Vec<Option<Values>>]>,
    pub outer: Option<&'a Scope<'a>>,
}

impl Scope<'_> {
    /// No rows at all.
    pub const NONE: Scope<'static> = Scope { rows: &[], group: None, outer: None };

    fn depth(&self) -> usize {
        1 + self.outer.map_or(0, Scope::depth)
    }
}

/// The values of a combination, without saying which rows they are from.
pub fn values_of(combination: &Combination) -> Vec<Option<Values>> {
    combination.iter().map(|it| it.as_ref().map(|(_, _, values)| values.clone())).collect()
}

impl Evaluator<'_> {
    /// Whether a condition holds; `NULL` does not.
    pub fn holds(&self, condition: &Expr, scope: &Scope<'_>) -> Result<bool, Failure> {
        Ok(self.expr(condition, scope)? == Value::Bool(true))
    }

    pub fn expr(&self, expr: &Expr, scope: &Scope<'_>) -> Result<Value, Failure> {
        match &expr.kind {
            ExprKind::Value(value) => Ok(value.clone()),
            ExprKind::Column { up, source, column } => {
                let mut scope = scope;
                for _ in 0..*up {
                    scope = scope.outer.ok_or_else(|| beyond("a column of no query"))?;
                }
                let row = scope.rows.get(*source as usize);
                let row = row.ok_or_else(|| beyond("a column of no source"))?;
                let value = row.as_ref().map(|row| row.get(column.0 as usize).cloned());
                value.unwrap_or(Some(Value::Null)).ok_or_else(|| beyond("no such column"))
            }
            ExprKind::Variable(id) => {
                let value = self.variables.get(id.0 as usize).cloned();
                value.ok_or_else(|| beyond("no such variable"))
            }
            ExprKind::Found => Ok(Value::Bool(self.found)),
            ExprKind::Unary(UnaryOp::Not, it) => Ok(match self.expr(it, scope)? {
                Value::Bool(it) => Value::Bool(!it),
                _ => Value::Null,
            }),
            ExprKind::Unary(UnaryOp::Minus, it) => {
                arithmetic(BinaryOp::Subtract, &Value::Int(0), &self.expr(it, scope)?)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, scope),
            ExprKind::IsNull(it) => Ok(Value::Bool(self.expr(it, scope)?.is_null())),
            ExprKind::InList(it, list) => {
                let it = self.expr(it, scope)?;
                let list = list.iter().map(|other| self.expr(other, scope));
                among(&it, list)
            }
            ExprKind::InQuery(it, query) => {
                let it = self.expr(it, scope)?;
                let rows = self.query(query, Some(scope))?;
                among(
                    &it,
                    rows.into_iter().map(|row| Ok(row.first().cloned().unwrap_or(Value::Null))),
                )
            }
            ExprKind::Exists(query) => Ok(Value::Bool(!self.query(query, Some(scope))?.is_empty())),
            ExprKind::Scalar(query) => {
                let mut rows = self.query(query, Some(scope))?;
                match rows.len() {
                    0 => Ok(Value::Null),
                    1 => Ok(rows.remove(0).into_iter().next().unwrap_or(Value::Null)),
                    _ => Err(Failure::Cardinality),
                }
            }
            ExprKind::Case(cases, otherwise) => {
                for (condition, value) in cases {
                    if self.holds(condition, scope)? {
                        return self.expr(value, scope);
                    }
                }
                otherwise.as_ref().map_or(Ok(Value::Null), |it| self.expr(it, scope))
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, scope),
            ExprKind::Aggregate { function, distinct, argument } => {
                let group = scope.group.ok_or_else(|| beyond("an aggregate outside of a group"))?;
                let mut values = Vec::new();
                for rows in group {
                    let one = Scope { rows, group: None, outer: scope.outer };
                    values.push(match argument {
                        None => Value::Bool(true),
                        Some(it) => self.expr(it, &one)?,
                    });
                }
                aggregate(*function, *distinct, values)
            }
            ExprKind::Cast(it, ty) => cast(self.expr(it, scope)?, *ty),
        }
    }

    fn binary(
        &self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        scope: &Scope<'_>,
    ) -> Result<Value, Failure> {
        let left = self.expr(left, scope)?;
        match (op, &left) {
            (BinaryOp::And, Value::Bool(false)) => return Ok(Value::Bool(false)),
            (BinaryOp::Or, Value::Bool(true)) => return Ok(Value::Bool(true)),
            _ => {}
        }
        let right = self.expr(right, scope)?;
        let compared = |yes: fn(Ordering) -> bool| {
            Ok(compare(&left, &right)?.map_or(Value::Null, |it| Value::Bool(yes(it))))
        };
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let decisive = Value::Bool(op == BinaryOp::Or);
                Ok(if right == decisive {
                    decisive
                } else if left.is_null() || right.is_null() {
                    Value::Null
                } else {
                    right
                })
            }
            BinaryOp::Equal => compared(Ordering::is_eq),
            BinaryOp::NotEqual => compared(Ordering::is_ne),
            BinaryOp::Less => compared(Ordering::is_lt),
            BinaryOp::LessEqual => compared(Ordering::is_le),
            BinaryOp::Greater => compared(Ordering::is_gt),
            BinaryOp::GreaterEqual => compared(Ordering::is_ge),
            BinaryOp::Same => Ok(Value::Bool(match (left.is_null(), right.is_null()) {
                (true, true) => true,
                (false, false) => compare(&left, &right)? == Some(Ordering::Equal),
                _ => false,
            })),
            BinaryOp::Concat => Ok(match (written(&left), written(&right)) {
                (Some(left), Some(right)) => Value::text(&format!("{left}{right}")),
                _ => Value::Null,
            }),
            _ => arithmetic(op, &left, &right),
        }
    }

    fn call(
        &self,
        function: Function,
        arguments: &[Expr],
        scope: &Scope<'_>,
    ) -> Result<Value, Failure> {
        if function == Function::Coalesce {
            for argument in arguments {
                let value = self.expr(argument, scope)?;
                if !value.is_null() {
                    return Ok(value);
                }
            }
            return Ok(Value::Null);
        }
        let values: Result<Vec<Value>, Failure> =
            arguments.iter().map(|it| self.expr(it, scope)).collect();
        let values = values?;
        let first = values.first().cloned().unwrap_or(Value::Null);
        let second = values.get(1).cloned().unwrap_or(Value::Null);
        Ok(match function {
            Function::Coalesce => first,
            Function::Now => Value::text("now"),
            Function::Greatest | Function::Least => {
                let wanted =
                    if function == Function::Least { Ordering::Less } else { Ordering::Greater };
                let mut best = Value::Null;
                for value in values {
                    if best.is_null() || compare(&value, &best)? == Some(wanted) {
                        best = value;
                    }
                }
                best
            }
            Function::NullIf => match compare(&first, &second)? {
                Some(Ordering::Equal) => Value::Null,
                _ => first,
            },
            Function::Abs => match first {
                Value::Int(it) => Value::Int(it.checked_abs().ok_or(Failure::OutOfRange)?),
                Value::Decimal(it) => Value::Decimal(Decimal { digits: it.digits.abs(), ..it }),
                _ => Value::Null,
            },
            Function::Modulo => arithmetic(BinaryOp::Modulo, &first, &second)?,
            Function::Lower | Function::Upper | Function::Length => match first {
                Value::Text(it) if function == Function::Lower => Value::text(&it.to_lowercase()),
                Value::Text(it) if function == Function::Upper => Value::text(&it.to_uppercase()),
                Value::Text(it) => Value::Int(it.chars().count() as i64),
                _ => Value::Null,
            },
        })
    }

    /// All combinations of rows that the sources and the condition let through, in the order in
    /// which the server would come to them if it read table after table.
    pub fn combinations(
        &self,
        sources: &[Source],
        filter: Option<&Expr>,
        outer: Option<&Scope<'_>>,
    ) -> Result<Vec<Combination>, Failure> {
        if outer.is_some_and(|it| it.depth() > MAX_DEPTH) {
            return Err(beyond("queries nested too deeply"));
        }
        let mut all: Vec<Combination> = vec![Vec::new()];
        for source in sources {
            let rows = self.tables.scan(source.table, self.view);
            let mut longer = Vec::new();
            for combination in all {
                let mut matched = false;
                for row in &rows {
                    let mut next = combination.clone();
                    next.push(Some(row.clone()));
                    if self.joined(&source.join, &next, outer)? {
                        matched = true;
                        longer.push(next);
                    }
                    if longer.len() > MAX_COMBINATIONS {
                        return Err(beyond("a query that looks at too many rows"));
                    }
                }
                if !matched && matches!(source.join, Join::Left(_)) {
                    let mut next = combination;
                    next.push(None);
                    longer.push(next);
                }
            }
            all = longer;
        }
        let Some(filter) = filter else { return Ok(all) };
        let mut kept = Vec::new();
        for combination in all {
            let rows = values_of(&combination);
            if self.holds(filter, &Scope { rows: &rows, group: None, outer })? {
                kept.push(combination);
            }
        }
        Ok(kept)
    }

    fn joined(
        &self,
        join: &Join,
        combination: &Combination,
        outer: Option<&Scope<'_>>,
    ) -> Result<bool, Failure> {
        match join {
            Join::Cross => Ok(true),
            Join::Inner(condition) | Join::Left(condition) => {
                let rows = values_of(combination);
                self.holds(condition, &Scope { rows: &rows, group: None, outer })
            }
        }
    }

    /// Whether a combination still is one, after a row of it has been found to have changed.
    pub fn still(
        &self,
        sources: &[Source],
        filter: Option<&Expr>,
        combination: &Combination,
    ) -> Result<bool, Failure> {
        for (at, source) in sources.iter().enumerate() {
            let upto: Combination = combination[..=at].to_vec();
            if combination[at].is_some() && !self.joined(&source.join, &upto, None)? {
                return Ok(false);
            }
        }
        let rows = values_of(combination);
        let scope = Scope { rows: &rows, group: None, outer: None };
        filter.map_or(Ok(true), |it| self.holds(it, &scope))
    }

    /// The rows of a query; locks are not its business.
    pub fn query(
        &self,
        query: &Query,
        outer: Option<&Scope<'_>>,
    ) -> Result<Vec<Vec<Value>>, Failure> {
        let combinations = self.combinations(&query.sources, query.filter.as_ref(), outer)?;
        let rows = combinations.iter().map(values_of).collect();
        self.shaped(query, rows, outer)
    }

    /// Grouped, sorted, cut and projected.
    pub fn shaped(
        &self,
        query: &Query,
        rows: Vec<Vec<Option<Values>>>,
        outer: Option<&Scope<'_>>,
    ) -> Result<Vec<Vec<Value>>, Failure> {
        // A row of the result with what it is sorted by.
        let mut results: Vec<(Vec<Value>, Vec<Value>)> = Vec::new();
        let mut add = |scope: &Scope<'_>| -> Result<(), Failure> {
            let order = query.order_by.iter().map(|it| self.expr(&it.expr, scope));
            let order = order.collect::<Result<Vec<Value>, Failure>>()?;
            results.push((self.items(&query.items, scope)?, order));
            Ok(())
        };
        if query.is_grouped() {
            /// What rows are grouped by, and these rows.
            type Group = (Vec<Value>, Vec<Vec<Option<Values>>>);
            let mut groups: Vec<Group> = Vec::new();
            for row in rows {
                let scope = Scope { rows: &row, group: None, outer };
                let key = query.group_by.iter().map(|it| self.expr(it, &scope));
                let key = key.collect::<Result<Vec<Value>, Failure>>()?;
                match groups.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, group)) => group.push(row),
                    None => groups.push((key, vec![row])),
                }
            }
            if groups.is_empty() && query.group_by.is_empty() {
                groups.push((Vec::new(), Vec::new()));
            }
            let nothing = vec![None; query.sources.len()];
            for (_, group) in &groups {
                let rows = group.first().unwrap_or(&nothing);
                let scope = Scope { rows, group: Some(group), outer };
                if query.having.as_ref().map_or(Ok(true), |it| self.holds(it, &scope))? {
                    add(&scope)?;
                }
            }
        } else {
            for row in &rows {
                add(&Scope { rows: row, group: None, outer })?;
            }
        }
        self.sort(query, &mut results)?;
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for (row, _) in results {
            if !query.distinct || !rows.contains(&row) {
                rows.push(row);
            }
        }
        let (skipped, most) = self.range(query, outer)?;
        Ok(rows.into_iter().skip(skipped).take(most).collect())
    }

    /// Sorts by the values that come with each of them.
    pub fn sort<T>(&self, query: &Query, all: &mut [(T, Vec<Value>)]) -> Result<(), Failure> {
        // Values of different types cannot be sorted: find that out first.
        for (_, order) in all.iter() {
            for (value, first) in order.iter().zip(all.first().map_or(&[][..], |it| &it.1)) {
                compare(value, first)?;
            }
        }
        all.sort_by(|(_, left), (_, right)| {
            let each = query.order_by.iter().zip(left.iter().zip(right));
            each.fold(Ordering::Equal, |known, (order, (left, right))| {
                known.then_with(|| match (left.is_null(), right.is_null()) {
                    (true, true) => Ordering::Equal,
                    (true, false) if order.nulls_first => Ordering::Less,
                    (true, false) => Ordering::Greater,
                    (false, true) if order.nulls_first => Ordering::Greater,
                    (false, true) => Ordering::Less,
                    (false, false) => {
                        let it = compare(left, right).ok().flatten().unwrap_or(Ordering::Equal);
                        if order.descending { it.reverse() } else { it }
                    }
                })
            })
        });
        Ok(())
    }

    /// `OFFSET` and `LIMIT`.
    pub fn range(
        &self,
        query: &Query,
        outer: Option<&Scope<'_>>,
    ) -> Result<(usize, usize), Failure> {
        let scope = outer.copied().unwrap_or(Scope::NONE);
        let number = |it: &Option<Expr>, otherwise: usize| match it {
            None => Ok(otherwise),
            Some(it) => match self.expr(it, &scope)? {
                Value::Int(it) => usize::try_from(it).map_err(|_| Failure::OutOfRange),
                Value::Null => Ok(otherwise),
                _ => Err(beyond("a limit that is no integer")),
            },
        };
        Ok((number(&query.offset, 0)?, number(&query.limit, usize::MAX)?))
    }

    pub fn items(&self, items: &[Item], scope: &Scope<'_>) -> Result<Vec<Value>, Failure> {
        items.iter().map(|it| self.expr(&it.expr, scope)).collect()
    }
}

pub fn beyond(what: &str) -> Failure {
    Failure::Beyond(what.to_owned())
}

/// Nothing if one of them is `NULL`.
pub fn compare(left: &Value, right: &Value) -> Result<Option<Ordering>, Failure> {
    Ok(Some(match (left, right) {
        (Value::Null, _) | (_, Value::Null) => return Ok(None),
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Text(left), Value::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        _ => match (decimal(left), decimal(right)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => return Err(beyond("a comparison of values of different types")),
        },
    }))
}

fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Int(it) => Some((*it).into()),
        Value::Decimal(it) => Some(*it),
        _ => None,
    }
}

/// `IN`: true, or `NULL` if one of the others is, or false.
fn among(
    it: &Value,
    others: impl Iterator<Item = Result<Value, Failure>>,
) -> Result<Value, Failure> {
    let mut unknown = false;
    for other in others {
        match compare(it, &other?)? {
            Some(Ordering::Equal) => return Ok(Value::Bool(true)),
            Some(_) => {}
            None => unknown = true,
        }
    }
    Ok(if unknown { Value::Null } else { Value::Bool(false) })
}

fn arithmetic(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Failure> {
    if left.is_null() || right.is_null() {
        return Ok(Value::Null);
    }
    if let (Value::Int(left), Value::Int(right)) = (left, right) {
        if matches!(op, BinaryOp::Divide | BinaryOp::Modulo) && *right == 0 {
            return Err(Failure::DivisionByZero);
        }
        let result = match op {
            BinaryOp::Add => left.checked_add(*right),
            BinaryOp::Subtract => left.checked_sub(*right),
            BinaryOp::Multiply => left.checked_mul(*right),
            BinaryOp::Divide => left.checked_div(*right),
            BinaryOp::Modulo => left.checked_rem(*right),
            _ => None,
        };
        return result.map(Value::Int).ok_or(Failure::OutOfRange);
    }
    let (Some(left), Some(right)) = (decimal(left), decimal(right)) else {
        return Err(beyond("arithmetic on something that is no number"));
    };
    let both = left.aligned(right).ok_or(Failure::OutOfRange)?;
    let (digits, scale) = match op {
        BinaryOp::Add => (both.0.checked_add(both.1), both.2),
        BinaryOp::Subtract => (both.0.checked_sub(both.1), both.2),
        BinaryOp::Multiply => {
            (left.digits.checked_mul(right.digits), left.scale.saturating_add(right.scale))
        }
        BinaryOp::Divide | BinaryOp::Modulo if right.digits == 0 => {
            return Err(Failure::DivisionByZero);
        }
        BinaryOp::Modulo => (both.0.checked_rem(both.1), both.2),
        // How many digits the server keeps depends on more than is known here.
        _ => return Err(beyond("a division of decimal numbers")),
    };
    Ok(Value::Decimal(Decimal { digits: digits.ok_or(Failure::OutOfRange)?, scale }))
}

fn aggregate(
    function: Aggregate,
    distinct: bool,
    mut values: Vec<Value>,
) -> Result<Value, Failure> {
    values.retain(|it| !it.is_null());
    if distinct {
        let mut seen: Vec<Value> = Vec::new();
        for value in values {
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
        values = seen;
    }
    if function == Aggregate::Count {
        return Ok(Value::Int(values.len() as i64));
    }
    let count = values.len();
    let Some(first) = values.pop() else { return Ok(Value::Null) };
    let wanted = match function {
        Aggregate::Min => Some(Ordering::Less),
        Aggregate::Max => Some(Ordering::Greater),
        _ => None,
    };
    let mut result = first;
    for value in values {
        match wanted {
            Some(wanted) if compare(&value, &result)? == Some(wanted) => result = value,
            Some(_) => {}
            None => result = arithmetic(BinaryOp::Add, &result, &value)?,
        }
    }
    match function {
        Aggregate::Avg => average(&result, count),
        _ => Ok(result),
    }
}

/// Only averages that are whole numbers: the digits of others depend on more than is known here.
fn average(sum: &Value, count: usize) -> Result<Value, Failure> {
    let (Some(sum), Ok(count)) = (decimal(sum), i128::try_from(count)) else {
        return Err(beyond("an average of something that is no number"));
    };
    if sum.digits % count != 0 {
        return Err(beyond("an average that is no whole number"));
    }
    Ok(Value::Decimal(Decimal { digits: sum.digits / count, scale: sum.scale }))
}

/// As the server writes it in a text.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Text(it) => Some(it.to_string()),
        Value::Bool(it) => Some(if *it { "true" } else { "false" }.to_owned()),
        other => Some(other.to_string()),
    }
}

/// A value as one of this type: what `::` does, and storing it in a column.
pub fn cast(value: Value, ty: Type) -> Result<Value, Failure> {
    Ok(match (value, ty) {
        (Value::Null, _) => Value::Null,
        (Value::Int(it), Type::Decimal) => Value::Decimal(it.into()),
        (Value::Decimal(it), Type::Int) => {
            // Rounded, halves away from zero.
            let unit = 10i128.checked_pow(it.scale).ok_or(Failure::OutOfRange)?;
            let half = if it.digits < 0 { -(unit / 2) } else { unit / 2 };
            let whole = if it.scale == 0 { it.digits } else { (it.digits + half) / unit };
            Value::Int(i64::try_from(whole).map_err(|_| Failure::OutOfRange)?)
        }
        (Value::Text(it), Type::Int) => {
            Value::Int(it.trim().parse().map_err(|_| beyond("a text that is no integer"))?)
        }
        (Value::Text(it), Type::Decimal) => {
            let read = Decimal::read(it.trim());
            Value::Decimal(read.ok_or_else(|| beyond("a text that is no number"))?)
        }
        (value @ (Value::Int(_) | Value::Decimal(_) | Value::Bool(_)), Type::Text) => {
            written(&value).map_or(Value::Null, |it| Value::Text(Arc::from(it)))
        }
        (Value::Bool(it), Type::Int) => Value::Int(it.into()),
        (Value::Int(it), Type::Bool) => Value::Bool(it != 0),
        (value @ Value::Int(_), Type::Int)
        | (value @ Value::Decimal(_), Type::Decimal)
        | (value @ Value::Bool(_), Type::Bool)
        | (value @ Value::Text(_), Type::Text | Type::Time) => value,
        (Value::Text(it), Type::Bool) => match it.to_lowercase().as_str() {
            "t" | "true" | "yes" | "on" | "1" => Value::Bool(true),
            "f" | "false" | "no" | "off" | "0" => Value::Bool(false),
            _ => return Err(beyond("a text that is no truth value")),
        },
        _ => return Err(beyond("a cast between types that do not fit")),
    })
}

/// A value as it is stored: cast, rounded to so many digits behind the point, not too long.
pub fn store(
    value: Value,
    ty: Type,
    scale: Option<u32>,
    length: Option<u32>,
) -> Result<Value, Failure> {
    let value = cast(value, ty)?;
    match (&value, scale, length) {
        (Value::Decimal(it), Some(scale), _) if it.scale > scale => {
            let unit = 10i128.checked_pow(it.scale - scale).ok_or(Failure::OutOfRange)?;
            let half = if it.digits < 0 { -(unit / 2) } else { unit / 2 };
            Ok(Value::Decimal(Decimal { digits: (it.digits + half) / unit, scale }))
        }
        (Value::Text(it), _, Some(length)) if it.chars().count() > length as usize => {
            Err(Failure::TooLong)
        }
        _ => Ok(value),
    }
}
