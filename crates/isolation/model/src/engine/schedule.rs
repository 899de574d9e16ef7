//! A run of several transactions, given by who runs and whose turn it is; and what comes of it.

use super::{Concurrent, Engine, Event, Failure, SessionId, Standing};
use crate::ast::{ColumnId, Level, Program, TableId};
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// Who runs, on which rows, in which order.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Rows besides those that the program inserts by itself.
    pub rows: Vec<(TableId, Vec<Value>)>,
    pub calls: Vec<Call>,
    /// Whose turn it is, call by call; the commit is a turn, too. Turns of those who wait or have
    /// ended do nothing.
    pub turns: Vec<usize>,
}

/// A transaction that runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Its place in [`Program::transactions`].
    pub transaction: usize,
    pub arguments: Vec<Value>,
    pub level: Level,
}

/// What came of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcomes {
    /// The rows that each client got, sorted; nothing if the transaction failed.
    pub results: Vec<Option<Vec<Vec<Value>>>>,
    /// The rows of each table in the end, sorted.
    pub tables: Vec<Vec<Vec<Value>>>,
    /// The numbers that sequences gave to each call.
    numbers: Vec<(SessionId, TableId, ColumnId, i64)>,
}

impl Outcomes {
    /// Whether clients and tables cannot tell this run from another.
    pub fn is_like(&self, other: &Outcomes) -> bool {
        self.results == other.results && self.tables == other.tables
    }
}

impl<'p> Engine<'p> {
    /// The tables of a schedule, and its transactions before their first statement.
    pub fn of(program: &'p Program, schedule: &Schedule) -> Result<Engine<'p>, Failure> {
        let mut engine = Engine::new(program)?;
        for (table, values) in &schedule.rows {
            engine.put(*table, values.clone())?;
        }
        for call in &schedule.calls {
            let transaction = program.transactions.get(call.transaction);
            let transaction =
                transaction.ok_or_else(|| Failure::Beyond("no such transaction".to_owned()))?;
            engine.begin(transaction, &call.arguments, call.level)?;
        }
        Ok(engine)
    }

    /// Takes all turns, and then lets everybody go on who can, in order.
    pub fn play(&mut self, turns: &[usize]) -> Vec<Event<'p>> {
        let mut events = Vec::new();
        for turn in turns {
            if *turn < self.sessions.len() {
                events.extend(self.step(SessionId(*turn as u32)));
            }
        }
        let mut at = 0;
        while at < self.sessions.len() {
            let id = SessionId(at as u32);
            if self.standing(id) == Standing::Ready {
                events.extend(self.step(id));
                at = 0;
            } else {
                at += 1;
            }
        }
        events
    }

    /// What has come of it; an error if something happened that this interpreter does not do.
    pub fn outcomes(&self) -> Result<Outcomes, Failure> {
        let mut results = Vec::new();
        for at in 0..self.sessions.len() {
            let id = SessionId(at as u32);
            match self.failure(id) {
                Some(failure @ Failure::Beyond(_)) => return Err(failure.clone()),
                // The interpreter remembers whole tables, the server perhaps less.
                Some(Failure::Serialization(Concurrent::Dependencies)) => {
                    let what =
                        "whether a serializable transaction fails depends on how the server reads";
                    return Err(Failure::Beyond(what.to_owned()));
                }
                _ => {}
            }
            if self.session(id).control.arbitrary {
                let what = "which of several rows comes first is up to the server (an `ORDER BY` with a \
                            key says so)";
                return Err(Failure::Beyond(what.to_owned()));
            }
            // In which order a client gets rows is not compared.
            let mut rows = self.results(id).map(<[Vec<Value>]>::to_vec);
            rows.iter_mut().for_each(|it| it.sort());
            results.push(rows);
        }
        let tables = (0..self.world.program.tables.len()).map(|at| {
            let rows = self.contents(TableId(at as u32));
            let mut rows: Vec<Vec<Value>> = rows.iter().map(|it| it.to_vec()).collect();
            rows.sort();
            rows
        });
        let numbers = self.world.sequences.given.clone();
        Ok(Outcomes { results, tables: tables.collect(), numbers })
    }
}

/// Runs a schedule.
pub fn play<'p>(
    program: &'p Program,
    schedule: &Schedule,
) -> Result<(Vec<Event<'p>>, Outcomes), Failure> {
    let mut engine = Engine::of(program, schedule)?;
    let events = engine.play(&schedule.turns);
    Ok((events, engine.outcomes()?))
}

/// Runs some of the calls of a schedule one after the other; the results stand where the calls do.
///
/// Sequences give every call the numbers that it got in the run that this is compared with: which
/// number comes next is not part of what the server promises. If a call does not take as many as
/// there, there is no answer.
pub fn serial(
    program: &Program,
    schedule: &Schedule,
    order: &[usize],
    compared: &Outcomes,
) -> Result<Outcomes, Failure> {
    let calls = order.iter().map(|it| schedule.calls[*it].clone()).collect();
    let alone = Schedule { rows: schedule.rows.clone(), calls, turns: Vec::new() };
    let mut engine = Engine::of(program, &alone)?;
    let place = |it: SessionId| order.iter().position(|call| *call == it.0 as usize);
    let wanted = compared.numbers.iter().filter_map(|(session, table, column, number)| {
        Some((SessionId(place(*session)? as u32), *table, *column, *number))
    });
    engine.world.sequences.wanted = wanted.collect();
    let before = engine.world.sequences.given.len();
    let count = engine.world.sequences.wanted.len();
    for at in 0..order.len() {
        while engine.standing(SessionId(at as u32)) == Standing::Ready {
            engine.step(SessionId(at as u32));
        }
    }
    let all = (0..order.len()).all(|at| engine.failure(SessionId(at as u32)).is_none());
    let sequences = &engine.world.sequences;
    if all && (!sequences.wanted.is_empty() || sequences.given.len() - before != count) {
        let what = "runs that take different numbers from sequences are not compared";
        return Err(Failure::Beyond(what.to_owned()));
    }
    let found = engine.outcomes()?;
    let mut results = vec![None; schedule.calls.len()];
    for (place, result) in order.iter().zip(found.results) {
        results[*place] = result;
    }
    Ok(Outcomes { results, ..found })
}

/// All serial orders of the calls that have committed, if there are few.
pub fn orders(outcomes: &Outcomes) -> Option<Vec<Vec<usize>>> {
    let committed = outcomes.results.iter().enumerate();
    let committed: Vec<usize> =
        committed.filter(|(_, it)| it.is_some()).map(|(at, _)| at).collect();
    if committed.len() > 7 {
        return None;
    }
    let mut all = vec![Vec::new()];
    for _ in 0..committed.len() {
        let longer = |order: &Vec<usize>| {
            let order = order.clone();
            let left = committed.iter().filter(move |it| !order.contains(it)).copied();
            left.collect::<Vec<_>>()
        };
        all = all
            .iter()
            .flat_map(|order| longer(order).into_iter().map(|it| [&order[..], &[it]].concat()))
            .collect();
    }
    Some(all)
}
