//! The largest sets of transactions that are robust at one level.

use crate::robust::Search;
use ser_base::{Limits, Stop};
use ser_isolation_model::ast::{Level, Program};
use ser_isolation_model::operations::Operations;

/// How many transactions there may be for all sets to be tried.
const MOST: usize = 10;

/// A program with only some of its transactions: nothing else ever happens.
pub fn only(program: &Program, keep: &dyn Fn(usize) -> bool) -> Program {
    let mut program = program.clone();
    let mut number = 0;
    program.transactions.retain(|_| {
        number += 1;
        keep(number - 1)
    });
    program
}

/// All sets that are robust at a level, but for those within others; nothing if there are too many
/// transactions to try. A part of a robust set is robust, because less can happen.
pub fn largest_robust(
    program: &Program,
    level: Level,
    limits: &Limits,
) -> Result<Option<Vec<Vec<usize>>>, Stop> {
    let count = program.transactions.len();
    if count > MOST {
        return Ok(None);
    }
    let mut sets: Vec<u32> = (1..1 << count).collect();
    sets.sort_by_key(|it| (std::cmp::Reverse(it.count_ones()), *it));
    let mut largest: Vec<u32> = Vec::new();
    for set in sets {
        if largest.iter().any(|it| it & set == set) {
            continue;
        }
        let part = only(program, &|it| set & (1 << it) != 0);
        let operations = Operations::of(&part);
        if !operations.outside.is_empty() {
            continue;
        }
        let search = Search::new(operations);
        let levels = vec![level; part.transactions.len()];
        let mut robust = true;
        for transaction in 0..part.transactions.len() {
            robust &= search.cycle_of(transaction, &levels, limits)?.is_none();
            if !robust {
                break;
            }
        }
        if robust {
            largest.push(set);
        }
    }
    let members = |set: u32| (0..count).filter(|it| set & (1 << it) != 0).collect();
    Ok(Some(largest.into_iter().map(members).collect()))
}
