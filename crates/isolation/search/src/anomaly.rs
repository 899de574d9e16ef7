//! Looking for runs that one can see are not serial.
//!
//! Transactions, rows and values are chosen at random, few before many, and mostly such that each
//! transaction commits when it runs alone; then one transaction is cut after each of its
//! statements, and the others run in the cut, one after the other (a split schedule); now and then,
//! two transactions are interleaved in every way. What a run shows is compared with every serial
//! order. A run that is found is made as small as it gets.

use crate::Cycle;
use crate::values::Values;
use ser_base::{Limits, Stop};
use ser_isolation_checker::{check_anomaly, explanation};
use ser_isolation_model::ast::{Level, Program, TableId};
use ser_isolation_model::engine::{Call, Engine, Schedule, SessionId, Standing};
use ser_isolation_model::value::Value;

/// How far the search goes.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The most transactions in a run.
    pub transactions: usize,
    /// Choices of rows and values for each choice of transactions.
    pub choices: usize,
    /// Runs altogether.
    pub runs: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { transactions: 3, choices: 16, runs: 24_000 }
    }
}

/// What a search came to.
#[derive(Clone, PartialEq, Debug)]
pub enum Searched {
    /// No serial order explains this run.
    Anomaly(Box<Schedule>),
    /// Nothing in so many runs; what could not be run, if there was something; and the limit that
    /// came first, if one did.
    Nothing { runs: usize, beyond: Option<String>, stopped: Option<Stop> },
}

/// Looks for an anomaly of transactions at these levels, one for each of the program: first among
/// the transactions of a cycle of dependencies, in their order.
pub fn find(
    program: &Program,
    levels: &[Level],
    cycle: Option<&Cycle>,
    effort: Effort,
    limits: &Limits,
) -> Searched {
    let mut search = Search {
        program,
        levels,
        values: Values::new(program),
        random: fastrand::Rng::with_seed(0x5e7a_11e1),
        runs: 0,
        effort,
        beyond: None,
    };
    let members: Vec<usize> =
        cycle.iter().flat_map(|it| it.members.iter().map(|it| it.transaction)).collect();
    if (2..=6).contains(&members.len()) {
        for choice in 0..effort.choices * 20 {
            if limits.check(0, 0).is_err() || search.runs > effort.runs / 4 {
                break;
            }
            if let Some(schedule) = search.try_calls(&members, choice) {
                return Searched::Anomaly(Box::new(smaller(program, levels, schedule)));
            }
        }
    }
    for count in 2..=effort.transactions {
        // Pairs are tried with more values: most anomalies need no third one.
        let choices = if count == 2 { effort.choices * 4 } else { effort.choices };
        for choice in 0..choices {
            let mut chosen = vec![0; count];
            loop {
                let stopped = limits.check(0, 0).err();
                if stopped.is_some() || search.runs > effort.runs {
                    return Searched::Nothing { runs: search.runs, beyond: search.beyond, stopped };
                }
                if let Some(schedule) = search.try_calls(&chosen, choice) {
                    return Searched::Anomaly(Box::new(smaller(program, levels, schedule)));
                }
                if !advance(&mut chosen, program.transactions.len()) {
                    break;
                }
            }
        }
    }
    Searched::Nothing { runs: search.runs, beyond: search.beyond, stopped: None }
}

/// The next tuple of numbers below `base`.
fn advance(digits: &mut [usize], base: usize) -> bool {
    for digit in digits.iter_mut().rev() {
        *digit += 1;
        if *digit < base {
            return true;
        }
        *digit = 0;
    }
    false
}

struct Search<'p> {
    program: &'p Program,
    levels: &'p [Level],
    values: Values<'p>,
    random: fastrand::Rng,
    runs: usize,
    effort: Effort,
    beyond: Option<String>,
}

impl Search<'_> {
    /// One choice of rows and values for these transactions; the first one is the one that is cut.
    fn try_calls(&mut self, chosen: &[usize], choice: usize) -> Option<Schedule> {
        // If the file has rows, they may be all that there is.
        let some = if self.program.seed.is_empty() { 1 } else { 0 };
        let rows = self.values.rows(&mut self.random, some + choice % 2);
        // Some calls have to fail alone before others have come.
        let attempts = if choice / 2 % 2 == 1 { 1 } else { 12 };
        // And some anomalies need calls that agree, on a customer or an amount.
        self.values.agree = (choice / 4 % 2 == 1).then(|| self.random.usize(..));
        let calls = chosen.iter().map(|it| self.call(*it, &rows, attempts)).collect();
        let mut schedule = Schedule { rows, calls, turns: Vec::new() };
        // Split schedules are few, and the first thing to try.
        if chosen.len() == 2 && choice / 8 % 2 == 1 {
            return self.interleave(schedule);
        }
        for cut in 1.. {
            // Everything before the cut, everybody else, and then the rest.
            let mut engine = Engine::of(self.program, &schedule).ok()?;
            for _ in 0..cut {
                engine.step(SessionId(0));
            }
            if engine.standing(SessionId(0)) != Standing::Ready {
                return None;
            }
            let mut turns = vec![0; cut];
            for at in 1..chosen.len() {
                while engine.standing(SessionId(at as u32)) == Standing::Ready {
                    engine.step(SessionId(at as u32));
                    turns.push(at);
                }
            }
            engine.play(&[]);
            schedule.turns = turns;
            if self.shows(&engine, &schedule) {
                return Some(schedule);
            }
        }
        None
    }

    /// A call of a transaction: if possible, one that commits when it runs alone.
    fn call(
        &mut self,
        transaction: usize,
        rows: &[(TableId, Vec<Value>)],
        attempts: usize,
    ) -> Call {
        let level = self.levels[transaction];
        let mut call = Call { transaction, arguments: Vec::new(), level };
        for _ in 0..attempts {
            call.arguments = self.values.arguments(transaction, &mut self.random);
            if attempts == 1 {
                break;
            }
            let rows = rows.to_vec();
            let alone = Schedule { rows, calls: vec![call.clone()], turns: Vec::new() };
            let ends = Engine::of(self.program, &alone).map(|mut engine| {
                engine.play(&[]);
                engine.standing(SessionId(0))
            });
            if ends == Ok(Standing::Committed) {
                break;
            }
        }
        call
    }

    /// Every way to interleave two transactions.
    fn interleave(&mut self, schedule: Schedule) -> Option<Schedule> {
        let start = Engine::of(self.program, &schedule).ok()?;
        let mut open = vec![(start, Vec::new())];
        let most = self.runs + self.effort.runs / 20;
        while let Some((engine, turns)) = open.pop() {
            let ready = (0..2).filter(|at| engine.standing(SessionId(*at)) == Standing::Ready);
            let ready: Vec<u32> = ready.collect();
            if ready.is_empty() {
                let run = Schedule { turns, ..schedule.clone() };
                if self.shows(&engine, &run) {
                    return Some(run);
                }
                if self.runs > most {
                    return None;
                }
                continue;
            }
            for at in ready.into_iter().rev() {
                let mut next = engine.clone();
                next.step(SessionId(at));
                let turns = [&turns[..], &[at as usize]].concat();
                open.push((next, turns));
            }
        }
        None
    }

    /// Whether no serial order explains what has happened.
    fn shows(&mut self, engine: &Engine<'_>, schedule: &Schedule) -> bool {
        self.runs += 1;
        let found = engine.outcomes().and_then(|found| {
            // A single one that commits is serial.
            let committed = found.results.iter().flatten().count();
            Ok(committed > 1 && explanation(self.program, schedule, &found)?.is_none())
        });
        found.unwrap_or_else(|failure| {
            self.beyond.get_or_insert(failure.to_string());
            false
        })
    }
}

/// Without rows and transactions that do not matter, and with as few changes of turns as possible.
fn smaller(program: &Program, levels: &[Level], schedule: Schedule) -> Schedule {
    let still = |it: &Schedule| check_anomaly(program, levels, it).is_ok();
    let mut best = schedule;
    for at in (0..best.rows.len()).rev() {
        let mut fewer = best.clone();
        fewer.rows.remove(at);
        if still(&fewer) {
            best = fewer;
        }
    }
    for at in (0..best.calls.len()).rev() {
        if best.calls.len() > 2 {
            let mut fewer = best.clone();
            fewer.calls.remove(at);
            fewer.turns.retain(|it| *it != at);
            fewer.turns.iter_mut().filter(|it| **it > at).for_each(|it| *it -= 1);
            if still(&fewer) {
                best = fewer;
            }
        }
    }
    loop {
        let switches = |it: &Schedule| it.turns.windows(2).filter(|it| it[0] != it[1]).count();
        let swapped = (1..best.turns.len()).map(|at| {
            let mut other = best.clone();
            other.turns.swap(at - 1, at);
            other
        });
        match swapped.into_iter().find(|it| switches(it) < switches(&best) && still(it)) {
            Some(better) => best = better,
            None => return best,
        }
    }
}
