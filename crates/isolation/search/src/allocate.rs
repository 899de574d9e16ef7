//! The lowest level for each transaction.
//!
//! How low others run does not matter to a transaction that is split below SERIALIZABLE; at SERIALIZABLE,
//! a level that is raised only excludes more (theorem of `split`). So a set that is robust stays so
//! when a level is raised, and going down one transaction after the other finds levels of which none can be
//! lowered alone. PostgreSQL's SERIALIZABLE for all is robust, but for what it does not track, such
//! as unique keys.

use crate::robust::Search;
use ser_base::{Limits, Stop};
use ser_isolation_model::ast::Level;

/// The lowest levels, and why they are not lower.
#[derive(Clone, PartialEq, Debug)]
pub struct Allocation {
    pub levels: Vec<Level>,
    /// For each transaction that needs more than READ COMMITTED.
    pub needs: Vec<Need>,
}

/// A cycle that comes up if one transaction runs one level lower.
#[derive(Clone, PartialEq, Debug)]
pub struct Need {
    pub transaction: usize,
    pub lower: Level,
    pub cycle: crate::Cycle,
}

const UP: [Level; 3] = [Level::ReadCommitted, Level::RepeatableRead, Level::Serializable];

/// The lowest levels for which transactions are robust; a cycle if there are none.
pub fn allocate(
    search: &Search,
    transactions: usize,
    limits: &Limits,
) -> Result<Result<Allocation, crate::Cycle>, Stop> {
    let mut levels = vec![Level::Serializable; transactions];
    // What splits a transaction below SERIALIZABLE is the same whatever the others do.
    for transaction in 0..transactions {
        for level in [Level::ReadCommitted, Level::RepeatableRead] {
            levels[transaction] = level;
            if search.cycle_of(transaction, &levels, limits)?.is_none() {
                break;
            }
            levels[transaction] = Level::Serializable;
        }
    }
    let low = levels.clone();
    // Those that are split at SERIALIZABLE may need others at that level.
    let strict: Vec<usize> =
        (0..transactions).filter(|it| low[*it] == Level::Serializable).collect();
    let broken = |levels: &[Level]| -> Result<Option<crate::Cycle>, Stop> {
        for it in &strict {
            if let Some(cycle) = search.cycle_of(*it, levels, limits)? {
                return Ok(Some(cycle));
            }
        }
        Ok(None)
    };
    while let Some(cycle) = broken(&levels)? {
        let mut raised = false;
        let last = cycle.members.len() - 1;
        for member in [1, last] {
            let transaction = cycle.members[member].transaction;
            raised |= levels[transaction] != Level::Serializable;
            levels[transaction] = Level::Serializable;
        }
        if !raised {
            return Ok(Err(cycle));
        }
    }
    // Raising both ends of a cycle may have been more than it takes.
    for transaction in 0..transactions {
        if levels[transaction] != low[transaction] {
            for level in UP.into_iter().filter(|it| *it >= low[transaction]) {
                levels[transaction] = level;
                if broken(&levels)?.is_none() {
                    break;
                }
            }
        }
    }
    let mut needs = Vec::new();
    for transaction in 0..transactions {
        let lower = match levels[transaction] {
            Level::ReadCommitted => continue,
            Level::RepeatableRead => Level::ReadCommitted,
            Level::Serializable => Level::RepeatableRead,
        };
        let mut lowered = levels.clone();
        lowered[transaction] = lower;
        let own = search.cycle_of(transaction, &lowered, limits)?;
        let cycle = match own {
            Some(cycle) => Some(cycle),
            None => broken(&lowered)?,
        };
        if let Some(cycle) = cycle {
            needs.push(Need { transaction, lower, cycle });
        }
    }
    Ok(Ok(Allocation { levels, needs }))
}
