//! The fewest reads to lock.
//!
//! Each `SELECT` without a lock may get one, `FOR SHARE` or `FOR UPDATE`, and what then comes of
//! the set of transactions is decided again from the tree. Only single changes and pairs are tried:
//! whoever has to lock three reads is better off with another level.

use crate::robust::Search;
use ser_base::{Limits, Span, Stop};
use ser_isolation_model::ast::{
    Level, Locking, Program, Query, Sql, SqlKind, Statement, StatementKind, Strength, Wait,
};
use ser_isolation_model::operations::Operations;

/// A `SELECT` that gets a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lock {
    pub transaction: usize,
    /// The statement.
    pub span: Span,
    pub strength: Strength,
}

/// The smallest sets of locks that make a program robust for the level of each transaction: all of
/// one lock, or all of two; none if two are not enough. The weaker lock comes first.
pub fn repairs(
    program: &Program,
    levels: &[Level],
    limits: &Limits,
) -> Result<Vec<Vec<Lock>>, Stop> {
    let mut locks = Vec::new();
    for (transaction, it) in program.transactions.iter().enumerate() {
        let mut spans = Vec::new();
        each(&it.body, &mut |sql| {
            if can_lock(sql) {
                spans.push(sql.span);
            }
        });
        let both = [Strength::Share, Strength::Update];
        locks.extend(
            spans
                .into_iter()
                .flat_map(|span| both.map(|strength| Lock { transaction, span, strength })),
        );
    }
    let robust = |chosen: &[Lock]| -> Result<bool, Stop> {
        let changed = locked(program, chosen);
        let search = Search::new(Operations::of(&changed));
        if !search.system().operations().outside.is_empty() {
            return Ok(false);
        }
        for transaction in 0..levels.len() {
            if search.cycle_of(transaction, levels, limits)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let mut found: Vec<Vec<Lock>> = Vec::new();
    for lock in &locks {
        let weaker = found.iter().any(|it| it[0].span == lock.span);
        if !weaker && robust(&[*lock])? {
            found.push(vec![*lock]);
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    for (number, one) in locks.iter().enumerate() {
        for other in locks[number + 1..].iter().filter(|it| it.span != one.span) {
            let spans = |it: &Vec<Lock>| it[0].span == one.span && it[1].span == other.span;
            if !found.iter().any(spans) && robust(&[*one, *other])? {
                found.push(vec![*one, *other]);
            }
        }
    }
    Ok(found)
}

/// The program with some of its reads locked.
pub fn locked(program: &Program, locks: &[Lock]) -> Program {
    let mut program = program.clone();
    for lock in locks {
        let Some(transaction) = program.transactions.get_mut(lock.transaction) else { continue };
        each_mut(&mut transaction.body, &mut |sql| {
            if sql.span == lock.span
                && let SqlKind::Select(query) = &mut sql.kind
            {
                let strength = lock.strength;
                query.locks = vec![Locking { strength, of: Vec::new(), wait: Wait::Wait }];
            }
        });
    }
    program
}

/// PostgreSQL locks rows only where each row of the result is one of a table.
fn can_lock(sql: &Sql) -> bool {
    let SqlKind::Select(query) = &sql.kind else { return false };
    let Query { sources, locks, distinct, group_by, having, .. } = query;
    !sources.is_empty()
        && locks.is_empty()
        && !*distinct
        && group_by.is_empty()
        && having.is_none()
        && !query.is_grouped()
}

fn each(block: &[Statement], see: &mut dyn FnMut(&Sql)) {
    for statement in block {
        match &statement.kind {
            StatementKind::Sql(sql) => see(sql),
            StatementKind::If(arms, otherwise) => {
                arms.iter().for_each(|(_, it)| each(it, see));
                each(otherwise, see);
            }
            StatementKind::Loop { body, .. } | StatementKind::ForRange { body, .. } => {
                each(body, see);
            }
            StatementKind::ForRows { sql, body, .. } => {
                see(sql);
                each(body, see);
            }
            _ => {}
        }
    }
}

fn each_mut(block: &mut [Statement], change: &mut dyn FnMut(&mut Sql)) {
    for statement in block {
        match &mut statement.kind {
            StatementKind::Sql(sql) => change(sql),
            StatementKind::If(arms, otherwise) => {
                arms.iter_mut().for_each(|(_, it)| each_mut(it, change));
                each_mut(otherwise, change);
            }
            StatementKind::Loop { body, .. } | StatementKind::ForRange { body, .. } => {
                each_mut(body, change);
            }
            StatementKind::ForRows { sql, body, .. } => {
                change(sql);
                each_mut(body, change);
            }
            _ => {}
        }
    }
}
