//! The lowest level for each transaction.
//!
//! How low others run does not matter to a transaction that is split below SERIALIZABLE; at
//! SERIALIZABLE, a level that is raised only excludes more (theorem of `split`). So a set that is
//! robust stays so when a level is raised, and going down one transaction after the other finds
//! levels of which none can be lowered alone. SERIALIZABLE for all is robust; so there always are
//! such levels.

use crate::robust::Search;
use ser_base::{Limits, Stop};
use ser_isolation_model::ast::Level;
use ser_isolation_model::operations::Outside;

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

/// The lowest levels for which transactions are robust, or the statements that no proof covers.
pub fn allocate(
    search: &Search,
    transactions: usize,
    limits: &Limits,
) -> Result<Result<Allocation, Vec<Outside>>, Stop> {
    let outside = &search.system().operations().outside;
    if !outside.is_empty() {
        return Ok(Err(outside.clone()));
    }
    let mut levels = vec![Level::Serializable; transactions];
    let mut cycles: Vec<Option<(Level, crate::Cycle)>> = vec![None; transactions];
    // What splits a transaction below SERIALIZABLE is the same whatever the others do.
    for transaction in 0..transactions {
        for level in [Level::ReadCommitted, Level::RepeatableRead] {
            levels[transaction] = level;
            match search.cycle_of(transaction, &levels, limits)? {
                Some(cycle) => cycles[transaction] = Some((level, cycle)),
                None => break,
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
        // The ends of the cycle first; the others are needed only where the server looks at more
        // than snapshots.
        let last = cycle.members.len() - 1;
        let mut raise = |members: &mut dyn Iterator<Item = usize>| {
            let mut raised = false;
            for member in members {
                let transaction = cycle.members[member].transaction;
                raised |= levels[transaction] != Level::Serializable;
                levels[transaction] = Level::Serializable;
            }
            raised
        };
        if !raise(&mut [1, last].into_iter()) && !raise(&mut (0..=last)) {
            break;
        }
    }
    // That may have been more than it takes.
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
        let cycle = match cycles[transaction].take() {
            // Others may run at any level there: at their own, then.
            Some((level, mut cycle)) if level == lower => {
                for member in cycle.members.iter_mut().filter(|it| it.transaction != transaction) {
                    member.level = levels[member.transaction];
                }
                Some(cycle)
            }
            _ => {
                let mut lowered = levels.clone();
                lowered[transaction] = lower;
                broken(&lowered)?
            }
        };
        if let Some(cycle) = cycle {
            needs.push(Need { transaction, lower, cycle });
        }
    }
    Ok(Ok(Allocation { levels, needs }))
}
