//! Runs that no serial order explains.
//!
//! The run is done again by the interpreter: every call at the level that its transaction has been
//! given. What the clients of transactions got that committed, and what is in the tables at the
//! end, is then compared with every order of these transactions, one after the other, on the same
//! rows. A transaction that failed counts as not having happened.

use ser_isolation_model::ast::{Level, Program};
use ser_isolation_model::engine::{Failure, Outcomes, Schedule, orders, play, serial};
use ser_isolation_model::value::Value;

/// Digits behind the point of a number that somebody wrote into a certificate.
const MOST_DIGITS: u32 = 30;

/// Why a run is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    #[error("calls: there is no transaction of this number")]
    NoTransaction,
    #[error("calls: `{0}` runs at {1}, not at the level that it has")]
    Level(String, Level),
    #[error("calls: `{0}` has other parameters")]
    Arguments(String),
    #[error("rows: a number has too many digits behind the point")]
    Number,
    #[error("{0}")]
    Fails(Failure),
    #[error("{} explains it: {}", if .0.len() < 2 { "a single transaction" } else { "a serial order" }, .0.join(", "))]
    Explained(Vec<String>),
}

/// What a run has shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    pub found: Outcomes,
    /// How many orders were tried.
    pub orders: usize,
}

/// Accepts a run that no serial order explains, of transactions at these levels.
pub fn check_anomaly(
    program: &Program,
    levels: &[Level],
    schedule: &Schedule,
) -> Result<Shown, Refused> {
    for call in &schedule.calls {
        let transaction = program.transactions.get(call.transaction);
        let (Some(transaction), Some(level)) = (transaction, levels.get(call.transaction)) else {
            return Err(Refused::NoTransaction);
        };
        let name = transaction.name.text.clone();
        if call.level != *level {
            return Err(Refused::Level(name, call.level));
        }
        if call.arguments.len() != transaction.parameters {
            return Err(Refused::Arguments(name));
        }
    }
    // Types and constraints are looked at where rows are put, and where calls begin.
    let values = schedule.rows.iter().flat_map(|(_, row)| row);
    let mut values = values.chain(schedule.calls.iter().flat_map(|it| &it.arguments));
    if values.any(|it| matches!(it, Value::Decimal(it) if it.scale > MOST_DIGITS)) {
        return Err(Refused::Number);
    }
    let (_, found) = play(program, schedule).map_err(Refused::Fails)?;
    if let Some(order) = explanation(program, schedule, &found).map_err(Refused::Fails)? {
        let name = |at: &usize| {
            let transaction = &program.transactions[schedule.calls[*at].transaction];
            transaction.name.text.clone()
        };
        return Err(Refused::Explained(order.iter().map(name).collect()));
    }
    let orders = orders(&found).map_or(0, |it| it.len());
    Ok(Shown { found, orders })
}

/// The first serial order that explains a run.
pub fn explanation(
    program: &Program,
    schedule: &Schedule,
    found: &Outcomes,
) -> Result<Option<Vec<usize>>, Failure> {
    let all = orders(found);
    let all = all.ok_or_else(|| Failure::Beyond("too many transactions to order".to_owned()))?;
    for order in all {
        if serial(program, schedule, &order, found)?.is_like(found) {
            return Ok(Some(order));
        }
    }
    Ok(None)
}

/// The serial order that comes closest to a run, with what would have come of it.
pub fn closest(
    program: &Program,
    schedule: &Schedule,
    found: &Outcomes,
) -> Option<(Vec<usize>, Outcomes)> {
    let differences = |other: &Outcomes| {
        let results = found.results.iter().zip(&other.results).filter(|(one, two)| one != two);
        let rows = found.tables.iter().zip(&other.tables).map(|(one, two)| {
            let missing = |from: &[Vec<_>], there: &[Vec<_>]| {
                from.iter().filter(|row| !there.contains(row)).count()
            };
            missing(one, two) + missing(two, one)
        });
        results.count() + rows.sum::<usize>()
    };
    let all = orders(found)?.into_iter();
    let all = all.filter_map(|it| serial(program, schedule, &it, found).ok().map(|out| (it, out)));
    all.min_by_key(|(_, outcomes)| differences(outcomes))
}
